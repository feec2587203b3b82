package partition

import (
	"cmp"
	"iter"
	"slices"
)

// ActionKind is what happens to a partition or directory.
type ActionKind string

// The kinds of action, in the order of a repair's result.
const (
	ActionDrop  ActionKind = "drop"
	ActionAdd   ActionKind = "add"
	ActionStale ActionKind = "stale"
	ActionSkip  ActionKind = "skip"
)

// Action is one row of a repair's result.
type Action struct {
	Kind ActionKind
	// Partition is the escaped spec, "" for a skipped name that is no partition.
	Partition string
	// Rel is the directory below the table's location; Abs the absolute location of an entry outside it.
	Rel, Abs string
	Reason   Reason
	Detail   string
}

// Actions yields the rows of the result: drop, add, stale, skip, each in string order of the partition (skipped names
// that are none: of the directory). Rows are made as they are read.
func (r *Result) Actions() iter.Seq[Action] {
	return func(yield func(Action) bool) {
		if !r.entries(r.drops, ActionDrop, yield) || !r.leaves(yield) || !r.entries(r.stales, ActionStale, yield) {
			return
		}
		skips := slices.Clone(r.skips)
		slices.SortStableFunc(skips, func(a, b Action) int {
			return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Rel, b.Rel))
		})
		for _, a := range skips {
			if !yield(a) {
				return
			}
		}
	}
}

func (r *Result) entries(rows []uint32, kind ActionKind, yield func(Action) bool) bool {
	for _, row := range r.known.bySpec(slices.Clone(rows)) {
		rel, abs := r.known.Path(int(row))
		a := Action{
			Kind: kind, Partition: r.known.Spec(int(row)), Rel: rel, Abs: abs, Reason: Missing,
			Detail: "the directory does not exist",
		}
		if !yield(a) {
			return false
		}
	}
	return true
}

func (r *Result) leaves(yield func(Action) bool) bool {
	if r.Adds == 0 {
		return true
	}
	b, cols := r.Changes.leaves[0], r.known.cols
	rows := r.order
	if rows == nil {
		rows = r.textOrder()
	}
	texts := newDirTexts(cols, b.domains)
	var specs []byte
	ends := make([]int, 0, min(len(rows), specChunk))
	for len(rows) > 0 {
		chunk := rows[:min(len(rows), specChunk)]
		rows = rows[len(chunk):]
		specs, ends = specs[:0], ends[:0]
		for _, row := range chunk {
			for c := range b.codes {
				if c > 0 {
					specs = append(specs, '/')
				}
				specs = texts.append(specs, c, b.codes[c][row])
			}
			ends = append(ends, len(specs))
		}
		start, joined := 0, string(specs)
		for i, row := range chunk {
			a := Action{Kind: ActionAdd, Partition: joined[start:ends[i]], Reason: New}
			start = ends[i]
			if a.Rel = a.Partition; !canonicalAdd(b, row) {
				a.Rel = spelledAdd(b, texts, row)
			}
			if !yield(a) {
				return false
			}
		}
	}
	return true
}

// specChunk is how many adds share one string, of which their specs are parts: a string each would cost more than writing
// them does.
const specChunk = 1024

// Order puts the adds in the order in which Actions yields them. Actions does so by itself when it must; a caller may have it done
// while the changes are being committed, which only reads them, too.
func (r *Result) Order() {
	if r.Adds > 0 && r.order == nil {
		r.order = r.textOrder()
	}
}

// textOrder is the rows of the adds, which are in the order of their values, in the order of their texts.
func (r *Result) textOrder() []uint32 {
	b := r.Changes.leaves[0]
	return textOrder(r.known.cols, b.domains, func(c int, rows []uint32) []uint32 { return take(b.codes[c], rows) }, count(b.n))
}

// canonicalAdd reports whether an add's directory has the canonical name on every level: then it reads as the spec.
func canonicalAdd(b *block, row uint32) bool {
	for c := range b.spellings {
		if l := &b.spellings[c]; l.codes != nil && l.codes[row] != 0 {
			return false
		}
	}
	return true
}

// spelledAdd is an add's directory, below the table's location.
func spelledAdd(b *block, texts *dirTexts, row uint32) string {
	var dst []byte
	for c := range b.codes {
		if c > 0 {
			dst = append(dst, '/')
		}
		if l := &b.spellings[c]; l.codes != nil && l.codes[row] != 0 {
			dst = append(dst, l.names[l.codes[row]-1]...)
		} else {
			dst = texts.append(dst, c, b.codes[c][row])
		}
	}
	return string(dst)
}
