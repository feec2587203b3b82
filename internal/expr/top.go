package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// mostRows is how many values max_by and min_by give at most.
const mostRows = 100000

// topFunctions are max_by and min_by: the value of the row with the extreme key, or of the k extreme rows. Rows with
// a NULL key are left out.
func topFunctions() []Overload {
	var rows []Overload
	for _, f := range []struct{ name, symbol, order string }{{"max_by", ">", "DESC"}, {"min_by", "<", "ASC"}} {
		rows = append(rows,
			Overload{Name: f.name, Kind: Agg, Params: two(AnyValue), Prepare: orderedBy, Result: typeOfFirst, DuckFunc: bySQL(f.symbol)},
			Overload{Name: f.name, Kind: Agg, Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: orderedBy, Result: arrayOfFirst, DuckFunc: manyBySQL(f.order)})
	}
	return rows
}

// orderedBy checks the key, and k where it is given.
func orderedBy(c *callSite) ([]Expr, error) {
	if t := c.args[1].Type(); !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(c.sql(), c.name, t.SQL())
	}
	if len(c.args) < 3 {
		return c.args, nil
	}
	if l, ok := c.args[2].(*Literal); ok && l.Value == nil {
		return nil, sqlerr.ArgumentOutOfRange(c.sql(), "k", "[1, 100000]", "0")
	}
	k, err := constantInt(c, 2, "k", true)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > mostRows {
		return nil, sqlerr.ArgumentOutOfRange(c.sql(), "k", "[1, 100000]", itoa(int(k)))
	}
	return []Expr{c.args[0], c.args[1], intLiteral(k)}, nil
}

// bySQL is the value of one row; the last of equals wins.
func bySQL(symbol string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, _ types.Type) string {
		key := OrderKeySQL(wrapArg(args, 1), argTypes[1])
		return "list_reduce(list({'v': $1, 'o': " + key + "}) FILTER (WHERE $2 IS NOT NULL$+)$W, lambda p, q: CASE WHEN p.o " + symbol + " q.o THEN p ELSE q END).v"
	}
}

// manyBySQL is the values of the first k rows in the order of the key.
func manyBySQL(order string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, _ types.Type) string {
		key := OrderKeySQL(wrapArg(args, 1), argTypes[1])
		if argTypes[1].Kind == types.Void {
			key = "CAST($2 AS INTEGER)"
		}
		place := "i_"
		if order == "DESC" {
			place = "-i_"
		}
		// A sort of the list, since DuckDB refuses ORDER BY of a constant; of equals the first comes first.
		keyed := "list_transform(list({'k': " + key + ", 'v': $1}) FILTER (WHERE $2 IS NOT NULL$+)$W, lambda e_, i_: {'k': e_.k, 'i': " + place + ", 'v': e_.v})"
		return "list_slice(list_transform(list_sort(" + keyed + ",'" + order + "'), lambda e_: e_.v),1,$3)"
	}
}
