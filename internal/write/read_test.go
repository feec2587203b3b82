package write_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/write"
)

// reader reads the table as package exec does: a snapshot of the catalog, the files, a second look whether writers have moved
// on meanwhile, and then the rows.
type reader struct {
	w      *world
	stores *storage.Stores
	lists  *write.FileLists
	// between, when set, is called between finding the files and reading them.
	between func()
}

func (w *world) reader() *reader {
	return &reader{
		w: w, stores: storage.NewStores(map[string]storage.Factory{"file": local.Open}), lists: &write.FileLists{Store: w.store},
	}
}

// snap is what one look at the catalog gives.
type snap struct {
	version int64
	set     *partition.Set
	view    *scan.Visibility
}

func (r *reader) snap(ctx context.Context) (s snap, err error) {
	err = r.w.store.Read(ctx, func(tx catalog.ReadTx) error {
		if !r.w.shape.byPath {
			t, err := tx.TableByID(r.w.table)
			if err != nil {
				return err
			}
			s.version = t.Version
			if s.set, err = tx.Partitions(r.w.table, 0); err != nil {
				return err
			}
		}
		s.view, err = write.Visible(tx, r.w.table, r.w.root)
		return err
	})
	return s, err
}

// maxLooks is how often a reader starts over while writers commit.
const maxLooks = 200

// read is the answer of a reader of the catalog.
func (r *reader) read(ctx context.Context) (answer, error) {
	var last error
	for range maxLooks {
		before, err := r.snap(ctx)
		if err != nil {
			return nil, err
		}
		found, err := r.find(ctx, before)
		if err != nil && storage.KindOf(err) != storage.NotFound {
			return nil, err
		}
		after, lookErr := r.snap(ctx)
		if lookErr != nil {
			return nil, lookErr
		}
		if before.version != after.version || !before.view.Same(after.view) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.between != nil {
			r.between()
		}
		out, err := rowsOf(found)
		if !errors.Is(err, fs.ErrNotExist) {
			return out, err
		}
		last = err // a file was moved after it was found: the reader starts over
	}
	return nil, fmt.Errorf("writers never stop: %w", last)
}

// find lists the files of each partition, by spec.
func (r *reader) find(ctx context.Context, s snap) (map[string][]storage.File, error) {
	out := map[string][]storage.File{}
	sh := r.w.shape
	bucket, _, err := r.stores.Open(r.w.root)
	if err != nil {
		return nil, err
	}
	switch {
	case !sh.partitioned && (s.set == nil || s.set.Len() == 0):
		list, err := scan.Files(ctx, r.stores, []storage.Location{r.w.root}, scan.FileOptions{Direct: true, View: s.view})
		if err != nil {
			return nil, err
		}
		out[""] = list.Files
		return out, nil
	case !sh.registered:
		found, err := scan.Discover(ctx, r.stores, r.w.root, columns, scan.DiscoverOptions{})
		if err != nil {
			return nil, err
		}
		var dirs []storage.Location
		var specs []string
		for leaf := range found.Len() {
			values := make(partition.Values, len(columns))
			rel := make([]string, len(columns))
			for level := range columns {
				sp := found.Levels[level][found.Codes[level][leaf]]
				values[level], rel[level] = sp.Value, sp.Dir
			}
			dirs, specs = append(dirs, r.w.root.Join(strings.Join(rel, "/"))), append(specs, partition.SpecText(columns, values))
		}
		list, err := scan.Files(ctx, r.stores, dirs, scan.FileOptions{View: s.view})
		if err != nil {
			return nil, err
		}
		for i, spec := range specs {
			out[spec] = append(out[spec], list.Of(i)...)
		}
		return out, nil
	}
	var dirs []storage.Location
	var specs []string
	for row := range s.set.Len() {
		spec := s.set.Spec(row)
		if s.set.Content(row).Recorded {
			lists, err := r.lists.Of(ctx, bucket, r.w.root, s.set, []int{row})
			if err != nil {
				return nil, err
			}
			out[spec] = lists[0]
			if c := s.set.Content(row); int(c.Files) != len(lists[0]) {
				return nil, fmt.Errorf("%s has %d files, its entry says %d", spec, len(lists[0]), c.Files)
			}
			continue
		}
		rel, abs := s.set.Path(row)
		loc := r.w.root.Join(rel)
		if abs != "" {
			if loc, err = storage.ParseLocation(abs, ""); err != nil {
				return nil, err
			}
		}
		dirs, specs = append(dirs, loc), append(specs, spec)
	}
	if len(dirs) == 0 {
		return out, nil
	}
	list, err := scan.Files(ctx, r.stores, dirs, scan.FileOptions{View: s.view, Direct: !sh.partitioned})
	if err != nil {
		return nil, err
	}
	for i, spec := range specs {
		out[spec] = list.Of(i)
	}
	return out, nil
}

func rowsOf(found map[string][]storage.File) (answer, error) {
	out := answer{}
	for spec, files := range found {
		out.add(spec)
		for _, f := range files {
			path, ok := f.LocalPath()
			if !ok {
				path = "/" + f.Key
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if f.Size != int64(len(data)) {
				return nil, fmt.Errorf("%s has %d bytes, listed were %d", path, len(data), f.Size)
			}
			out.add(spec, strings.Fields(string(data))...)
		}
	}
	return out, nil
}

// answer is what a reader of the catalog sees now.
func (w *world) answer() answer {
	w.t.Helper()
	return must(w.reader().read(w.t.Context()))(w.t)
}

// listed is what a program sees that knows nothing of the catalog: it reads the directories, and passes over names that begin
// with '_' or '.'.
func (w *world) listed() answer {
	w.t.Helper()
	out := answer{}
	walk := func(dir, spec string) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if path != dir && (strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".")) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if d.IsDir() {
				return nil
			}
			at := spec
			if rel, err := filepath.Rel(dir, filepath.Dir(path)); err == nil && rel != "." {
				at = rel
			}
			data, err := os.ReadFile(path)
			out.add(at, strings.Fields(string(data))...)
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) {
			check(w.t, err)
		}
	}
	walk(w.path(w.root), "")
	if w.shape.custom {
		walk(w.path(w.elsewhere), elsewhereSpec)
	}
	return out
}

// txns are all transactions that the catalog has.
func (w *world) txns(t testing.TB) []*catalog.Txn {
	t.Helper()
	var out []*catalog.Txn
	check(t, w.store.Read(context.Background(), func(tx catalog.ReadTx) (err error) {
		out, err = tx.Txns("", true)
		return err
	}))
	return out
}

// tableNow is the table's definition.
func (w *world) tableNow(t testing.TB) *catalog.Table {
	t.Helper()
	var out *catalog.Table
	check(t, w.store.Read(context.Background(), func(tx catalog.ReadTx) (err error) {
		out, err = tx.TableByID(w.table)
		return err
	}))
	return out
}
