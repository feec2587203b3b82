// Package cases runs the black-box cases of testdata/*.jsonl through the binary. A case is a script of files and
// statements and the answer that real Spark, or a ruling of Tarn's, gives; README.md has the grammar.
package cases

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/lake"
)

type testCase struct {
	ID, Area, Catalog string
	Needs             []string
	Setup             []string
	PreFail           string `json:"pre_fail"`
	Run               string
	Expect            expectation
	Why, Basis        string
}

type expectation struct {
	Rows        *[][]any
	Ordered     bool
	Subsequence bool
	RowCount    *int `json:"row_count"`
	Error       string
	ErrorAlt    []string `json:"error_alt"`
	SQLState    string
	ErrorLike   string `json:"error_like"`
	Warns       string
	FSExists    []string `json:"fs_exists"`
	FSAbsent    []string `json:"fs_absent"`
}

func TestCases(t *testing.T) {
	binary.Path(t)
	for _, file := range []string{"spark", "field", "parquet", "more", "delta"} {
		f, err := os.Open("testdata/" + file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ran := 0
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			if len(lines.Bytes()) == 0 {
				continue
			}
			var c testCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			ran++
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				run(t, c)
			})
		}
		if ran < 15 && file != "delta" || ran < 7 {
			t.Errorf("%s.jsonl: only %d cases ran", file, ran)
		}
	}
}

func run(t *testing.T, c testCase) {
	root := t.TempDir()
	dir := filepath.Join(root, "d")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	sh := binary.Start(t, filepath.Join(root, "home"))
	if a := sh.SQL("USE " + c.Catalog + ".default"); a.Error != nil {
		t.Fatalf("USE: %+v", a.Error)
	}
	warehouse := ""
	for _, row := range sh.SQL("DESCRIBE SCHEMA default").Rows {
		if k := strings.ToLower(fmt.Sprint(row[0])); k == "location" || k == "rootlocation" {
			warehouse = strings.TrimPrefix(strings.TrimPrefix(fmt.Sprint(row[1]), "file:"), "//")
		}
	}
	sub := strings.NewReplacer("${D}", dir, "${WH}", warehouse, "${CAT}", c.Catalog).Replace
	for _, step := range c.Setup {
		step = sub(step)
		if known, err := lake.Step(step); err != nil {
			t.Fatal(err)
		} else if known {
			continue
		}
		text, try := strings.CutPrefix(step, "TRY ")
		text = strings.TrimPrefix(text, "SQL ")
		if a := sh.SQL(text); a.Error != nil && !try {
			t.Fatalf("setup: %s\n%s: %s", text, a.Error.Class, a.Error.Message)
		}
	}
	if c.PreFail != "" {
		if a := sh.SQL(sub(c.PreFail)); a.Error == nil {
			t.Fatalf("should have failed: %s", c.PreFail)
		}
	}
	a := sh.SQL(sub(c.Run))
	if fault := judge(c.Expect, a, sub); fault != "" {
		t.Errorf("%s\n%s\nbecause: %s", c.Run, fault, c.Why)
	}
}

// judge returns what is wrong with an answer, or "".
func judge(e expectation, a binary.Answer, sub func(string) string) string {
	switch {
	case e.ErrorLike != "":
		if a.Error == nil {
			return fmt.Sprintf("wanted an error like /%s/, got rows %v", e.ErrorLike, a.Rows)
		}
		if a.Error.Class == "ENGINE_DIED" || a.Error.Class == "NOT_JSON" || !matches(sub(e.ErrorLike), a.Error.Class+" "+a.Error.Message) {
			return fmt.Sprintf("the error is not like /%s/: %s: %s", e.ErrorLike, a.Error.Class, a.Error.Message)
		}
	case e.Error != "":
		if a.Error == nil {
			return fmt.Sprintf("wanted %s, got rows %v", e.Error, a.Rows)
		}
		ok := a.Error.Class == e.Error
		for _, alt := range e.ErrorAlt {
			ok = ok || a.Error.Class == alt
		}
		if !ok {
			return fmt.Sprintf("wanted %s, got %s: %s", e.Error, a.Error.Class, a.Error.Message)
		}
		if e.SQLState != "" && a.Error.Class == e.Error && a.Error.SQLState != e.SQLState {
			return fmt.Sprintf("wanted SQLSTATE %s, got %s", e.SQLState, a.Error.SQLState)
		}
	case a.Error != nil:
		return fmt.Sprintf("failed: %s: %s", a.Error.Class, a.Error.Message)
	}
	if e.Rows != nil {
		if fault := compareRows(*e.Rows, a.Rows, e, sub); fault != "" {
			return fault
		}
	}
	if e.RowCount != nil && len(a.Rows) != *e.RowCount {
		return fmt.Sprintf("wanted %d rows, got %d", *e.RowCount, len(a.Rows))
	}
	if e.Warns != "" {
		text, _ := json.Marshal([]any{a.Warnings, a.Rows})
		if !matches(sub(e.Warns), string(text)) {
			return fmt.Sprintf("no warning or row matches /%s/: %s", e.Warns, text)
		}
	}
	for _, p := range e.FSExists {
		if _, err := os.Lstat(sub(p)); err != nil {
			return "missing on disk: " + p
		}
	}
	for _, p := range e.FSAbsent {
		if _, err := os.Lstat(sub(p)); err == nil {
			return "still on disk: " + p
		}
	}
	return ""
}

func compareRows(want, got [][]any, e expectation, sub func(string) string) string {
	same := func(w, g []any) bool {
		if len(w) != len(g) {
			return false
		}
		for i := range w {
			if !equal(w[i], g[i], sub) {
				return false
			}
		}
		return true
	}
	wrong := fmt.Sprintf("wanted %v, got %v", want, got)
	switch {
	case e.Subsequence:
		i := 0
		for _, w := range want {
			for i < len(got) && !same(w, got[i]) {
				i++
			}
			if i == len(got) {
				return fmt.Sprintf("row missing or out of order: %v; got %v", w, got)
			}
			i++
		}
	case len(want) != len(got):
		return wrong
	case e.Ordered:
		for i := range want {
			if !same(want[i], got[i]) {
				return wrong
			}
		}
	default:
		left := append([][]any(nil), got...)
	next:
		for _, w := range want {
			for i, g := range left {
				if same(w, g) {
					left = append(left[:i], left[i+1:]...)
					continue next
				}
			}
			return wrong
		}
	}
	return ""
}

func equal(want, got any, sub func(string) string) bool {
	if s, ok := want.(string); ok {
		s = sub(s)
		if s == "<any>" {
			return true
		}
		if re, ok := strings.CutPrefix(s, "<re:"); ok {
			return matches("(?s)"+strings.TrimSuffix(re, ">"), text(got))
		}
		want = s
	}
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	if b, ok := want.(bool); ok {
		return strconv.FormatBool(b) == strings.ToLower(text(got))
	}
	if w, ok := want.([]any); ok {
		g, ok := got.([]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for i := range w {
			if !equal(w[i], g[i], sub) {
				return false
			}
		}
		return true
	}
	_, numeric := want.(float64)
	if _, ok := got.(json.Number); ok || numeric {
		a, err1 := strconv.ParseFloat(text(want), 64)
		b, err2 := strconv.ParseFloat(text(got), 64)
		return err1 == nil && err2 == nil && a == b
	}
	return text(want) == text(got)
}

func text(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func matches(pattern, s string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && re.MatchString(s)
}
