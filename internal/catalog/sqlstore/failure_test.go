package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/test/unprivileged"
)

var ctx = context.Background()

func bootstrapped(t *testing.T, path string) {
	t.Helper()
	s, err := sqlstore.Open(ctx, path, sqlstore.Options{Actor: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := catalog.Bootstrap(ctx, s, "file:/wh"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := sqlstore.Raw(path)
	defer db.Close()
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// wantKind checks a failure's kind, and that it becomes a condition of its own.
func wantKind(t *testing.T, what string, err, kind error, condition sqlerr.Condition) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("%s: got %v, want %v", what, err, kind)
	}
	if e := catalog.Translate(err); !errors.Is(e, condition) {
		t.Errorf("%s: got condition of %v, want %s", what, e, condition)
	}
}

func list(tx catalog.ReadTx) error { _, err := tx.Catalogs(); return err }

func makeCatalog(name string) func(catalog.WriteTx) error {
	return func(tx catalog.WriteTx) error {
		c := &catalog.Catalog{Rules: catalog.UnityRules}
		c.Name = name
		return tx.CreateCatalog(c)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		prepare   func(t *testing.T, path string) string
		kind      error
		condition sqlerr.Condition
	}{
		"other file": {func(t *testing.T, path string) string {
			if err := os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 500)), 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}, catalog.ErrNotCatalog, "CATALOG_UNUSABLE.NOT_A_CATALOG"},
		"other database": {func(t *testing.T, path string) string {
			raw(t, path, "CREATE TABLE tables (x)", "INSERT INTO tables VALUES (1)")
			return path
		}, catalog.ErrNotCatalog, "CATALOG_UNUSABLE.NOT_A_CATALOG"},
		"database of another application": {func(t *testing.T, path string) string {
			raw(t, path, "PRAGMA application_id = 77", "PRAGMA user_version = 1")
			return path
		}, catalog.ErrNotCatalog, "CATALOG_UNUSABLE.NOT_A_CATALOG"},
		"newer": {func(t *testing.T, path string) string {
			bootstrapped(t, path)
			raw(t, path, "UPDATE meta SET value = '99' WHERE key = 'min_reader'", "PRAGMA user_version = 99")
			return path
		}, catalog.ErrNewer, "CATALOG_VERSION_UNSUPPORTED"},
		"newer without meta": {func(t *testing.T, path string) string {
			bootstrapped(t, path)
			raw(t, path, "DROP TABLE meta", "PRAGMA user_version = 99")
			return path
		}, catalog.ErrNewer, "CATALOG_VERSION_UNSUPPORTED"},
		"below a file": {func(t *testing.T, path string) string {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(path, "home", "catalog.db")
		}, catalog.ErrNotCreatable, "CATALOG_UNUSABLE.NOT_CREATABLE"},
		"directory": {
			func(t *testing.T, path string) string { return filepath.Dir(path) },
			catalog.ErrNotCreatable, "CATALOG_UNUSABLE.NOT_CREATABLE",
		},
		"name with NUL": {
			func(t *testing.T, path string) string { return path + "\x00" },
			catalog.ErrNotCreatable, "CATALOG_UNUSABLE.NOT_CREATABLE",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.prepare(t, file(t))
			before, _ := os.ReadFile(path)
			s, err := sqlstore.Open(ctx, path, sqlstore.Options{})
			if err == nil {
				s.Close()
			}
			wantKind(t, "Open", err, c.kind, c.condition)
			if after, _ := os.ReadFile(path); string(before) != string(after) {
				t.Error("Open changed the file")
			}
		})
	}
}

func TestNewerThatMayBeRead(t *testing.T) {
	path := file(t)
	s := open(t, path, sqlstore.Options{})
	if err := s.Write(ctx, makeCatalog("one")); err != nil {
		t.Fatal(err)
	}
	// A newer Tarn migrates the file while we have it open.
	raw(t, path, "UPDATE meta SET value = '99' WHERE key = 'min_writer'", "PRAGMA user_version = 99")
	for _, s := range []*sqlstore.Store{s, open(t, path, sqlstore.Options{})} {
		if err := s.Read(ctx, list); err != nil {
			t.Errorf("Read: %v", err)
		}
		wantKind(t, "Write", s.Write(ctx, makeCatalog("two")), catalog.ErrNewer, "CATALOG_VERSION_UNSUPPORTED")
	}
	raw(t, path, "UPDATE meta SET value = '99' WHERE key = 'min_reader'")
	wantKind(t, "Read", s.Read(ctx, list), catalog.ErrNewer, "CATALOG_VERSION_UNSUPPORTED")
}

