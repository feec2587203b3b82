package partition

import (
	"math"
	"slices"
	"strings"
)

// Mode says what a repair may do.
type Mode uint8

// The modes of repair.
const (
	AddMode Mode = iota
	DropMode
	SyncMode
)

// DiffOptions steers Diff.
type DiffOptions struct {
	Mode Mode
	// Root is the table's absolute location; entries whose absolute location lies below it are recognised by it.
	Root string
	// Known and Leaves limit the repair to these rows of the Set and leaves of the Found; nil for all.
	Known, Leaves *Selection
	// Gone reports whether the directory of an entry is gone that discovery cannot have seen: one outside the table's
	// location or off the key=value layout. Nil keeps all of them.
	Gone func(row int) bool
}

// Result is the difference between what is known and what was found. It does not hold the Found, whose names are many times what
// the changes need.
type Result struct {
	// Changes makes the log agree, as far as the mode allows.
	Changes *Changes
	// Adds, Drops, Stales and Skips count the actions.
	Adds, Drops, Stales, Skips int
	// Scope is the number of known entries that the repair was about.
	Scope int

	known  *Set
	drops  []uint32 // rows
	stales []uint32 // rows
	skips  []Action
	order  []uint32 // see Order
}

// Diff compares the log with the tree. Identity is the typed value. It costs a sort of codes and one merge; no text is
// made but for entries that discovery cannot match by value.
//
// Of several directories of one value the log keeps the registered one; else the one that is spelled canonically is added,
// else the first in byte order; the others are skipped. A directory that is the location of another entry is not added. An
// entry whose directory was looked for and not found is MISSING.
func Diff(known *Set, found *Found, opts DiffOptions) *Result {
	d := &differ{
		known: known, found: found, opts: opts,
		result: &Result{Changes: &Changes{}, known: known, Scope: known.n},
	}
	if opts.Known != nil {
		d.result.Scope = opts.Known.Len()
	}
	d.nameSpellings()
	d.claim()
	d.merge()
	d.finish()
	return d.result
}

// differ holds the state of one Diff.
type differ struct {
	known  *Set
	found  *Found
	opts   DiffOptions
	result *Result

	adds         []uint32        // leaves
	claims       map[string]int  // location below the root → row, of entries that do not follow the layout
	claimed      map[uint32]int  // leaf → row whose location it is or overlaps, filled as leaves are matched with claims
	seen         map[int]bool    // rows whose off-layout location is a leaf that was found
	unlooked     map[string]bool // directories that discovery saw but did not look into
	names        [][]uint32      // per level and spelling: 0 when canonical, else the known set's code of that name
	dictionaries []dictionary    // see dictionary
	spelled      []int           // levels at which some spelling, known or found, is not the canonical one
}

// strange is the name code of a spelling that no entry of the known set has.
const strange = math.MaxUint32

