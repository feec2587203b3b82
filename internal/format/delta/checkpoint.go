package delta

import (
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Checkpoint is what one checkpoint file holds, a part of a multi-part checkpoint or a sidecar included.
type Checkpoint struct {
	Protocol *Protocol // nil when the file has none
	Metadata *Metadata // nil when the file has none
	Txns     []*Txn
	Domains  []*Domain
	// Adds and Removes are filled only when they were asked for.
	Adds    []*Add
	Removes []*Remove
	packed  *packedFiles
	// Removed is false only when the file surely has no removal, asked for or not.
	Removed  bool
	Mark     *CheckpointMetadata // of a V2 checkpoint
	Sidecars []*Sidecar
}

// Files says which actions about files are read of a checkpoint.
type Files int

const (
	// AddedFiles are what readers of the table's rows need.
	AddedFiles Files = 1 << iota
	// RemovedFiles are the tombstones.
	RemovedFiles
	AllFiles = AddedFiles | RemovedFiles
	// PackedFiles are AddedFiles for Replay alone: Adds may stay empty.
	PackedFiles Files = 1 << 2
)

// ReadCheckpoint reads a checkpoint, a part of one, or a sidecar in Parquet: columns that are absent are null, as the
// protocol rules. name is for errors, which are DELTA_CHECKPOINT_MALFORMED.
func ReadCheckpoint(name string, r io.ReaderAt, size int64, files Files) (*Checkpoint, error) {
	d := &checkpointDecoder{out: &Checkpoint{}, files: files, names: map[string]string{}}
	if files&PackedFiles != 0 {
		d.packer = newFilePacker()
	}
	if err := eachRowGroup(name, r, size, d.rowGroup); err != nil {
		return nil, err
	}
	if d.packer != nil {
		d.out.packed = d.packer.done()
	}
	return d.out, nil
}

// eachRowGroup opens the file of a checkpoint and calls fn for each row group. Its errors, and those of fn, become
// DELTA_CHECKPOINT_MALFORMED.
func eachRowGroup(name string, r io.ReaderAt, size int64, fn func(root *parquet.Column, rows parquet.RowGroup) error) (err error) {
	// The library checks lengths by panics in places; a damaged file must not end the program.
	defer func() {
		if p := recover(); p != nil {
			err = sqlerr.DeltaCheckpointMalformed(name, "its Parquet data is damaged", fmt.Errorf("%v", p))
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return sqlerr.DeltaCheckpointMalformed(name, "it is no Parquet file, or its footer is damaged", err)
	}
	file, err := parquet.OpenFile(r, size, &parquet.FileConfig{SkipPageIndex: true, SkipBloomFilters: true, ReadBufferSize: 1 << 20, ReadMode: parquet.ReadModeSync})
	if err != nil {
		return sqlerr.DeltaCheckpointMalformed(name, "it is no Parquet file, or its footer is damaged", err)
	}
	if err := checkChunks(file, r, size); err != nil {
		return sqlerr.DeltaCheckpointMalformed(name, err.Error(), nil)
	}
	for _, rows := range file.RowGroups() {
		if err := fn(file.Root(), rows); err != nil {
			return sqlerr.DeltaCheckpointMalformed(name, "its Parquet data is damaged", err)
		}
	}
	return nil
}

// checkChunks refuses a footer that claims what its file cannot hold, before memory is given to it. LZ4 is refused because
// the library grows its buffer without end over damaged data; writers of checkpoints do not use it.
func checkChunks(file *parquet.File, r io.ReaderAt, size int64) error {
	meta := file.Metadata()
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		for j := range g.Columns {
			m := &g.Columns[j].MetaData
			switch {
			case m.Codec == format.Lz4Raw, m.Codec == format.Lz4, m.Codec == format.LZO:
				return malformed("it is compressed with " + strings.ToLower(m.Codec.String()) + ", which Tarn does not read in checkpoints")
			case m.NumValues < 0, g.NumRows < 0, m.TotalCompressedSize < 0, m.TotalUncompressedSize < 0, m.TotalCompressedSize > size:
				return malformed("its footer is damaged")
			case m.DataPageOffset < 0, m.DataPageOffset > size, m.DictionaryPageOffset < 0, m.DictionaryPageOffset > size:
				return malformed("its footer is damaged")
			}
			if err := checkPages(r, size, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// ParseCheckpointJSON reads a V2 checkpoint in JSON. The error is DELTA_LOG_FILE_MALFORMED.
func ParseCheckpointJSON(name string, data []byte, files Files) (*Checkpoint, error) {
	c := &Checkpoint{}
	err := EachAction(name, data, func(a Action) error {
		switch {
		case a.Protocol != nil:
			c.Protocol = a.Protocol
		case a.Metadata != nil:
			c.Metadata = a.Metadata
		case a.Txn != nil:
			c.Txns = append(c.Txns, a.Txn)
		case a.Domain != nil:
			c.Domains = append(c.Domains, a.Domain)
		case a.Add != nil && files&(AddedFiles|PackedFiles) != 0:
			c.Adds = append(c.Adds, a.Add)
		case a.Remove != nil:
			c.Removed = true
			if files&RemovedFiles != 0 {
				c.Removes = append(c.Removes, a.Remove)
			}
		case a.CheckpointMetadata != nil:
			c.Mark = a.CheckpointMetadata
		case a.Sidecar != nil:
			c.Sidecars = append(c.Sidecars, a.Sidecar)
		}
		return nil
	})
	return c, err
}

type checkpointDecoder struct {
	out    *Checkpoint
	files  Files
	packer *filePacker       // for files that are to be packed
	names  map[string]string // one string per column name, however many files repeat it
	name   string            // the last of them
	// alone are the values of files that have one partition column, the one of that name, by text: many files share them.
	alone map[string]PartitionTexts
	texts []PartitionText // room for the partition values of many files
}

func (d *checkpointDecoder) rowGroup(root *parquet.Column, rows parquet.RowGroup) error {
	n := int(rows.NumRows())
	for _, step := range []func(*parquet.Column, parquet.RowGroup, int) error{d.adds, d.removes, d.others} {
		if err := step(root, rows, n); err != nil {
			return err
		}
	}
	return nil
}

func parsedStats(path string) bool {
	return strings.HasPrefix(path, "stats_parsed.")
}

func (d *checkpointDecoder) adds(root *parquet.Column, rows parquet.RowGroup, n int) error {
	if d.files&(AddedFiles|PackedFiles) == 0 {
		return nil
	}
	col := root.Column("add")
	g, err := readGroup(rows, col, func(path string) bool {
		return !parsedStats(path) && !strings.HasPrefix(path, "partitionValues_parsed.")
	})
	if err != nil {
		return err
	}
	path := g.get("path")
	if path == nil {
		return nil
	}
	count := len(path.texts)
	room := count
	if d.packer != nil {
		room = 1
	} else {
		d.out.Adds = growTo(d.out.Adds, count)
	}
	slab := make([]Add, room)
	var derived *parsedColumns
	if stats := g.get("stats"); stats == nil || len(stats.texts) < count {
		if derived, err = readParsed(rows, col, "stats_parsed"); err != nil {
			return err
		}
	}
	var values *parsedColumns
	if g.get("partitionValues.key") == nil {
		if values, err = readParsed(rows, col, "partitionValues_parsed"); err != nil {
			return err
		}
	}
	size, modified, change, stats, clustering := g.get("size"), g.get("modificationTime"), g.get("dataChange"), g.get("stats"), g.get("clusteringProvider")
	baseRow, rowVersion, tags, texts, vector := g.get("baseRowId"), g.get("defaultRowCommitVersion"), g.get("tags.key"), g.entries("partitionValues"), vectorOf(g)
	next := 0
	for range n {
		if err := g.row(); err != nil {
			return err
		}
		if !derived.row() || !values.row() {
			return errPages
		}
		if !path.has() {
			continue
		}
		a := &slab[next]
		if d.packer == nil {
			next++
		} else {
			*a = Add{}
		}
		a.Path = path.text()
		a.PartitionValues = d.partitionTexts(texts)
		if values != nil {
			a.PartitionValues = values.partitionTexts()
		}
		a.Size, a.ModificationTime, a.DataChange = size.long(), modified.long(), change.truth()
		if a.Stats = stats.text(); a.Stats == "" && derived != nil {
			a.Stats = derived.stats()
		}
		if tags.has() {
			a.Tags = g.strings("tags")
		}
		a.DeletionVector = vector.read()
		a.BaseRowID, a.DefaultRowCommitVersion, a.ClusteringProvider = baseRow.longOrNil(), rowVersion.longOrNil(), clustering.text()
		if d.packer != nil {
			d.packer.add(a)
		} else {
			d.out.Adds = append(d.out.Adds, a)
		}
	}
	return nil
}

func growTo[T any](s []T, more int) []T {
	if cap(s)-len(s) < more {
		s = append(make([]T, 0, len(s)+more), s...)
	}
	return s
}

// vectorColumns are the columns of a deletion vector.
type vectorColumns struct{ kind, place, offset, size, cardinality, last *cursor }

func vectorOf(g *group) vectorColumns {
	return vectorColumns{
		kind: g.get("deletionVector.storageType"), place: g.get("deletionVector.pathOrInlineDv"), offset: g.get("deletionVector.offset"),
		size: g.get("deletionVector.sizeInBytes"), cardinality: g.get("deletionVector.cardinality"), last: g.get("deletionVector.maxRowIndex"),
	}
}

// read is the row's deletion vector; nil when it has none.
func (v *vectorColumns) read() *DeletionVector {
	if !v.kind.has() && !v.place.has() {
		return nil
	}
	out := &DeletionVector{
		StorageType: v.kind.text(), PathOrInline: v.place.text(), SizeInBytes: int32(v.size.integer()),
		Cardinality: v.cardinality.long(), MaxRowIndex: v.last.longOrNil(),
	}
	if v.offset.has() {
		n := int32(v.offset.integer())
		out.Offset = &n
	}
	return out
}

// partitionTexts are the row's values: those of a file before it, or cut from a slab that many files share.
func (d *checkpointDecoder) partitionTexts(m mapColumns) PartitionTexts {
	name, text, single := m.single()
	if single && name == d.name {
		if p, ok := d.alone[text]; ok {
			return p
		}
	}
	start := len(d.texts)
	m.pairs(func(k, v string) {
		if len(d.texts) == cap(d.texts) {
			room := make([]PartitionText, len(d.texts)-start, max(1024, 2*(len(d.texts)-start)))
			copy(room, d.texts[start:])
			d.texts, start = room, 0
		}
		name := d.name
		if name != k {
			var ok bool
			if name, ok = d.names[k]; !ok {
				name = strings.Clone(k)
				d.names[name] = name
			}
			d.name, d.alone = name, map[string]PartitionTexts{}
		}
		d.texts = append(d.texts, PartitionText{name, v})
	})
	if start == len(d.texts) {
		return nil
	}
	p := PartitionTexts(d.texts[start:len(d.texts):len(d.texts)])
	if len(p) > 1 {
		p.sort()
	} else if single && len(d.alone) < shelfNames {
		d.alone[text] = p
	}
	return p
}

func (d *checkpointDecoder) removes(root *parquet.Column, rows parquet.RowGroup, n int) error {
	col := root.Column("remove")
	d.out.Removed = d.out.Removed || mayHaveValues(rows, col)
	if d.files&RemovedFiles == 0 {
		return nil
	}
	g, err := readGroup(rows, col, func(string) bool { return true })
	if err != nil {
		return err
	}
	path := g.get("path")
	if path == nil {
		return nil
	}
	slab, texts, vector := make([]Remove, len(path.texts)), g.entries("partitionValues"), vectorOf(g)
	d.out.Removes = growTo(d.out.Removes, len(slab))
	next := 0
	for range n {
		if err := g.row(); err != nil {
			return err
		}
		if !path.has() {
			continue
		}
		r := &slab[next]
		next++
		r.Path, r.DeletionTimestamp, r.DataChange = path.text(), g.get("deletionTimestamp").longOrNil(), g.get("dataChange").truth()
		r.ExtendedFileMetadata, r.PartitionValues, r.Size = g.get("extendedFileMetadata").truth(), d.partitionTexts(texts), g.get("size").longOrNil()
		if tags := g.get("tags.key"); tags.has() {
			r.Tags = g.strings("tags")
		}
		r.DeletionVector = vector.read()
		r.BaseRowID, r.DefaultRowCommitVersion = g.get("baseRowId").longOrNil(), g.get("defaultRowCommitVersion").longOrNil()
		d.out.Removes = append(d.out.Removes, r)
	}
	return nil
}

// mayHaveValues asks the footer whether the paths in a group of columns are all NULL. One that does not count them may have any.
func mayHaveValues(rows parquet.RowGroup, col *parquet.Column) bool {
	if col == nil {
		return false
	}
	path := col.Column("path")
	chunks := rows.ColumnChunks()
	if path == nil || !path.Leaf() || path.Index() < 0 || path.Index() >= len(chunks) {
		return false
	}
	chunk, ok := chunks[path.Index()].(*parquet.FileColumnChunk)
	return !ok || chunk.NullCount() != chunk.NumValues()
}

// others reads the kinds of which a table has few. They are looked at only when a row of their kind exists.
func (d *checkpointDecoder) others(root *parquet.Column, rows parquet.RowGroup, n int) error {
	for _, kind := range []struct {
		column, present string
		read            func(*group)
	}{
		{"protocol", "minReaderVersion", d.protocol},
		{"metaData", "id", d.metadata},
		{"txn", "appId", d.txn},
		{"domainMetadata", "domain", d.domain},
		{"checkpointMetadata", "version", d.mark},
		{"sidecar", "path", d.sidecar},
	} {
		g, err := readGroup(rows, root.Column(kind.column), func(string) bool { return true })
		if err != nil {
			return err
		}
		present := g.get(kind.present)
		if present == nil {
			continue
		}
		for range n {
			if err := g.row(); err != nil {
				return err
			}
			if present.has() {
				kind.read(g)
			}
		}
	}
	return nil
}

func (d *checkpointDecoder) protocol(g *group) {
	d.out.Protocol = &Protocol{
		MinReader: g.get("minReaderVersion").integer(), MinWriter: g.get("minWriterVersion").integer(),
		ReaderFeatures: g.get("readerFeatures.list").list(), WriterFeatures: g.get("writerFeatures.list").list(),
	}
}

func (d *checkpointDecoder) metadata(g *group) {
	m := &Metadata{
		ID: g.get("id").text(), Name: g.get("name").text(), Description: g.get("description").text(), Provider: g.get("format.provider").text(),
		FormatOptions: g.strings("format.options"), SchemaString: g.get("schemaString").text(), PartitionColumns: g.get("partitionColumns.list").list(),
		CreatedTime: g.get("createdTime").longOrNil(), Configuration: g.strings("configuration"),
	}
	if m.Configuration == nil {
		m.Configuration = map[string]string{}
	}
	d.out.Metadata = m
}

func (d *checkpointDecoder) txn(g *group) {
	d.out.Txns = append(d.out.Txns, &Txn{AppID: g.get("appId").text(), Version: g.get("version").long(), LastUpdated: g.get("lastUpdated").longOrNil()})
}

func (d *checkpointDecoder) domain(g *group) {
	d.out.Domains = append(d.out.Domains, &Domain{Domain: g.get("domain").text(), Configuration: g.get("configuration").text(), Removed: g.get("removed").truth()})
}

func (d *checkpointDecoder) mark(g *group) {
	d.out.Mark = &CheckpointMetadata{Version: g.get("version").long(), Tags: g.strings("tags")}
}

func (d *checkpointDecoder) sidecar(g *group) {
	d.out.Sidecars = append(d.out.Sidecars, &Sidecar{
		Path: g.get("path").text(), SizeInBytes: g.get("sizeInBytes").long(), ModificationTime: g.get("modificationTime").long(), Tags: g.strings("tags"),
	})
}
