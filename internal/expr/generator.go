package expr

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Generator is a bound call of a row-making function: each row it is computed for becomes any number of rows with the
// columns Fields. It is no Expr: a row-making function has no value.
//
// Either Source is an ARRAY or MAP that is taken apart, or Rows holds the rows, each cell of its field's type. The elements of
// an ARRAY are the one field, or with Inline structs with the fields; the entries of a MAP are the last two fields. With
// Position the first field counts the rows from 0.
type Generator struct {
	Name     string
	Source   Expr
	Rows     [][]Expr
	Inline   bool
	Position bool
	// Outer gives a row of NULLs where there would be none.
	Outer  bool
	Fields []types.Field
}

// generatorRow is one row of the registry of row-making functions. params are the parameters' names, nil where
// arguments cannot be named; least is how many arguments there must be, and most how many there may be, -1 for any number.
type generatorRow struct {
	params      []string
	least, most int
	make        func(call *callSite) (*Generator, error)
}

// generators maps names to their rows. Like the registry it is built when the program starts and never changes.
var generators map[string]generatorRow

func init() { generators = buildGenerators() }

func buildGenerators() map[string]generatorRow {
	collection, input := []string{"collection"}, []string{"input"}
	m := map[string]generatorRow{
		"explode":    {collection, 1, 1, func(c *callSite) (*Generator, error) { return explode(c, false) }},
		"posexplode": {collection, 1, 1, func(c *callSite) (*Generator, error) { return explode(c, true) }},
		"inline":     {input, 1, 1, inlineRows},
	}
	for _, name := range []string{"explode", "posexplode", "inline"} {
		plain := m[name]
		outer := plain
		outer.make = func(c *callSite) (*Generator, error) {
			g, err := plain.make(&callSite{name: name, args: c.args, opts: c.opts})
			if err == nil {
				g.Outer = true
			}
			return g, err
		}
		m[name+"_outer"] = outer
	}
	m["stack"] = generatorRow{nil, 2, -1, stackRows}
	m["json_tuple"] = generatorRow{nil, 2, -1, jsonTupleRow}
	return m
}

// IsGenerator reports whether name is a row-making function. Case does not count.
func IsGenerator(name string) bool {
	_, ok := generators[strings.ToLower(name)]
	return ok
}

// ResolveGenerator binds a call of a row-making function. The errors are those of Resolve.
func ResolveGenerator(name string, args []Expr, opts ResolveOptions) (*Generator, error) {
	lower := strings.ToLower(name)
	row, ok := generators[lower]
	if !ok {
		return nil, sqlerr.UnresolvedRoutine(name, nearNames(lower))
	}
	if len(args) < row.least || row.most >= 0 && len(args) > row.most {
		expected := itoa(row.least)
		if row.most < 0 {
			expected = "> " + itoa(row.least-1)
		}
		return nil, sqlerr.WrongNumArgs(lower, expected, len(args))
	}
	g, err := row.make(&callSite{name: lower, args: args, opts: opts})
	if err != nil {
		return nil, err
	}
	g.Name = lower
	return g, nil
}

func explode(call *callSite, position bool) (*Generator, error) {
	g := &Generator{Source: call.args[0], Position: position}
	if position {
		g.Fields = append(g.Fields, types.Field{Name: "pos", Type: types.Of(types.Int)})
	}
	switch t := g.Source.Type(); t.Kind {
	case types.Array:
		g.Fields = append(g.Fields, types.Field{Name: "col", Type: *t.Elem})
	case types.Map:
		g.Fields = append(g.Fields, types.Field{Name: "key", Type: *t.Key}, types.Field{Name: "value", Type: *t.Elem})
	default:
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `("ARRAY" or "MAP")`, Print(g.Source), t.SQL())
	}
	return g, nil
}

