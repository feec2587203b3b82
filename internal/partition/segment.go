package partition

import (
	"bytes"
	"errors"
	"slices"
	"sort"

	"github.com/tarnlake/tarn/internal/types"
)

// ErrCorrupt is what segments and file sets that cannot be read wrap.
var ErrCorrupt = errors.New("corrupt content")

const (
	// segmentRows is how many partitions a base segment aims at. A segment is rewritten whole when one of its partitions
	// changes, and read whole: 16 Ki keep a rewrite near 100 µs and a table of a million partitions at 61 segments.
	segmentRows = 1 << 14
	// deltaRows is the number of changes from which base segments are rewritten instead of adding a delta.
	deltaRows = 256
	// maxDeltas is how many deltas may lie over the base before they are merged into it.
	maxDeltas = 16
)

// SegmentInfo describes a stored segment: what a store keeps beside the bytes to find it again.
type SegmentInfo struct {
	// ID is the store's; this package only hands it back.
	ID int64
	// Delta tells a segment of later changes from one of the base.
	Delta bool
	// Version is the table version that wrote it (of EncodeSegments: the last that changed any of the partitions).
	Version int64
	// Rows is the number of partitions, or of changes of a delta.
	Rows int
	// First is the order-preserving key of the first partition; base segments do not overlap and lie in its order.
	First []byte
	// Zones hold the range of each key column.
	Zones []Zone
}

// Zone is the range of one key column in a segment, as order-preserving bytes (nil when all are NULL).
type Zone struct {
	Min, Max []byte
	HasNull  bool
}

// EncodedSegment is a segment to store.
type EncodedSegment struct {
	Info  SegmentInfo
	Bytes []byte
}

// EncodeSegments is the whole set as base segments, in order.
func EncodeSegments(s *Set) []EncodedSegment {
	version := int64(0)
	if len(s.versions) > 0 {
		version = slices.Max(s.versions)
	}
	return s.encodeRange(0, s.n, version)
}

// encodeRange is rows [lo, hi) as base segments of even sizes.
func (s *Set) encodeRange(lo, hi int, version int64) []EncodedSegment {
	if lo == hi {
		return nil
	}
	pieces := (hi - lo + segmentRows - 1) / segmentRows
	out := make([]EncodedSegment, 0, pieces)
	for k := range pieces {
		b := s.block(lo+(hi-lo)*k/pieces, lo+(hi-lo)*(k+1)/pieces)
		b.tidy()
		out = append(out, encodeBase(s.cols, b, version))
	}
	return out
}

// Load makes the set that the segments hold: those live at one version, in any order. Bytes that no Encode made are an error
// that wraps ErrCorrupt; the segments' bytes are not kept.
func Load(cols []Column, segments [][]byte) (*Set, error) {
	var base, deltas []*segment
	for _, raw := range segments {
		seg, err := decodeSegment(cols, raw)
		if err != nil {
			return nil, err
		}
		if seg.info.Delta {
			deltas = append(deltas, seg)
		} else {
			base = append(base, seg)
		}
	}
	sort.SliceStable(base, func(i, j int) bool { return bytes.Compare(base[i].info.First, base[j].info.First) < 0 })
	sort.SliceStable(deltas, func(i, j int) bool { return deltas[i].info.Version < deltas[j].info.Version })
	parts := make([]*block, 0, len(base)+1)
	for _, seg := range base {
		parts = append(parts, seg.rows)
	}
	if len(parts) == 0 {
		parts = append(parts, NewSet(cols).block(0, 0))
	}
	bottom, _ := concat(len(cols), parts)
	if len(deltas) == 0 {
		if !inOrder(bottom.codes, bottom.sizes(), bottom.n) {
			return nil, corrupt("partitions are out of order or twice there")
		}
		return freeze(cols, bottom), nil
	}
	layers := []*block{bottom}
	for _, seg := range deltas {
		layers = append(layers, seg.dropped, seg.rows)
	}
	b, err := fold(cols, laxFold, layers...)
	if err != nil {
		return nil, err
	}
	return freeze(cols, b), nil
}

// Rewrite says how the stored segments change when ch turns before into after (= before.Apply(ch, gen)): retire are the
// IDs of the segments that end with this version, add are the new ones. Few changes become one delta; else the base segments that
// they or earlier deltas touch are written anew, and no delta stays.
func Rewrite(live []SegmentInfo, before, after *Set, ch *Changes, gen int64) (retire []int64, add []EncodedSegment) {
	deltas := 0
	for _, info := range live {
		if info.Delta {
			deltas++
		}
	}
	touched := ch.size()
	if touched == 0 {
		return nil, nil
	}
	if touched < deltaRows && deltas < maxDeltas && len(live) > 0 && before.n > deltaRows {
		return nil, []EncodedSegment{encodeDelta(after, ch, gen)}
	}
	return after.compact(live, gen)
}

