// Package cancel ends statements of the real binary with SIGINT, in every phase that a statement has. How long that takes is not
// judged; that it ends at all is: each statement would go on for minutes or forever.
package cancel

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
)

// statements run far too long. What one does is in its name.
var statements = map[string]string{
	"sort":              "SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY hash(id)) r FROM range(0, 3000000000)) WHERE r % 2 = 0",
	"join":              "SELECT count(*) FROM range(10000000) a JOIN range(10000000) b ON (a.id * b.id) % 7 = 3",
	"aggregate":         "SELECT count(*) FROM (SELECT hash(id) h, max(id) FROM range(0, 200000000000) GROUP BY 1)",
	"window":            "SELECT max(s) FROM (SELECT percentile(id, 0.3) OVER (ORDER BY id ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) s FROM range(0, 100000000))",
	"set operation":     "SELECT count(*) FROM (SELECT id FROM range(0, 100000000000) EXCEPT SELECT id FROM range(5, 100000000000))",
	"recursion":         "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 2000000000) SELECT count(*) FROM t",
	"sub-query":         "SELECT count(*) FROM range(1000000) a WHERE (SELECT count(*) FROM range(100000000) b WHERE b.id * a.id % 3 = 1) > 3",
	"rows":              "SELECT * FROM range(0, 1000000000000)",
	"function in Go":    "SELECT count(*) FROM range(0, 100000000000) WHERE regexp_replace(cast(id AS STRING), '(?<=1)2', 'x') = 'q'",
	"one call in Go":    "SELECT max(levenshtein(repeat(cast(id AS STRING), 4000000), repeat('7', 4000000))) FROM range(5)",
	"constant":          "SELECT levenshtein(repeat('ab', 4000000), repeat('ba', 4000000))",
	"lambda":            "SELECT max(aggregate(sequence(1, 1000), 0L, (a, x) -> a + x * id)) FROM range(0, 1000000000)",
	"lambda of one row": "SELECT aggregate(sequence(1, 5000), 0L, (a, x) -> a + size(filter(sequence(1, 100000), y -> y % (x + 1) = 0)))",
	"comparator":        "SELECT array_sort(transform(sequence(1, 200000), x -> hash(x)), (a, b) -> CASE WHEN a < b THEN -1 WHEN a > b THEN 1 ELSE 0 END)[0]",
	"generator":         "SELECT count(*) FROM range(1000000) LATERAL VIEW explode(sequence(1, 100000)) t AS e WHERE hash(e) = 3",
	"text":              "SELECT max(length(to_json(array_repeat(id, 1000)))) FROM range(0, 1000000000)",
	"SET VARIABLE":      "DECLARE v BIGINT; SET VARIABLE v = (SELECT count(*) FROM range(10000000) a JOIN range(10000000) b ON (a.id * b.id) % 7 = 3)",
	"CACHE TABLE":       "CACHE TABLE c AS SELECT hash(id) FROM range(0, 1000000000000)",
	"EXECUTE IMMEDIATE": "EXECUTE IMMEDIATE 'SELECT count(*) FROM range(10000000) a JOIN range(10000000) b ON (a.id * b.id) % 7 = 3'",
	"write of Parquet":  "INSERT OVERWRITE t SELECT id, id % 3 FROM range(0, 1000000000000)",
	"write of CSV":      "INSERT OVERWRITE c SELECT id, id % 3 FROM range(0, 1000000000000)",
	"CREATE TABLE AS":   "CREATE TABLE n USING json AS SELECT id FROM range(0, 1000000000000)",
	"write, one value":  "INSERT INTO t SELECT levenshtein(repeat(cast(id AS STRING), 4000000), repeat('7', 4000000)), 1 FROM range(5)",
	"patterns":          "SELECT count(*) FROM range(10000000) a JOIN range(10000000) b ON a.id::STRING LIKE '%' || b.id::STRING || '%x'",
}

// process is one run of tarn sql that has begun the last statement of a script.
type process struct {
	cmd    *exec.Cmd
	pipe   io.Closer
	out    *bufio.Reader
	errs   bytes.Buffer
	killed *time.Timer
}

// begin starts the statements of a script, and waits until those before the last have answered.
func begin(t *testing.T, home, script string, args ...string) *process {
	t.Helper()
	p := &process{}
	file := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte("SELECT 'begun';\n"+script), 0o600); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(binary.Path(t), append([]string{"sql", "--home", home, "--format", "csv", "--memory", "1GB", "-f", file}, args...)...)
	p.cmd.Stderr = &p.errs
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.pipe, p.out = out, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.killed = time.AfterFunc(2*time.Minute, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() { p.killed.Stop() })
	for range 2 { // a header and a row
		if _, err := p.out.ReadString('\n'); err != nil {
			t.Fatalf("it printed nothing: %v, %s", err, p.errs.String())
		}
	}
	return p
}

