package delta

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// fileWriter writes the Parquet file of a checkpoint. Most of a checkpoint's columns hold nothing but NULLs, which the library's
// writer takes value by value: here a column is its levels and its plain values, and a page of NULLs is a few bytes.
// Pages are of version 2, their values compressed with Snappy.
type fileWriter struct {
	w       io.Writer
	at      int64 // bytes written
	rows    int   // of the row group
	meta    format.FileMetaData
	columns []emitter // in the order of the schema
}

const (
	parquetMagic = "PAR1"
	pageBytes    = 1 << 20 // of values: a page ends after the row that passes it
)

// newFileWriter begins a file. The library says how the schema is written down.
func newFileWriter(w io.Writer, schema *outSchema) (*fileWriter, error) {
	var empty bytes.Buffer
	none := parquet.NewGenericWriter[any](&empty, parquet.NewSchema("spark_schema", schema.root), parquet.CreatedBy("tarn", "", ""))
	if err := schema.bind(none.Schema()); err != nil {
		return nil, err
	}
	if err := none.Close(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return nil, err
	}
	f := &fileWriter{w: w, meta: *file.Metadata(), columns: make([]emitter, len(schema.leaves))}
	f.meta.RowGroups = nil
	for i, l := range schema.leaves {
		f.columns[i].begin(l)
	}
	return f, f.write([]byte(parquetMagic))
}

func (f *fileWriter) write(data []byte) error {
	n, err := f.w.Write(data)
	f.at += int64(n)
	return err
}

// add writes a row of each action. The columns are made side by side.
func (f *fileWriter) add(actions []Action) error {
	if len(actions) == 0 {
		return nil
	}
	there := map[string]bool{}
	for i := range f.columns {
		l := f.columns[i].leaf
		if _, known := there[l.kind]; !known {
			there[l.kind] = l.among(actions)
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(f.columns)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(f.columns); i = int(next.Add(1)) - 1 {
				f.columns[i].add(actions, there[f.columns[i].leaf.kind])
			}
		})
	}
	workers.Wait()
	if f.rows += len(actions); f.rows >= rowGroupActions {
		return f.endRowGroup()
	}
	return nil
}

func (f *fileWriter) endRowGroup() error {
	group := format.RowGroup{NumRows: int64(f.rows), FileOffset: f.at, Ordinal: int16(len(f.meta.RowGroups))}
	for i := range f.columns {
		c := &f.columns[i]
		if c.rows > 0 {
			c.page()
		}
		if c.err != nil {
			return c.err
		}
		c.meta.DataPageOffset = f.at
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: f.at, MetaData: c.meta})
		group.TotalByteSize += c.meta.TotalUncompressedSize
		group.TotalCompressedSize += c.meta.TotalCompressedSize
		for _, page := range c.pages {
			if err := f.write(page); err != nil {
				return err
			}
		}
		c.begin(c.leaf)
	}
	f.meta.NumRows += group.NumRows
	f.meta.RowGroups = append(f.meta.RowGroups, group)
	f.rows = 0
	return nil
}

