package write

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

var genOld = rapid.Custom(func(t *rapid.T) old {
	return old{
		Dir: rapid.SampledFrom([]string{"a/", "a/b=1/", ""}).Draw(t, "dir"), Name: rapid.String().Draw(t, "name"), Size: rapid.Int64().Draw(t, "size"),
		ModTime: rapid.Int64().Draw(t, "time"), ID: storage.Identity{Device: rapid.Uint64().Draw(t, "device"), Number: rapid.Uint64().Draw(t, "number")}, ETag: rapid.String().Draw(t, "etag"),
	}
})

var genPlan = rapid.Custom(func(t *rapid.T) *plan {
	p := &plan{
		Layout: rapid.SampledFrom([]Layout{InPlace, Sealed, Filesets}).Draw(t, "layout"), Root: rapid.String().Draw(t, "root"), Staging: "file:/s", Kind: Append,
		Suffixes: []string{".csv", ""}, Marker: rapid.Bool().Draw(t, "marker"), OldMarker: rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "old marker"),
		Grace: rapid.Int64().Draw(t, "grace"), Commit: catalog.Commit{Operation: "X", Parameters: map[string]string{"k": "v"}}, Result: Result{Rows: 3, Untouched: -1},
		Old: rapid.SliceOfN(genOld, 0, 4).Draw(t, "old"),
	}
	if rapid.Bool().Draw(t, "loads") {
		p.Loads = []catalog.Load{{Path: "file:/x", Size: 3, ModTime: time.Unix(5, 7).UTC(), Txn: "T"}}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "parts") {
		text := rapid.String().Draw(t, "value")
		q := part{Values: []*string{&text, nil}, Action: actReplace, Dir: fmt.Sprint("file:/d", i), Base: p.Root, Rel: "r", Fresh: rapid.Bool().Draw(t, "fresh"), Swap: rapid.Bool().Draw(t, "swap")}
		for k := range rapid.SampledFrom([]int{0, 1, 5, lineFiles, lineFiles + 1}).Draw(t, "files") {
			q.New = append(q.New, added{Staged: fmt.Sprint("s", k), Number: k, Suffix: k % 2, Size: int64(k), Rows: 1, ID: storage.Identity{Number: uint64(k)}, ModTime: math.MaxInt64})
		}
		q.Old = rapid.SliceOfN(genOld, 0, 4).Draw(t, "old of the part")
		p.Parts = append(p.Parts, q)
	}
	return p
})

// emptyAsNil makes empty lists alike.
func emptyAsNil(p *plan) {
	for i := range p.Parts {
		if len(p.Parts[i].Old) == 0 {
			p.Parts[i].Old = nil
		}
	}
	if len(p.Old) == 0 {
		p.Old = nil
	}
}

func TestPlansAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPlan.Draw(t, "plan")
		data, err := encodePlan(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodePlan(data)
		if err != nil {
			t.Fatal(err)
		}
		emptyAsNil(p)
		if d := cmp.Diff(p, got, cmp.AllowUnexported(plan{}, part{}, added{}, old{}), cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Fatal(d)
		}
		reach, err := decodeReach(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Parts {
			p.Parts[i].New = nil
		}
		if d := cmp.Diff(p, reach, cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Fatal("without the new files: ", d)
		}
	})
}

func TestListsOfRetiredFilesAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(genOld, 0, 30).Draw(t, "files")
		data, err := encodeRetired(slices.Values(want))
		if err != nil {
			t.Fatal(err)
		}
		var got []old
		if err := decodeRetired(data, func(files []old) error { got = append(got, slices.Clone(files)...); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v was read as %v", want, got)
		}
	})
}

