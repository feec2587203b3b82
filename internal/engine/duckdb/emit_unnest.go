package duckdb

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
)

// unnest emits lists taken apart side by side in a SELECT list: there, unlike in FROM, DuckDB keeps the order of rows and
// elements.
func (s *query) unnest(n *plan.Unnest) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.order != "" || b.limit != "" || b.offset != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	var list strings.Builder
	for _, c := range n.Input.Output() {
		item(&list, columnName(c.ID), c)
	}
	for i, e := range n.Lists {
		text, err := s.expr(e)
		if err != nil {
			return nil, err
		}
		if n.Position != nil && i == 0 {
			item(&list, "CAST(unnest("+listOrNull(n.Outer, text, "range(0,len("+text+"))", "BIGINT")+") AS INTEGER)", *n.Position)
		}
		item(&list, "unnest("+listOrNull(n.Outer, text, text, expr.DuckType(n.Out[i].Type))+")", n.Out[i])
	}
	b.list = list.String()
	return b, nil
}

// listOrNull is what to take apart: values, or with outer one NULL when the list has no elements.
func listOrNull(outer bool, list, values, typeName string) string {
	if !outer {
		return values
	}
	return "CASE WHEN len(" + list + ")>0 THEN " + values + " ELSE [CAST(NULL AS " + typeName + ")] END"
}

// sample emits TABLESAMPLE. With a seed, what becomes of a row depends on its number alone.
func (s *query) sample(n *plan.Sample) (*block, error) {
	if n.Fraction <= 0 {
		return s.nothing(n.Output()), nil
	}
	b, err := s.node(n.Input)
	if err != nil || n.Fraction >= 1 {
		return b, err
	}
	share := strconv.FormatFloat(n.Fraction, 'e', -1, 64)
	if !n.Seeded {
		b = b.wrap()
		b.where = []string{"random()<" + share}
		return b, nil
	}
	s.hoists++
	number := columnName(expr.ColumnID(-s.hoists))
	b = &block{from: b.operand(), list: names(n.Output()) + ",row_number() OVER () AS " + number}
	b = b.wrap()
	b.where = []string{"CAST(hash(" + number + "," + strconv.FormatInt(n.Seed, 10) + ") AS DOUBLE)<" + share + "*18446744073709551616.0"}
	b.list = names(n.Output())
	return b, nil
}
