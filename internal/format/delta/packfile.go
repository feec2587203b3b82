package delta

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// packedFiles are additions that take some sixty bytes each, a seventh of what they take as structures. Each is a record: the
// number of its partition values, what the record holds, its length, and the rest, of which most iterations need nothing. Records
// stand in blocks, so that one is found without a place of its own.
type packedFiles struct {
	count  int
	bytes  int64 // of all files
	blocks [][]byte
	values []PartitionTexts // by number
	paths  textPacker
	stats  textPacker
	time   int64 // of the first file, of which the others' are differences
}

// blockFiles is how many files have one block: what is read to find one, and what one that is kept keeps in memory.
const blockFiles = 32

// What a record holds beyond a path, a size and a time.
const (
	holdsDataChange = 1 << iota
	holdsStats
	holdsVector
	holdsTags
	holdsBaseRow
	holdsRowVersion
	holdsClustering
	holdsOffset // of the vector
	holdsMaxRow // of the vector
)

// record is the front of one.
type record struct {
	values PartitionTexts
	holds  uint64
	body   []byte
}

// filePacker packs files one by one.
type filePacker struct {
	out     *packedFiles
	numbers map[string]int         // of partition values
	shared  map[*PartitionText]int // the same by where the values begin
	names   map[string]string      // of columns

	key, body, block []byte
	store            []byte // blocks stand close together in larger ones
}

func newFilePacker() *filePacker {
	return &filePacker{
		out:     &packedFiles{paths: newTextPacker(), stats: newTextPacker()},
		numbers: map[string]int{}, shared: map[*PartitionText]int{}, names: map[string]string{},
	}
}

// packFiles packs files. They must not change afterwards.
func packFiles(files []*Add) *packedFiles {
	p := newFilePacker()
	for _, a := range files {
		p.add(a)
	}
	return p.done()
}

func (p *filePacker) add(a *Add) {
	if p.out.count == 0 {
		p.out.time = a.ModificationTime
	}
	p.out.count++
	p.out.bytes += a.Size
	n := p.number(a.PartitionValues)
	var holds uint64
	p.body, holds = p.out.body(p.body[:0], a)
	p.block = binary.AppendUvarint(p.block, uint64(n))
	p.block = binary.AppendUvarint(p.block, holds)
	p.block = binary.AppendUvarint(p.block, uint64(len(p.body)))
	p.block = append(p.block, p.body...)
	if p.out.count%blockFiles == 0 {
		p.end()
	}
}

// end ends a block.
func (p *filePacker) end() {
	if cap(p.store)-len(p.store) < len(p.block) {
		// Small tables have small stores.
		p.store = make([]byte, 0, max(len(p.block), min(shelfBlock, len(p.out.blocks)*len(p.block))))
	}
	start := len(p.store)
	p.store = append(p.store, p.block...)
	p.out.blocks = append(p.out.blocks, p.store[start:len(p.store):len(p.store)])
	p.block = p.block[:0]
}

// done ends the packing.
func (p *filePacker) done() *packedFiles {
	if len(p.block) > 0 {
		p.end()
	}
	p.out.blocks = slices.Clip(p.out.blocks)
	p.out.paths.done()
	p.out.stats.done()
	return p.out
}

// number is that of partition values.
func (p *filePacker) number(values PartitionTexts) int {
	if len(values) > 0 {
		if n, ok := p.shared[&values[0]]; ok {
			return n
		}
	}
	p.key = p.key[:0]
	for _, v := range values {
		p.key = appendText(appendText(p.key, v.Column), v.Text)
	}
	n, ok := p.numbers[string(p.key)]
	if !ok {
		n = len(p.out.values)
		p.numbers[string(p.key)] = n
		p.out.values = append(p.out.values, values.clone(p.names))
	}
	if len(values) > 0 && len(p.shared) < shelfNames {
		p.shared[&values[0]] = n
	}
	return n
}

// clone copies partition values out of the file that they were read from; names are those of columns.
func (p PartitionTexts) clone(names map[string]string) PartitionTexts {
	if p == nil {
		return nil
	}
	out := make(PartitionTexts, len(p))
	for i, v := range p {
		name, ok := names[v.Column]
		if !ok {
			name = strings.Clone(v.Column)
			names[name] = name
		}
		out[i] = PartitionText{name, strings.Clone(v.Text)}
	}
	return out
}

