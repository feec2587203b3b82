package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// insertDefaults knows where in the query of an INSERT the word DEFAULT may stand: alone, in a row of VALUES or in the
// select list, where it means the default of the column that it goes to. No column of Tarn's tables has a default, so
// that is NULL.
type insertDefaults struct {
	allowed map[*ast.DefaultLit]bool
	used    map[ast.Expr]bool
	// values are what DEFAULT means at each position, where that is not NULL; position tells where a DEFAULT stands.
	values   []ast.Expr
	position map[*ast.DefaultLit]int
}

func defaultsOf(q *ast.Query) *insertDefaults {
	d := &insertDefaults{allowed: map[*ast.DefaultLit]bool{}, used: map[ast.Expr]bool{}, position: map[*ast.DefaultLit]int{}}
	d.collect(q.Body)
	return d
}

func (d *insertDefaults) collect(body ast.QueryBody) {
	allow := func(e ast.Expr, k int) {
		if l, ok := e.(*ast.DefaultLit); ok {
			d.allowed[l], d.position[l] = true, k
		}
	}
	switch body := body.(type) {
	case *ast.Select:
		for k, it := range body.Items {
			if len(it.Aliases) == 0 {
				allow(it.Expr, k)
			}
		}
	case *ast.Values:
		for _, row := range body.Rows {
			for k, e := range row {
				allow(e, k)
			}
		}
	case *ast.Query:
		d.collect(body.Body)
	}
}

// column reports whether the k-th column is DEFAULT in every row. Its NULLs have the column's type then, which matters
// to a policy that does not take untyped ones.
func (d *insertDefaults) column(body ast.QueryBody, k int) bool {
	if len(d.used) == 0 {
		return false
	}
	switch body := body.(type) {
	case *ast.Select:
		for i, it := range body.Items {
			if _, star := it.Expr.(*ast.Star); star {
				return false
			}
			if i == k {
				return d.used[it.Expr]
			}
		}
	case *ast.Values:
		for _, row := range body.Rows {
			if k >= len(row) || !d.used[row[k]] {
				return false
			}
		}
		return true
	case *ast.Query:
		return d.column(body.Body, k)
	}
	return false
}

// defaultValue binds the word DEFAULT: a column of that name first, as in Spark.
func (b *binder) defaultValue(e *ast.DefaultLit, es *exprScope) (expr.Expr, error) {
	x, err := b.columnRef(&ast.ColumnRef{At: e.At, Parts: []ast.Ident{{At: e.At, Name: "DEFAULT"}}}, es)
	switch {
	case err == nil, b.defaults == nil:
		return x, err
	case !b.defaults.allowed[e]:
		return nil, sqlerr.DefaultPlacement()
	}
	b.defaults.used[e] = true
	if k := b.defaults.position[e]; k < len(b.defaults.values) {
		return b.foreign(b.defaults.values[k], &exprScope{frame: es.frame, scope: &scope{}, clause: "DEFAULT"}, e.Span())
	}
	return &expr.Literal{}, nil
}
