package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/types"
)

// copyApp is how the applications are called under which the log remembers what COPY INTO has loaded: one for each file, as it was.
const copyApp = "tarn.copyInto:"

// copying is a COPY INTO a Delta table before its files are read.
type copying struct {
	commit *delta.Change
	rows   deltaRows
	loads  int // files
	// skipped files were loaded before.
	skipped int64
}

// planCopyDelta finds the files to load. That a file is loaded is noted in the commit that adds its rows, so that each file is loaded
// once, whatever happens between.
func (r *run) planCopyDelta(ctx context.Context, n *ast.CopyInto, t *deltaTarget) (*copying, error) {
	if err := copyOptions(n, true); err != nil {
		return nil, err
	}
	format, err := checkFormat(n.Format.Name, n.Format)
	if err != nil {
		return nil, err
	}
	files, err := r.copySource(ctx, n, format)
	if err != nil {
		return nil, err
	}
	c := &delta.Change{}
	c.Reads.Apps = map[string]bool{}
	p := &copying{commit: c}
	now := r.now.UnixMilli()
	var paths []string
	for _, f := range files {
		path := f.Location().String()
		app := copyApp + path + "|" + decimal(f.Size) + "|" + decimal(f.ModTime.UnixMicro())
		if t.snap.Txn(app) != nil && !copyOption(n, "force") {
			p.skipped++
			continue
		}
		paths = append(paths, path)
		c.Reads.Apps[app] = true
		c.Txns = append(c.Txns, &protocol.Txn{AppID: app, LastUpdated: &now})
	}
	if p.loads = len(paths); p.loads == 0 {
		return p, nil
	}
	into, err := t.into()
	if err != nil {
		return nil, err
	}
	if copyOption(n, "mergeSchema") {
		if err := r.evolveCopy(ctx, n, t, &into, format, paths); err != nil {
			return nil, err
		}
	}
	p.rows = t.rows()
	p.rows.rels, p.rows.static, p.rows.fixed = newRelations(r), make([]types.Value, len(into.Keys)), make([]bool, len(into.Keys))
	p.rows.bind = func(ctx context.Context) (plan.Node, bool, error) {
		bound, err := r.bindCopy(ctx, n, p.rows.rels, into, format, paths)
		if err != nil {
			return nil, false, err
		}
		return bound.Root, bound.Ordered, nil
	}
	return p, nil
}

// copyDelta is COPY INTO a Delta table.
func (r *run) copyDelta(ctx context.Context, n *ast.CopyInto, t *deltaTarget) (*Result, error) {
	p, err := r.planCopyDelta(ctx, n, t)
	if err != nil {
		return nil, err
	}
	c := p.commit
	if p.loads == 0 {
		return copied(0, 0, p.skipped), nil
	}
	written, err := r.writeDeltaFiles(ctx, t.log, p.rows)
	if err != nil {
		return nil, err
	}
	t.evolveBy(c)
	c.Adds = written.adds
	c.Info = r.deltaInfo("COPY INTO", []protocol.Parameter{}, map[string]string{
		"numFiles": decimal(int64(len(written.adds))), "numOutputRows": decimal(written.rows), "numOutputBytes": decimal(written.bytes), "numLoadedFiles": decimal(int64(p.loads)),
	})
	if _, err := r.commitDelta(ctx, t, c); err != nil {
		written.discard(ctx)
		return nil, at(err, n.Table)
	}
	return copied(written.rows, p.loads, p.skipped), nil
}
