package vector

// Keep drops the rows for which keep is false, in place; keep has an element for each row.
func (b *Batch) Keep(keep []bool) {
	n := 0
	for _, k := range keep[:b.Len] {
		if k {
			n++
		}
	}
	if n == b.Len {
		return
	}
	for i := range b.Cols {
		c := &b.Cols[i]
		if c.Const {
			continue
		}
		c.Nulls = kept(c.Nulls, keep)
		c.Bool = kept(c.Bool, keep)
		c.Int = kept(c.Int, keep)
		c.Float = kept(c.Float, keep)
		c.Str = kept(c.Str, keep)
		c.Any = kept(c.Any, keep)
	}
	b.Len = n
}

func kept[T any](s []T, keep []bool) []T {
	n := 0
	for i := range s {
		if keep[i] {
			s[n] = s[i]
			n++
		}
	}
	return s[:n]
}
