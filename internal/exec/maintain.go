package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/write"
)

// Recovered is what Recover did.
type Recovered struct {
	// Writes are the unfinished writes that were looked at.
	Writes []write.Outcome
	// Directories counts pieces of work on directories that were done; Left says what could not be.
	Directories int
	Left        []string
}

// Recover ends what interrupted processes left behind: writes are undone or finished, and directories deleted or moved. With
// dry nothing is changed.
func (x *Executor) Recover(ctx context.Context, dry bool) (Recovered, error) {
	var out Recovered
	var err error
	if out.Writes, err = x.Writes.Recover(ctx, dry); err != nil {
		return out, err
	}
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
	if err != nil || before == 0 || dry {
		out.Directories = before
		return out, err
	}
	if err := r.settle(ctx); err != nil {
		return out, err
	}
	for _, w := range s.Warnings() {
		out.Left = append(out.Left, w.Message)
	}
	after, err := count()
	out.Directories = before - after
	return out, err
}

// SettleWrite ends one unfinished write the way a person says: forward, back or accept.
func (x *Executor) SettleWrite(ctx context.Context, id, way string) (write.Outcome, error) {
	o, err := x.Writes.Settle(ctx, id, way)
	if err != nil {
		err = translate(ctx, err)
	}
	return o, err
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
