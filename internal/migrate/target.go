package migrate

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// draft is the target as the source wants it, with the entries of its partition log.
func (s *Syncer) draft(ctx context.Context, p *pair) (*catalog.Table, *partition.Set, error) {
	src := p.source
	root, err := storage.ParseLocation(src.Location, "")
	if err != nil {
		return nil, nil, err
	}
	t := src.Clone()
	t.Securable = catalog.Securable{ID: catalog.NewID(), Name: p.req.Target[2], Owner: p.req.Owner, Comment: src.Comment}
	if p.target != nil {
		// It is the same table to those who hold grants on it or read its history.
		t.Securable = p.target.Securable
		t.Name, t.Comment = p.req.Target[2], src.Comment
		if p.req.Owner != "" {
			t.Owner = p.req.Owner
		}
	} else if t.Owner == "" {
		t.Owner = p.req.Actor
	}
	t.Version = 0
	if p.target != nil {
		t.Version = p.target.Version
	}
	t.SchemaID, t.Kind, t.Location = p.schema.ID, catalog.External, root.Modern().String()
	if err := catalog.ValidateName(p.targetCatalog.Rules, "table", t.Name); err != nil {
		return nil, nil, err
	}
	properties := src.Properties
	if s.described(src) {
		d, err := s.Logs.Definition(ctx, src)
		if err != nil {
			return nil, nil, err
		}
		t.Columns, t.Partition, properties = d.Columns, d.Partition, d.Properties
		p.inLog, p.readOnly = d.Properties, d.ReadOnly
		if d.Comment != "" {
			t.Comment = d.Comment
		}
	}
	t.Properties = ownProperties(properties)
	if to, ok := p.inLog[UpgradedTo]; ok {
		t.Properties[UpgradedTo] = to // the log says it of both
	}
	t.Properties[UpgradedFrom] = p.req.Source.String()
	entries, err := s.partitions(ctx, p, t, root)
	if t.Mode == catalog.Log {
		t.Properties[logProperty] = "true"
	}
	return t, entries, err
}

// partitions decides how the target knows its partitions, and what it registers. The target has to read what the source
// reads:
//
//   - a table with a log of its own has its partitions there;
//   - a source without registered partitions was never repaired: the directories are the truth, as for any external table;
//   - a source whose entries are what a listing of its directories finds needs no log;
//   - any other has a log of the same entries, and so has every source when a log is asked for.
//
// A target that is there keeps its way, because its partitions may have changed by its own writes since. Only when the source
// has got entries that no listing finds does a listing target turn to a log.
func (s *Syncer) partitions(ctx context.Context, p *pair, t *catalog.Table, root storage.Location) (*partition.Set, error) {
	none := partition.NewSet(t.PartitionLayout())
	t.Mode = catalog.Unpartitioned
	if hasLog(t.Format) {
		return none, nil
	}
	if refusal := entriesEligible(p.source, p.set, p.name()); refusal != nil {
		return none, refusal
	}
	if len(t.Partition) == 0 {
		return none, nil
	}
	entries, err := transfer(p.set, root)
	if err != nil {
		return none, err
	}
	t.Mode = catalog.Listing
	asked := strings.EqualFold(p.source.Properties[logProperty], "true")
	kept := p.target != nil && len(p.target.Partition) > 0
	switch {
	case kept && p.target.Mode == catalog.Log, !kept && (asked || p.req.WantLog):
		t.Mode = catalog.Log
	case kept:
		if offLayout(entries) {
			t.Mode = catalog.Log
		}
	case p.set.Len() > 0:
		found, err := s.found(ctx, p, entries, root)
		if err != nil {
			return none, err
		}
		if !found {
			t.Mode = catalog.Log
		}
	}
	if t.Mode != catalog.Log {
		return none, nil
	}
	switch strings.ToLower(t.Format) {
	case "parquet", "orc", "csv", "json":
		return entries, nil
	}
	return none, sqlerr.PartitionLogFormat(t.Format)
}

