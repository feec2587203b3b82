package delta

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"sort"
	"sync"
)

// fileSet is an immutable set of additions by key that newer versions share: a base, a bitmap of what is no longer true of
// it, and what came since. The zero set is empty.
type fileSet struct {
	base  *fileBase
	dead  bitmap // base's files that are gone; nil when none is
	gone  int    // bits set in dead
	fresh []*Add // since base, in the order of the log
	index map[FileKey]int
}

// fileBase is a list of files with an index that is made when a change first asks for it.
type fileBase struct {
	parts []*packedFiles
	ends  []int // of the parts, as numbers of files
	once  sync.Once
	index keyIndex

	counting sync.Once
	counts   []int64
}

// plus is a base with more files after its own.
func (b *fileBase) plus(files []*Add) *fileBase {
	var parts []*packedFiles
	if b != nil {
		parts = slices.Clip(b.parts)
	}
	return baseOf(append(parts, packFiles(files)))
}

func baseOf(parts []*packedFiles) *fileBase {
	out := &fileBase{parts: parts}
	n := 0
	for _, p := range parts {
		n += p.count
		out.ends = append(out.ends, n)
	}
	return out
}

func (b *fileBase) len() int {
	if b == nil || len(b.ends) == 0 {
		return 0
	}
	return b.ends[len(b.ends)-1]
}

// at is the i-th file.
func (b *fileBase) at(i int) *Add {
	part := sort.SearchInts(b.ends, i+1)
	if part > 0 {
		i -= b.ends[part-1]
	}
	return b.parts[part].at(i)
}

// records are the fronts of all files with the number of each, and its part.
func (b *fileBase) records(yield func(int, record, *packedFiles) bool) {
	if b == nil {
		return
	}
	i := 0
	for _, p := range b.parts {
		for _, block := range p.blocks {
			for len(block) > 0 {
				var r record
				r, block = p.next(block)
				if !yield(i, r, p) {
					return
				}
				i++
			}
		}
	}
}

// find is the number of the file with a key, the last one when there are several.
func (b *fileBase) find(k FileKey) (int, bool) {
	if b == nil {
		return 0, false
	}
	b.once.Do(func() {
		b.index = newKeyIndex(b.len())
		u := unpacker{}
		b.records(func(i int, r record, p *packedFiles) bool {
			var a Add
			u.file(&a, r, p)
			b.index.put(a.Key(), i, func(i int) FileKey { return b.at(i).Key() })
			return true
		})
	})
	return b.index.get(k, func(i int) FileKey { return b.at(i).Key() })
}

// keyIndex finds numbers by key without holding the keys: a slot has the half of a key's hash, and the number plus one. A slot that
// is taken makes a key go to the next one.
type keyIndex struct {
	seed  maphash.Seed
	slots []uint64
}

// newKeyIndex has a quarter of its slots free when it has so many keys.
func newKeyIndex(keys int) keyIndex {
	return keyIndex{seed: maphash.MakeSeed(), slots: make([]uint64, keys+keys/3+1)}
}

// slot is where the search for a key begins and the hash that its slot has.
func (x *keyIndex) slot(k FileKey) (at int, hash uint64) {
	h := maphash.String(x.seed, k.Path)
	if k.DV != "" {
		h ^= maphash.String(x.seed, k.DV) * 31
	}
	return int((h >> 32) * uint64(len(x.slots)) >> 32), h << 32
}

// put gives a key a number, in the place of the one that it has.
func (x *keyIndex) put(k FileKey, n int, key func(int) FileKey) {
	const number = 1<<32 - 1
	for at, hash := x.slot(k); ; at = (at + 1) % len(x.slots) {
		s := x.slots[at]
		if s == 0 || s&^number == hash && key(int(s&number)-1) == k {
			x.slots[at] = hash | uint64(n+1)
			return
		}
	}
}

func (x *keyIndex) get(k FileKey, key func(int) FileKey) (int, bool) {
	const number = 1<<32 - 1
	for at, hash := x.slot(k); ; at = (at + 1) % len(x.slots) {
		s := x.slots[at]
		if s == 0 {
			return 0, false
		}
		if n := int(s&number) - 1; s&^number == hash && key(n) == k {
			return n, true
		}
	}
}

// freshLimit is how many files may have come since the base before they are packed, too: below it, a change costs what it
// changes.
const freshLimit = 2048

func fileSetOf(files []*Add) fileSet { return fileSet{base: baseOf([]*packedFiles{packFiles(files)})} }

