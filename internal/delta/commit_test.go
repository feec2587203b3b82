package delta_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/storage/local"
)

// process is a log as one process sees it: with what it remembers, and a store that may fail.
type process struct {
	*delta.Log
	logs *delta.Logs
}

// opens opens the log of a directory as a new process would.
func opens(t *testing.T, dir string, plan faulty.Plan) process {
	t.Helper()
	root, err := storage.ParseLocation(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	factory := local.Open
	if plan != nil {
		factory = func(l storage.Location) (storage.Driver, error) {
			inner, err := local.Open(l)
			if err != nil {
				return nil, err
			}
			return faulty.New(inner, plan).Driver(), nil
		}
	}
	logs := delta.NewLogs(storage.NewStores(map[string]storage.Factory{"file": factory}))
	log, err := logs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return process{log, logs}
}

// makes makes a table of one column, partitioned by p.
func makes(t *testing.T, p process, properties map[string]string) {
	t.Helper()
	schema := `{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},{"name":"p","type":"string","nullable":true,"metadata":{}}]}`
	c := &delta.Change{Once: true}
	c.Protocol = protocol.NewProtocol()
	if properties["delta.enableInCommitTimestamps"] == "true" {
		c.Protocol = c.Protocol.With(protocol.FeatureInCommitTimestamp)
	}
	c.Metadata = &protocol.Metadata{ID: "7b", Provider: "parquet", SchemaString: schema, PartitionColumns: []string{"p"}, Configuration: properties}
	c.Info = protocol.CommitInfo{Operation: "CREATE TABLE", TxnID: "start"}
	if _, err := p.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func fileOf(path, p string) *protocol.Add {
	return &protocol.Add{Path: path, PartitionValues: protocol.PartitionTexts{{Column: "p", Text: p}}, Size: 1, ModificationTime: 1, DataChange: true}
}

// appends commits one new file as a blind append.
func appends(ctx context.Context, p process, path string) (*delta.Committed, error) {
	base, err := p.Snapshot(ctx, delta.At{})
	if err != nil {
		return nil, err
	}
	blind := true
	c := &delta.Change{Base: base}
	c.Adds = []*protocol.Add{fileOf(path, "1")}
	c.Info = protocol.CommitInfo{Operation: "WRITE", TxnID: path, IsBlindAppend: &blind}
	return p.Commit(ctx, c)
}

// paths are the files of a snapshot, sorted.
func paths(s *delta.Snapshot) []string {
	var out []string
	for a := range s.Adds() {
		out = append(out, a.Path)
	}
	slices.Sort(out)
	return out
}

// TestManyWriters lets several processes, each with several goroutines, append to one table over stores that lose answers and
// fail: what was told to be committed is there once, what was told not to be is not, and each version has one creator.
func TestManyWriters(t *testing.T) {
	const processes, goroutines, each = 2, 4, 12
	dir := t.TempDir()
	makes(t, opens(t, dir, nil), map[string]string{"delta.checkpointInterval": "5"})
	var mu sync.Mutex
	told, refused, creators := map[string]bool{}, map[string]bool{}, map[int64]string{}
	var group sync.WaitGroup
	for i := range processes {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		p := opens(t, dir, func(op, key string, _ int) faulty.Fault {
			if op != "put" || !strings.HasSuffix(key, ".json") {
				return faulty.None
			}
			return []faulty.Fault{faulty.None, faulty.None, faulty.FailAfter, faulty.FailBefore}[r.IntN(4)]
		})
		for g := range goroutines {
			group.Go(func() {
				for n := range each {
					path := fmt.Sprintf("f-%d-%d-%d", i, g, n)
					done, err := appends(t.Context(), p, path)
					mu.Lock()
					if err != nil {
						refused[path] = true
					} else {
						if other := creators[done.Version]; other != "" {
							t.Errorf("version %d was made by %s and by %s", done.Version, other, path)
						}
						creators[done.Version], told[path] = path, true
					}
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	last, err := opens(t, dir, nil).Snapshot(t.Context(), delta.At{})
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(maps.Keys(told)); !slices.Equal(paths(last), want) || len(refused) == 0 {
		t.Errorf("the table holds %q, told were %q, refused %d", paths(last), want, len(refused))
	}
	if int(last.Version) != len(told) {
		t.Errorf("version %d after %d commits", last.Version, len(told))
	}
}

// TestLostAnswer has a store make the file of a commit and report a failure, as a store whose library tries again does: the
// commit is known by its mark. A commit of another with the same version is not taken for it.
func TestLostAnswer(t *testing.T) {
	dir := t.TempDir()
	makes(t, opens(t, dir, nil), nil)
	commits := func(fault faulty.Fault) faulty.Plan {
		return func(op, key string, _ int) faulty.Fault {
			if op == "put" && strings.HasSuffix(key, ".json") && strings.Contains(key, "/0000") {
				return fault
			}
			return faulty.None
		}
	}
	done, err := appends(t.Context(), opens(t, dir, commits(faulty.FailAfter)), "a")
	if err != nil || done.Version != 1 {
		t.Fatalf("%v, %v", done, err)
	}
	if _, err := appends(t.Context(), opens(t, dir, commits(faulty.FailBefore)), "b"); !errors.Is(err, faulty.ErrInjected) {
		t.Errorf("a commit that failed: %v", err)
	}
	slow := opens(t, dir, commits(faulty.FailAfter))
	base, err := slow.Snapshot(t.Context(), delta.At{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := appends(t.Context(), opens(t, dir, nil), "c"); err != nil {
		t.Fatal(err)
	}
	c := &delta.Change{Base: base}
	c.Adds, c.Info = []*protocol.Add{fileOf("d", "1")}, protocol.CommitInfo{Operation: "WRITE", TxnID: "d"}
	done, err = slow.Commit(t.Context(), c)
	if err != nil || done.Version != 3 || !slices.Equal(paths(done.Snapshot), []string{"a", "c", "d"}) {
		t.Errorf("%v, %v", done, err)
	}
}

// TestLosersGiveWay commits on a base that others have moved on from.
func TestLosersGiveWay(t *testing.T) {
	read := func(files ...string) protocol.Reads {
		r := protocol.Reads{Files: map[string]bool{}}
		for _, f := range files {
			r.Files[f] = true
		}
		return r
	}
	remove := func(path string) []*protocol.Remove {
		return []*protocol.Remove{protocol.RemoveOf(fileOf(path, "1"), 1, true)}
	}
	in := func(p string) func(*protocol.Add) (bool, error) {
		return func(a *protocol.Add) (bool, error) { return a.PartitionValues.Get("p") == p, nil }
	}
	for _, c := range []struct {
		name         string
		winner, mine protocol.Commit
		reads        protocol.Reads
		once         bool
		want         sqlerr.Condition
	}{
		{"both append", protocol.Commit{Adds: []*protocol.Add{fileOf("x", "1")}}, protocol.Commit{Adds: []*protocol.Add{fileOf("y", "1")}}, protocol.Reads{}, false, ""},
		{"both remove one file", protocol.Commit{Removes: remove("a")}, protocol.Commit{Removes: remove("a")}, protocol.Reads{}, false, "DELTA_CONCURRENT_DELETE_DELETE"},
		{"a file that was read is removed", protocol.Commit{Removes: remove("a")}, protocol.Commit{Removes: remove("b")}, read("a", "b"), false, "DELTA_CONCURRENT_DELETE_READ"},
		{"another file is removed", protocol.Commit{Removes: remove("a")}, protocol.Commit{Removes: remove("b")}, read("b"), false, ""},
		{"a file comes where was read", protocol.Commit{Adds: []*protocol.Add{fileOf("x", "2")}}, protocol.Commit{Removes: remove("b")}, protocol.Reads{Matches: in("2")}, false, "DELTA_CONCURRENT_APPEND"},
		{"a file comes elsewhere", protocol.Commit{Adds: []*protocol.Add{fileOf("x", "3")}}, protocol.Commit{Removes: remove("b")}, protocol.Reads{Matches: in("2")}, false, ""},
		{"a change that replaces the table", protocol.Commit{Adds: []*protocol.Add{fileOf("x", "1")}}, protocol.Commit{Removes: remove("a")}, protocol.Reads{}, true, "DELTA_PROTOCOL_CHANGED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := opens(t, dir, nil)
			makes(t, p, nil)
			for _, path := range []string{"a", "b"} {
				if _, err := appends(t.Context(), p, path); err != nil {
					t.Fatal(err)
				}
			}
			base, err := p.Snapshot(t.Context(), delta.At{})
			if err != nil {
				t.Fatal(err)
			}
			commit := func(c protocol.Commit, txn string, reads protocol.Reads, once bool) error {
				c.Info = protocol.CommitInfo{Operation: "UPDATE", TxnID: txn}
				_, err := opens(t, dir, nil).Commit(t.Context(), &delta.Change{Base: base, Commit: c, Reads: reads, Once: once})
				return err
			}
			if err := commit(c.winner, "winner", protocol.Reads{}, false); err != nil {
				t.Fatal(err)
			}
			if err := commit(c.mine, "mine", c.reads, c.once); c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestHistories writes random histories with checkpoints and clean-up and reads them again, as the process that wrote them, as a
// new one, and version by version.
func TestHistories(t *testing.T) {
	gone := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir, now := t.TempDir(), time.Now()
		p := opens(t, dir, nil)
		p.logs.Now = func() time.Time { return now }
		properties := map[string]string{"delta.checkpointInterval": fmt.Sprint(1 + r.IntN(4))}
		if r.IntN(2) == 0 {
			properties["delta.checkpointPolicy"] = "v2"
		}
		makes(t, p, properties)
		live, at := map[string]bool{}, map[int64][]string{0: nil}
		for n := range 4 + r.IntN(20) {
			base, err := p.Snapshot(t.Context(), delta.At{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			c := &delta.Change{Base: base}
			for path := range live {
				if r.IntN(4) == 0 {
					c.Removes = append(c.Removes, protocol.RemoveOf(fileOf(path, "1"), now.UnixMilli(), true))
					delete(live, path)
				}
			}
			for i := range r.IntN(4) {
				path := fmt.Sprintf("p=%%C3%%A9/f%d-%d", n, i)
				c.Adds = append(c.Adds, fileOf(path, "1"))
				live[path] = true
			}
			if r.IntN(3) == 0 {
				c.Txns = []*protocol.Txn{{AppID: "app", Version: int64(n)}}
			}
			if r.IntN(5) == 0 {
				now = now.Add(40 * day) // everything so far is out of its retention
			}
			c.Info = protocol.CommitInfo{Operation: "WRITE", TxnID: fmt.Sprint(seed, n)}
			done, err := p.Commit(t.Context(), c)
			if err != nil || done.Left != nil {
				t.Fatalf("seed %d: %v, %v", seed, err, done)
			}
			at[done.Version] = slices.Sorted(maps.Keys(live))
			if r.IntN(2) == 0 {
				p = opens(t, dir, nil)
				p.logs.Now = func() time.Time { return now }
			}
		}
		fresh := opens(t, dir, nil)
		last, err := fresh.Snapshot(t.Context(), delta.At{})
		if err != nil || !slices.Equal(paths(last), slices.Sorted(maps.Keys(live))) {
			t.Fatalf("seed %d: %v, %v, want %v", seed, last, err, live)
		}
		read := 0
		for version, want := range at {
			s, err := fresh.Snapshot(t.Context(), delta.AtVersion(version))
			switch {
			case err == nil && slices.Equal(paths(s), want):
				read++
			case err == nil:
				t.Errorf("seed %d: version %d holds %q, want %q", seed, version, paths(s), want)
			case !errors.Is(err, sqlerr.Condition("DELTA_VERSION_NOT_FOUND")):
				t.Errorf("seed %d: version %d: %v", seed, version, err)
			default:
				gone++
			}
		}
		if read == 0 {
			t.Errorf("seed %d: no version can be read", seed)
		}
	}
	if gone == 0 {
		t.Error("nothing was cleaned up")
	}
}

const day = 24 * time.Hour

// TestTimestampsAfterACheckpoint: a commit's own time comes after that of the version before also when that version was read from its
// checkpoint, which does not hold it, and the clock goes behind.
func TestTimestampsAfterACheckpoint(t *testing.T) {
	dir := t.TempDir()
	ahead := opens(t, dir, nil)
	ahead.logs.Now = func() time.Time { return time.Now().Add(24 * time.Hour) }
	makes(t, ahead, map[string]string{"delta.enableInCommitTimestamps": "true", "delta.checkpointInterval": "1"})
	first, err := appends(t.Context(), ahead, "a")
	if err != nil {
		t.Fatal(err)
	}
	second, err := appends(t.Context(), opens(t, dir, nil), "b")
	if err != nil {
		t.Fatal(err)
	}
	if first.InCommitTimestamp == nil || second.InCommitTimestamp == nil || *second.InCommitTimestamp <= *first.InCommitTimestamp {
		t.Errorf("%v after %v", second.InCommitTimestamp, first.InCommitTimestamp)
	}
}

// TestSidecarsGo: sidecars stay as long as a checkpoint of the log names them, and for a day when none does.
func TestSidecarsGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "delta", "checkpointed"))); err != nil {
		t.Fatal(err)
	}
	sidecars := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "_delta_log", "_sidecars", "*.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if sidecars() != 1 {
		t.Fatal("the table has one sidecar")
	}
	p := opens(t, dir, nil)
	// step is a checkpoint of a new version, so much later than the files are old.
	step := func(name string, later time.Duration) *delta.Committed {
		t.Helper()
		p.logs.Now = func() time.Time { return time.Now().Add(later) }
		base, err := p.Snapshot(t.Context(), delta.At{})
		if err != nil {
			t.Fatal(err)
		}
		c := &delta.Change{Base: base}
		m := base.Metadata.With(map[string]string{"delta.checkpointInterval": "1", "n": name})
		c.Metadata, c.Info = m, protocol.CommitInfo{Operation: "SET TBLPROPERTIES", TxnID: name}
		done, err := p.Commit(t.Context(), c)
		if err != nil || done.Left != nil {
			t.Fatal(err, done.Left)
		}
		return done
	}
	// The versions up to the checkpoint are old: those before it go, and what it names stays.
	past := time.Now().Add(-40 * 24 * time.Hour)
	for _, pattern := range []string{"_delta_log/0000000000000000000[0-3]*", "_delta_log/_sidecars/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			if err := os.Chtimes(f, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := paths(step("a", 0).Snapshot)
	if _, err := os.Stat(filepath.Join(dir, "_delta_log", "00000000000000000002.json")); err == nil || sidecars() != 1 {
		t.Fatal("nothing was cleaned, or a sidecar went while its checkpoint is there")
	}
	if got, err := opens(t, dir, nil).Snapshot(t.Context(), delta.AtVersion(3)); err != nil || got.NumFiles() == 0 {
		t.Fatal(err)
	}
	step("b", 60*24*time.Hour)
	last := step("c", 61*24*time.Hour)
	if sidecars() != 0 {
		t.Error("it stays after its checkpoint")
	}
	again, err := opens(t, dir, nil).Snapshot(t.Context(), delta.At{})
	if err != nil || again.Version != last.Version || !slices.Equal(paths(again), before) {
		t.Errorf("%v, %v", again, err)
	}
}
