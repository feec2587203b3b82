package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// explain shows the plan of a query with what its scans come to: partitions, files, and files opened. EXTENDED adds the
// statement as it was understood and the columns of the answer; the other words of EXPLAIN change nothing here.
func (r *run) explain(ctx context.Context, n *ast.Explain) (*Result, error) {
	cols := stringColumns("plan")
	q, ok := n.Statement.(*ast.Query)
	if text, err := r.explainWrite(ctx, n.Statement); err != nil || text != "" {
		return table(cols, [][]types.Value{{"== Physical Plan ==\n" + text + "\n"}}), err
	}
	if !ok {
		return table(cols, [][]types.Value{{"== Physical Plan ==\nExecute " + n.Statement.String() + "\n"}}), nil
	}
	node, rels, err := r.bindQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	notes := map[plan.Node]string{}
	if _, err := r.inputs(ctx, node, rels, func(n plan.Node, note string) { notes[n] = note }); err != nil {
		return nil, err
	}
	text := "== Physical Plan ==\n" + strings.TrimRight(bind.Explain(node, func(n plan.Node) string { return notes[n] }), "\n") + "\n"
	if n.Mode == "EXTENDED" {
		var columns strings.Builder
		for _, c := range shown(node.Output()) {
			columns.WriteString(c.Name + ": " + c.Type.String() + "\n")
		}
		text = "== Parsed Statement ==\n" + q.String() + "\n\n== Columns ==\n" + columns.String() + "\n" + text
	}
	return table(cols, [][]types.Value{{text}}), nil
}

// explainPath says why a directory is, or is not, part of a table.
func (r *run) explainPath(ctx context.Context, n *ast.ExplainPath) (*Result, error) {
	loc, err := r.location(n.URI)
	if err != nil {
		return nil, at(err, n)
	}
	cols := stringColumns("table", "status", "partition", "reason", "detail")
	var rels []relation
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		near, err := tx.Overlapping(loc.String())
		if err != nil {
			return err
		}
		for _, l := range near {
			if l.What != catalog.LocatedTable || !catalog.Contains(l.Location, loc.String()) {
				continue
			}
			t, err := tx.TableByID(l.ID)
			if err != nil {
				return err
			}
			s, err := tx.SchemaByID(t.SchemaID)
			if err != nil {
				return err
			}
			c, err := tx.CatalogByID(s.CatalogID)
			if err != nil {
				return err
			}
			rels = append(rels, relation{place{c, s}, t})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := [][]types.Value{}
	for _, rel := range rels {
		row, err := r.explainIn(ctx, rel, loc)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		rows = append(rows, []types.Value{nil, "outside", nil, nil, "No table has a location that holds " + loc.String() + "."})
	}
	return table(cols, rows), nil
}

// explainIn explains a path inside one table.
func (r *run) explainIn(ctx context.Context, rel relation, loc storage.Location) ([]types.Value, error) {
	name := rel.fullName().String()
	answer := func(status, spec string, reason partition.Reason, format string, args ...any) []types.Value {
		row := []types.Value{name, status, nil, nil, fmt.Sprintf(format, args...)}
		if spec != "" {
			row[2] = spec
		}
		if reason != "" {
			row[3] = string(reason)
		}
		return row
	}
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return nil, err
	}
	below, _ := root.Rel(loc)
	t := rel.table
	switch {
	case below == "":
		return answer("root", "", "", "This is the location of the table."), nil
	case t.Format == deltaFormat:
		return answer("log", "", "", "The table is a Delta table: its log says which files are read, and directories mean nothing to it. DESCRIBE HISTORY and SHOW PARTITIONS show what it says."), nil
	case t.Mode == catalog.Unpartitioned:
		if strings.Contains(below, "/") || strings.Contains(below, "=") {
			return answer("not read", "", "", "The table is not partitioned: only the files right in its location are read, unless directories spell key=value."), nil
		}
		return answer("table", "", "", "The table is not partitioned and reads the files right in its location."), nil
	}
	cols := partitionColumns(t)
	layout := partition.NewLayout(cols, r.s.Conf.Bool(conf.CaseSensitive))
	segments := strings.Split(below, "/")
	values := make(partition.Values, 0, len(cols))
	for level, dir := range segments {
		if partition.Ignored(dir) || partition.IsTemporary(dir) {
			return answer("ignored", "", "", "The name %s is one that readers ignore.", dir), nil
		}
		if level >= len(cols) {
			if strings.Contains(dir, "=") {
				return answer("not read", "", partition.TooDeep, "The directory %s lies below the last partition column %s.", dir, cols[len(cols)-1].Name), nil
			}
			break
		}
		sp, ok, reason, detail := layout.Classify(level, dir, partition.Dir)
		if !ok {
			return answer("not a partition", "", reason, "%s: %s.", dir, detail), nil
		}
		values = append(values, sp.Value)
	}
	if len(values) < len(cols) {
		return answer("inner directory", "", "", "Directories of %s lie below it.", cols[len(values)].Name), nil
	}
	spec := specOf(rel, values)
	if t.Mode == catalog.Listing {
		return answer("partition", spec, partition.Listed, "Each query lists this directory."), nil
	}
	set, err := r.partitionSet(ctx, rel, 0)
	if err != nil {
		return nil, err
	}
	row, ok := set.Find(values)
	if !ok {
		return answer("not registered", spec, partition.New, "The partition log has no such partition. Run: MSCK REPAIR TABLE %s ADD PARTITIONS", rel.fullName()), nil
	}
	at := rowLocation(rel, set, row)
	if !catalog.Contains(at, loc.String()) {
		return answer("not read", spec, partition.DuplicateValue, "The partition is registered at %s.", at), nil
	}
	return answer("partition", spec, "", "Registered since version %d.", set.Gen(row)), nil
}
