package duckdb

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

const (
	// maxOpenFiles is the setting partitioned_write_max_open_files.
	maxOpenFiles = "300"
	// sideBySide is how many partitions are written side by side, without sorting the rows: from here on sorting is as
	// fast, needs less memory, and makes larger row groups. It is below maxOpenFiles.
	sideBySide = 256
	// partitionMemory is what a partition that is written side by side takes for each thread, in bytes.
	partitionMemory = 256 << 10
	// Each thread holds as many rows before it hands them to the partitions' files. With sorted rows these belong to few
	// partitions, unless partitions are tiny: then fewer rows bound the memory.
	rowsSideBySide, rowsSorted = 524288, 122880
)

// parquetOptions are what the options of a write say about Parquet files.
type parquetOptions struct {
	codec string
}

// parquetCodecs are the values of the option compression, with DuckDB's names.
var parquetCodecs = map[string]string{
	"zstd": "zstd", "snappy": "snappy", "gzip": "gzip", "none": "uncompressed", "uncompressed": "uncompressed",
	"lz4_raw": "lz4_raw", "lz4": "lz4_raw", "brotli": "brotli",
}

func newParquetOptions(fields []types.Field, opts format.Options) (parquetOptions, error) {
	o := parquetOptions{codec: "zstd"}
	for _, f := range fields {
		if !inParquet(f.Type) {
			return o, sqlerr.FileType("Parquet", f.Name, f.Type.SQL())
		}
		if zeroInName(f) {
			return o, errZeroInName
		}
	}
	for _, name := range []string{"compression", "parquet.compression"} {
		v, ok := opts.Get(name)
		if !ok {
			continue
		}
		if o.codec, ok = parquetCodecs[strings.ToLower(v)]; !ok {
			return o, sqlerr.CodecNotAvailable(v, []string{"zstd", "snappy", "gzip", "lz4_raw", "brotli", "none", "uncompressed"})
		}
		break
	}
	return o, nil
}

// errZeroInName refuses names that cannot be said to DuckDB, in whose texts a zero byte is the end.
var errZeroInName = sqlerr.Unsupported("COLUMN_NAME", "a column or field of Parquet files whose name has a zero byte")

func zeroInName(f types.Field) bool {
	return strings.IndexByte(f.Name, 0) >= 0 || f.Type.Holds(func(t types.Type) bool { return slices.ContainsFunc(t.Fields, zeroInName) })
}

// inParquet reports whether a type can be a column of a file.
func inParquet(t types.Type) bool {
	return !t.Holds(func(p types.Type) bool {
		switch p.Kind {
		case types.Void, types.CalendarInterval, types.Variant:
			return true
		case types.Struct:
			return len(p.Fields) == 0
		}
		return false
	})
}

// writeParquet writes Parquet files. Without dynamic partition columns that is one COPY. With them it is a COPY that keeps
// the files of all partitions open, or, when those turn out to be many, one of rows that are sorted by partition. Sorting
// spills to disk, so the memory is bounded however many partitions there are. A COPY into partitions mixes up the rows of
// each, so ordered rows take another way.
func (s *writeState) writeParquet(ctx context.Context) (*engine.Written, error) {
	switch {
	case s.partitions == nil:
		return s.copyParquet(ctx, s.plainCopy)
	case s.w.Ordered:
		return s.copyOrdered(ctx)
	case s.rescannable():
		s.partitions.limit = s.sideBySide()
		out, err := s.copyParquet(ctx, s.partitionedCopy)
		var e *sqlerr.Error
		noMemory := errors.As(err, &e) && e.Condition == sqlerr.OutOfMemory().Condition
		if !errors.Is(err, errTooManyPartitions) && !noMemory {
			return out, err
		}
		if err := os.RemoveAll(filepath.Join(s.dir, sideBySideName)); err != nil {
			return nil, s.fileError(err)
		}
		s.partitions.limit = 0
	}
	return s.copyParquet(ctx, s.sortedCopy)
}

// sideBySide is how many partitions may be written side by side with the statement's memory.
func (s *writeState) sideBySide() int {
	memory := s.w.MemoryLimit
	if memory == 0 {
		memory = s.engine.cfg.MemoryLimit
	}
	if memory == 0 {
		return sideBySide
	}
	const share = 4 // of the memory
	return max(1, min(sideBySide, int(memory/share/partitionMemory)/s.engine.cfg.Threads))
}

