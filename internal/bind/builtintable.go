package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// tableFunctions are the functions that stand in FROM only.
var tableFunctions = map[string]bool{"range": true}

// tableFunction binds a function in FROM. Its arguments see the relations to its left only when it is LATERAL.
func (b *binder) tableFunction(r *ast.FunctionRef, f *frame, left *scope) (plan.Node, *scope, error) {
	around := &scope{parent: f.outer}
	if r.Lateral && left != nil {
		around.parent = &scope{parent: f.outer, columns: left.columns}
	}
	es := &exprScope{frame: f, scope: around, clause: "Generate"}
	name, builtin := functionName(r.Call)
	s := &scope{parent: f.outer}
	var node plan.Node
	switch {
	case builtin && name == "range":
		n, err := b.rangeFunction(r.Call, es)
		if err != nil {
			return nil, nil, at(err, r.Call.Span())
		}
		node = n
		s.add(column{Column: n.Out, origin: n.Out.ID})
	case builtin && expr.IsGenerator(name):
		g, err := b.generator(r.Call, name, es)
		if err != nil {
			return nil, nil, err
		}
		var cols []plan.Column
		if node, cols, err = b.unfold(&plan.OneRow{}, g, nil); err != nil {
			return nil, nil, at(err, r.Span())
		}
		for _, c := range cols {
			s.add(column{Column: c, origin: c.ID})
		}
	default:
		if _, known := expr.Lookup(name); builtin && known {
			return nil, nil, sqlerr.NotATableFunction(ident.Quote(name)).At(r.Call.Span())
		}
		fn, err := b.sqlFunction(r.Call.Name.Ident(), f)
		if err != nil {
			return nil, nil, at(err, r.Call.Name.Span())
		}
		if fn != nil {
			return b.tableRoutine(fn, r, f, left)
		}
		return nil, nil, sqlerr.TableFunctionNotFound(r.Call.Name.Ident().Quoted()).At(r.Call.Span())
	}
	if a := r.Alias; a != nil && len(a.Columns) > 0 && len(a.Columns) != len(s.columns) {
		return nil, nil, sqlerr.TableFunctionAliases(name, len(a.Columns), len(s.columns)).At(r.Span())
	}
	return b.alias(node, s, r.Alias, r.Span())
}

// rangeParameters are the parameters of range. A single argument is end.
var rangeParameters = []struct {
	name string
	kind types.Kind
}{{"start", types.BigInt}, {"end", types.BigInt}, {"step", types.BigInt}, {"numSlices", types.Int}}

// rangeFunction is range(end), range(start, end[, step[, slices]]): BIGINT numbers in the column id. How many slices are
// asked for makes no difference to the answer.
func (b *binder) rangeFunction(c *ast.Call, es *exprScope) (*plan.Range, error) {
	if len(c.Args) < 1 || len(c.Args) > len(rangeParameters) {
		return nil, sqlerr.WrongNumArgs("range", "[1, 2, 3, 4]", len(c.Args))
	}
	vals := []int64{0, 0, 1, 1}
	for i, a := range c.Args {
		at := i
		if len(c.Args) == 1 {
			at = 1
		}
		p := rangeParameters[at]
		want := types.Of(p.kind)
		if a.Name != nil {
			return nil, sqlerr.NonFoldableArgument("range", p.name, want.SQL())
		}
		if sub, ok := a.Expr.(*ast.Subquery); ok && sub.Table {
			return nil, sqlerr.NonFoldableArgument("range", p.name, want.SQL())
		}
		x, err := b.expr(a.Expr, es)
		if err != nil {
			return nil, err
		}
		switch t := x.Type(); {
		case exists(x, isSubquery) || volatile(x) || len(expr.Columns(x)) > 0:
			return nil, sqlerr.NonFoldableArgument("range", p.name, want.SQL())
		case !t.Kind.IsNumeric() && !t.Kind.IsText():
			return nil, sqlerr.ArgumentType("range", at+1, want.SQL(), b.text(a.Expr), t.SQL())
		}
		shown := x.Type().SQL()
		if x, err = b.castTo(x, want); err != nil {
			return nil, err
		}
		if !expr.CanEval(x) {
			return nil, sqlerr.NonFoldableArgument("range", p.name, want.SQL())
		}
		v, err := expr.Eval(x, b.env.Context, nil)
		if err != nil {
			return nil, err
		}
		n, ok := v.(int64)
		if !ok {
			return nil, sqlerr.ArgumentType("range", at+1, want.SQL(), b.text(a.Expr), shown)
		}
		vals[at] = n
	}
	switch {
	case vals[2] == 0:
		return nil, sqlerr.TableFunctionFailed("range", "its step must not be 0")
	case vals[3] <= 0:
		return nil, sqlerr.TableFunctionFailed("range", "the number of slices must be above 0")
	}
	return &plan.Range{Out: b.newColumn("id", types.Of(types.BigInt)), Start: vals[0], End: vals[1], Step: vals[2]}, nil
}

// sample binds TABLESAMPLE over the rows of node.
func (b *binder) sample(s *ast.Sample, node plan.Node, f *frame) (plan.Node, error) {
	if s == nil {
		return node, nil
	}
	switch {
	case s.Rows != nil:
		count, err := b.limitValue("limit", s.Rows, node, f)
		if err != nil {
			return nil, err
		}
		return &plan.Limit{Input: node, Count: count}, nil
	case s.Bytes != "":
		return nil, sqlerr.Unsupported("TABLESAMPLE_BYTES", "TABLESAMPLE of a number of bytes").At(s.Span())
	case s.On != nil:
		return nil, sqlerr.Unsupported("TABLESAMPLE_BUCKET_ON", "TABLESAMPLE (BUCKET x OUT OF y ON column)").At(s.Span())
	}
	share, err := b.sampleShare(s)
	if err != nil {
		return nil, err
	}
	out := &plan.Sample{Input: node, Fraction: min(max(share, 0), 1)}
	if n, ok := s.Seed.(*ast.NumberLit); ok {
		if v, ok := n.Value.(int64); ok {
			out.Seeded, out.Seed = true, v
		}
	}
	return out, nil
}

// sampleSlack is by how much rounding may take a share out of its bounds.
const sampleSlack = 1e-6

// sampleShare is the share of the rows that PERCENT or BUCKET x OUT OF y asks for.
func (b *binder) sampleShare(s *ast.Sample) (float64, error) {
	share := 0.0
	if s.Percent != nil {
		x, err := b.expr(s.Percent, &exprScope{frame: b.top(), scope: &scope{}, clause: "TABLESAMPLE"})
		if err != nil {
			return 0, err
		}
		if x, err = expr.NewCast(x, types.Of(types.Double), expr.CastANSI); err != nil {
			return 0, at(err, s.Span())
		}
		v, _ := b.foldTree(x).(*expr.Literal)
		if v != nil {
			share, _ = v.Value.(float64)
		}
		share /= 100
	} else {
		x, _ := types.ParseDouble(s.Bucket)
		y, _ := types.ParseDouble(s.OutOf)
		share = x / y
	}
	if !(share >= -sampleSlack && share <= 1+sampleSlack) {
		return 0, sqlerr.SampleFraction(types.FormatDouble(share)).At(s.Span())
	}
	return share, nil
}
