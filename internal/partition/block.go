package partition

import "slices"

// block is some partitions as columns of codes into dictionaries of their own: the working form in which sets are
// built, changed, loaded and stored. Codes are wide here; a Set holds them narrow.
type block struct {
	n         int
	domains   []domain   // per column
	codes     [][]uint32 // per column
	spellings []labels   // per column: the directory's name where it is not the canonical one
	prefix    labels     // directories between the table's location and the first level
	gens      gens
	odd       []oddity // ascending by row
	content   contents
	dropped   bool // the rows are tombstones
	replaces  bool // the rows may replace those of equal values
}

// labels is an optional column of names: code 0 is "no name" and code c stands for names[c-1]. Nil codes mean that no row
// has a name.
type labels struct {
	names []string
	codes []uint32
}

// gens is the column of versions that last changed each row: codes into values; nil codes mean values[0] for all rows.
type gens struct {
	values []int64
	codes  []uint32
}

// oddity is what few partitions have: a location that is no pattern, or properties.
type oddity struct {
	row uint32
	// rel and abs are the location below the table's or elsewhere; both "" for a pattern.
	rel, abs   string
	properties map[string]string
}

// values are the values of a row.
func (b *block) values(cols []Column, row int) Values {
	v := make(Values, len(cols))
	for c, col := range cols {
		v[c] = b.domains[c].value(col.Type, b.codes[c][row])
	}
	return v
}

func (b *block) sizes() []int {
	out := make([]int, len(b.domains))
	for i := range b.domains {
		out[i] = b.domains[i].size()
	}
	return out
}

// concat joins blocks of one table into one, row after row, over common dictionaries. from[i] is the first row of
// blocks[i] in the result.
func concat(columns int, blocks []*block) (out *block, from []int) {
	out = &block{domains: make([]domain, columns), codes: make([][]uint32, columns), spellings: make([]labels, columns)}
	from = make([]int, len(blocks)+1)
	for i, b := range blocks {
		from[i] = out.n
		out.n += b.n
	}
	from[len(blocks)] = out.n
	for c := range columns {
		ds := make([]*domain, len(blocks))
		parts := make([][]uint32, len(blocks))
		for i, b := range blocks {
			ds[i], parts[i] = &b.domains[c], b.codes[c]
		}
		union, maps := mergeDomains(ds)
		out.domains[c] = union
		out.codes[c] = joinCodes(out.n, parts, maps)
		spelled := make([]*labels, len(blocks))
		for i, b := range blocks {
			spelled[i] = &b.spellings[c]
		}
		out.spellings[c] = concatLabels(spelled, from)
	}
	prefixes := make([]*labels, len(blocks))
	versions := make([]*gens, len(blocks))
	recorded := make([]*contents, len(blocks))
	for i, b := range blocks {
		prefixes[i], versions[i], recorded[i] = &b.prefix, &b.gens, &b.content
		for _, o := range b.odd {
			o.row += uint32(from[i])
			out.odd = append(out.odd, o)
		}
	}
	out.prefix = concatLabels(prefixes, from)
	out.gens = concatGens(versions, from)
	out.content = concatContents(recorded, from)
	return out, from
}

// joinCodes is the parts one after the other, each through its map.
func joinCodes(n int, parts, maps [][]uint32) []uint32 {
	if len(parts) == 1 && maps[0] == nil {
		return parts[0]
	}
	out := make([]uint32, n)
	rest := out
	for i, part := range parts {
		translateCodes(rest[:len(part)], part, maps[i])
		rest = rest[len(part):]
	}
	return out
}

func concatLabels(parts []*labels, from []int) labels {
	if len(parts) == 1 {
		return *parts[0]
	}
	if !slices.ContainsFunc(parts, func(l *labels) bool { return l.codes != nil }) {
		return labels{}
	}
	out := labels{codes: make([]uint32, from[len(parts)])}
	byName := map[string]uint32{}
	for i, l := range parts {
		if l.codes == nil {
			continue
		}
		m := make([]uint32, len(l.names)+1)
		for k, name := range l.names {
			code, ok := byName[name]
			if !ok {
				out.names = append(out.names, name)
				code = uint32(len(out.names))
				byName[name] = code
			}
			m[k+1] = code
		}
		dst := out.codes[from[i]:from[i+1]]
		for r, c := range l.codes {
			dst[r] = m[c]
		}
	}
	return out
}

func concatGens(parts []*gens, from []int) gens {
	if len(parts) == 1 {
		return *parts[0]
	}
	var out gens
	for _, g := range parts {
		out.values = append(out.values, g.values...)
	}
	slices.Sort(out.values)
	out.values = slices.Compact(out.values)
	if len(out.values) <= 1 {
		return out
	}
	out.codes = make([]uint32, from[len(parts)])
	for i, g := range parts {
		m := make([]uint32, len(g.values))
		for k, v := range g.values {
			at, _ := slices.BinarySearch(out.values, v)
			m[k] = uint32(at)
		}
		dst := out.codes[from[i]:from[i+1]]
		for r := range dst {
			if g.codes == nil {
				dst[r] = m[0]
			} else {
				dst[r] = m[g.codes[r]]
			}
		}
	}
	return out
}

