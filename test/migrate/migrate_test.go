// Package migrate runs tarn migrate over a legacy catalog of everything that one may hold, and checks what it says against what
// is there.
package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

// lake is a home and a directory of files.
type lake struct {
	t    *testing.T
	home string
	dir  string
	// later is done when all tables are there.
	later []func()
	// shell asks about what is there.
	shell *binary.Shell
}

func newLake(t *testing.T) *lake {
	t.Helper()
	l := &lake{t: t, home: t.TempDir(), dir: t.TempDir()}
	l.file(filepath.Join(l.home, "tarn.toml"), "[mounts]\n\"/mnt/lake\" = \"file:"+l.dir+"\"\n")
	return l
}

func (l *lake) file(path, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// run runs the binary and returns its standard output and exit status.
func (l *lake) run(env string, args ...string) (string, int) {
	l.t.Helper()
	cmd := exec.Command(binary.Path(l.t), append(args, "--home", l.home)...)
	cmd.Env = append(os.Environ(), env)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	if status := cmd.ProcessState.ExitCode(); status == 0 || status == 1 || status == -1 {
		return out.String(), status
	}
	l.t.Fatalf("tarn %v: %v\n%s", args, err, errs.String())
	return "", 0
}

func (l *lake) sql(text string) {
	l.t.Helper()
	path := filepath.Join(l.dir, "setup.sql")
	l.file(path, text)
	cmd := exec.Command(binary.Path(l.t), "sql", "--home", l.home, "-f", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%v\n%s", err, out)
	}
}

// rows are the rows of one query; a failed query gives none.
func (l *lake) rows(query string) [][]any {
	l.t.Helper()
	if l.shell == nil {
		l.shell = binary.Start(l.t, l.home)
	}
	a := l.shell.SQL(query)
	switch {
	case a.Error == nil:
		return a.Rows
	case a.Error.Class == "ENGINE_DIED" || a.Error.Class == "NOT_JSON" || a.Error.Class == "INTERNAL_ERROR":
		l.t.Fatalf("%s: %s", query, a.Error.Message)
	}
	return nil
}

func (l *lake) count(name string) any {
	l.t.Helper()
	r := l.rows("SELECT count(*) FROM " + name)
	if r == nil {
		return nil
	}
	return r[0][0]
}

// outcome is a row of the report.
type outcome struct {
	source, target, category, way, status string
	files, before, after                  any
	detail                                string
}

func (l *lake) migrate(env string, args ...string) ([]outcome, int) {
	l.t.Helper()
	out, status := l.run(env, append([]string{"migrate", "hive_metastore", "--to", "main", "--format", "json"}, args...)...)
	if status == -1 {
		return nil, status
	}
	var report struct{ Rows [][]any }
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	if err := d.Decode(&report); err != nil {
		l.t.Fatalf("%v: %s", err, out)
	}
	var rows []outcome
	for _, r := range report.Rows {
		rows = append(rows, outcome{
			source: r[0].(string), target: r[1].(string), category: r[2].(string), way: r[3].(string), status: r[4].(string),
			files: r[5], before: r[7], after: r[8], detail: r[9].(string),
		})
	}
	return rows, status
}

// want is what must come of one thing.
type want struct {
	category, way, status string
	rows                  any // nil when nobody can count them
}

// kinds make one table each, number n of schema s, and say what must come of it.
var kinds = []func(l *lake, s string, n int) (sql string, w want){
	func(_ *lake, s string, n int) (string, want) { // registered partitions
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING parquet PARTITIONED BY (p) LOCATION '/mnt/lake/%[2]s/e%[3]d'; INSERT INTO %[1]s VALUES (1, 1), (2, 2), (3, 2);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", 3}
	},
	func(_ *lake, s string, n int) (string, want) { // no partitions
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT) USING csv OPTIONS (header 'true') LOCATION 'dbfs:/mnt/lake/%[2]s/c%[3]d'; INSERT INTO %[1]s VALUES (1), (2);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", 2}
	},
	func(l *lake, s string, n int) (string, want) { // fewer registered than there are
		l.file(fmt.Sprintf("%s/%s/j%d/p=9/x.json", l.dir, s, n), `{"a": 9}`)
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING json PARTITIONED BY (p) LOCATION '/mnt/lake/%[2]s/j%[3]d'; INSERT INTO %[1]s VALUES (1, 1);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", 1}
	},
	func(_ *lake, s string, n int) (string, want) { // managed
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT COMMENT 'it''s', p STRING) USING parquet PARTITIONED BY (p); INSERT INTO %[1]s VALUES (1, 'x'), (2, NULL);", table(s, n)),
			want{"DBFS_ROOT_NON_DELTA", "CTAS", "MIGRATED", 2}
	},
	func(_ *lake, s string, n int) (string, want) { // in the DBFS root
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT) USING json LOCATION 'dbfs:/%[2]s/r%[3]d'; INSERT INTO %[1]s VALUES (1);", table(s, n), s, n),
			want{"DBFS_ROOT_NON_DELTA", "CTAS", "MIGRATED", 1}
	},
	func(l *lake, s string, n int) (string, want) { // a partition outside the table
		l.file(fmt.Sprintf("%s/%s/outside%d/x.json", l.dir, s, n), "{\"a\": 9}\n{\"a\": 8}\n")
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING json PARTITIONED BY (p) LOCATION '/mnt/lake/%[2]s/i%[3]d'; ALTER TABLE %[1]s ADD PARTITION (p = 1) LOCATION '/mnt/lake/%[2]s/outside%[3]d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "CTAS", "MIGRATED", 2}
	},
	func(_ *lake, s string, n int) (string, want) { // files that the catalog names
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING parquet PARTITIONED BY (p) LOCATION '/mnt/lake/%[2]s/n%[3]d' TBLPROPERTIES ('tarn.readers' = 'location'); INSERT OVERWRITE %[1]s VALUES (1, 1);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "CTAS", "MIGRATED", 1}
	},
	func(_ *lake, s string, n int) (string, want) { // a store that is not taken
		return fmt.Sprintf("CREATE TABLE %s (a INT, p INT) USING parquet PARTITIONED BY (p) LOCATION 'wasb://c@a.blob.core.windows.net/%d';", table(s, n), n),
			want{"EXTERNAL_SYNC", "NONE", "FAILED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // a format that is kept, not read
		return fmt.Sprintf("CREATE TABLE %s (a INT, p INT) USING orc PARTITIONED BY (p) LOCATION '/mnt/lake/%s/o%d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // a format that is not read, and would have to be copied
		return fmt.Sprintf("CREATE TABLE %s (a INT, p INT) USING orc PARTITIONED BY (p);", table(s, n)),
			want{"DBFS_ROOT_NON_DELTA", "CTAS", "FAILED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // samples
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING json LOCATION 'dbfs:/databricks-datasets/%s/%d';", table(s, n), s, n),
			want{"DB_DATASET", "NONE", "SKIPPED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // buckets
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING parquet CLUSTERED BY (a) INTO 2 BUCKETS LOCATION '/mnt/lake/%s/b%d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "CTAS", "MIGRATED", 0}
	},
	func(_ *lake, s string, n int) (string, want) { // a mount that is not there
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING parquet LOCATION 'dbfs:/mnt/gone/%s/%d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "NONE", "FAILED", nil}
	},
	func(l *lake, s string, n int) (string, want) { // a place that another table has
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT) USING csv LOCATION '/mnt/lake/%[2]s/twice%[3]d'; CREATE TABLE %[1]s_again (a INT) USING csv LOCATION '/mnt/lake/%[2]s/twice%[3]d'; INSERT INTO %[1]s VALUES (1);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", 1}
	},
	func(l *lake, s string, n int) (string, want) { // broken files stay as they are
		l.file(fmt.Sprintf("%s/%s/broken%d/x.parquet", l.dir, s, n), "this is no Parquet file")
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING parquet LOCATION '/mnt/lake/%s/broken%d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", nil}
	},
	func(l *lake, s string, n int) (string, want) { // broken files cannot be copied
		l.file(fmt.Sprintf("%s/dbfs/%s/bad%d/x.parquet", l.home, s, n), "this is no Parquet file")
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING parquet LOCATION 'dbfs:/%s/bad%d';", table(s, n), s, n),
			want{"DBFS_ROOT_NON_DELTA", "CTAS", "FAILED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // Delta where it may stay
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING delta PARTITIONED BY (p) LOCATION '/mnt/lake/%[2]s/d%[3]d'; INSERT INTO %[1]s VALUES (1, 1), (2, 2);", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "MIGRATED", 2}
	},
	func(_ *lake, s string, n int) (string, want) { // managed Delta
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT, p INT) USING delta PARTITIONED BY (p); INSERT INTO %[1]s VALUES (1, 1), (2, 2), (3, 3); DELETE FROM %[1]s WHERE a = 3;", table(s, n)),
			want{"DBFS_ROOT_DELTA", "DEEP CLONE", "MIGRATED", 2}
	},
	func(_ *lake, s string, n int) (string, want) { // Delta in the DBFS root
		return fmt.Sprintf("CREATE TABLE %[1]s (a INT) USING delta LOCATION 'dbfs:/%[2]s/delta%[3]d'; INSERT INTO %[1]s VALUES (1);", table(s, n), s, n),
			want{"DBFS_ROOT_DELTA", "DEEP CLONE", "MIGRATED", 1}
	},
	func(l *lake, s string, n int) (string, want) { // a Delta log that nobody can read
		l.file(fmt.Sprintf("%s/%s/torn%d/_delta_log/00000000000000000000.json", l.dir, s, n), `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}
`)
		l.later = append(l.later, func() {
			l.file(fmt.Sprintf("%s/%s/torn%d/_delta_log/00000000000000000001.json", l.dir, s, n), "this is no commit\n")
		})
		return fmt.Sprintf("CREATE TABLE %s USING delta LOCATION '/mnt/lake/%s/torn%d';", table(s, n), s, n),
			want{"EXTERNAL_SYNC", "SYNC", "FAILED", nil}
	},
	func(_ *lake, s string, n int) (string, want) { // kept on purpose
		return fmt.Sprintf("CREATE TABLE %s (a INT) USING parquet TBLPROPERTIES ('databricks.labs.ucx.skip' = 'true');", table(s, n)),
			want{"DBFS_ROOT_NON_DELTA", "NONE", "SKIPPED", nil}
	},
}

func table(s string, n int) string { return fmt.Sprintf("hive_metastore.%s.t%03d", s, n) }

// fill makes n tables over several schemas and what goes with them, and says what must come of each by its name.
func (l *lake) fill(n int) map[string]want {
	l.t.Helper()
	wants := map[string]want{}
	sql := &strings.Builder{}
	schemas := []string{"alpha", "beta", "gamma"}
	sql.WriteString("CREATE SCHEMA hive_metastore.mounted_lake;\nCREATE TABLE hive_metastore.mounted_lake.t (a INT) USING delta LOCATION '/mnt/lake/found';\nINSERT INTO hive_metastore.mounted_lake.t VALUES (1);\n")
	wants["hive_metastore.mounted_lake.t"] = want{"TABLE_IN_MOUNT", "SYNC", "MIGRATED", 1}
	for _, s := range schemas {
		fmt.Fprintf(sql, "CREATE SCHEMA hive_metastore.%s;\n", s)
	}
	for i := range n {
		s := schemas[i/len(kinds)%len(schemas)]
		text, w := kinds[i%len(kinds)](l, s, i)
		sql.WriteString(text + "\n")
		wants[table(s, i)] = w
		if strings.Contains(text, "_again") {
			wants[table(s, i)+"_again"] = want{"EXTERNAL_SYNC", "SYNC", "FAILED", nil}
		}
	}
	view := func(name, text string, w want) {
		fmt.Fprintf(sql, "CREATE VIEW hive_metastore.alpha.%s AS %s\n;\n", name, text)
		wants["hive_metastore.alpha."+name] = w
	}
	ok := func(rows any) want { return want{"VIEW", "CREATE VIEW", "MIGRATED", rows} }
	failed := want{"VIEW", "CREATE VIEW", "FAILED", nil}
	sql.WriteString("USE hive_metastore.alpha;\nCREATE FUNCTION twice(x INT) RETURNS INT RETURN x * 2;\n")
	wants["hive_metastore.alpha.twice"] = want{"FUNCTION", "CREATE FUNCTION", "MIGRATED", nil}
	view("z_first", "SELECT a, twice(p) AS p2 FROM t000", ok(3))
	view("a_second", "SELECT z.*, alpha.z_first.a AS b FROM z_first AS z JOIN alpha.z_first ON z.a = alpha.z_first.a", ok(3))
	view("with_names", "WITH t003 AS (SELECT a FROM spark_catalog.alpha.t003), x AS (SELECT * FROM t003) SELECT (SELECT max(a) FROM t000) AS m, x.a FROM x", ok(2))
	view("constant", "SELECT 't000' AS t, 1 AS a -- FROM t000", ok(1))
	view("of_failed", "SELECT * FROM t007", failed)
	view("of_view_of_failed", "SELECT a FROM of_failed", failed)
	fmt.Fprintf(sql, "CREATE TABLE gone (a INT) USING parquet;\n")
	view("of_gone", "SELECT a FROM gone", failed)
	sql.WriteString("DROP TABLE gone;\n")
	l.sql(sql.String())
	for _, do := range l.later {
		do()
	}
	return wants
}

// check compares a report with what was wanted and with what is there.
func (l *lake) check(rows []outcome, wants map[string]want, again bool) {
	l.t.Helper()
	seen := map[string]bool{}
	for _, r := range rows {
		w, ok := wants[r.source]
		if !ok || seen[r.source] {
			l.t.Errorf("%s is in the report, %t before", r.source, seen[r.source])
			continue
		}
		seen[r.source] = true
		if again && w.status == "MIGRATED" {
			w.status = "UP_TO_DATE"
		}
		if r.category != w.category || r.way != w.way || r.status != w.status {
			l.t.Errorf("%s: %s, %s, %s (%s), want %+v", r.source, r.category, r.way, r.status, r.detail, w)
			continue
		}
		if r.status == "FAILED" || r.status == "SKIPPED" {
			if l.rows("DESCRIBE "+r.target) != nil {
				l.t.Errorf("%s is %s and there", r.target, r.status)
			}
			continue
		}
		if w.category == "FUNCTION" {
			continue
		}
		if before, after := l.count(r.source), l.count(r.target); fmt.Sprint(before) != fmt.Sprint(r.before) || fmt.Sprint(after) != fmt.Sprint(r.after) || fmt.Sprint(after) != fmt.Sprint(w.rows) {
			l.t.Errorf("%s: the report counts %v and %v rows, there are %v and %v, want %v", r.source, r.before, r.after, before, after, w.rows)
		}
		if w.rows != nil && w.category != "VIEW" {
			l.files(r)
		}
	}
	if len(seen) != len(wants) {
		l.t.Errorf("%d things are in the report, want %d", len(seen), len(wants))
	}
}

// files compares the number of files of a target with what EXPLAIN says that its query reads.
func (l *lake) files(r outcome) {
	l.t.Helper()
	text := fmt.Sprint(l.rows("EXPLAIN SELECT * FROM " + r.target))
	if want := regexp.MustCompile(fmt.Sprintf("files: %v[, ]", r.files)); !want.MatchString(text) {
		l.t.Errorf("%s: %q is not in %s", r.target, want, text)
	}
}

// versions tells when each table of every catalog was last changed.
func (l *lake) versions() string {
	l.t.Helper()
	b, err := json.Marshal(l.rows("SELECT table_catalog, table_schema, table_name, last_altered FROM system.information_schema.tables ORDER BY 1, 2, 3"))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(b)
}

func TestEverything(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 2 * len(kinds)
	}
	l := newLake(t)
	wants := l.fill(n)
	before := l.versions()
	rows, status := l.migrate("", "--views", "--dry-run")
	if status != 1 || len(rows) != len(wants) {
		t.Errorf("a dry run ends with %d and has %d rows", status, len(rows))
	}
	if l.versions() != before {
		t.Error("a dry run has changed something")
	}
	rows, status = l.migrate("", "--views")
	if status != 1 {
		t.Errorf("with failures, the status is %d", status)
	}
	l.check(rows, wants, false)
	after := l.versions()
	rows, _ = l.migrate("", "--views")
	l.check(rows, wants, true)
	if l.versions() != after {
		t.Error("a second run has changed something")
	}
	rows, status = l.migrate("", "--exclude", "alpha.*", "--include", "t000", "--include", "beta.t01*")
	for _, r := range rows {
		if !strings.HasPrefix(r.source, "hive_metastore.beta.t01") {
			t.Errorf("%s is in the report", r.source)
		}
	}
	_ = status
}

// TestKilledClones does so with shallow clones, whose logs are where the next run wants to make them.
func TestKilledClones(t *testing.T) {
	for _, at := range []string{"delta-commit:1", "delta-committed:1", "delta-committed:2", "delta-committed:3", "migrate.copied:3"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l := newLake(t)
			l.sql(`CREATE SCHEMA hive_metastore.s;
CREATE TABLE hive_metastore.s.a (a INT) USING delta LOCATION 'dbfs:/a';
CREATE TABLE hive_metastore.s.b (a INT, p INT) USING delta PARTITIONED BY (p);
CREATE TABLE hive_metastore.s.c (a INT) USING delta LOCATION '/mnt/lake/c';
INSERT INTO hive_metastore.s.a VALUES (1);
INSERT INTO hive_metastore.s.b VALUES (1, 1), (2, 2);
INSERT INTO hive_metastore.s.c VALUES (1), (2), (3);
CREATE TABLE hive_metastore.s.d USING parquet AS SELECT 1 AS a;
`)
			wants := map[string]want{
				"hive_metastore.s.a": {"DBFS_ROOT_DELTA", "SHALLOW CLONE", "MIGRATED", 1}, "hive_metastore.s.b": {"DBFS_ROOT_DELTA", "SHALLOW CLONE", "MIGRATED", 2},
				"hive_metastore.s.c": {"EXTERNAL_SYNC", "SYNC", "MIGRATED", 3}, "hive_metastore.s.d": {"DBFS_ROOT_NON_DELTA", "CTAS", "MIGRATED", 1},
			}
			args := []string{"--clone-location", "/mnt/lake/clones"}
			if _, status := l.migrate("TARN_CRASH_AT="+at, args...); status != -1 {
				t.Fatalf("nobody was killed at %s: %d", at, status)
			}
			rows, _ := l.migrate("", args...)
			for i, r := range rows {
				if r.status == "UP_TO_DATE" {
					rows[i].status = "MIGRATED"
				}
			}
			l.check(rows, wants, false)
			rows, _ = l.migrate("", args...)
			l.check(rows, wants, true)
		})
	}
}

// TestKilled ends a migration at each of its points, early and late, and wants the next run to end as if nothing had happened.
func TestKilled(t *testing.T) {
	for _, at := range []string{"sync.before:1", "sync.after:3", "migrate.before:5", "migrate.after:4", "migrate.copied:1", "migrate.copied:3", "migrate.copied:7", "migrate.link:2", "planned:2", "published:3", "flipping:2", "delta-copied:1", "delta-commit:2", "delta-committed:1", "delta-committed:3"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l := newLake(t)
			wants := l.fill(len(kinds))
			if _, status := l.migrate("TARN_CRASH_AT="+at, "--views", "--no-count"); status != -1 {
				t.Fatalf("nobody was killed at %s: %d", at, status)
			}
			rows, _ := l.migrate("", "--views")
			for i, r := range rows {
				if r.status == "UP_TO_DATE" { // the first run has come so far
					rows[i].status = "MIGRATED"
				}
			}
			l.check(rows, wants, false)
			rows, _ = l.migrate("", "--views")
			l.check(rows, wants, true)
		})
	}
}
