package json

import (
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// dialect is what the text may hold beyond standard JSON.
type dialect struct {
	comments, unquotedNames, singleQuotes, leadingZeros, nonNumbers, anyEscape, controlChars bool
}

// options are the reader options with Spark's names, values and defaults.
type options struct {
	dialect
	multiLine                          bool
	primitivesAsString, prefersDecimal bool
	dropFieldIfAllNull, inferTimestamp bool
	lineSep, charset, corrupt          string
	mode                               text.Mode
	times                              *text.Times
}

func parseOptions(opts format.Options, zone *time.Location) (*options, error) {
	o := &options{mode: text.ModeOf(opts), corrupt: text.CorruptName(opts)}
	for _, f := range []struct {
		name      string
		byDefault bool
		to        *bool
	}{
		{"multiLine", false, &o.multiLine},
		{"primitivesAsString", false, &o.primitivesAsString},
		{"prefersDecimal", false, &o.prefersDecimal},
		{"dropFieldIfAllNull", false, &o.dropFieldIfAllNull},
		{"inferTimestamp", false, &o.inferTimestamp},
		{"allowComments", false, &o.comments},
		{"allowUnquotedFieldNames", false, &o.unquotedNames},
		{"allowSingleQuotes", true, &o.singleQuotes},
		{"allowNumericLeadingZeros", false, &o.leadingZeros},
		{"allowNonNumericNumbers", true, &o.nonNumbers},
		{"allowBackslashEscapingAnyCharacter", false, &o.anyEscape},
		{"allowUnquotedControlChars", false, &o.controlChars},
	} {
		var err error
		if *f.to, err = text.Bool(opts, f.name, f.byDefault); err != nil {
			return nil, err
		}
	}
	if v, ok := opts.Get("lineSep"); ok {
		if v == "" {
			return nil, sqlerr.LineSeparatorEmpty()
		}
		o.lineSep = v
	}
	if _, ok := opts.Get("singleVariantColumn"); ok {
		return nil, sqlerr.Unsupported("FILE_OPTION", "the option singleVariantColumn")
	}
	if err := text.CheckLocale(opts); err != nil {
		return nil, err
	}
	var err error
	if o.charset, err = text.Charset(opts); err != nil {
		return nil, err
	}
	o.times, err = text.NewTimes(opts, zone)
	return o, err
}
