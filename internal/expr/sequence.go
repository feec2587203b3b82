package expr

import (
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// sequenceFunctions list the values from one bound to another.
func sequenceFunctions() []Overload {
	date := types.Of(types.Date)
	day := "DATE '1970-01-01'"
	days := func(call string) string {
		return "list_transform(" + call + ", lambda d_: CAST(" + day + " + d_::INTEGER AS DATE))"
	}
	two, three := two(AnyValue), []Class{AnyValue, AnyValue, AnyValue}
	anyStep := func(types.Type) bool { return true }
	isInteger := func(t types.Type) bool { return t.Kind.IsIntegral() }
	isTime := func(t types.Type) bool { return t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ }
	// A day is a day of the session's calendar, so a step is its days and what is left of them.
	steps := "$3 // 86400000000, $3 % 86400000000"
	return []Overload{
		{Name: "sequence", Params: two, Prepare: sequenceOf(isInteger, anyStep), Result: arrayOfFirst, Duck: "CAST(sp_sequence($1, $2) AS $T)", Eval: evalSequence},
		{Name: "sequence", Params: three, Prepare: sequenceOf(isInteger, isInteger), Result: arrayOfFirst, Duck: "CAST(sp_sequence_step($1, $2, $3) AS $T)", Eval: evalSequence},
		{Name: "sequence", Params: two, Prepare: sequenceOf(isDate, anyStep), Returns: types.ArrayOf(date), Duck: days("sp_sequence($1 - " + day + ", $2 - " + day + ")"), Eval: evalSequence},
		{
			Name: "sequence", Params: three, Prepare: sequenceOf(isDate, isDaysOnly), Returns: types.ArrayOf(date),
			Duck: days("sp_sequence_step($1 - " + day + ", $2 - " + day + ", $3//86400000000)"),
			Eval: func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
				return evalSequence(ctx, []types.Value{a[0], a[1], intOf(a[2]) / types.MicrosPerDay}, ts, t)
			},
		},
		{Name: "sequence", Params: three, Prepare: sequenceOf(isDate, isYearMonth), Returns: types.ArrayOf(date), Duck: "CAST(sp_sequence_months($1, $2, $3) AS DATE[])", Eval: evalSequenceMonths},
		{
			Name: "sequence", Params: three, Prepare: sequenceOf(isDate, isDayTime), Returns: types.ArrayOf(date),
			Duck: "CASE WHEN abs($3) < 86400000000 THEN " + raise("INVALID_PARAMETER_VALUE.SEQUENCE", "'step'", "'sequence'") + " ELSE CAST(sp_sequence_times(CAST($1 AS TIMESTAMP), CAST($2 AS TIMESTAMP), 0, " + steps + ") AS DATE[]) END",
		},
		{Name: "sequence", Params: three, Prepare: sequenceOf(isTime, isDayTime), Result: arrayOfFirst, Duck: "sp_sequence_times($1, $2, 0, " + steps + ")"},
		{Name: "sequence", Params: three, Prepare: sequenceOf(isTime, isYearMonth), Result: arrayOfFirst, Duck: "sp_sequence_times($1, $2, $3, 0, 0)"},
		{Name: "sequence", Params: two, Prepare: sequenceOf(isTime, anyStep), Result: arrayOfFirst, Duck: "sp_sequence_times($1, $2, 0, CASE WHEN $1 <= $2 THEN 1 ELSE -1 END, 0)"},
	}
}

// sequenceOf casts the bounds, and a step that is no interval, to their common type. The row is for bounds and steps of
// some types; that no row is, the last one says.
func sequenceOf(bounds, step func(types.Type) bool) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		alike := 2
		if len(call.args) > 2 && !isYearMonth(call.args[2].Type()) && !isDayTime(call.args[2].Type()) {
			alike = 3
		}
		text := slices.ContainsFunc(call.args[:alike], func(a Expr) bool { return a.Type().Kind.IsText() })
		if text && call.legacy() {
			return nil, wrongSequence(call)
		}
		out, t, ok := Unify(call.args[:alike]...)
		if !ok || !t.Kind.IsIntegral() && !isTemporal(t.Kind) {
			return nil, wrongSequence(call)
		}
		out = append(out, call.args[alike:]...)
		fits := bounds(t)
		switch {
		case alike == 3:
			fits = fits && t.Kind.IsIntegral()
		case len(out) == 3:
			fits = fits && step(out[2].Type())
		}
		if !fits {
			if alike == 3 != t.Kind.IsIntegral() && len(out) == 3 {
				return nil, wrongSequence(call)
			}
			return nil, errNextRow
		}
		return out, nil
	}
}

func wrongSequence(call *callSite) error {
	return sqlerr.SequenceTypes(call.sql(), call.args[0].Type().SQL(), call.args[1].Type().SQL())
}

// longestSequence bounds what evaluation in Go builds; the engine has the real bound.
const longestSequence = 1 << 20

func evalSequence(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	from, to := intOf(a[0]), intOf(a[1])
	step := int64(1)
	if from > to {
		step = -1
	}
	if len(a) > 2 {
		step = intOf(a[2])
	}
	if step == 0 && from == to {
		return []types.Value{from}, nil
	}
	if step == 0 || step > 0 && from > to || step < 0 && from < to {
		return nil, wrongStep()
	}
	n := uint64(to-from) / absU(step)
	if step < 0 {
		n = uint64(from-to) / absU(step)
	}
	if n >= longestSequence {
		return nil, sqlerr.CollectionTooLarge(itoa(int(n>>1)), "sequence")
	}
	out := make([]types.Value, 0, n+1)
	for i := int64(0); i <= int64(n); i++ {
		out = append(out, from+i*step)
	}
	return out, nil
}

func wrongStep() error {
	return sqlerr.InvalidParameter("SEQUENCE", "step", "sequence", "", "The step of sequence does not lead from its start to its stop.")
}

// evalSequenceMonths counts months from the start, so that the day of the month comes back.
func evalSequenceMonths(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	from, to, step := intOf(a[0]), intOf(a[1]), intOf(a[2])
	if from == to {
		return []types.Value{from}, nil
	}
	if step == 0 || step > 0 && from > to || step < 0 && from < to {
		return nil, wrongStep()
	}
	out := []types.Value{}
	for i := int64(0); i < longestSequence; i++ {
		d := addMonthsToDate(from, i*step)
		if step > 0 && d > to || step < 0 && d < to {
			break
		}
		out = append(out, d)
	}
	return out, nil
}
