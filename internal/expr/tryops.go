package expr

import (
	"errors"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// tryOperators are try_add and its kin with dates, times and intervals: the operator itself, but with NULL where that
// raises. What the operands raise is raised.
func tryOperators() []Overload {
	var rows []Overload
	for name, op := range map[string]string{"try_add": "+", "try_subtract": "-", "try_multiply": "*", "try_divide": "/"} {
		rows = append(rows, Overload{Name: name, Params: two(AnyValue), Prepare: datetimeOperands, Rewrite: func(args []Expr) (Expr, error) {
			e, err := Resolve(op, args, ResolveOptions{})
			if err != nil {
				return nil, err
			}
			return tried(e), nil
		}})
	}
	for _, name := range []string{"try_add", "try_subtract", "try_multiply", "try_divide", "try_mod"} {
		rows = append(rows, Overload{Name: name, Params: two(AnyValue), Prepare: triedText, Rewrite: func(args []Expr) (Expr, error) {
			return Resolve(name, args, ResolveOptions{})
		}})
	}
	return rows
}

// triedText casts the one operand that is text to the type that the operator takes it as. Text that is no number is NULL:
// Spark tries the operator together with the casts of its operands when these are not both numbers. Without ANSI no cast fails.
func triedText(call *callSite) ([]Expr, error) {
	a, b := call.args[0], call.args[1]
	if call.legacy() || a.Type().Kind.IsText() == b.Type().Kind.IsText() || !a.Type().Kind.IsText() && !a.Type().Kind.IsNumeric() || !b.Type().Kind.IsText() && !b.Type().Kind.IsNumeric() {
		return nil, errNextRow
	}
	common, _, ok := Unify(a, b)
	if !ok {
		return nil, errNextRow
	}
	out := []Expr{a, b}
	for i, x := range out {
		if x.Type().Kind.IsText() {
			out[i] = &Cast{Arg: x, T: common[i].Type(), Mode: CastTry, Implicit: true}
		}
	}
	return out, nil
}

// datetimeOperands takes operands of which one is no number.
func datetimeOperands(call *callSite) ([]Expr, error) {
	for _, a := range call.args {
		switch k := a.Type().Kind; {
		case isTemporal(k), k == types.Time, k == types.YearMonthInterval, k == types.DayTimeInterval, k == types.CalendarInterval:
			return call.args, nil
		}
	}
	return nil, errNextRow
}

// tried is an operator whose failure is NULL. A cast that the operator's result needs stays around it.
func tried(e Expr) Expr {
	switch n := e.(type) {
	case *Cast:
		c := *n
		c.Arg = tried(n.Arg)
		return &c
	case *Call:
		row := *n.Fn
		row.Name = "try_" + row.Name
		if row.Eval != nil {
			row.Eval = orNull(n.Fn.Eval)
		}
		row.Duck, row.DuckFunc = "", trySQL(n.Fn)
		return &Call{Fn: &row, Args: n.Args, T: n.T}
	}
	return e
}

// trySQL is the text of an operator with NULL for a failure. DuckDB's TRY takes no text that raises by itself, so such
// rows have a text of their own. Operands are columns or bound to names first: only the operator may fail.
func trySQL(fn *Overload) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		if fn.Try != nil {
			return fn.Try(args, argTypes, result)
		}
		names := make([]string, len(args))
		fields := ""
		for i, a := range args {
			names[i] = "struct_extract(t_,'a" + itoa(i) + "')"
			if i > 0 {
				fields += ","
			}
			fields += "'a" + itoa(i) + "':" + a
		}
		return "list_transform([{" + fields + "}],lambda t_:TRY(" + CallSQL(fn, names, argTypes, result) + "))[1]"
	}
}

// datetimeMisfit is the error of + and - with an interval or a time of day beside something that takes none; nil when
// there is neither.
func datetimeMisfit(call *callSite) error {
	a, b := call.args[0], call.args[1]
	ta, tb := a.Type(), b.Type()
	if call.name == "*" || call.name == "/" {
		switch {
		case spans(ta):
			return sqlerr.UnexpectedInputType(call.sql(), 2, Numeric.String(), Print(b), tb.SQL())
		case spans(tb) && call.name == "*":
			return sqlerr.UnexpectedInputType(call.sql(), 2, Numeric.String(), Print(a), ta.SQL())
		}
		return nil
	}
	if call.name != "+" && call.name != "-" {
		return nil
	}
	moves := func(t types.Type) bool { return isDayTime(t) || isCalendar(t) }
	const required = `("TIMESTAMP" or "TIMESTAMP WITHOUT TIME ZONE")`
	switch {
	case isTime(ta) && isCalendar(tb), moves(tb) && !isTime(ta), isTime(ta) && isTimestamp(tb) && call.name == "-":
		return sqlerr.UnexpectedInputType(call.sql(), 1, required, Print(a), ta.SQL())
	case moves(ta) && call.name == "+" && !isTime(tb):
		return sqlerr.UnexpectedInputType(Print(b)+" + "+Print(a), 1, required, Print(b), tb.SQL())
	case call.name == "-" && (isTimestamp(ta) || isTimestamp(tb) || isDate(tb)) && !ta.Kind.IsText() && !tb.Kind.IsText():
		position, bad := 1, a
		if isTemporal(ta.Kind) {
			position, bad = 2, b
		}
		return sqlerr.UnexpectedInputType(call.sql(), position, required, Print(bad), bad.Type().SQL())
	case call.legacy() && call.name == "-" && (isTimestamp(ta) && tb.Kind.IsText() || ta.Kind.IsText() && isTimestamp(tb)):
		return textOperand(call)
	case !call.legacy() && (isTimestamp(ta) && tb.Kind.IsText() || ta.Kind.IsText() && isTimestamp(tb)):
		return sqlerr.BinaryOpWrongType(call.sql(), `("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")`, ta.SQL())
	}
	return nil
}

// orOverflow makes another error of one that says an interval is out of range.
func orOverflow(f EvalFunc, function string) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		v, err := f(ctx, args, argTypes, result)
		if errors.Is(err, sqlerr.Condition("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")) {
			return nil, sqlerr.IntervalOverflowTry(function)
		}
		return v, err
	}
}

// fitted is the value of a wide expression where it fits the type, failure where it does not, and NULL where it is NULL.
func fitted(wide, t, failure string) string {
	if failure == "NULL" {
		return "TRY_CAST(" + wide + " AS " + t + ")"
	}
	return "CASE WHEN TRY_CAST(" + wide + " AS " + t + ") IS NOT NULL THEN TRY_CAST(" + wide + " AS " + t + ") WHEN " + wide + " IS NOT NULL THEN " + failure + " END"
}