// claim records the entries off the layout whose directory lies below the root, so that a leaf there, above or below it is not
// added under the value that its name spells: its files would be counted twice.
func (d *differ) claim() {
	for _, o := range d.known.odd {
		rel := o.rel
		if o.abs != "" && d.opts.Root != "" {
			if below, ok := strings.CutPrefix(o.abs, strings.TrimRight(d.opts.Root, "/")+"/"); ok {
				rel = strings.Trim(below, "/")
			}
		}
		if rel == "" {
			continue
		}
		if d.claims == nil {
			d.claims, d.claimed, d.seen = map[string]int{}, map[uint32]int{}, map[int]bool{}
		}
		d.claims[rel] = int(o.row)
	}
	if d.claims == nil || d.found.Len() == 0 {
		return
	}
	levels := len(d.found.Columns)
	byName := make([]map[string]uint32, levels)
	for l := range byName {
		byName[l] = make(map[string]uint32, len(d.found.Levels[l]))
		for k, sp := range d.found.Levels[l] {
			byName[l][sp.Dir] = uint32(k)
		}
	}
	// Only names on claims are looked up: per depth, the tree paths that are claimed, or that lie above a claim at a leaf's depth.
	wanted := make([]map[string]int, levels+1)
	want := func(dirs []string, row int) {
		if tuple, ok := tupleOf(dirs, byName); ok {
			if wanted[len(dirs)] == nil {
				wanted[len(dirs)] = map[string]int{}
			}
			wanted[len(dirs)][tuple] = row
		}
	}
	exact := map[string]int{}
	for rel, row := range d.claims {
		dirs := strings.Split(rel, "/")
		if len(dirs) == levels {
			exact[rel] = row
		} else if d.opts.Mode == AddMode || d.opts.Gone == nil || !d.opts.Gone(row) {
			want(dirs[:min(levels, len(dirs))], row)
		}
	}
	for rel, row := range exact {
		want(strings.Split(rel, "/"), row)
	}
	if !slices.ContainsFunc(wanted, func(m map[string]int) bool { return m != nil }) {
		return
	}
	buf := make([]byte, 0, 4*levels)
	for leaf := range d.found.Len() {
		buf = buf[:0]
		for l := range levels {
			buf = appendCode32(buf, d.found.Codes[l][leaf])
			if row, ok := wanted[l+1][string(buf)]; ok {
				d.claimed[uint32(leaf)] = row
			}
		}
		if row, ok := d.claimed[uint32(leaf)]; ok && d.isPlace(leaf, row) {
			d.seen[row] = true
		}
	}
}

// isPlace reports whether a leaf is the location of an entry off the layout.
func (d *differ) isPlace(leaf, row int) bool {
	at, ok := d.claims[d.path(uint32(leaf))]
	return ok && at == row
}

func tupleOf(dirs []string, byName []map[string]uint32) (string, bool) {
	var buf []byte
	for l, dir := range dirs {
		code, ok := byName[l][dir]
		if !ok {
			return "", false
		}
		buf = appendCode32(buf, code)
	}
	return string(buf), true
}