// The names below a write's directory.
const (
	plainName      = "1"
	sideBySideName = "2"
	sortedName     = "3"
)

// plainCopy writes all rows into one file, or into several of a size.
func (s *writeState) plainCopy(x *writeSession) (string, error) {
	path := x.dir + "/" + plainName
	if s.w.MaxFileBytes <= 0 {
		return s.copyText("SELECT "+s.columnsText()+" FROM "+x.from, path+".parquet", ",USE_TMP_FILE false"), nil
	}
	size := ",FILE_SIZE_BYTES " + strconv.FormatInt(s.w.MaxFileBytes, 10)
	if !s.w.Ordered {
		return s.copyText("SELECT "+s.columnsText()+" FROM "+x.from, path, size), nil
	}
	return s.copyText(inOneThread(s.columnsText(), x.from), path, size), nil
}

// inOneThread selects columns of an ordered relation so that they reach the COPY by one thread, in order: DuckDB runs a
// window that only counts rows in the order in which they come.
func inOneThread(list, from string) string {
	return "SELECT " + list + " FROM (SELECT *,row_number() OVER () AS nth FROM " + from + ") AS w WHERE nth>0"
}

// partitionedCopy writes the partitions side by side.
func (s *writeState) partitionedCopy(x *writeSession) (string, error) {
	sel := "SELECT " + s.columnsText() + "," + s.partitionText(x.id) + " AS " + s.numberName() + " FROM " + x.from
	return s.copyText(sel, x.dir+"/"+sideBySideName, s.byPartition()), x.flushEvery(rowsSideBySide)
}

// sortedCopy writes one partition after the other.
func (s *writeState) sortedCopy(x *writeSession) (string, error) {
	sorted := "(SELECT * FROM (SELECT *," + s.partitionText(x.id) + " AS k FROM " + x.from + ") AS n ORDER BY k) AS w"
	sel := "SELECT " + s.columnsText() + ",k AS " + s.numberName() + " FROM " + sorted
	return s.copyText(sel, x.dir+"/"+sortedName, s.byPartition()), x.flushEvery(rowsSorted)
}

// flushEvery says how many rows each thread of a COPY into partitions holds. The setting is one for the whole database: a
// write beside this one may get it too, which changes its speed and not its outcome.
func (x *writeSession) flushEvery(rows int) error {
	if err := x.conn.exec("SET partitioned_write_flush_threshold=" + strconv.Itoa(rows)); err != nil {
		return translate(err.Error(), nil)
	}
	return nil
}

// tinyPartition is a number of rows that DuckDB's COPY into partitions keeps in order: it gathers that many rows of a
// partition before it hands them on. More may overtake those that it gathered before.
const tinyPartition = 32

