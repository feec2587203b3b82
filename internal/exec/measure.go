package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Files counts the files that a query of a whole table or view reads now, and their bytes. Failures are *sqlerr.Error.
func (x *Executor) Files(ctx context.Context, s *session.Session, name ident.Name) (files, bytes int64, err error) {
	files, bytes, err = (&run{x: x, s: s, now: x.Now().UTC()}).files(ctx, "SELECT * FROM "+name.String())
	if err != nil {
		err = translate(ctx, err)
	}
	return files, bytes, err
}

func (r *run) files(ctx context.Context, text string) (files, bytes int64, err error) {
	stmt, err := parser.Parse(text)
	if err != nil {
		return 0, 0, err
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return 0, 0, sqlerr.Unsupported("STATEMENT", "this statement")
	}
	node, rels, err := r.bindQuery(ctx, q)
	if err != nil {
		return 0, 0, err
	}
	err = plan.Walk(node, func(n plan.Node) error {
		scan, ok := n.(*plan.Scan)
		if !ok {
			return nil
		}
		src, err := rels.source(scan.Relation)
		if err != nil {
			return err
		}
		_, looked, err := r.x.Scans.Resolve(ctx, scan, src, r.scanSettings())
		files, bytes = files+int64(looked.Files), bytes+looked.Bytes
		return err
	})
	return files, bytes, err
}