func appendCode32(dst []byte, c uint32) []byte {
	return append(dst, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
}

// merge walks the known rows and the leaves in the order of their values.
func (d *differ) merge() {
	k, f := d.known.n, d.found.Len()
	columns, sizes := d.columns(k, f)
	keys := packKeys(columns, sizes, k+f)
	knownKeys, leafKeys := keys[:k], keys[k:]
	leaves := count(f)
	sortRows(leafKeys, leaves)
	d.adds = make([]uint32, 0, max(0, f-k))
	i, j := 0, 0
	for i < k || j < f {
		switch {
		case j == f || i < k && knownKeys[i] < leafKeys[j]:
			d.alone(i)
			i++
		default:
			end := j + 1
			for end < f && leafKeys[end] == leafKeys[j] {
				end++
			}
			row := -1
			if i < k && knownKeys[i] == leafKeys[j] {
				row = i
				i++
			}
			d.meet(row, leaves[j:end])
			j = end
		}
	}
}

// columns is the codes of all known rows and then of all leaves, over common dictionaries.
func (d *differ) columns(k, f int) (columns [][]uint32, sizes []int) {
	for c := range d.known.cols {
		column := make([]uint32, k+f)
		theirs, ofSpelling := domain{form: formOf(d.known.cols[c].Type)}, []uint32(nil)
		if f > 0 {
			theirs, ofSpelling = d.dictionary(c)
		}
		union, maps := mergeDomains([]*domain{&d.known.domains[c], &theirs})
		d.known.keys[c].translate(column[:k], maps[0])
		if f > 0 {
			code := compose(ofSpelling, maps[1])
			for r, s := range d.found.Codes[c][:f] {
				column[k+r] = code[s]
			}
		}
		columns, sizes = append(columns, column), append(sizes, union.size())
	}
	return columns, sizes
}

// dictionary is the values of a level and the code of each spelling's; it is made once.
func (d *differ) dictionary(level int) (domain, []uint32) {
	if d.dictionaries == nil {
		d.dictionaries = make([]dictionary, len(d.found.Columns))
	}
	e := &d.dictionaries[level]
	if e.codes == nil {
		e.domain, e.codes = d.found.domain(level)
	}
	return e.domain, e.codes
}

type dictionary struct {
	domain
	codes []uint32
}

func (d *differ) inScope(row int) bool { return d.opts.Known == nil || d.opts.Known.Contains(row) }

// alone is an entry for whose values no directory was found.
func (d *differ) alone(row int) {
	if d.inScope(row) && d.vanished(row) {
		d.missing(row)
	}
}

// vanished reports whether the directory of an entry is gone, when no leaf is it by value and spelling.
func (d *differ) vanished(row int) bool {
	if !d.known.ordinary(row) {
		return !d.seen[row] && d.opts.Gone != nil && d.opts.Gone(row)
	}
	return !d.unknown(row)
}

func (d *differ) missing(row int) {
	if d.opts.Mode == AddMode {
		d.result.stales = append(d.result.stales, uint32(row))
	} else {
		d.result.drops = append(d.result.drops, uint32(row))
	}
}

// meet is the leaves of one value, and the entry of that value (row, -1 for none).
func (d *differ) meet(row int, leaves []uint32) {
	replaced := false
	if row >= 0 {
		at := -1
		if d.known.ordinary(row) {
			at = slices.IndexFunc(leaves, func(leaf uint32) bool { return d.isAt(row, leaf) })
		} else if d.seen[row] {
			at = slices.IndexFunc(leaves, func(leaf uint32) bool { return d.claimed[leaf] == row && d.isClaimed(leaf) })
		}
		if at >= 0 || d.seen[row] || !d.vanished(row) {
			for i, leaf := range leaves {
				if i != at {
					d.skipDuplicate(leaf, row)
				}
			}
			return
		}
		if !d.inScope(row) {
			return
		}
		// The entry's own directory is gone and another spells its value: the entry leaves and a new one arrives.
		d.missing(row)
		if d.opts.Mode != SyncMode {
			for _, leaf := range leaves {
				d.skipDuplicate(leaf, row)
			}
			return
		}
		replaced = true
	}
	if d.opts.Mode == DropMode && !replaced {
		return
	}
	d.add(leaves)
}

// add registers the best of the leaves of one value and skips the rest.
func (d *differ) add(leaves []uint32) {
	best := -1
	for i, leaf := range leaves {
		if d.isClaimed(leaf) || d.opts.Leaves != nil && !d.opts.Leaves.Contains(int(leaf)) {
			continue
		}
		if best < 0 || d.better(leaf, leaves[best]) {
			best = i
		}
	}
	if best >= 0 {
		d.adds = append(d.adds, leaves[best])
	}
	for i, leaf := range leaves {
		switch {
		case i == best || d.opts.Leaves != nil && !d.opts.Leaves.Contains(int(leaf)):
		case d.isClaimed(leaf):
			d.skipClaimed(leaf)
		default:
			d.skip(leaf, DuplicateValue, "another directory of this value is registered: "+d.path(leaves[best]))
		}
	}
}

// better reports whether leaf a is to be registered rather than b.
func (d *differ) better(a, b uint32) bool {
	ca, cb := d.isCanonical(a), d.isCanonical(b)
	if ca != cb {
		return ca
	}
	return d.path(a) < d.path(b)
}

func (d *differ) isClaimed(leaf uint32) bool {
	_, ok := d.claimed[leaf]
	return ok
}

func (d *differ) isCanonical(leaf uint32) bool {
	for _, c := range d.spelled {
		if d.names[c][d.found.Codes[c][leaf]] != 0 {
			return false
		}
	}
	return true
}

// nameSpellings gives each spelling the code that the known set has for it, so that directories compare as codes.
func (d *differ) nameSpellings() {
	if d.found.Len() == 0 {
		return
	}
	d.names = make([][]uint32, len(d.found.Columns))
	for c, col := range d.found.Columns {
		byName := map[string]uint32{}
		for k, name := range d.known.spellings[c].list {
			byName[name] = uint32(k + 1)
		}
		d.names[c] = make([]uint32, len(d.found.Levels[c]))
		for k, sp := range d.found.Levels[c] {
			if isSegment(col, sp) {
				continue
			}
			code, ok := byName[sp.Dir]
			if !ok {
				code = strange
			}
			d.names[c][k] = code
		}
		if !d.known.spellings[c].empty() || slices.ContainsFunc(d.names[c], func(n uint32) bool { return n != 0 }) {
			d.spelled = append(d.spelled, c)
		}
	}
}

// isAt reports whether the entry of a row, which has the leaf's value, lies in the leaf's directory.
func (d *differ) isAt(row int, leaf uint32) bool {
	for _, c := range d.spelled {
		name := uint32(0)
		if s := &d.known.spellings[c]; !s.empty() {
			name = s.codes.at(row)
		}
		if name != d.names[c][d.found.Codes[c][leaf]] {
			return false
		}
	}
	return true
}

// finish turns the numbers that merge noted into changes and counts.
func (d *differ) finish() {
	r := d.result
	for _, s := range d.found.Skipped {
		r.skips = append(r.skips, Action{Kind: ActionSkip, Rel: s.Path, Reason: s.Reason, Detail: s.Detail})
	}
	if len(d.adds) > 0 {
		r.Changes.leaves = append(r.Changes.leaves, blockOf(d.found, d.adds, 0, d.dictionary))
	}
	r.Changes.dropRows(d.known, r.drops)
	r.Adds, r.Drops, r.Stales, r.Skips = len(d.adds), len(r.drops), len(r.stales), len(r.skips)
}

func (d *differ) path(leaf uint32) string { return d.found.Path(int(leaf)) }

func (d *differ) skip(leaf uint32, reason Reason, detail string) {
	if d.opts.Leaves != nil && !d.opts.Leaves.Contains(int(leaf)) {
		return
	}
	d.result.skips = append(d.result.skips, Action{
		Kind: ActionSkip, Partition: d.found.Spec(int(leaf)),
		Rel: d.path(leaf), Reason: reason, Detail: detail,
	})
}

// skipDuplicate skips a leaf whose value is the entry's, which lies elsewhere.
func (d *differ) skipDuplicate(leaf uint32, row int) {
	if d.isClaimed(leaf) {
		d.skipClaimed(leaf)
		return
	}
	rel, abs := d.known.Path(row)
	d.skip(leaf, DuplicateValue, "the partition is registered at "+rel+abs)
}

func (d *differ) skipClaimed(leaf uint32) {
	row := d.claimed[leaf]
	is := "it overlaps the location of partition "
	if d.isPlace(int(leaf), row) {
		is = "it is the location of partition "
	}
	d.skip(leaf, Claimed, is+d.known.Spec(row))
}

// unknown reports whether discovery could not tell if an entry's directory is there: it or one above it was seen, but not
// looked into for a reason that says nothing about what is inside.
func (d *differ) unknown(row int) bool {
	if d.unlooked == nil {
		d.unlooked = map[string]bool{}
		for _, s := range d.found.Skipped {
			switch s.Reason {
			case LinkLoop, BadName, WrongColumn, BadValue, EmptyValue, TooDeep:
				d.unlooked[s.Path] = true
			}
		}
	}
	if len(d.unlooked) == 0 {
		return false
	}
	path, _ := d.known.Path(row)
	for {
		if d.unlooked[path] {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

// TooMany reports whether a repair that drops so many of the entries in its scope needs FORCE: more than maxFraction of
// them, when there are at least minEntries.
func TooMany(scope, drops int, maxFraction float64, minEntries int) bool {
	return scope >= minEntries && float64(drops) > maxFraction*float64(scope)
}
