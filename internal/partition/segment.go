package partition

import "errors"

// ErrCorrupt is what segments that cannot be read wrap.
var ErrCorrupt = errors.New("corrupt partition segment")

// SegmentInfo describes a stored segment: what a store keeps beside the bytes to find it again.
type SegmentInfo struct {
	// ID is the store's; this package only hands it back.
	ID int64
	// Delta tells a segment of later changes from one of the base.
	Delta bool
	// Rows is the number of partitions, or of changes of a delta.
	Rows int
	// First is the order-preserving key of the first partition.
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
func EncodeSegments(s *Set) []EncodedSegment { return nil }

// DecodeInfo reads a segment's description from its bytes; the ID is 0.
func DecodeInfo(b []byte) (SegmentInfo, error) { return SegmentInfo{}, nil }

// Load makes the set that the segments hold: those live at one version, deltas in the order they were written.
func Load(cols []Column, segments [][]byte) (*Set, error) { return NewSet(cols), nil }

// Rewrite says how the stored segments change when ch turns before into after (= before.Apply(ch, gen)): retire are the
// IDs that end with this version, add are the new segments.
func Rewrite(live []SegmentInfo, before, after *Set, ch *Changes, gen int64) (retire []int64, add []EncodedSegment) {
	for _, s := range live {
		retire = append(retire, s.ID)
	}
	return retire, EncodeSegments(after)
}
