package text_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	jsonformat "github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

var writers = map[string]format.Writer{"csv": csv.Writer{}, "json": jsonformat.Writer{}}

// written is one line of testdata/written.jsonl: rows and the bytes that real Spark 4.3 made of them. test/interop/written.py
// records it.
type written struct {
	Format  string            `json:"format"`
	Options map[string]string `json:"opts"`
	Zone    string            `json:"zone"`
	Columns [][2]string       `json:"columns"`
	Rows    [][]*string       `json:"rows"`
	Content string            `json:"content"` // one rune a byte
}

// intervals are the types that parseSchema does not read.
var intervals = map[string]types.Type{
	"interval year to month": types.IntervalOf(types.FieldYear, types.FieldMonth),
	"interval day to second": types.IntervalOf(types.FieldDay, types.FieldSecond),
	"interval hour":          types.IntervalOf(types.FieldHour, types.FieldHour),
}

func encodeAll(t testing.TB, e format.Encoder, ts []types.Type, rows [][]types.Value) string {
	t.Helper()
	b := vector.NewBatch(ts)
	for _, row := range rows {
		b.Append(row)
	}
	out := append([]byte(nil), e.Head()...)
	for i := range rows {
		out = e.Append(out, b, i)
	}
	return string(out)
}

func TestWritesAsSpark(t *testing.T) {
	f, err := os.Open("testdata/written.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	count := 0
	for ; lines.Scan(); count++ {
		var w written
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%s %v %s", w.Format, w.Options, w.Zone), func(t *testing.T) { compareWritten(t, w) })
	}
	if err := lines.Err(); err != nil || count < 40 {
		t.Fatal(count, err)
	}
}

func compareWritten(t *testing.T, w written) {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		t.Fatal(err)
	}
	fields := make([]types.Field, len(w.Columns))
	ts := make([]types.Type, len(w.Columns))
	for i, c := range w.Columns {
		ty, ok := intervals[c[1]]
		if !ok {
			ty = parseSchema(t, "x "+c[1])[0].Type
		}
		fields[i], ts[i] = types.Field{Name: c[0], Type: ty}, ty
	}
	e, err := writers[w.Format].Encoder(fields, w.Options, format.Settings{Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]types.Value, len(w.Rows))
	for r, row := range w.Rows {
		rows[r] = make([]types.Value, len(ts))
		for c, text := range row {
			if text == nil {
				continue
			}
			if rows[r][c], err = types.Cast(*text, types.Of(types.String), ts[c], types.CastOptions{Zone: zone}); err != nil {
				t.Fatalf("%s as %s: %v", *text, ts[c], err)
			}
		}
	}
	want := make([]byte, 0, len(w.Content))
	for _, c := range w.Content {
		want = append(want, byte(c))
	}
	got := encodeAll(t, e, ts, rows)
	if got == string(want) {
		return
	}
	sep := "\n"
	if s := w.Options["lineSep"]; s != "" {
		sep = s
	}
	// A line with a line feed inside quotes counts as two here: enough to show where the difference is.
	g, x := strings.Split(got, sep), strings.Split(string(want), sep)
	shown := 0
	for i := range max(len(g), len(x)) {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(x) {
			b = x[i]
		}
		if a != b && shown < 6 {
			shown++
			t.Errorf("line %d:\n got %q\nwant %q", i+1, a, b)
		}
	}
}

// TestWriterOptions asks for an error where an option cannot be used.
func TestWriterOptions(t *testing.T) {
	str := []types.Field{{Name: "a", Type: types.Of(types.String)}}
	for _, c := range []struct {
		form, name, value, want string
	}{
		{"csv", "compression", "lzo", "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION"},
		{"json", "codec", "bzip2", "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION"},
		{"csv", "lineSep", "", "INVALID_LINE_SEPARATOR.EMPTY"},
		{"csv", "lineSep", "abc", "INVALID_LINE_SEPARATOR.LENGTH"},
		{"json", "lineSep", "", "INVALID_LINE_SEPARATOR.EMPTY"},
		{"csv", "sep", "", "INVALID_DELIMITER_VALUE.EMPTY_STRING"},
		{"csv", "quote", "ab", "OPTION_VALUE_EXCEEDS_ONE_CHARACTER"},
		{"csv", "quoteAll", "maybe", "INVALID_PARAMETER_VALUE"},
		{"csv", "header", "1", "INVALID_PARAMETER_VALUE"},
		{"json", "ignoreNullFields", "no", "INVALID_PARAMETER_VALUE"},
		{"csv", "dateFormat", "YYYY", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"},
		{"json", "timeZone", "Mars", "INVALID_PARAMETER_VALUE"},
		{"csv", "encoding", "klingon", "INVALID_PARAMETER_VALUE.CHARSET"},
		{"csv", "whatever", "x", ""},
	} {
		_, err := writers[c.form].Encoder(str, format.Options{strings.ToUpper(c.name): c.value}, format.Settings{})
		var e *sqlerr.Error
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &e) || string(e.Condition) != c.want):
			t.Errorf("%s %s=%q: %v", c.form, c.name, c.value, err)
		}
	}
}

