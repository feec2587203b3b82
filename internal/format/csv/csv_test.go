package csv_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
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

func columns(defs ...any) []types.Field {
	var out []types.Field
	for i := 0; i < len(defs); i += 2 {
		out = append(out, types.Field{Name: defs[i].(string), Type: types.Of(defs[i+1].(types.Kind))})
	}
	return out
}

// text shows rows as text, NULL as "-".
func text(t testing.TB, r format.BatchReader) []string {
	t.Helper()
	defer r.Close()
	var out []string
	for {
		b, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		for i := 0; i < b.Len; i++ {
			var row []string
			for _, c := range b.Cols {
				switch {
				case c.Nulls != nil && c.Nulls[i]:
					row = append(row, "-")
				case vector.StorageOf(c.Type) == vector.InInt:
					row = append(row, fmt.Sprint(c.Int[i]))
				default:
					row = append(row, c.Str[i])
				}
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
}

type warning struct {
	class  string
	params map[string]string
}

// A file's columns go by name: order, missing and extra ones.
func TestHeaderByName(t *testing.T) {
	schema := columns("id", types.Int, "qty", types.Int, "unit", types.String)
	for _, c := range []struct {
		name, content  string
		want           []int
		caseSensitive  bool
		rows           []string
		missing, extra string
		warned         bool
	}{
		{name: "same", content: "id,qty,unit\n1,5,kg\n", want: []int{0, 1, 2}, rows: []string{"1|5|kg"}},
		{name: "other order", content: "unit,id,qty\nkg,1,5\n", want: []int{0, 1, 2}, rows: []string{"1|5|kg"}},
		{name: "other case", content: "UNIT,Id,qty\nkg,1,5\n", want: []int{2, 0}, rows: []string{"kg|1"}},
		{name: "other case matters", content: "UNIT,Id,qty\nkg,1,5\n", want: []int{2, 0, 1}, caseSensitive: true, rows: []string{"-|-|5"}, missing: "id,unit", extra: "UNIT,Id", warned: true},
		{name: "missing", content: "unit,id\nkg,1\n", want: []int{0, 1, 2}, rows: []string{"1|-|kg"}, missing: "qty", warned: true},
		{name: "extra", content: "id,x,qty,unit\n1,?,5,kg\n", want: []int{1}, rows: []string{"5"}, extra: "x", warned: true},
		{name: "no name in common", content: "a,b,c\n1,5,kg\n", want: []int{0, 1, 2}, rows: []string{"1|5|kg"}, missing: "id,qty,unit", extra: "a,b,c", warned: true},
		{name: "header only", content: "id,qty,unit\n", want: []int{0}},
		{name: "nothing", content: "", want: []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []warning
			s := format.Settings{Zone: time.UTC, CaseSensitive: c.caseSensitive, Warn: func(class, message string, params map[string]string) {
				got = append(got, warning{class, params})
			}}
			r, err := csv.Reader{}.Open(context.Background(), file(t, "f.csv", c.content), schema, c.want, format.Options{"Header": "true"}, s)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.rows, text(t, r)); d != "" {
				t.Error(d)
			}
			if !c.warned {
				if len(got) != 0 {
					t.Errorf("warned %v", got)
				}
				return
			}
			want := map[string]string{"path": "file:/f.csv", "missing": c.missing, "extra": c.extra}
			if len(got) != 1 || got[0].class != csv.HeaderMismatch || !cmp.Equal(got[0].params, want) {
				t.Errorf("warned %v, want once with %v", got, want)
			}
		})
	}
}

// Records that straddle reads, batches and buffers come out whole, whatever their length.
func TestManyRecords(t *testing.T) {
	for _, multi := range []string{"false", "true"} {
		for _, width := range []int{1, 40, 5000, 300_000} {
			rows := max(3_000_000/width/10, 20)
			rows = min(rows, 10_000)
			var b strings.Builder
			var want []string
			for i := range rows {
				v := strings.Repeat(string(rune('a'+i%26)), width)
				fmt.Fprintf(&b, "%d,\"%s\"\"\",%s\r\n", i, v, v)
				want = append(want, fmt.Sprintf(`%d|%s"|%s`, i, v, v))
			}
			opts := format.Options{"escape": `"`, "multiLine": multi}
			r, err := csv.Reader{}.Open(context.Background(), file(t, "f.csv", b.String()), columns("a", types.Int, "b", types.String, "c", types.String), []int{0, 1, 2}, opts, format.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, text(t, r)); d != "" {
				t.Fatalf("multiLine %s, width %d: %.500s", multi, width, d)
			}
		}
	}
}

func TestCountOnly(t *testing.T) {
	for _, opts := range []format.Options{{"header": "true"}, {"header": "true", "multiLine": "true"}} {
		content := "a,b\n" + strings.Repeat("1,2\n\n", 5000)
		r, err := csv.Reader{}.Open(context.Background(), file(t, "f.csv", content), columns("a", types.Int, "b", types.Int), nil, opts, format.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		n := 0
		for {
			b, err := r.Next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			n += b.Len
		}
		if n != 5000 {
			t.Errorf("%v: %d rows, want 5000", opts, n)
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := csv.Reader{}.Open(ctx, file(t, "f.csv", "1\n2\n"), columns("a", types.Int), []int{0}, nil, format.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := r.Next(ctx); err == nil || !strings.Contains(err.Error(), "OPERATION_CANCELED") {
		t.Errorf("Next after cancel: %v", err)
	}
}

// Types merge over files whose columns come in another order.
func TestInferManyFiles(t *testing.T) {
	files := []storage.File{file(t, "0.csv", ""), file(t, "1.csv", "a,b\n1,x\n"), file(t, "2.csv", "b,a\ny,2.5\n")}
	got, err := csv.Reader{}.Infer(context.Background(), files, format.Options{"header": "true", "inferSchema": "true"}, format.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(columns("a", types.Double, "b", types.String), got); d != "" {
		t.Error(d)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\"x\ny\",2\r\n", "\"a\"\"b\",\\\"", "'a'|'b'\r", "#c\n\"x\\", "\"a\" b,\"c\n", "\xff\xfe,\"\x00"} {
		f.Add(s, uint16(0))
		f.Add(s, uint16(0x3ff))
	}
	schema := columns("a", types.Int, "b", types.String, "_corrupt_record", types.String)
	f.Fuzz(func(t *testing.T, content string, bits uint16) {
		if len(content) > 1<<16 {
			return
		}
		opts := format.Options{}
		for i, o := range [][2]string{
			{"header", "true"},
			{"multiLine", "true"},
			{"escape", `"`},
			{"quote", "'"},
			{"sep", "||"},
			{"comment", "#"},
			{"ignoreLeadingWhiteSpace", "true"},
			{"ignoreTrailingWhiteSpace", "true"},
			{"inferSchema", "true"},
			{"unescapedQuoteHandling", "STOP_AT_CLOSING_QUOTE"},
			{"unescapedQuoteHandling", "BACK_TO_DELIMITER"},
			{"unescapedQuoteHandling", "SKIP_VALUE"},
			{"charToEscapeQuoteEscaping", "#"},
			{"lineSep", ";"},
		} {
			if bits&(1<<i) != 0 {
				opts[o[0]] = o[1]
			}
		}
		in := file(t, "f.csv", content)
		ctx := context.Background()
		if _, err := (csv.Reader{}).Infer(ctx, []storage.File{in}, opts, format.Settings{}); err != nil && !strings.HasPrefix(err.Error(), "[") {
			t.Fatal(err)
		}
		r, err := csv.Reader{}.Open(ctx, in, schema, []int{0, 1, 2}, opts, format.Settings{})
		if err != nil {
			return
		}
		defer r.Close()
		for rows := 0; ; {
			b, err := r.Next(ctx)
			if err != nil || b == nil {
				return
			}
			if rows += b.Len; rows > len(content)+1 {
				t.Fatalf("%d rows of %d bytes", rows, len(content))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var sb strings.Builder
	for i := 0; sb.Len() < 32<<20; i++ {
		fmt.Fprintf(&sb, "%d,name %d,%d.%02d,2024-%02d-%02d,true,2024-05-01 12:%02d:00\n", i, i, i%1000, i%100, i%12+1, i%28+1, i%60)
	}
	schema := columns("id", types.BigInt, "name", types.String, "x", types.Double, "d", types.Date, "b", types.Boolean, "t", types.Timestamp)
	for _, c := range []struct {
		name string
		want []int
		opts format.Options
	}{
		{"all", []int{0, 1, 2, 3, 4, 5}, nil},
		{"one", []int{1}, nil},
		{"count", nil, nil},
		{"multiLine", []int{0, 1, 2, 3, 4, 5}, format.Options{"multiLine": "true"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := file(b, "f.csv", sb.String())
			b.SetBytes(int64(sb.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := csv.Reader{}.Open(context.Background(), in, schema, c.want, c.opts, format.Settings{Zone: time.UTC})
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
		})
	}
}
