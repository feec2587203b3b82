package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Variable implements bind.Routines.
func (q *relations) Variable(name string) *expr.Literal {
	v := q.run.s.Variable(name)
	if v == nil {
		return nil
	}
	q.variable = name
	q.seen = append(q.seen, session.Seen{Variable: v})
	return &expr.Literal{Value: v.Value, T: v.Type}
}

// noTemporary refuses a permanent object that uses a variable or a temporary function.
func (q *relations) noTemporary(kind string, name ident.Name) error {
	switch {
	case q.variable != "":
		return sqlerr.TempObject(kind, name.Quoted(), "VARIABLE", ident.Quote(q.variable))
	case q.function != "":
		return sqlerr.TempObject(kind, name.Quoted(), "FUNCTION", ident.Quote(q.function))
	}
	return nil
}

// variableOf is the own name of a variable that a statement names: v, session.v or system.session.v.
func variableOf(n ast.Name, path string) (string, error) {
	parts := n.Ident()
	last := len(parts) - 1
	ok := last == 0 || last == 1 && ident.Equal(parts[0], "session") ||
		last == 2 && ident.Equal(parts[0], "system") && ident.Equal(parts[1], "session")
	if !ok {
		return "", sqlerr.UnresolvedVariable(parts.Quoted(), path).At(n.Span())
	}
	return parts[last], nil
}

// variableNamed is the variable that the parts of a name mean, or nil.
func (r *run) variableNamed(parts ident.Name) *session.Variable {
	var n ast.Name
	for _, p := range parts {
		n.Parts = append(n.Parts, ast.Ident{Name: p})
	}
	name, err := variableOf(n, "")
	if err != nil {
		return nil
	}
	return r.s.Variable(name)
}

const sessionPath = "[`system`.`session`]"

// searchPath is where functions and variables are looked for, as messages show it.
func (r *run) searchPath() string {
	return "[`system`.`builtin`, `system`.`session`, " + ident.Name{r.s.Catalog, r.s.Schema}.Quoted() + "]"
}

