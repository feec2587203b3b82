package partition

// level is the spellings and codes of a level; nothing when there is no such level, as under a root that is missing.
func (f *Found) level(l int) ([]Spelling, []uint32) {
	if l >= len(f.Levels) || l >= len(f.Codes) {
		return nil, nil
	}
	return f.Levels[l], f.Codes[l]
}

// Path is the directory of a leaf, relative to the table's location.
func (f *Found) Path(leaf int) string {
	dst := make([]byte, 0, 64)
	for l := range f.Levels {
		if l > 0 {
			dst = append(dst, '/')
		}
		dst = append(dst, f.Levels[l][f.Codes[l][leaf]].Dir...)
	}
	return string(dst)
}

// Values are the values of a leaf, in canonical form.
func (f *Found) Values(leaf int) Values {
	out := make(Values, len(f.Levels))
	for l := range f.Levels {
		out[l] = Canonical(f.Columns[l], f.Levels[l][f.Codes[l][leaf]].Value)
	}
	return out
}

// Spec is the canonical, escaped text of a leaf's values.
func (f *Found) Spec(leaf int) string { return SpecText(f.Columns, f.Values(leaf)) }

// Set is the found leaves as a partition set: what the log would hold after a repair of an empty table. Of several
// directories of one value it has the one that a repair would register.
func (f *Found) Set() *Set {
	empty := NewSet(f.Columns)
	s, err := empty.Apply(Diff(empty, f, DiffOptions{}).Changes, 0)
	if err != nil { // a repair's own adds never clash
		return empty
	}
	return s
}

// Group is the found leaves as a partition set in which a partition has all directories of its value, as a query of a table
// without a log sees them: leaves[ends[i]:ends[i+1]] are the leaves of row i.
func (f *Found) Group() (s *Set, leaves, ends []uint32) {
	s = f.Set()
	n := f.Len()
	all, _ := concat(len(f.Columns), []*block{s.block(0, s.n), leafBlock(f, count(n), 0)})
	keys := packKeys(all.codes, all.sizes(), all.n)
	rowKeys, leafKeys := keys[:s.n], keys[s.n:]
	leaves = count(n)
	sortRows(leafKeys, leaves)
	ends = make([]uint32, s.n+1)
	j := 0
	for i, k := range rowKeys {
		for j < n && leafKeys[j] == k {
			j++
		}
		ends[i+1] = uint32(j)
	}
	return s, leaves, ends
}
