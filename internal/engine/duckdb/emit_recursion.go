package duckdb

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// loopName is how a recursion is called in emitted SQL. Its columns are v1, v2, …, then the number of the step that made
// a row (level), then the number of rows made before that step (made).
func loopName(id plan.LoopID) string { return "loop" + strconv.Itoa(int(id)) }

// recursion emits a loop as a recursive common table expression. Its bounds are checked as Spark checks them: a row of the
// step that is one too many is an error, and so are too many rows. DuckDB reads such a query row by row, so its rows
// are put aside first: else what is above decides how far it goes.
func (s *query) recursion(n *plan.Recursion) (*block, error) {
	anchor, err := s.listed(n.Anchor)
	if err != nil {
		return nil, err
	}
	sources := ""
	defer func(outer *string) { s.looped = outer }(s.looped)
	if s.looped == nil {
		s.looped = &sources
	}
	step, err := s.listed(n.Step)
	if err != nil {
		return nil, err
	}
	loop := loopName(n.ID)
	columns := make([]string, len(n.Out))
	for i := range columns {
		columns[i] = "v" + strconv.Itoa(i+1)
	}
	list := strings.Join(columns, ",")
	made := "(SELECT max(made)+count(*) FROM " + loop + ")"
	if n.Rows >= 0 {
		made = "(SELECT CASE WHEN max(made)+count(*)>=" + strconv.FormatInt(n.Rows, 10) + " THEN " + raise(sqlerr.RecursionRows(n.Rows)) +
			"::BIGINT ELSE max(made)+count(*) END FROM " + loop + ")"
	}
	more := ""
	if n.Limit >= 0 {
		more = " WHERE (SELECT max(made)+count(*) FROM " + loop + ")<" + strconv.FormatInt(n.Limit, 10)
	}
	within := "true"
	if n.Levels >= 0 {
		within = "CASE WHEN level>=" + strconv.FormatInt(n.Levels, 10) + " THEN " + raise(sqlerr.RecursionLevels(n.Levels)) + "::BOOLEAN ELSE true END"
	}
	few := ""
	if n.Rows >= 0 {
		few = " WHERE CASE WHEN (SELECT count(*) FROM all_" + loop + ")>=" + strconv.FormatInt(n.Rows, 10) + " THEN " + raise(sqlerr.RecursionRows(n.Rows)) + "::BOOLEAN ELSE true END"
	}
	var out strings.Builder
	for i, c := range n.Out {
		item(&out, columns[i], c)
	}
	text := "(WITH RECURSIVE " + sources + loop + "(" + list + ",level,made) AS ((SELECT *,0,0::BIGINT FROM (" + anchor.text() + ")) UNION ALL (SELECT *,(SELECT max(level)+1 FROM " +
		loop + ")," + made + " FROM (" + step.text() + ")" + more + "))" +
		",all_" + loop + " AS MATERIALIZED (SELECT " + list + " FROM " + loop + " WHERE " + within + ")" +
		" SELECT " + out.String() + " FROM all_" + loop + few + ")"
	return &block{from: text}, nil
}

// ownRows emits the rows of the step before.
func (s *query) ownRows(n *plan.RecursionRef) *block {
	var out strings.Builder
	for i, c := range n.Out {
		item(&out, "v"+strconv.Itoa(i+1), c)
	}
	return &block{from: "(SELECT " + out.String() + " FROM " + loopName(n.Loop) + ")"}
}

// raise is the SQL that fails with an error.
func raise(e *sqlerr.Error) string { return "error(" + expr.DuckString(sqlerr.EngineText(e)) + ")" }
