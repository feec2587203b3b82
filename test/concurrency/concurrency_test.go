// Package concurrency runs several processes on one catalog at once, and kills some of them: what was answered as done must
// be there afterwards, what was not must be whole or absent.
package concurrency

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/lake"
)

// ok runs a statement that must succeed.
func ok(t *testing.T, s *binary.Shell, format string, args ...any) binary.Answer {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	a := s.SQL(text)
	if a.Error != nil {
		t.Fatalf("%s\n[%s] %s", text, a.Error.Class, a.Error.Message)
	}
	return a
}

// column is the first column of an answer as text.
func column(a binary.Answer) []string {
	out := []string{}
	for _, r := range a.Rows {
		out = append(out, fmt.Sprint(r[0]))
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := lake.Write(path, text); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// TestFirstStart opens one home that does not exist yet from several processes at once.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	for n := range 10 { // each has a moment in which the catalog is half made
		home := filepath.Join(t.TempDir(), fmt.Sprint("home", n))
		var group sync.WaitGroup
		for range 6 {
			s := binary.Start(t, home)
			group.Go(func() {
				if a := s.SQL("SHOW CATALOGS"); a.Error != nil || len(a.Rows) != 3 {
					t.Errorf("%v: %+v", a.Rows, a.Error)
				}
			})
		}
		group.Wait()
	}
}