func FuzzDecodePlan(f *testing.F) {
	for _, p := range []*plan{{}, {Suffixes: []string{""}, Old: []old{{Dir: "a/", Name: "b"}}, Parts: []part{{Dir: "file:/d", New: []added{{}}, Old: []old{{Name: "x"}}}}}} {
		data, err := encodePlan(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "")
	}
	for _, text := range []string{"null\n", `{"format":1}` + "\n" + `{"new":[{}]}`, `{"format":1,"suffixes":["x"]}` + "\n" + `{"part":{"dir":"d"}}` + "\n" + `{"new":[{"x":-1}]}`, `{"format":2}`} {
		f.Add([]byte(nil), text)
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if data == nil {
			w := newLineWriter()
			if _, err := w.zstd.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			var err error
			if data, err = w.bytes(); err != nil {
				t.Fatal(err)
			}
		}
		p, err := decodePlan(data)
		if err != nil {
			return
		}
		for i := range p.Parts {
			for k := range p.Parts[i].New {
				_ = p.Suffixes[p.Parts[i].New[k].Suffix]
			}
		}
		again, err := encodePlan(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodePlan(again); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		_ = decodeRetired(data, func([]old) error { return nil })
		_, _ = decodeTouched([]byte(text))
	})
}

// Two writes conflict when some partition is written by both, whatever the way they say which they write.
func TestTouchedIsSymmetric(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) *touched {
		one, two := "a=1", "b=2"
		w := &touched{Append: rapid.Bool().Draw(t, "append"), All: rapid.IntRange(0, 5).Draw(t, "all") == 0}
		w.Parts = rapid.SliceOfN(rapid.SampledFrom([]string{"a=1/b=1", "a=1/b=2", "a=2/b=1"}), 0, 2).Draw(t, "parts")
		w.Range = rapid.SampledFrom([][]*string{nil, {nil, nil}, {&one, nil}, {nil, &two}, {&one, &two}}).Draw(t, "range")
		return w
	})
	covers := func(w *touched, spec string) bool {
		if w.All || slices.Contains(w.Parts, spec) {
			return true
		}
		return w.covers(strings.Split(spec, "/"))
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := gen.Draw(t, "x"), gen.Draw(t, "y")
		back, err := decodeTouched(x.encode())
		if err != nil || (back.Append && y.Append) != (x.Append && y.Append) {
			t.Fatal(back, err)
		}
		want := false
		for _, a := range []string{"a=1", "a=2", "a=3"} {
			for _, b := range []string{"b=1", "b=2", "b=3"} {
				want = want || covers(x, a+"/"+b) && covers(y, a+"/"+b)
			}
		}
		want = want && !(x.Append && y.Append) || (x.All || y.All) && !(x.Append && y.Append)
		if got := len(x.conflicts(y, splitSpec)) > 0; got != want {
			t.Fatalf("%+v and %+v: %v, want %v", x, y, got, want)
		}
		if got := len(back.conflicts(y, splitSpec)) > 0; got != want {
			t.Fatalf("read back, %+v and %+v: %v, want %v", back, y, got, want)
		}
		if got := len(y.conflicts(x, splitSpec)) > 0; got != want {
			t.Fatalf("the other way about it is %v", got)
		}
	})
}

func TestNamesOfTransactionsAscend(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	seen := map[string]bool{}
	last := ""
	for i := range 1000 {
		id := newTxn(now.Add(time.Duration(i) * time.Millisecond))
		if !scan.IsTxn(id) || seen[id] || id <= last {
			t.Fatalf("%s after %s", id, last)
		}
		if txn, ok := scan.TxnOf(fileName(id, 1_234_567, ".csv")); !ok || txn != id {
			t.Fatalf("the transaction of %s is %s", fileName(id, 1_234_567, ".csv"), txn)
		}
		seen[id], last = true, id
	}
	// The reference value of the ULID specification's time part.
	if got := newTxn(time.UnixMilli(1469918176385))[:10]; got != "01ARYZ6S41" {
		t.Errorf("the time is %s", got)
	}
}

// alive is a process that lives.
type alive struct{}

func (alive) Name() (string, error)      { return "p", nil }
func (alive) Alive(string) (bool, error) { return true, nil }