// TestCompressedPieces reads what several codecs put into one file, one after the other.
func TestCompressedPieces(t *testing.T) {
	for codec, suffix := range map[string]string{"gzip": ".gz", "zstd": ".zst", "none": ""} {
		e, err := writers["csv"].Encoder([]types.Field{{Name: "a", Type: types.Of(types.String)}}, format.Options{"compression": codec}, format.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		for _, piece := range []string{"a\n", "b\n", "c\n"} {
			w, err := e.Compress(&file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		schema := []types.Field{{Name: "a", Type: types.Of(types.String)}}
		r, err := csv.Reader{}.Open(context.Background(), memFile(t, "f.csv"+suffix, file.String()), schema, []int{0}, nil, format.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(t, r, 1)
		if err != nil || len(rows) != 3 || rows[2][0] != "c" {
			t.Errorf("%s: %v %v", codec, rows, err)
		}
	}
}

// FuzzWriteRead reads back what it wrote: any text and number in JSON, and in CSV where every value is quoted.
func FuzzWriteRead(f *testing.F) {
	f.Add("a", "b", int64(0), 1.5, true)
	f.Add("", " \"\\\n", int64(-1), math.Copysign(0, -1), false)
	f.Add("#x,\r\n", "\u2028\x00\x7f\xff", int64(1<<62), 1e-300, true)
	fields := []types.Field{
		{Name: "s", Type: types.Of(types.String)},
		{Name: "ü\"\\", Type: types.Of(types.String)},
		{Name: "n", Type: types.Of(types.BigInt)},
		{Name: "d", Type: types.Of(types.Double)},
		{Name: "b", Type: types.Of(types.Boolean)},
	}
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	quoted := format.Options{
		"quoteAll": "true", "multiLine": "true", "escape": `"`, "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false",
		"emptyValue": "", "nullValue": "\x01NULL", "header": "true",
	}
	f.Fuzz(func(t *testing.T, s, u string, n int64, d float64, b bool) {
		for name, opts := range map[string]format.Options{"json": nil, "csv": quoted} {
			if name == "csv" && strings.ContainsAny(s+u, "\r\x00\x01") {
				continue // readers of CSV take every line end for a line feed
			}
			row := []types.Value{strings.ToValidUTF8(s, "\uFFFD"), strings.ToValidUTF8(u, "\uFFFD"), n, d, b}
			e, err := writers[name].Encoder(fields, opts, format.Settings{Zone: time.UTC})
			if err != nil {
				t.Fatal(err)
			}
			content := encodeAll(t, e, ts, [][]types.Value{row, {nil, nil, nil, nil, nil}, row})
			reader := map[string]format.Reader{"csv": csv.Reader{}, "json": jsonformat.Reader{}}[name]
			r, err := reader.Open(context.Background(), memFile(t, "f."+name, content), fields, []int{0, 1, 2, 3, 4}, opts, format.Settings{Zone: time.UTC})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := readAll(t, r, len(fields))
			if err != nil || len(rows) != 3 {
				t.Fatalf("%s: %q: %v %v", name, content, rows, err)
			}
			for i, got := range rows {
				for c, v := range got {
					want := row[c]
					if i == 1 {
						want = nil
					}
					if x, ok := want.(float64); ok && v != nil && types.CompareFloats(x, v.(float64)) == 0 {
						continue
					}
					if v != want {
						t.Errorf("%s: %q: column %d of row %d is %#v instead of %#v", name, content, c, i, v, want)
					}
				}
			}
		}
	})
}
