package storage

import (
	"context"
	"errors"
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

// Open opens the whole file for reading from its start. A file that has been truncated or rewritten in place since it was
// listed is PreconditionFailed, since others may be in the middle of it; one that was replaced by another file, or has grown,
// is read as it now is. The reader fails in the same way where the store can tell that the file changes under it.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	r, now, err := f.Bucket.Read(ctx, f.Key, 0, -1)
	if err != nil {
		return nil, err
	}
	if now.ID != (Identity{}) && now.ID == f.ID && (now.Size < f.Size || now.Size == f.Size && !now.ModTime.Equal(f.ModTime)) {
		r.Close()
		return nil, &Error{Op: "read", Where: f.Location().String(), Kind: PreconditionFailed, Err: errors.New("the file was changed after it was listed")}
	}
	return r, nil
}

// OpenAt opens the file for reads at random places.
func (f File) OpenAt(ctx context.Context) (ReaderAt, error) { return f.Bucket.OpenAt(ctx, f.Key) }
