package sqlerr

import (
	"encoding/json"
	"strconv"
	"strings"
)

// EngineText is how an error is written inside an engine's own error text, so that FromEngine can read it back:
// [CONDITION] and a JSON object of the message and the parameters.
func EngineText(e *Error) string {
	w := wire{Message: e.Message, Params: e.Params}
	b, err := json.Marshal(w)
	if err != nil {
		return "[" + string(e.Condition) + "]"
	}
	return "[" + string(e.Condition) + "]" + string(b)
}

type wire struct {
	Message string  `json:"m"`
	Params  []Param `json:"p"`
}

// FromEngine reads an error that a template or a Go function raised inside the engine. The text may begin with the
// engine's own words; what counts is the first `[CONDITION]` of a known condition. After it comes nothing, the JSON of
// EngineText, or values separated by U+001F for the condition's parameters in the order of its constructor. It
// returns nil when there is no such mark.
func FromEngine(text string) *Error {
	for start := strings.IndexByte(text, '['); start >= 0; {
		rest := text[start+1:]
		if end := strings.IndexByte(rest, ']'); end > 0 {
			c := Condition(rest[:end])
			if known(c) {
				return decode(c, strings.TrimLeft(rest[end+1:], " "))
			}
		}
		next := strings.IndexByte(rest, '[')
		if next < 0 {
			return nil
		}
		start += 1 + next
	}
	return nil
}

// known reports whether a condition, or the one that it is a case of, is in the tables.
func known(c Condition) bool {
	_, whole := states[c]
	_, root := states[rootOf(c)]
	return whole || root
}

func rootOf(c Condition) Condition {
	root, _, _ := strings.Cut(string(c), ".")
	return Condition(root)
}

func decode(c Condition, detail string) *Error {
	if strings.HasPrefix(detail, "{") {
		var w wire
		if err := json.NewDecoder(strings.NewReader(detail)).Decode(&w); err == nil && w.Message != "" {
			return newError(c, w.Params, "%s", w.Message)
		}
	}
	args := strings.Split(strings.TrimRight(detail, "\n"), "\x1f")
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch c {
	case "CAST_INVALID_INPUT":
		return CastInvalidInput("'"+arg(0)+"'", orText(arg(1), "STRING"), arg(2))
	case "CAST_OVERFLOW":
		return CastOverflow(arg(0), arg(1), arg(2))
	case "NUMERIC_VALUE_OUT_OF_RANGE", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION":
		return DecimalOutOfRange(arg(0), arg(1), arg(2))
	case "CAST_OVERFLOW_IN_TABLE_INSERT":
		return CastOverflowInInsert(arg(0), arg(1), arg(2))
	case "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE":
		return DeltaCastOverflow(arg(0), arg(1), arg(2))
	case "EXCEED_LIMIT_LENGTH":
		limit, _ := strconv.Atoi(arg(0)) // 0 for a template that forgot to say it
		return CharLengthExceeded(limit)
	case "DIVIDE_BY_ZERO":
		return DivideByZero()
	case "REMAINDER_BY_ZERO":
		return RemainderByZero()
	case "INTERVAL_DIVIDED_BY_ZERO":
		return IntervalDividedByZero()
	case "ARITHMETIC_OVERFLOW":
		return ArithmeticOverflow(arg(0), arg(1))
	case "INTERVAL_ARITHMETIC_OVERFLOW", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION":
		return IntervalOverflow()
	case "INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION":
		return IntervalWithTime()
	case "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION":
		return IntervalOverflowTry(arg(0))
	case "INVALID_ARRAY_INDEX":
		return InvalidArrayIndex(arg(0), arg(1))
	case "INVALID_ARRAY_INDEX_IN_ELEMENT_AT":
		return InvalidArrayIndexInElementAt(arg(0), arg(1))
	case "INVALID_INDEX_OF_ZERO":
		return InvalidIndexOfZero()
	case "DATETIME_FIELD_OUT_OF_BOUNDS", "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION":
		return DatetimeFieldOutOfBounds(arg(0))
	case "INVALID_FRACTION_OF_SECOND":
		return InvalidFractionOfSecond(arg(0))
	case "ILLEGAL_DAY_OF_WEEK":
		return IllegalDayOfWeek(arg(0))
	case "CANNOT_PARSE_TIMESTAMP":
		return CannotParseTimestamp(arg(0), arg(1))
	case "CANNOT_PARSE_TIME":
		return CannotParseTime(strings.Trim(arg(0), "'"), strings.Trim(arg(1), "'"))
	case "DUPLICATED_MAP_KEY":
		return DuplicatedMapKey(arg(0))
	case "NULL_MAP_KEY":
		return NullMapKey()
	case "COMPARATOR_RETURNS_NULL":
		return ComparatorReturnsNull()
	case "USER_RAISED_EXCEPTION":
		return UserRaised(detail)
	case "SCALAR_SUBQUERY_TOO_MANY_ROWS":
		return ScalarSubqueryTooManyRows()
	case "COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION":
		return ResultTooLarge(arg(1), orText(arg(0), "The function"))
	case "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER":
		return CollectionTooLarge(arg(1), orText(arg(0), "The function"))
	}
	if sub, ok := strings.CutPrefix(string(c), "INVALID_PARAMETER_VALUE."); ok {
		return InvalidParameter(sub, arg(0), arg(1), arg(2), "")
	}
	return newError(c, nil, "%s", orText(arg(0), "The value is not one that the function takes."))
}
