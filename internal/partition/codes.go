package partition

// codes is a column of codes in the narrowest width that holds them. Exactly one member is set; nil members of the zero codes
// make an empty column.
type codes struct {
	b8  []uint8
	b16 []uint16
	b32 []uint32
}

// packCodes narrows a column whose codes are below size.
func packCodes(wide []uint32, size int) codes {
	switch {
	case size <= 1<<8:
		return codes{b8: narrow[uint8](wide)}
	case size <= 1<<16:
		return codes{b16: narrow[uint16](wide)}
	}
	return codes{b32: wide}
}

func narrow[T uint8 | uint16](wide []uint32) []T {
	out := make([]T, len(wide))
	for i, c := range wide {
		out[i] = T(c)
	}
	return out
}

func (c *codes) at(i int) uint32 {
	switch {
	case c.b8 != nil:
		return uint32(c.b8[i])
	case c.b16 != nil:
		return uint32(c.b16[i])
	}
	return c.b32[i]
}

func copyCodes[T uint8 | uint16](dst []uint32, src []T) {
	dst = dst[:len(src)]
	for i, c := range src {
		dst[i] = uint32(c)
	}
}

// bounds is the range of rows in [lo, hi) that hold code; the rows there are in ascending order of this column.
func (c *codes) bounds(lo, hi int, code uint32) (int, int) {
	first := c.lower(lo, hi, code)
	return first, c.lower(first, hi, code+1)
}

// lower is the first row in [lo, hi) that holds code or a greater one, or hi.
func (c *codes) lower(lo, hi int, code uint32) int {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if c.at(mid) < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (c *codes) memory() int64 { return int64(len(c.b8) + 2*len(c.b16) + 4*len(c.b32)) }

// wide is rows [lo, hi) as wide codes of their own.
func (c *codes) wide(lo, hi int) []uint32 {
	out := make([]uint32, hi-lo)
	switch {
	case c.b8 != nil:
		copyCodes(out, c.b8[lo:hi])
	case c.b16 != nil:
		copyCodes(out, c.b16[lo:hi])
	default:
		copy(out, c.b32[lo:hi])
	}
	return out
}

// translate writes each code's image under m (nil for itself) into dst, which is as long as the column.
func (c *codes) translate(dst, m []uint32) {
	switch {
	case c.b8 != nil:
		translateCodes(dst, c.b8, m)
	case c.b16 != nil:
		translateCodes(dst, c.b16, m)
	default:
		translateCodes(dst, c.b32, m)
	}
}

func translateCodes[T uint8 | uint16 | uint32](dst []uint32, src []T, m []uint32) {
	dst = dst[:len(src)]
	if m == nil {
		for i, c := range src {
			dst[i] = uint32(c)
		}
		return
	}
	for i, c := range src {
		dst[i] = m[c]
	}
}

// mix makes index[k] = index[k]*size + the code of row lo+k.
func (c *codes) mix(index []uint32, lo int, size uint32) {
	switch {
	case c.b8 != nil:
		mixCodes(index, c.b8[lo:], size)
	case c.b16 != nil:
		mixCodes(index, c.b16[lo:], size)
	default:
		mixCodes(index, c.b32[lo:], size)
	}
}

func mixCodes[T uint8 | uint16 | uint32](index []uint32, column []T, size uint32) {
	column = column[:len(index)]
	for k, c := range column {
		index[k] = index[k]*size + uint32(c)
	}
}
