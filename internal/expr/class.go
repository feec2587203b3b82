package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Class is what a parameter takes.
type Class uint8

// The classes of parameters. An argument that fits is cast implicitly to the type in the comment.
const (
	AnyValue      Class = iota // as it is
	Common                     // the common type of all arguments of this class in the call
	BooleanOnly                // BOOLEAN; text is cast
	IntNumber                  // INT; other numbers are cut, text is parsed
	LongNumber                 // BIGINT; likewise
	SmallCount                 // INT from TINYINT, SMALLINT, INT and text
	Integral                   // any integer type as it is; text as BIGINT
	Numeric                    // any number as it is; text as DOUBLE
	DoubleNumber               // DOUBLE
	DecimalNumber              // DECIMAL(18,6) unless the row says otherwise
	Text                       // STRING from any scalar
	TextOnly                   // STRING from text or BINARY
	TextOrBinary               // STRING from any scalar but BINARY, which stays
	StrictText                 // STRING or BINARY as they are, nothing else
	BinaryOnly                 // BINARY from text
	DateOnly                   // DATE from DATE, timestamps and text
	Instant                    // TIMESTAMP from DATE, timestamps and text
	Temporal                   // DATE and timestamps as they are; text as TIMESTAMP
	LocalTime                  // TIMESTAMP_NTZ
	AnyArray                   // an ARRAY as it is
	AnyMap                     // a MAP as it is
	ArrayOrMap                 // either
	DayTime                    // an interval of days to seconds
	YearMonth                  // an interval of years to months
	AnyInterval                // either of the two
	TextArray                  // ARRAY<STRING>
	PlainText                  // STRING as it is, nothing else
	TimeOfDay                  // TIME as it is; text and timestamps as TIME(6)
)

// String names the class as messages do.
func (c Class) String() string {
	switch c {
	case BooleanOnly:
		return `"BOOLEAN"`
	case IntNumber, SmallCount:
		return `"INT"`
	case LongNumber:
		return `"BIGINT"`
	case Integral:
		return `"INTEGRAL"`
	case Numeric:
		return `"NUMERIC"`
	case DoubleNumber:
		return `"DOUBLE"`
	case DecimalNumber:
		return `"DECIMAL(18,6)"`
	case Text, TextOnly, PlainText:
		return `"STRING"`
	case TextOrBinary, StrictText:
		return `("STRING" or "BINARY")`
	case BinaryOnly:
		return `"BINARY"`
	case DateOnly:
		return `"DATE"`
	case Instant:
		return `"TIMESTAMP"`
	case Temporal:
		return `("DATE" or "TIMESTAMP")`
	case LocalTime:
		return `"TIMESTAMP_NTZ"`
	case AnyArray:
		return `"ARRAY"`
	case AnyMap:
		return `"MAP"`
	case ArrayOrMap:
		return `("ARRAY" or "MAP")`
	case DayTime:
		return `"INTERVAL DAY TO SECOND"`
	case YearMonth:
		return `"INTERVAL YEAR TO MONTH"`
	case AnyInterval:
		return `"INTERVAL"`
	case TextArray:
		return `"ARRAY<STRING>"`
	case TimeOfDay:
		return `"TIME"`
	}
	return `"ANY"`
}

// fit is the type that an argument of type t is cast to for the class. exact tells that no cast is needed; ok that the
// argument fits at all. constant tells that the argument is a constant.
func (c Class) fit(t types.Type, constant bool) (to types.Type, exact, ok bool) {
	k := t.Kind
	to, exact, ok = c.fitKind(t, constant)
	if ok && k == types.Void {
		return to, false, true
	}
	return to, exact, ok
}

