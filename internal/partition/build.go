package partition

import (
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// entryBlock is entries, unsorted, in the working form. Their values are brought to canonical form.
func entryBlock(cols []Column, entries []AddEntry, gen int64) *block {
	b := &block{
		n: len(entries), domains: make([]domain, len(cols)), codes: make([][]uint32, len(cols)),
		spellings: make([]labels, len(cols)), gens: gens{values: []int64{gen}},
	}
	values := make([]Values, len(entries))
	for i, e := range entries {
		values[i] = CanonicalValues(cols, e.Values)
	}
	for c, col := range cols {
		b.domains[c], b.codes[c] = buildDomain(col.Type, len(entries), func(i int) types.Value { return values[i][c] })
	}
	spellings := make([]labeler, len(cols))
	var prefix labeler
	var content recorder
	for i, e := range entries {
		p := resolvePlace(cols, values[i], e.Place)
		for c, name := range p.spelled {
			spellings[c].set(i, len(entries), name)
		}
		prefix.set(i, len(entries), p.prefix)
		content.set(i, len(entries), e.Content)
		if p.rel != "" || p.abs != "" || len(e.Properties) > 0 {
			b.odd = append(b.odd, oddity{row: uint32(i), rel: p.rel, abs: p.abs, properties: e.Properties})
		}
	}
	for c := range cols {
		b.spellings[c] = spellings[c].labels
	}
	b.prefix = prefix.labels
	b.content = content.done()
	return b
}

// labeler fills a labels column name by name.
type labeler struct {
	labels
	byName map[string]uint32
}

func (l *labeler) set(row, n int, name string) {
	if name == "" {
		return
	}
	if l.codes == nil {
		l.codes, l.byName = make([]uint32, n), map[string]uint32{}
	}
	code, ok := l.byName[name]
	if !ok {
		l.names = append(l.names, name)
		code = uint32(len(l.names))
		l.byName[name] = code
	}
	l.codes[row] = code
}

// resolved is a Place taken apart: either a pattern (prefix, then per level a spelling, "" for the canonical one), or a
// location rel or abs.
type resolved struct {
	prefix   string
	spelled  []string
	rel, abs string
}

// resolvePlace finds the pattern of a place. A directory that follows the layout but stands for another value (after
// ALTER TABLE … RENAME PARTITION of an external table) is no spelling: it becomes a location, so that every spelling in a
// Set has the value of its row.
func resolvePlace(cols []Column, values Values, p Place) resolved {
	if p.Location != "" {
		return resolved{abs: p.Location}
	}
	if len(p.Dirs) == 0 {
		return resolved{}
	}
	lead := len(p.Dirs) - len(cols)
	if lead < 0 {
		return resolved{rel: strings.Join(p.Dirs, "/")}
	}
	out := resolved{prefix: strings.Join(p.Dirs[:lead], "/"), spelled: make([]string, len(cols))}
	for c, col := range cols {
		dir := p.Dirs[lead+c]
		if dir == Segment(col, values[c]) {
			continue
		}
		if !spells(col, dir, values[c]) {
			return resolved{rel: strings.Join(p.Dirs, "/")}
		}
		out.spelled[c] = dir
	}
	return out
}

// spells reports whether a directory's name stands for a value of the column.
func spells(col Column, dir string, want types.Value) bool {
	name, text, raw, ok := SplitSegment(dir)
	if !ok || raw == "" || !strings.EqualFold(name, col.Name) {
		return false
	}
	got, err := ParseValue(col, text)
	if err != nil || (got == nil) != (want == nil) {
		return false
	}
	return got == nil || keyOf(col.Type, got) == keyOf(col.Type, want)
}

// leafBlock is leaves of a Found, unsorted, in the working form.
func leafBlock(f *Found, leaves []uint32, gen int64) *block {
	return blockOf(f, leaves, gen, f.domain)
}

// blockOf is leafBlock for a caller that has the dictionaries already.
func blockOf(f *Found, leaves []uint32, gen int64, dictionary func(level int) (domain, []uint32)) *block {
	cols := f.Columns
	b := &block{
		n: len(leaves), domains: make([]domain, len(cols)), codes: make([][]uint32, len(cols)),
		spellings: make([]labels, len(cols)), gens: gens{values: []int64{gen}},
	}
	for c, col := range cols {
		d, code := dictionary(c)
		b.domains[c] = d
		b.codes[c] = make([]uint32, len(leaves))
		spellings, codes := f.level(c)
		name := make([]uint32, len(spellings)) // of each spelling: 0 when canonical
		var l labels
		for k, sp := range spellings {
			if !isSegment(col, sp) {
				l.names = append(l.names, sp.Dir)
				name[k] = uint32(len(l.names))
			}
		}
		if len(l.names) > 0 {
			l.codes = make([]uint32, len(leaves))
		}
		for i, leaf := range leaves {
			k := codes[leaf]
			b.codes[c][i] = code[k]
			if l.codes != nil {
				l.codes[i] = name[k]
			}
		}
		b.spellings[c] = l
	}
	return b
}

// isSegment reports whether a spelling is the canonical one of its value.
func isSegment(col Column, sp Spelling) bool {
	var buf [128]byte
	return string(appendSegment(buf[:0], col, sp.Value)) == sp.Dir
}

// domain is the dictionary of a level's values, and the code of each spelling's value.
func (f *Found) domain(level int) (domain, []uint32) {
	spellings, _ := f.level(level)
	col := f.Columns[level]
	return buildDomain(col.Type, len(spellings), func(i int) types.Value { return Canonical(col, spellings[i].Value) })
}

// foldMode says what fold makes of changes that do not fit.
type foldMode uint8

const (
	// strictFold: dropping what is not there and adding what is there is an *EntryError.
	strictFold foldMode = iota
	// laxFold: the later block wins. The first block comes from storage: rows out of order there are ErrCorrupt.
	laxFold
)

// fold lays blocks over one another: rows of equal values meet in the order of their blocks. A dropped block's row takes the one
// below away; another block's row replaces it. The first block is the base, in order; the others need not be. The result is
// sorted and tidy.
func fold(cols []Column, mode foldMode, blocks ...*block) (*block, error) {
	all, from := concat(len(cols), blocks)
	keys := packKeys(all.codes, all.sizes(), all.n)
	base := from[1]
	if !ascending(keys[:base]) {
		return nil, corrupt("partitions are out of order or twice there")
	}
	if base == all.n {
		return blocks[0], nil
	}
	top := count(all.n)[base:]
	topKeys := append([]uint64(nil), keys[base:]...)
	sortRows(topKeys, top)
	f := folder{strict: mode == strictFold, blocks: blocks, from: from, rows: make([]uint32, 0, all.n)}
	i := 0
	for j := 0; j < len(top); {
		k := topKeys[j]
		for ; i < base && keys[i] < k; i++ {
			f.rows = append(f.rows, uint32(i))
		}
		f.begin()
		if i < base && keys[i] == k {
			f.meet(uint32(i))
			i++
		}
		for ; j < len(top) && topKeys[j] == k; j++ {
			f.meet(top[j])
		}
		f.end()
	}
	for ; i < base; i++ {
		f.rows = append(f.rows, uint32(i))
	}
	if err := f.failure(cols, all); err != nil {
		return nil, err
	}
	return all.gather(f.rows), nil
}

// folder follows what happens to one partition from block to block.
type folder struct {
	strict          bool
	blocks          []*block
	from            []int
	rows            []uint32
	present         bool
	row             uint32
	lastDrop        int // block that dropped it last: the same drop twice is one
	exists, missing []uint32
}

func (f *folder) begin() { f.present, f.lastDrop = false, -1 }

func (f *folder) end() {
	if f.present {
		f.rows = append(f.rows, f.row)
	}
}

func (f *folder) meet(row uint32) {
	at := sort.Search(len(f.blocks), func(i int) bool { return f.from[i+1] > int(row) })
	switch {
	case !f.blocks[at].dropped:
		if f.present && f.strict && !f.blocks[at].replaces {
			f.exists = append(f.exists, row)
		}
		f.present, f.row = true, row
	case f.present:
		f.present, f.lastDrop = false, at
	case f.strict && f.lastDrop != at:
		f.missing = append(f.missing, row)
	}
}

func (f *folder) failure(cols []Column, all *block) error {
	switch {
	case len(f.missing) > 0:
		return entryError(ErrMissing, cols, all, f.missing)
	case len(f.exists) > 0:
		return entryError(ErrExists, cols, all, f.exists)
	}
	return nil
}

func entryError(err error, cols []Column, b *block, rows []uint32) *EntryError {
	e := &EntryError{Err: err}
	for _, r := range rows {
		var spec []byte
		values := make(Values, len(cols))
		for c, col := range cols {
			code := b.codes[c][r]
			values[c] = b.domains[c].value(col.Type, code)
			if c > 0 {
				spec = append(spec, '/')
			}
			spec = appendCode(spec, col, &b.domains[c], code)
		}
		e.Specs = append(e.Specs, string(spec))
		e.Values = append(e.Values, values)
	}
	return e
}
