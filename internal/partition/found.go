package partition

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
	r := Diff(NewSet(f.Columns), f, DiffOptions{})
	s, err := NewSet(f.Columns).Apply(r.Changes, 0)
	if err != nil { // a repair's own adds never clash
		return NewSet(f.Columns)
	}
	return s
}
