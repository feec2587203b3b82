package bind

import (
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// from binds the FROM clause: a comma list is a chain of cross joins.
func (b *binder) from(list []ast.Relation, f *frame) (plan.Node, *scope, error) {
	if len(list) == 0 {
		return &plan.OneRow{}, &scope{parent: f.outer}, nil
	}
	node, s, err := b.relation(list[0], f, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range list[1:] {
		// A comma binds as tightly as JOIN does: the joins of a later element take in all that stands before them.
		chain := joinChain(r)
		if len(chain) > 0 {
			r = chain[len(chain)-1].L
		}
		right, rs, err := b.relation(r, f, s)
		if err != nil {
			return nil, nil, err
		}
		n := &plan.Join{Kind: plan.CrossJoin, Left: node, Right: right, Lateral: isLateral(r)}
		if err := b.checkLateral(n, nil, r); err != nil {
			return nil, nil, err
		}
		node = n
		joined := &scope{parent: f.outer}
		joined.add(s.columns...)
		joined.add(rs.columns...)
		s = joined
		for i := len(chain) - 1; i >= 0; i-- {
			if node, s, err = b.joinOne(chain[i], node, s, f); err != nil {
				return nil, nil, err
			}
		}
	}
	s.parent = f.outer
	return node, s, nil
}

func isLateral(r ast.Relation) bool {
	switch r := r.(type) {
	case *ast.SubqueryRef:
		return r.Lateral
	case *ast.FunctionRef:
		return r.Lateral
	}
	return false
}

// relation binds one relation. left is what stands to its left, for LATERAL.
func (b *binder) relation(r ast.Relation, f *frame, left *scope) (plan.Node, *scope, error) {
	switch r := r.(type) {
	case *boundRef:
		return r.node, r.scope, nil
	case *ast.TableRef:
		return b.tableRef(r, f)
	case *ast.SubqueryRef:
		inner := *f
		if r.Lateral && left != nil {
			inner.outer = &scope{parent: f.outer, columns: left.columns}
		}
		node, err := b.query(r.Query, &inner)
		if err == nil && r.Lateral && left != nil {
			err = at(checkOuterSides(node), r.Span())
		}
		if err != nil {
			return nil, nil, err
		}
		s := b.outputScope(node, nil, f)
		if node, err = b.sample(r.Sample, node, f); err != nil {
			return nil, nil, err
		}
		return b.alias(node, s, r.Alias, r.Span())
	case *ast.FunctionRef:
		return b.tableFunction(r, f, left)
	case *ast.ValuesRef:
		return b.values(r.Values, f)
	case *ast.ParenRef:
		node, s, err := b.relation(r.Input, f, left)
		if err != nil {
			return nil, nil, err
		}
		if node, err = b.sample(r.Sample, node, f); err != nil {
			return nil, nil, err
		}
		return b.alias(node, s, r.Alias, r.Span())
	case *ast.Join:
		return b.join(r, f, left)
	case *ast.Pivot:
		return b.pivot(r, f, left)
	case *ast.Unpivot:
		return b.unpivot(r, f, left)
	}
	return nil, nil, sqlerr.Unsupported("RELATION", "this form of relation").At(r.Span())
}

// outputScope makes the columns of a node nameable under a qualifier.
func (b *binder) outputScope(node plan.Node, qualifier ident.Name, f *frame) *scope {
	s := &scope{parent: f.outer}
	out := node.Output()
	for i, o := range origins(node) {
		s.add(column{Column: out[i], qualifier: qualifier, origin: o})
	}
	return s
}

// alias renames a relation, and its columns when names are given.
func (b *binder) alias(node plan.Node, s *scope, a *ast.TableAlias, span sqlerr.Span) (plan.Node, *scope, error) {
	if a == nil {
		return node, s, nil
	}
	cols := s.visible()
	if len(a.Columns) > 0 && len(a.Columns) != len(cols) {
		return nil, nil, sqlerr.ArityMismatch(len(a.Columns), len(cols)).At(span)
	}
	out := &scope{parent: s.parent}
	for i, c := range cols {
		if a.Name.Name != "" {
			c.qualifier = ident.Name{a.Name.Name}
		}
		if len(a.Columns) > 0 {
			c.Name = a.Columns[i].Name
		}
		out.add(c)
	}
	if scan, ok := node.(*plan.Scan); ok && a.Name.Name != "" {
		scan.Alias = a.Name.Name
	}
	return node, out, nil
}

// tableRef binds a name in FROM: a common table expression, or what Relations knows.
func (b *binder) tableRef(r *ast.TableRef, f *frame) (plan.Node, *scope, error) {
	name := r.Name.Ident()
	var node plan.Node
	var s *scope
	var err error
	if c := b.findCTE(f, name.Last()); c != nil && len(name) == 1 {
		if r.AsOf != nil {
			return nil, nil, sqlerr.TimeTravel(name.Quoted()).At(r.Span())
		}
		node, s, err = b.cteRef(c, name, r, f)
	} else {
		node, s, err = b.stored(r, name, f)
	}
	if err != nil {
		return nil, nil, err
	}
	if scan, ok := node.(*plan.Scan); ok && r.Alias != nil && r.Alias.Name.Name != "" {
		scan.Alias = r.Alias.Name.Name
	}
	if node, err = b.sample(r.Sample, node, f); err != nil {
		return nil, nil, err
	}
	return b.alias(node, s, r.Alias, r.Span())
}

func (b *binder) cteRef(c *cte, name ident.Name, r *ast.TableRef, f *frame) (plan.Node, *scope, error) {
	if c.loop != nil {
		return b.ownRows(c, name, r, f)
	}
	c.used = true
	node, err := b.referTo(c)
	if err != nil {
		return nil, nil, err
	}
	s := b.outputScope(node, ident.Name{name.Last()}, f)
	if len(c.def.Columns) == 0 {
		return node, s, nil
	}
	return b.alias(node, s, &ast.TableAlias{Columns: c.def.Columns}, c.def.Span())
}

// referTo is the rows of a common table expression.
func (b *binder) referTo(c *cte) (plan.Node, error) {
	if c.part == nil {
		node, err := b.definition(c)
		if err != nil {
			return nil, err
		}
		if c.part = b.once(c, node); c.part == nil {
			return node, nil
		}
	}
	return b.onceRef(c.part), nil
}

// stored binds a table, path, view or supplied relation.
func (b *binder) stored(r *ast.TableRef, name ident.Name, f *frame) (plan.Node, *scope, error) {
	var rel *Relation
	var err error
	switch {
	case b.env.Relations == nil:
	case r.AsOf != nil:
		var travel TimeTravel
		if travel, err = b.timeTravel(r.AsOf); err != nil {
			return nil, nil, at(err, r.AsOf.Span())
		}
		rel, err = b.env.Relations.AsOf(b.ctx, name, f.namespace, travel)
		err = at(err, r.Span())
	default:
		rel, err = b.env.Relations.Relation(b.ctx, name, f.namespace)
	}
	if err != nil {
		return nil, nil, at(err, r.Name.Span())
	}
	if rel == nil {
		var near []string
		if b.env.Relations != nil {
			for _, n := range b.env.Relations.Near(b.ctx, name, f.namespace) {
				near = append(near, n.Quoted())
			}
		}
		return nil, nil, sqlerr.TableOrViewNotFound(name.Quoted(), near).At(r.Name.Span())
	}
	if len(r.Options) > 0 {
		return nil, nil, sqlerr.Unsupported("TABLE_OPTIONS", "options after a table's name").At(r.Span())
	}
	switch {
	case rel.View != nil:
		node, err := b.view(rel, name, f, r.Name.Span())
		if err != nil {
			return nil, nil, err
		}
		return node, b.outputScope(node, rel.Name, f), nil
	case rel.Supplied != nil:
		n := &plan.Supplied{Rows: rel.Supplied.Rows, Label: rel.Supplied.Label}
		for _, c := range rel.Supplied.Fields {
			n.Out = append(n.Out, b.newColumn(c.Name, c.Type))
		}
		return n, b.outputScope(n, rel.Name, f), nil
	}
	n := &plan.Scan{Relation: rel.Scan, Alias: name.Last()}
	for i, c := range rel.Scan.Schema {
		n.Out = append(n.Out, b.newColumn(c.Name, c.Type))
		n.Fields = append(n.Fields, i)
	}
	return n, b.outputScope(n, rel.Name, f), nil
}
