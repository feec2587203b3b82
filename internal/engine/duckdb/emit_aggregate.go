package duckdb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// aggregate emits GROUP BY. Keys are grouped by their place in the SELECT list, so that DuckDB need not match texts.
func (s *query) aggregate(n *plan.Aggregate) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.order != "" || b.limit != "" || b.offset != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	keys, err := s.exprs(n.Keys)
	if err != nil {
		return nil, err
	}
	for i, e := range n.Keys {
		if err := groupable(e.Type()); err != nil {
			return nil, err
		}
		keys[i] = normalized(keys[i], e.Type())
	}
	if n.Sets != nil {
		b = s.groupingSets(b, n, keys)
	}
	var list strings.Builder
	for i := range keys {
		if n.Sets != nil && !grouped(n, i) {
			item(&list, castTo("NULL", n.KeyOut[i].Type), n.KeyOut[i])
			continue
		}
		item(&list, keys[i], n.KeyOut[i])
	}
	for i, e := range n.Aggs {
		a, ok := e.(*expr.Aggregate)
		if !ok {
			return nil, internal("an aggregation holds a %T", e)
		}
		text, err := s.aggregateCall(a)
		if err != nil {
			return nil, err
		}
		item(&list, text, n.AggOut[i])
	}
	if n.Grouping != nil {
		item(&list, castTo(groupingID(n, keys), n.Grouping.Type), *n.Grouping)
	}
	b.list = list.String()
	switch {
	case n.Sets != nil:
		if b.list == "" {
			b.list = "count(*)" // a row for each set
		}
	case len(n.Keys) > 0:
		places := make([]string, len(keys))
		for i := range places {
			places[i] = strconv.Itoa(i + 1)
		}
		b.group = strings.Join(places, ",")
	case len(n.Aggs) == 0:
		// One row without columns, whatever the input holds.
		b.list = "count(*)"
	}
	return b, nil
}

// groupingSets computes the keys below the grouping and replaces each by its name there.
func (s *query) groupingSets(b *block, n *plan.Aggregate, keys []string) *block {
	var list strings.Builder
	list.WriteString(names(n.Input.Output()))
	for i := range keys {
		name := "k" + strconv.Itoa(i)
		list.WriteString("," + keys[i] + " AS " + name)
		keys[i] = name
	}
	if len(keys) > 0 {
		b.list = list.String()
		b = b.wrap()
	}
	sets := make([]string, len(n.Sets))
	empty := false
	for i, set := range n.Sets {
		in := make([]string, len(set))
		for k, at := range set {
			in[k] = keys[at]
		}
		sets[i] = "(" + strings.Join(in, ",") + ")"
		empty = empty || len(set) == 0
	}
	b.group = "GROUPING SETS (" + strings.Join(sets, ",") + ")"
	if empty && len(sets) > 1 {
		// Spark has no grand total over no rows.
		b.having = "count(*)>0"
	}
	return b
}

// grouped reports whether any grouping set has key i.
func grouped(n *plan.Aggregate, i int) bool {
	for _, set := range n.Sets {
		if slices.Contains(set, i) {
			return true
		}
	}
	return false
}

// groupingID is the bit mask of the keys that a row is not grouped by, the first key the highest bit. DuckDB knows
// the bit of keys in some set only.
func groupingID(n *plan.Aggregate, keys []string) string {
	if n.Sets == nil {
		return "0"
	}
	parts := []string{"0"}
	for i, k := range keys {
		bit := "1"
		if grouped(n, i) {
			bit = "GROUPING(" + k + ")"
		}
		parts = append(parts, "("+bit+"<<"+strconv.Itoa(len(keys)-1-i)+")")
	}
	return strings.Join(parts, "+")
}

// aggregateCall emits one aggregate function.
func (s *query) aggregateCall(a *expr.Aggregate) (string, error) {
	for _, x := range a.Args {
		if a.Distinct {
			if err := groupable(x.Type()); err != nil {
				return "", err
			}
		}
	}
	c := expr.AggregateClauses{Distinct: a.Distinct}
	var err error
	if a.Filter != nil {
		if c.Filter, err = s.expr(a.Filter); err != nil {
			return "", err
		}
	}
	if c.OrderBy, err = s.sortKeys(varying(a.OrderBy)); err != nil {
		return "", err
	}
	text, err := s.decorated(a.Fn, a.Args, a.T, c)
	return shaped(text, a.T), err
}

// decorated fills the template of an aggregate or window function, whose aggregates take the clauses.
func (s *query) decorated(fn *expr.Overload, list []expr.Expr, t types.Type, c expr.AggregateClauses) (string, error) {
	if fn.Duck == "" && fn.DuckFunc == nil {
		return "", sqlerr.Unsupported("FUNCTION", "the function "+fn.Name)
	}
	args, err := s.exprs(list)
	if err != nil {
		return "", err
	}
	c.Constants = make([]bool, len(list))
	for i, e := range list {
		_, c.Constants[i] = e.(*expr.Literal)
	}
	return "(" + expr.AggregateSQL(fn, args, typesOf(list), t, c) + ")", nil
}