// fitKind knows the classes. A VOID argument fits every class and takes the class's own type.
func (c Class) fitKind(t types.Type, constant bool) (types.Type, bool, bool) {
	k := t.Kind
	of := func(k types.Kind) types.Type { return types.Of(k) }
	scalar := !k.IsNested() && k != types.Variant
	switch c {
	case AnyValue, Common:
		return t, true, true
	case BooleanOnly:
		return of(types.Boolean), k == types.Boolean, k == types.Boolean || k.IsText() || k == types.Void
	case IntNumber:
		return of(types.Int), k == types.Int, k.IsNumeric() || k.IsText() || k == types.Void
	case LongNumber:
		return of(types.BigInt), k == types.BigInt, k.IsNumeric() || k.IsText() || k == types.Void
	case SmallCount:
		return of(types.Int), k == types.Int, k.IsIntegral() && k != types.BigInt || k.IsText() || k == types.Void
	case Integral:
		if k.IsIntegral() {
			return t, true, true
		}
		return of(types.BigInt), false, k.IsText() || k == types.Void
	case Numeric:
		if k.IsNumeric() {
			return t, true, true
		}
		return of(types.Double), false, k.IsText() || k == types.Void
	case DoubleNumber:
		return of(types.Double), k == types.Double, k.IsNumeric() || k.IsText() || k == types.Void
	case DecimalNumber:
		return types.DecimalOf(18, 6), k == types.Decimal && t.Precision == 18 && t.Scale == 6, k.IsNumeric() || k.IsText() || k == types.Void
	case Text:
		return of(types.String), k == types.String, scalar
	case TextOnly:
		return of(types.String), k == types.String, k.IsText() || k == types.Binary || k == types.Void
	case TextOrBinary:
		if k == types.Binary {
			return t, true, true
		}
		return of(types.String), k == types.String, scalar
	case StrictText:
		if k == types.Binary {
			return t, true, true
		}
		return of(types.String), k == types.String, k.IsText() || k == types.Void
	case PlainText:
		return of(types.String), k == types.String, k.IsText() || k == types.Void
	case BinaryOnly:
		return of(types.Binary), k == types.Binary, k == types.Binary || k.IsText() || k == types.Void
	case DateOnly:
		return of(types.Date), k == types.Date, isTemporal(k) || k.IsText() || k == types.Void
	case Instant:
		return of(types.Timestamp), k == types.Timestamp, isTemporal(k) || k == types.Time || k.IsText() || k == types.Void
	case Temporal:
		if isTemporal(k) {
			return t, true, true
		}
		return of(types.Timestamp), false, k.IsText() || k == types.Void
	case LocalTime:
		return of(types.TimestampNTZ), k == types.TimestampNTZ, isTemporal(k) || k.IsText() || k == types.Void
	case TimeOfDay:
		if k == types.Time {
			return t, true, true
		}
		return fullTime(), false, k == types.Timestamp || k == types.TimestampNTZ || k.IsText() || k == types.Void
	case AnyArray:
		if k == types.Void {
			return types.ArrayOf(types.Type{}), false, true
		}
		return t, true, k == types.Array
	case AnyMap:
		if k == types.Void {
			return types.MapOf(types.Type{}, types.Type{}), false, true
		}
		return t, true, k == types.Map
	case ArrayOrMap:
		if k == types.Void {
			return types.ArrayOf(types.Type{}), false, true
		}
		return t, true, k == types.Array || k == types.Map
	case DayTime:
		return types.IntervalOf(types.FieldDay, types.FieldSecond), k == types.DayTimeInterval, k == types.DayTimeInterval
	case YearMonth:
		return types.IntervalOf(types.FieldYear, types.FieldMonth), k == types.YearMonthInterval, k == types.YearMonthInterval
	case AnyInterval:
		return t, true, k == types.DayTimeInterval || k == types.YearMonthInterval
	case TextArray:
		want := types.ArrayOf(of(types.String))
		if k == types.Void {
			return want, false, true
		}
		return want, types.Equal(t, want), k == types.Array && types.CanCast(*t.Elem, of(types.String), types.ANSI) && !t.Elem.Kind.IsNested()
	}
	return t, true, true
}

func isTemporal(k types.Kind) bool {
	return k == types.Date || k == types.Timestamp || k == types.TimestampNTZ
}

// textArg is argument i as text. Nothing without elements is refused, as Spark casts it implicitly; arrays, maps and
// structs are.
func textArg(call *callSite, i int) (Expr, error) {
	a := call.args[i]
	if a.Type().Kind.IsNested() {
		return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, Text.String(), Print(a), a.Type().SQL())
	}
	return implicit(a, types.Of(types.String)), nil
}

// typed takes one argument of a kind, and no NULL without a type.
func typed(k types.Kind, c Class) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		if a := call.args[0]; a.Type().Kind != k {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, c.String(), Print(a), a.Type().SQL())
		}
		return call.args, nil
	}
}
