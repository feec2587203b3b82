package duckdb

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Prefixes of DuckDB's messages tell the class of an error: its C interface has no other way for a statement that
// could not be prepared.
const (
	prefixConversion   = "Conversion Error: "
	prefixOutOfRange   = "Out of Range Error: "
	prefixInvalidInput = "Invalid Input Error: "
	prefixMemory       = "Out of Memory Error: "
	prefixInterrupt    = "INTERRUPT Error: "
	prefixFatal        = "FATAL Error: "
	prefixInternal     = "INTERNAL Error: "
	prefixBinder       = "Binder Error: "
	prefixUnbuilt      = "Not implemented Error: "
)

// isFatal reports whether DuckDB's database is unusable from now on.
func isFatal(text string) bool {
	return strings.HasPrefix(text, prefixFatal) || strings.HasPrefix(text, prefixInternal) ||
		strings.Contains(text, "database has been invalidated")
}

// translate turns an error text of DuckDB into a condition. q, which may be nil, knows the files of the query. The
// text itself becomes the cause, for the log; it is never part of the message.
func translate(text string, q *query) *sqlerr.Error {
	e := classify(text, q)
	if e.Cause == nil {
		c := *e
		c.Cause = errors.New(text)
		e = &c
	}
	return e
}

func classify(text string, q *query) *sqlerr.Error {
	if raised, ok := strings.CutPrefix(text, prefixInvalidInput); ok && strings.HasPrefix(raised, "[") {
		// Raised by an emitted expression: error('[CONDITION] …').
		if e := sqlerr.FromEngine(raised); e != nil {
			return e
		}
	}
	switch {
	case strings.HasPrefix(text, prefixInterrupt):
		return sqlerr.Canceled()
	case strings.HasPrefix(text, prefixMemory), strings.Contains(text, "failed to allocate"):
		return sqlerr.OutOfMemory()
	case strings.Contains(text, "More than one row returned by a subquery"):
		return sqlerr.ScalarSubqueryTooManyRows()
	// DuckDB may compute a map that two conditions share before the CASE around it that looks at the keys.
	case strings.Contains(text, "Map keys can not be NULL"):
		return sqlerr.NullMapKey()
	case strings.Contains(text, "Map keys must be unique"):
		return sqlerr.DuplicatedMapKey("")
	case strings.Contains(text, "Max expression depth"), strings.Contains(text, "xpression tree is too deep"),
		strings.HasPrefix(text, "Parser Error: memory exhausted"):
		return sqlerr.TooComplex("the nesting of its expressions", maxNesting)
	}
	if e := q.writeFailure(text); e != nil {
		return e
	}
	if f := q.fileIn(text); f != "" {
		if strings.Contains(text, "No files found") || strings.Contains(text, "No such file") {
			return sqlerr.FileNotExist(f)
		}
		return sqlerr.ReadFile(f, "its contents are damaged, or it changed while it was read", nil)
	}
	if damaged(text) {
		if where := q.filesRead(); where != "" {
			if strings.HasSuffix(where, "/") {
				where = "one of those below " + where
			}
			return sqlerr.ReadFile(where, "its contents are damaged, or it changed while it was read", nil)
		}
	}
	if flattens(text) {
		return sqlerr.Unsupported("CORRELATED_SUBQUERY", "a sub-query that uses columns of the query around it in this way")
	}
	switch {
	case strings.HasPrefix(text, prefixOutOfRange), strings.Contains(text, "Overflow in "),
		strings.Contains(text, "out of range for the destination type"):
		return overflow(text)
	case strings.HasPrefix(text, prefixConversion):
		return conversion(text)
	}
	return sqlerr.EngineFailure(errors.New(text))
}

// flattens reports that DuckDB found no join for a sub-query that refers to outer columns.
func flattens(text string) bool {
	return strings.HasPrefix(text, prefixUnbuilt) && (strings.Contains(text, "orrelated") || strings.Contains(text, "ubquer")) ||
		strings.HasPrefix(text, prefixBinder) && (strings.Contains(text, "window expression is not supported here") ||
			strings.Contains(text, "orrelated column"))
}

// damaged reports an error of decoding a file whose name DuckDB does not say.
func damaged(text string) bool {
	return strings.HasPrefix(text, "Invalid Error: ") || strings.HasPrefix(text, "IO Error: ") ||
		strings.HasPrefix(text, "Serialization Error: ") || strings.Contains(text, "Parquet") || strings.Contains(text, "decompress")
}

// overflowText finds the operands in a message such as: Overflow in addition of INT16 (32767 + 1)!
var overflowText = regexp.MustCompile(`Overflow in \w+ of (INT\d+) \((-?\d+) (.) (-?\d+)\)`)

// overflow is the condition of an integer beyond its type. Spark has one of its own for the two small types.
func overflow(text string) *sqlerr.Error {
	m := overflowText.FindStringSubmatch(text)
	if m == nil {
		return sqlerr.ArithmeticOverflow("", "")
	}
	switch m[1] {
	case "INT8":
		return sqlerr.BinaryArithmeticOverflow(m[2]+"Y", m[3], m[4]+"Y")
	case "INT16":
		return sqlerr.BinaryArithmeticOverflow(m[2]+"S", m[3], m[4]+"S")
	}
	return sqlerr.ArithmeticOverflow("", "")
}

// conversionText finds the value and the type in a message such as: Could not convert string 'abc' to INT32.
var conversionText = regexp.MustCompile(`(?s)string '(.*)' to '?([A-Z]+)`)

// conversion is the condition of a cast that DuckDB refused by itself. The value is the user's own data.
func conversion(text string) *sqlerr.Error {
	if m := conversionText.FindStringSubmatch(text); m != nil {
		return sqlerr.CastInvalidInput("'"+m[1]+"'", "STRING", sparkName(m[2]))
	}
	return sqlerr.ArithmeticOverflow("The value of a cast", "try_cast")
}

// sparkName is Spark's name of a type that DuckDB names in a message.
func sparkName(t string) string {
	switch t {
	case "INT":
		return "INT"
	case "BOOL":
		return "BOOLEAN"
	case "VARCHAR":
		return "STRING"
	case "BLOB":
		return "BINARY"
	}
	return t
}
