package delta_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
)

// tombstones are the paths of the files that were removed and when, sorted.
func tombstones(t *testing.T, s *delta.Snapshot, since time.Time) string {
	t.Helper()
	removes, err := s.Tombstones(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range removes {
		out = append(out, fmt.Sprint(r.Path, r.DeletionVector.UniqueID(), "@", *r.DeletionTimestamp))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestTombstonesFollowTheLog commits random removals and returns of few files, by processes that remember the table and by new
// ones, with checkpoints in between: the tombstones are what was removed last.
func TestTombstonesFollowTheLog(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		dir, now := t.TempDir(), time.Now().Truncate(time.Millisecond)
		p := opens(t, dir, nil)
		p.logs.Now = func() time.Time { return now }
		properties := map[string]string{"delta.checkpointInterval": fmt.Sprint(1 + r.IntN(5))}
		if r.IntN(2) == 0 {
			properties["delta.checkpointPolicy"] = "v2"
		}
		makes(t, p, properties)
		live, gone := map[string]bool{}, map[string]int64{}
		for n := range 16 {
			base, err := p.Snapshot(t.Context(), delta.At{})
			if err != nil {
				t.Fatal(err)
			}
			c := &delta.Change{Base: base}
			for i := range 6 {
				path := fmt.Sprint("f", i)
				switch {
				case r.IntN(2) == 0:
				case live[path]:
					at := now.UnixMilli() - int64(r.IntN(1000))
					c.Removes = append(c.Removes, protocol.RemoveOf(fileOf(path, "1"), at, true))
					delete(live, path)
					gone[path] = at
				default:
					c.Adds = append(c.Adds, fileOf(path, "1"))
					live[path] = true
					delete(gone, path)
				}
			}
			c.Info = protocol.CommitInfo{Operation: "WRITE", TxnID: fmt.Sprint(seed, n)}
			done, err := p.Commit(t.Context(), c)
			if err != nil || done.Left != nil {
				t.Fatalf("seed %d: %v, %v", seed, err, done)
			}
			if r.IntN(2) == 0 {
				p = opens(t, dir, nil)
				p.logs.Now = func() time.Time { return now }
			}
			s, err := p.Snapshot(t.Context(), delta.At{})
			if err != nil {
				t.Fatal(err)
			}
			since := now.Add(-time.Duration(r.IntN(1200)) * time.Millisecond)
			var want []string
			for path, at := range gone {
				if at >= since.UnixMilli() {
					want = append(want, fmt.Sprint(path, "@", at))
				}
			}
			slices.Sort(want)
			if got := tombstones(t, s, since); got != strings.Join(want, " ") {
				t.Fatalf("seed %d, version %d: %s, want %s", seed, s.Version, got, want)
			}
			now = now.Add(time.Second)
		}
	}
}

// TestCheckpointOfATableMadeAnew: a snapshot of a table that another one has replaced since writes no checkpoint of files of both.
func TestCheckpointOfATableMadeAnew(t *testing.T) {
	b := newTable(t)
	b.commit(0, 100, fmt.Sprintf(start, ""), add("a"))
	b.commit(1, 200, add("b"))
	old, err := b.log.Snapshot(t.Context(), delta.At{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "_delta_log")); err != nil {
		t.Fatal(err)
	}
	b.commit(0, 300, fmt.Sprintf(start, ""), add("x"), add("y"))
	b.commit(1, 400, fmt.Sprintf(`{"remove":{"path":"x","deletionTimestamp":%d,"dataChange":true}}`, time.Now().UnixMilli()))
	if err := old.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.dir, "_delta_log", protocol.CommitName(0))); err != nil {
		t.Fatal(err)
	}
	b.log.Forget()
	b.want(delta.At{}, "1:y")
}
