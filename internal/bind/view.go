package bind

import (
	"errors"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxViewDepth is how many views may lie within one another: Spark's spark.sql.view.maxNestedViewDepth.
const maxViewDepth = 100

// viewPath is the views that are being expanded, innermost first.
type viewPath struct {
	name  ident.Name
	depth int
	next  *viewPath
}

// view expands a view: its query is bound under the names of its own catalog and schema, and sees nothing of the
// query around it.
func (b *binder) view(rel *Relation, written ident.Name, f *frame, span sqlerr.Span) (plan.Node, error) {
	name := rel.Name
	if len(name) == 0 {
		name = written
	}
	path := &viewPath{name: name, depth: 1, next: f.views}
	if f.views != nil {
		path.depth = f.views.depth + 1
	}
	for p := f.views; p != nil; p = p.next {
		if b.sameName(p.name, name) {
			var names []string
			for q := path; q != nil; q = q.next {
				names = append([]string{q.name.Quoted()}, names...)
				if q == p {
					break
				}
			}
			return nil, sqlerr.RecursiveView(name.Quoted(), names).At(span)
		}
	}
	if path.depth > maxViewDepth {
		return nil, sqlerr.ViewTooDeep(name.Quoted(), maxViewDepth).At(span)
	}
	if err := b.expand(); err != nil {
		return nil, at(err, span)
	}
	v := rel.View
	// The view's text is not the statement's: what it says about places, and how its expressions look, stays inside.
	texts := b.texts
	b.texts = map[ast.Expr]string{}
	done := b.under(v.Under)
	node, err := b.query(v.Query, &frame{namespace: v.Namespace, views: path, functions: f.functions, permanent: !v.Temporary})
	b.texts = texts
	if err != nil {
		done()
		return nil, placeless(err, span)
	}
	node, err = b.viewColumns(v, node, name, span)
	if made := done(); err == nil {
		node, err = b.madeIn(made, node)
	}
	return node, at(err, span)
}

func (b *binder) sameName(x, y ident.Name) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !b.same(x[i], y[i]) {
			return false
		}
	}
	return true
}

// placeless gives an error from inside a view the place of the view's name.
func placeless(err error, span sqlerr.Span) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Span = span
	return &c
}

// viewColumns gives the query's columns the names and types that the view declares.
func (b *binder) viewColumns(v *View, node plan.Node, name ident.Name, span sqlerr.Span) (plan.Node, error) {
	if v.Columns == nil {
		return node, b.distinctNames(node.Output(), span)
	}
	out := node.Output()
	pick := make([]plan.Column, 0, len(v.Columns))
	switch {
	case len(v.QueryColumns) == len(v.Columns):
		// By name: the tables below may have gained columns since. Of several columns of one name there must be as many as
		// there were, since nothing else tells them apart.
		for i, want := range v.QueryColumns {
			var found []plan.Column
			for _, c := range out {
				if b.same(c.Name, want) {
					found = append(found, c)
				}
			}
			earlier, all := 0, 0
			for k, other := range v.QueryColumns {
				if b.same(other, want) {
					all++
					if k < i {
						earlier++
					}
				}
			}
			if len(found) != all {
				return nil, sqlerr.ViewColumnChanged(name.Quoted(), ident.Quote(want), all, len(found)).At(span)
			}
			pick = append(pick, found[earlier])
		}
	case len(out) != len(v.Columns):
		return nil, sqlerr.ViewChanged(name.Quoted(), len(v.Columns), len(out)).At(span)
	default:
		pick = out
	}
	p := &plan.Project{Input: node}
	seen := idSet{}
	for i, c := range pick {
		e, err := viewColumn(v, c, v.Columns[i])
		if err != nil {
			return nil, placeless(err, span)
		}
		o := plan.Column{ID: c.ID, Name: v.Columns[i].Name, Type: e.Type()}
		if _, bare := e.(*expr.Column); !bare || seen[c.ID] {
			o.ID = b.newID()
		}
		seen[o.ID] = true
		p.Out, p.Exprs = append(p.Out, o), append(p.Exprs, e)
	}
	return p, nil
}

// viewColumn is a column of the view's query as the view shows it.
func viewColumn(v *View, c plan.Column, f types.Field) (expr.Expr, error) {
	switch v.Mode {
	case ViewTypeEvolution:
		return columnRef(c), nil
	case ViewBinding:
		e, err := expr.Store(columnRef(c), f.Type, f.Name, expr.StoreOptions{Policy: expr.StoreStrict})
		if err != nil {
			return nil, sqlerr.CannotUpCast(ident.Quote(c.Name), quoteType(c.Type), quoteType(f.Type))
		}
		return e, nil
	}
	return expr.Coerce(columnRef(c), f.Type)
}

func quoteType(t types.Type) string { return `"` + t.SQL() + `"` }

// distinctNames refuses a view whose columns would share a name: tables below have gained one.
func (b *binder) distinctNames(out []plan.Column, span sqlerr.Span) error {
	for i, c := range out {
		for _, d := range out[:i] {
			if b.same(c.Name, d.Name) {
				return sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(c.Name))).At(span)
			}
		}
	}
	return nil
}
