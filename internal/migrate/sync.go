package migrate

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// operation is SYNC's name in the history of both tables.
const operation = "SYNC"

// upToDate is the description of a table that nothing had to be done for.
const upToDate = "The table is up to date."

// tries bounds how often a table is looked at anew because others change it meanwhile.
const tries = 5

// pair is a source and what its target is now, as one snapshot of the catalog has them.
type pair struct {
	req           Request
	source        *catalog.Table
	set           *partition.Set // of the source
	schema        *catalog.Schema
	target        *catalog.Table // nil when there is none
	registered    *partition.Set // of the target
	base          *partition.Set // of the source when the target was last made from it; nil when unknown
	targetCatalog *catalog.Catalog
	inLog         map[string]string // the properties of a source that has a log
	readOnly      bool              // that log takes no commits of Tarn's
}

// name is the source's full name, quoted.
func (p *pair) name() string { return p.req.Source.Quoted() }

// Sync registers one table, or brings its target up to date. What is wrong with the table is told by the row; an error means
// that the catalog could not be asked, or that ctx ended.
func (s *Syncer) Sync(ctx context.Context, req Request) (Row, error) {
	row := Row{
		SourceSchema: req.Source[1], SourceName: req.Source[2],
		TargetCatalog: req.Target[0], TargetSchema: req.Target[1], TargetName: req.Target[2],
	}
	for attempt := 1; ; attempt++ {
		changed, text, err := s.attempt(ctx, req, &row)
		if errors.Is(err, catalog.ErrVersionChanged) && attempt < tries {
			continue
		}
		switch {
		case err == nil:
			row.Status, row.Description, row.Changed = Success, text, changed
			if req.DryRun {
				row.Status = DryRunSuccess
			}
			return row, nil
		case ctx.Err() != nil:
			return row, ctx.Err()
		}
		e, ok := failure(err, req)
		if !ok {
			return row, err
		}
		row.Status, row.Description = status(e), e.Error()
		return row, nil
	}
}

// failure is what is wrong with a table, in the words of its row; ok is false for what no other table would survive either.
func failure(err error, req Request) (*sqlerr.Error, bool) {
	var known *sqlerr.Error
	if errors.As(err, &known) {
		return known, true
	}
	if errors.Is(err, catalog.ErrVersionChanged) {
		return sqlerr.ConcurrentWriteConflict(req.Source.Quoted(), "others change it again and again", nil), true
	}
	var place *storage.Error
	if errors.As(err, &place) {
		return sqlerr.DirectoryUnreadable(place.Where, place.Kind.String(), err), true
	}
	return nil, false
}

// attempt looks, decides and commits once. text says in words what was done, or would be.
func (s *Syncer) attempt(ctx context.Context, req Request, row *Row) (changed bool, text string, err error) {
	p, err := s.read(ctx, req)
	if err != nil {
		return false, "", err
	}
	row.SourceSchema, row.SourceName, row.SourceType = p.req.Source[1], p.source.Name, string(p.source.Kind)
	row.TargetCatalog, row.TargetSchema, row.TargetName = p.req.Target[0], p.req.Target[1], p.req.Target[2]
	if e := s.eligible(p.source, p.name(), req.AsExternal); e != nil {
		return false, "", e
	}
	if err := replaceable(p); err != nil {
		return false, "", err
	}
	if s.upToDate(p) {
		return false, upToDate, nil
	}
	want, entries, err := s.draft(ctx, p)
	if err != nil {
		return false, "", err
	}
	if err := s.Store.Read(ctx, func(tx catalog.ReadTx) error { return overlap(tx, p, want) }); err != nil {
		return false, "", err
	}
	if req.DryRun {
		if s.agree(p, want) {
			return false, upToDate, nil
		}
		return true, p.words(want, entries, true), nil
	}
	s.point("sync.before")
	noted, err := s.note(ctx, p)
	if err != nil {
		return false, "", err
	}
	if noted { // the catalog's copy of the source may have changed with its log
		if p, err = s.read(ctx, p.req); err != nil {
			return false, "", err
		}
		if want, entries, err = s.draft(ctx, p); err != nil {
			return false, "", err
		}
	}
	err = s.Store.Write(ctx, func(tx catalog.WriteTx) (err error) {
		changed, err = s.commit(tx, p, want.Clone(), entries)
		return err
	})
	if err != nil {
		return false, "", err
	}
	s.point("sync.after")
	if changed = changed || noted; !changed {
		return false, upToDate, nil
	}
	return true, p.words(want, entries, false), nil
}