func (r *run) declareVariable(ctx context.Context, n *ast.DeclareVariable) (*Result, error) {
	var names []string
	for _, target := range n.Names {
		name, err := variableOf(target, sessionPath)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	if twice, ok := ident.Twice(names); ok {
		return nil, sqlerr.DuplicateDeclaration(variableName(twice)).At(n.Span())
	}
	if n.Default != nil && holdsQuery(n.Default) {
		return nil, sqlerr.DefaultWithSubquery(variableName(names[0]), n.DefaultText).At(n.Default.Span())
	}
	if !n.Replace {
		for i, name := range names {
			if r.s.Variable(name) != nil {
				return nil, sqlerr.VariableAlreadyExists(variableName(name)).At(n.Names[i].Span())
			}
		}
	}
	var want *types.Type
	value := &expr.Literal{}
	if n.Type != nil {
		want, value.T = &n.Type.T, n.Type.T
	}
	if n.Default != nil {
		row, err := r.values(ctx, []ast.Expr{n.Default}, []*types.Type{want})
		if err != nil {
			return nil, at(err, n.Default)
		}
		value = row[0]
	}
	for _, name := range names {
		r.s.PutVariable(&session.Variable{Name: name, Type: value.T, Value: value.Value, Default: n.DefaultText})
	}
	return none(), nil
}

func (r *run) setVariable(ctx context.Context, n *ast.SetVariable) (*Result, error) {
	vars, err := r.targets(n.Targets)
	if err != nil {
		return nil, err
	}
	defaults := make([]ast.Expr, len(vars))
	for i, v := range vars {
		defaults[i] = &ast.NullLit{}
		if v.Default != "" {
			if defaults[i], err = parser.ParseExpr(v.Default); err != nil {
				return nil, err
			}
		}
	}
	if n.Query != nil {
		node, rels, err := r.bindAssign(ctx, n.Query, vars, defaults)
		if err != nil {
			return nil, err
		}
		return none(), r.assignRow(ctx, vars, node, rels)
	}
	values, want := make([]ast.Expr, len(vars)), make([]*types.Type, len(vars))
	for i, v := range vars {
		values[i], want[i] = n.Values[i], &v.Type
		if _, isDefault := n.Values[i].(*ast.DefaultLit); isDefault {
			values[i] = defaults[i]
		}
	}
	row, err := r.values(ctx, values, want)
	if err != nil {
		return nil, err
	}
	for i, v := range vars {
		r.assign(v, row[i].Value)
	}
	return none(), nil
}

// assign changes a value. What was read before keeps the old one.
func (r *run) assign(v *session.Variable, value types.Value) {
	c := *v
	c.Value = value
	r.s.PutVariable(&c)
}

// targets are the variables that a statement assigns to, each once.
func (r *run) targets(names []ast.Name) ([]*session.Variable, error) {
	var vars []*session.Variable
	var seen []string
	for _, n := range names {
		name, err := variableOf(n, r.searchPath())
		if err != nil {
			return nil, err
		}
		v := r.s.Variable(name)
		if v == nil {
			return nil, sqlerr.UnresolvedVariable(n.Ident().Quoted(), r.searchPath()).At(n.Span())
		}
		vars, seen = append(vars, v), append(seen, v.Name)
	}
	if twice, ok := ident.Twice(seen); ok {
		return nil, sqlerr.DuplicateAssignments(ident.Quote(ident.Fold(twice))).At(names[0].Span())
	}
	return vars, nil
}

func (r *run) bindAssign(ctx context.Context, q *ast.Query, vars []*session.Variable, defaults []ast.Expr) (plan.Node, *relations, error) {
	want := make([]types.Type, len(vars))
	for i, v := range vars {
		want[i] = v.Type
	}
	rels := newRelations(r)
	node, err := bind.BindAssign(ctx, q, want, defaults, r.bindEnv(rels))
	return node, rels, err
}

// assignRow gives variables the values of the one row of a plan, or NULL when it has none.
func (r *run) assignRow(ctx context.Context, vars []*session.Variable, node plan.Node, rels *relations) error {
	rows, err := r.rows(ctx, node, rels, 2)
	if err != nil {
		return err
	}
	if len(rows) > 1 {
		return sqlerr.RowSubqueryRows()
	}
	for i, v := range vars {
		var value types.Value
		if len(rows) == 1 {
			value = rows[0][i]
		}
		r.assign(v, value)
	}
	return nil
}

func (r *run) dropVariable(n *ast.DropVariable) (*Result, error) {
	name, err := variableOf(n.Name, sessionPath)
	if err != nil {
		return nil, err
	}
	v := r.s.Variable(name)
	switch {
	case v != nil:
		r.s.DropVariable(v)
	case !n.IfExists:
		shown := variableName(name)
		if r.s.Conf.Bool(conf.CaseSensitive) {
			shown = ident.Name{"system", "session", name}.Quoted()
		}
		return nil, sqlerr.VariableNotFound(shown).At(n.Name.Span())
	}
	return none(), nil
}

// values computes expressions that have no columns but may hold queries, each cast to the type wanted, if there is one.
func (r *run) values(ctx context.Context, es []ast.Expr, want []*types.Type) ([]*expr.Literal, error) {
	rels := newRelations(r)
	node, err := bind.BindValues(ctx, es, want, r.bindEnv(rels))
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(ctx, node, rels, 1)
	if err != nil {
		return nil, err
	}
	out := make([]*expr.Literal, len(es))
	for i, c := range node.Output() {
		out[i] = &expr.Literal{Value: rows[0][i], T: c.Type}
	}
	return out, nil
}

// rows runs a plan and gives at most limit of its rows.
func (r *run) rows(ctx context.Context, node plan.Node, rels *relations, limit int) (_ [][]types.Value, err error) {
	inputs, err := r.steadyInputs(ctx, node, rels)
	if err != nil {
		return nil, err
	}
	rows, err := r.x.Engine.Query(ctx, r.engineQuery(node, inputs, "running"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	var out [][]types.Value
	for len(out) < limit {
		b, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		for i := 0; i < b.Len && len(out) < limit; i++ {
			row := make([]types.Value, len(b.Cols))
			for k := range b.Cols {
				row[k] = b.Cols[k].Value(i)
			}
			out = append(out, row)
		}
	}
	return out, nil
}
