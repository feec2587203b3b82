package parquet

// Codes of the Parquet format: physical types.
const (
	physBoolean = iota
	physInt32
	physInt64
	physInt96
	physFloat
	physDouble
	physByteArray
	physFixed
)

var physicalNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// Repetition types.
const (
	required = iota
	optional
	repeated
)

// Codecs.
const (
	codecNone = iota
	codecSnappy
	codecGzip
	codecLZO
	codecBrotli
	codecLZ4Hadoop
	codecZstd
	codecLZ4Raw
)

// Encodings.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// Converted types, the older annotation; -1 is none.
const (
	convNone            = -1
	convUTF8            = 0
	convMap             = 1
	convMapKeyValue     = 2
	convList            = 3
	convEnum            = 4
	convDecimal         = 5
	convDate            = 6
	convTimeMillis      = 7
	convTimeMicros      = 8
	convTimestampMillis = 9
	convTimestampMicros = 10
	convUint8           = 11
	convUint16          = 12
	convUint32          = 13
	convUint64          = 14
	convInt8            = 15
	convInt16           = 16
	convInt32           = 17
	convInt64           = 18
	convJSON            = 19
	convBSON            = 20
	convInterval        = 21
)

// Logical types, the newer annotation; 0 is none.
const (
	logNone      = 0
	logString    = 1
	logMap       = 2
	logList      = 3
	logEnum      = 4
	logDecimal   = 5
	logDate      = 6
	logTime      = 7
	logTimestamp = 8
	logInteger   = 10
	logUnknown   = 11
	logJSON      = 12
	logBSON      = 13
	logUUID      = 14
	logFloat16   = 15
	logVariant   = 16
	logNewer     = 17 // and all above: types newer than this package, GEOMETRY among them
)

// Units of times.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

// element is one SchemaElement.
type element struct {
	physical   int8 // -1 for a group
	length     int32
	repetition int8
	name       string
	children   int32
	fieldID    int32 // 0 when it has none: writers that give ids count from 1
	converted  int8
	scale      int32
	precision  int32
	logical    int8
	utc        bool // of a time: adjusted to UTC
	unit       int8
	bits       int8 // of an integer
	signed     bool
}

// chunk is what one ColumnChunk says.
type chunk struct {
	physical   int8
	codec      int8
	encodings  uint32 // one bit per encoding
	values     int64
	compressed int64
	dataOffset int64
	dictOffset int64 // 0 for none
	encrypted  bool
	elsewhere  bool // in another file
	described  bool // has metadata
}

type rowGroup struct {
	rows   int64
	chunks []chunk
}

// maxElements bounds the columns of a file.
const maxElements = 1 << 20

// metadata is one FileMetaData, as far as reading needs it.
type metadata struct {
	rows      int64
	elements  []element
	groups    []rowGroup
	encrypted bool // some algorithm is declared
}

func parseMetadata(b []byte) (*metadata, error) {
	t := &thrift{b: b}
	m := &metadata{}
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 2 && kind == thriftList:
			n, elem := t.list()
			if elem != thriftStruct || n > maxElements {
				t.fail()
				return
			}
			m.elements = make([]element, n)
			for i := range m.elements {
				m.elements[i].parse(t)
			}
		case id == 3 && kind == thriftI64:
			m.rows = t.integer()
		case id == 4 && kind == thriftList:
			n, elem := t.list()
			if elem != thriftStruct && n > 0 {
				t.fail()
				return
			}
			m.groups = make([]rowGroup, n)
			for i := range m.groups {
				m.groups[i].parse(t, len(m.elements))
			}
		case id == 8:
			m.encrypted = true
			t.skip(kind)
		default:
			t.skip(kind)
		}
	})
	if t.bad || len(m.elements) == 0 || m.rows < 0 {
		return nil, errThrift
	}
	return m, nil
}