// note tells a source that has a log of its own where it went; other sources are told in the transaction that makes the target. Both
// tables have the one log, so that it holds both ends of the link.
func (s *Syncer) note(ctx context.Context, p *pair) (bool, error) {
	links := s.links(p)
	if len(links) == 0 {
		return false, nil
	}
	return true, s.Notes.SetProperties(ctx, p.source, links)
}

// links are what the log of the source has to be told; nil when it is nothing.
func (s *Syncer) links(p *pair) map[string]string {
	links := map[string]string{UpgradedTo: p.req.Target.String(), UpgradedFrom: p.req.Source.String()}
	if !s.noted(p) || p.req.KeepSource || p.inLog[UpgradedTo] == links[UpgradedTo] && p.inLog[UpgradedFrom] == links[UpgradedFrom] {
		return nil
	}
	return links
}

// agree reports whether the target is what it would become, and the source knows of it.
func (s *Syncer) agree(p *pair, want *catalog.Table) bool {
	linked := p.req.KeepSource || s.noted(p) || p.source.Properties[UpgradedTo] == p.req.Target.String()
	return p.target != nil && linked && len(s.links(p)) == 0 && p.same(want)
}

// read takes the snapshot.
func (s *Syncer) read(ctx context.Context, req Request) (*pair, error) {
	p := &pair{req: req}
	err := s.Store.Read(ctx, func(tx catalog.ReadTx) error { return p.load(tx) })
	return p, err
}

func (p *pair) load(tx catalog.ReadTx) (err error) {
	sourceCatalog, sourceSchema, err := namespace(tx, p.req.Source)
	if err != nil {
		return err
	}
	if p.source, err = tx.Table(sourceSchema.ID, p.req.Source[2]); errors.Is(err, catalog.ErrNotFound) {
		return sqlerr.TableOrViewNotFound(p.name(), nil)
	} else if err != nil {
		return err
	}
	// From here on names are spelled as the catalog spells them: the properties that link the tables hold them.
	p.req.Source = ident.Name{sourceCatalog.Name, sourceSchema.Name, p.source.Name}
	p.targetCatalog, p.schema, err = namespace(tx, p.req.Target)
	if p.req.NewSchema && errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
		p.schema, err = &catalog.Schema{Securable: catalog.Securable{Name: p.req.Target[1]}}, nil
	}
	if err != nil {
		return err
	}
	p.req.Target = ident.Name{p.targetCatalog.Name, p.schema.Name, p.req.Target[2]}
	if p.source.Kind == catalog.View {
		return nil
	}
	if p.set, err = tx.Partitions(p.source.ID, 0); err != nil {
		return err
	}
	if p.target, err = tx.Table(p.schema.ID, p.req.Target[2]); errors.Is(err, catalog.ErrNotFound) {
		p.target, err = renamed(tx, p)
	} else if err == nil {
		p.req.Target[2] = p.target.Name
	}
	if err != nil || p.target == nil || p.target.Kind == catalog.View {
		return err
	}
	if p.registered, err = tx.Partitions(p.target.ID, 0); err != nil {
		return err
	}
	version, ok := syncVersion(p.target)
	if !ok || !ident.Equal(p.target.Properties[UpgradedFrom], p.req.Source.String()) {
		return nil
	}
	p.base, err = tx.Partitions(p.source.ID, version)
	if errors.Is(err, catalog.ErrNotFound) { // the source was made anew
		p.base, err = nil, nil
	}
	return err
}

// namespace finds the catalog and the schema of a full name.
func namespace(tx catalog.ReadTx, name ident.Name) (*catalog.Catalog, *catalog.Schema, error) {
	c, err := tx.Catalog(name[0])
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil, sqlerr.CatalogNotFound(ident.Quote(name[0]))
	} else if err != nil {
		return nil, nil, err
	}
	s, err := tx.Schema(c.ID, name[1])
	if errors.Is(err, catalog.ErrNotFound) {
		return c, nil, sqlerr.SchemaNotFound(ident.Name{c.Name, name[1]}.Quoted())
	}
	return c, s, err
}

func syncVersion(t *catalog.Table) (int64, bool) {
	v, err := strconv.ParseInt(t.Properties[syncedVersion], 10, 64)
	return v, err == nil && v >= 0 // logs count from 0 on
}

