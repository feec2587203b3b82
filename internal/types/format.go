package types

import (
	"strconv"
	"strings"
	"time"
)

// Format is the value as CAST(x AS STRING) writes it; zone is the session's, for TIMESTAMP. NULL is "null", which
// only shows inside collections: callers handle a NULL of their own. BINARY is taken as UTF-8 unchanged.
func Format(t Type, v Value, zone *time.Location) string {
	if v == nil {
		return "null"
	}
	switch t.Kind {
	case Boolean:
		return strconv.FormatBool(asBool(v))
	case TinyInt, SmallInt, Int, BigInt:
		return strconv.FormatInt(asInt(v), 10)
	case Float:
		return FormatFloat(asFloat(v))
	case Double:
		return FormatDouble(asFloat(v))
	case Decimal:
		return asDec(v).String()
	case Date:
		return FormatDate(asInt(v))
	case Timestamp:
		return FormatTimestamp(asInt(v), zone)
	case TimestampNTZ:
		return FormatTimestampNTZ(asInt(v))
	case Time:
		return FormatTime(asInt(v))
	case YearMonthInterval:
		return FormatYearMonth(asInt(v), t.Precision, t.Scale)
	case DayTimeInterval:
		return FormatDayTime(asInt(v), t.Precision, t.Scale)
	case CalendarInterval:
		i, _ := v.(Interval)
		return FormatCalendar(i)
	case Array:
		var b strings.Builder
		b.WriteByte('[')
		elems, _ := v.([]Value)
		for i, e := range elems {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Format(t.elem(), e, zone))
		}
		b.WriteByte(']')
		return b.String()
	case Struct:
		var b strings.Builder
		b.WriteByte('{')
		elems, _ := v.([]Value)
		for i, e := range elems {
			if i > 0 {
				b.WriteString(", ")
			}
			if i < len(t.Fields) {
				b.WriteString(Format(t.Fields[i].Type, e, zone))
			}
		}
		b.WriteByte('}')
		return b.String()
	case Map:
		var b strings.Builder
		b.WriteByte('{')
		entries, _ := v.([]MapEntry)
		for i, e := range entries {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Format(t.key(), e.Key, zone) + " -> " + Format(t.elem(), e.Value, zone))
		}
		b.WriteByte('}')
		return b.String()
	}
	return asText(v)
}

// FormatLiteral is the value as a SQL literal, as error messages and EXPLAIN show it: 'text', 1.5BD, DATE '2020-01-01'.
func FormatLiteral(t Type, v Value, zone *time.Location) string {
	if v == nil {
		return "NULL"
	}
	text := Format(t, v, zone)
	switch t.Kind {
	case String, Char, Varchar:
		return "'" + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `'`, `\'`) + "'"
	case TinyInt:
		return text + "Y"
	case SmallInt:
		return text + "S"
	case BigInt:
		return text + "L"
	case Double:
		if strings.ContainsAny(text, "Ny") {
			return "CAST('" + text + "' AS DOUBLE)"
		}
		return text + "D"
	case Float:
		return "CAST('" + text + "' AS FLOAT)"
	case Decimal:
		return text + "BD"
	case Date:
		return "DATE '" + text + "'"
	case Timestamp:
		return "TIMESTAMP '" + text + "'"
	case TimestampNTZ:
		return "TIMESTAMP_NTZ '" + text + "'"
	case Time:
		return "TIME '" + text + "'"
	case Binary:
		const digits = "0123456789ABCDEF"
		b := []byte("X'")
		for i := 0; i < len(text); i++ {
			b = append(b, digits[text[i]>>4], digits[text[i]&15])
		}
		return string(append(b, '\''))
	}
	return text
}
