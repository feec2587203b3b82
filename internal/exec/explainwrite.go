package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/write"
)

// explainWrite says what a statement that writes would do, and how its rows are found; "" for statements that write no files.
func (r *run) explainWrite(ctx context.Context, stmt ast.Statement) (string, error) {
	if text, ok, err := r.explainDelta(ctx, stmt); ok {
		return text, err
	}
	var in *insertion
	var err error
	switch n := stmt.(type) {
	case *ast.MultiInsert:
		var parts []string
		for _, part := range n.Inserts {
			text, err := r.explainWrite(ctx, part)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, "\n"), nil
	case *ast.Insert:
		var done bool
		if in, done, err = r.planInsert(ctx, n); done {
			return "Insert: nothing to do, the partition exists", nil
		}
	case *ast.InsertDirectory:
		in, err = r.planDirectory(ctx, n)
	case *ast.Truncate:
		in, err = r.planTruncate(ctx, n)
	case *ast.CopyInto:
		var skipped int64
		if in, skipped, err = r.planCopy(ctx, n); in == nil && err == nil {
			return fmt.Sprintf("CopyInto: nothing to do, %d files were loaded before", skipped), nil
		}
	case *ast.CreateTable:
		if n.Query == nil {
			return "", nil
		}
		full, nameErr := r.qualify(n.Name)
		if nameErr != nil {
			return "", nameErr
		}
		t, rows, draftErr := r.draft(ctx, n, full)
		if draftErr != nil {
			return "", draftErr
		}
		in, err = r.planCreate(ctx, n, full, t, rows)
	default:
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Write [%s] target: %s, location: %s, layout: %s, mode: %s", in.operation, in.target.Name, in.target.Root, in.target.Layout, modeText(in))
	if len(in.loads) > 0 {
		fmt.Fprintf(&b, ", files to load: %d", len(in.loads))
	}
	b.WriteByte('\n')
	if in.source == nil {
		return strings.TrimRight(b.String(), "\n"), nil
	}
	rows, err := in.source(ctx)
	if err != nil {
		return "", err
	}
	err = r.explainRows(ctx, &b, rows.Root, rows.rels)
	return strings.TrimRight(b.String(), "\n"), err
}

// explainRows says how the rows that are written are found.
func (r *run) explainRows(ctx context.Context, b *strings.Builder, root plan.Node, rels *relations) error {
	return r.explainNoted(ctx, b, root, rels, func(_ plan.Node, note string) string { return note })
}

// explainNoted is explainRows with other words for what scans come to.
func (r *run) explainNoted(ctx context.Context, b *strings.Builder, root plan.Node, rels *relations, words func(n plan.Node, note string) string) error {
	notes := map[plan.Node]string{}
	if _, err := r.inputs(ctx, root, rels, func(n plan.Node, note string) { notes[n] = words(n, note) }); err != nil {
		return err
	}
	for line := range strings.SplitSeq(strings.TrimRight(bind.Explain(root, func(n plan.Node) string { return notes[n] }), "\n"), "\n") {
		b.WriteString("  " + line + "\n")
	}
	return nil
}

// modeText says which partitions a write replaces.
func modeText(in *insertion) string {
	var spec []string
	for _, m := range in.scope.Matchers {
		spec = append(spec, partition.Segment(in.target.Columns[m.Col], m.Value))
	}
	where := ""
	if len(spec) > 0 {
		where = " of " + strings.Join(spec, "/")
	}
	partitioned := len(in.target.Columns) > 0
	switch in.scope.Kind {
	case write.Append:
		switch {
		case in.create != nil && in.target.Table.Version > 0:
			return "replaces the table"
		case in.create != nil:
			return "makes the table"
		case in.scope.One != nil:
			return "append to the partition " + strings.Join(spec, "/")
		case where != "":
			return "append to partitions" + where
		}
		return "append"
	case write.ReplaceWritten:
		return "dynamic overwrite: replaces the partitions" + where + " that get a row, leaves the others"
	case write.Empty:
		if where == "" {
			return "empties everything"
		}
		return "empties the partitions" + where
	case write.ReplaceMatching:
		switch {
		case in.using != nil:
			names := make([]string, len(in.using))
			for i, level := range in.using {
				names[i] = in.target.Columns[level].Name
			}
			return "replaces or removes the partitions with a value of (" + strings.Join(names, ", ") + ") that is written"
		case in.scope.Selects != nil:
			return "replaces or removes the partitions that the condition selects"
		case !partitioned:
			return "replaces everything"
		case in.scope.One != nil:
			return "replaces the partition " + strings.Join(spec, "/")
		case in.target.Registered:
			return fmt.Sprintf("static overwrite: replaces or removes all %d partitions%s", in.target.Set.Match(in.scope.Matchers).Len(), where)
		}
		return "static overwrite: replaces or removes every partition" + where
	}
	return string(in.scope.Kind)
}