// renamed finds the target of a source that was given another name since: the table that the source says it went to, in the same
// schema and at the same place, if it came from a name that is nobody's any more. Nil when there is none.
func renamed(tx catalog.ReadTx, p *pair) (*catalog.Table, error) {
	to := p.source.Properties[UpgradedTo]
	if to == "" || p.req.KeepSource {
		return nil, nil
	}
	all, err := tx.Tables(p.schema.ID)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		from := t.Properties[UpgradedFrom]
		if from == "" || ident.Equal(from, p.req.Source.String()) || !ident.Equal(to, ident.Name{p.targetCatalog.Name, p.schema.Name, t.Name}.String()) {
			continue
		}
		if t.Kind != catalog.External || catalog.LocationKey(t.Location) != catalog.LocationKey(p.source.Location) {
			continue
		}
		hive, err := tx.Catalog(p.req.Source[0])
		if err != nil {
			return nil, err
		}
		schemas, err := tx.Schemas(hive.ID)
		if err != nil {
			return nil, err
		}
		for _, sc := range schemas {
			others, err := tx.Tables(sc.ID)
			if err != nil {
				return nil, err
			}
			for _, o := range others {
				if ident.Equal(ident.Name{hive.Name, sc.Name, o.Name}.String(), from) {
					return nil, nil
				}
			}
		}
		return t, nil
	}
	return nil, nil
}

// replaceable refuses a target that is something else than the image of this source. An external table that nobody linked counts as
// one for the statement that names it, as in Databricks; what a migration comes across is left alone.
func replaceable(p *pair) error {
	if p.target == nil {
		return nil
	}
	from := p.target.Properties[UpgradedFrom]
	ours := from == "" && !p.req.KeepOthers || catalog.LocationKey(p.target.Location) == catalog.LocationKey(p.source.Location) || ident.Equal(from, p.req.Source.String()) || !ident.Equal(p.target.Name, p.req.Target[2])
	if p.target.Kind != catalog.External || !ours {
		return sqlerr.TableAlreadyExists(ident.Name{p.targetCatalog.Name, p.schema.Name, p.target.Name}.Quoted())
	}
	return nil
}

// upToDate reports whether the source has not changed since the target was made from it. A table with a log of its own may
// change without the catalog's version, and is looked at.
func (s *Syncer) upToDate(p *pair) bool {
	t := p.target
	if t == nil || s.described(p.source) || !ident.Equal(t.Name, p.req.Target[2]) || p.req.Owner != "" && p.req.Owner != t.Owner {
		return false
	}
	version, ok := syncVersion(t)
	linked := p.req.KeepSource || ident.Equal(p.source.Properties[UpgradedTo], p.req.Target.String())
	return ok && version == p.source.Version && linked && ident.Equal(t.Properties[UpgradedFrom], p.req.Source.String()) &&
		catalog.LocationKey(t.Location) == catalog.LocationKey(p.source.Location)
}

func (s *Syncer) described(t *catalog.Table) bool { return s.Logs != nil && hasLog(t.Format) }

// noted reports whether the source's own log holds its link.
func (s *Syncer) noted(p *pair) bool { return s.Notes != nil && s.described(p.source) && !p.readOnly }

func overlap(tx catalog.ReadTx, p *pair, want *catalog.Table) error {
	var except []catalog.ID
	if p.target != nil {
		except = append(except, p.target.ID)
	}
	return catalog.CheckOverlap(tx, catalog.LocatedTable, want.Location, except...)
}

// commit writes what was decided, if neither table has changed since it was read.
func (s *Syncer) commit(tx catalog.WriteTx, p *pair, want *catalog.Table, entries *partition.Set) (changed bool, err error) {
	if now, err := tx.TableByID(p.source.ID); err != nil || now.Version != p.source.Version {
		return false, errors.Join(err, catalog.ErrVersionChanged)
	}
	if err := overlap(tx, p, want); err != nil {
		return false, err
	}
	linked, version := p.source.Clone(), p.source.Version
	if to := p.req.Target.String(); !p.req.KeepSource && !s.noted(p) && linked.Properties[UpgradedTo] != to {
		if linked.Properties == nil {
			linked.Properties = map[string]string{}
		}
		linked.Properties[UpgradedTo] = to
		linked.StampChanged(s.Now(), p.req.Actor)
		if err := tx.UpdateTable(linked); err != nil {
			return false, err
		}
		if err := tx.AddCommit(linked, s.history(p)); err != nil {
			return false, err
		}
		changed, version = true, linked.Version
	}
	made, err := s.writeTarget(tx, p, want, entries, version)
	return changed || made, err
}

func (s *Syncer) history(p *pair) catalog.Commit {
	return catalog.Commit{At: s.Now(), Actor: p.req.Actor, Operation: operation, Statement: p.req.Statement}
}

