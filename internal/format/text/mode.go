package text

import (
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Mode is what happens to a malformed record.
type Mode uint8

// The modes.
const (
	Permissive    Mode = iota // what cannot be read is NULL
	DropMalformed             // the record is left out
	FailFast                  // the statement fails
)

// ModeOf is the option mode; Spark takes an unknown one as PERMISSIVE.
func ModeOf(opts format.Options) Mode {
	v, _ := opts.Get("mode")
	switch strings.ToUpper(v) {
	case "DROPMALFORMED":
		return DropMalformed
	case "FAILFAST":
		return FailFast
	}
	return Permissive
}

// CorruptName is the name of the column that takes the text of malformed records.
func CorruptName(opts format.Options) string {
	if v, ok := opts.Get("columnNameOfCorruptRecord"); ok && v != "" {
		return v
	}
	return "_corrupt_record"
}

// Corrupt is the place of the corrupt-record column in schema and in want, -1 where it is not. A column of that name
// which is no nullable STRING, and a query that reads nothing else, are errors.
func Corrupt(opts format.Options, schema []types.Field, want []int, caseSensitive bool) (inSchema, inWant int, err error) {
	name := CorruptName(opts)
	inSchema, inWant = -1, -1
	for i, f := range schema {
		if f.Name == name || !caseSensitive && strings.EqualFold(f.Name, name) {
			if f.Type.Kind != types.String || f.NotNull {
				return -1, -1, sqlerr.CorruptRecordType(f.Name, f.Type.SQL())
			}
			inSchema = i
		}
	}
	for i, w := range want {
		if w == inSchema && inSchema >= 0 {
			inWant = i
		}
	}
	if inWant >= 0 && len(want) == 1 {
		return -1, -1, sqlerr.OnlyCorruptRecord(schema[inSchema].Name)
	}
	return inSchema, inWant, nil
}

// Excerpt is text of a record for a message: valid UTF-8, one line, not long.
func Excerpt(record []byte) string {
	const most = 200
	cut := record
	if len(cut) > most {
		cut = cut[:most]
	}
	s := types.ReplaceInvalid(string(cut))
	s = strings.NewReplacer("\n", "\\n", "\r", "\\r").Replace(s)
	if len(record) > most {
		s += "…"
	}
	return s
}

// Bool is a true-or-false option; another value is a *sqlerr.Error.
func Bool(opts format.Options, name string, byDefault bool) (bool, error) {
	v, ok := opts.Get(name)
	switch {
	case !ok:
		return byDefault, nil
	case strings.EqualFold(v, "true"):
		return true, nil
	case strings.EqualFold(v, "false"):
		return false, nil
	}
	return false, sqlerr.OptionValue(name, v, "true or false")
}

// Int is a whole-number option; another value is a *sqlerr.Error.
func Int(opts format.Options, name string, byDefault int64) (int64, error) {
	v, ok := opts.Get(name)
	if !ok {
		return byDefault, nil
	}
	n, ok := ParseInt([]byte(v), -1<<31, 1<<31-1)
	if !ok {
		return 0, sqlerr.OptionValue(name, v, "a whole number")
	}
	return n, nil
}

// CheckLocale refuses locales that would change how names and numbers read: Tarn reads English ones.
func CheckLocale(opts format.Options) error {
	v, ok := opts.Get("locale")
	if !ok || v == "" {
		return nil
	}
	lang := strings.ToLower(v)
	if i := strings.IndexAny(lang, "-_"); i >= 0 {
		lang = lang[:i]
	}
	if lang != "en" && lang != "root" {
		return sqlerr.Unsupported("FILE_OPTION", "the option locale '"+v+"' (only English is read)")
	}
	return nil
}