func inlineRows(call *callSite) (*Generator, error) {
	source := call.args[0]
	t := source.Type()
	if t.Kind != types.Array || t.Elem.Kind != types.Struct {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"ARRAY<STRUCT>"`, Print(source), t.SQL())
	}
	return &Generator{Source: source, Inline: true, Fields: t.Elem.Fields}, nil
}

// stackRows is stack(n, v1, v2, …): n rows, filled one after the other and up with NULLs. The values of a column have one
// type; NULLs go with any.
func stackRows(call *callSite) (*Generator, error) {
	count, values := call.args[0], call.args[1:]
	switch {
	case count.Type().Kind != types.Int:
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"INT"`, Print(count), count.Type().SQL())
	case !isConstant(count):
		return nil, sqlerr.NonFoldableInput(call.sql(), "n", count.Type().SQL(), Print(count))
	}
	v, err := Eval(count, call.opts.Context, nil)
	if err != nil {
		return nil, err
	}
	n := int(intOf(v))
	if n <= 0 {
		return nil, sqlerr.ArgumentOutOfRange(call.sql(), "`n`", "(0, 2147483647]", itoa(n))
	}
	width := (len(values) + n - 1) / n
	if n > maxStackRows {
		return nil, sqlerr.Unsupported("STACK_ROWS", "more than "+itoa(maxStackRows)+" rows of stack")
	}
	g := &Generator{Rows: make([][]Expr, n)}
	for j := range width {
		t, first := types.Of(types.Void), 0
		for i := j; i < len(values); i += width {
			switch u := values[i].Type(); {
			case u.Kind == types.Void || types.Equal(u, t):
			case t.Kind == types.Void:
				t, first = u, i+1
			default:
				return nil, sqlerr.StackTypes(call.sql(), j, first, t.SQL(), i+1, u.SQL())
			}
		}
		g.Fields = append(g.Fields, types.Field{Name: "col" + itoa(j), Type: t})
	}
	for i := range g.Rows {
		g.Rows[i] = make([]Expr, width)
		for j, f := range g.Fields {
			var cell Expr = &Literal{T: types.Of(types.Void)}
			if k := i*width + j; k < len(values) {
				cell = values[k]
			}
			if !types.Equal(cell.Type(), f.Type) {
				cell = implicit(cell, f.Type)
			}
			g.Rows[i][j] = cell
		}
	}
	return g, nil
}

// maxStackRows bounds how much text one stack becomes.
const maxStackRows = 100_000

// jsonTupleRow is json_tuple(text, key, …): one row of what the object has under the keys.
func jsonTupleRow(call *callSite) (*Generator, error) {
	for _, a := range call.args {
		if !a.Type().Kind.IsText() {
			return nil, sqlerr.NonStringArguments(call.sql(), call.name)
		}
	}
	g := &Generator{Rows: make([][]Expr, 1)}
	for i, key := range call.args[1:] {
		cell, err := Resolve(jsonMemberName, []Expr{call.args[0], key}, call.opts)
		if err != nil {
			return nil, err
		}
		g.Rows[0] = append(g.Rows[0], cell)
		g.Fields = append(g.Fields, types.Field{Name: "c" + itoa(i), Type: types.Of(types.String)})
	}
	return g, nil
}

// jsonMemberName is the registry's row behind json_tuple; no query can call it.
const jsonMemberName = "json_tuple member"

// jsonMemberOf is the text of a member of a JSON object: of the last one of the name that is not null. What follows the
// object does not count, anything wrong inside it makes all members NULL.
func jsonMemberOf(s, key string) types.Value {
	v, ok := parseJSON(s)
	d, isObject := v.(jsonDict)
	if !ok || !isObject {
		return nil
	}
	for _, m := range slices.Backward(d) {
		if m.key == key && m.value != nil {
			if text, isText := m.value.(string); isText {
				return text
			}
			var b strings.Builder
			writeJSON(&b, m.value)
			return b.String()
		}
	}
	return nil
}
