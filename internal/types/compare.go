package types

import (
	"cmp"
	"math"
	"strings"
)

// Compare orders two values of type t that are not NULL: negative when a < b, zero when equal. It is a total order:
// NaN equals itself and is greater than every number, -0.0 equals 0.0, strings compare by bytes, CHAR ignores
// trailing blanks, false is less than true. Inside arrays and structs NULL is the least value. Maps have no order in
// Spark; here they compare entry by entry, which is enough to group equal ones.
func Compare(t Type, a, b Value) int {
	switch t.Kind {
	case Boolean:
		x, y := asBool(a), asBool(b)
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	case TinyInt, SmallInt, Int, BigInt, Date, Timestamp, TimestampNTZ, Time, YearMonthInterval, DayTimeInterval:
		return cmp.Compare(asInt(a), asInt(b))
	case Float, Double:
		return CompareFloats(asFloat(a), asFloat(b))
	case Decimal:
		return asDec(a).Cmp(asDec(b))
	case Char:
		return strings.Compare(strings.TrimRight(asText(a), " "), strings.TrimRight(asText(b), " "))
	case String, Varchar, Binary:
		return strings.Compare(asText(a), asText(b))
	case Array:
		x, _ := a.([]Value)
		y, _ := b.([]Value)
		for i := 0; i < len(x) && i < len(y); i++ {
			if c := compareNullable(t.elem(), x[i], y[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	case Struct:
		x, _ := a.([]Value)
		y, _ := b.([]Value)
		for i := 0; i < len(x) && i < len(y) && i < len(t.Fields); i++ {
			if c := compareNullable(t.Fields[i].Type, x[i], y[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	case Map:
		x, _ := a.([]MapEntry)
		y, _ := b.([]MapEntry)
		for i := 0; i < len(x) && i < len(y); i++ {
			if c := compareNullable(t.key(), x[i].Key, y[i].Key); c != 0 {
				return c
			}
			if c := compareNullable(t.elem(), x[i].Value, y[i].Value); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	case CalendarInterval:
		x, _ := a.(Interval)
		y, _ := b.(Interval)
		return cmp.Or(cmp.Compare(x.Months, y.Months), cmp.Compare(x.Days, y.Days), cmp.Compare(x.Micros, y.Micros))
	}
	return 0
}

func compareNullable(t Type, a, b Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return Compare(t, a, b)
}

// CompareFloats orders doubles as Spark does: NaN equal to itself and greatest, -0.0 equal to 0.0.
func CompareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	}
	return -1
}

// The as… functions read a value of a known type and give the zero value for a value of another Go type, so that a
// wrong value can never panic.

func asBool(v Value) bool { b, _ := v.(bool); return b }

func asInt(v Value) int64 { n, _ := v.(int64); return n }

func asFloat(v Value) float64 { f, _ := v.(float64); return f }

func asDec(v Value) Dec {
	d, _ := v.(Dec)
	if d.Unscaled == nil {
		return DecOf(0)
	}
	return d
}

func asText(v Value) string {
	switch s := v.(type) {
	case string:
		return s
	case Bytes:
		return string(s)
	}
	return ""
}