// TestMemoryOfManyFiles commits very many files, and then replaces them, and bounds what that takes for each beyond what the
// caller holds: the plan, the lists that the catalog gets, and those themselves.
func TestMemoryOfManyFiles(t *testing.T) {
	const parts = 250
	n := 50_000
	if os.Getenv("TARN_LONG_TESTS") != "" {
		n = 250_000
	}
	for _, layout := range []Layout{InPlace, Sealed} {
		t.Run(string(layout), func(t *testing.T) {
			base := t.TempDir()
			if os.Getenv("TMPDIR") == "" {
				if dir, err := os.MkdirTemp("/dev/shm", "tarn-million-"); err == nil {
					t.Cleanup(func() { _ = os.RemoveAll(dir) })
					base = dir
				}
			}
			root, err := storage.ParseLocation(filepath.Join(base, "t"), "")
			if err != nil {
				t.Fatal(err)
			}
			cols := []partition.Column{{Name: "k", Type: types.Of(types.Int)}}
			store := memstore.New(memstore.Options{Actor: "ann"})
			w := &Writer{Store: store, Stores: storage.NewStores(map[string]storage.Factory{"file": local.Open}), Processes: alive{}, Lists: &FileLists{Store: store}, Now: time.Now}
			table := &catalog.Table{
				Securable: catalog.Securable{Name: "t"}, Kind: catalog.External, Format: "csv", Location: root.String(), Mode: catalog.Log,
				Columns: []types.Field{{Name: "v", Type: types.Of(types.Int)}, {Name: "k", Type: types.Of(types.Int)}}, Partition: []string{"k"},
			}
			err = store.Write(t.Context(), func(tx catalog.WriteTx) error {
				c := &catalog.Catalog{Securable: catalog.Securable{Name: "c"}, Location: "file:/c"}
				if err := tx.CreateCatalog(c); err != nil {
					return err
				}
				s := &catalog.Schema{Securable: catalog.Securable{Name: "s"}, CatalogID: c.ID, Location: "file:/c/s"}
				if err := tx.CreateSchema(s); err != nil {
					return err
				}
				table.SchemaID = s.ID
				return tx.CreateTable(table)
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range []Kind{Append, ReplaceWritten} {
				var set *partition.Set
				err := store.Read(t.Context(), func(tx catalog.ReadTx) (err error) {
					if table, err = tx.TableByID(table.ID); err == nil {
						set, err = tx.Partitions(table.ID, 0)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				j, err := w.Begin(t.Context(), Target{Table: table, Name: "t", Root: root, Layout: layout, Columns: cols, Registered: true, Set: set, Strategy: "union"}, Scope{Kind: kind}, catalog.Commit{})
				if err != nil {
					t.Fatal(err)
				}
				dir, err := j.Stage(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				files := make([]File, n)
				for i := range files {
					files[i] = File{Name: fmt.Sprintf("f%d.csv", i), Suffix: ".zstd.parquet", Values: partition.Values{int64(i * parts / n)}, Rows: 1, Bytes: 1}
					if err := os.WriteFile(filepath.Join(dir, files[i].Name), []byte("x"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				begin := time.Now()
				peak := peakMemory(func() {
					if _, err := j.Commit(t.Context(), files); err != nil {
						t.Error(err)
					}
				})
				runtime.KeepAlive(files)
				t.Logf("%s of %d files: %d MiB, %v", kind, n, peak>>20, time.Since(begin).Round(time.Millisecond))
				// A million files fit into 256 MiB; an overwrite has as many old ones besides.
				most := uint64(16<<20 + 240*n)
				if kind == ReplaceWritten {
					most += uint64(180 * n)
				}
				if peak > most {
					t.Errorf("%s took %d MiB, at most %d are allowed", kind, peak>>20, most>>20)
				}
			}
		})
	}
}

// peakMemory is how much the live heap grows while run runs.
func peakMemory(run func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var m runtime.MemStats
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
		}
	}()
	run()
	close(stop)
	<-done
	return peak.Load() - min(base, peak.Load())
}
