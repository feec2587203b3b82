package duckdb

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// castTo is an explicit cast to the engine's type for t.
func castTo(text string, t types.Type) string {
	return "CAST(" + text + " AS " + expr.DuckType(t) + ")"
}

// literal emits a constant with its type: DuckDB's own guesses (INTEGER for 1, DECIMAL for 1.5) are not Spark's.
func literal(v types.Value, t types.Type) (string, error) {
	if v == nil {
		if t.Kind == types.Void {
			return "NULL", nil
		}
		return castTo("NULL", t), nil
	}
	switch x := v.(type) {
	case bool:
		if x {
			return "true", nil
		}
		return "false", nil
	case int64:
		return intLiteral(x, t), nil
	case float64:
		return floatLiteral(x, t), nil
	case string:
		return quoteAny(x), nil
	case types.Bytes:
		return "from_hex('" + hex.EncodeToString([]byte(x)) + "')", nil
	case types.Dec:
		return castTo("'"+decimalText(x)+"'", t), nil
	case types.Interval:
		return "(to_months(" + strconv.Itoa(int(x.Months)) + ")+to_days(" + strconv.Itoa(int(x.Days)) +
			")+to_microseconds(" + strconv.FormatInt(x.Micros, 10) + "))", nil
	case []types.Value:
		if t.Kind == types.Struct {
			return structLiteral(x, t)
		}
		return listLiteral(x, t)
	case []types.MapEntry:
		return mapLiteral(x, t)
	}
	return "", internal("a constant of %s is a %T", t.String(), v)
}

func intLiteral(x int64, t types.Type) string {
	n := strconv.FormatInt(x, 10)
	switch t.Kind {
	case types.Int, types.YearMonthInterval:
		if x >= 0 && x <= math.MaxInt32 {
			return n
		}
	case types.Date:
		// Day numbers reach further than DuckDB reads years.
		return "(DATE '1970-01-01'+CAST(" + n + " AS INTEGER))"
	case types.Timestamp:
		return "make_timestamptz(" + castTo(n, types.Of(types.BigInt)) + ")"
	case types.Time:
		return "TIME '" + types.FormatTime(x) + "'"
	case types.TimestampNTZ:
		return "make_timestamp(" + castTo(n, types.Of(types.BigInt)) + ")"
	}
	return castTo(n, t)
}

func floatLiteral(x float64, t types.Type) string {
	bits := 64
	if t.Kind == types.Float {
		bits = 32
	}
	text := strconv.FormatFloat(x, 'e', -1, bits)
	switch {
	case math.IsNaN(x):
		text = "nan"
	case math.IsInf(x, 1):
		text = "inf"
	case math.IsInf(x, -1):
		text = "-inf"
	}
	return castTo("'"+text+"'", t)
}

// decimalText is a decimal without an exponent.
func decimalText(d types.Dec) string {
	text := new(big.Int).Abs(d.Unscaled).String()
	if d.Scale > 0 {
		if len(text) <= d.Scale {
			text = strings.Repeat("0", d.Scale-len(text)+1) + text
		}
		text = text[:len(text)-d.Scale] + "." + text[len(text)-d.Scale:]
	}
	if d.Unscaled.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// quoteAny is any text as a SQL expression.
func quoteAny(s string) string { return expr.DuckString(validText(s)) }

// validText is a text as a DuckDB string may hold it. Bytes that are not UTF-8 can't be in one: DuckDB makes no value
// of such a text, and ends the process when it is given what it did not make.
func validText(s string) string {
	return types.ReplaceInvalid(s)
}

func listLiteral(x []types.Value, t types.Type) (string, error) {
	elem := types.Of(types.Void)
	if t.Elem != nil {
		elem = *t.Elem
	}
	texts, err := literals(x, elem)
	return castTo("["+strings.Join(texts, ",")+"]", t), err
}

func literals(x []types.Value, t types.Type) ([]string, error) {
	out := make([]string, len(x))
	for i, v := range x {
		var err error
		if out[i], err = literal(v, t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func mapLiteral(x []types.MapEntry, t types.Type) (string, error) {
	keys, vals := make([]types.Value, len(x)), make([]types.Value, len(x))
	for i, e := range x {
		keys[i], vals[i] = e.Key, e.Value
	}
	k, err := listLiteral(keys, types.ArrayOf(*t.Key))
	if err != nil {
		return "", err
	}
	v, err := listLiteral(vals, types.ArrayOf(*t.Elem))
	return "map(" + k + "," + v + ")", err
}

func structLiteral(x []types.Value, t types.Type) (string, error) {
	if len(x) != len(t.Fields) {
		return "", internal("a constant of %s has %d fields", t.String(), len(x))
	}
	texts := make([]string, len(x))
	for i, f := range t.Fields {
		text, err := literal(x[i], f.Type)
		if err != nil {
			return "", err
		}
		texts[i] = expr.DuckString(expr.DuckFieldName(t, i)) + ":" + text
	}
	return "{" + strings.Join(texts, ",") + "}", nil
}

// normalized is a value in the one form of its equals: 0.0 for -0.0, and the entries of a map in order. It is cast to its type, since
// DuckDB forgets that of functions of constant NULLs.
func normalized(text string, t types.Type) string {
	switch t.Kind {
	case types.Float, types.Double:
		return "(" + text + "+" + castTo("0", t) + ")"
	case types.Map:
		entries := "map_entries(" + text + ")"
		if manyForms(*t.Key) || manyForms(*t.Elem) {
			entries = "list_transform(" + entries + ",lambda e:{'key':" + normalized("e.key", *t.Key) + ",'value':" + normalized("e.value", *t.Elem) + "})"
		}
		return castTo("map_from_entries(list_sort("+entries+"))", t)
	case types.Array:
		if manyForms(t) {
			return castTo("list_transform("+text+",lambda e:"+normalized("e", *t.Elem)+")", t)
		}
	case types.Struct:
		if manyForms(t) {
			fields := make([]string, len(t.Fields))
			for i, f := range t.Fields {
				fields[i] = expr.DuckString(expr.DuckFieldName(t, i)) + ":" + normalized("struct_extract_at("+text+","+strconv.Itoa(i+1)+")", f.Type)
			}
			return castTo("CASE WHEN "+text+" IS NOT NULL THEN {"+strings.Join(fields, ",")+"} END", t)
		}
	}
	return text
}

// manyForms reports a type with equal values that differ: -0.0 and 0.0, maps in another order of entries.
func manyForms(t types.Type) bool {
	return t.Holds(func(p types.Type) bool { return p.Kind == types.Float || p.Kind == types.Double || p.Kind == types.Map })
}

// groupable refuses grouping by calendar intervals, at any depth: DuckDB takes 30 days for a month there.
func groupable(t types.Type) error {
	if t.Holds(func(p types.Type) bool { return p.Kind == types.CalendarInterval }) {
		return sqlerr.Unsupported("CALENDAR_INTERVAL", "grouping by values of type INTERVAL")
	}
	return nil
}
