package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// binaryLists are listagg of BINARY, whose delimiter is BINARY too.
func binaryLists(name string) []Overload {
	binary := types.Of(types.Binary)
	// BINARY goes with a BINARY delimiter; distinct lists are sorted by their values.
	only := func(c *callSite) ([]Expr, error) {
		if c.args[0].Type().Kind != types.Binary {
			return nil, errNextRow
		}
		if len(c.args) == 1 {
			return c.args, nil
		}
		d := c.args[1]
		switch k := d.Type().Kind; {
		case !isConstant(d):
			return nil, sqlerr.NonFoldableInput(c.sql(), "delimiter", "BINARY", Print(d))
		case k != types.Binary && k != types.Void:
			return nil, sqlerr.DataDiffTypes(c.sql(), c.name, typeNames(c.args))
		}
		d, err := known(c, implicit(d, binary))
		return []Expr{c.args[0], d}, err
	}
	sorted := func(way string) string {
		return "list_reduce(list_sort(list(DISTINCT $1)$N$W,'" + way + "'), lambda p_, q_: p_ || coalesce($2,''::BLOB) || q_)"
	}
	return []Overload{
		{Name: name + " ascending", Kind: Agg, Params: two(AnyValue), Optional: 1, Prepare: only, Returns: binary, Duck: sorted("ASC")},
		{Name: name + " descending", Kind: Agg, Params: two(AnyValue), Optional: 1, Prepare: only, Returns: binary, Duck: sorted("DESC")},
		{Name: name, Kind: Agg, Params: one(AnyValue), Prepare: only, Returns: binary, Duck: "list_reduce(list($D$1$O)$N$W, lambda p_, q_: p_ || q_)"},
		{Name: name, Kind: Agg, Params: two(AnyValue), Prepare: only, Returns: binary, Duck: "list_reduce(list($D$1$O)$N$W, lambda p_, q_: p_ || coalesce($2,''::BLOB) || q_)"},
	}
}

// sortedListSQL is listagg(DISTINCT x) WITHIN GROUP (ORDER BY x): the different values in their own order, then as text.
func sortedListSQL(way string) func([]string, []types.Type, types.Type) string {
	order := "ASC"
	if way == "descending" {
		order = "DESC"
	}
	return func(args []string, argTypes []types.Type, _ types.Type) string {
		delimiter := "''"
		if len(args) > 1 {
			delimiter = "coalesce($2,'')"
		}
		item := CastSQL("x_", argTypes[0], types.Of(types.String), CastANSI)
		return "array_to_string(list_transform(list_sort(list(DISTINCT $1)$N$W,'" + order + "'), lambda x_: " + item + ")," + delimiter + ")"
	}
}
