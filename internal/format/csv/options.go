package csv

import (
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// stray says what a quote inside a quoted value means that neither ends the value nor is escaped: the values of the
// option unescapedQuoteHandling.
type stray uint8

const (
	stopAtDelimiter stray = iota // the value is taken as unquoted text, up to the delimiter
	stopAtClosingQuote
	backToDelimiter
	skipValue
	raiseError
)

// dialect is how the text is cut into fields. A zero quote, escape or comment is none.
type dialect struct {
	sep                       []byte
	quote, escape, comment    byte
	escapeEscape              byte // escapes the escape; 0 when quote and escape are the same character
	trimLeft, trimRight       bool
	stray                     stray
	multiLine                 bool
	lineSep                   string
	maxColumns, maxCharacters int
}

// options are the reader options with Spark's names, values and defaults.
type options struct {
	dialect
	header, inferSchema, enforceSchema, preferDate bool
	nullValue, emptyValue                          string
	nan, positiveInf, negativeInf                  string
	mode                                           text.Mode
	corrupt                                        string
	charset                                        string
	times                                          *text.Times
}

func parseOptions(opts format.Options, zone *time.Location) (*options, error) {
	o := &options{
		nullValue: "", nan: "NaN", positiveInf: "Inf", negativeInf: "-Inf",
		mode: text.ModeOf(opts), corrupt: text.CorruptName(opts),
	}
	o.stray = strayOf(opts)
	var err error
	flag := func(name string, byDefault bool, to *bool) {
		if err == nil {
			*to, err = text.Bool(opts, name, byDefault)
		}
	}
	flag("header", false, &o.header)
	flag("inferSchema", false, &o.inferSchema)
	flag("enforceSchema", true, &o.enforceSchema)
	flag("preferDate", true, &o.preferDate)
	flag("multiLine", false, &o.multiLine)
	flag("ignoreLeadingWhiteSpace", false, &o.trimLeft)
	flag("ignoreTrailingWhiteSpace", false, &o.trimRight)
	char := func(name string, byDefault byte, to *byte) {
		if err == nil {
			*to, err = oneChar(opts, name, byDefault)
		}
	}
	char("quote", '"', &o.quote)
	char("escape", '\\', &o.escape)
	char("comment", 0, &o.comment)
	char("charToEscapeQuoteEscaping", 0, &o.escapeEscape)
	if o.escapeEscape == 0 && o.quote != o.escape {
		o.escapeEscape = o.escape
	}
	for _, s := range []struct {
		name string
		to   *string
	}{{"nullValue", &o.nullValue}, {"emptyValue", &o.emptyValue}, {"nanValue", &o.nan}, {"positiveInf", &o.positiveInf}, {"negativeInf", &o.negativeInf}, {"lineSep", &o.lineSep}} {
		if v, ok := opts.Get(s.name); ok {
			*s.to = v
		}
	}
	if v, ok := opts.Get("lineSep"); ok && v == "" && err == nil {
		err = sqlerr.LineSeparatorEmpty()
	}
	if err != nil {
		return nil, err
	}
	if err := text.CheckLocale(opts); err != nil {
		return nil, err
	}
	if o.sep, err = delimiter(opts); err != nil {
		return nil, err
	}
	columns, err := text.Int(opts, "maxColumns", 20480)
	if err == nil && columns < 1 {
		err = sqlerr.OptionValue("maxColumns", "0 or less", "at least 1")
	}
	if err != nil {
		return nil, err
	}
	chars, err := text.Int(opts, "maxCharsPerColumn", -1)
	if err != nil {
		return nil, err
	}
	o.maxColumns, o.maxCharacters = int(columns), int(chars)
	if o.charset, err = text.Charset(opts); err != nil {
		return nil, err
	}
	o.times, err = text.NewTimes(opts, zone)
	return o, err
}

func strayOf(opts format.Options) stray {
	v, _ := opts.Get("unescapedQuoteHandling")
	switch strings.ToUpper(v) {
	case "STOP_AT_CLOSING_QUOTE":
		return stopAtClosingQuote
	case "BACK_TO_DELIMITER":
		return backToDelimiter
	case "SKIP_VALUE":
		return skipValue
	case "RAISE_ERROR":
		return raiseError
	}
	return stopAtDelimiter
}

// oneChar is an option of one character; the empty text switches it off.
func oneChar(opts format.Options, name string, byDefault byte) (byte, error) {
	v, ok := opts.Get(name)
	switch {
	case !ok:
		return byDefault, nil
	case v == "", v == "\x00", v == `\u0000`:
		return 0, nil
	case len(v) == 1 && v[0] < 0x80:
		return v[0], nil
	case len([]rune(v)) == 1:
		return 0, sqlerr.Unsupported("FILE_OPTION", "the option "+name+" with the character '"+v+"' outside of ASCII")
	}
	return 0, sqlerr.OptionTooLong(name, v)
}

// escapes are the escapes of the option sep.
var escapes = map[byte]byte{'t': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'n': '\n', '"': '"', '\'': '\'', '\\': '\\'}

func delimiter(opts format.Options) ([]byte, error) {
	v, ok := opts.Get("sep")
	if !ok {
		if v, ok = opts.Get("delimiter"); !ok {
			return []byte{','}, nil
		}
	}
	if v == "" {
		return nil, sqlerr.DelimiterEmpty()
	}
	var out []byte
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' {
			out = append(out, v[i])
			continue
		}
		if i+1 == len(v) {
			return nil, sqlerr.DelimiterBackslash()
		}
		if strings.HasPrefix(v[i:], `\u0000`) {
			out = append(out, 0)
			i += len(`\u0000`) - 1
			continue
		}
		c, ok := escapes[v[i+1]]
		if !ok {
			return nil, sqlerr.DelimiterEscape(v[i : i+2])
		}
		out = append(out, c)
		i++
	}
	return out, nil
}
