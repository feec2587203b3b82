package partition

import (
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// Set is all partitions of one table at one version, held as dictionary codes. It is immutable, so that readers share
// it without locks; a writer makes a new Set. Rows are numbered from 0 in the order of the typed values, NULL first. A table without
// partition columns has at most one row: that of no values, whose directory is the table's own.
//
// Invariants: codes keep the order of values, column by column, so that a range of values is a range of codes; rows ascend
// strictly by their codes; every dictionary entry is used. The spelling on disk (07 for 7) is a code of its own that takes no
// part in identity or order.
type Set struct {
	cols      []Column
	n         int
	domains   []domain
	keys      []codes
	spellings []names
	prefix    names
	versions  []int64
	gens      codes // into versions; empty when there is one
	odd       []oddity
	content   records
	texts     *dirTexts
}

// names is labels with narrow codes.
type names struct {
	list  []string
	codes codes
}

func (n *names) empty() bool { return len(n.list) == 0 }

// at is row i's name, "" for none.
func (n *names) at(i int) string {
	if len(n.list) == 0 {
		return ""
	}
	if c := n.codes.at(i); c > 0 {
		return n.list[c-1]
	}
	return ""
}

// NewSet is the empty set of a table partitioned by cols.
func NewSet(cols []Column) *Set {
	b := &block{
		domains: make([]domain, len(cols)), codes: make([][]uint32, len(cols)),
		spellings: make([]labels, len(cols)),
	}
	for i, c := range cols {
		b.domains[i].form = formOf(c.Type)
	}
	return freeze(cols, b)
}

// freeze makes a Set of a block whose rows ascend and whose dictionaries are tidy. The block must not be used after.
func freeze(cols []Column, b *block) *Set {
	s := &Set{
		cols: cols, n: b.n, domains: b.domains, keys: make([]codes, len(cols)),
		spellings: make([]names, len(cols)), versions: b.gens.values, odd: b.odd,
		texts: newDirTexts(cols, b.domains),
	}
	for c := range cols {
		s.keys[c] = packCodes(b.codes[c], b.domains[c].size())
		s.spellings[c] = b.spellings[c].freeze()
	}
	s.prefix = b.prefix.freeze()
	s.content = b.content.freeze()
	if b.gens.codes != nil {
		s.gens = packCodes(b.gens.codes, len(b.gens.values))
	}
	return s
}

func (l labels) freeze() names {
	if l.codes == nil || len(l.names) == 0 {
		return names{}
	}
	return names{list: l.names, codes: packCodes(l.codes, len(l.names)+1)}
}

// block is rows [lo, hi) of the set in the working form, sharing dictionaries.
func (s *Set) block(lo, hi int) *block {
	b := &block{
		n: hi - lo, domains: append([]domain(nil), s.domains...), codes: make([][]uint32, len(s.cols)),
		spellings: make([]labels, len(s.cols)), gens: gens{values: s.versions},
	}
	for c := range s.cols {
		b.codes[c] = s.keys[c].wide(lo, hi)
		b.spellings[c] = s.spellings[c].wide(lo, hi)
	}
	b.prefix = s.prefix.wide(lo, hi)
	b.content = s.content.wide(lo, hi)
	if len(s.versions) > 1 {
		b.gens.codes = s.gens.wide(lo, hi)
	}
	first := sort.Search(len(s.odd), func(i int) bool { return int(s.odd[i].row) >= lo })
	for _, o := range s.odd[first:] {
		if int(o.row) >= hi {
			break
		}
		o.row -= uint32(lo)
		b.odd = append(b.odd, o)
	}
	return b
}

func (n *names) wide(lo, hi int) labels {
	if n.empty() {
		return labels{}
	}
	return labels{names: n.list, codes: n.codes.wide(lo, hi)}
}

// Len is the number of partitions.
func (s *Set) Len() int { return s.n }

// Columns are the partition columns, outermost first. The result is shared.
func (s *Set) Columns() []Column { return s.cols }

// Value is one value of row i.
func (s *Set) Value(i, col int) types.Value {
	return s.domains[col].value(s.cols[col].Type, s.keys[col].at(i))
}

// Values are all values of row i.
func (s *Set) Values(i int) Values {
	out := make(Values, len(s.cols))
	for c := range s.cols {
		out[c] = s.Value(i, c)
	}
	return out
}

// Spec is the canonical, escaped text of row i, as SHOW PARTITIONS prints it: year=2021/month=1.
func (s *Set) Spec(i int) string { return string(s.appendSpec(make([]byte, 0, 64), i)) }

func (s *Set) appendSpec(dst []byte, i int) []byte {
	for c := range s.cols {
		if c > 0 {
			dst = append(dst, '/')
		}
		dst = s.appendDir(dst, c, s.keys[c].at(i))
	}
	return dst
}

func (s *Set) appendDir(dst []byte, col int, code uint32) []byte {
	return s.texts.append(dst, col, code)
}

// Path is where row i's directory is: rel below the table's location, such as "year=2021/month=01" ("" is that location
// itself, of a table without partition columns), or else an absolute location in abs.
func (s *Set) Path(i int) (rel, abs string) {
	if o := s.oddAt(i); o != nil && (o.rel != "" || o.abs != "") {
		return o.rel, o.abs
	}
	return string(s.appendPattern(make([]byte, 0, 64), i)), ""
}

func (s *Set) appendPattern(dst []byte, i int) []byte {
	if p := s.prefix.at(i); p != "" {
		if dst = append(dst, p...); len(s.cols) > 0 {
			dst = append(dst, '/')
		}
	}
	for c := range s.cols {
		if c > 0 {
			dst = append(dst, '/')
		}
		if name := s.spellings[c].at(i); name != "" {
			dst = append(dst, name...)
		} else {
			dst = s.appendDir(dst, c, s.keys[c].at(i))
		}
	}
	return dst
}

// Canonical reports whether row i's directory is the one that its values alone give.
func (s *Set) Canonical(i int) bool {
	if !s.ordinary(i) {
		return false
	}
	for c := range s.cols {
		if s.spellings[c].at(i) != "" {
			return false
		}
	}
	return true
}

// ordinary reports whether row i's directory follows the key=value layout below the table's location, in whatever
// spelling: whether discovery sees it.
func (s *Set) ordinary(i int) bool {
	if s.prefix.at(i) != "" {
		return false
	}
	o := s.oddAt(i)
	return o == nil || o.rel == "" && o.abs == ""
}

// Properties are the properties of row i, nil for none. The result is shared.
func (s *Set) Properties(i int) map[string]string {
	if o := s.oddAt(i); o != nil {
		return o.properties
	}
	return nil
}

func (s *Set) oddAt(i int) *oddity {
	if len(s.odd) == 0 {
		return nil
	}
	at := sort.Search(len(s.odd), func(k int) bool { return int(s.odd[k].row) >= i })
	if at < len(s.odd) && int(s.odd[at].row) == i {
		return &s.odd[at]
	}
	return nil
}

// place is where row i's directory is, as Apply takes it.
func (s *Set) place(i int) Place {
	if rel, abs := s.Path(i); abs != "" {
		return Place{Location: abs}
	} else if !s.Canonical(i) {
		return Place{Dirs: strings.Split(rel, "/")}
	}
	return Place{}
}

// Gen is the table version that last changed row i.
func (s *Set) Gen(i int) int64 {
	switch len(s.versions) {
	case 0:
		return 0
	case 1:
		return s.versions[0]
	}
	return s.versions[s.gens.at(i)]
}

// Find is the row with these values, one per column, in canonical form.
func (s *Set) Find(v Values) (row int, ok bool) {
	return findRow(s.cols, s.domains, s.keys, s.n, v)
}

// findRow finds the row of n with these values among rows that are in the order of their codes.
func findRow(cols []Column, domains []domain, keys []codes, n int, v Values) (row int, ok bool) {
	if len(v) != len(cols) {
		return 0, false
	}
	lo, hi := 0, n
	for c := range cols {
		code, known := domains[c].code(cols[c].Type, v[c])
		if !known {
			return 0, false
		}
		if lo, hi = keys[c].bounds(lo, hi, code); lo == hi {
			return 0, false
		}
	}
	return lo, lo < hi
}

// Bytes estimates the memory that the set holds.
func (s *Set) Bytes() int64 {
	total := int64(256)
	for c := range s.cols {
		total += s.domains[c].memory() + s.keys[c].memory() + s.spellings[c].memory()
	}
	total += s.texts.memory() + s.prefix.memory() + s.gens.memory() + s.content.memory() + int64(8*len(s.versions))
	for _, o := range s.odd {
		total += int64(64 + len(o.rel) + len(o.abs))
		for k, v := range o.properties {
			total += int64(64 + len(k) + len(v))
		}
	}
	return total
}

func (n *names) memory() int64 {
	total := n.codes.memory()
	for _, s := range n.list {
		total += int64(16 + len(s))
	}
	return total
}