// gather is the rows of b with these numbers, in this order, without dictionary entries that no row uses.
func (b *block) gather(rows []uint32) *block {
	out := &block{
		n: len(rows), domains: make([]domain, len(b.domains)), codes: make([][]uint32, len(b.codes)),
		spellings: make([]labels, len(b.spellings)),
	}
	for c := range b.codes {
		out.codes[c] = take(b.codes[c], rows)
		out.domains[c] = b.domains[c]
		out.spellings[c] = b.spellings[c].gather(rows)
	}
	out.prefix = b.prefix.gather(rows)
	out.gens = b.gens
	if b.gens.codes != nil {
		out.gens.codes = take(b.gens.codes, rows)
	}
	out.odd = gatherOdd(b.odd, rows)
	out.content = b.content.gather(rows)
	out.tidy()
	return out
}

func take[T any](column []T, rows []uint32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = column[r]
	}
	return out
}

func (l labels) gather(rows []uint32) labels {
	if l.codes == nil {
		return labels{}
	}
	return labels{names: l.names, codes: take(l.codes, rows)}
}

func gatherOdd(odd []oddity, rows []uint32) []oddity {
	if len(odd) == 0 {
		return nil
	}
	byRow := make(map[uint32]int, len(odd))
	for i, o := range odd {
		byRow[o.row] = i
	}
	var out []oddity
	for i, r := range rows {
		if at, ok := byRow[r]; ok {
			o := odd[at]
			o.row = uint32(i)
			out = append(out, o)
		}
	}
	return out
}

// tidy drops dictionary entries that no row uses, so that sets with equal partitions are equal. Columns of b that change are
// made anew: others may share the old ones.
func (b *block) tidy() {
	for c := range b.codes {
		if b.domains[c].size()/fewCodes > b.n {
			b.domains[c], b.codes[c] = b.domains[c].keepOnly(b.codes[c])
			b.spellings[c].tidy()
			continue
		}
		used, all := usage(b.codes[c], b.domains[c].size())
		if !all {
			kept, remap := b.domains[c].keep(used)
			b.domains[c] = kept
			b.codes[c] = remapped(b.codes[c], remap)
		}
		b.spellings[c].tidy()
	}
	b.prefix.tidy()
	b.gens.tidy(b.n)
	b.content.tidy()
}

// fewCodes is how many times as many codes as rows a dictionary must have for its unused codes to be found from the rows. A segment
// of a large table has few of the table's values: the work for it must not be that of the whole table.
const fewCodes = 4

// usage tells which codes occur, and whether all but that of NULL do.
func usage(column []uint32, size int) (used []bool, all bool) {
	used = make([]bool, size)
	for _, c := range column {
		used[c] = true
	}
	for _, u := range used[min(1, size):] {
		if !u {
			return used, false
		}
	}
	return used, true
}

func remapped(column, remap []uint32) []uint32 {
	out := make([]uint32, len(column))
	for i, c := range column {
		out[i] = remap[c]
	}
	return out
}

func (l *labels) tidy() {
	if l.codes == nil {
		l.names = nil
		return
	}
	used, all := usage(l.codes, len(l.names)+1)
	sorted := slices.IsSorted(l.names)
	if all && sorted {
		if len(l.names) == 0 {
			l.codes = nil
		}
		return
	}
	var names []string
	for k, name := range l.names {
		if used[k+1] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		*l = labels{}
		return
	}
	slices.Sort(names)
	remap := make([]uint32, len(l.names)+1)
	for k, name := range l.names {
		if used[k+1] {
			at, _ := slices.BinarySearch(names, name)
			remap[k+1] = uint32(at + 1)
		}
	}
	*l = labels{names: names, codes: remapped(l.codes, remap)}
}

func (g *gens) tidy(n int) {
	if n == 0 {
		*g = gens{}
		return
	}
	if g.codes == nil {
		g.values = g.values[:min(1, len(g.values))]
		return
	}
	used := make([]bool, len(g.values))
	for _, c := range g.codes {
		used[c] = true
	}
	var values []int64
	remap := make([]uint32, len(g.values))
	for k, v := range g.values {
		if used[k] {
			remap[k] = uint32(len(values))
			values = append(values, v)
		}
	}
	switch {
	case len(values) == 1:
		*g = gens{values: values}
	case len(values) < len(g.values):
		*g = gens{values: values, codes: remapped(g.codes, remap)}
	}
}
