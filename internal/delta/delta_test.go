package delta_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
)

const start = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"7b","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{%s}}}`

func add(path string) string {
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":10,"modificationTime":1,"dataChange":true}}`, path)
}

// table is a directory with a log, and the time at which each commit was written.
type table struct {
	t   *testing.T
	dir string
	log *delta.Log
}

func newTable(t *testing.T) *table {
	t.Helper()
	dir := t.TempDir()
	root, err := storage.ParseLocation(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	log, err := delta.NewLogs(storage.NewStores(map[string]storage.Factory{"file": local.Open})).Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return &table{t, dir, log}
}

// commit writes a version; at is its file's time in seconds since the epoch.
func (b *table) commit(version int, at int64, lines ...string) {
	b.t.Helper()
	path := filepath.Join(b.dir, "_delta_log", fmt.Sprintf("%020d.json", version))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Unix(at, 0), time.Unix(at, 0)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *table) files(at delta.At) string {
	b.t.Helper()
	s, err := b.log.Snapshot(b.t.Context(), at)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for a := range s.Adds() {
		out = append(out, a.Path)
	}
	return fmt.Sprintf("%d:%s", s.Version, strings.Join(out, ","))
}

func (b *table) refused(at delta.At, want sqlerr.Condition) {
	b.t.Helper()
	if _, err := b.log.Snapshot(b.t.Context(), at); !errors.Is(err, want) {
		b.t.Errorf("got %v, want %s", err, want)
	}
}

func (b *table) want(at delta.At, want string) {
	b.t.Helper()
	if got := b.files(at); got != want {
		b.t.Errorf("got %s, want %s", got, want)
	}
}

func TestSnapshotsFollowTheLog(t *testing.T) {
	b := newTable(t)
	b.refused(delta.At{}, "DELTA_PATH_DOES_NOT_EXIST")
	b.commit(0, 100, fmt.Sprintf(start, ""), add("a"))
	b.want(delta.At{}, "0:a")
	b.commit(1, 200, add("b"))
	b.commit(2, 300, `{"remove":{"path":"a","dataChange":true}}`)
	b.want(delta.At{}, "2:b")
	b.want(delta.AtVersion(1), "1:a,b")
	b.want(delta.AtVersion(0), "0:a")
	b.refused(delta.AtVersion(3), "DELTA_VERSION_NOT_FOUND")
	// The table is made anew at the same place: what is remembered of the old one does not count.
	if err := os.RemoveAll(filepath.Join(b.dir, "_delta_log")); err != nil {
		t.Fatal(err)
	}
	b.commit(0, 400, fmt.Sprintf(start, ""), add("x"))
	b.commit(1, 401, add("y"))
	b.commit(2, 402, add("z"))
	b.want(delta.At{}, "2:x,y,z")
	b.want(delta.AtVersion(1), "1:x,y")
	// A hint that names what is not there only makes the listing longer.
	if err := os.WriteFile(filepath.Join(b.dir, "_delta_log", "_last_checkpoint"), []byte(`{"version":2,"size":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	b.log.Forget()
	b.want(delta.At{}, "2:x,y,z")
	b.commit(4, 500, add("gap"))
	b.log.Forget()
	b.refused(delta.At{}, "DELTA_VERSIONS_NOT_CONTIGUOUS")
}

func TestTimeTravelByTheTimeOfFiles(t *testing.T) {
	b := newTable(t)
	b.commit(0, 100, fmt.Sprintf(start, ""), add("a"))
	b.commit(1, 200, add("b"))
	b.commit(2, 200, add("c")) // not later than the one before: it counts as a millisecond later
	b.commit(3, 50, add("d"))
	second := func(s float64) delta.At { return delta.AtTime(int64(s * 1e6)) }
	b.refused(second(99.999), "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION")
	b.want(second(100), "0:a")
	b.want(second(199.999), "0:a")
	b.want(second(200), "1:a,b")
	b.want(second(200.001), "2:a,b,c")
	b.want(second(200.0029), "3:a,b,c,d")
	b.refused(second(200.003), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT")
	history, err := b.log.History(t.Context(), 2)
	if err != nil || len(history) != 2 || history[0].Version != 3 || history[0].At != 200_002 || history[1].At != 200_001 {
		t.Errorf("history: %+v, %v", history, err)
	}
}

func TestTimeTravelByInCommitTimestamps(t *testing.T) {
	b := newTable(t)
	b.commit(0, 900, fmt.Sprintf(start, ""), add("a"))
	enabled := `"delta.enableInCommitTimestamps":"true","delta.inCommitTimestampEnablementVersion":"1","delta.inCommitTimestampEnablementTimestamp":"1000000"`
	b.commit(1, 5, `{"commitInfo":{"inCommitTimestamp":1000000,"operation":"SET TBLPROPERTIES"}}`, strings.Split(fmt.Sprintf(start, enabled), "\n")[1])
	b.commit(2, 4, `{"commitInfo":{"inCommitTimestamp":2000000,"operation":"WRITE"}}`, add("b"))
	b.want(delta.AtTime(999_000_000), "0:a")
	b.want(delta.AtTime(1_000_000_000), "1:a")
	b.want(delta.AtTime(2_000_000_000), "2:a,b")
	s, err := b.log.Snapshot(t.Context(), delta.At{})
	if err != nil || s.Modified != 2_000_000 {
		t.Errorf("%d, %v", s.Modified, err)
	}
}