// copyOrdered writes rows that keep their order within each partition: sorted by partition into a temporary table, which
// spills to disk, and from there with one COPY for each partition, and for each run of tiny ones.
func (s *writeState) copyOrdered(ctx context.Context) (*engine.Written, error) {
	files := s.newParquetFiles()
	err := s.attempt(ctx, func(x *writeSession) error {
		numbered := "(SELECT *," + s.partitionText(x.id) + " AS k,row_number() OVER () AS place FROM " + x.from + ") AS w"
		number := s.numberName()
		err := x.run("CREATE TEMP TABLE rows_in_order AS SELECT "+s.columnsText()+",k AS "+number+" FROM "+numbered+" ORDER BY k,place", nil, nil)
		if err != nil {
			return err
		}
		defer func() { _ = x.conn.exec("DROP TABLE IF EXISTS rows_in_order") }()
		var counts []int64 // by number
		err = x.run("SELECT "+number+",count(*) FROM rows_in_order GROUP BY "+number, countColumns, func(b *engine.Batch) error {
			for i := range b.Len {
				for int(b.Cols[0].Int[i]) >= len(counts) {
					counts = append(counts, 0)
				}
				counts[b.Cols[0].Int[i]] = b.Cols[1].Int[i]
			}
			return nil
		})
		if err == nil {
			err = x.flushEvery(rowsSorted)
		}
		if err != nil {
			return err
		}
		begin := int64(0)
		for k := 0; k < len(counts); {
			from, n := begin, 0
			for k+n < len(counts) && counts[k+n] < tinyPartition {
				begin += counts[k+n]
				n++
			}
			if n == 0 {
				n, begin = 1, begin+counts[k]
			}
			if err := s.copyRange(x, files, k, n, from, begin); err != nil {
				return err
			}
			k += n
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return files.written(), nil
}

// copyRange writes the n partitions from number k on, which are the rows from begin to end of the temporary table.
func (s *writeState) copyRange(x *writeSession, files *parquetFiles, k, n int, begin, end int64) error {
	if begin == end {
		return nil
	}
	list, path, more := namesText(s.w.Names), x.dir+"/"+strconv.Itoa(k), s.byPartition()
	rowsOf := "(SELECT * FROM rows_in_order WHERE rowid>=" + strconv.FormatInt(begin, 10) + " AND rowid<" + strconv.FormatInt(end, 10) + ") AS w"
	if n == 1 {
		return x.run(s.copyText("SELECT "+list+" FROM "+rowsOf, path+".parquet", ",USE_TMP_FILE false"), statColumns, files.add(x, k))
	}
	return x.run(s.copyText(inOneThread(list+","+s.numberName(), rowsOf), path, more), statColumns, files.add(x, -1))
}

// namesText lists the columns of the files by their names.
func namesText(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = expr.DuckIdent(n)
	}
	return strings.Join(quoted, ",")
}

// numberName is a name for the column of the number that no column of the files has.
func (s *writeState) numberName() string {
	name := "k"
	for slices.ContainsFunc(s.w.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
		name += "k"
	}
	return name
}

func (s *writeState) byPartition() string {
	return ",PARTITION_BY (" + s.numberName() + "),WRITE_PARTITION_COLUMNS false"
}

// columnsText lists the columns of the files. CHAR values have the length of their type, as Spark keeps them.
func (s *writeState) columnsText() string {
	var b strings.Builder
	for n, i := range s.dataIndexes() {
		if n > 0 {
			b.WriteByte(',')
		}
		text := "w" + strconv.Itoa(i)
		if t := s.cols[i].Type; t.Kind == types.Char {
			text = padded(text, t.Precision)
		}
		text = converted(text, s.cols[i].Type, s.fields[n].Type, 0)
		b.WriteString(text + " AS " + expr.DuckIdent(s.w.Names[n]))
	}
	return b.String()
}

func (s *writeState) copyText(sel, path, more string) string {
	var b strings.Builder
	b.WriteString("COPY (" + sel + ") TO " + quote(path) + " (FORMAT parquet,COMPRESSION " + s.parquet.codec + ",RETURN_STATS")
	if rows := s.rowGroupRows(); rows > 0 {
		b.WriteString(",ROW_GROUP_SIZE " + strconv.FormatInt(rows, 10))
	}
	all := engine.FieldID{Inside: map[string]engine.FieldID{}}
	for i, id := range s.w.FieldIDs {
		all.Inside[s.w.Names[i]] = id
	}
	if text := fieldIDs(all); text != "" {
		b.WriteString(",FIELD_IDS " + text)
	}
	b.WriteString(",KV_METADATA {")
	for i, kv := range parquetMetadata(s.fields) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(kv[0]) + ":" + quoteAny(kv[1]))
	}
	return b.String() + "}" + more + ")"
}

// rowGroupRows is the target of rows in a row group, 0 for DuckDB's own. DuckDB counts bytes only where it need not keep
// the order of rows, so a target of bytes is turned into rows by the types of the columns.
func (s *writeState) rowGroupRows() int64 {
	if s.w.RowGroupRows > 0 {
		return s.w.RowGroupRows
	}
	if s.w.RowGroupBytes <= 0 {
		return 0
	}
	var width int64
	for _, f := range s.fields {
		width += bytesOf(f.Type)
	}
	const least, most = 2048, 1 << 20
	return min(max(s.w.RowGroupBytes/width, least), most)
}

