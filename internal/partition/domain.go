package partition

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// domain holds the distinct values of one column in ascending order. Their codes count from 1: code 0 is NULL, so that the
// order of codes is the order of values with NULL first.
type domain struct {
	form form
	nums []int64  // numForm
	text string   // textForm: all texts joined
	ends []uint32 // textForm: where each text ends
}

// size is the number of codes, that of NULL included.
func (d *domain) size() int {
	if d.form == numForm {
		return len(d.nums) + 1
	}
	return len(d.ends) + 1
}

func (d *domain) str(i int) string {
	if i == 0 {
		return d.text[:d.ends[0]]
	}
	return d.text[d.ends[i-1]:d.ends[i]]
}

// key is the key of a code that is not NULL's.
func (d *domain) key(code uint32) key {
	if d.form == numForm {
		return key{num: d.nums[code-1]}
	}
	return key{text: d.str(int(code - 1))}
}

// value is the value of a code.
func (d *domain) value(t types.Type, code uint32) types.Value {
	if code == 0 {
		return nil
	}
	return d.key(code).value(t)
}

// seek is the least code whose key is not less than k, and whether it is k's.
func (d *domain) seek(k key) (code uint32, exact bool) {
	if d.form == numForm {
		i, ok := slices.BinarySearch(d.nums, k.num)
		return uint32(i + 1), ok
	}
	i, ok := sort.Find(len(d.ends), func(i int) int { return strings.Compare(k.text, d.str(i)) })
	return uint32(i + 1), ok
}

// code is the code of a canonical value.
func (d *domain) code(t types.Type, v types.Value) (uint32, bool) {
	if v == nil {
		return 0, true
	}
	return d.seek(keyOf(t, v))
}

// memory estimates the bytes that d holds.
func (d *domain) memory() int64 { return int64(8*cap(d.nums) + len(d.text) + 4*cap(d.ends)) }

// buildDomain makes the domain of n canonical values, in any order and with repeats, and the code of each.
func buildDomain(t types.Type, n int, value func(i int) types.Value) (domain, []uint32) {
	if formOf(t) == numForm {
		return buildNums(t, n, value)
	}
	return buildTexts(t, n, value)
}

// signBit brings integers to the order of unsigned ones.
const signBit = 1 << 63

func buildNums(t types.Type, n int, value func(i int) types.Value) (domain, []uint32) {
	keys, at := make([]uint64, 0, n), make([]uint32, 0, n)
	for i := range n {
		if v := value(i); v != nil {
			keys, at = append(keys, uint64(keyOf(t, v).num)^signBit), append(at, uint32(i))
		}
	}
	sortRows(keys, at)
	distinct := 0
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			distinct++
		}
	}
	d, codes := domain{form: numForm}, make([]uint32, n)
	if distinct > 0 {
		d.nums = make([]int64, 0, distinct)
	}
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			d.nums = append(d.nums, int64(k^signBit))
		}
		codes[at[i]] = uint32(len(d.nums))
	}
	return d, codes
}

func buildTexts(t types.Type, n int, value func(i int) types.Value) (domain, []uint32) {
	texts, order := make([]string, n), make([]uint32, 0, n)
	for i := range n {
		if v := value(i); v != nil {
			texts[i] = keyOf(t, v).text
			order = append(order, uint32(i))
		}
	}
	byText := func(a, b uint32) int { return strings.Compare(texts[a], texts[b]) }
	if !slices.IsSortedFunc(order, byText) {
		slices.SortFunc(order, byText)
	}
	b, codes := domainBuilder{domain: domain{form: textForm}}, make([]uint32, n)
	for i, o := range order {
		if i == 0 || texts[order[i-1]] != texts[o] {
			b.add(key{text: texts[o]})
		}
		codes[o] = uint32(b.len())
	}
	return b.done(), codes
}

// domainBuilder makes a domain from ascending keys without quadratic copying.
type domainBuilder struct {
	domain
	buf []byte
}

func (b *domainBuilder) len() int { return b.size() - 1 }

func (b *domainBuilder) add(k key) {
	if b.form == numForm {
		b.nums = append(b.nums, k.num)
		return
	}
	b.buf = append(b.buf, k.text...)
	b.ends = append(b.ends, uint32(len(b.buf)))
}

