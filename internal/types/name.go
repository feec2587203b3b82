package types

import (
	"strconv"
	"strings"
)

// names are Spark's simple names of the kinds without parameters.
func kindName(k Kind) string {
	switch k {
	case Boolean:
		return "boolean"
	case TinyInt:
		return "tinyint"
	case SmallInt:
		return "smallint"
	case Int:
		return "int"
	case BigInt:
		return "bigint"
	case Float:
		return "float"
	case Double:
		return "double"
	case Decimal:
		return "decimal"
	case String:
		return "string"
	case Char:
		return "char"
	case Varchar:
		return "varchar"
	case Binary:
		return "binary"
	case Date:
		return "date"
	case Timestamp:
		return "timestamp"
	case TimestampNTZ:
		return "timestamp_ntz"
	case CalendarInterval:
		return "interval"
	case Variant:
		return "variant"
	case Time:
		return "time"
	}
	return "void"
}

// fieldName is the word for an interval field in a type's name, in lower case.
func fieldName(f int) string {
	names := [...]string{"year", "month", "day", "hour", "minute", "second"}
	if f < 0 || f >= len(names) {
		return "second"
	}
	return names[f]
}

// String is Spark's simple string of the type: lower case, without blanks, such as struct<a:int,b:array<string>>.
func (t Type) String() string {
	var b strings.Builder
	t.write(&b, false)
	return b.String()
}

// SQL is the type as DDL writes it: upper case, struct fields as `name: TYPE` with NOT NULL and COMMENT.
func (t Type) SQL() string {
	var b strings.Builder
	t.write(&b, true)
	return b.String()
}

func (t Type) write(b *strings.Builder, ddl bool) {
	word := func(s string) {
		if ddl {
			s = strings.ToUpper(s)
		}
		b.WriteString(s)
	}
	switch t.Kind {
	case Decimal:
		word("decimal")
		b.WriteString("(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")")
	case Char, Varchar, Time:
		word(kindName(t.Kind))
		b.WriteString("(" + strconv.Itoa(t.Precision) + ")")
	case YearMonthInterval, DayTimeInterval:
		word("interval " + fieldName(t.Precision))
		if t.Scale != t.Precision {
			word(" to " + fieldName(t.Scale))
		}
	case Array:
		word("array")
		b.WriteByte('<')
		t.elem().write(b, ddl)
		b.WriteByte('>')
	case Map:
		word("map")
		b.WriteByte('<')
		t.key().write(b, ddl)
		b.WriteByte(',')
		if ddl {
			b.WriteByte(' ')
		}
		t.elem().write(b, ddl)
		b.WriteByte('>')
	case Struct:
		word("struct")
		b.WriteByte('<')
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteByte(',')
				if ddl {
					b.WriteByte(' ')
				}
			}
			if !ddl {
				b.WriteString(f.Name + ":")
				f.Type.write(b, false)
				continue
			}
			b.WriteString(QuoteIfNeeded(f.Name) + ": ")
			f.Type.write(b, true)
			if f.NotNull {
				b.WriteString(" NOT NULL")
			}
			if f.HasComment {
				b.WriteString(" COMMENT '" + strings.ReplaceAll(strings.ReplaceAll(f.Comment, `\`, `\\`), `'`, `\'`) + "'")
			}
		}
		b.WriteByte('>')
	default:
		word(kindName(t.Kind))
	}
}

// QuoteIfNeeded back-quotes a name unless it reads as a plain identifier (letters, digits and underscores, no digit
// first).
func QuoteIfNeeded(name string) string {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	if name == "" {
		return "``"
	}
	return name
}

// elem is the element type, VOID when a malformed type has none.
func (t Type) elem() Type {
	if t.Elem == nil {
		return Type{}
	}
	return *t.Elem
}

// key is the key type, VOID when a malformed type has none.
func (t Type) key() Type {
	if t.Key == nil {
		return Type{}
	}
	return *t.Key
}

// Equal reports whether two types have the same values: nullability and comments do not count, names of struct
// fields do.
func Equal(a, b Type) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Decimal, YearMonthInterval, DayTimeInterval:
		return a.Precision == b.Precision && a.Scale == b.Scale
	case Char, Varchar, Time:
		return a.Precision == b.Precision
	case Array:
		return Equal(a.elem(), b.elem())
	case Map:
		return Equal(a.key(), b.key()) && Equal(a.elem(), b.elem())
	case Struct:
		if len(a.Fields) != len(b.Fields) {
			return false
		}
		for i := range a.Fields {
			if a.Fields[i].Name != b.Fields[i].Name || !Equal(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
	}
	return true
}

// IntervalOf is an interval type whose first field is start and whose last is end (FieldYear … FieldSecond).
func IntervalOf(start, end int) Type {
	if end <= FieldMonth {
		return Type{Kind: YearMonthInterval, Precision: start, Scale: end}
	}
	return Type{Kind: DayTimeInterval, Precision: start, Scale: end}
}