// close writes what is left, and the footer.
func (f *fileWriter) close() error {
	if f.rows > 0 {
		if err := f.endRowGroup(); err != nil {
			return err
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), f.meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return f.write(append(footer, parquetMagic...))
}

// emitter makes the pages of one column of a row group.
type emitter struct {
	leaf  *outLeaf
	meta  format.ColumnMetaData
	pages [][]byte
	err   error

	// The page that is being filled: a level for each entry, and the values that are not null.
	rep, def []byte
	data     []byte
	rows     int
	truths   int // booleans in data, which are bits
	packed   []byte
}

// among reports whether some action has the column's kind.
func (l *outLeaf) among(actions []Action) bool {
	for i := range actions {
		if l.there(&actions[i]) {
			return true
		}
	}
	return false
}

// begin makes the emitter that of a column's part in a new row group.
func (e *emitter) begin(l *outLeaf) {
	e.leaf, e.pages = l, e.pages[:0]
	e.meta = format.ColumnMetaData{
		Type: l.typ, Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: l.path, Codec: format.Snappy,
	}
}

// add adds a row for each action; there is false when none has the column's kind.
func (e *emitter) add(actions []Action, there bool) {
	if !there {
		for range actions {
			e.level(0, 0)
		}
		e.rows += len(actions)
		return
	}
	for i := range actions {
		if a := &actions[i]; e.leaf.there(a) {
			e.leaf.emit(e, a)
		} else {
			e.level(0, 0)
		}
		e.rows++
		if len(e.data) >= pageBytes {
			e.page()
		}
	}
}

// level adds an entry: rep is 0 for the first one of a row, and def the level of the deepest group that is there. The value of an
// entry that has one is added besides.
func (e *emitter) level(rep, def int) {
	e.def = append(e.def, byte(def))
	if e.leaf.maxRep > 0 {
		e.rep = append(e.rep, byte(rep))
	}
}

// part adds the i-th text of a map or list of the row.
func (e *emitter) part(i int, s string, null bool) {
	def := e.leaf.maxDef
	if null {
		def--
	} else {
		e.text(s)
	}
	e.level(min(i, 1), def)
}

func (e *emitter) text(s string) {
	e.data = append(binary.LittleEndian.AppendUint32(e.data, uint32(len(s))), s...)
}

func (e *emitter) long(n int64) { e.data = binary.LittleEndian.AppendUint64(e.data, uint64(n)) }

func (e *emitter) integer(n int32) { e.data = binary.LittleEndian.AppendUint32(e.data, uint32(n)) }

func (e *emitter) truth(v bool) {
	if e.truths%8 == 0 {
		e.data = append(e.data, 0)
	}
	if v {
		e.data[len(e.data)-1] |= 1 << (e.truths % 8)
	}
	e.truths++
}

// page ends the page.
func (e *emitter) page() {
	if e.err != nil {
		return
	}
	rep, err := levels(e.rep, e.leaf.maxRep)
	if err != nil {
		e.err = err
		return
	}
	def, err := levels(e.def, e.leaf.maxDef)
	if err != nil {
		e.err = err
		return
	}
	values := e.data
	compressed := len(values) > 0 // some readers do not take nothing that is compressed
	if compressed {
		e.packed = s2.EncodeSnappy(e.packed[:cap(e.packed)], e.data)
		values = e.packed
	}
	nulls := len(e.def) - bytes.Count(e.def, []byte{byte(e.leaf.maxDef)})
	around := len(rep) + len(def)
	header, err := thrift.Marshal(new(thrift.CompactProtocol), format.PageHeader{
		Type: format.DataPageV2, UncompressedPageSize: int32(around + len(e.data)), CompressedPageSize: int32(around + len(values)),
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues: int32(len(e.def)), NumNulls: int32(nulls), NumRows: int32(e.rows), Encoding: format.Plain,
			RepetitionLevelsByteLength: int32(len(rep)), DefinitionLevelsByteLength: int32(len(def)), IsCompressed: thrift.New(compressed),
		}),
	})
	if err != nil {
		e.err = err
		return
	}
	page := slices.Concat(header, rep, def, values)
	e.pages = append(e.pages, page)
	e.meta.NumValues += int64(len(e.def))
	e.meta.Statistics.NullCount += int64(nulls)
	e.meta.TotalCompressedSize += int64(len(page))
	e.meta.TotalUncompressedSize += int64(len(header) + around + len(e.data))
	e.rep, e.def, e.data, e.rows, e.truths = e.rep[:0], e.def[:0], e.data[:0], 0, 0
}

// levels encodes the levels of a page; most of the time they are all the same.
func levels(of []byte, highest int) ([]byte, error) {
	if highest == 0 {
		return nil, nil
	}
	if bytes.Count(of, of[:1]) == len(of) {
		return append(binary.AppendUvarint(nil, uint64(len(of))<<1), of[0]), nil // one run
	}
	return (&rle.Encoding{BitWidth: bits.Len(uint(highest))}).EncodeLevels(nil, of)
}
