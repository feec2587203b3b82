package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// replaceWhere makes the predicate say what is replaced. Conditions on partition columns alone select whole partitions. Where
// data columns come in, the partitions that the other conditions leave are written anew: the query's rows, and the rows that
// are there and for which the predicate does not hold.
func (r *run) replaceWhere(ctx context.Context, n *ast.Insert, rel relation, in *insertion) error {
	var selects []ast.Expr
	rewrite := false
	for _, e := range conjunctsOf(n.ReplaceWhere) {
		name, err := r.dataColumnIn(ctx, rel, e)
		if err != nil {
			return err
		}
		if name != "" {
			rewrite = true
			continue
		}
		selects = append(selects, e)
	}
	in.scope.Kind = write.ReplaceMatching
	if rewrite {
		if err := r.keepOthers(ctx, n, rel, in, selects); err != nil {
			return err
		}
	}
	if len(in.target.Columns) == 0 {
		return nil
	}
	var conjuncts []expr.Expr
	var ids []expr.ColumnID
	for _, e := range selects {
		more, of, err := r.predicate(ctx, rel, e)
		if err != nil {
			return err
		}
		conjuncts, ids = append(conjuncts, more...), of
	}
	cols, c := in.target.Columns, r.context()
	in.scope.Selects = func(values partition.Values) (bool, error) {
		for _, e := range conjuncts {
			v, err := expr.Eval(e, c, func(id expr.ColumnID) types.Value {
				for i := range ids {
					if ids[i] == id {
						return scan.Instant(cols[i].Type, values[i], c)
					}
				}
				return nil
			})
			if v != true || err != nil {
				return false, at(err, n.ReplaceWhere)
			}
		}
		return true, nil
	}
	return nil
}

// conjunctsOf splits a condition at its outermost ANDs.
func conjunctsOf(e ast.Expr) []ast.Expr {
	l, ok := e.(*ast.Logical)
	if !ok || l.Or {
		return []ast.Expr{e}
	}
	var out []ast.Expr
	for _, a := range l.Args {
		out = append(out, conjunctsOf(a)...)
	}
	return out
}

// keepOthers adds the rows that stay to those that are written.
func (r *run) keepOthers(ctx context.Context, n *ast.Insert, rel relation, in *insertion, selects []ast.Expr) error {
	text := "SELECT * FROM " + rel.quoted() + " WHERE NOT coalesce((" + n.ReplaceWhere.String() + "), false)"
	for _, e := range selects {
		text += " AND (" + e.String() + ")"
	}
	stmt, err := parser.Parse(text)
	if err != nil {
		return at(err, n.ReplaceWhere)
	}
	query, ok := stmt.(*ast.Query)
	if !ok {
		return sqlerr.Unsupported("REPLACE_WHERE_PREDICATE", "this condition of REPLACE WHERE").At(n.ReplaceWhere.Span())
	}
	target := insertTarget(rel)
	rows := in.source
	in.source, err = begun(ctx, func(ctx context.Context) (*boundRows, error) {
		new, err := rows(ctx)
		if err != nil {
			return nil, err
		}
		kept, err := bind.BindQueryInto(ctx, query, target, bind.Into{Policy: expr.StoreANSI}, r.bindEnv(new.rels))
		if err != nil {
			return nil, at(err, n.ReplaceWhere)
		}
		both := &plan.SetOp{Kind: plan.Union, All: true, Left: new.Root, Right: kept.Root, Out: new.Root.Output()}
		return &boundRows{&bind.Insert{Root: both, Static: new.Static}, new.rels}, nil
	})
	return err
}

// dataColumnIn is the name of a column in a condition that is no partition column, "" when there is none.
func (r *run) dataColumnIn(ctx context.Context, rel relation, e ast.Expr) (string, error) {
	cols := make([]plan.Column, len(rel.table.Columns))
	for i, f := range rel.table.Columns {
		cols[i] = plan.Column{ID: expr.ColumnID(i + 1), Name: f.Name, Type: f.Type}
	}
	bound, err := bind.BindExpr(ctx, e, cols, r.bindEnv(nil))
	if err != nil {
		return "", err
	}
	for _, id := range expr.Columns(bound) {
		if i := int(id) - 1; i < len(cols)-len(rel.table.Partition) {
			return cols[i].Name, nil
		}
	}
	return "", nil
}

// replaceUsing replaces the partitions whose values in some partition columns are among those written.
func (r *run) replaceUsing(n *ast.Insert, rel relation, in *insertion) error {
	cols := in.target.Columns
	places, err := bind.ReplaceUsing(n.ReplaceUsing, insertTarget(rel), r.bindEnv(nil))
	if err != nil {
		return err
	}
	for i, place := range places {
		level := place - len(in.data)
		if level < 0 {
			c := n.ReplaceUsing[i]
			return sqlerr.Unsupported("REPLACE_USING_DATA_COLUMN", "REPLACE USING over the column "+c.Name+", which is no partition column of "+in.target.Name).At(c.Span())
		}
		in.using = append(in.using, level)
	}
	slices.Sort(in.using)
	in.scope.Kind = write.ReplaceWritten
	if len(in.using) < len(cols) {
		in.scope.Kind = write.ReplaceMatching
	}
	return nil
}

// sameUsing selects the partitions whose values in the columns of REPLACE USING were written.
func (in *insertion) sameUsing(files []write.File) func(partition.Values) (bool, error) {
	key := func(v partition.Values) string {
		var b strings.Builder
		for _, level := range in.using {
			b.WriteString(partition.Segment(in.target.Columns[level], v[level]))
			b.WriteByte('/')
		}
		return b.String()
	}
	written := map[string]bool{}
	for _, f := range files {
		written[key(f.Values)] = true
	}
	return func(v partition.Values) (bool, error) { return written[key(v)], nil }
}
