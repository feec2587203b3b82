package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/parquet"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

func file(t testing.TB, name, content string) storage.File {
	t.Helper()
	d := mem.New()
	d.Write(content, name)
	root, err := storage.ParseLocation("file:/", "")
	if err != nil {
		t.Fatal(err)
	}
	b := storage.NewBucket(d, root)
	o, err := b.Stat(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return storage.File{Bucket: b, Object: o}
}

func write[T any](t testing.TB, rows []T, opts ...pq.WriterOption) storage.File {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b, opts...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, "dir/f.parquet", b.String())
}

// text reads all columns of a file as text, a row a line.
func text(in storage.File, schema []types.Field) (out []string, err error) {
	want := make([]int, len(schema))
	for i := range want {
		want[i] = i
	}
	r, err := parquet.OpenRows(context.Background(), in, schema, want, format.Settings{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		b, err := r.Next(context.Background())
		if err != nil || b == nil {
			return out, err
		}
		for i := 0; i < b.Len; i++ {
			var row []string
			for c := range b.Cols {
				row = append(row, cell(&b.Cols[c], i))
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
}

func cell(c *vector.Column, i int) string {
	if c.Nulls != nil && c.Nulls[i] {
		return "NULL"
	}
	var v types.Value
	switch vector.StorageOf(c.Type) {
	case vector.InBool:
		v = c.Bool[i]
	case vector.InInt:
		v = c.Int[i]
		if c.Type.Kind == types.Decimal {
			v = types.NewDec(c.Int[i], c.Type.Scale)
		}
	case vector.InFloat:
		v = c.Float[i]
	case vector.InStr:
		v = c.Str[i]
		if c.Type.Kind == types.Binary {
			v = types.Bytes(c.Str[i])
		}
	default:
		v = c.Any[i]
	}
	return types.Format(c.Type, v, time.UTC)
}

type inner struct {
	X *int32   `parquet:"x,optional"`
	Y []string `parquet:"y,list"`
}

type everything struct {
	Bool   bool              `parquet:"bool"`
	I8     int8              `parquet:"i8"`
	I16    int16             `parquet:"i16"`
	I32    int32             `parquet:"i32,delta"`
	I64    *int64            `parquet:"i64,optional,dict"`
	U8     uint8             `parquet:"u8"`
	U16    uint16            `parquet:"u16"`
	U32    uint32            `parquet:"u32"`
	U64    uint64            `parquet:"u64"`
	F32    float32           `parquet:"f32,split"`
	F64    float64           `parquet:"f64,split"`
	Text   string            `parquet:"text,delta"`
	Dict   *string           `parquet:"dict,optional,dict"`
	Raw    []byte            `parquet:"raw"`
	Fixed  [4]byte           `parquet:"fixed"`
	Dec9   int32             `parquet:"dec9,decimal(2:9)"`
	Dec18  int64             `parquet:"dec18,decimal(3:18)"`
	Day    int32             `parquet:"day,date"`
	Millis int64             `parquet:"millis,timestamp(millisecond)"`
	Micros int64             `parquet:"micros,timestamp(microsecond:local)"`
	Old    deprecated.Int96  `parquet:"old"`
	List   []int64           `parquet:"list,list"`
	Plain  []int64           `parquet:"plain"`
	Map    map[string]*int32 `parquet:"map"`
	Struct *inner            `parquet:"struct,optional"`
	Deep   []inner           `parquet:"deep,list"`
}

func ptr[T any](v T) *T { return &v }

func fixtures(n int) []everything {
	var out []everything
	for i := range n {
		e := everything{
			Bool: i%2 == 0, I8: int8(-i % 100), I16: int16(i), I32: int32(i * i), U8: 200, U16: 40_000, U32: 3_000_000_000, U64: math.MaxUint64,
			F32: 1.5, F64: float64(i) / 4, Text: fmt.Sprintf("row %d", i), Raw: []byte{1, 2}, Fixed: [4]byte{'a', 'b', 'c', 'd'}, Dec9: int32(i), Dec18: int64(-i),
			Day: 18263, Millis: 1_577_934_245_678, Micros: 1_577_934_245_678_901, Old: deprecated.Int96{0: 1000, 2: 2440589},
		}
		switch i % 4 {
		case 0:
			e.I64, e.Dict = ptr(int64(i%3)), ptr("d")
			e.List, e.Plain = []int64{1, int64(i)}, []int64{7, 8}
			e.Map = map[string]*int32{"k": ptr(int32(5))}
			e.Struct = &inner{X: ptr(int32(i)), Y: []string{"a", "b"}}
			e.Deep = []inner{{Y: []string{"c"}}, {X: ptr(int32(1))}}
		case 1:
			e.Map = map[string]*int32{"n": nil}
			e.Struct = &inner{}
		}
		out = append(out, e)
	}
	return out
}

func expected(n int) []string {
	var out []string
	for i := range n {
		i64, dict, list, plain, mp, st, deep := "NULL", "NULL", "[]", "[]", "{}", "NULL", "[]"
		switch i % 4 {
		case 0:
			i64, dict, list, plain, mp = fmt.Sprint(i%3), "d", fmt.Sprintf("[1, %d]", i), "[7, 8]", "{k -> 5}"
			st, deep = fmt.Sprintf("{%d, [a, b]}", i), "[{null, [c]}, {1, []}]"
		case 1:
			mp, st = "{n -> null}", "{null, []}"
		}
		out = append(out, strings.Join([]string{
			fmt.Sprint(i%2 == 0), fmt.Sprint(int8(-i % 100)), fmt.Sprint(i), fmt.Sprint(i * i), i64, "200", "40000", "3000000000", "18446744073709551615",
			"1.5", types.FormatDouble(float64(i) / 4), fmt.Sprintf("row %d", i), dict, "\x01\x02", "abcd",
			types.NewDec(int64(i), 2).String(), types.NewDec(int64(-i), 3).String(), "2020-01-02", "2020-01-02 03:04:05.678", "2020-01-02 03:04:05.678901",
			"1970-01-02 00:00:00.000001", list, plain, mp, st, deep,
		}, "|"))
	}
	return out
}

const everythingType = "struct<bool:boolean,i8:tinyint,i16:smallint,i32:int,i64:bigint,u8:smallint,u16:int,u32:bigint,u64:decimal(20,0),f32:float,f64:double," +
	"text:string,dict:string,raw:binary,fixed:binary,dec9:decimal(9,2),dec18:decimal(18,3),day:date,millis:timestamp,micros:timestamp_ntz,old:timestamp," +
	"list:array<bigint>,plain:array<bigint>,map:map<string,int>,struct:struct<x:int,y:array<string>>,deep:array<struct<x:int,y:array<string>>>>"

// Every type, encoding, codec and page version comes back as it was written.
func TestRows(t *testing.T) {
	for name, opts := range map[string][]pq.WriterOption{
		"plain": nil, "v2": {pq.DataPageVersion(2)}, "v1": {pq.DataPageVersion(1)}, "small pages": {pq.PageBufferSize(64), pq.DataPageVersion(1)},
		"snappy": {pq.Compression(&pq.Snappy)}, "gzip": {pq.Compression(&pq.Gzip)}, "zstd": {pq.Compression(&pq.Zstd), pq.DataPageVersion(1)},
		"brotli": {pq.Compression(&pq.Brotli)}, "lz4": {pq.Compression(&pq.Lz4Raw)}, "row groups": {pq.MaxRowsPerRowGroup(700)},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 3000
			in := write(t, fixtures(n), opts...)
			schema, err := parquet.Infer(context.Background(), []storage.File{in}, nil, format.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(everythingType, types.StructOf(schema...).String()); d != "" {
				t.Error(d)
			}
			got, err := text(in, schema)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(expected(n), got); d != "" {
				t.Errorf("%.2000s", d)
			}
		})
	}
}

// A table's columns go by name; what a file lacks is NULL, and types widen.
func TestDrift(t *testing.T) {
	in := write(t, fixtures(2))
	field := func(name string, typ types.Type) types.Field { return types.Field{Name: name, Type: typ} }
	of := types.Of
	schema := []types.Field{
		field("TEXT", of(types.Binary)), field("gone", of(types.Int)), field("i32", of(types.BigInt)), field("i8", types.DecimalOf(12, 2)), field("f32", of(types.Double)),
		field("dec9", types.DecimalOf(12, 4)), field("day", of(types.TimestampNTZ)), field("struct", types.StructOf(field("y", types.ArrayOf(of(types.String))), field("z", of(types.Int)))),
		field("deep", types.ArrayOf(types.StructOf(field("q", of(types.Int))))), field("list", types.ArrayOf(of(types.BigInt))), field("raw", of(types.String)),
	}
	got, err := text(in, schema)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"row 0|NULL|0|0.00|1.5|0.0000|2020-01-02 00:00:00|{[a, b], null}|[{null}, {null}]|[1, 0]|\x01\x02",
		"row 1|NULL|1|-1.00|1.5|0.0100|2020-01-02 00:00:00|{[], null}|[]|[]|\x01\x02",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []types.Field{
		field("text", of(types.Int)), field("i32", of(types.String)), field("i64", of(types.Int)), field("f64", of(types.Float)), field("dec18", types.DecimalOf(18, 2)),
		field("day", of(types.Int)), field("day", of(types.Timestamp)), field("fixed", of(types.String)), field("struct", of(types.String)), field("list", types.ArrayOf(of(types.Int))),
		field("map", types.MapOf(of(types.String), of(types.String))), field("bool", of(types.Int)), field("millis", of(types.BigInt)),
	} {
		_, err := text(in, []types.Field{bad})
		if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH")) || !strings.Contains(err.Error(), bad.Name) || !strings.Contains(err.Error(), "f.parquet") {
			t.Errorf("%s as %s: %v", bad.Name, bad.Type, err)
		}
	}
}

func TestFooter(t *testing.T) {
	f, err := parquet.ReadFooter(context.Background(), write(t, fixtures(5), pq.MaxRowsPerRowGroup(2)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 5 || f.NeedsGo != "" || types.StructOf(f.Schema...).String() != everythingType {
		t.Errorf("footer: %d rows, NeedsGo %q, %s", f.Rows, f.NeedsGo, types.StructOf(f.Schema...))
	}
	var leaves []string
	for _, l := range f.Leaves[len(f.Leaves)-4:] {
		leaves = append(leaves, strings.Join(l.Path, ".")+" "+l.Physical+" "+l.Logical)
	}
	want := []string{"struct.x INT32 INTEGER(32,true)", "struct.y.list.element BYTE_ARRAY STRING", "deep.list.element.x INT32 INTEGER(32,true)", "deep.list.element.y.list.element BYTE_ARRAY STRING"}
	if d := cmp.Diff(want, leaves); d != "" {
		t.Error(d)
	}
}

type split struct {
	A int32 `parquet:"a,split"`
}

func TestNeedsGo(t *testing.T) {
	in := write(t, []split{{1}, {-5}, {1 << 30}})
	f, err := parquet.ReadFooter(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.NeedsGo, "BYTE_STREAM_SPLIT") {
		t.Errorf("NeedsGo = %q", f.NeedsGo)
	}
	got, err := text(in, f.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"1", "-5", "1073741824"}, got); d != "" {
		t.Error(d)
	}
}

type old struct {
	When deprecated.Int96 `parquet:"when"`
}

// INT96 of years that DuckDB takes for others are noticed, and read as Spark reads them.
func TestFarTimes(t *testing.T) {
	day := func(julian int32, nanos uint32) old { return old{deprecated.Int96{0: nanos, 2: uint32(julian)}} }
	near := write(t, []old{day(2440588, 0), day(2440589, 5000)})
	if f, err := parquet.ReadFooter(context.Background(), near); err != nil || f.NeedsGo != "" {
		t.Errorf("near times: NeedsGo %q, %v", f.NeedsGo, err)
	}
	far := write(t, []old{day(2440588, 0), day(2440588+4_000_000, 0)})
	f, err := parquet.ReadFooter(context.Background(), far)
	if err != nil || f.NeedsGo == "" {
		t.Errorf("far times: NeedsGo %q, %v", f.NeedsGo, err)
	}
	got, err := text(far, f.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"1970-01-01 00:00:00", "+12921-08-18 00:00:00"}, got); d != "" {
		t.Error(d)
	}
}

type nanos struct {
	ID   int64     `parquet:"id"`
	When time.Time `parquet:"when,timestamp(nanosecond)"`
	UUID [16]byte  `parquet:"uuid,uuid"`
}

// A type that SQL lacks is refused by name, and only when it is asked for.
func TestIllegalTypes(t *testing.T) {
	in := write(t, []nanos{{ID: 4}})
	f, err := parquet.ReadFooter(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got := types.StructOf(f.Schema...).String(); got != "struct<id:bigint,when:void,uuid:void>" {
		t.Errorf("schema %s", got)
	}
	for _, wanted := range []types.Field{{Name: "when", Type: types.Of(types.Timestamp)}, {Name: "uuid", Type: types.Of(types.String)}} {
		if _, err := text(in, []types.Field{wanted}); !errors.Is(err, sqlerr.Condition("PARQUET_TYPE_ILLEGAL")) || !strings.Contains(err.Error(), wanted.Name) {
			t.Errorf("%s: %v", wanted.Name, err)
		}
	}
	if _, err := parquet.Infer(context.Background(), []storage.File{in}, nil, format.Settings{}); !errors.Is(err, sqlerr.Condition("PARQUET_TYPE_ILLEGAL")) || !strings.Contains(err.Error(), "NANOS") {
		t.Errorf("Infer: %v", err)
	}
	if got, err := text(in, f.Schema[:1]); err != nil || !cmp.Equal(got, []string{"4"}) {
		t.Errorf("id alone: %q, %v", got, err)
	}
}

func TestNotParquet(t *testing.T) {
	var b bytes.Buffer
	if err := pq.Write(&b, fixtures(1)); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	encrypted := strings.TrimSuffix(whole, "PAR1") + "PARE"
	huge := whole[:len(whole)-8] + "\xff\xff\xff\x7fPAR1"
	for name, content := range map[string]string{
		"empty": "", "short": "PAR1PAR1", "text": strings.Repeat("a,b\n", 100), "cut short": whole[:len(whole)-20], "encrypted": encrypted, "footer too long": huge,
		"no metadata": "PAR1\x00\x00\x00\x00PAR1", "garbage metadata": "PAR1" + strings.Repeat("\xff", 40) + "\x28\x00\x00\x00PAR1",
		"column beyond the file": "PAR1" + whole[len(whole)-8-int(uint8(whole[len(whole)-8]))-256*int(uint8(whole[len(whole)-7])):],
	} {
		_, err := parquet.ReadFooter(context.Background(), file(t, "dir/f.parquet", content))
		if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE")) || !strings.Contains(err.Error(), "file:/dir/f.parquet") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := file(t, "dir/f.parquet", whole)
	in.Key = "dir/gone.parquet"
	if _, err := parquet.ReadFooter(context.Background(), in); !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.FILE_NOT_EXIST")) {
		t.Errorf("a file that is gone: %v", err)
	}
}

type left struct {
	A int32 `parquet:"a"`
	B *struct {
		X int64 `parquet:"x"`
	} `parquet:"b,optional"`
}

type right struct {
	B *struct {
		Y string `parquet:"y"`
	} `parquet:"b,optional"`
	C float64 `parquet:"c"`
}

type other struct {
	A string `parquet:"a"`
}

func TestMergeSchema(t *testing.T) {
	files := []storage.File{write(t, []left{{}}), write(t, []right{{}})}
	for option, want := range map[string]string{"false": "struct<a:int,b:struct<x:bigint>>", "true": "struct<a:int,b:struct<x:bigint,y:string>,c:double>"} {
		got, err := parquet.Infer(context.Background(), files, format.Options{"MergeSchema": option}, format.Settings{})
		if s := types.StructOf(got...).String(); err != nil || s != want {
			t.Errorf("mergeSchema %s: %s, %v", option, s, err)
		}
	}
	files = append(files, write(t, []other{{}}))
	if _, err := parquet.Infer(context.Background(), files, format.Options{"mergeSchema": "true"}, format.Settings{}); !errors.Is(err, sqlerr.Condition("CANNOT_MERGE_SCHEMAS")) {
		t.Errorf("INT and STRING merged: %v", err)
	}
}

// FuzzFooter damages files: whatever comes of it, reading ends with rows or a named error, and soon.
func FuzzFooter(f *testing.F) {
	for _, opts := range [][]pq.WriterOption{nil, {pq.Compression(&pq.Snappy), pq.DataPageVersion(1)}, {pq.Compression(&pq.Zstd), pq.MaxRowsPerRowGroup(2)}} {
		var b bytes.Buffer
		w := pq.NewGenericWriter[everything](&b, opts...)
		if _, err := w.Write(fixtures(5)); err != nil {
			f.Fatal(err)
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), 0, byte(0))
		f.Add(b.Bytes(), b.Len()-100, byte(0xff))
		f.Add(b.Bytes(), 40, byte(0x80))
	}
	f.Fuzz(func(t *testing.T, content []byte, at int, flip byte) {
		if len(content) > 1<<16 {
			return
		}
		if at >= 0 && at < len(content) {
			content[at] ^= flip
		}
		in := file(t, "f.parquet", string(content))
		foot, err := parquet.ReadFooter(context.Background(), in)
		if err != nil {
			var known *sqlerr.Error
			if !errors.As(err, &known) || known.Condition == "INTERNAL_ERROR" {
				t.Fatal(err)
			}
			return
		}
		for _, column := range foot.Schema {
			want := []types.Field{column}
			r, err := parquet.OpenRows(context.Background(), in, want, []int{0}, format.Settings{})
			if err != nil {
				continue
			}
			for range 20 {
				b, err := r.Next(context.Background())
				if err != nil || b == nil {
					break
				}
			}
			r.Close()
		}
	})
}

func BenchmarkReadFooter(b *testing.B) {
	in := write(b, fixtures(1))
	type narrow struct {
		A int64   `parquet:"a"`
		B string  `parquet:"b"`
		C float64 `parquet:"c"`
	}
	small := write(b, []narrow{{1, "x", 2}})
	for name, in := range map[string]storage.File{"34 leaves": in, "3 leaves": small} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parquet.ReadFooter(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
