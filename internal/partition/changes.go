package partition

import (
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// Failures of Apply.
var (
	// ErrExists: an added or renamed partition has the values of one that is there.
	ErrExists = errors.New("the partition exists")
	// ErrMissing: a dropped, renamed or relocated partition is not there.
	ErrMissing = errors.New("the partition does not exist")
	// ErrRecorded: a renamed partition has recorded content, whose file sets name its values. It is dropped and put instead.
	ErrRecorded = errors.New("the files of the partition are recorded")
)

// Place is where a partition's directory is. The zero Place is the canonical directory of the values.
type Place struct {
	// Dirs are the names of the directories from the table's location down, when they are not the canonical ones.
	Dirs []string
	// Location is an absolute location outside the table's; Dirs is nil then.
	Location string
}

// AddEntry is a partition to add or put.
type AddEntry struct {
	Values     Values
	Place      Place
	Properties map[string]string
	Content    Content
}

// RenameEntry gives a partition other values. Its directory stays where it is, unless Moved tells that it is now the
// canonical one of the new values.
type RenameEntry struct {
	From, To Values
	Moved    bool
}

// RelocateEntry makes a partition's directory another one. What was recorded of its content is forgotten.
type RelocateEntry struct {
	Values Values
	Place  Place
}

// Changes is what one commit does to a Set: drops first, then renames, relocations and adds, then puts. So one commit may drop a
// partition and add one of the same values. The zero Changes change nothing.
type Changes struct {
	adds      []AddEntry
	drops     []Values
	renames   []RenameEntry
	relocates []RelocateEntry
	puts      []AddEntry
	// leaves are adds that a repair found, and gone are rows of a set to drop; both as codes.
	leaves []*block
	gone   []*block
}

// Add appends adds to the changes. Values are brought to canonical form by Apply.
func (c *Changes) Add(entries ...AddEntry) { c.adds = append(c.adds, entries...) }

// Put appends puts: each adds a partition, or replaces wholly (place, properties, content) the one that has its values. Of
// several with the same values the last counts.
func (c *Changes) Put(entries ...AddEntry) { c.puts = append(c.puts, entries...) }

// Drop appends drops.
func (c *Changes) Drop(values ...Values) { c.drops = append(c.drops, values...) }

// DropRows appends drops of the rows of s that sel selects.
func (c *Changes) DropRows(s *Set, sel *Selection) {
	rows := make([]uint32, 0, sel.Len())
	for i := range sel.Rows() {
		rows = append(rows, uint32(i))
	}
	c.dropRows(s, rows)
}

func (c *Changes) dropRows(s *Set, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	b := &block{
		n: len(rows), domains: append([]domain(nil), s.domains...), codes: make([][]uint32, len(s.cols)),
		spellings: make([]labels, len(s.cols)), gens: gens{values: []int64{0}}, dropped: true,
	}
	for k := range s.cols {
		b.codes[k] = make([]uint32, len(rows))
		for i, r := range rows {
			b.codes[k][i] = s.keys[k].at(int(r))
		}
	}
	c.gone = append(c.gone, b)
}

// Rename appends renames.
func (c *Changes) Rename(entries ...RenameEntry) { c.renames = append(c.renames, entries...) }

// Relocate appends relocations.
func (c *Changes) Relocate(entries ...RelocateEntry) { c.relocates = append(c.relocates, entries...) }

// Empty reports whether nothing changes.
func (c *Changes) Empty() bool { return c.size() == 0 }

// size is the number of changes.
func (c *Changes) size() int {
	n := len(c.adds) + len(c.drops) + len(c.renames) + len(c.relocates) + len(c.puts)
	for _, b := range c.leaves {
		n += b.n
	}
	for _, b := range c.gone {
		n += b.n
	}
	return n
}

// Counts are the numbers of partitions added to s, dropped from it, and changed in place (renamed, relocated, or put where one
// with these values is and stays).
func (c *Changes) Counts(s *Set) (added, dropped, changed int) {
	added, dropped, changed = len(c.adds), len(c.drops), len(c.renames)+len(c.relocates)
	for _, b := range c.leaves {
		added += b.n
	}
	for _, b := range c.gone {
		dropped += b.n
	}
	if len(c.puts) > 0 {
		put, replaced := c.countPuts(s)
		added, changed = added+put, changed+replaced
	}
	return added, dropped, changed
}

// countPuts counts the puts that add and those that replace. What the other changes add or take away counts with them.
func (c *Changes) countPuts(s *Set) (added, replaced int) {
	var buf []byte
	seen, away := make(map[string]bool, len(c.puts)), map[string]bool{}
	note := func(in map[string]bool, v Values) {
		buf = appendValuesKey(buf[:0], s.cols, v)
		in[string(buf)] = true
	}
	for _, v := range c.drops {
		note(away, v)
	}
	for _, r := range c.renames {
		note(away, r.From)
		note(seen, r.To)
	}
	for _, b := range c.gone {
		for i := range b.n {
			note(away, b.values(s.cols, i))
		}
	}
	for _, e := range c.adds {
		note(seen, e.Values)
	}
	for _, b := range c.leaves {
		for i := range b.n {
			note(seen, b.values(s.cols, i))
		}
	}
	for _, e := range c.puts {
		buf = appendValuesKey(buf[:0], s.cols, e.Values)
		if seen[string(buf)] {
			continue
		}
		seen[string(buf)] = true
		if _, there := s.Find(CanonicalValues(s.cols, e.Values)); there && !away[string(buf)] {
			replaced++
		} else {
			added++
		}
	}
	return added, replaced
}

// Apply is the set after the changes; changed entries get gen. An *EntryError wrapping ErrExists, ErrMissing or ErrRecorded
// names the entries that do not fit; then nothing is changed.
func (s *Set) Apply(c *Changes, gen int64) (*Set, error) {
	if c.Empty() {
		return s, nil
	}
	blocks, err := s.overlay(c, gen)
	if err != nil {
		return nil, err
	}
	b, err := fold(s.cols, strictFold, append([]*block{s.block(0, s.n)}, blocks...)...)
	if err != nil {
		return nil, err
	}
	return freeze(s.cols, b), nil
}

// overlay is the changes as blocks: drops, then adds. What is changed in place is dropped and added again.
func (s *Set) overlay(c *Changes, gen int64) ([]*block, error) {
	var drops, adds []AddEntry
	for _, v := range c.drops {
		drops = append(drops, AddEntry{Values: v})
	}
	var missing, recorded EntryError
	change := func(from, to Values, place func(row int) Place) {
		from = CanonicalValues(s.cols, from)
		row, ok := s.Find(from)
		if !ok {
			missing.note(ErrMissing, s.cols, from)
			return
		}
		drops = append(drops, AddEntry{Values: from})
		adds = append(adds, AddEntry{Values: to, Place: place(row), Properties: s.Properties(row)})
	}
	for _, r := range c.renames {
		change(r.From, r.To, func(row int) Place {
			if s.Content(row).Recorded {
				recorded.note(ErrRecorded, s.cols, s.Values(row))
			}
			if r.Moved {
				return Place{}
			}
			p := s.place(row)
			if p.Location == "" && len(p.Dirs) == 0 {
				rel, _ := s.Path(row)
				p.Dirs = strings.Split(rel, "/")
			}
			return p
		})
	}
	for _, r := range c.relocates {
		change(r.Values, r.Values, func(int) Place { return r.Place })
	}
	switch {
	case missing.Err != nil:
		return nil, &missing
	case recorded.Err != nil:
		return nil, &recorded
	}
	var blocks []*block
	if len(drops) > 0 {
		b := entryBlock(s.cols, drops, gen)
		b.dropped = true
		blocks = append(blocks, b)
	}
	blocks = append(blocks, c.gone...)
	if adds = append(adds, c.adds...); len(adds) > 0 {
		blocks = append(blocks, entryBlock(s.cols, adds, gen))
	}
	for _, b := range c.leaves {
		stamped := *b
		stamped.gens = gens{values: []int64{gen}}
		blocks = append(blocks, &stamped)
	}
	if len(c.puts) > 0 {
		b := entryBlock(s.cols, c.puts, gen)
		b.replaces = true
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// SpecText is the canonical, escaped text of a partition's values: year=2021/month=1.
func SpecText(cols []Column, v Values) string {
	var dst []byte
	for c, col := range cols {
		if c > 0 {
			dst = append(dst, '/')
		}
		var value types.Value
		if c < len(v) {
			value = Canonical(col, v[c])
		}
		dst = appendSegment(dst, col, value)
	}
	return string(dst)
}

// EntryError names the partitions for which Apply failed.
type EntryError struct {
	Err    error // ErrExists, ErrMissing or ErrRecorded
	Specs  []string
	Values []Values // of Specs
}

// Error implements error.
func (e *EntryError) Error() string { return e.Err.Error() + ": " + strings.Join(e.Specs, ", ") }

func (e *EntryError) note(err error, cols []Column, v Values) {
	e.Err = err
	e.Values = append(e.Values, v)
	e.Specs = append(e.Specs, SpecText(cols, v))
}

// Unwrap returns Err.
func (e *EntryError) Unwrap() error { return e.Err }
