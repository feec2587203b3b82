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
}

func defaultsOf(q *ast.Query) *insertDefaults {
	d := &insertDefaults{allowed: map[*ast.DefaultLit]bool{}, used: map[ast.Expr]bool{}}
	d.collect(q.Body)
	return d
}

func (d *insertDefaults) collect(body ast.QueryBody) {
	allow := func(e ast.Expr) {
		if l, ok := e.(*ast.DefaultLit); ok {
			d.allowed[l] = true
		}
	}
	switch body := body.(type) {
	case *ast.Select:
		for _, it := range body.Items {
			if len(it.Aliases) == 0 {
				allow(it.Expr)
			}
		}
	case *ast.Values:
		for _, row := range body.Rows {
			for _, e := range row {
				allow(e)
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
	return &expr.Literal{}, nil
}
