package expr

import (
	"cmp"
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// histogramFunctions is histogram_numeric: bins whose places follow the values, in the manner of Ben-Haim and Tom-Tov's
// streaming histogram, as Hive and Spark compute it.
func histogramFunctions() []Overload {
	return []Overload{{
		Name: "histogram_numeric", Kind: Agg, Params: two(AnyValue), Prepare: histogramArgs,
		Result: func(args []Expr) (types.Type, error) {
			fields := []types.Field{{Name: "x", Type: plain(args[0].Type())}, {Name: "y", Type: types.Of(types.Double)}}
			return types.ArrayOf(types.StructOf(fields...)), nil
		},
		DuckFunc: func(_ []string, ts []types.Type, _ types.Type) string {
			bins := "tarn_histogram(list($D" + doubleSQL("$1", ts[0]) + ")$N$W,$2)"
			return "list_transform(" + bins + ", lambda b_: {'x': " + undoubleSQL("b_.x", ts[0]) + ", 'y': b_.y})"
		},
	}}
}

func histogramArgs(c *callSite) ([]Expr, error) {
	x := c.args[0]
	if t := x.Type(); t.Kind.IsText() || t.Kind == types.Void {
		x = implicit(x, types.Of(types.Double))
	} else if !t.Kind.IsNumeric() && !isTemporal(t.Kind) && !isDayTime(t) && !isYearMonth(t) {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 1, `("NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`, Print(x), t.SQL())
	}
	n := c.args[1]
	if _, _, ok := IntNumber.fit(n.Type(), true); !ok {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 2, `"INT"`, Print(n), n.Type().SQL())
	}
	if !isConstant(n) {
		return nil, sqlerr.NonFoldableInput(c.sql(), "nb", "INT", Print(n))
	}
	folded, err := foldConstant(implicit(n, types.Of(types.Int)), c.context())
	if err != nil {
		return nil, err
	}
	l, ok := folded.(*Literal)
	switch {
	case !ok || l.Value == nil:
		return nil, sqlerr.UnexpectedNull(c.sql(), "nb")
	case intOf(l.Value) < 2:
		return nil, sqlerr.ArgumentOutOfRange(c.sql(), "nb", "[2, 2147483647]", itoa(int(intOf(l.Value))))
	}
	return []Expr{x, l}, nil
}

// doubleSQL is a number, or the number that stores a date, timestamp or interval, as DOUBLE.
func doubleSQL(x string, t types.Type) string {
	switch t.Kind {
	case types.Date:
		return "CAST(" + x + " - DATE '1970-01-01' AS DOUBLE)"
	case types.Timestamp, types.TimestampNTZ:
		return "CAST(epoch_us(" + x + ") AS DOUBLE)"
	}
	return "CAST(" + x + " AS DOUBLE)"
}

// undoubleSQL is the value of a type that doubleSQL made a number of; what is beyond the type's range is its end.
func undoubleSQL(x string, t types.Type) string {
	whole := "TRY_CAST(trunc(" + x + ") AS BIGINT)"
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.YearMonthInterval, types.DayTimeInterval:
		return "CASE WHEN " + x + " >= 9223372036854775807 THEN 9223372036854775807 ELSE CAST(" + whole + " AS " + DuckType(t) + ") END"
	case types.Date:
		return "DATE '1970-01-01' + CAST(" + whole + " AS INTEGER)"
	case types.Timestamp:
		return "make_timestamptz(" + whole + ")"
	case types.TimestampNTZ:
		return "make_timestamp(" + whole + ")"
	case types.Decimal:
		return "TRY_CAST(" + x + " AS " + DuckType(t) + ")"
	}
	return "CAST(" + x + " AS " + DuckType(t) + ")"
}

// bin is one bin of a histogram: the mean of its values and how many they are.
type bin struct{ x, y float64 }

// tieSeed begins the random numbers that choose among pairs of bins that are equally close.
const tieSeed = 31183

func histogramGoFunction() GoFunction {
	double := types.Of(types.Double)
	return GoFunction{
		"tarn_histogram",
		[]types.Type{types.ArrayOf(double), types.Of(types.Int)},
		types.ArrayOf(types.StructOf(types.Field{Name: "x", Type: double}, types.Field{Name: "y", Type: double})),
		func(a []types.Value) (types.Value, error) {
			var bins []bin
			ties := newJavaRandom(tieSeed)
			for _, v := range listOf(a[0]) {
				if v != nil {
					bins = addToHistogram(bins, floatOf(v), int(intOf(a[1])), ties)
				}
			}
			if len(bins) == 0 {
				return nil, nil
			}
			out := make([]types.Value, len(bins))
			for i, b := range bins {
				out[i] = []types.Value{b.x, b.y}
			}
			return out, nil
		},
	}
}

// addToHistogram counts a value in the bin of its place, or in a new one; above n bins the two closest become one.
func addToHistogram(bins []bin, v float64, n int, ties *javaRandom) []bin {
	i, found := slices.BinarySearchFunc(bins, v, func(b bin, v float64) int { return cmp.Compare(b.x, v) })
	if found {
		bins[i].y++
		return bins
	}
	bins = slices.Insert(bins, i, bin{v, 1})
	if len(bins) <= n {
		return bins
	}
	least, at, equals := bins[1].x-bins[0].x, 0, 1
	for k := 1; k < len(bins)-1; k++ {
		switch d := bins[k+1].x - bins[k].x; {
		case d < least:
			least, at, equals = d, k, 1
		case d == least:
			equals++
			if ties.float64() <= 1/float64(equals) {
				at = k
			}
		}
	}
	a, b := bins[at], bins[at+1]
	total := a.y + b.y
	bins[at] = bin{a.x*(a.y/total) + b.x*(b.y/total), total}
	return slices.Delete(bins, at+1, at+2)
}

// javaRandom is the generator of java.util.Random: 48 bits, linear congruential.
type javaRandom struct{ state uint64 }

const (
	javaFactor = 0x5DEECE66D
	javaMask   = 1<<48 - 1
)

func newJavaRandom(seed int64) *javaRandom {
	return &javaRandom{(uint64(seed) ^ javaFactor) & javaMask}
}

// bits are the next n random bits, as a signed number when n is 32.
func (r *javaRandom) bits(n uint) int32 {
	r.state = (r.state*javaFactor + 0xB) & javaMask
	return int32(r.state >> (48 - n))
}

// float64 is the next number from 0 to 1.
func (r *javaRandom) float64() float64 {
	high := int64(r.bits(26)) << 27
	return float64(high+int64(r.bits(27))) / (1 << 53)
}