// TestWriters lets processes create tables, add and drop partitions, repair and read at once. Nobody may fail but by
// CONCURRENT_WRITE_CONFLICT, and each commit that was answered must be there.
func TestWriters(t *testing.T) {
	t.Parallel()
	const writers, rounds = 4, 12
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	first := binary.Start(t, home)
	ok(t, first, "CREATE TABLE shared (id INT, w INT, n INT) USING csv PARTITIONED BY (w, n) LOCATION '%s/shared' TBLPROPERTIES ('partitionMetadataEnabled'='true')", dir)
	// tolerated runs a statement until it is done; a conflict is tried again.
	tolerated := func(s *binary.Shell, text string) binary.Answer {
		for {
			a := s.SQL(text)
			if a.Error == nil || a.Error.Class != "CONCURRENT_WRITE_CONFLICT" {
				return a
			}
		}
	}
	var group sync.WaitGroup
	for w := range writers {
		s := binary.Start(t, home)
		group.Go(func() {
			for n := range rounds {
				for _, text := range []string{
					fmt.Sprintf("CREATE TABLE t_%d_%d (id INT) USING csv LOCATION '%s/t_%d_%d'", w, n, dir, w, n),
					fmt.Sprintf("ALTER TABLE shared ADD PARTITION (w=%d, n=%d) PARTITION (w=%d, n=%d)", w, n, w, n+1000),
					fmt.Sprintf("ALTER TABLE shared DROP PARTITION (w=%d, n=%d)", w, n+1000),
					fmt.Sprintf("MSCK REPAIR TABLE shared PARTITION (w=%d, n=%d) ADD PARTITIONS", w, n+1000),
				} {
					if a := tolerated(s, text); a.Error != nil {
						t.Errorf("%s\n[%s] %s", text, a.Error.Class, a.Error.Message)
						return
					}
				}
			}
		})
	}
	// A reader sees each pair of one commit whole: n and n+1000 come together, and n never goes.
	done := make(chan struct{})
	reader := binary.Start(t, home)
	var watch sync.WaitGroup
	watch.Go(func() {
		seen := map[string]bool{}
		for {
			a := reader.SQL("SHOW PARTITIONS shared")
			if a.Error != nil {
				t.Errorf("reader: [%s] %s", a.Error.Class, a.Error.Message)
				return
			}
			now := map[string]bool{}
			for _, p := range column(a) {
				now[p] = true
			}
			for p := range seen {
				if !now[p] {
					t.Errorf("the reader lost %s", p)
				}
			}
			for p := range now {
				var w, n int
				if _, err := fmt.Sscanf(p, "w=%d/n=%d", &w, &n); err != nil {
					t.Errorf("%q: %v", p, err)
				}
				if n < 1000 {
					seen[p] = true
				} else if !now[fmt.Sprintf("w=%d/n=%d", w, n-1000)] {
					t.Errorf("the reader saw %s without its other half", p)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	group.Wait()
	close(done)
	watch.Wait()
	if n := len(ok(t, first, "SHOW TABLES LIKE 't_*'").Rows); n != writers*rounds {
		t.Errorf("%d tables, not %d", n, writers*rounds)
	}
	if n := len(ok(t, first, "SHOW PARTITIONS shared").Rows); n != 2*writers*rounds {
		t.Errorf("%d partitions, not %d", n, 2*writers*rounds)
	}
	// One history row a commit, no version twice.
	history := column(ok(t, first, "DESCRIBE HISTORY shared"))
	versions := map[string]bool{}
	for _, v := range history {
		if versions[v] {
			t.Errorf("version %s twice", v)
		}
		versions[v] = true
	}
	if want := 1 + 3*writers*rounds; len(history) != want {
		t.Errorf("%d commits, not %d", len(history), want)
	}
}

// TestOneName lets processes create, rename and drop the same names: exactly one wins each time.
func TestOneName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	const processes = 4
	var shells []*binary.Shell
	for range processes {
		shells = append(shells, binary.Start(t, home))
	}
	for round := range 6 {
		for _, text := range []string{
			"CREATE TABLE hive_metastore.default.one (a INT) USING csv",
			"ALTER TABLE hive_metastore.default.one RENAME TO two",
			"DROP TABLE hive_metastore.default.two",
		} {
			wins := make([]bool, processes)
			var group sync.WaitGroup
			for i, s := range shells {
				group.Go(func() {
					a := s.SQL(text)
					wins[i] = a.Error == nil
					if a.Error == nil {
						return
					}
					switch a.Error.Class {
					case "TABLE_OR_VIEW_ALREADY_EXISTS", "TABLE_OR_VIEW_NOT_FOUND", "CONCURRENT_WRITE_CONFLICT", "LOCATION_ALREADY_EXISTS":
					default:
						t.Errorf("%s\n[%s] %s", text, a.Error.Class, a.Error.Message)
					}
				})
			}
			group.Wait()
			n := 0
			for _, won := range wins {
				if won {
					n++
				}
			}
			if n != 1 {
				t.Errorf("round %d: %d processes succeeded with %s", round, n, text)
			}
		}
	}
}

// victim starts a process that runs one script, and kills it after a while that differs from try to try.
func victim(t *testing.T, home, script string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(binary.Path(t), "sql", "--home", home, "-e", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
}

// TestKilledRepair kills MSCK somewhere: the partitions are all registered or none.
func TestKilledRepair(t *testing.T) {
	t.Parallel()
	const parts = 3000
	dir := t.TempDir()
	for i := range parts {
		if err := os.MkdirAll(fmt.Sprintf("%s/t/y=%d/m=%d", dir, i/100, i%100), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	s := binary.Start(t, home)
	whole, none := 0, 0
	for try := range 12 {
		name := fmt.Sprintf("hive_metastore.default.t%d", try)
		ok(t, s, "CREATE TABLE %s (id INT, y INT, m INT) USING csv PARTITIONED BY (y, m) LOCATION '%s/t'", name, dir)
		victim(t, home, "MSCK REPAIR TABLE "+name, time.Duration(10+try*12+rand.IntN(10))*time.Millisecond)
		switch n := len(ok(t, s, "SHOW PARTITIONS %s", name).Rows); n {
		case 0:
			none++
		case parts:
			whole++
		default:
			t.Errorf("%d of %d partitions are registered", n, parts)
		}
		// Another try finishes the work.
		ok(t, s, "MSCK REPAIR TABLE %s", name)
		if n := len(ok(t, s, "SHOW PARTITIONS %s", name).Rows); n != parts {
			t.Errorf("%d of %d partitions after another repair", n, parts)
		}
	}
	t.Logf("%d whole, %d absent", whole, none)
}

// TestKilledDirectories kills DROP TABLE and RENAME of managed tables of hive_metastore, which touch directories after their
// commit: tarn recover then settles them.
func TestKilledDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	s := binary.Start(t, home)
	warehouse := ""
	for _, r := range ok(t, s, "DESCRIBE SCHEMA hive_metastore.default").Rows {
		if r[0] == "Location" {
			warehouse = strings.TrimPrefix(fmt.Sprint(r[1]), "file:")
		}
	}
	ok(t, s, "USE hive_metastore.default")
	for try := range 12 {
		drop, from, to := fmt.Sprintf("drop%d", try), fmt.Sprintf("from%d", try), fmt.Sprintf("to%d", try)
		for _, name := range []string{drop, from} {
			ok(t, s, "CREATE TABLE %s (id INT, p INT) USING csv PARTITIONED BY (p)", name)
			for p := range 20 {
				write(t, fmt.Sprintf("%s/%s/p=%d/a.csv", warehouse, name, p), "1\n")
			}
			ok(t, s, "MSCK REPAIR TABLE %s", name)
		}
		after := time.Duration(8+try*8+rand.IntN(8)) * time.Millisecond
		victim(t, home, fmt.Sprintf("DROP TABLE hive_metastore.default.%s; ALTER TABLE hive_metastore.default.%s RENAME TO %s", drop, from, to), after)
		if out, err := exec.Command(binary.Path(t), "recover", "--home", home).CombinedOutput(); err != nil {
			t.Fatalf("tarn recover: %v\n%s", err, out)
		}
		tables := map[string]bool{}
		for _, r := range ok(t, s, "SHOW TABLES").Rows {
			tables[fmt.Sprint(r[1])] = true
		}
		if tables[drop] != exists(filepath.Join(warehouse, drop)) {
			t.Errorf("%s: table %t, directory %t", drop, tables[drop], exists(filepath.Join(warehouse, drop)))
		}
		if tables[from] == tables[to] {
			t.Errorf("%s: the table has both names or none: %v", from, tables)
		}
		name := from
		if tables[to] {
			name = to
		}
		if n := column(ok(t, s, "SELECT count(*) FROM %s", name)); n[0] != "20" {
			t.Errorf("%s: %s rows after recovery, not 20", name, n[0])
		}
		for _, other := range []string{from, to} {
			if exists(filepath.Join(warehouse, other)) != (other == name) {
				t.Errorf("the directory %s is where it should not be, or is not where it should", other)
			}
		}
		if tables[drop] {
			ok(t, s, "DROP TABLE %s", drop)
		}
		ok(t, s, "DROP TABLE %s", name)
	}
	entries, err := os.ReadDir(warehouse)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left in the warehouse: %s", e.Name())
	}
}