// interrupted sends SIGINT and wants the statement to have been canceled. What it still prints is thrown away.
func (p *process) interrupted(t *testing.T) {
	t.Helper()
	p.interrupt(t)
	_, _ = io.Copy(io.Discard, p.out)
	p.ended(t)
}

func (p *process) interrupt(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

func (p *process) ended(t *testing.T) {
	t.Helper()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v, not with status 130; stderr: %s", err, p.errs.String())
	}
}

// a moment is how long a statement runs before it is canceled, so that it is in the midst of it.
const moment = 300 * time.Millisecond

func TestInterrupt(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	const setup = "CREATE TABLE t (a BIGINT, k BIGINT) USING parquet PARTITIONED BY (k); INSERT INTO t VALUES (1, 1); " +
		"CREATE TABLE c (a BIGINT, k BIGINT) USING csv PARTITIONED BY (k) LOCATION '%s'; INSERT INTO c VALUES (1, 1)"
	prepared := begin(t, home, fmt.Sprintf(setup, filepath.Join(filepath.Dir(home), "c")))
	_, _ = io.Copy(io.Discard, prepared.out)
	if err := prepared.cmd.Wait(); err != nil {
		t.Fatal(err, prepared.errs.String())
	}
	for name, sql := range statements {
		t.Run(name, func(t *testing.T) {
			const limits = "SET spark.sql.cteRecursionLevelLimit = -1; SET spark.sql.cteRecursionRowLimit = -1; "
			p := begin(t, home, limits+sql)
			time.Sleep(moment)
			p.interrupted(t)
			if !strings.Contains(p.errs.String(), "[OPERATION_CANCELED]") {
				t.Errorf("stderr says %q", p.errs.String())
			}
		})
	}
	t.Run("long text", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("SELECT 0")
		for i := range 800_000 {
			fmt.Fprintf(&b, ", (id + %d) * 2 AS c%d", i, i)
		}
		b.WriteString(" FROM range(3)")
		p := begin(t, home, b.String())
		time.Sleep(3 * moment)
		p.interrupt(t)
		_, _ = io.Copy(io.Discard, p.out)
		// While the text is still being read there is no statement yet, and the signal ends the process.
		var exit *exec.ExitError
		if err := p.cmd.Wait(); !errors.As(err, &exit) {
			t.Errorf("it ended with %v", err)
		} else if exit.Exited() && !strings.Contains(p.errs.String(), "[OPERATION_CANCELED]") {
			t.Errorf("stderr says %.200q", p.errs.String())
		}
	})

	// What the canceled writes were to change is as it was, and nothing of them is left.
	after := exec.Command(binary.Path(t), "sql", "--home", home, "--format", "csv", "-e", "SELECT count(*), sum(a) FROM t", "-e", "SELECT count(*), sum(a) FROM c", "-e", "SHOW TABLES LIKE 'n'")
	out, err := after.Output()
	if want := "count(1),sum(a)\n1,1\ncount(1),sum(a)\n1,1\n"; err != nil || !strings.HasPrefix(string(out), want) || strings.Contains(string(out), ",n,") {
		t.Errorf("after it: %s, %v", out, err)
	}
	for _, dir := range []string{home, filepath.Join(filepath.Dir(home), "c")} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.Contains(filepath.Base(path), "_wip") || d != nil && d.Name() == "wip" {
				t.Errorf("%s is left", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestInterruptWhileNobodyReads cancels a statement that waits for the reader of a pipe.
func TestInterruptWhileNobodyReads(t *testing.T) {
	for _, format := range []string{"csv", "tsv", "json", "table"} {
		cmd := exec.Command(binary.Path(t), "sql", "--home", t.TempDir(), "--format", format, "-e", "SELECT * FROM range(0, 1000000000000)")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
		if _, err := r.Read(make([]byte, 10)); err != nil { // it prints
			t.Error(err)
		}
		time.Sleep(moment)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%s: it ended with %v, not with status 130", format, err)
		}
		timer.Stop()
	}
}

// TestClosedPipe lets the reader go: the statement ends by itself, and says nothing of its own.
func TestClosedPipe(t *testing.T) {
	p := begin(t, t.TempDir(), "SELECT * FROM range(0, 1000000000000)")
	p.pipe.Close()
	if err := p.cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	if strings.Contains(p.errs.String(), "INTERNAL") {
		t.Error(p.errs.String())
	}
}

// TestProgressIsForTerminals runs a statement for longer than the line takes to appear.
func TestProgressIsForTerminals(t *testing.T) {
	p := begin(t, t.TempDir(), statements["join"])
	time.Sleep(1200 * time.Millisecond)
	p.interrupted(t)
	if text := p.errs.String(); strings.ContainsAny(text, "\r\x1b") || strings.Contains(text, "running") {
		t.Errorf("stderr is no terminal and got %q", text)
	}
}