// TestDamage overwrites each page of a file in turn: the store answers rightly or says that the file is damaged, and
// never panics. Pages that are not read go unnoticed.
func TestDamage(t *testing.T) {
	path := file(t)
	bootstrapped(t, path)
	raw(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	damaged := 0
	for at := 0; at < len(whole); at += page {
		broken := append([]byte{}, whole...)
		for i := at; i < at+page && i < len(broken); i++ {
			broken[i] ^= 0x5a
		}
		p := file(t)
		if err := os.WriteFile(p, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		err := func() error {
			s, err := sqlstore.Open(ctx, p, sqlstore.Options{})
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Read(ctx, func(tx catalog.ReadTx) error {
				c, err := tx.Catalog("main")
				if err != nil {
					return err
				}
				_, err = tx.Schemas(c.ID)
				return err
			})
		}()
		switch {
		case err == nil:
		case errors.Is(err, catalog.ErrCorrupt), errors.Is(err, catalog.ErrNotCatalog):
			damaged++
		default:
			t.Errorf("page %d: %v", at/page, err)
		}
	}
	if damaged < 3 {
		t.Errorf("only %d damaged pages were noticed", damaged)
	}
}

func TestDamagedContent(t *testing.T) {
	for name, statement := range map[string]string{
		"columns":            "UPDATE tables SET columns = '{\"type\":\"struct\"'",
		"unknown type":       "UPDATE tables SET columns = '{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"huge\"}]}'",
		"partition columns":  "UPDATE tables SET partition = '[\"a\",\"b\",\"c\",\"d\"]'",
		"partition list":     "UPDATE tables SET partition = '[1'",
		"options":            "UPDATE tables SET options = '[]'",
		"properties":         "UPDATE tables SET properties = 'x'",
		"snapshot's columns": "UPDATE snapshots SET columns = 'x'",
		"snapshot's count":   "UPDATE snapshots SET rows = 7 WHERE version = 1",
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			s := open(t, path, sqlstore.Options{CacheBytes: -1})
			table := logTable(t, s)
			raw(t, path, statement)
			err := s.Read(ctx, func(tx catalog.ReadTx) error {
				if _, err := tx.TableByID(table.ID); err != nil {
					return err
				}
				_, err := tx.Partitions(table.ID, 1)
				return err
			})
			wantKind(t, "Read", err, catalog.ErrCorrupt, "CATALOG_UNUSABLE.CORRUPT")
		})
	}
}

func TestLocked(t *testing.T) {
	path := file(t)
	s := open(t, path, sqlstore.Options{LockTimeout: 30 * time.Millisecond})
	db := sqlstore.Raw(path)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "Write", s.Write(ctx, makeCatalog("c")), catalog.ErrLocked, "CATALOG_UNUSABLE.LOCKED")
	if err := s.Read(ctx, list); err != nil {
		t.Errorf("a reader waits for a writer: %v", err)
	}
	patient := open(t, path, sqlstore.Options{LockTimeout: time.Hour})
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if err := patient.Write(short, makeCatalog("c")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a write with a deadline: %v", err)
	}
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sqlstore.Store{s, patient} {
		if err := s.Write(ctx, makeCatalog(fmt.Sprintf("c%p", s))); err != nil {
			t.Errorf("Write after the lock is gone: %v", err)
		}
	}
}

func pragma(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec("PRAGMA " + statement); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	var pages int
	if err := s.Writer().QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	pragma(t, s.Writer(), fmt.Sprintf("max_page_count = %d", pages+2))
	fill := func(tx catalog.WriteTx) error {
		for i := range 2000 {
			c := &catalog.Catalog{Securable: catalog.Securable{Name: fmt.Sprint("c", i), Comment: strings.Repeat("x", 500)}}
			if err := tx.CreateCatalog(c); err != nil {
				return err
			}
		}
		return nil
	}
	wantKind(t, "Write", s.Write(ctx, fill), catalog.ErrNoSpace, "CATALOG_UNUSABLE.NO_SPACE")
	// Passing over the failure does not help, and what comes after it is not applied on its own.
	err := s.Write(ctx, func(tx catalog.WriteTx) error {
		_ = fill(tx)
		_ = makeCatalog("after")(tx)
		return nil
	})
	wantKind(t, "Write that passes over the failure", err, catalog.ErrNoSpace, "CATALOG_UNUSABLE.NO_SPACE")
	if err := s.Read(ctx, func(tx catalog.ReadTx) error {
		cats, err := tx.Catalogs()
		if len(cats) != 0 {
			t.Errorf("%d catalogs of failed transactions are there", len(cats))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	pragma(t, s.Writer(), "max_page_count = 1000000")
	if err := s.Write(ctx, fill); err != nil {
		t.Errorf("Write after there is space: %v", err)
	}
}

func TestReadOnlyConnection(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	pragma(t, s.Writer(), "query_only = ON")
	wantKind(t, "Write", s.Write(ctx, makeCatalog("c")), catalog.ErrReadOnly, "CATALOG_UNUSABLE.READ_ONLY")
}

func TestReadOnlyFile(t *testing.T) {
	if !unprivileged.Here(t) {
		return
	}
	path := file(t)
	bootstrapped(t, path)
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlstore.Options{})
	if err := s.Read(ctx, list); err != nil {
		t.Errorf("Read: %v", err)
	}
	wantKind(t, "Write", s.Write(ctx, makeCatalog("c")), catalog.ErrReadOnly, "CATALOG_UNUSABLE.READ_ONLY")

	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := sqlstore.Open(ctx, filepath.Join(dir, "home", "catalog.db"), sqlstore.Options{})
	wantKind(t, "Open in a directory that is read-only", err, catalog.ErrNotCreatable, "CATALOG_UNUSABLE.NOT_CREATABLE")
}