// without takes files of the base away, those with keys that are gone, and gives their bytes.
func (s *fileSet) without(gone map[FileKey]bool) (bytes int64) {
	if len(gone) == 0 {
		return 0
	}
	u := unpacker{}
	s.base.records(func(i int, r record, p *packedFiles) bool {
		// Most keys are the path alone.
		if path := u.path(r, p); r.holds&holdsVector == 0 && len(path) > 0 && path[0] != '/' && path[0] != 'f' && !gone[FileKey{Path: string(path)}] {
			return true
		}
		var a Add
		u.file(&a, r, p)
		if gone[a.Key()] {
			if s.dead == nil {
				s.dead = make(bitmap, bitmapWords(s.base.len()))
			}
			s.dead[i/64] |= 1 << (i % 64)
			s.gone++
			bytes += a.Size
		}
		return true
	})
	return bytes
}

func (s fileSet) len() int { return s.base.len() - s.gone + len(s.fresh) }

func (s fileSet) live(i int) bool { return s.dead == nil || s.dead[i/64]>>(i%64)&1 == 0 }

func (s fileSet) all() iter.Seq[*Add] {
	return s.those(func(PartitionTexts) bool { return true }, false)
}

// roomFiles is how many unpacked files have their room together: one of them that is kept keeps the others.
const roomFiles = 8

// those are the files whose partition values are wanted, with deletion vectors when that is asked for. The others are not unpacked.
func (s fileSet) those(want func(PartitionTexts) bool, vectors bool) iter.Seq[*Add] {
	return func(yield func(*Add) bool) {
		u := unpacker{}
		var room []Add
		more := true
		s.base.records(func(i int, r record, p *packedFiles) bool {
			if !s.live(i) || vectors && r.holds&holdsVector == 0 || !want(r.values) {
				return true
			}
			if len(room) == 0 {
				room = make([]Add, roomFiles)
			}
			a := &room[0]
			room = room[1:]
			u.file(a, r, p)
			more = yield(a)
			return more
		})
		for _, f := range s.fresh {
			if !more {
				return
			}
			if (!vectors || f.DeletionVector != nil) && want(f.PartitionValues) {
				more = yield(f)
			}
		}
	}
}

// counted are the files' partition values with a number of each file, which is found once for those of the base: of must always give
// the same.
func (s fileSet) counted(of func(*Add) int64) iter.Seq2[PartitionTexts, int64] {
	return func(yield func(PartitionTexts, int64) bool) {
		more := true
		if b := s.base; b != nil {
			b.counting.Do(func() {
				b.counts = make([]int64, 0, b.len())
				for a := range (fileSet{base: b}).all() {
					b.counts = append(b.counts, of(a))
				}
			})
			b.records(func(i int, r record, _ *packedFiles) bool {
				more = !s.live(i) || yield(r.values, b.counts[i])
				return more
			})
		}
		for _, f := range s.fresh {
			if !more {
				return
			}
			more = yield(f.PartitionValues, of(f))
		}
	}
}

// find looks up a file.
func (s fileSet) find(k FileKey) (found *Add, ok bool) {
	if i, ok := s.index[k]; ok {
		return s.fresh[i], true
	}
	i, ok := s.base.find(k)
	if !ok || !s.live(i) {
		return nil, false
	}
	return s.base.at(i), true
}

// change is the set without the files of drop and with those of put, which replace files of the same key.
func (s fileSet) change(drop []FileKey, put []*Add) fileSet {
	if len(drop) == 0 && len(put) == 0 {
		return s
	}
	out := fileSet{base: s.base, dead: s.dead, gone: s.gone, fresh: slices.Clone(s.fresh), index: maps.Clone(s.index)}
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
		i, ok := out.base.find(k)
		if !ok || !out.live(i) {
			return
		}
		switch {
		case out.dead == nil:
			out.dead = make(bitmap, bitmapWords(out.base.len()))
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
	switch n := out.base.len(); {
	case out.gone > n/2 && out.gone > freshLimit:
		return fileSetOf(slices.AppendSeq(make([]*Add, 0, out.len()), out.all()))
	case len(out.fresh) > freshLimit:
		out.base, out.fresh, out.index = out.base.plus(out.fresh), nil, nil
		out.dead = out.dead.upTo(out.base.len())
	}
	return out
}

type bitmap []uint64

func bitmapWords(bits int) int { return (bits + 63) / 64 }

// upTo is the bitmap with room for more bits; nil stays nil.
func (b bitmap) upTo(bits int) bitmap {
	if b == nil {
		return nil
	}
	return append(make(bitmap, 0, bitmapWords(bits)), b...)[:bitmapWords(bits)]
}

// close takes out of fresh what was removed from it.
func (s *fileSet) close(holes []bool) {
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
