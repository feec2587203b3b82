package duckdb

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

func (s *query) windows(n *plan.Windows) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.order != "" || b.limit != "" || b.offset != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	var list strings.Builder
	if in := n.Input.Output(); len(in) > 0 {
		list.WriteString(names(in))
	}
	for i, e := range n.Wins {
		w, ok := e.(*expr.Window)
		if !ok {
			return nil, internal("a window operator holds a %T", e)
		}
		text, err := s.windowCall(w)
		if err != nil {
			return nil, err
		}
		item(&list, text, n.WinOut[i])
	}
	b.list = list.String()
	return b, nil
}

func (s *query) windowCall(w *expr.Window) (string, error) {
	c := expr.AggregateClauses{Windowed: true, Distinct: w.Distinct, IgnoreNulls: w.IgnoreNulls}
	var err error
	if w.Filter != nil {
		if c.Filter, err = s.expr(w.Filter); err != nil {
			return "", err
		}
	}
	if c.Over, err = s.over(w); err != nil {
		return "", err
	}
	if c.OrderBy, err = s.sortKeys(varying(w.Within)); err != nil {
		return "", err
	}
	if name := endValue(w); name != "" {
		return s.endValue(name, w, c)
	}
	text, err := s.decorated(w.Fn, w.Args, w.T, c)
	return shaped(text, w.T), err
}

// endValue is DuckDB's window function for a template of its aggregates first and last, or "". As windows DuckDB
// takes these for first_value and last_value, which have no FILTER.
func endValue(w *expr.Window) string {
	for _, end := range []string{"first", "last"} {
		if strings.HasPrefix(endTemplate(w), end+"($1") {
			return end + "_value"
		}
	}
	return ""
}

func endTemplate(w *expr.Window) string {
	if w.Fn.DuckFunc != nil && (len(w.Args) == 1 || len(w.Args) == 2) {
		return w.Fn.DuckFunc([]string{"$1", "$2"}[:len(w.Args)], typesOf(w.Args), w.T)
	}
	return w.Fn.Duck
}

// endValue emits first and last over a window.
func (s *query) endValue(name string, w *expr.Window, c expr.AggregateClauses) (string, error) {
	arg, err := s.expr(w.Args[0])
	if err != nil {
		return "", err
	}
	field := ""
	switch skips := w.IgnoreNulls || strings.Contains(endTemplate(w), "$N"); {
	case skips && c.Filter != "":
		arg = "CASE WHEN " + c.Filter + " THEN " + arg + " END IGNORE NULLS"
	case skips:
		arg += " IGNORE NULLS"
	case c.Filter != "":
		// Wrapped, a NULL value of a row that passes is no NULL that is ignored.
		arg, field = "CASE WHEN "+c.Filter+" THEN {'v':"+arg+"} END IGNORE NULLS", ".v"
	}
	return shaped("(("+name+"("+arg+") OVER ("+c.Over+"))"+field+")", w.T), nil
}

func (s *query) over(w *expr.Window) (string, error) {
	var parts []string
	if len(w.PartitionBy) > 0 {
		keys, err := s.exprs(w.PartitionBy)
		if err != nil {
			return "", err
		}
		for i, e := range w.PartitionBy {
			if err := groupable(e.Type()); err != nil {
				return "", err
			}
			// In parentheses, since a number would be a position.
			keys[i] = "(" + normalized(keys[i], e.Type()) + ")"
		}
		parts = append(parts, "PARTITION BY "+strings.Join(keys, ","))
	}
	if len(w.OrderBy) > 0 {
		keys, err := s.sortKeys(w.OrderBy)
		if err != nil {
			return "", err
		}
		parts = append(parts, "ORDER BY "+keys)
	}
	if w.Frame != nil {
		frame, err := s.frame(w)
		if err != nil {
			return "", err
		}
		parts = append(parts, frame)
	}
	return strings.Join(parts, " "), nil
}

func (s *query) frame(w *expr.Window) (string, error) {
	word := "RANGE"
	if w.Frame.Rows {
		word = "ROWS"
	}
	start, err := s.frameEnd(w, w.Frame.Start)
	if err != nil {
		return "", err
	}
	end, err := s.frameEnd(w, w.Frame.End)
	return word + " BETWEEN " + start + " AND " + end, err
}

func (s *query) frameEnd(w *expr.Window, b expr.Bound) (string, error) {
	switch b.Kind {
	case expr.UnboundedPreceding:
		return "UNBOUNDED PRECEDING", nil
	case expr.UnboundedFollowing:
		return "UNBOUNDED FOLLOWING", nil
	case expr.CurrentRow:
		return "CURRENT ROW", nil
	}
	text, err := s.expr(b.Offset)
	if err != nil {
		return "", err
	}
	if !w.Frame.Rows && len(w.OrderBy) == 1 {
		text = rangeOffset(text, b.Offset.Type(), w.OrderBy[0].Expr.Type())
	}
	if b.Kind == expr.Preceding {
		return text + " PRECEDING", nil
	}
	return text + " FOLLOWING", nil
}

// rangeOffset is a distance in the type that DuckDB adds to the sort key: an interval for dates and instants, which
// Tarn's intervals, being plain numbers, are not.
func rangeOffset(text string, t, key types.Type) string {
	switch key.Kind {
	case types.Date, types.Timestamp, types.TimestampNTZ:
	default:
		return text
	}
	switch {
	case t.Kind == types.DayTimeInterval:
		return "to_microseconds(" + text + ")"
	case t.Kind == types.YearMonthInterval:
		return "to_months(" + text + ")"
	case t.Kind.IsIntegral():
		return "to_days(CAST(" + text + " AS INTEGER))"
	}
	return text
}
