package cli

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

func utc() *time.Location { return time.UTC }

// answer prints one answer of two columns in a format.
func answer(t *testing.T, format string, cols []plan.Column, rows [][]types.Value, f *failure) (out, errs string) {
	t.Helper()
	var w, e bytes.Buffer
	o, err := newOutput(format, &w, &e, utc)
	if err != nil {
		t.Fatal(err)
	}
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	b := vector.NewBatch(ts)
	for _, r := range rows {
		b.Append(r)
	}
	warnings := []session.Warning{{Class: "W", Message: "look", Parameters: map[string]string{"a": "b"}}}
	for _, err := range []error{o.begin(cols, time.Now()), o.batch(b), o.end(warnings, f)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return w.String(), e.String()
}

func columns(kinds ...types.Type) []plan.Column {
	var out []plan.Column
	for i, k := range kinds {
		out = append(out, plan.Column{Name: string(rune('a' + i)), Type: k})
	}
	return out
}

func TestJSONValues(t *testing.T) {
	of := types.Of
	for _, c := range []struct {
		name string
		t    types.Type
		v    types.Value
		want string
	}{
		{"bigint keeps its digits", of(types.BigInt), int64(9007199254740993), `9007199254740993`},
		{"null", of(types.Int), nil, `null`},
		{"boolean", of(types.Boolean), true, `true`},
		{"double", of(types.Double), 1.5, `1.5`},
		{"large double", of(types.Double), 1e7, `1.0E7`},
		{"not a number", of(types.Double), math.NaN(), `"NaN"`},
		{"infinity", of(types.Double), math.Inf(-1), `"-Infinity"`},
		{"text with escapes", of(types.String), "a\"b\\c\n\x01é", `"a\"b\\c\n\u0001é"`},
		{"text that is no UTF-8", of(types.String), "a\xffb", "\"a\uFFFDb\""},
		{"decimal is text", types.DecimalOf(10, 2), types.NewDec(-1, 2), `"-0.01"`},
		{"date", of(types.Date), int64(19782), `"2024-02-29"`},
		{"timestamp", of(types.Timestamp), int64(1_700_000_000_250_000), `"2023-11-14 22:13:20.25"`},
		{"binary is hex", of(types.Binary), types.Bytes("\x00\xff"), `"00ff"`},
		{"array", types.ArrayOf(of(types.Int)), []types.Value{int64(1), nil}, `[1,null]`},
		{"struct in field order", types.StructOf(types.Field{Name: "z", Type: of(types.Int)}, types.Field{Name: "a", Type: of(types.String)}), []types.Value{int64(1), "x"}, `{"z":1,"a":"x"}`},
		{"map keyed by text", types.MapOf(of(types.Int), of(types.Double)), []types.MapEntry{{Key: int64(3), Value: 2.0}}, `{"3":2.0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := answer(t, "json", columns(c.t), [][]types.Value{{c.v}}, nil)
			want := `"rows":[[` + c.want + `]],"warnings":[{"class":"W","message":"look","parameters":{"a":"b"}}]}` + "\n"
			if !strings.HasSuffix(out, want) {
				t.Errorf("got %swant …%s", out, want)
			}
		})
	}
}

func TestJSONErrorAfterRows(t *testing.T) {
	f := &failure{err: sqlerr.TableOrViewNotFound("`x`", nil).At(sqlerr.Span{Start: 9, End: 10}), text: "SELECT 1\n x"}
	out, _ := answer(t, "json", columns(types.Of(types.Int)), [][]types.Value{{int64(1)}}, f)
	for _, part := range []string{`"rows":[[1]]`, `"error":{"class":"TABLE_OR_VIEW_NOT_FOUND","sqlState":"42P01"`, `"parameters":{"relationName":"` + "`x`" + `"`, `"position":{"line":2,"column":1,"offset":9}`} {
		if !strings.Contains(out, part) {
			t.Errorf("%s lacks %s", out, part)
		}
	}
}

func TestTextFormatsTellNullFromText(t *testing.T) {
	rows := [][]types.Value{{"a\tb\\\n", nil}, {"", int64(3)}, {`say "x", y`, int64(-1)}}
	cols := columns(types.Of(types.String), types.Of(types.Int))
	tsv, errs := answer(t, "tsv", cols, rows, nil)
	if d := cmp.Diff("a\tb\na\\tb\\\\\\n\tNULL\n\t3\nsay \"x\", y\t-1\n", tsv); d != "" {
		t.Errorf("tsv (-want +got):\n%s", d)
	}
	if errs != "warning [W] look\n" {
		t.Errorf("warnings: %q", errs)
	}
	csv, _ := answer(t, "csv", cols, rows, nil)
	if d := cmp.Diff("a,b\n\"a\tb\\\n\",\n\"\",3\n\"say \"\"x\"\", y\",-1\n", csv); d != "" {
		t.Errorf("csv (-want +got):\n%s", d)
	}
}

func TestTableAlignsByDisplayWidth(t *testing.T) {
	out, _ := answer(t, "table", columns(types.Of(types.String), types.Of(types.Int)), [][]types.Value{{"日本", int64(5)}, {"one\ntwo", nil}, {"bell\a", int64(100)}}, nil)
	want := strings.Join([]string{
		"+-------+------+",
		"| a     |    b |",
		"+-------+------+",
		"| 日本  |    5 |",
		"| one   | NULL |",
		"| two   |      |",
		"| bell␇ |  100 |",
		"+-------+------+",
		"3 rows in ",
	}, "\n")
	if !strings.HasPrefix(out, want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestCaretStandsUnderThePlace(t *testing.T) {
	var w bytes.Buffer
	writeFailure(&w, &failure{err: sqlerr.Unsupported("STATEMENT", "this").At(sqlerr.Span{Start: 17, End: 18}), text: "-- é\nSELECT 日\tx FROM t", origin: origin{line: 6}})
	lines := strings.Split(w.String(), "\n")
	if len(lines) < 3 || !strings.Contains(lines[0], "(line 8, column 10)") || lines[1] != "  SELECT 日 x FROM t" || lines[2] != "            ^" {
		t.Errorf("got\n%s", w.String())
	}
	w.Reset()
	long := strings.Repeat("a", 300) + "X" + strings.Repeat("b", 300)
	writeFailure(&w, &failure{err: sqlerr.Unsupported("STATEMENT", "this").At(sqlerr.Span{Start: 300, End: 301}), text: long})
	lines = strings.Split(w.String(), "\n")
	if caret := strings.IndexByte(lines[2], '^'); len([]rune(lines[1])) > 200 || []rune(lines[1])[caret] != 'X' {
		t.Errorf("a long line is cut around the place:\n%s", w.String())
	}
}

func TestKnownSpecsPassOverWhatToolsPrint(t *testing.T) {
	in := "OK\npartition\n+-------+\n| partition |\n| dt=1/h=2 |\n+-------+\n\"dt=3/h=4\"\n\ndt=5/h=a%2Fb\n"
	got, err := knownSpecs(strings.NewReader(in))
	if d := cmp.Diff([]string{"dt=1/h=2", "dt=3/h=4", "dt=5/h=a%2Fb"}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if _, err := knownSpecs(strings.NewReader("dt=1\nwhat is this\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("want an error that names line 2, got %v", err)
	}
}

func TestMemorySizes(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "4GB": 4e9, "512MiB": 512 << 20, "1.5G": 3 << 29, "2000000": 2e6, "10 kb": 1e4} {
		if got, err := memory(text); err != nil || got != want {
			t.Errorf("memory(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"much", "-1GB", "0", "GB", "1e30GB"} {
		if _, err := memory(bad); err == nil {
			t.Errorf("memory(%q) should fail", bad)
		}
	}
}

func TestLinesAreCountedInPieces(t *testing.T) {
	var l lineCounter
	l.feed([]byte("a\nb"))
	l.feed([]byte("\nc\nd"))
	for _, c := range []struct {
		offset int
		want   origin
	}{{0, origin{0, 0}}, {1, origin{0, 1}}, {2, origin{1, 0}}, {3, origin{1, 1}}, {4, origin{2, 0}}, {7, origin{3, 1}}} {
		if got := l.before(c.offset); got != c.want {
			t.Errorf("before(%d) = %v, want %v", c.offset, got, c.want)
		}
	}
}
