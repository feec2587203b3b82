package delta

import (
	"iter"
	"maps"
	"slices"
	"sync"
)

// keyed is an action about a file.
type keyed interface{ Key() FileKey }

// fileSet is an immutable set of file actions by key that newer versions share: what a checkpoint held, a bitmap of what
// is no longer true of it, and what came since. The zero set is empty.
type fileSet[T keyed] struct {
	base  *fileBase[T]
	dead  []uint64 // bits of base's files that are gone; nil when none is
	gone  int      // bits set in dead
	fresh []T      // since base, in the order of the log
	index map[FileKey]int
}

// fileBase is a list with an index that is made when a change first asks for it.
type fileBase[T keyed] struct {
	files []T
	once  sync.Once
	index map[FileKey]int

	counting sync.Once
	counts   []int64
}

func (b *fileBase[T]) find(k FileKey) (int, bool) {
	b.once.Do(func() {
		b.index = make(map[FileKey]int, len(b.files))
		for i, f := range b.files {
			b.index[f.Key()] = i
		}
	})
	i, ok := b.index[k]
	return i, ok
}

// freshLimit is how many files may have come since the base before the two are merged: below it, a change costs what it
// changes.
const freshLimit = 2048

func fileSetOf[T keyed](files []T) fileSet[T] {
	return fileSet[T]{base: &fileBase[T]{files: files}}
}

func (s fileSet[T]) len() int {
	n := len(s.fresh) - s.gone
	if s.base != nil {
		n += len(s.base.files)
	}
	return n
}

func (s fileSet[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		if s.base != nil {
			for i, f := range s.base.files {
				if s.dead != nil && s.dead[i/64]>>(i%64)&1 != 0 {
					continue
				}
				if !yield(f) {
					return
				}
			}
		}
		for _, f := range s.fresh {
			if !yield(f) {
				return
			}
		}
	}
}

// counted are the files with a number of each, which is found once for those of the base: of must always give the same.
func (s fileSet[T]) counted(of func(T) int64) iter.Seq2[T, int64] {
	return func(yield func(T, int64) bool) {
		if b := s.base; b != nil {
			b.counting.Do(func() {
				b.counts = make([]int64, len(b.files))
				for i, f := range b.files {
					b.counts[i] = of(f)
				}
			})
			for i, f := range b.files {
				if s.dead != nil && s.dead[i/64]>>(i%64)&1 != 0 {
					continue
				}
				if !yield(f, b.counts[i]) {
					return
				}
			}
		}
		for _, f := range s.fresh {
			if !yield(f, of(f)) {
				return
			}
		}
	}
}

// find looks up a file.
func (s fileSet[T]) find(k FileKey) (found T, ok bool) {
	if i, ok := s.index[k]; ok {
		return s.fresh[i], true
	}
	if s.base == nil {
		return found, false
	}
	i, ok := s.base.find(k)
	if !ok || s.dead != nil && s.dead[i/64]>>(i%64)&1 != 0 {
		return found, false
	}
	return s.base.files[i], true
}

// change is the set without the files of drop and with those of put, which replace files of the same key.
func (s fileSet[T]) change(drop []FileKey, put []T) fileSet[T] {
	if len(drop) == 0 && len(put) == 0 {
		return s
	}
	out := fileSet[T]{base: s.base, dead: s.dead, gone: s.gone, fresh: slices.Clone(s.fresh), index: maps.Clone(s.index)}
	if out.index == nil {
		out.index = map[FileKey]int{}
	}
	var holes []bool
	copied := false
	remove := func(k FileKey) {
		if i, ok := out.index[k]; ok {
			if holes == nil {
				holes = make([]bool, len(out.fresh))
			}
			for len(holes) < len(out.fresh) {
				holes = append(holes, false)
			}
			holes[i] = true
			delete(out.index, k)
			return
		}
		if out.base == nil {
			return
		}
		i, ok := out.base.find(k)
		if !ok || out.dead != nil && out.dead[i/64]>>(i%64)&1 != 0 {
			return
		}
		switch {
		case out.dead == nil:
			out.dead = make([]uint64, (len(out.base.files)+63)/64)
		case !copied:
			out.dead = slices.Clone(out.dead)
		}
		copied = true
		out.dead[i/64] |= 1 << (i % 64)
		out.gone++
	}
	for _, k := range drop {
		remove(k)
	}
	for _, f := range put {
		k := f.Key()
		remove(k)
		out.index[k] = len(out.fresh)
		out.fresh = append(out.fresh, f)
	}
	if holes != nil {
		out.close(holes)
	}
	if len(out.fresh) > freshLimit || out.base != nil && out.gone > len(out.base.files)/2 && out.gone > freshLimit {
		return fileSetOf(slices.AppendSeq(make([]T, 0, out.len()), out.all()))
	}
	return out
}

// close takes out of fresh what was removed from it.
func (s *fileSet[T]) close(holes []bool) {
	kept := s.fresh[:0]
	for i, f := range s.fresh {
		if i < len(holes) && holes[i] {
			continue
		}
		s.index[f.Key()] = len(kept)
		kept = append(kept, f)
	}
	clear(s.fresh[len(kept):])
	s.fresh = kept
}
