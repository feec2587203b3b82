package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/types"
)

// multiInsert is FROM … INSERT … SELECT … INSERT … SELECT …. All parts are bound before the first is written, so that a mistake
// in one keeps all of them from happening. Then each is a write of its own, in the order of the text, and reads what those
// before it have written, as in Spark. The answers of the parts are the rows of one answer.
func (r *run) multiInsert(ctx context.Context, n *ast.MultiInsert) (*Result, error) {
	for _, part := range n.Inserts {
		var err error
		switch i := part.(type) {
		case *ast.Insert:
			var t *deltaTarget
			var isDelta bool
			if t, isDelta, err = r.deltaTargetOf(ctx, i.Table, insertOperation(i)); !isDelta {
				_, _, err = r.planInsert(ctx, i)
			} else if err == nil {
				_, err = r.explainDeltaInsert(ctx, i, t)
			}
		case *ast.InsertDirectory:
			_, err = r.planDirectory(ctx, i)
		}
		if err != nil {
			return nil, err
		}
	}
	var cols []plan.Column
	var rows [][]types.Value
	for _, part := range n.Inserts {
		var res *Result
		var err error
		switch i := part.(type) {
		case *ast.Insert:
			res, err = r.insert(ctx, i)
		case *ast.InsertDirectory:
			res, err = r.insertDirectory(ctx, i)
		}
		if err != nil {
			return nil, err
		}
		if len(res.Columns) > 0 {
			cols = res.Columns
		}
		if rows, err = drain(ctx, res, rows); err != nil {
			return nil, err
		}
	}
	if cols == nil {
		return none(), nil
	}
	return table(cols, rows), nil
}

// drain appends the rows of an answer and closes it.
func drain(ctx context.Context, res *Result, rows [][]types.Value) (_ [][]types.Value, err error) {
	defer func() { err = errors.Join(err, res.Close()) }()
	for {
		b, err := res.Next(ctx)
		if err != nil || b == nil {
			return rows, err
		}
		for i := range b.Len {
			row := make([]types.Value, len(b.Cols))
			for k := range b.Cols {
				row[k] = b.Cols[k].Value(i)
			}
			rows = append(rows, row)
		}
	}
}
