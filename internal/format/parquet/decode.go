package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// values are decoded values of one physical type, in the slice that belongs to it: ints for BOOLEAN, INT32 and INT64,
// floats for FLOAT and DOUBLE, bytes for the rest.
type values struct {
	ints   []int64
	floats []float64
	bytes  [][]byte
}

func (v *values) reset() { v.ints, v.floats, v.bytes = v.ints[:0], v.floats[:0], v.bytes[:0] }

func (v *values) len() int { return len(v.ints) + len(v.floats) + len(v.bytes) }

// byteWidth is the size of a value of a physical type that has one.
func byteWidth(physical int8, length int) int {
	switch physical {
	case physInt32, physFloat:
		return 4
	case physInt64, physDouble:
		return 8
	case physInt96:
		return 12
	case physFixed:
		return length
	}
	return 0
}

// decode appends n values in an encoding other than a dictionary's.
func (v *values) decode(encoding int32, leaf *node, b []byte, n int) error {
	switch encoding {
	case encPlain:
		return v.plain(leaf, b, n)
	case encRLE:
		if leaf.physical != physBoolean || len(b) < 4 {
			break
		}
		b = b[4:]
		return hybrid(b, 1, n, true, func(x uint32, times int) error {
			for range times {
				v.ints = append(v.ints, int64(x))
			}
			return nil
		})
	case encDeltaBinary:
		if leaf.physical != physInt32 && leaf.physical != physInt64 {
			break
		}
		start := len(v.ints)
		_, err := v.deltaInts(b, n)
		if leaf.physical == physInt32 {
			for i := range v.ints[start:] {
				v.ints[start+i] = int64(int32(v.ints[start+i]))
			}
		}
		return err
	case encDeltaLength:
		if leaf.physical == physByteArray {
			return v.deltaLength(b, n)
		}
	case encDeltaBytes:
		if leaf.physical == physByteArray || leaf.physical == physFixed {
			return v.deltaBytes(b, n)
		}
	case encByteStreamSplit:
		return v.split(leaf, b, n)
	}
	return fmt.Errorf("the encoding %d of %s is not supported", encoding, physicalNames[leaf.physical])
}

func (v *values) plain(leaf *node, b []byte, n int) error {
	if leaf.physical == physBoolean {
		if len(b) < (n+7)/8 {
			return errValues
		}
		for i := range n {
			v.ints = append(v.ints, int64(b[i/8]>>(i%8)&1))
		}
		return nil
	}
	if leaf.physical == physByteArray {
		for range n {
			if len(b) < 4 {
				return errValues
			}
			size := binary.LittleEndian.Uint32(b)
			if b = b[4:]; uint64(size) > uint64(len(b)) {
				return errValues
			}
			v.bytes = append(v.bytes, b[:size:size])
			b = b[size:]
		}
		return nil
	}
	w := byteWidth(leaf.physical, int(leaf.length))
	if w < 0 || w > 0 && len(b)/w < n {
		return errValues
	}
	for i := range n {
		v.put(leaf.physical, b[i*w:(i+1)*w:(i+1)*w])
	}
	return nil
}

