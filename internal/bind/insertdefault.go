package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// insertDefaults knows where in the query of an INSERT the word DEFAULT may stand: alone, in a row of VALUES or in the
// select list, where it means the default of the column that it goes to.
type insertDefaults struct {
	allowed map[*ast.DefaultLit]int // the position, counted from 0
	used    map[ast.Expr]bool
	// value is what DEFAULT means at a position; a nil value is NULL.
	value func(position int, e *ast.DefaultLit, es *exprScope) (expr.Expr, error)
}

func defaultsOf(q *ast.Query) *insertDefaults {
	d := &insertDefaults{allowed: map[*ast.DefaultLit]int{}, used: map[ast.Expr]bool{}}
	d.collect(q.Body)
	return d
}

func (d *insertDefaults) collect(body ast.QueryBody) {
	allow := func(e ast.Expr, k int) {
		if l, ok := e.(*ast.DefaultLit); ok {
			d.allowed[l] = k
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
	if err == nil || b.defaults == nil {
		return x, err
	}
	position, ok := b.defaults.allowed[e]
	if !ok {
		return nil, sqlerr.DefaultPlacement()
	}
	b.defaults.used[e] = true
	if b.defaults.value != nil {
		x, err := b.defaults.value(position, e, es)
		if x != nil || err != nil {
			return x, err
		}
	}
	return &expr.Literal{}, nil
}

// defaultOf is what a column gets that a statement gives no value.
func (b *binder) defaultOf(f types.Field) (expr.Expr, error) {
	if f.Default == "" {
		return &expr.Literal{T: f.Type}, nil
	}
	e, err := parser.ParseExpr(f.Default)
	if err != nil {
		return nil, err
	}
	x, err := b.standalone(e, nil)
	if err != nil {
		return nil, err
	}
	return expr.Store(x, f.Type, f.Name, expr.StoreOptions{Policy: expr.StoreANSI})
}
