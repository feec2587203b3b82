package sqlstore

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

// errDamaged marks content that SQLite reads but that cannot be a catalog's.
var errDamaged = errors.New("damaged content")

// failure turns an error of the driver into the store's own kinds. Errors that a caller's function made, and those
// of the port, come back unchanged.
func (s *Store) failure(err error) error {
	if err == nil {
		return nil
	}
	var known *catalog.StoreError
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, errDamaged) || errors.Is(err, partition.ErrCorrupt) {
		return &catalog.StoreError{Kind: catalog.ErrCorrupt, Path: s.path, Err: err}
	}
	kind := kindOf(err)
	if kind == nil {
		return err
	}
	return &catalog.StoreError{Kind: kind, Path: s.path, Err: err}
}

// kindOf is the kind of a driver's error, nil for others.
func kindOf(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		switch {
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return catalog.ErrNoSpace
		}
		return nil
	}
	if e.Code == sqlite3.ErrError && (strings.HasPrefix(e.Error(), "no such table") || strings.HasPrefix(e.Error(), "no such column")) {
		return catalog.ErrCorrupt // the header says that it is a catalog, and somebody has taken a part of it away
	}
	switch e.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrFormat:
		return catalog.ErrCorrupt
	case sqlite3.ErrNotADB:
		return catalog.ErrNotCatalog
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return catalog.ErrReadOnly
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return catalog.ErrLocked
	case sqlite3.ErrFull:
		return catalog.ErrNoSpace
	case sqlite3.ErrCantOpen:
		return catalog.ErrNotCreatable
	case sqlite3.ErrIoErr:
		switch e.SystemErrno {
		case syscall.ENOSPC, syscall.EDQUOT:
			return catalog.ErrNoSpace
		case syscall.EROFS, syscall.EACCES, syscall.EPERM:
			return catalog.ErrReadOnly
		}
		if e.ExtendedCode == sqlite3.ErrIoErrShortRead {
			return catalog.ErrCorrupt
		}
		return catalog.ErrNotCreatable
	}
	return nil
}

// busy reports whether another connection's lock is what failed.
func busy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked || e.Code == sqlite3.ErrProtocol)
}

// constraint turns a broken constraint into the port's errors: a taken name or id, and for a reference that would dangle
// what the caller says it means.
func constraint(err, dangling error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) || e.Code != sqlite3.ErrConstraint {
		return err
	}
	switch e.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey, sqlite3.ErrConstraintRowID:
		return catalog.ErrExists
	case sqlite3.ErrConstraintForeignKey:
		return dangling
	}
	return err
}

// notCreatable is the failure to make the directory or file.
func notCreatable(path string, err error) error {
	kind := catalog.ErrNotCreatable
	var p *fs.PathError
	if errors.As(err, &p) && errors.Is(p.Err, syscall.ENOSPC) {
		kind = catalog.ErrNoSpace
	}
	return &catalog.StoreError{Kind: kind, Path: path, Err: err}
}