func (p *packedFiles) body(b []byte, a *Add) ([]byte, uint64) {
	var holds uint64
	flag := func(is bool, flag uint64) bool {
		if is {
			holds |= flag
		}
		return is
	}
	flag(a.DataChange, holdsDataChange)
	b = binary.AppendVarint(b, a.Size)
	b = binary.AppendVarint(b, a.ModificationTime-p.time)
	b = p.paths.add(b, a.Path)
	if flag(a.Stats != "", holdsStats) {
		b = p.stats.add(b, a.Stats)
	}
	if v := a.DeletionVector; flag(v != nil, holdsVector) {
		b = appendText(appendText(b, v.StorageType), v.PathOrInline)
		b = binary.AppendVarint(binary.AppendVarint(b, int64(v.SizeInBytes)), v.Cardinality)
		if flag(v.Offset != nil, holdsOffset) {
			b = binary.AppendVarint(b, int64(*v.Offset))
		}
		if flag(v.MaxRowIndex != nil, holdsMaxRow) {
			b = binary.AppendVarint(b, *v.MaxRowIndex)
		}
	}
	if flag(a.Tags != nil, holdsTags) {
		b = binary.AppendUvarint(b, uint64(len(a.Tags)))
		for _, k := range slices.Sorted(maps.Keys(a.Tags)) {
			b = appendText(appendText(b, k), a.Tags[k])
		}
	}
	if flag(a.BaseRowID != nil, holdsBaseRow) {
		b = binary.AppendVarint(b, *a.BaseRowID)
	}
	if flag(a.DefaultRowCommitVersion != nil, holdsRowVersion) {
		b = binary.AppendVarint(b, *a.DefaultRowCommitVersion)
	}
	if flag(a.ClusteringProvider != "", holdsClustering) {
		b = appendText(b, a.ClusteringProvider)
	}
	return b, holds
}

// next takes a record from a block.
func (p *packedFiles) next(block []byte) (record, []byte) {
	var r record
	n, block := takeUvarint(block)
	r.values = p.values[n]
	r.holds, block = takeUvarint(block)
	n, block = takeUvarint(block)
	r.body = block[:n]
	return r, block[n:]
}

// at unpacks one file.
func (p *packedFiles) at(i int) *Add {
	block := p.blocks[i/blockFiles]
	var r record
	for range i%blockFiles + 1 {
		r, block = p.next(block)
	}
	a := &Add{}
	u := unpacker{}
	u.file(a, r, p)
	return a
}

// unpacker makes files of records. The texts of a file are cut from one.
type unpacker struct {
	buf  []byte
	data []byte
}

// path is that of a file, until the next one is unpacked.
func (u *unpacker) path(r record, p *packedFiles) []byte {
	u.data = r.body
	u.long() // its size
	u.long() // its time
	u.buf, u.data = p.paths.unpack(u.buf[:0], u.data)
	return u.buf
}

func (u *unpacker) file(a *Add, r record, p *packedFiles) {
	u.data = r.body
	a.PartitionValues, a.DataChange = r.values, r.holds&holdsDataChange != 0
	a.Size = u.long()
	a.ModificationTime = p.time + u.long()
	u.buf, u.data = p.paths.unpack(u.buf[:0], u.data)
	path := len(u.buf)
	if r.holds&holdsStats != 0 {
		u.buf, u.data = p.stats.unpack(u.buf, u.data)
	}
	both := string(u.buf)
	a.Path, a.Stats = both[:path], both[path:]
	if r.holds >= holdsVector {
		u.rare(a, r.holds)
	}
}

// rare unpacks what few files have.
func (u *unpacker) rare(a *Add, holds uint64) {
	if holds&holdsVector != 0 {
		v := &DeletionVector{StorageType: u.text(), PathOrInline: u.text()}
		v.SizeInBytes = int32(u.long())
		v.Cardinality = u.long()
		if holds&holdsOffset != 0 {
			n := int32(u.long())
			v.Offset = &n
		}
		if holds&holdsMaxRow != 0 {
			n := u.long()
			v.MaxRowIndex = &n
		}
		a.DeletionVector = v
	}
	if holds&holdsTags != 0 {
		var n uint64
		n, u.data = takeUvarint(u.data)
		a.Tags = make(map[string]string, n)
		for range n {
			k := u.text()
			a.Tags[k] = u.text()
		}
	}
	if holds&holdsBaseRow != 0 {
		n := u.long()
		a.BaseRowID = &n
	}
	if holds&holdsRowVersion != 0 {
		n := u.long()
		a.DefaultRowCommitVersion = &n
	}
	if holds&holdsClustering != 0 {
		a.ClusteringProvider = u.text()
	}
}

func (u *unpacker) long() int64 {
	n, size := binary.Varint(u.data)
	u.data = u.data[size:]
	return n
}

func (u *unpacker) text() string {
	n, rest := takeUvarint(u.data)
	u.data = rest[n:]
	return string(rest[:n])
}
