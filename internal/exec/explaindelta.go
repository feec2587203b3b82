package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// explainDelta says what a statement would do to a Delta table, and how its rows are found; ok is false for other statements and
// tables. It goes the way of the statement up to its first write, so that it fails as the statement would.
func (r *run) explainDelta(ctx context.Context, stmt ast.Statement) (text string, ok bool, err error) {
	switch n := stmt.(type) {
	case *ast.Insert:
		t, ok, err := r.deltaTargetOf(ctx, n.Table, insertOperation(n))
		if !ok || err != nil {
			return "", ok, err
		}
		text, err = r.explainDeltaInsert(ctx, n, t)
		return text, true, err
	case *ast.Delete, *ast.Update, *ast.Merge:
		text, err = r.explainChange(ctx, n)
		return text, true, err
	case *ast.Truncate:
		t, c, ok, err := r.planTruncateDelta(ctx, n)
		if !ok || err != nil {
			return "", ok, err
		}
		return explainFiles("TRUNCATE TABLE", t, c), true, nil
	case *ast.CopyInto:
		t, ok, err := r.deltaTargetOf(ctx, n.Table, "COPY INTO")
		if !ok || err != nil {
			return "", ok, err
		}
		text, err = r.explainDeltaCopy(ctx, n, t)
		return text, true, err
	case *ast.Restore:
		p, err := r.planRestore(ctx, n)
		if err != nil {
			return "", true, err
		}
		return explainFiles("RESTORE TABLE", p.target, p.commit) + fmt.Sprintf(", back to version: %d", p.old.Version), true, nil
	case *ast.Optimize:
		o, bins, err := r.planOptimize(ctx, n)
		if err != nil {
			return "", true, err
		}
		files := 0
		for _, b := range bins {
			files += len(b)
		}
		if files == 0 {
			return "Optimize: nothing to do, no files are worth it", true, nil
		}
		return explainTarget("OPTIMIZE", o.target) + fmt.Sprintf(", files to compact: %d of %d, into: %d", files, o.target.snap.NumFiles(), len(bins)), true, nil
	case *ast.Vacuum:
		dry := *n
		dry.DryRun = true
		res, err := r.vacuum(ctx, &dry)
		if err != nil {
			return "", true, err
		}
		files := 0
		for {
			b, err := res.Next(ctx)
			if b == nil || err != nil {
				return fmt.Sprintf("Delete [VACUUM] files and directories: %d", files), true, err
			}
			files += b.Len
		}
	case *ast.Clone:
		text, err = r.explainClone(ctx, n)
		return text, true, err
	case *ast.CreateTable:
		if !isDelta(r.sourceName(n)) || n.Temporary {
			return "", false, nil
		}
		text, err = r.explainCreateDelta(ctx, n)
		return text, text != "" || err != nil, err
	case *ast.Unsupported:
		return "", true, sqlerr.Unsupported("STATEMENT", n.What).At(n.Span())
	}
	return "", false, nil
}

func explainTarget(operation string, t *deltaTarget) string {
	return fmt.Sprintf("Write [%s] target: %s, location: %s, Delta version: %d", operation, t.name, t.log.Root(), t.snap.Version+1)
}

// explainFiles is a commit whose files are known.
func explainFiles(operation string, t *deltaTarget, c *delta.Change) string {
	return explainTarget(operation, t) + fmt.Sprintf(", files to remove: %d, to add: %d", len(c.Removes), len(c.Adds))
}

// explainDeltaInsert is INSERT into a Delta table.
func (r *run) explainDeltaInsert(ctx context.Context, n *ast.Insert, t *deltaTarget) (string, error) {
	into, err := t.into()
	if err != nil {
		return "", err
	}
	in := &deltaInsertion{run: r, stmt: n, target: t, into: into}
	if err := in.keys(ctx); err != nil {
		return "", err
	}
	if err := in.evolveInsert(ctx); err != nil {
		return "", err
	}
	bound, err := bind.BindInsert(ctx, n, in.into, r.deltaAssignment(), r.bindEnv(t.rels))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(explainTarget(insertOperation(n), t) + "\n")
	err = r.explainRows(ctx, &b, bound.Root, t.rels)
	return strings.TrimRight(b.String(), "\n"), err
}