func (e *element) parse(t *thrift) {
	e.physical, e.converted = -1, convNone
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			e.physical = int8(t.i32())
			if e.physical < 0 || e.physical > physFixed {
				t.fail()
			}
		case id == 2 && kind == thriftI32:
			e.length = t.i32()
		case id == 3 && kind == thriftI32:
			e.repetition = int8(t.i32())
			if e.repetition < required || e.repetition > repeated {
				t.fail()
			}
		case id == 4 && kind == thriftBinary:
			e.name = string(t.binary())
		case id == 5 && kind == thriftI32:
			e.children = t.i32()
		case id == 6 && kind == thriftI32:
			e.converted = int8(t.i32())
		case id == 7 && kind == thriftI32:
			e.scale = t.i32()
		case id == 8 && kind == thriftI32:
			e.precision = t.i32()
		case id == 9 && kind == thriftI32:
			e.fieldID = t.i32()
		case id == 10 && kind == thriftStruct:
			e.parseLogical(t)
		default:
			t.skip(kind)
		}
	})
	if e.children > 0 {
		e.physical = -1
	}
}

func (e *element) parseLogical(t *thrift) {
	t.fields(func(id int16, kind byte) {
		if kind != thriftStruct {
			t.skip(kind)
			return
		}
		e.logical = logNewer
		if id > logNone && id < logNewer {
			e.logical = int8(id)
		}
		t.fields(func(sub int16, kind byte) {
			switch {
			case id == logDecimal && sub == 1 && kind == thriftI32:
				e.scale = t.i32()
			case id == logDecimal && sub == 2 && kind == thriftI32:
				e.precision = t.i32()
			case (id == logTime || id == logTimestamp) && sub == 1:
				e.utc = t.bool(kind)
				t.skip(kind)
			case (id == logTime || id == logTimestamp) && sub == 2 && kind == thriftStruct:
				t.fields(func(unit int16, kind byte) {
					e.unit = int8(unit)
					t.skip(kind)
				})
			case id == logInteger && sub == 1 && kind == thriftByte:
				e.bits = int8(t.byte())
			case id == logInteger && sub == 2:
				e.signed = t.bool(kind)
				t.skip(kind)
			default:
				t.skip(kind)
			}
		})
	})
}

// parse reads a row group of a file with that many schema elements: it has no more columns than those.
func (g *rowGroup) parse(t *thrift, elements int) {
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && kind == thriftList:
			n, elem := t.list()
			if elem != thriftStruct && n > 0 || n > elements {
				t.fail()
				return
			}
			g.chunks = make([]chunk, n)
			for i := range g.chunks {
				g.chunks[i].parse(t)
			}
		case id == 3 && kind == thriftI64:
			g.rows = t.integer()
		default:
			t.skip(kind)
		}
	})
	if g.rows < 0 {
		t.fail()
	}
}

func (c *chunk) parse(t *thrift) {
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 1:
			c.elsewhere = true
			t.skip(kind)
		case id == 3 && kind == thriftStruct:
			c.parseMetadata(t)
		case id == 8, id == 9:
			c.encrypted = true
			t.skip(kind)
		default:
			t.skip(kind)
		}
	})
}

func (c *chunk) parseMetadata(t *thrift) {
	c.described = true
	t.fields(func(id int16, kind byte) {
		switch {
		case id == 1 && kind == thriftI32:
			c.physical = int8(t.i32())
		case id == 2 && kind == thriftList:
			n, elem := t.list()
			if elem != thriftI32 && n > 0 {
				t.fail()
			}
			for ; n > 0 && !t.bad; n-- {
				if e := t.i32(); e >= 0 && e < 32 {
					c.encodings |= 1 << e
				}
			}
		case id == 4 && kind == thriftI32:
			c.codec = int8(min(max(t.i32(), -1), 127))
		case id == 5 && kind == thriftI64:
			c.values = t.integer()
		case id == 7 && kind == thriftI64:
			c.compressed = t.integer()
		case id == 9 && kind == thriftI64:
			c.dataOffset = t.integer()
		case id == 11 && kind == thriftI64:
			c.dictOffset = t.integer()
		default:
			t.skip(kind)
		}
	})
}
