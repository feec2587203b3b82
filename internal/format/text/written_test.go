package text_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	jsonformat "github.com/tarnlake/tarn/internal/format/json"
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
