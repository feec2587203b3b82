package text_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	jsonformat "github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// recorded is one line of testdata/*.jsonl: a file, how it was read, and what real Spark 4.3 answered. Types and rows
// are Spark's, every value as CAST AS STRING shows it; err is a condition. A line with why has Tarn's answer where it is
// not Spark's, and the reason.
type recorded struct {
	Content string            `json:"content"` // one rune a byte
	Options map[string]string `json:"opts"`
	Schema  string            `json:"schema"`
	Zone    string            `json:"zone"`
	Types   [][2]string       `json:"types"`
	Rows    [][]*string       `json:"rows"`
	Err     string            `json:"err"`
	Why     string            `json:"why"`
}

func (r recorded) bytes() string {
	b := make([]byte, 0, len(r.Content))
	for _, c := range r.Content {
		b = append(b, byte(c))
	}
	return string(b)
}

func memFile(t testing.TB, name, content string) storage.File {
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

func readAll(t testing.TB, r format.BatchReader, width int) ([][]types.Value, error) {
	t.Helper()
	defer r.Close()
	var rows [][]types.Value
	for {
		b, err := r.Next(context.Background())
		if err != nil {
			return rows, err
		}
		if b == nil {
			return rows, nil
		}
		if len(b.Cols) != width {
			t.Fatalf("a batch has %d columns, want %d", len(b.Cols), width)
		}
		for i := 0; i < b.Len; i++ {
			row := make([]types.Value, width)
			for c := range b.Cols {
				row[c] = cell(&b.Cols[c], i)
			}
			rows = append(rows, row)
		}
	}
}

func cell(c *vector.Column, i int) types.Value {
	if c.Nulls != nil && c.Nulls[i] {
		return nil
	}
	switch vector.StorageOf(c.Type) {
	case vector.InBool:
		return c.Bool[i]
	case vector.InInt:
		if c.Type.Kind == types.Decimal {
			return types.NewDec(c.Int[i], c.Type.Scale)
		}
		return c.Int[i]
	case vector.InFloat:
		return c.Float[i]
	case vector.InStr:
		if c.Type.Kind == types.Binary {
			return types.Bytes(c.Str[i])
		}
		return strings.Clone(c.Str[i])
	}
	return c.Any[i]
}

func TestAsSpark(t *testing.T) {
	readers := map[string]format.Reader{"csv": csv.Reader{}, "json": jsonformat.Reader{}}
	for name, reader := range readers {
		f, err := os.Open("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var want recorded
			if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
				t.Fatalf("%s line %d: %v", name, n, err)
			}
			t.Run(fmt.Sprintf("%s-%d", name, n), func(t *testing.T) { compare(t, reader, name, want) })
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func compare(t *testing.T, reader format.Reader, name string, want recorded) {
	zone, err := time.LoadLocation(want.Zone)
	if err != nil {
		t.Fatal(err)
	}
	settings := format.Settings{Zone: zone, ANSI: true}
	file := memFile(t, "dir/f."+name, want.bytes())
	gotTypes, gotRows, err := run(t, reader, file, want, settings)
	var known *sqlerr.Error
	switch {
	case err != nil && !errors.As(err, &known):
		t.Fatalf("%q %v %q: %v is no *sqlerr.Error", want.Content, want.Options, want.Schema, err)
	case known != nil && want.Err == "":
		t.Fatalf("%q %v %q: %v, want rows %s", want.Content, want.Options, want.Schema, err, show(want.Rows))
	case known == nil && want.Err != "":
		t.Fatalf("%q %v %q: %s, want %s", want.Content, want.Options, want.Schema, show(gotRows), want.Err)
	case known != nil:
		if string(known.Condition) != want.Err {
			t.Fatalf("%q %v %q: %v, want %s", want.Content, want.Options, want.Schema, err, want.Err)
		}
		return
	}
	if len(gotTypes) == 0 && len(want.Types) == 0 {
		return
	}
	if d := cmp.Diff(want.Types, gotTypes); d != "" {
		t.Errorf("%q %v %q: types: %s", want.Content, want.Options, want.Schema, d)
	}
	if d := cmp.Diff(show(want.Rows), show(gotRows)); d != "" {
		t.Errorf("%q %v %q %s: rows: %s", want.Content, want.Options, want.Schema, want.Zone, d)
	}
}

func show(rows [][]*string) []string {
	var out []string
	for _, r := range rows {
		var cells []string
		for _, c := range r {
			if c == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, strconv.Quote(*c))
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

func run(t *testing.T, reader format.Reader, file storage.File, c recorded, s format.Settings) ([][2]string, [][]*string, error) {
	ctx := context.Background()
	if err := reader.Check(c.Options); err != nil {
		return nil, nil, err
	}
	var schema []types.Field
	if c.Schema != "" {
		schema = parseSchema(t, c.Schema)
	} else {
		var err error
		if schema, err = reader.Infer(ctx, []storage.File{file}, c.Options, s); err != nil {
			return nil, nil, err
		}
	}
	var gotTypes [][2]string
	want := make([]int, len(schema))
	for i, f := range schema {
		gotTypes = append(gotTypes, [2]string{f.Name, f.Type.String()})
		want[i] = i
	}
	r, err := reader.Open(ctx, file, schema, want, c.Options, s)
	if err != nil {
		return nil, nil, err
	}
	rows, err := readAll(t, r, len(want))
	if err != nil {
		return nil, nil, err
	}
	var out [][]*string
	for _, row := range rows {
		var cells []*string
		for i, v := range row {
			if v == nil {
				cells = append(cells, nil)
				continue
			}
			text := types.Format(schema[i].Type, v, s.Zone)
			cells = append(cells, &text)
		}
		out = append(out, cells)
	}
	return gotTypes, out, nil
}

// parseSchema reads "a int, b struct<x:int>" as the recorded cases write it.
func parseSchema(t *testing.T, ddl string) []types.Field {
	t.Helper()
	p := schemaParser{t: t, s: ddl}
	return p.fields(' ', "")
}

type schemaParser struct {
	t *testing.T
	s string
}

func (p *schemaParser) word(stop string) string {
	p.s = strings.TrimLeft(p.s, " ")
	i := strings.IndexAny(p.s, stop)
	if i < 0 {
		i = len(p.s)
	}
	w := p.s[:i]
	p.s = p.s[i:]
	return strings.TrimSpace(w)
}

func (p *schemaParser) fields(between byte, end string) []types.Field {
	var out []types.Field
	for {
		name := p.word(string(between))
		p.s = strings.TrimPrefix(p.s, string(between))
		f := types.Field{Name: name, Type: p.typ()}
		if rest, ok := strings.CutPrefix(p.s, " not null"); ok {
			p.s = rest
		}
		out = append(out, f)
		p.s = strings.TrimLeft(p.s, " ")
		if rest, ok := strings.CutPrefix(p.s, ","); ok {
			p.s = rest
			continue
		}
		p.s = strings.TrimPrefix(p.s, end)
		return out
	}
}

func (p *schemaParser) typ() types.Type {
	simple := map[string]types.Kind{
		"boolean": types.Boolean, "tinyint": types.TinyInt, "smallint": types.SmallInt, "int": types.Int, "bigint": types.BigInt,
		"float": types.Float, "double": types.Double, "string": types.String, "binary": types.Binary, "date": types.Date,
		"timestamp": types.Timestamp, "timestamp_ntz": types.TimestampNTZ, "void": types.Void, "variant": types.Variant,
	}
	name := p.word(" ,<>(")
	switch name {
	case "decimal":
		var precision, scale int
		if _, err := fmt.Sscanf(p.s, "(%d,%d)", &precision, &scale); err != nil {
			p.t.Fatal(err)
		}
		p.s = p.s[strings.IndexByte(p.s, ')')+1:]
		return types.DecimalOf(precision, scale)
	case "array":
		p.s = p.s[1:]
		elem := p.typ()
		p.s = p.s[1:]
		return types.ArrayOf(elem)
	case "map":
		p.s = p.s[1:]
		key := p.typ()
		p.s = strings.TrimLeft(p.s, ",")
		value := p.typ()
		p.s = p.s[1:]
		return types.MapOf(key, value)
	case "struct":
		p.s = p.s[1:]
		return types.StructOf(p.fields(':', ">")...)
	case "interval":
		p.word(",")
		return types.Type{Kind: types.DayTimeInterval, Precision: types.FieldDay, Scale: types.FieldDay}
	}
	k, ok := simple[name]
	if !ok {
		p.t.Fatalf("type %q", name)
	}
	return types.Of(k)
}