// writeTarget makes the target, or replaces what differs. version is the source's, as it is after the statement.
func (s *Syncer) writeTarget(tx catalog.WriteTx, p *pair, want *catalog.Table, entries *partition.Set, version int64) (changed bool, err error) {
	if want.Properties == nil {
		want.Properties = map[string]string{}
	}
	if p.target == nil {
		want.Properties[syncedVersion] = strconv.FormatInt(version, 10)
		if err := tx.CreateTable(want); err != nil {
			if errors.Is(err, catalog.ErrExists) {
				return false, catalog.ErrVersionChanged
			}
			return false, err
		}
		if err := tx.AddCommit(want, s.history(p)); err != nil {
			return false, err
		}
		return true, s.register(tx, p, want, entries, partition.NewSet(want.PartitionLayout()))
	}
	if now, err := tx.TableByID(p.target.ID); err != nil || now.Version != p.target.Version {
		return false, errors.Join(err, catalog.ErrVersionChanged)
	}
	have := p.registered
	if !catalog.SameLayout(want.PartitionLayout(), have.Columns()) {
		have = partition.NewSet(want.PartitionLayout())
	}
	if p.same(want) {
		return false, nil
	}
	want.Properties[syncedVersion] = strconv.FormatInt(version, 10)
	want.StampChanged(s.Now(), p.req.Actor)
	if err := tx.UpdateTable(want); err != nil {
		return false, err
	}
	if err := tx.AddCommit(want, s.history(p)); err != nil {
		return false, err
	}
	if want.Mode != catalog.Log && have.Len() > 0 {
		return true, tx.ReplacePartitions(want, partition.NewSet(want.PartitionLayout()), s.history(p))
	}
	return true, s.register(tx, p, want, entries, have)
}

// register makes the partition log of the target agree with the source.
func (s *Syncer) register(tx catalog.WriteTx, p *pair, want *catalog.Table, entries, have *partition.Set) error {
	if want.Mode != catalog.Log {
		return nil
	}
	ch := merge(entries, have, p.base)
	if ch.Empty() {
		return nil
	}
	return tx.ApplyPartitions(want, ch, s.history(p))
}

// same reports whether the target is what the source wants, whatever version of the source it was made from.
func (p *pair) same(want *catalog.Table) bool {
	w := want.Clone()
	delete(w.Properties, syncedVersion)
	if old, ok := p.target.Properties[syncedVersion]; ok {
		w.Properties[syncedVersion] = old
	}
	moved := want.Mode == catalog.Log && !sameEntries(p.base, p.set)
	return !moved && sameDefinition(p.target, w)
}

// sameDefinition compares all that SYNC decides about a table.
func sameDefinition(a, b *catalog.Table) bool {
	x, y := a.Clone(), b.Clone()
	for _, t := range []*catalog.Table{x, y} {
		t.CreatedAt, t.UpdatedAt, t.CreatedBy, t.UpdatedBy, t.Version = a.CreatedAt, a.UpdatedAt, "", "", 0
		if len(t.Properties) == 0 {
			t.Properties = nil
		}
		if len(t.Options) == 0 {
			t.Options = nil
		}
		if len(t.Partition) == 0 {
			t.Partition = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

// words says what was done.
func (p *pair) words(want *catalog.Table, entries *partition.Set, dry bool) string {
	b := &strings.Builder{}
	verb := "The table was created"
	if p.target != nil {
		verb = "The table was brought up to date"
	}
	if dry {
		verb = "The table can be created"
		if p.target != nil {
			verb = "The table can be brought up to date"
		}
	}
	b.WriteString(verb)
	switch {
	case want.Mode == catalog.Log:
		b.WriteString(" with a partition log of the " + plural(entries.Len(), "registered partition"))
	case want.Mode == catalog.Listing && p.set.Len() == 0:
		b.WriteString("; nobody had registered partitions, so its directories are listed")
	case want.Mode == catalog.Listing:
		b.WriteString("; its partitions are found by listing its directories")
	}
	return b.String() + "."
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// ownProperties are the source's properties that the target takes over.
func ownProperties(all map[string]string) map[string]string {
	out := maps.Clone(all)
	if out == nil {
		out = map[string]string{}
	}
	for k := range out {
		switch {
		case strings.EqualFold(k, UpgradedTo), strings.EqualFold(k, UpgradedFrom), strings.EqualFold(k, syncedVersion),
			strings.EqualFold(k, logProperty), strings.EqualFold(k, readersProperty):
			delete(out, k)
		}
	}
	return out
}