// bytesOf estimates the size of a value in memory.
func bytesOf(t types.Type) int64 {
	const text, elements = 24, 4
	switch {
	case t.Kind.IsText(), t.Kind == types.Binary:
		return text
	case t.Kind == types.Array:
		return 8 + elements*bytesOf(*t.Elem)
	case t.Kind == types.Map:
		return 8 + elements*(bytesOf(*t.Key)+bytesOf(*t.Elem))
	case t.Kind == types.Struct:
		n := int64(0)
		for _, f := range t.Fields {
			n += bytesOf(f.Type)
		}
		return n
	case t.Kind == types.Boolean:
		return 1
	}
	return int64(widthOf(t))
}

// countColumns are a number of a partition and its rows.
var countColumns = []plan.Column{{ID: 1, Name: "k", Type: types.Of(types.Int)}, {ID: 2, Name: "n", Type: types.Of(types.BigInt)}}

// statColumns are the first columns of what RETURN_STATS tells of each file.
var statColumns = []plan.Column{
	{ID: 1, Name: "filename", Type: types.Of(types.String)},
	{ID: 2, Name: "count", Type: types.Of(types.BigInt)},
	{ID: 3, Name: "file_size_bytes", Type: types.Of(types.BigInt)},
}

// copyParquet runs one COPY.
func (s *writeState) copyParquet(ctx context.Context, say func(x *writeSession) (string, error)) (*engine.Written, error) {
	files := s.newParquetFiles()
	err := s.attempt(ctx, func(x *writeSession) error {
		text, err := say(x)
		if err != nil {
			return err
		}
		return x.run(text, statColumns, files.add(x, -1))
	})
	if err != nil {
		return nil, err
	}
	return files.written(), nil
}

// parquetFiles gathers what DuckDB tells of the files it wrote.
type parquetFiles struct {
	state *writeState
	files []numberedFile
}

// numberedFile is a file with the number of its partition and its place among the partition's files.
type numberedFile struct {
	engine.WrittenFile
	partition, seq int
}

func (s *writeState) newParquetFiles() *parquetFiles { return &parquetFiles{state: s} }

// add takes the result of a COPY: of partition k, or where k is negative of those whose numbers its directories tell.
func (p *parquetFiles) add(x *writeSession, k int) func(b *engine.Batch) error {
	return func(b *engine.Batch) error {
		for i := range b.Len {
			rest, ok := strings.CutPrefix(strings.Clone(b.Cols[0].Str[i]), x.dir)
			if !ok {
				return internal("a file was written at %q", b.Cols[0].Str[i])
			}
			f := numberedFile{WrittenFile: engine.WrittenFile{Path: p.state.dir + rest, Rows: b.Cols[1].Int[i], Bytes: b.Cols[2].Int[i]}, partition: k}
			if f.Rows == 0 {
				if err := os.Remove(f.Path); err != nil {
					return p.state.fileError(err)
				}
				continue
			}
			f.seq = trailingNumber(strings.TrimSuffix(rest, ".parquet"))
			if p.state.partitions != nil {
				if k < 0 {
					f.partition = trailingNumber(filepath.Dir(rest))
				}
				f.Partition = p.state.values(f.partition)
			}
			p.files = append(p.files, f)
		}
		return nil
	}
}

// written are the files by partition and place.
func (p *parquetFiles) written() *engine.Written {
	slices.SortFunc(p.files, func(a, b numberedFile) int { return cmp.Or(a.partition-b.partition, a.seq-b.seq) })
	out := &engine.Written{}
	for _, f := range p.files {
		out.Rows += f.Rows
		out.Files = append(out.Files, f.WrittenFile)
	}
	return out
}

// trailingNumber is the number that a text ends with.
func trailingNumber(text string) int {
	at := len(text)
	for at > 0 && text[at-1] >= '0' && text[at-1] <= '9' {
		at--
	}
	n, _ := strconv.Atoi(text[at:])
	return n
}

// fieldIDs writes the value of the option FIELD_IDS, or of a member of it. What has no id, and nothing inside that has one, is
// left out.
func fieldIDs(id engine.FieldID) string {
	var members []string
	if id.ID != 0 {
		members = append(members, "__duckdb_field_id:"+strconv.FormatInt(id.ID, 10))
	}
	for _, name := range slices.Sorted(maps.Keys(id.Inside)) {
		if inside := fieldIDs(id.Inside[name]); inside != "" {
			members = append(members, quote(name)+":"+inside)
		}
	}
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}
