// Package repair makes a table's partition log agree with its directories (MSCK REPAIR TABLE), or tells how they differ.
// It discovers, compares and commits; what counts as a partition is package partition's to say.
//
// It must not import a parser, the session or an adapter.
package repair

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Request says which table is repaired, and how.
type Request struct {
	// Table is looked up anew in each attempt.
	Table catalog.ID
	// Name is the table's quoted name, for messages.
	Name string
	Mode partition.Mode
	// Scope limits the repair to partitions that satisfy all matchers, or all conjuncts over IDs (one column id per
	// partition column, evaluated in Context). Both may be empty.
	Matchers  []partition.Matcher
	Conjuncts []expr.Expr
	IDs       []expr.ColumnID
	Context   *expr.Context
	// DryRun changes nothing. Force lifts the guard against dropping most partitions.
	DryRun, Force bool
	// MaxDropFraction is the share of entries in scope above which dropping needs Force.
	MaxDropFraction float64
	CaseSensitive   bool
	Commit          catalog.Commit
	Progress        func(directories, partitions int)
	// Visible, when set, tells what writes under way make of the table's directories; it is asked after each listing.
	Visible func(ctx context.Context, root storage.Location) (*scan.Visibility, error)
}

// minGuarded is the number of entries below which the guard against dropping most of them does not apply: dropping 3 of 5 test
// partitions is everyday work.
const minGuarded = 20

// maxAttempts bounds how often a repair starts again because somebody else changed the table while it was listing.
const maxAttempts = 8

// Report is what a repair found and did.
type Report struct {
	*partition.Result
	// Applied tells whether a commit was made.
	Applied bool
	Found   int
}

// Repairer repairs tables.
type Repairer struct {
	Store  catalog.Store
	Stores *storage.Stores
}

// Run compares a table with its directories and, unless the request is a dry run, commits the changes in one
// transaction: all of them or none.
func (p *Repairer) Run(ctx context.Context, req Request) (*Report, error) {
	for range maxAttempts {
		report, err := p.attempt(ctx, req)
		if errors.Is(err, catalog.ErrVersionChanged) {
			continue
		}
		return report, err
	}
	return nil, sqlerr.ConcurrentConflict(req.Name)
}

func (p *Repairer) attempt(ctx context.Context, req Request) (*Report, error) {
	var t *catalog.Table
	var known *partition.Set
	err := p.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if t, err = tx.TableByID(req.Table); err != nil {
			return err
		}
		known, err = tx.Partitions(t.ID, 0)
		return err
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, sqlerr.TableOrViewNotFound(req.Name, nil)
	} else if err != nil {
		return nil, err
	}
	result, found, err := p.compare(ctx, req, t, known)
	if err != nil {
		return nil, err
	}
	report := &Report{Result: result, Found: found.Len()}
	if req.DryRun || result.Changes.Empty() {
		return report, nil
	}
	if err := guard(req, t, result, found.RootMissing); err != nil {
		return nil, err
	}
	var ordering sync.WaitGroup
	ordering.Go(result.Order) // the answer is put in order while the commit waits for the disk
	err = p.Store.Write(ctx, func(tx catalog.WriteTx) error {
		now := t.Clone()
		return tx.ApplyPartitions(now, result.Changes, req.Commit)
	})
	ordering.Wait()
	report.Applied = err == nil
	return report, err
}

// compare lists the table's directories, without opening one that is a partition, and diffs them with the log.
func (p *Repairer) compare(ctx context.Context, req Request, t *catalog.Table, known *partition.Set) (*partition.Result, *partition.Found, error) {
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, nil, err
	}
	found, err := scan.Discover(ctx, p.Stores, root, known.Columns(), scan.DiscoverOptions{CaseSensitive: req.CaseSensitive, Progress: req.Progress, Prune: inScope(req, known.Columns())})
	if err != nil {
		return nil, nil, err
	}
	if req.Visible != nil {
		// Looked up after the listing: whoever made a directory that was listed is known by now.
		view, err := req.Visible(ctx, root)
		if err != nil {
			return nil, nil, err
		}
		view.Present(found, root, known)
	}
	if found.RootMissing && req.Mode == partition.AddMode {
		return nil, nil, sqlerr.PathNotFound(t.Location)
	}
	opts := partition.DiffOptions{Mode: req.Mode, Root: root.String()}
	if err := scope(req, known, found, &opts); err != nil {
		return nil, nil, err
	}
	look := &looker{ctx: ctx, stores: p.Stores, root: root, known: known}
	opts.Gone = look.gone
	result := partition.Diff(known, found, opts)
	return result, found, look.err
}

// inScope tells which directories a repair looks into: a scope that rules out a value of the outer level spares the listing of
// what lies below, and the report of what is wrong there.
func inScope(req Request, cols []partition.Column) func(level int, v types.Value) bool {
	switch {
	case len(req.Matchers) > 0:
		return func(level int, v types.Value) bool {
			for _, m := range req.Matchers {
				if m.Col == level && !m.Matches(cols[level].Type, v) {
					return false
				}
			}
			return true
		}
	case len(req.Conjuncts) > 0:
		return scan.LevelFilter(req.Conjuncts, req.IDs, cols, req.Context)
	}
	return nil
}

// scope selects the entries and directories that the repair is about.
func scope(req Request, known *partition.Set, found *partition.Found, opts *partition.DiffOptions) (err error) {
	switch {
	case len(req.Matchers) > 0:
		opts.Known, opts.Leaves = known.Match(req.Matchers), found.Match(req.Matchers)
	case len(req.Conjuncts) > 0:
		if opts.Known, err = known.Where(req.Conjuncts, req.IDs, req.Context); err != nil {
			return err
		}
		opts.Leaves, err = found.Where(req.Conjuncts, req.IDs, req.Context)
	}
	return err
}

// looker looks at the directories of entries that discovery cannot have seen: those off the key=value layout or outside the
// table. A directory that cannot be looked at is an error, never an absence.
type looker struct {
	ctx    context.Context
	stores *storage.Stores
	root   storage.Location
	known  *partition.Set
	err    error
}

func (k *looker) gone(row int) bool {
	if k.err != nil {
		return false
	}
	loc, err := k.location(row)
	if err != nil {
		k.err = err
		return false
	}
	bucket, _, err := k.stores.Open(loc)
	if err != nil {
		k.err = err
		return false
	}
	exists, err := bucket.Exists(k.ctx, loc.DirKey())
	if err != nil {
		k.err = sqlerr.DirectoryUnreadable(loc.String(), storage.KindOf(err).String(), err)
		return false
	}
	return !exists
}

func (k *looker) location(row int) (storage.Location, error) {
	rel, abs := k.known.Path(row)
	if abs != "" {
		return storage.ParseLocation(abs, "")
	}
	return k.root.Join(rel), nil
}

// guard refuses a repair that looks like an accident: the storage is not mounted, or most of the table is gone.
func guard(req Request, t *catalog.Table, result *partition.Result, rootMissing bool) error {
	if req.Force || result.Drops == 0 {
		return nil
	}
	if rootMissing {
		return sqlerr.RepairRootMissing(req.Name, t.Location, result.Drops)
	}
	if partition.TooMany(result.Scope, result.Drops, req.MaxDropFraction, minGuarded) {
		return sqlerr.RepairWouldDropMost(req.Name, result.Drops, result.Scope, fmt.Sprint(req.MaxDropFraction))
	}
	return nil
}