func (b *domainBuilder) done() domain {
	if b.form == textForm {
		b.text = string(b.buf)
	}
	return b.domain
}

// mergeDomains is the union of domains of one column. maps[i][code in ds[i]] is the code in the union; a nil map is the
// identity.
func mergeDomains(ds []*domain) (domain, [][]uint32) {
	switch len(ds) {
	case 0:
		return domain{}, nil
	case 1:
		return *ds[0], [][]uint32{nil}
	}
	half := len(ds) / 2
	left, leftMaps := mergeDomains(ds[:half])
	right, rightMaps := mergeDomains(ds[half:])
	union, l, r := mergeTwo(&left, &right)
	maps := make([][]uint32, 0, len(ds))
	for _, m := range leftMaps {
		maps = append(maps, compose(m, l))
	}
	for _, m := range rightMaps {
		maps = append(maps, compose(m, r))
	}
	return union, maps
}

// compose is first m, then next.
func compose(m, next []uint32) []uint32 {
	if next == nil {
		return m
	}
	if m == nil {
		return next
	}
	out := make([]uint32, len(m))
	for i, c := range m {
		out[i] = next[c]
	}
	return out
}

func mergeTwo(a, b *domain) (union domain, fromA, fromB []uint32) {
	if a.equal(b) || b.size() == 1 {
		return *a, nil, nil
	}
	if a.size() == 1 {
		return *b, nil, nil
	}
	out := domainBuilder{domain: domain{form: a.form}}
	na, nb := a.size(), b.size()
	fromA, fromB = make([]uint32, na), make([]uint32, nb)
	i, j := 1, 1
	for i < na || j < nb {
		c := 0
		switch {
		case j == nb:
			c = -1
		case i == na:
			c = 1
		case a.form == numForm:
			c = cmp.Compare(a.nums[i-1], b.nums[j-1])
		default:
			c = strings.Compare(a.str(i-1), b.str(j-1))
		}
		if c <= 0 {
			out.add(a.key(uint32(i)))
		} else {
			out.add(b.key(uint32(j)))
		}
		code := uint32(out.len())
		if c <= 0 {
			fromA[i] = code
			i++
		}
		if c >= 0 {
			fromB[j] = code
			j++
		}
	}
	if out.len() == na-1 {
		fromA = nil
	}
	if out.len() == nb-1 {
		fromB = nil
	}
	return out.done(), fromA, fromB
}

func (d *domain) equal(o *domain) bool {
	return d.size() == o.size() && slices.Equal(d.nums, o.nums) && slices.Equal(d.ends, o.ends) && d.text == o.text
}

// keep is d without the codes that used leaves out; remap[old code] is the new code.
func (d *domain) keep(used []bool) (kept domain, remap []uint32) {
	out := domainBuilder{domain: domain{form: d.form}}
	remap = make([]uint32, d.size())
	for c := 1; c < d.size(); c++ {
		if used[c] {
			out.add(d.key(uint32(c)))
			remap[c] = uint32(out.len())
		}
	}
	return out.done(), remap
}

// keepOnly is d with the codes of column only, and the column in the new codes. Its work is that of the column's length.
func (d *domain) keepOnly(column []uint32) (domain, []uint32) {
	distinct := slices.Clone(column)
	if !slices.IsSorted(distinct) {
		slices.Sort(distinct)
	}
	distinct = slices.Compact(distinct)
	if len(distinct) > 0 && distinct[0] == 0 {
		distinct = distinct[1:]
	}
	out := domainBuilder{domain: domain{form: d.form}}
	for _, c := range distinct {
		out.add(d.key(c))
	}
	recoded := make([]uint32, len(column))
	at := uint32(0) // the code before, since codes often come in order
	for i, c := range column {
		if c == 0 {
			continue
		}
		for steps := 0; at == 0 || distinct[at-1] != c; steps++ {
			if steps > 0 || int(at) == len(distinct) {
				found, _ := slices.BinarySearch(distinct, c)
				at = uint32(found + 1)
				break
			}
			at++
		}
		recoded[i] = at
	}
	return out.done(), recoded
}
