package migrate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

// points are the names at which the packages below a migration let a test end the process.
func points(t *testing.T) []string {
	t.Helper()
	call := regexp.MustCompile(`(?:oint|Reached)\("([a-z][a-z. -]*)"\)`)
	var names []string
	for _, pkg := range []string{"migrate", "delta", "exec", "write"} {
		files, err := filepath.Glob(filepath.Join(binary.Root(), "internal", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if regexp.MustCompile(`_test\.go$`).MatchString(f) {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range call.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// passed are the points at which this migration must come by. The others, which belong to statements that replace or remove files, are
// tried as well, in case one begins to.
var passed = []string{
	"begun", "committed", "delta-commit", "delta-committed", "delta-entry", "exchanging", "file published", "flipping", "marked", "migrate.after",
	"migrate.before", "migrate.copied", "migrate.link", "planned", "prepared", "published", "retired", "staged", "staging", "sync.after", "sync.before",
}

// small makes one thing for each way: what a migration passes all of its points with.
func (l *lake) small() map[string]want {
	l.t.Helper()
	l.sql(`CREATE SCHEMA hive_metastore.s;
USE hive_metastore.s;
CREATE TABLE shallow (a INT, p INT) USING delta PARTITIONED BY (p) COMMENT 'what it is';
INSERT INTO shallow VALUES (1, 1), (2, 2);
CREATE TABLE synced (a INT) USING delta LOCATION '/mnt/lake/synced';
INSERT INTO synced VALUES (1), (2), (3);
CREATE TABLE parts (a INT, p INT) USING json PARTITIONED BY (p) LOCATION '/mnt/lake/parts';
INSERT INTO parts VALUES (1, 1);
CREATE TABLE copied (a INT COMMENT 'of a column', p INT COMMENT 'of a partition column') USING parquet PARTITIONED BY (p);
INSERT INTO copied VALUES (1, 1), (2, 2);
CREATE FUNCTION twice(x INT) RETURNS INT RETURN x * 2;
CREATE VIEW v AS SELECT twice(a) AS b FROM copied JOIN synced USING (a);
`)
	ok := func(category, way string, rows any) want { return want{category, way, "MIGRATED", rows} }
	return map[string]want{
		"hive_metastore.s.shallow": ok("DBFS_ROOT_DELTA", "SHALLOW CLONE", 2), "hive_metastore.s.synced": ok("EXTERNAL_SYNC", "SYNC", 3),
		"hive_metastore.s.parts": ok("EXTERNAL_SYNC", "SYNC", 1), "hive_metastore.s.copied": ok("DBFS_ROOT_NON_DELTA", "CTAS", 2),
		"hive_metastore.s.v": ok("VIEW", "CREATE VIEW", 2), "hive_metastore.s.twice": ok("FUNCTION", "CREATE FUNCTION", nil),
	}
}

// ended checks that a migration has come to the end that it has without any trouble: what is there, its comments, and the links.
func (l *lake) ended(wants map[string]want, args []string) {
	l.t.Helper()
	rows, status := l.migrate("", args...)
	for i, r := range rows {
		if r.status == "UP_TO_DATE" { // the first run has come so far
			rows[i].status = "MIGRATED"
		}
	}
	if status != 0 {
		l.t.Errorf("the next run ends with %d", status)
	}
	l.check(rows, wants, false)
	for source, w := range wants {
		if w.category == "FUNCTION" {
			continue
		}
		target := "main" + source[len("hive_metastore"):]
		if got := fmt.Sprint(l.rows("SHOW TBLPROPERTIES " + source + " ('upgraded_to')")); got != "[[upgraded_to "+target+"]]" {
			l.t.Errorf("%s is linked to %s", source, got)
		}
		if got := fmt.Sprint(l.rows("SHOW TBLPROPERTIES " + target + " ('upgraded_from')")); got != "[[upgraded_from "+source+"]]" {
			l.t.Errorf("%s is linked to %s", target, got)
		}
	}
	if got := fmt.Sprint(l.rows("SELECT comment FROM main.information_schema.tables WHERE table_name = 'shallow'")); got != "[[what it is]]" {
		l.t.Errorf("the clone has the comment %s", got)
	}
	if got := fmt.Sprint(l.rows("SELECT comment FROM main.information_schema.columns WHERE table_name = 'copied' AND comment IS NOT NULL ORDER BY ordinal_position")); got != "[[of a column] [of a partition column]]" {
		l.t.Errorf("the copy has the comment %s", got)
	}
	after := l.versions()
	rows, _ = l.migrate("", args...)
	l.check(rows, wants, true)
	if l.versions() != after {
		l.t.Error("one more run has changed something")
	}
}

// TestKilledAtEveryPoint kills the process at each named point, and at each at its second and third time, and wants the next run to
// end as if nothing had happened.
func TestKilledAtEveryPoint(t *testing.T) {
	args := []string{"--views", "--clone-location", "/mnt/lake/clones"}
	all := points(t)
	for _, name := range passed {
		if !slices.Contains(all, name) {
			t.Errorf("there is no point %q", name)
		}
	}
	for _, name := range all {
		times := 3
		if testing.Short() {
			times = 1
		}
		for n := 1; n <= times; n++ {
			t.Run(fmt.Sprintf("%s:%d", name, n), func(t *testing.T) {
				t.Parallel()
				l := newLake(t)
				wants := l.small()
				_, status := l.migrate(fmt.Sprintf("TARN_CRASH_AT=%s:%d", name, n), args...)
				if n == 1 && status != -1 && slices.Contains(passed, name) {
					t.Fatalf("a migration that is to be killed at %s ends with %d", name, status)
				}
				if status == -1 {
					l.ended(wants, args)
				}
			})
		}
	}
}

// TestTogether runs migrations of one catalog at once: each thing is migrated once, and no run spoils what another one makes.
func TestTogether(t *testing.T) {
	l := newLake(t)
	wants := l.small()
	args := []string{"--views", "--clone-location", "/mnt/lake/clones"}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, status := l.migrate("", args...); status != 0 && status != 1 { // one may find what another one has just made
				t.Errorf("a migration ends with %d", status)
			}
		})
	}
	group.Wait()
	l.ended(wants, args)
}

// TestWhileOthersWrite migrates tables that are written to all the time. Every copy is a version that its table had, and nothing fails
// because of it.
func TestWhileOthersWrite(t *testing.T) {
	l := newLake(t)
	l.small()
	stop := make(chan struct{})
	var group sync.WaitGroup
	for _, table := range []string{"shallow", "copied", "parts"} {
		shell := binary.Start(t, l.home)
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a := shell.SQL("INSERT INTO hive_metastore.s." + table + " VALUES (7, 7), (8, 7)")
				if a.Error != nil && a.Error.Class != "DELTA_METADATA_CHANGED" { // by the link to the clone; it is run once more
					t.Errorf("%s: %s", table, a.Error.Message)
					return
				}
			}
		})
	}
	rows, status := l.migrate("", "--views", "--clone-location", "/mnt/lake/clones")
	close(stop)
	group.Wait()
	if status != 0 {
		t.Errorf("the migration ends with %d: %+v", status, rows)
	}
	for _, name := range []string{"shallow", "copied"} {
		// Rows come two at a time, after one or two.
		if got := fmt.Sprint(l.rows("SELECT count(*) % 2, count(*) >= 2 FROM main.s." + name)); got != "[[0 true]]" {
			t.Errorf("%s has an odd number of rows, or too few: %s", name, got)
		}
	}
	if a, b := l.count("hive_metastore.s.parts"), l.count("main.s.parts"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v and %v rows of one directory", a, b)
	}
}
