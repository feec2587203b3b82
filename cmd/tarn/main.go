// Command tarn is the catalog, the repair tool and the SQL engine for tables that are directories of files. This package
// wires adapters to use cases and holds no logic.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"time"
	_ "time/tzdata" // SET TIME ZONE works on machines without zone data, too

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/cli"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/demo"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	"github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/format/parquet"
	"github.com/tarnlake/tarn/internal/liveness"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/write"
)

// version is set by the linker.
var version = "dev"

func main() {
	paceCollector()
	stores := storage.NewStores(map[string]storage.Factory{"file": local.Open})
	scans := scan.NewScanner(stores, parquet.Files{}, map[string]format.Reader{"csv": csv.Reader{}, "json": json.Reader{}})
	program := &cli.Program{
		Name: os.Args[0], Version: version, Stores: stores, Scans: scans, MakeLake: demo.MakeLake, Drift: demo.Drift,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Open: func(ctx context.Context, o cli.OpenOptions) (*exec.Executor, func() error, error) {
			return open(ctx, o, stores, scans)
		},
	}
	os.Exit(program.Run(context.Background(), os.Args[1:]))
}

// open builds what runs statements on the catalog below a home directory.
func open(ctx context.Context, o cli.OpenOptions, stores *storage.Stores, scans *scan.Scanner) (*exec.Executor, func() error, error) {
	store, err := sqlstore.Open(ctx, filepath.Join(o.Home, "catalog.db"), sqlstore.Options{Actor: actor()})
	if err != nil {
		return nil, nil, err
	}
	if err := catalog.Bootstrap(ctx, store, "file:"+filepath.Join(o.Home, "warehouse")); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	mounts, err := mountsOf(ctx, store, o)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	formats := expr.TextFormats{JSON: json.Functions{}, CSV: csv.Functions{}}
	engine, err := duckdb.Open(duckdb.Config{MemoryLimit: o.Memory, Formats: formats, Writers: map[string]format.Writer{"csv": csv.Writer{}, "json": json.Writer{}}})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	process, err := liveness.Open(filepath.Join(o.Home, "run"))
	if err != nil {
		return nil, nil, errors.Join(err, engine.Close(), store.Close())
	}
	point := crashPoint(os.Getenv(crashVariable))
	writes := &write.Writer{Store: store, Stores: stores, Processes: process, Lists: &write.FileLists{Store: store}, Now: time.Now, Point: point}
	deltas := delta.NewLogs(stores)
	deltas.Point = point
	x := &exec.Executor{
		Store: store, Stores: stores, Mounts: mounts,
		Scans: scans, Writes: writes, Deltas: deltas, Engine: engine, Formats: formats, Now: time.Now, Version: version, Memory: o.Memory, Progress: o.Progress,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	closeAll := func() error { return errors.Join(engine.Close(), process.Close(), store.Close()) }
	if o.LeaveWork {
		return x, closeAll, nil
	}
	// A table whose directory was to move with its new name reads as empty until it has: finish that first.
	if _, err := x.Recover(ctx, false); err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	return x, closeAll, nil
}

// mountsOf are the mounts of a home: dbfs:/ lies below it, and its hive_metastore has the warehouse.
func mountsOf(ctx context.Context, store catalog.Store, o cli.OpenOptions) (*storage.Mounts, error) {
	var warehouse storage.Location
	err := store.Read(ctx, func(tx catalog.ReadTx) error {
		hive, err := tx.Catalog(catalog.HiveCatalog)
		if errors.Is(err, catalog.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		warehouse, err = storage.ParseLocation(hive.Location, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	root, err := storage.ParseLocation("file:"+filepath.Join(o.Home, "dbfs"), "")
	if err != nil {
		return nil, err
	}
	mounts, err := storage.NewMounts(o.Mounts, root, warehouse)
	if err != nil {
		return nil, fmt.Errorf("tarn.toml: [mounts]: %w", err)
	}
	return mounts, nil
}

// actor is the operating system's user.
func actor() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
