package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// sequenceFunctions list the values from one bound to another.
func sequenceFunctions() []Overload {
	date, instant := types.Of(types.Date), types.Of(types.Timestamp)
	day := "DATE '1970-01-01'"
	days := func(call string) string {
		return "list_transform(" + call + ", lambda d_: CAST(" + day + " + d_::INTEGER AS DATE))"
	}
	kindsOf := func(bounds func(types.Type) bool, step func(types.Type) bool, to types.Type) func(*callSite) ([]Expr, error) {
		return func(call *callSite) ([]Expr, error) {
			for _, a := range call.args[:2] {
				if !bounds(a.Type()) {
					return nil, errNextRow
				}
			}
			if len(call.args) > 2 && !step(call.args[2].Type()) {
				return nil, errNextRow
			}
			out := append([]Expr{}, call.args...)
			out[0], out[1] = implicit(out[0], to), implicit(out[1], to)
			return out, nil
		}
	}
	never := func(types.Type) bool { return false }
	datesOrTimes := func(t types.Type) bool { return isTemporal(t.Kind) }
	return []Overload{
		{Name: "sequence", Params: two(AnyValue), Prepare: integerSequence, Result: arrayOfFirst, Duck: "CAST(sp_sequence($1, $2) AS $T)", Eval: evalSequence},
		{Name: "sequence", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: integerSequence, Result: arrayOfFirst, Duck: "CAST(sp_sequence_step($1, $2, $3) AS $T)", Eval: evalSequence},
		{Name: "sequence", Params: two(AnyValue), Prepare: kindsOf(isDate, never, date), Returns: types.ArrayOf(date), Duck: days("sp_sequence($1 - " + day + ", $2 - " + day + ")"), Eval: evalSequence},
		{
			Name: "sequence", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: kindsOf(isDate, isDaysOnly, date), Returns: types.ArrayOf(date),
			Duck: days("sp_sequence_step($1 - " + day + ", $2 - " + day + ", $3//86400000000)"),
			Eval: func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
				return evalSequence(ctx, []types.Value{a[0], a[1], intOf(a[2]) / types.MicrosPerDay}, ts, t)
			},
		},
		{Name: "sequence", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: kindsOf(isDate, isYearMonth, date), Returns: types.ArrayOf(date), Duck: "CAST(sp_sequence_months($1, $2, $3) AS DATE[])", Eval: evalSequenceMonths},
		{
			Name: "sequence", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: kindsOf(datesOrTimes, isDayTime, instant), Returns: types.ArrayOf(instant),
			Duck: "list_transform(sp_sequence_step(epoch_us($1), epoch_us($2), $3), lambda u_: make_timestamptz(u_))",
		},
		{
			Name: "sequence", Params: two(AnyValue), Prepare: kindsOf(datesOrTimes, never, instant), Returns: types.ArrayOf(instant),
			Duck: "list_transform(sp_sequence_step(epoch_us($1), epoch_us($2), CASE WHEN $1 <= $2 THEN 86400000000 ELSE -86400000000 END), lambda u_: make_timestamptz(u_))",
		},
	}
}

// integerSequence casts bounds and step to their common integer type.
func integerSequence(call *callSite) ([]Expr, error) {
	for _, a := range call.args {
		if k := a.Type().Kind; !k.IsIntegral() && k != types.Void {
			if isTemporal(call.args[0].Type().Kind) {
				return nil, errNextRow
			}
			return nil, sqlerr.SequenceTypes(call.sql(), call.args[0].Type().SQL(), call.args[1].Type().SQL())
		}
	}
	out, t, _ := Unify(call.args...)
	if t.Kind == types.Void {
		for i := range out {
			out[i] = implicit(out[i], types.Of(types.Int))
		}
	}
	return out, nil
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