// found reports whether a listing of the source's directories gives its entries: no more, no fewer, and nothing that does not
// belong there.
func (s *Syncer) found(ctx context.Context, p *pair, entries *partition.Set, root storage.Location) (bool, error) {
	if offLayout(entries) {
		return false, nil
	}
	found, err := scan.Discover(ctx, s.Stores, root, entries.Columns(), scan.DiscoverOptions{CaseSensitive: p.req.CaseSensitive})
	if storage.KindOf(err) == storage.Unsupported {
		return false, nil // a store that this Tarn cannot list: the entries are all there is to know
	}
	if err != nil {
		return false, err
	}
	d := partition.Diff(entries, found, partition.DiffOptions{Mode: partition.SyncMode, Root: root.String()})
	return d.Adds+d.Drops+d.Stales+d.Skips == 0, nil
}

// offLayout reports whether an entry's directory is not made of key=value names, one a level: no listing would take it for that
// partition.
func offLayout(set *partition.Set) bool {
	for i := range set.Len() {
		if rel, abs := set.Path(i); abs != "" || !set.Canonical(i) && strings.Count(rel, "/") != len(set.Columns())-1 {
			return true
		}
	}
	return false
}

// transfer is the entries of a source without what is the source's own (counts, properties of commits), for a table at
// root.Modern(). All entries lie below root.
func transfer(set *partition.Set, root storage.Location) (*partition.Set, error) {
	ch := &partition.Changes{}
	to, same := root.Modern(), root.String() == root.Modern().String()
	for i := range set.Len() {
		e := partition.AddEntry{Values: set.Values(i), Properties: set.Properties(i)}
		rel, abs := set.Path(i)
		switch {
		case abs != "":
			loc, err := storage.ParseLocation(abs, "")
			if err != nil {
				return nil, err
			}
			e.Place.Location = abs
			if below, inside := root.Rel(loc); inside && !same {
				e.Place.Location = to.Join(below).String()
			}
		case set.Canonical(i):
		case strings.Count(rel, "/") == len(set.Columns())-1:
			e.Place.Dirs = strings.Split(rel, "/")
		default:
			e.Place.Location = to.Join(rel).String()
		}
		ch.Add(e)
	}
	return partition.NewSet(set.Columns()).Apply(ch, 0)
}

// merge is what makes have, the entries of the target, agree with want, those of the source. base are those that the source had
// when the two last agreed, or nil: an entry that is gone from the source goes, one that the target got by itself stays, and an
// entry that the target has moved stays where it is until the source moves it, too.
func merge(want, have, base *partition.Set) *partition.Changes {
	ch := &partition.Changes{}
	for i := range want.Len() {
		v := want.Values(i)
		k, there := have.Find(v)
		if there && (samePlace(want, i, have, k) || base != nil && unmoved(want, i, base)) {
			continue
		}
		ch.Put(partition.AddEntry{Values: v, Place: placeOf(want, i), Properties: want.Properties(i)})
	}
	if base == nil || !catalog.SameLayout(base.Columns(), have.Columns()) {
		return ch
	}
	for i := range have.Len() {
		v := have.Values(i)
		if _, wanted := want.Find(v); wanted {
			continue
		}
		if _, before := base.Find(v); before {
			ch.Drop(v)
		}
	}
	return ch
}

func samePlace(a *partition.Set, i int, b *partition.Set, k int) bool {
	ar, aa := a.Path(i)
	br, ba := b.Path(k)
	return ar == br && aa == ba
}

func unmoved(want *partition.Set, i int, base *partition.Set) bool {
	k, ok := base.Find(want.Values(i))
	return ok && samePlace(want, i, base, k)
}

func placeOf(set *partition.Set, i int) partition.Place {
	rel, abs := set.Path(i)
	switch {
	case abs != "":
		return partition.Place{Location: abs}
	case set.Canonical(i):
		return partition.Place{}
	}
	return partition.Place{Dirs: strings.Split(rel, "/")}
}

// sameEntries compares partitions and their places.
func sameEntries(a, b *partition.Set) bool {
	if a == nil || a.Len() != b.Len() || !catalog.SameLayout(a.Columns(), b.Columns()) {
		return false
	}
	for i := range a.Len() {
		k, ok := b.Find(a.Values(i))
		if !ok || !samePlace(a, i, b, k) {
			return false
		}
	}
	return true
}