// compact rewrites the base so that it alone holds s. A base segment is as it was when its range of keys has as many rows as
// before and none that is newer: dropping a partition changes the number, and all else makes a row newer.
func (s *Set) compact(live []SegmentInfo, gen int64) (retire []int64, add []EncodedSegment) {
	var base []SegmentInfo
	for _, info := range live {
		if info.Delta {
			retire = append(retire, info.ID)
		} else {
			base = append(base, info)
		}
	}
	sort.SliceStable(base, func(i, j int) bool { return bytes.Compare(base[i].First, base[j].First) < 0 })
	// Segment k owns rows [bounds[k], bounds[k+1]); the first also what lies before it.
	bounds := make([]int, len(base)+1)
	bounds[len(base)] = s.n
	for k := 1; k < len(base); k++ {
		bounds[k] = s.seekKey(base[k].First)
	}
	if len(base) == 0 {
		return retire, s.encodeRange(0, s.n, gen)
	}
	for k := 0; k < len(base); {
		if !s.stale(base[k], bounds[k], bounds[k+1]) {
			k++
			continue
		}
		end := k
		for end < len(base) && (s.stale(base[end], bounds[end], bounds[end+1]) || bounds[end]-bounds[k] < segmentRows/4 && end > k) {
			retire = append(retire, base[end].ID)
			end++
		}
		add = append(add, s.encodeRange(bounds[k], bounds[end], gen)...)
		k = end
	}
	return retire, add
}

// stale reports whether a base segment no longer holds what rows [lo, hi) hold.
func (s *Set) stale(info SegmentInfo, lo, hi int) bool {
	if hi-lo != info.Rows {
		return true
	}
	newer := make([]bool, len(s.versions))
	none := true
	for k, v := range s.versions {
		newer[k] = v > info.Version
		none = none && !newer[k]
	}
	if none || lo == hi {
		return false
	}
	if len(s.versions) == 1 {
		return true
	}
	for i := lo; i < hi; i++ {
		if newer[s.gens.at(i)] {
			return true
		}
	}
	return false
}

// seekKey is the first row whose key is not less than first.
func (s *Set) seekKey(first []byte) int {
	var buf []byte
	return sort.Search(s.n, func(i int) bool {
		buf = s.appendRowKey(buf[:0], i)
		return bytes.Compare(buf, first) >= 0
	})
}

func (s *Set) appendRowKey(dst []byte, i int) []byte {
	for c := range s.cols {
		dst = appendOrdered(dst, &s.domains[c], s.keys[c].at(i))
	}
	return dst
}

// appendOrdered writes a code's key such that joined keys order as tuples: 0 for NULL; else 1 and the bytes of the key, a
// text ended by two zero bytes with its own zero bytes followed by 255.
func appendOrdered(dst []byte, d *domain, code uint32) []byte {
	if code == 0 {
		return append(dst, 0)
	}
	return appendOrderedKey(dst, d.form, d.key(code))
}

func appendOrderedKey(dst []byte, f form, k key) []byte {
	dst = append(dst, 1)
	if f == numForm {
		return append(dst, k.bytes(numForm)...)
	}
	for i := 0; i < len(k.text); i++ {
		dst = append(dst, k.text[i])
		if k.text[i] == 0 {
			dst = append(dst, 0xFF)
		}
	}
	return append(dst, 0, 0)
}

// appendValuesKey writes the joined keys of values, one per column, in any form.
func appendValuesKey(dst []byte, cols []Column, v Values) []byte {
	for c, col := range cols {
		var value types.Value
		if c < len(v) {
			value = Canonical(col, v[c])
		}
		if value == nil {
			dst = append(dst, 0)
		} else {
			dst = appendOrderedKey(dst, formOf(col.Type), keyOf(col.Type, value))
		}
	}
	return dst
}

// encodeDelta is the rows that gen changed, and the values that it dropped and did not add again.
func encodeDelta(after *Set, ch *Changes, gen int64) EncodedSegment {
	var rows []uint32
	for k, v := range after.versions {
		if v != gen {
			continue
		}
		for i := range after.n {
			if len(after.versions) == 1 || after.gens.at(i) == uint32(k) {
				rows = append(rows, uint32(i))
			}
		}
	}
	var dropped []AddEntry
	note := func(v Values) {
		v = CanonicalValues(after.cols, v)
		if _, ok := after.Find(v); !ok {
			dropped = append(dropped, AddEntry{Values: v})
		}
	}
	for _, v := range ch.drops {
		note(v)
	}
	for _, r := range ch.renames {
		note(r.From)
	}
	for _, b := range ch.gone {
		for i := range b.n {
			note(b.values(after.cols, i))
		}
	}
	none := NewSet(after.cols).block(0, 0)
	tombs, err := fold(after.cols, laxFold, none, entryBlock(after.cols, dropped, gen))
	if err != nil {
		tombs = none // an empty base is in order, and laxFold refuses nothing else
	}
	return encodeSegment(after.cols, after.gather(rows), tombs, true, gen)
}

func encodeBase(cols []Column, b *block, version int64) EncodedSegment {
	return encodeSegment(cols, b, nil, false, version)
}

// gather is some rows of the set in the working form, tidy.
func (s *Set) gather(rows []uint32) *block {
	b := &block{
		n: len(rows), domains: append([]domain(nil), s.domains...), codes: make([][]uint32, len(s.cols)),
		spellings: make([]labels, len(s.cols)), gens: gens{values: s.versions},
	}
	for c := range s.cols {
		b.codes[c] = s.keys[c].take(rows)
		b.spellings[c] = s.spellings[c].take(rows)
	}
	b.prefix = s.prefix.take(rows)
	if len(s.versions) > 1 {
		b.gens.codes = s.gens.take(rows)
	}
	b.odd = gatherOdd(s.odd, rows)
	b.content = s.content.take(rows)
	b.tidy()
	return b
}

func (c *codes) take(rows []uint32) []uint32 {
	out := make([]uint32, len(rows))
	for i, r := range rows {
		out[i] = c.at(int(r))
	}
	return out
}

func (n *names) take(rows []uint32) labels {
	if n.empty() {
		return labels{}
	}
	return labels{names: n.list, codes: n.codes.take(rows)}
}
