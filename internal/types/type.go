// Package types holds Spark's data types, the values of those types, and the casts between them.
//
// It is pure: no I/O, no clock, no time zone but the one a caller passes in. It must not import any other package of
// Tarn except sqlerr.
package types

// Kind is the family of a data type.
type Kind uint8

// The kinds of data type that Spark SQL 4 has, and Void for an untyped NULL.
const (
	Void Kind = iota
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal // Precision, Scale
	String
	Char    // Precision holds the length
	Varchar // Precision holds the length
	Binary
	Date
	Timestamp    // an instant; shown in the session's time zone
	TimestampNTZ // wall-clock time without a zone
	YearMonthInterval
	DayTimeInterval
	CalendarInterval
	Array  // Elem
	Map    // Key, Elem
	Struct // Fields
	Variant
	Time // Precision holds the digits of the fraction of a second, 0 to 6
)

// Type is a data type. The zero Type is VOID. Types are values: compare them with Equal.
type Type struct {
	Kind      Kind
	Precision int // DECIMAL precision; CHAR and VARCHAR length; TIME precision; start field of an interval
	Scale     int // DECIMAL scale; end field of an interval
	Key       *Type
	Elem      *Type
	Fields    []Field
	NotNull   bool // of an array's elements or a map's values: containsNull = false
}

// Field is one field of a STRUCT, or one column of a schema.
type Field struct {
	Name    string
	Type    Type
	NotNull bool
	Comment string
	// HasComment tells an empty comment from none.
	HasComment bool
	// Default, for a column of a table, is the SQL text of what a statement writes that gives the column no value; "" is NULL.
	Default string
	// Generated, for a column of a Delta table, is the SQL text of what the column is computed from; "" for any other column.
	Generated string
	// Exists is the SQL text of a literal: the column's value in rows of files that lack it, which is its default when it was
	// added. "" is NULL.
	Exists string
	// Missing is the value of Exists, for those who read files; nil is NULL.
	Missing Value
}

// Interval fields, for Precision (start) and Scale (end) of an interval type.
const (
	FieldYear = iota
	FieldMonth
	FieldDay
	FieldHour
	FieldMinute
	FieldSecond
)

// DecimalOf is DECIMAL(p, s).
func DecimalOf(p, s int) Type { return Type{Kind: Decimal, Precision: p, Scale: s} }

// MaxTimePrecision is the most digits that the fraction of a TIME has, and how many TIME without a number means.
const MaxTimePrecision = 6

// TimeOf is TIME(p).
func TimeOf(p int) Type { return Type{Kind: Time, Precision: p} }

// ArrayOf is ARRAY<elem>.
func ArrayOf(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// MapOf is MAP<key, value>.
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// StructOf is STRUCT<fields>.
func StructOf(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

// Of is a type without parameters.
func Of(k Kind) Type { return Type{Kind: k} }

// IsIntegral reports whether the kind is one of the four integer kinds.
func (k Kind) IsIntegral() bool { return k >= TinyInt && k <= BigInt }

// IsNumeric reports whether the kind is an integer, DECIMAL, FLOAT or DOUBLE.
func (k Kind) IsNumeric() bool { return k >= TinyInt && k <= Decimal }

// IsText reports whether the kind is STRING, CHAR or VARCHAR.
func (k Kind) IsText() bool { return k == String || k == Char || k == Varchar }

// IsNested reports whether the kind is ARRAY, MAP or STRUCT.
func (k Kind) IsNested() bool { return k == Array || k == Map || k == Struct }

// Holds reports whether is is true of the type or, at any depth, of a part of it: an element, a key, a value, a field.
func (t Type) Holds(is func(Type) bool) bool {
	if is(t) || t.Key != nil && t.Key.Holds(is) || t.Elem != nil && t.Elem.Holds(is) {
		return true
	}
	for _, f := range t.Fields {
		if f.Type.Holds(is) {
			return true
		}
	}
	return false
}

// HasMap reports a MAP at any depth. Two maps are never compared.
func (t Type) HasMap() bool {
	return t.Holds(func(p Type) bool { return p.Kind == Map })
}

// HasLength reports CHAR or VARCHAR at any depth.
func (t Type) HasLength() bool {
	return t.Holds(func(p Type) bool { return p.Kind == Char || p.Kind == Varchar })
}

// IsOrdered reports whether values of the type can be compared by < and sorted: maps, calendar intervals and variants have
// no order, nor has what holds them.
func (t Type) IsOrdered() bool {
	return !t.Holds(func(p Type) bool { return p.Kind == Map || p.Kind == CalendarInterval || p.Kind == Variant })
}
