package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is one PageHeader.
type pageHeader struct {
	kind, plain, packed int32
	values              int32
	encoding            int32
	repEncoding         int32
	defEncoding         int32
	defBytes, repBytes  int32
	compressed          bool
}

func parsePageHeader(t *thrift) (pageHeader, error) {
	h := pageHeader{kind: -1, values: -1, compressed: true, repEncoding: encRLE, defEncoding: encRLE}
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			h.kind = t.i32()
		case id == 2 && kind == thriftI32:
			h.plain = t.i32()
		case id == 3 && kind == thriftI32:
			h.packed = t.i32()
		case (id == 5 || id == 7) && kind == thriftStruct:
			t.fields(func(sub int16, kind byte) {
				switch {
				case kind != thriftI32 || sub > 4:
					t.skip(kind)
				case sub == 1:
					h.values = t.i32()
				case sub == 2:
					h.encoding = t.i32()
				case sub == 3:
					h.defEncoding = t.i32()
				case sub == 4:
					h.repEncoding = t.i32()
				}
			})
		case id == 8 && kind == thriftStruct:
			t.fields(func(sub int16, kind byte) {
				switch {
				case sub == 7:
					h.compressed = t.bool(kind)
					t.skip(kind)
				case kind != thriftI32:
					t.skip(kind)
				case sub == 1:
					h.values = t.i32()
				case sub == 4:
					h.encoding = t.i32()
				case sub == 5:
					h.defBytes = t.i32()
				case sub == 6:
					h.repBytes = t.i32()
				default:
					t.skip(kind)
				}
			})
		default:
			t.skip(kind)
		}
	})
	if t.bad || h.plain < 0 || h.packed < 0 || h.defBytes < 0 || h.repBytes < 0 {
		return h, errors.New("a page header is damaged")
	}
	return h, nil
}

// cursor walks over the values of one leaf in one row group: with their levels, page by page.
type cursor struct {
	leaf  *node
	chunk *chunk
	data  []byte // the pages not yet read
	left  int64  // values in them
	dict  values
	page  values
	reps  []uint8
	defs  []uint8
	at    int // which value of the page comes next
	atVal int // which of page's values that is, when it is not NULL
	count int // values of the page, NULL or not
}

var errPage = errors.New("a page goes on beyond its column")

// errShort says that a column ends before its rows do.
var errShort = errors.New("a column has fewer values than rows")

// ready makes sure that a value is next.
func (c *cursor) ready() error {
	for c.at >= c.count {
		if c.left <= 0 {
			return errShort
		}
		if err := c.nextPage(); err != nil {
			return err
		}
	}
	return nil
}

// more reports whether another value follows, reading its page when needed.
func (c *cursor) more() (bool, error) {
	if c.at < c.count {
		return true, nil
	}
	if c.left <= 0 {
		return false, nil
	}
	err := c.ready()
	if err == errShort {
		return false, nil
	}
	return err == nil, err
}

func (c *cursor) def() int {
	if c.leaf.def == 0 {
		return 0
	}
	return int(c.defs[c.at])
}

func (c *cursor) rep() int {
	if c.leaf.rep == 0 {
		return 0
	}
	return int(c.reps[c.at])
}

// advance steps over the next value.
func (c *cursor) advance() {
	if c.def() == c.leaf.def {
		c.atVal++
	}
	c.at++
}

func (c *cursor) nextPage() error {
	t := &thrift{b: c.data}
	h, err := parsePageHeader(t)
	if err != nil {
		return err
	}
	if int(h.packed) > len(c.data)-t.pos {
		return errPage
	}
	body := c.data[t.pos : t.pos+int(h.packed)]
	c.data = c.data[t.pos+int(h.packed):]
	switch h.kind {
	case pageDictionary:
		return c.dictionary(h, body)
	case pageData:
		return c.dataPage(h, body)
	case pageDataV2:
		return c.dataPageV2(h, body)
	}
	return nil
}

func (c *cursor) dictionary(h pageHeader, body []byte) error {
	if h.encoding != encPlain && h.encoding != encPlainDictionary {
		return fmt.Errorf("the encoding %d of a dictionary is not supported", h.encoding)
	}
	b, err := decompress(c.chunk.codec, body, int(h.plain))
	if err != nil {
		return err
	}
	if h.values < 0 || c.leaf.physical != physFixed && int(h.values) > 8*len(b) {
		return errValues
	}
	c.dict.reset()
	return c.dict.plain(c.leaf, b, int(h.values))
}

// begin checks a page's count before anything is allocated for it.
func (c *cursor) begin(h pageHeader) error {
	if h.values < 0 || int64(h.values) > c.left {
		return errors.New("a page has more values than its column")
	}
	c.left -= int64(h.values)
	c.at, c.atVal, c.count = 0, 0, int(h.values)
	c.page.reset()
	return nil
}

func (c *cursor) dataPage(h pageHeader, body []byte) error {
	if err := c.begin(h); err != nil {
		return err
	}
	b, err := decompress(c.chunk.codec, body, int(h.plain))
	if err != nil {
		return err
	}
	level := func(dst []uint8, encoding int32, most int) ([]uint8, error) {
		if most == 0 {
			return dst, nil
		}
		if encoding != encRLE {
			return dst, fmt.Errorf("the encoding %d of levels is not supported", encoding)
		}
		if len(b) < 4 {
			return dst, errLevels
		}
		size := binary.LittleEndian.Uint32(b)
		if b = b[4:]; uint64(size) > uint64(len(b)) {
			return dst, errLevels
		}
		dst, err := readLevels(dst, b[:size], most, c.count)
		b = b[size:]
		return dst, err
	}
	if c.reps, err = level(c.reps, h.repEncoding, c.leaf.rep); err != nil {
		return err
	}
	if c.defs, err = level(c.defs, h.defEncoding, c.leaf.def); err != nil {
		return err
	}
	return c.decode(h, b)
}

func (c *cursor) dataPageV2(h pageHeader, body []byte) error {
	if err := c.begin(h); err != nil {
		return err
	}
	levels := int(h.repBytes) + int(h.defBytes)
	if levels > len(body) || levels > int(h.plain) {
		return errLevels
	}
	var err error
	if c.leaf.rep > 0 {
		if c.reps, err = readLevels(c.reps, body[:h.repBytes], c.leaf.rep, c.count); err != nil {
			return err
		}
	}
	if c.leaf.def > 0 {
		if c.defs, err = readLevels(c.defs, body[h.repBytes:levels], c.leaf.def, c.count); err != nil {
			return err
		}
	}
	b := body[levels:]
	if h.compressed && len(b) > 0 {
		if b, err = decompress(c.chunk.codec, b, int(h.plain)-levels); err != nil {
			return err
		}
	}
	return c.decode(h, b)
}

// decode reads the values of a page that are not NULL.
func (c *cursor) decode(h pageHeader, b []byte) error {
	n := c.count
	if c.leaf.def > 0 {
		n = 0
		for _, d := range c.defs {
			if int(d) == c.leaf.def {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	var err error
	if h.encoding == encPlainDictionary || h.encoding == encRLEDictionary {
		err = c.page.lookup(&c.dict, b, n)
	} else {
		err = c.page.decode(h.encoding, c.leaf, b, n)
	}
	if err == nil && c.page.len() < n {
		err = errValues
	}
	return err
}
