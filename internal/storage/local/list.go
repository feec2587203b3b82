package local

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/storage"
)

// List implements storage.Driver.
func (d *Driver) List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		dir, part := prefix[:strings.LastIndexByte(prefix, '/')+1], prefix[strings.LastIndexByte(prefix, '/')+1:]
		l := lister{driver: d, ctx: ctx, after: after, flat: flat, yield: yield}
		if err := l.list(dir, part); err != nil && !errors.Is(err, errStopped) {
			yield(storage.Object{}, err)
		}
	}
}

// errStopped ends a listing whose consumer wants no more.
var errStopped = errors.New("stopped")

// lister is one call of List.
type lister struct {
	driver *Driver
	ctx    context.Context
	after  string
	flat   bool
	yield  func(storage.Object, error) bool
}

// list yields what lies in dir and begins with part. A directory sorts as its name with a slash, since that is how the
// keys below it begin.
func (l *lister) list(dir, part string) error {
	var children []storage.Object
	err := l.driver.ReadDir(l.ctx, dir, true, func(e *storage.Entry) error {
		if e.Type != storage.FileEntry && e.Type != storage.DirEntry || !strings.HasPrefix(string(e.Name), part) {
			return nil
		}
		o := storage.Object{Key: dir + string(e.Name), IsLink: e.Link, ModTime: e.ModTime, ID: e.ID}
		if e.Type == storage.DirEntry {
			o.Key += "/"
			o.IsPrefix = true
		} else {
			o.Size = e.Size
		}
		children = append(children, o)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(children, func(a, b storage.Object) int { return cmp.Compare(a.Key, b.Key) })
	for _, o := range children {
		if l.flat && o.IsPrefix && !o.IsLink {
			if o.Key < l.after && !strings.HasPrefix(l.after, o.Key) {
				continue // every key below it comes before "after"
			}
			// A directory that vanishes between the two listings holds nothing any more.
			if err := l.list(o.Key, ""); err != nil && storage.KindOf(err) != storage.NotFound {
				return err
			}
			continue
		}
		if o.Key > l.after && !l.yield(o, nil) {
			return errStopped
		}
	}
	return nil
}

// readDirPortable reads a directory through the standard library.
func (d *Driver) readDirPortable(ctx context.Context, key string, info bool, yield func(*storage.Entry) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.LocalPath(key)
	children, err := os.ReadDir(path)
	if err != nil {
		return fail("list", path, err)
	}
	var e storage.Entry
	for _, child := range children {
		e = storage.Entry{Name: append(e.Name[:0], child.Name()...)}
		mode := child.Type()
		if mode&os.ModeSymlink != 0 || info && mode.IsRegular() {
			st, err := os.Stat(path + "/" + child.Name())
			e.Link = mode&os.ModeSymlink != 0
			switch kind := kindOf(err); {
			case err == nil:
				mode = st.Mode()
				e.Size, e.ModTime, e.ID = st.Size(), st.ModTime().UTC(), identity(st)
			case e.Link && (kind == storage.NotFound || kind == storage.NotADirectory):
				e.Type = storage.BrokenEntry
			case e.Link && kind == storage.LinkLoop:
				e.Type = storage.LoopEntry
			case kind == storage.NotFound: // gone since it was named
				continue
			default:
				return fail("stat", path+"/"+child.Name(), err)
			}
		}
		if e.Type != storage.BrokenEntry && e.Type != storage.LoopEntry {
			e.Type = typeOf(mode)
		}
		if err := yield(&e); err != nil {
			return err
		}
	}
	return nil
}

func typeOf(mode os.FileMode) storage.EntryType {
	switch {
	case mode.IsDir():
		return storage.DirEntry
	case mode.IsRegular():
		return storage.FileEntry
	default:
		return storage.OtherEntry
	}
}
