package catalog

import (
	"errors"
	"fmt"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Kinds of failure that make a store unusable, or a transaction impossible, whatever the transaction wanted. They come
// wrapped in a *StoreError; nothing of the transaction has been applied.
var (
	// ErrCorrupt: the file is damaged.
	ErrCorrupt = errors.New("the catalog file is damaged")
	// ErrNotCatalog: the file is something else.
	ErrNotCatalog = errors.New("the file is not a Tarn catalog")
	// ErrReadOnly: a write to a file, directory or disk that cannot be written.
	ErrReadOnly = errors.New("the catalog is read-only")
	// ErrLocked: another process held the catalog for longer than a write waits.
	ErrLocked = errors.New("the catalog is locked by another process")
	// ErrNoSpace: the disk is full.
	ErrNoSpace = errors.New("the disk of the catalog is full")
	// ErrNewer: a newer Tarn made or changed the catalog in a way that this one does not understand.
	ErrNewer = errors.New("the catalog was made by a newer Tarn")
	// ErrNotCreatable: the catalog, or the directory it belongs in, cannot be made or opened.
	ErrNotCreatable = errors.New("the catalog cannot be opened")
)

// StoreError is a failure of a store itself.
type StoreError struct {
	Kind error  // one of the kinds above
	Path string // of the file or directory
	// Format and Supported are set for ErrNewer: the format found, and the newest this Tarn understands.
	Format, Supported int
	Err               error // what the system said
}

// Error implements error.
func (e *StoreError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %v", e.Path, e.Kind)
	}
	return fmt.Sprintf("%s: %v: %v", e.Path, e.Kind, e.Err)
}

// Unwrap gives errors.Is the kind and the cause.
func (e *StoreError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Translate turns a *StoreError in err's chain into the error that users see; any other error comes back unchanged.
// Conditions that a statement knows better (ErrNotFound, ErrExists, ErrNotEmpty, ErrVersionChanged) are left to it.
func Translate(err error) error {
	var e *StoreError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Kind {
	case ErrNewer:
		return sqlerr.CatalogVersionUnsupported(e.Path, e.Format, e.Supported)
	case ErrCorrupt:
		return sqlerr.CatalogCorrupt(e.Path, e.Err)
	case ErrNotCatalog:
		return sqlerr.CatalogNotRecognized(e.Path, e.Err)
	case ErrReadOnly:
		return sqlerr.CatalogReadOnly(e.Path, e.Err)
	case ErrLocked:
		return sqlerr.CatalogLocked(e.Path, e.Err)
	case ErrNoSpace:
		return sqlerr.CatalogNoSpace(e.Path, e.Err)
	case ErrNotCreatable:
		return sqlerr.CatalogNotCreatable(e.Path, e.Err)
	}
	return err
}
