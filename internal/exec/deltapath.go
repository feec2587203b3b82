package exec

import (
	"context"
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// makesDeltaPath reports whether CREATE TABLE is about a Delta table by its path, which gets no name in a catalog. A name without a
// slash is that of a table in a schema that is called delta.
func (r *run) makesDeltaPath(n *ast.CreateTable) bool {
	name := n.Name.Ident()
	return n.Name.Computed == nil && isDeltaPath(name) && strings.Contains(name[1], "/") && isDelta(r.sourceName(n))
}

// createDeltaPath is CREATE TABLE delta.`path` and its relatives: the log is all that is made.
func (r *run) createDeltaPath(ctx context.Context, n *ast.CreateTable) (*Result, error) {
	name := n.Name.Ident()
	if err := r.checkGenerated(ctx, n, name); err != nil {
		return nil, err
	}
	t := &catalog.Table{Securable: r.securable(name[1], n.Comment), Kind: catalog.External, Format: deltaFormat, Options: properties(n.Options)}
	given, err := r.tableLocation(n, t)
	switch {
	case err != nil:
		return nil, err
	case given != nil:
		return nil, at(sqlerr.DuplicateLocation(), n.LocationAt)
	}
	loc, err := r.location(name[1])
	if err != nil {
		return nil, at(err, n.Name)
	}
	t.Location = loc.String()
	d := &newDelta{run: r, stmt: n, full: name, t: t, keys: append([]ast.Ident(nil), n.PartitionNames...)}
	done, err := d.placeAtPath(ctx, loc)
	if done || err != nil {
		return none(), err
	}
	if err := d.describe(ctx); err != nil {
		return nil, err
	}
	c, _, err := d.commit(ctx)
	if err != nil || n.Query == nil {
		return none(), err
	}
	res, told := reachOf(d.base, c)
	return r.writtenRow(res, told, res.Untouched, d.silent), nil
}

// placeAtPath is place for a table by its path; done means that there is nothing to do.
func (d *newDelta) placeAtPath(ctx context.Context, loc storage.Location) (done bool, err error) {
	n := d.stmt
	if d.log, err = d.x.Deltas.Open(loc); err != nil {
		return false, err
	}
	there, err := d.log.Exists(ctx)
	switch {
	case err != nil:
		return false, err
	case there && n.IfNotExists:
		return true, nil
	case there && !n.Replace:
		return false, sqlerr.TableAlreadyExists(d.full.Quoted()).At(n.Name.Span())
	case there:
		d.base, err = d.log.Snapshot(ctx, delta.At{})
		return false, err
	case n.MustExist:
		return false, sqlerr.TableOrViewNotFound(d.full.Quoted(), nil).At(n.Name.Span())
	}
	if err := d.overlapsNothing(ctx, loc); err != nil {
		return false, at(err, n.Name)
	}
	holds, err := d.log.HoldsFiles(ctx)
	if err == nil && holds {
		err = sqlerr.DeltaLocationNotEmpty(d.full.Quoted(), d.t.Location).At(n.Name.Span())
	}
	return false, err
}

// overlapsNothing refuses a path within the tables and volumes of a Unity-style catalog, or around them.
func (d *newDelta) overlapsNothing(ctx context.Context, loc storage.Location) error {
	return d.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		c, err := tx.Catalog(d.s.Catalog)
		if errors.Is(err, catalog.ErrNotFound) || err == nil && c.Rules != catalog.UnityRules {
			return nil
		}
		if err != nil {
			return err
		}
		return catalog.CheckOverlap(tx, catalog.LocatedTable, loc.String())
	})
}
