package crash

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
)

// The points that a statement of a Delta table passes: while it writes its files, at its commit, at the checkpoint of every second
// version, and before the catalog's entry.
var (
	filePoints       = []string{"delta-staging", "delta-file-published", "delta-published"}
	commitPoints     = []string{"delta-commit", "delta-committed"}
	checkpointPoints = []string{"delta-checkpoint", "delta-hint"}
	entryPoints      = []string{"delta-entry"}
)

func passing(lists ...[]string) []string { return slices.Concat(lists...) }

// deltaStatement is a statement about Delta tables, and what a query answers before and after it. {dir} is the directory of the trial.
type deltaStatement struct {
	name string
	// setup is what is there besides t, a table of two versions in two partitions, and prepare what is done to its files.
	setup   string
	prepare func(d *deltaTrial)
	// conf are settings under which the statement runs.
	conf string
	sql  string
	// read is answered by before or after; nil is no table.
	read          string
	before, after []string
	// again is the statement that ends the work when the dead process had committed; "" is the statement itself, and "none" tells that
	// nothing needs to be done. fails is the condition with which it may say that the work is done.
	again, fails string
	points       []string
	// vacuum is the table whose directory root is looked at in the end.
	vacuum, root string
	// gone are paths that are not there in the end.
	gone []string
}

const rowsOfT = "SELECT v FROM t"