// explainChange is DELETE, UPDATE and MERGE: how the files with rows that change are found, and how their copies are made.
func (r *run) explainChange(ctx context.Context, stmt ast.Statement) (string, error) {
	p, err := r.planChange(ctx, stmt)
	if err != nil {
		return "", err
	}
	c, t := p.bound, p.target
	t.source.Confined = nil
	var b strings.Builder
	b.WriteString(explainTarget(p.operation, t) + "\n")
	if c.Find != nil {
		what := "files with rows that change:"
		if c.Whole {
			what = "files that go, which are not read:"
		}
		b.WriteString(what + "\n")
		if err := r.explainRows(ctx, &b, c.Find, t.rels); err != nil {
			return "", err
		}
	}
	if c.Copy != nil {
		b.WriteString("rows of the new files:\n")
		words := func(n plan.Node, note string) string {
			if s, ok := n.(*plan.Scan); ok && s.Changed && c.Find != nil {
				return "of the files above, those that keep a row"
			}
			return note
		}
		if err := r.explainNoted(ctx, &b, c.Copy, t.rels, words); err != nil {
			return "", err
		}
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (r *run) explainDeltaCopy(ctx context.Context, n *ast.CopyInto, t *deltaTarget) (string, error) {
	p, err := r.planCopyDelta(ctx, n, t)
	if err != nil {
		return "", err
	}
	if p.loads == 0 {
		return fmt.Sprintf("CopyInto: nothing to do, %d files were loaded before", p.skipped), nil
	}
	root, _, err := p.rows.bind(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(explainTarget("COPY INTO", t) + fmt.Sprintf(", files to load: %d\n", p.loads))
	err = r.explainRows(ctx, &b, root, p.rows.rels)
	return strings.TrimRight(b.String(), "\n"), err
}

// explainNew is the first line about a table that is made or replaced.
func explainNew(operation string, d *newDelta) string {
	version := int64(0)
	if d.base != nil {
		version = d.base.Version + 1
	}
	return fmt.Sprintf("Write [%s] target: %s, location: %s, Delta version: %d", operation, d.full.Quoted(), d.log.Root(), version)
}

func (r *run) explainClone(ctx context.Context, n *ast.Clone) (string, error) {
	d, src, there, err := r.planClone(ctx, n)
	switch {
	case err != nil:
		return "", err
	case there:
		return "Clone: nothing to do, the table exists", nil
	}
	// What a deep clone copies is not copied here; the commit is the same but for the paths of its files.
	shallow := *n
	shallow.Deep = false
	if _, _, err := d.cloneChange(ctx, &shallow, src); err != nil {
		return "", err
	}
	operation := "SHALLOW CLONE"
	if n.Deep {
		operation = "DEEP CLONE"
	}
	return explainNew(operation, d) + fmt.Sprintf(", source: %s, files: %d, bytes: %d", src.name, len(src.adds), src.size), nil
}

// explainCreateDelta is CREATE TABLE that makes or replaces a log; "" when it takes one that is there.
func (r *run) explainCreateDelta(ctx context.Context, n *ast.CreateTable) (string, error) {
	full, err := r.qualify(n.Name)
	if err != nil {
		return "", err
	}
	if err := r.checkGenerated(ctx, n, full); err != nil {
		return "", err
	}
	done, err := r.mayCreate(ctx, n, full)
	switch {
	case err != nil:
		return "", err
	case done:
		return "CreateTable: nothing to do, the table exists", nil
	}
	t := &catalog.Table{Securable: r.securable(full[2], n.Comment), Kind: catalog.External, Format: deltaFormat, Options: properties(n.Options)}
	loc, err := r.tableLocation(n, t)
	if err != nil {
		return "", err
	}
	if loc != nil && !n.Replace && n.Query == nil {
		log, err := r.x.Deltas.Open(*loc)
		if err != nil {
			return "", err
		}
		switch there, err := log.Exists(ctx); {
		case err != nil:
			return "", err
		case !there:
			if err := r.mayBegin(ctx, n, full, *loc); err != nil {
				return "", at(err, n.LocationAt)
			}
		case there:
			snap, err := log.Snapshot(ctx, delta.At{})
			if err != nil {
				return "", err
			}
			return "", r.matchesLog(ctx, n, snap)
		}
	}
	d, err := r.planDelta(ctx, n, full, t, loc)
	if err != nil {
		return "", err
	}
	draft, err := d.draft()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(explainNew(d.operation(), d))
	if n.Query == nil {
		return b.String(), nil
	}
	b.WriteByte('\n')
	rows := d.rows(draft.metadata, draft.schema)
	root, _, err := rows.bind(ctx)
	if err != nil {
		return "", err
	}
	err = r.explainRows(ctx, &b, root, rows.rels)
	return strings.TrimRight(b.String(), "\n"), err
}
