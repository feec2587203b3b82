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

// buildDomain makes the domain of some values, in any order and with repeats, and the code of each.
func buildDomain(t types.Type, values []types.Value) (domain, []uint32) {
	d := domain{form: formOf(t)}
	codes := make([]uint32, len(values))
	keys := make([]key, 0, len(values))
	at := make([]uint32, 0, len(values))
	for i, v := range values {
		if v != nil {
			keys = append(keys, keyOf(t, v))
			at = append(at, uint32(i))
		}
	}
	order := make([]uint32, len(keys))
	for i := range order {
		order[i] = uint32(i)
	}
	less := func(a, b uint32) int { return strings.Compare(keys[a].text, keys[b].text) }
	if d.form == numForm {
		less = func(a, b uint32) int { return cmp.Compare(keys[a].num, keys[b].num) }
	}
	if !slices.IsSortedFunc(order, less) {
		slices.SortFunc(order, less)
	}
	b := domainBuilder{domain: d}
	for i, o := range order {
		if i == 0 || less(order[i-1], o) != 0 {
			b.add(keys[o])
		}
		codes[at[o]] = uint32(b.len())
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
