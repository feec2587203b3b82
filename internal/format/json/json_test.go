package json_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/json"
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

func column(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func rows(r format.BatchReader) (out []string, err error) {
	defer r.Close()
	for {
		b, err := r.Next(context.Background())
		if err != nil || b == nil {
			return out, err
		}
		for i := 0; i < b.Len; i++ {
			var row []string
			for _, c := range b.Cols {
				switch {
				case c.Nulls != nil && c.Nulls[i]:
					row = append(row, "-")
				case vector.StorageOf(c.Type) == vector.InInt:
					row = append(row, fmt.Sprint(c.Int[i]))
				case vector.StorageOf(c.Type) == vector.InBool:
					row = append(row, fmt.Sprint(c.Bool[i]))
				case vector.StorageOf(c.Type) == vector.InFloat:
					row = append(row, fmt.Sprint(c.Float[i]))
				case vector.StorageOf(c.Type) == vector.InStr:
					row = append(row, c.Str[i])
				default:
					row = append(row, types.Format(c.Type, c.Any[i], time.UTC))
				}
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
}

// Arrays of more rows than a batch, read as a line and as a document, come whole or not at all.
func TestLongArrays(t *testing.T) {
	const n = 5000
	var elements, want []string
	for i := range n {
		elements = append(elements, fmt.Sprintf("{\"a\":%d,\"b\":\"x\\n%d\"}", i, i))
		want = append(want, fmt.Sprintf("%d|x\n%d|-", i, i))
	}
	array := "[" + strings.Join(elements, ",") + "]"
	schema := []types.Field{column("a", types.Of(types.Int)), column("b", types.Of(types.String)), column("_corrupt_record", types.Of(types.String))}
	open := func(content string, opts format.Options, want []int) ([]string, error) {
		r, err := json.Reader{}.Open(context.Background(), file(t, "f.json", content), schema, want, opts, format.Settings{})
		if err != nil {
			return nil, err
		}
		return rows(r)
	}
	for _, opts := range []format.Options{nil, {"multiLine": "true"}} {
		got, err := open(array, opts, []int{0, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%v: %.500s", opts, d)
		}
		broken := array[:len(array)-1] + ",5]"
		got, err = open(broken, opts, []int{0, 2})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0] != "-|"+broken {
			t.Errorf("%v: an array with a number in it has %d rows", opts, len(got))
		}
		got, err = open(strings.Replace(array, `"a":4999`, `"a":"no"`, 1), format.Options{"mode": "DROPMALFORMED", "multiLine": opts["multiLine"]}, []int{0})
		if err == nil && opts["multiLine"] == "" {
			t.Errorf("the option multiLine must be true or false, got %d rows", len(got))
		}
	}
	got, err := open(strings.Replace(array, `"a":4999`, `"a":"no"`, 1), format.Options{"mode": "DROPMALFORMED"}, []int{0})
	if err != nil || len(got) != 0 {
		t.Errorf("DROPMALFORMED kept %d rows of an array with a bad value (%v)", len(got), err)
	}
	if _, err = open(strings.Replace(array, `"a":4999`, `"a":"no"`, 1), format.Options{"mode": "FAILFAST"}, []int{0}); !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.NO_HINT")) {
		t.Errorf("FAILFAST: %v", err)
	}
}

// What a nested value loses when a part of it is not of its type, and what it keeps.
func TestPartialResults(t *testing.T) {
	i, s := types.Of(types.Int), types.Of(types.String)
	inner := types.StructOf(column("x", i), column("y", s))
	schema := []types.Field{
		column("st", inner), column("ar", types.ArrayOf(inner)), column("ma", types.MapOf(s, inner)), column("de", types.MapOf(s, types.ArrayOf(i))), column("z", i),
	}
	for content, want := range map[string]string{
		`{"st":{"x":1,"y":"a"},"ar":[{"x":1}],"ma":{"k":{"x":1}},"de":{"k":[1]},"z":9}`: `{1, a}|[{1, null}]|{k -> {1, null}}|{k -> [1]}|9`,
		`{"st":{"x":"?","y":"a"},"z":9}`:                                                `{null, a}|-|-|-|9`,
		`{"ar":[{"x":"?","y":"a"},{"x":2}],"z":9}`:                                      `-|[{null, a}, {2, null}]|-|-|9`,
		`{"ar":[{"x":1},5,{"x":[}]}],"z":9}`:                                            `-|-|-|-|-`,
		`{"ar":[{"x":1},5,{"x":[]}],"z":9}`:                                             `-|-|-|-|9`,
		`{"ma":{"k":{"x":"?","y":"b"},"k":{"x":2}},"z":9}`:                              `-|-|{k -> {2, null}}|-|9`,
		`{"de":{"k":[1,"?",3],"l":[2]},"z":9}`:                                          `-|-|-|-|9`,
		`{"z":9,"z":"?"}`:                                                               `-|-|-|-|9`,
		`{"z":9,"other":{"a":[1,{"b":"\u00e9\""}],"c":-1.5e3},"st":null}`:               `-|-|-|-|9`,
		strings.Repeat(`{"st":`, 1200) + `1` + strings.Repeat(`}`, 1200):                `-|-|-|-|-`,
	} {
		r, err := json.Reader{}.Open(context.Background(), file(t, "f.json", content), schema, []int{0, 1, 2, 3, 4}, nil, format.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows(r)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%.80s\n got %q (%v)\nwant %q", content, got, err, want)
		}
	}
}

func TestNegativeZero(t *testing.T) {
	r, err := json.Reader{}.Open(context.Background(), file(t, "f.json", `{"a":-0,"b":-0.0}`), []types.Field{column("a", types.Of(types.Double)), column("b", types.Of(types.Double))}, []int{0, 1}, nil, format.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rows(r); err != nil || len(got) != 1 || got[0] != "0|-0" {
		t.Errorf("%q, %v, want 0|-0", got, err)
	}
}

func TestInferManyFiles(t *testing.T) {
	files := []storage.File{file(t, "0.json", ""), file(t, "1.json", `{"v":null,"o":{"b":1}}`), file(t, "2.json", `{"v":5,"o":{"a":[]}}`), file(t, "3.json", `{"v":2.5,"o":{"a":[true]}}`)}
	got, err := json.Reader{}.Infer(context.Background(), files, nil, format.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	want := "struct<o:struct<a:array<boolean>,b:bigint>,v:double>"
	if s := types.StructOf(got...).String(); s != want {
		t.Errorf("inferred %s, want %s", s, want)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":"x","c":{"d":[1,2.5,null],"e":{"k":"v"}}}`, `[{"a":1},{"b":"\ud83d\ude00\q"}]`, `{a:'x',b:/*c*/NaN}//`, "{\"a\":\"\x01\"}\r\n\n{", "\xff\xfe{\x00}\x00",
		`{"a":-01.5e+3,"a":+INF}`, strings.Repeat("[", 2000), `{"c":{"d":[{"e`, `5`, `null`, `{"b":"\u`,
	} {
		f.Add(s, uint16(0))
		f.Add(s, uint16(0xffff))
	}
	schema := []types.Field{
		column("a", types.Of(types.Int)), column("b", types.Of(types.String)),
		column("c", types.StructOf(column("d", types.ArrayOf(types.Of(types.Double))), column("e", types.MapOf(types.Of(types.String), types.DecimalOf(20, 3))))),
		column("_corrupt_record", types.Of(types.String)),
	}
	f.Fuzz(func(t *testing.T, content string, bits uint16) {
		if len(content) > 1<<16 {
			return
		}
		opts := format.Options{}
		for i, name := range []string{
			"multiLine", "allowComments", "allowUnquotedFieldNames", "allowNumericLeadingZeros", "allowBackslashEscapingAnyCharacter",
			"allowUnquotedControlChars", "dropFieldIfAllNull", "prefersDecimal", "primitivesAsString", "inferTimestamp",
		} {
			if bits&(1<<i) != 0 {
				opts[name] = "true"
			}
		}
		in := file(t, "f.json", content)
		ctx := context.Background()
		inferred, err := json.Reader{}.Infer(ctx, []storage.File{in}, opts, format.Settings{})
		if err != nil && !strings.HasPrefix(err.Error(), "[") {
			t.Fatal(err)
		}
		for _, schema := range [][]types.Field{schema, inferred} {
			want := make([]int, len(schema))
			for i := range want {
				want[i] = i
			}
			r, err := json.Reader{}.Open(ctx, in, schema, want, opts, format.Settings{})
			if err != nil {
				continue
			}
			got, err := rows(r)
			if errors.Is(err, sqlerr.Condition("INTERNAL_ERROR")) || len(got) > len(content)+1 {
				t.Fatalf("%d rows of %d bytes, %v", len(got), len(content), err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var sb strings.Builder
	for i := 0; sb.Len() < 32<<20; i++ {
		fmt.Fprintf(&sb, "{\"id\":%d,\"name\":\"name %d\",\"x\":%d.%02d,\"d\":\"2024-%02d-%02d\",\"b\":true,\"t\":\"2024-05-01 12:%02d:00\"}\n", i, i, i%1000, i%100, i%12+1, i%28+1, i%60)
	}
	var schema []types.Field
	for i, k := range []types.Kind{types.BigInt, types.String, types.Double, types.Date, types.Boolean, types.Timestamp} {
		schema = append(schema, column([]string{"id", "name", "x", "d", "b", "t"}[i], types.Of(k)))
	}
	read := func(b *testing.B, want []int) {
		in := file(b, "f.json", sb.String())
		b.SetBytes(int64(sb.Len()))
		b.ReportAllocs()
		for b.Loop() {
			r, err := json.Reader{}.Open(context.Background(), in, schema, want, nil, format.Settings{Zone: time.UTC})
			if err != nil {
				b.Fatal(err)
			}
			for {
				batch, err := r.Next(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				if batch == nil {
					break
				}
			}
			r.Close()
		}
	}
	b.Run("all", func(b *testing.B) { read(b, []int{0, 1, 2, 3, 4, 5}) })
	b.Run("one", func(b *testing.B) { read(b, []int{1}) })
	b.Run("count", func(b *testing.B) { read(b, nil) })
	b.Run("infer", func(b *testing.B) {
		in := file(b, "f.json", sb.String())
		b.SetBytes(int64(sb.Len()))
		for b.Loop() {
			if _, err := (json.Reader{}).Infer(context.Background(), []storage.File{in}, nil, format.Settings{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