var deltaStatements = []deltaStatement{
	{name: "INSERT", sql: "INSERT INTO t VALUES (3, 'b')", again: "none", after: []string{"1", "2", "3"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "INSERT OVERWRITE", sql: "INSERT OVERWRITE t VALUES (4, 'a'), (5, 'c')", after: []string{"4", "5"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "REPLACE WHERE", sql: "INSERT INTO t REPLACE WHERE p = 'a' SELECT 7, 'a'", after: []string{"2", "7"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "COPY INTO", prepare: func(d *deltaTrial) { d.write("in/a.csv", "8,c\n") }, sql: "COPY INTO t FROM '{dir}/in' FILEFORMAT = CSV", after: []string{"1", "2", "8"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "DELETE of a file", sql: "DELETE FROM t WHERE v = 1", after: []string{"2"}, points: passing(commitPoints, checkpointPoints)},
	{name: "DELETE of rows", setup: "INSERT INTO t VALUES (3, 'a'), (4, 'a')", sql: "DELETE FROM t WHERE v IN (1, 3)", before: []string{"1", "2", "3", "4"}, after: []string{"2", "4"}, points: passing(filePoints, commitPoints)},
	{name: "UPDATE", sql: "UPDATE t SET v = 9 WHERE v = 1", after: []string{"2", "9"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "MERGE", sql: "MERGE INTO t USING (VALUES (2, 'z'), (6, 'a')) AS s(v, p) ON t.v = s.v WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.v = 6 THEN INSERT *", again: "none", after: []string{"1", "6"}, points: passing(filePoints, commitPoints, checkpointPoints)},
	{name: "TRUNCATE", sql: "TRUNCATE TABLE t", after: []string{}, points: passing(commitPoints, checkpointPoints)},
	{name: "RESTORE", sql: "RESTORE TABLE t TO VERSION AS OF 0", after: []string{}, points: passing(commitPoints, checkpointPoints)},
	{name: "OPTIMIZE", setup: "INSERT INTO t VALUES (3, 'a')", sql: "OPTIMIZE t", read: "SELECT count(*) FROM (SELECT DISTINCT input_file_name() FROM t)", before: []string{"3"}, after: []string{"2"}, points: passing(filePoints, commitPoints)},
	{
		name: "ADD COLUMNS", sql: "ALTER TABLE t ADD COLUMNS (w INT)", read: "SHOW COLUMNS IN t", before: []string{"p", "v"}, after: []string{"p", "v", "w"},
		fails: "FIELD_ALREADY_EXISTS", points: passing(commitPoints, checkpointPoints),
	},
	{
		name: "RENAME COLUMN", setup: "ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", sql: "ALTER TABLE t RENAME COLUMN v TO w", read: "SHOW COLUMNS IN t",
		before: []string{"p", "v"}, after: []string{"p", "w"}, fails: "UNRESOLVED_COLUMN.WITH_SUGGESTION", points: commitPoints,
	},
	{name: "SET TBLPROPERTIES", sql: "ALTER TABLE t SET TBLPROPERTIES ('k' = 'new')", read: "SHOW TBLPROPERTIES t ('k')", before: []string{"k"}, after: []string{"k"}, points: passing(commitPoints, checkpointPoints)},
	{
		name: "log cleanup", setup: "ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day', 'delta.deletedFileRetentionDuration' = 'interval 1 day'); INSERT INTO t VALUES (3, 'a')",
		prepare: func(d *deltaTrial) { d.age("t/_delta_log", 3*24*time.Hour) }, sql: "INSERT INTO t VALUES (5, 'a')", again: "none",
		before: []string{"1", "2", "3"}, after: []string{"1", "2", "3", "5"}, points: passing(commitPoints, checkpointPoints, []string{"delta-cleanup"}),
	},
	{
		name: "VACUUM", setup: "INSERT OVERWRITE t VALUES (3, 'a')", prepare: func(d *deltaTrial) { d.litter() },
		conf: "SET spark.databricks.delta.retentionDurationCheck.enabled = false;", sql: "VACUUM t RETAIN 0 HOURS", before: []string{"3"}, after: []string{"3"},
		points: []string{"delta-vacuum", "delta-vacuumed"}, gone: litter,
	},
	{
		name: "CREATE", sql: "CREATE TABLE made (v INT, p STRING) USING delta LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{}, points: passing(commitPoints, entryPoints),
		fails: "TABLE_OR_VIEW_ALREADY_EXISTS", vacuum: "made", root: "made",
	},
	{name: "CREATE managed", sql: "CREATE OR REPLACE TABLE made (v INT, p STRING) USING delta", read: "SELECT v FROM made", after: []string{}, points: passing(commitPoints, entryPoints), vacuum: "made"},
	{
		name: "CTAS", sql: "CREATE TABLE made USING delta PARTITIONED BY (p) LOCATION '{dir}/made' AS SELECT * FROM t", again: "CREATE TABLE IF NOT EXISTS made USING delta LOCATION '{dir}/made'",
		read: "SELECT v FROM made", after: []string{"1", "2"}, points: passing(filePoints, commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "CTAS managed", sql: "CREATE TABLE made USING delta PARTITIONED BY (p) AS SELECT * FROM t", read: "SELECT v FROM made", after: []string{"1", "2"},
		fails: "TABLE_OR_VIEW_ALREADY_EXISTS", points: passing(filePoints, commitPoints, entryPoints), vacuum: "made",
	},
	{
		name: "CTAS managed by name", sql: "CREATE OR REPLACE TABLE hive_metastore.default.made USING delta PARTITIONED BY (p) AS SELECT * FROM t", read: "SELECT v FROM hive_metastore.default.made",
		after: []string{"1", "2"}, points: passing(filePoints, commitPoints, entryPoints), vacuum: "hive_metastore.default.made",
	},
	{
		name: "REPLACE AS", setup: "CREATE TABLE made (o INT) USING delta LOCATION '{dir}/made'", sql: "CREATE OR REPLACE TABLE made USING delta LOCATION '{dir}/made' AS SELECT * FROM t",
		read: "SELECT * EXCEPT (p) FROM (SELECT *, 1 AS p FROM made)", before: []string{}, after: []string{"1", "2"}, points: passing(filePoints, commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "SHALLOW CLONE", sql: "CREATE OR REPLACE TABLE made SHALLOW CLONE t LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{"1", "2"},
		points: passing(commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "SHALLOW CLONE over another", setup: "CREATE TABLE made (v INT) USING delta LOCATION '{dir}/made'; INSERT INTO made VALUES (7)", sql: "CREATE OR REPLACE TABLE made SHALLOW CLONE t LOCATION '{dir}/made'",
		read: "SELECT v FROM made", before: []string{"7"}, after: []string{"1", "2"}, points: passing(commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "DEEP CLONE", sql: "CREATE OR REPLACE TABLE made DEEP CLONE t LOCATION '{dir}/made'", read: "SELECT v FROM made", after: []string{"1", "2"},
		points: passing([]string{"delta-copied"}, commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "DEEP CLONE again", setup: "CREATE TABLE made DEEP CLONE t LOCATION '{dir}/made'; INSERT INTO t VALUES (3, 'c')", sql: "CREATE OR REPLACE TABLE made DEEP CLONE t LOCATION '{dir}/made'",
		read: "SELECT v FROM made", before: []string{"1", "2"}, after: []string{"1", "2", "3"}, points: passing([]string{"delta-copied"}, commitPoints, entryPoints), vacuum: "made", root: "made",
	},
	{
		name: "SYNC", setup: "CREATE TABLE hive_metastore.default.h USING delta LOCATION '{dir}/h' AS SELECT * FROM t", sql: "SYNC TABLE main.default.h FROM hive_metastore.default.h",
		read: "SELECT v FROM main.default.h", after: []string{"1", "2"}, points: []string{"sync.before", "sync.after"}, vacuum: "main.default.h", root: "h",
	},
	{
		name: "DROP", setup: "CREATE TABLE hive_metastore.default.h USING delta AS SELECT * FROM t", sql: "DROP TABLE hive_metastore.default.h", again: "DROP TABLE IF EXISTS hive_metastore.default.h",
		read: "SELECT v FROM hive_metastore.default.h", before: []string{"1", "2"}, after: nil, points: []string{"directory-work"}, gone: []string{"home/warehouse/hive_metastore/default/h"},
	},
}

// TestDelta kills a process at each point that each statement of a Delta table passes: the table is as before or as after, its log has
// no broken file, the statement run again ends as it should, the catalog agrees with the log, and VACUUM leaves the table's files alone.
func TestDelta(t *testing.T) {
	for _, s := range deltaStatements {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, point := range s.points {
				s.trial(t, point)
			}
		})
	}
}

func (s deltaStatement) trial(t *testing.T, point string) {
	d := &deltaTrial{t: t, dir: t.TempDir(), what: s.name + " at " + point}
	d.home = filepath.Join(d.dir, "home")
	if s.read == "" {
		s.read = rowsOfT
		if s.before == nil {
			s.before = []string{"1", "2"}
		}
	}
	if s.vacuum == "" {
		s.vacuum, s.root = "t", "t"
	}
	here := func(sql string) string { return strings.ReplaceAll(sql, "{dir}", d.dir) }
	setup := "CREATE TABLE t (v INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '" + d.dir + "/t' TBLPROPERTIES ('delta.checkpointInterval'='2');" +
		"INSERT INTO t VALUES (1, 'a'), (2, 'b')"
	if s.setup != "" {
		setup += ";" + here(s.setup)
	}
	d.ok(setup)
	if s.prepare != nil {
		s.prepare(d)
	}
	killed, _ := d.run(point, s.conf+here(s.sql))
	if !killed {
		t.Errorf("%s: nobody was killed: %s", d.what, d.last)
		return
	}
	d.whole()
	got := d.read(s.read)
	committed := equalRows(got, s.after)
	if !committed && !equalRows(got, s.before) {
		t.Errorf("%s: the answer is %q (nil: %v), before it was %q, after is %q", d.what, got, got == nil, s.before, s.after)
		return
	}
	again := here(s.sql)
	if committed && s.again == "none" {
		again = "SELECT 1"
	} else if s.again != "none" && s.again != "" && (committed || logOf(d.dir)) {
		again = here(s.again)
	}
	if _, failed := d.run("", s.conf+again); failed != "" && !(failed == s.fails && committed) {
		t.Errorf("%s: %s fails when it is run again: %s", d.what, again, d.last)
	}
	if got := d.read(s.read); !equalRows(got, s.after) {
		t.Errorf("%s: run again, the answer is %q, not %q", d.what, got, s.after)
	}
	if s.after != nil {
		d.mended(s)
	}
	for _, path := range s.gone {
		if _, err := os.Lstat(filepath.Join(d.dir, path)); err == nil {
			t.Errorf("%s: %s is left", d.what, path)
		}
	}
}

// logOf reports whether the table that a trial makes has its first commit.
func logOf(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "made", "_delta_log", "00000000000000000000.json"))
	return err == nil
}

func equalRows(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// deltaTrial is a home directory with Delta tables.
type deltaTrial struct {
	t               *testing.T
	dir, home, what string
	last            string // what the last process printed
}

// run runs statements in a process of its own, which dies at a point, and gives the condition with which the last of them failed.
func (d *deltaTrial) run(point, sql string) (killed bool, failed string) {
	d.t.Helper()
	r := &rig{t: d.t, workload: &workload{home: d.home}, what: d.what}
	c := cut{}
	if point != "" {
		c = cut{point: point, n: 1}
	}
	e := r.spawn(c, "sql", "--home", d.home, "--format", "json", "-e", sql)
	d.last = e.out
	if a := d.answer(); a != nil && a.Error != nil {
		failed = a.Error.Class
	}
	return e.killed, failed
}

// answer is what the last statement of the last process said; nil when it said nothing.
func (d *deltaTrial) answer() *binary.Answer {
	var last *binary.Answer
	for line := range strings.SplitSeq(d.last, "\n") {
		var a binary.Answer
		if json.Unmarshal([]byte(line), &a) == nil {
			last = &a
		}
	}
	return last
}

// ok runs statements that must succeed.
func (d *deltaTrial) ok(sql string) {
	d.t.Helper()
	if killed, failed := d.run("", sql); killed || failed != "" || d.answer() == nil {
		d.t.Fatalf("%s: %s\n%s", d.what, sql, d.last)
	}
}

// read is what a query answers, sorted; nil when there is no such table.
func (d *deltaTrial) read(sql string) []string {
	d.t.Helper()
	d.run("", sql)
	a := d.answer()
	if a == nil {
		d.t.Fatalf("%s: %s\n%s", d.what, sql, d.last)
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

func (d *deltaTrial) write(path, text string) {
	d.t.Helper()
	file := filepath.Join(d.dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.age(path, time.Minute)
}

// age makes files and directories look older.
func (d *deltaTrial) age(path string, by time.Duration) {
	d.t.Helper()
	at := time.Now().Add(-by)
	err := filepath.WalkDir(filepath.Join(d.dir, path), func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at = at.Add(time.Millisecond)
		return os.Chtimes(file, at, at)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// litter is what writes that died have left in t.
var litter = []string{
	"t/p=q/orphan.parquet", "t/p=a/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", "t/_delta_log/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", "t/_tarn_staging/dead/p=a/1.parquet", "t/p=empty",
}

func (d *deltaTrial) litter() {
	d.t.Helper()
	for _, path := range litter {
		if strings.HasSuffix(path, "p=empty") {
			if err := os.Mkdir(filepath.Join(d.dir, path), 0o755); err != nil {
				d.t.Fatal(err)
			}
			continue
		}
		d.write(path, "x")
	}
	d.age("t", 3*24*time.Hour)
}

// whole checks that no log has a file that others would read and that ends early.
func (d *deltaTrial) whole() {
	d.t.Helper()
	err := filepath.WalkDir(d.dir, func(file string, e fs.DirEntry, err error) error {
		name := filepath.Base(file)
		if err != nil || e.IsDir() || filepath.Base(filepath.Dir(file)) != "_delta_log" || strings.HasPrefix(name, ".") {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch filepath.Ext(name) {
		case ".parquet":
			if len(data) < 12 || string(data[:4]) != "PAR1" || string(data[len(data)-4:]) != "PAR1" {
				d.t.Errorf("%s: %s is no whole checkpoint", d.what, file)
			}
		case ".json", ".crc", "":
			for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
				if !json.Valid([]byte(line)) {
					d.t.Errorf("%s: %s is not whole: %q", d.what, file, line)
				}
			}
		default:
			d.t.Errorf("%s: %s is no file of a log", d.what, file)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// mended checks that the catalog says what the log says after the next commit, and that VACUUM removes what the dead process left.
func (d *deltaTrial) mended(s deltaStatement) {
	d.t.Helper()
	d.ok("COMMENT ON TABLE " + s.vacuum + " IS 'next'")
	d.ok("MSCK REPAIR TABLE " + s.vacuum + " SYNC METADATA DRY RUN")
	for _, row := range d.answer().Rows {
		if row[0] != "statistics" {
			d.t.Errorf("%s: the catalog does not agree with the log: %v", d.what, row)
		}
	}
	if s.root == "" {
		return
	}
	root := filepath.Join(d.dir, s.root)
	d.age(s.root, 3*24*time.Hour)
	d.ok("SET spark.databricks.delta.retentionDurationCheck.enabled = false; VACUUM " + s.vacuum + " RETAIN 0 HOURS")
	rows := d.read(s.read)
	if !equalRows(rows, s.after) {
		d.t.Errorf("%s: after VACUUM the answer is %q, not %q", d.what, rows, s.after)
	}
	named := map[string]bool{}
	for _, uri := range d.read("SELECT DISTINCT input_file_name() FROM " + s.vacuum) {
		named[strings.TrimPrefix(strings.TrimPrefix(uri, "file://"), root+"/")] = true
	}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(file, root+"/")
		inLog := strings.HasPrefix(rel, "_delta_log") && !strings.HasPrefix(filepath.Base(rel), ".tarn-")
		if err != nil || inLog || named[rel] {
			return err
		}
		if e.IsDir() {
			if below, err := os.ReadDir(file); err != nil || len(below) > 0 {
				return err
			}
		}
		d.t.Errorf("%s: VACUUM leaves %s", d.what, rel)
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// TestDeltaPoints checks that some statement dies at each point that the packages of Delta tables have.
func TestDeltaPoints(t *testing.T) {
	tried := map[string]bool{}
	for _, s := range deltaStatements {
		for _, p := range s.points {
			tried[p] = true
		}
	}
	named := regexp.MustCompile(`\.(?:point|Reached)\("([^"]+)"\)`)
	for _, dir := range []string{"delta", "exec"} {
		files, err := filepath.Glob(filepath.Join(binary.Root(), "internal", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				if !tried[m[1]] {
					t.Errorf("%s: no statement dies at %s", file, m[1])
				}
			}
		}
	}
}
