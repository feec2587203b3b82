package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var (
	errLevels = errors.New("a page has fewer levels than its header says")
	errValues = errors.New("a page has fewer values than its header says")
)

// hybrid decodes n numbers of the given width from the mix of runs and bit-packed groups that Parquet calls RLE. strict
// refuses a last group that is cut short; otherwise what is missing is zero, as lenient writers expect.
func hybrid(b []byte, width, n int, strict bool, put func(v uint32, times int) error) error {
	if width < 0 || width > 32 {
		return errValues
	}
	byteWidth := (width + 7) / 8
	for n > 0 {
		head, k := binary.Uvarint(b)
		if k <= 0 {
			return errValues
		}
		b = b[k:]
		if head&1 == 0 {
			times := head >> 1
			if times == 0 || len(b) < byteWidth {
				return errValues
			}
			var v uint32
			for i := range byteWidth {
				v |= uint32(b[i]) << (8 * i)
			}
			b = b[byteWidth:]
			run := int(min(times, uint64(n)))
			if err := put(v, run); err != nil {
				return err
			}
			n -= run
			continue
		}
		groups := head >> 1
		if groups == 0 {
			return errValues
		}
		count := n
		if groups < uint64(n) {
			count = min(n, int(groups)*8)
		}
		size := (count*width + 7) / 8
		packed := b
		if len(packed) < size {
			if strict || len(packed) == 0 {
				return errValues
			}
			packed = append(append(make([]byte, 0, size), packed...), make([]byte, size-len(packed))...)
		}
		if err := unpack(packed, width, count, put); err != nil {
			return err
		}
		n -= count
		whole := groups * uint64(width)
		b = b[min(uint64(len(b)), whole):]
	}
	return nil
}

// unpack reads n numbers of width bits each, the lowest bits first.
func unpack(b []byte, width, n int, put func(v uint32, times int) error) error {
	var acc uint64
	have, pos := 0, 0
	mask := uint64(1)<<width - 1
	for range n {
		for have < width {
			acc |= uint64(b[pos]) << have
			pos++
			have += 8
		}
		if err := put(uint32(acc&mask), 1); err != nil {
			return err
		}
		acc >>= width
		have -= width
	}
	return nil
}

// readLevels decodes n levels up to most, and fails when there are fewer or one is greater.
func readLevels(dst []uint8, b []byte, most, n int) ([]uint8, error) {
	dst = dst[:0]
	err := hybrid(b, bits.Len(uint(most)), n, true, func(v uint32, times int) error {
		if v > uint32(most) {
			return errLevels
		}
		for range times {
			dst = append(dst, uint8(v))
		}
		return nil
	})
	if err != nil {
		return dst, errLevels
	}
	return dst, nil
}
