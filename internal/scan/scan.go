// Package scan looks at storage: it discovers the partition directories of a table, lists the data files of partitions, and
// reads trees of files the way Spark reads a path. What a name means is package partition's to say, and what a query
// wants with the files its caller's.
//
// It must not import an adapter, a parser or the session.
package scan

import (
	"context"
	"errors"
	"runtime"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// threadCount is the number of workers: what was asked for, or one per processor.
func threadCount(asked int) int {
	if asked > 0 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// translate gives a failure to look at a directory its condition. Errors that have one, and the end of the context, pass
// as they are.
func translate(err error) error {
	var known *sqlerr.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var failure *storage.Error
	if !errors.As(err, &failure) {
		return err
	}
	switch failure.Kind {
	case storage.BadLocation:
		return sqlerr.InvalidLocation(failure.Where, failure.Err.Error())
	case storage.Unsupported:
		if loc, parseErr := storage.ParseLocation(failure.Where, ""); parseErr == nil {
			return sqlerr.UnsupportedLocation(failure.Where, loc.Scheme())
		}
		return sqlerr.InvalidLocation(failure.Where, failure.Err.Error())
	default:
		return sqlerr.DirectoryUnreadable(failure.Where, failure.Kind.String(), err)
	}
}

// OpenRoot finds the bucket of a location and the key under which it is listed as a directory.
func OpenRoot(stores *storage.Stores, root storage.Location) (*storage.Bucket, string, error) {
	bucket, _, err := stores.Open(root)
	if err != nil {
		return nil, "", translate(err)
	}
	return bucket, root.DirKey(), nil
}

// gone reports whether a directory is not there, or is none any more: names may vanish while a tree is read.
func gone(err error) bool {
	kind := storage.KindOf(err)
	return kind == storage.NotFound || kind == storage.NotADirectory
}

// ancestors are the identities of a directory and of all that lie above it, for telling a symbolic link that leads back
// up from one that leads elsewhere. Stores without identities have none.
func ancestors(ctx context.Context, bucket *storage.Bucket, key string) (map[storage.Identity]bool, error) {
	ids := map[storage.Identity]bool{}
	for end := 0; ; end++ {
		if end == 0 || key[end-1] == '/' {
			o, err := bucket.Stat(ctx, key[:end])
			switch kind := storage.KindOf(err); {
			case err == nil:
				ids[o.ID] = true
			case kind != storage.NotFound && kind != storage.PermissionDenied:
				// A directory above the table that may not be looked at cannot be compared; one that is gone is no
				// ancestor any more.
				return nil, err
			}
		}
		if end == len(key) {
			break
		}
	}
	delete(ids, storage.Identity{})
	return ids, nil
}

// maxDetail bounds a detail's text in bytes: names may have 255 of them.
const maxDetail = 300

func capDetail(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	end := maxDetail
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
