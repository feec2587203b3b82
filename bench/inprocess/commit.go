package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/liveness"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// site is a table that commits are measured on: one partition column k INT, and a partition for each number below n.
type site struct {
	store   *sqlstore.Store
	process *liveness.Process
	writer  *write.Writer
	table   catalog.ID
	target  write.Target
	n       int
	phases  phases
}

// phases notes when a commit passed the points that the driver asks about.
type phases struct {
	mu sync.Mutex
	at map[string]time.Time
}

// named are the points of package write after each of which a phase begins.
var named = []string{"prepared", "staged", "planned", "published", "committed", "retired", "marked"}

func (p *phases) pass(point string) {
	if slices.Contains(named, point) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.at[point] = time.Now()
	}
}

// sites are the open ones by the text of their command, so that rounds replace what the round before wrote.
var sites = map[string]*site{}

// commit overwrites every partition of a site with one staged file each, and measures Commit alone.
func commit(arg string) (answer, error) {
	s := sites[arg]
	if s == nil {
		words := strings.Fields(arg)
		if len(words) != 3 {
			return answer{}, errors.New("commit MODE DIR PARTITIONS")
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return answer{}, err
		}
		if s, err = openSite(words[0], words[1], n); err != nil {
			return answer{}, err
		}
		sites[arg] = s
		if _, err := s.overwrite(); err != nil { // the first makes the partitions that are replaced from now on
			return answer{}, err
		}
	}
	return s.overwrite()
}

func openSite(mode, dir string, n int) (*site, error) {
	layouts := map[string]write.Layout{"sealed": write.Sealed, "catalog": write.Filesets, "union": write.InPlace, "exchange": write.InPlace}
	layout, ok := layouts[mode]
	if !ok {
		return nil, fmt.Errorf("no mode %q", mode)
	}
	ctx := context.Background()
	home, data := filepath.Join(dir, "home"), filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, err
	}
	root, err := storage.ParseLocation(data, "")
	if err != nil {
		return nil, err
	}
	s := &site{n: n, phases: phases{at: map[string]time.Time{}}}
	if s.store, err = sqlstore.Open(ctx, filepath.Join(home, "catalog.db"), sqlstore.Options{Actor: "bench"}); err != nil {
		return nil, err
	}
	if s.process, err = liveness.Open(filepath.Join(home, "run")); err != nil {
		return nil, err
	}
	if err := catalog.Bootstrap(ctx, s.store, "file:"+filepath.Join(home, "warehouse")); err != nil {
		return nil, err
	}
	t := &catalog.Table{
		Kind: catalog.External, Format: "parquet", Location: root.String(), Mode: catalog.Log,
		Columns: []types.Field{{Name: "id", Type: types.Of(types.BigInt)}, {Name: "k", Type: types.Of(types.Int)}}, Partition: []string{"k"},
	}
	t.Name = "t"
	err = s.store.Write(ctx, func(tx catalog.WriteTx) error {
		main, err := tx.Catalog(catalog.MainCatalog)
		if err != nil {
			return err
		}
		schema, err := tx.Schema(main.ID, catalog.DefaultSchema)
		if err != nil {
			return err
		}
		t.SchemaID = schema.ID
		return tx.CreateTable(t)
	})
	if err != nil {
		return nil, err
	}
	s.table = t.ID
	s.writer = &write.Writer{
		Store: s.store, Stores: storage.NewStores(map[string]storage.Factory{"file": local.Open}), Processes: s.process,
		Lists: &write.FileLists{Store: s.store}, Now: time.Now, Point: s.phases.pass,
	}
	s.target = write.Target{
		Name: "t", Root: root, Layout: layout, Columns: []partition.Column{{Name: "k", Type: types.Of(types.Int)}}, Registered: true,
		Strategy: "union", Marker: layout == write.InPlace, Grace: time.Hour,
	}
	if mode == "exchange" {
		s.target.Strategy = mode
	}
	return s, nil
}

// overwrite stages a file for each partition and commits them. What is behind the engine's door does not matter here, so the
// files hold a few bytes.
func (s *site) overwrite() (answer, error) {
	ctx := context.Background()
	target := s.target
	err := s.store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if target.Table, err = tx.TableByID(s.table); err != nil {
			return err
		}
		target.Set, err = tx.Partitions(s.table, 0)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	job, err := s.writer.Begin(ctx, target, write.Scope{Kind: write.ReplaceWritten}, catalog.Commit{Operation: "INSERT OVERWRITE"})
	if err != nil {
		return answer{}, err
	}
	defer job.Abort(ctx)
	dir, err := job.Stage(ctx)
	if err != nil {
		return answer{}, err
	}
	files := make([]write.File, s.n)
	for k := range files {
		name := "k=" + strconv.Itoa(k) + "/0.parquet"
		body := []byte(job.ID())
		if err := os.Mkdir(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			return answer{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			return answer{}, err
		}
		files[k] = write.File{Name: name, Suffix: ".parquet", Values: partition.Values{int64(k)}, Rows: 1, Bytes: int64(len(body))}
	}
	replaces := int64(target.Set.Len())
	clear(s.phases.at)
	var res write.Result
	var start time.Time
	a, err := timed(func() (err error) {
		start = time.Now()
		res, err = job.Commit(ctx, files)
		return err
	})
	if err != nil {
		return a, err
	}
	if res.Replaced != replaces || res.Added+res.Replaced != int64(s.n) {
		return a, fmt.Errorf("added %d and replaced %d partitions of %d", res.Added, res.Replaced, s.n)
	}
	a.Count, a.Each = s.n, s.phases.since(start, a.Seconds)
	return a, nil
}

// since tells the seconds of each phase, by the point that ends it; what comes after the last is "done".
func (p *phases) since(start time.Time, total float64) map[string]float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]float64{}
	last := start
	for _, point := range named {
		if at, ok := p.at[point]; ok {
			out[point], last = at.Sub(last).Seconds(), at
		}
	}
	out["done"] = total - last.Sub(start).Seconds()
	return out
}
