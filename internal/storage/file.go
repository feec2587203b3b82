package storage

import (
	"context"
	"io"
	"strings"
)

// File is one data file: where it is and the identity it was listed with.
type File struct {
	Bucket *Bucket
	Object
}

// Location is the file's location.
func (f File) Location() Location { return f.Bucket.Location(f.Key) }

// Name is the last part of the file's key.
func (f File) Name() string { return f.Key[strings.LastIndexByte(f.Key, '/')+1:] }

// LocalPath is the file's path on this machine, when its store is one.
func (f File) LocalPath() (string, bool) { return f.Bucket.LocalPath(f.Key) }

// Open opens the whole file for reading from its start.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	r, _, err := f.Bucket.Read(ctx, f.Key, 0, -1)
	return r, err
}

// OpenAt opens the file for reads at random places.
func (f File) OpenAt(ctx context.Context) (ReaderAt, error) { return f.Bucket.OpenAt(ctx, f.Key) }
