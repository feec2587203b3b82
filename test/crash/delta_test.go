package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

// deltaStatements are the statements of a Delta table and what the table holds after each; %s is the number of the trial, for tables
// that are made.
var deltaStatements = []struct {
	name, sql, read string
	// again is the statement that ends the work when it is run again on what a dead process left after its commit; "" is the
	// statement itself.
	again  string
	before []string // nil is no table
	after  []string
	// once tells that a second run after one that was committed changes nothing more.
	once bool
}{
	{name: "INSERT", sql: "INSERT INTO t VALUES (3, 'b')", read: "SELECT v FROM t", before: []string{"1", "2"}, after: []string{"1", "2", "3"}},
	{name: "INSERT OVERWRITE", sql: "INSERT OVERWRITE t VALUES (4, 'a'), (5, 'c')", read: "SELECT v FROM t", before: []string{"1", "2"}, after: []string{"4", "5"}, once: true},
	{name: "DELETE", sql: "DELETE FROM t WHERE v = 1", read: "SELECT v FROM t", before: []string{"1", "2"}, after: []string{"2"}, once: true},
	{name: "MERGE", sql: "MERGE INTO t USING (VALUES (2, 'z'), (6, 'a')) AS s(v, p) ON t.v = s.v WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.v = 6 THEN INSERT *", read: "SELECT v FROM t", before: []string{"1", "2"}, after: []string{"1", "6"}},
	{name: "CREATE", sql: "CREATE TABLE made (v INT, p STRING) USING delta LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{}, once: true},
	{name: "CREATE managed", sql: "CREATE OR REPLACE TABLE made (v INT, p STRING) USING delta", read: "SELECT v FROM made", after: []string{}, once: true},
	{name: "CTAS", sql: "CREATE TABLE made USING delta PARTITIONED BY (p) LOCATION '{dir}/made' AS SELECT * FROM t", again: "CREATE TABLE made USING delta LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{"1", "2"}, once: true},
	{name: "REPLACE AS", sql: "CREATE OR REPLACE TABLE made USING delta LOCATION '{dir}/made' AS SELECT * FROM t", read: "SELECT v FROM made", after: []string{"1", "2"}, once: true},
	{name: "SHALLOW CLONE", sql: "CREATE OR REPLACE TABLE made SHALLOW CLONE t LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{"1", "2"}, once: true},
	{name: "DEEP CLONE", sql: "CREATE OR REPLACE TABLE made DEEP CLONE t LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{"1", "2"}, once: true},
}

// deltaPoints are the points of a Delta table's commits, in their order.
var deltaPoints = []string{"delta-staging", "delta-file-published", "delta-published", "delta-commit", "delta-committed", "delta-checkpoint", "delta-hint", "delta-entry"}

// TestDelta kills a process at each point of each statement of a Delta table: the table is as before or as after, and the statement
// run again ends as it should.
func TestDelta(t *testing.T) {
	passed := map[string]int{}
	for _, s := range deltaStatements {
		for _, point := range deltaPoints {
			d := &deltaTrial{t: t, dir: t.TempDir(), what: s.name + " at " + point}
			d.home = filepath.Join(d.dir, "home")
			d.run("", "CREATE TABLE t (v INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '"+d.dir+"/t' TBLPROPERTIES ('delta.checkpointInterval'='2')")
			d.run("", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
			sql := strings.ReplaceAll(s.sql, "{dir}", d.dir)
			killed, answered := d.run(point, sql)
			if killed {
				passed[point]++
			}
			got := d.read(s.read)
			committed := equalRows(got, s.after)
			if !committed && (answered || !equalRows(got, s.before)) {
				t.Errorf("%s: the table holds %q (nil: %v), before were %q, after are %q", d.what, got, got == nil, s.before, s.after)
				continue
			}
			if !killed {
				continue
			}
			if !committed || s.once && s.before != nil {
				again := sql
				if s.again != "" && logOf(d.dir) {
					again = strings.ReplaceAll(s.again, "{dir}", d.dir)
				}
				if _, ok := d.run("", again); !ok {
					t.Errorf("%s: %s fails when it is run again: %s", d.what, again, d.last)
				}
				if got := d.read(s.read); !equalRows(got, s.after) {
					t.Errorf("%s: run again, the table holds %q, not %q", d.what, got, s.after)
				}
			}
		}
	}
	for _, point := range deltaPoints {
		if passed[point] == 0 {
			t.Errorf("no statement passes the point %s", point)
		}
	}
	t.Logf("killed at %v", passed)
}

// logOf reports whether the table that a trial makes has its first commit.
func logOf(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "made", "_delta_log", "00000000000000000000.json"))
	return err == nil
}

func equalRows(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// deltaTrial is a home directory with one Delta table.
type deltaTrial struct {
	t               *testing.T
	dir, home, what string
	last            string // what the last process printed
}

// run runs one statement in a process of its own, which dies at a point.
func (d *deltaTrial) run(point, sql string) (killed, ok bool) {
	d.t.Helper()
	r := &rig{t: d.t, workload: &workload{home: d.home}, what: d.what}
	c := cut{}
	if point != "" {
		c = cut{point: point, n: 1}
	}
	e := r.spawn(c, "sql", "--home", d.home, "--format", "json", "-e", sql)
	d.last = e.out
	ok = e.answer != nil && e.answer.Error == nil
	if point == "" && !ok && strings.HasPrefix(sql, "INSERT") {
		d.t.Fatalf("%s: %s\n%s", d.what, sql, e.out)
	}
	return e.killed, ok
}

// read is what a query answers, sorted; nil when there is no such table.
func (d *deltaTrial) read(sql string) []string {
	d.t.Helper()
	r := &rig{t: d.t, workload: &workload{home: d.home}, what: d.what}
	e := r.spawn(cut{}, "sql", "--home", d.home, "--format", "json", "-e", sql)
	var a binary.Answer
	if err := json.Unmarshal([]byte(strings.SplitN(e.out, "\n", 2)[0]), &a); err != nil {
		d.t.Fatalf("%s: %s\n%s", d.what, sql, e.out)
	}
	if a.Error != nil {
		if a.Error.Class == "TABLE_OR_VIEW_NOT_FOUND" {
			return nil
		}
		d.t.Fatalf("%s: %s\n[%s] %s", d.what, sql, a.Error.Class, a.Error.Message)
	}
	out := []string{}
	for _, row := range a.Rows {
		out = append(out, fmt.Sprint(row[0]))
	}
	slices.Sort(out)
	return out
}
