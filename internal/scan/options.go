package scan

import (
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// CheckOptions reports options of a format that have no meaning, and those that choose files in a way that Tarn lacks:
// without them a query would give other rows than the table's author meant.
func (sc *Scanner) CheckOptions(formatName string, opts map[string]string) error {
	for _, name := range sortedNames(opts) {
		switch strings.ToLower(name) {
		case "pathglobfilter", "modifiedbefore", "modifiedafter":
			return sqlerr.Unsupported("OPTION", "the option "+name)
		}
	}
	if r, ok := sc.readers[formatName]; ok {
		return r.Check(opts)
	}
	return nil
}

// CheckColumns reports a column of a type that files of a format do not hold.
func (sc *Scanner) CheckColumns(formatName string, fields []types.Field) error {
	if r, ok := sc.readers[formatName]; ok {
		return r.CheckColumns(fields)
	}
	return nil
}

// UnknownOptions are the names, sorted, that mean nothing to a format; most likely they are misspelt. Spark keeps such
// options without a word.
func (sc *Scanner) UnknownOptions(formatName string, opts map[string]string) []string {
	var out []string
	for _, name := range sortedNames(opts) {
		if !knownOption(formatName, strings.ToLower(name)) {
			out = append(out, name)
		}
	}
	return out
}

func sortedNames(opts map[string]string) []string {
	names := make([]string, 0, len(opts))
	for name := range opts {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// knownOption tells whether Spark's reader or writer of a format has an option; name is in lower case. Options that Tarn has no
// use for, such as those of writers, are known too.
func knownOption(formatName, name string) bool {
	switch name {
	case "path", "basepath", "recursivefilelookup", "ignoremissingfiles", "ignorecorruptfiles", "ignoreinvalidpartitionpaths",
		"compression", "codec", "mergeschema", "serialization.format", "partitionoverwritemode", "maxrecordsperfile":
		return true
	}
	if strings.Contains(name, ".") {
		return true // a setting of a library below Spark, such as parquet.block.size
	}
	switch formatName {
	case "parquet":
		return name == "datetimerebasemode" || name == "int96rebasemode"
	case "csv", "json":
		switch name {
		case "mode", "columnnameofcorruptrecord", "dateformat", "timestampformat", "timestampntzformat", "timeformat", "enabledatetimeparsingfallback",
			"timezone", "multiline", "linesep", "encoding", "charset", "samplingratio", "locale", "singlevariantcolumn":
			return true
		}
	default:
		return true
	}
	if formatName == "json" {
		switch name {
		case "primitivesasstring", "prefersdecimal", "infertimestamp", "allowcomments", "allowunquotedfieldnames", "allowsinglequotes",
			"allownumericleadingzeros", "allowbackslashescapinganycharacter", "allowunquotedcontrolchars", "allownonnumericnumbers",
			"dropfieldifallnull", "ignorenullfields", "writenonasciicharacterascodepoint", "pretty", "maxnestingdepth", "maxnumlen", "maxstringlen",
			"useunsaferow":
			return true
		}
		return false
	}
	switch name {
	case "sep", "delimiter", "quote", "escape", "comment", "header", "inferschema", "enforceschema", "preferdate",
		"ignoreleadingwhitespace", "ignoretrailingwhitespace", "nullvalue", "nanvalue", "positiveinf", "negativeinf", "emptyvalue",
		"maxcolumns", "maxcharspercolumn", "unescapedquotehandling", "chartoescapequoteescaping", "quoteall", "escapequotes",
		"columnpruning", "inputbuffersize", "extension":
		return true
	}
	return false
}
