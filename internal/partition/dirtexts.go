package partition

import "sync/atomic"

// cachedTexts bounds the dictionaries whose directory names are kept: for larger ones the names would outweigh the codes.
const cachedTexts = 1 << 14

// dirTexts writes the canonical directory names of codes, and keeps those of small dictionaries once a column is asked
// for. It is safe for concurrent use.
type dirTexts struct {
	cols    []Column
	domains []domain
	texts   []atomic.Pointer[[]string]
}

func newDirTexts(cols []Column, domains []domain) *dirTexts {
	return &dirTexts{cols: cols, domains: domains, texts: make([]atomic.Pointer[[]string], len(cols))}
}

func (t *dirTexts) append(dst []byte, col int, code uint32) []byte {
	d := &t.domains[col]
	if d.size() > cachedTexts {
		return appendCode(dst, t.cols[col], d, code)
	}
	texts := t.texts[col].Load()
	if texts == nil {
		made := make([]string, d.size())
		for c := range made {
			made[c] = string(appendCode(nil, t.cols[col], d, uint32(c)))
		}
		texts = &made
		t.texts[col].Store(texts)
	}
	return append(dst, (*texts)[code]...)
}

func (t *dirTexts) memory() int64 {
	total := int64(0)
	for c := range t.texts {
		if texts := t.texts[c].Load(); texts != nil {
			total += int64(40 * len(*texts))
		}
	}
	return total
}
