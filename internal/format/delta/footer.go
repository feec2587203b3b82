package delta

import (
	"encoding/binary"
	"errors"
	"io"
)

// errFooter is a footer whose lists and texts are longer than itself, or that ends early.
var errFooter = errors.New("its footer is damaged")

// checkFooter walks over the footer of a Parquet file before the library reads it: the library makes room for as many elements as
// a list claims to have, which a damaged byte turns into gigabytes. A file without the marks of Parquet is left to the library
// to refuse.
func checkFooter(r io.ReaderAt, size int64) error {
	const tail = 8 // the footer's length and the mark
	if size < tail {
		return errFooter
	}
	var end [tail]byte
	if _, err := r.ReadAt(end[:], size-tail); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return nil
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-tail {
		return errFooter
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-tail-length); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	w := compactWalk{data: data}
	w.structure(0)
	if w.bad {
		return errFooter
	}
	return nil
}

// compactWalk skips over Thrift's compact protocol, in which Parquet writes its footers and headers, without keeping anything.
type compactWalk struct {
	data []byte
	bad  bool
}

// maxNesting is deeper than any footer is.
const maxNesting = 24

// The types of the compact protocol.
const (
	compactTrue   = 1
	compactFalse  = 2
	compactByte   = 3
	compactInt16  = 4
	compactInt32  = 5
	compactInt64  = 6
	compactDouble = 7
	compactBinary = 8
	compactList   = 9
	compactSet    = 10
	compactMap    = 11
	compactStruct = 12
	compactUUID   = 13
)

func (w *compactWalk) skip(n uint64) {
	if n > uint64(len(w.data)) {
		w.bad, w.data = true, nil
		return
	}
	w.data = w.data[n:]
}

func (w *compactWalk) octet() byte {
	if len(w.data) == 0 {
		w.bad = true
		return 0
	}
	b := w.data[0]
	w.data = w.data[1:]
	return b
}

func (w *compactWalk) varint() uint64 {
	v, n := binary.Uvarint(w.data)
	if n <= 0 {
		w.bad, w.data = true, nil
		return 0
	}
	w.data = w.data[n:]
	return v
}

func (w *compactWalk) zigzag() int64 {
	v := w.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (w *compactWalk) structure(depth int) {
	w.fields(depth, func(int64, byte) bool { return false })
}

// fields goes over a structure's fields: taken reports whether it has read the value of one, which is skipped otherwise.
func (w *compactWalk) fields(depth int, taken func(id int64, kind byte) bool) {
	if depth > maxNesting {
		w.bad = true
	}
	for id := int64(0); !w.bad; {
		b := w.octet()
		if b == 0 || w.bad {
			return
		}
		if more := int64(b >> 4); more > 0 {
			id += more
		} else {
			id = w.zigzag() // it does not follow from the one before
		}
		if kind := b & 15; kind != compactTrue && kind != compactFalse && !taken(id, kind) {
			w.value(kind, depth)
		}
	}
}

// value skips one value. As an element of a list, a truth value has a byte of its own.
func (w *compactWalk) value(kind byte, depth int) {
	switch kind {
	case compactTrue, compactFalse, compactByte:
		w.skip(1)
	case compactInt16, compactInt32, compactInt64:
		w.varint()
	case compactDouble:
		w.skip(8)
	case compactUUID:
		w.skip(16)
	case compactBinary:
		w.skip(w.varint())
	case compactList, compactSet:
		b := w.octet()
		n := uint64(b >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.elements(n, depth, b&15)
	case compactMap:
		if n := w.varint(); n > 0 {
			b := w.octet()
			w.elements(n, depth, b>>4, b&15)
		}
	case compactStruct:
		w.structure(depth + 1)
	default:
		w.bad = true
	}
}

// elements skips n elements. Each takes at least a byte, so that more of them than there are bytes cannot be.
func (w *compactWalk) elements(n uint64, depth int, kinds ...byte) {
	if n > uint64(len(w.data)) || depth > maxNesting {
		w.bad = true
	}
	for ; n > 0 && !w.bad; n-- {
		for _, kind := range kinds {
			w.value(kind, depth+1)
		}
	}
}
