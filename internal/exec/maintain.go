package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/session"
)

// Recover does the work on directories that interrupted processes left behind. It returns how much was done, and what could
// not be.
func (x *Executor) Recover(ctx context.Context) (done int, left []string, err error) {
	s := session.New(nil, "", "/")
	s.Begin()
	r := &run{x: x, s: s, now: x.Now().UTC()}
	count := func() (n int, err error) {
		err = x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			ps, err := tx.Pendings()
			for _, p := range ps {
				if p.Kind != pendingVacuum {
					n++
				}
			}
			return err
		})
		return n, err
	}
	before, err := count()
	if err != nil || before == 0 {
		return 0, nil, err
	}
	if err := r.settle(ctx); err != nil {
		return 0, nil, err
	}
	for _, w := range s.Warnings() {
		left = append(left, w.Message)
	}
	after, err := count()
	return before - after, left, err
}

// NamesFor lists names that a session may want to type: tables and views of the current schema, schemas, catalogs.
func (x *Executor) NamesFor(ctx context.Context, s *session.Session) []string {
	var out []string
	for _, v := range s.Views(false) {
		out = append(out, ident.QuoteIfNeeded(v.Name))
	}
	err := x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, s.Catalog, s.Schema)
		if err != nil {
			return err
		}
		ts, err := tx.Tables(p.schema.ID)
		if err != nil {
			return err
		}
		for _, t := range ts {
			out = append(out, ident.QuoteIfNeeded(t.Name))
		}
		ss, err := tx.Schemas(p.catalog.ID)
		if err != nil {
			return err
		}
		for _, x := range ss {
			out = append(out, ident.QuoteIfNeeded(x.Name))
		}
		cs, err := tx.Catalogs()
		for _, c := range cs {
			out = append(out, ident.QuoteIfNeeded(c.Name))
		}
		return err
	})
	if err != nil {
		return nil // completion offers less, and says nothing
	}
	return out
}

// TablesAt lists the full names of tables whose location is exactly the given one.
func (x *Executor) TablesAt(ctx context.Context, location string) ([]string, error) {
	var out []string
	err := x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		near, err := tx.Overlapping(location)
		for _, l := range near {
			if l.What == catalog.LocatedTable && catalog.LocationKey(l.Location) == catalog.LocationKey(location) {
				out = append(out, l.Name)
			}
		}
		return err
	})
	return out, err
}