// put appends one value given by its bytes.
func (v *values) put(physical int8, b []byte) {
	switch physical {
	case physInt32:
		v.ints = append(v.ints, int64(int32(binary.LittleEndian.Uint32(b))))
	case physInt64:
		v.ints = append(v.ints, int64(binary.LittleEndian.Uint64(b)))
	case physFloat:
		v.floats = append(v.floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case physDouble:
		v.floats = append(v.floats, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	default:
		v.bytes = append(v.bytes, b)
	}
}

// split reads BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones, and so on.
func (v *values) split(leaf *node, b []byte, n int) error {
	w := byteWidth(leaf.physical, int(leaf.length))
	if w < 1 || leaf.physical == physInt96 || len(b)/w < n {
		return errValues
	}
	stride := len(b) / w
	joined := make([]byte, n*w)
	for i := range n {
		for k := range w {
			joined[i*w+k] = b[k*stride+i]
		}
		v.put(leaf.physical, joined[i*w:(i+1)*w:(i+1)*w])
	}
	return nil
}

// deltaInts reads DELTA_BINARY_PACKED and returns what follows it.
func (v *values) deltaInts(b []byte, most int) (rest []byte, err error) {
	var head [3]uint64
	for i := range head {
		u, k := binary.Uvarint(b)
		if k <= 0 {
			return nil, errValues
		}
		head[i], b = u, b[k:]
	}
	block, minis, total := head[0], head[1], head[2]
	value, k := binary.Varint(b)
	if k <= 0 || minis == 0 || block == 0 || block > 1<<20 || minis > block || block%minis != 0 || block/minis%8 != 0 {
		return nil, errValues
	}
	b = b[k:]
	if total > uint64(most) {
		return nil, errValues
	}
	left := int(total)
	if left == 0 {
		return b, nil
	}
	v.ints = append(v.ints, value)
	left--
	per := int(block / minis)
	for left > 0 {
		least, k := binary.Varint(b)
		if k <= 0 || len(b)-k < int(minis) {
			return nil, errValues
		}
		widths := b[k : k+int(minis)]
		b = b[k+int(minis):]
		for _, w := range widths {
			if left == 0 {
				break
			}
			size := per / 8 * int(w)
			if w > 64 || len(b) < size {
				return nil, errValues
			}
			count := min(per, left)
			for i := range count {
				value += least + int64(bitsAt(b, i*int(w), int(w)))
				v.ints = append(v.ints, value)
			}
			left -= count
			b = b[size:]
		}
	}
	return b, nil
}

// bitsAt reads width bits at a bit position, the lowest first.
func bitsAt(b []byte, at, width int) uint64 {
	var out uint64
	for got := 0; got < width; {
		shift := (at + got) % 8
		take := min(8-shift, width-got)
		out |= uint64(b[(at+got)/8]>>shift) & (1<<take - 1) << got
		got += take
	}
	return out
}

var errLengths = errors.New("a page has lengths that do not fit its text")

func (v *values) deltaLength(b []byte, n int) error {
	var lengths values
	rest, err := lengths.deltaInts(b, n)
	if err != nil {
		return err
	}
	if len(lengths.ints) < n {
		return errValues
	}
	for _, size := range lengths.ints {
		if size < 0 || size > int64(len(rest)) {
			return errLengths
		}
		v.bytes = append(v.bytes, rest[:size:size])
		rest = rest[size:]
	}
	return nil
}

// maxPrefixed bounds the text that DELTA_BYTE_ARRAY may repeat from one page.
const maxPrefixed = 1 << 30

func (v *values) deltaBytes(b []byte, n int) error {
	var prefixes, suffixes values
	rest, err := prefixes.deltaInts(b, n)
	if err != nil {
		return err
	}
	if err := suffixes.deltaLength(rest, n); err != nil {
		return err
	}
	if len(prefixes.ints) < n {
		return errValues
	}
	var last []byte
	total := 0
	for i, p := range prefixes.ints {
		if p < 0 || p > int64(len(last)) {
			return errLengths
		}
		suffix := suffixes.bytes[i]
		if total += int(p) + len(suffix); total > maxPrefixed {
			return errLengths
		}
		if p == 0 {
			last = suffix
		} else {
			last = append(append(make([]byte, 0, int(p)+len(suffix)), last[:p]...), suffix...)
		}
		v.bytes = append(v.bytes, last)
	}
	return nil
}

// lookup appends n values of a dictionary by their indexes.
func (v *values) lookup(dict *values, b []byte, n int) error {
	if n == 0 {
		return nil
	}
	if len(b) == 0 {
		return errValues
	}
	size := uint32(dict.len())
	return hybrid(b[1:], int(b[0]), n, false, func(i uint32, times int) error {
		if i >= size {
			return errors.New("a page refers to a value beyond its dictionary")
		}
		for range times {
			switch {
			case len(dict.ints) > 0:
				v.ints = append(v.ints, dict.ints[i])
			case len(dict.floats) > 0:
				v.floats = append(v.floats, dict.floats[i])
			default:
				v.bytes = append(v.bytes, dict.bytes[i])
			}
		}
		return nil
	})
}
