package parquet

import (
	"encoding/binary"
	"errors"
)

// errThrift says that metadata is not Thrift's compact protocol.
var errThrift = errors.New("its metadata is damaged")

// Types of Thrift's compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxThriftDepth bounds how deeply skipped values may nest.
const maxThriftDepth = 32

// thrift reads Thrift's compact protocol from memory. After the first failure every method returns zero values and bad is
// set, so callers check once.
type thrift struct {
	b   []byte
	pos int
	bad bool
}

func (t *thrift) fail() { t.bad, t.pos = true, len(t.b) }

func (t *thrift) byte() byte {
	if t.pos >= len(t.b) {
		t.fail()
		return 0
	}
	c := t.b[t.pos]
	t.pos++
	return c
}

func (t *thrift) varint() uint64 {
	if t.pos < len(t.b) && t.b[t.pos] < 0x80 {
		t.pos++
		return uint64(t.b[t.pos-1])
	}
	v, n := binary.Uvarint(t.b[t.pos:])
	if n <= 0 {
		t.fail()
		return 0
	}
	t.pos += n
	return v
}

// integer reads an i16, i32 or i64.
func (t *thrift) integer() int64 {
	u := t.varint()
	return int64(u>>1) ^ -int64(u&1)
}

// i32 reads an i32; one out of range is a failure.
func (t *thrift) i32() int32 {
	v := t.integer()
	if v != int64(int32(v)) {
		t.fail()
		return 0
	}
	return int32(v)
}

func (t *thrift) binary() []byte {
	n := t.varint()
	if n > uint64(len(t.b)-t.pos) {
		t.fail()
		return nil
	}
	t.pos += int(n)
	return t.b[t.pos-int(n) : t.pos]
}

// list reads the head of a list: its elements have type kind. There are never more of them than bytes left.
func (t *thrift) list() (n int, kind byte) {
	c := t.byte()
	size := uint64(c >> 4)
	if size == 15 {
		size = t.varint()
	}
	if size > uint64(len(t.b)-t.pos) {
		t.fail()
		return 0, 0
	}
	return int(size), c & 15
}

// fields calls f for each field of a struct; f must read or skip the value.
func (t *thrift) fields(f func(id int16, kind byte)) {
	id := int16(0)
	for !t.bad {
		c := t.byte()
		kind := c & 15
		if kind == thriftStop {
			return
		}
		if delta := int16(c >> 4); delta != 0 {
			id += delta
		} else {
			id = int16(t.integer())
		}
		f(id, kind)
	}
}

// bool is the value of a boolean field of this kind.
func (t *thrift) bool(kind byte) bool { return kind == thriftTrue }

func (t *thrift) skip(kind byte) { t.skipDepth(kind, 0) }

func (t *thrift) skipDepth(kind byte, depth int) {
	if depth > maxThriftDepth {
		t.fail()
		return
	}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.varint()
	case thriftDouble:
		if t.pos += 8; t.pos > len(t.b) {
			t.fail()
		}
	case thriftBinary:
		t.binary()
	case thriftList, thriftSet:
		n, elem := t.list()
		for ; n > 0 && !t.bad; n-- {
			if elem == thriftTrue || elem == thriftFalse {
				t.byte()
				continue
			}
			t.skipDepth(elem, depth+1)
		}
	case thriftMap:
		n := t.varint()
		if n == 0 {
			return
		}
		if n > uint64(len(t.b)-t.pos) {
			t.fail()
			return
		}
		kinds := t.byte()
		for ; n > 0 && !t.bad; n-- {
			t.skipDepth(kinds>>4, depth+1)
			t.skipDepth(kinds&15, depth+1)
		}
	case thriftStruct:
		for !t.bad {
			c := t.byte()
			if c&15 == thriftStop {
				return
			}
			if c>>4 == 0 {
				t.varint()
			}
			t.skipDepth(c&15, depth+1)
		}
	default:
		t.fail()
	}
}
