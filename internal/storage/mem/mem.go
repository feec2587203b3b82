// Package mem keeps objects in memory. It is a whole implementation of storage.Driver, with directories and an order of
// keys as on an object store, for tests: it can be told to fail, and it remembers what it was asked.
//
// It imports package storage and the standard library only.
package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/storage"
)

// Driver is a storage.Driver in memory. The zero Driver is empty and ready for use by many goroutines.
type Driver struct {
	mu      sync.Mutex
	objects map[string]*object
	dirs    map[string]bool // directories that were made, and those above objects; keys end with '/'
	faults  map[fault]error
	calls   []string
	clock   int64 // counts writes: the time of an object is its number in seconds since 1970
}

type object struct {
	data   []byte
	number int64
}

type fault struct{ op, key string }

// New returns an empty driver.
func New() *Driver { return &Driver{} }

// Open is a storage.Factory that always opens this driver.
func (d *Driver) Open(storage.Location) (storage.Driver, error) { return d, nil }

// Write puts objects with the same content, for the set-up of a test; a key that ends with '/' makes a directory.
func (d *Driver) Write(content string, keys ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		if strings.HasSuffix(key, "/") {
			d.makeDirs(key)
			continue
		}
		d.put(key, []byte(content))
	}
}

// Fail makes every later call of an operation (list, stat, read, put, delete, rename, mkdir, move, exchange, rmdir, sync) on a key fail with an *Error of
// this kind. For list the key is the directory ("" or ending with '/').
func (d *Driver) Fail(op, key string, kind storage.Kind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.faults == nil {
		d.faults = map[fault]error{}
	}
	d.faults[fault{op, key}] = &storage.Error{Op: op, Where: "mem:/" + key, Kind: kind, Err: errors.New(kind.String())}
}

// Calls lists the operations so far, each as "op key", and forgets them.
func (d *Driver) Calls() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := d.calls
	d.calls = nil
	return calls
}

// begin notes a call and returns the failure that is due. The caller holds mu.
func (d *Driver) begin(ctx context.Context, op, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.calls = append(d.calls, op+" "+key)
	return d.faults[fault{op, key}]
}

func fail(op, key string, kind storage.Kind) error {
	return &storage.Error{Op: op, Where: "mem:/" + key, Kind: kind, Err: errors.New(kind.String())}
}

func (d *Driver) put(key string, data []byte) *object {
	if d.objects == nil {
		d.objects = map[string]*object{}
	}
	d.makeDirs(key[:strings.LastIndexByte(key, '/')+1])
	d.clock++
	o := &object{data: data, number: d.clock}
	d.objects[key] = o
	return o
}

func (d *Driver) makeDirs(dir string) {
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	for i := 0; i < len(dir); i++ {
		if dir[i] == '/' {
			d.dirs[dir[:i+1]] = true
		}
	}
}

func (d *Driver) isDir(key string) bool { return key == "" || d.dirs[key] }

func (o *object) info(key string) storage.Object {
	return storage.Object{Key: key, Size: int64(len(o.data)), ModTime: time.Unix(o.number, 0).UTC(), ETag: fmt.Sprint(o.number)}
}

// List implements storage.Driver.
func (d *Driver) List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		all, err := d.list(ctx, prefix, after, flat)
		if err != nil {
			yield(storage.Object{}, err)
			return
		}
		for _, o := range all {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func (d *Driver) list(ctx context.Context, prefix, after string, flat bool) ([]storage.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if err := d.begin(ctx, "list", dir); err != nil {
		return nil, err
	}
	if !d.isDir(dir) {
		if d.objects[strings.TrimSuffix(dir, "/")] != nil {
			return nil, fail("list", dir, storage.NotADirectory)
		}
		return nil, fail("list", dir, storage.NotFound)
	}
	groups := map[string]storage.Object{}
	for key, o := range d.objects {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if slash := strings.IndexByte(key[len(dir):], '/'); slash >= 0 && !flat {
			group := key[:len(dir)+slash+1]
			groups[group] = storage.Object{Key: group, IsPrefix: true}
		} else {
			groups[key] = o.info(key)
		}
	}
	for key := range d.dirs {
		if !flat && key != dir && strings.HasPrefix(key, prefix) {
			group := key[:len(dir)+strings.IndexByte(key[len(dir):], '/')+1]
			groups[group] = storage.Object{Key: group, IsPrefix: true}
		}
	}
	out := make([]storage.Object, 0, len(groups))
	for key, o := range groups {
		if key > after {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b storage.Object) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// Stat implements storage.Driver.
func (d *Driver) Stat(ctx context.Context, key string) (storage.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "stat", key); err != nil {
		return storage.Object{}, err
	}
	return d.find("stat", key)
}

// find returns the object or directory of a key. The caller holds mu.
func (d *Driver) find(op, key string) (storage.Object, error) {
	if key == "" || strings.HasSuffix(key, "/") {
		if d.isDir(key) {
			return storage.Object{Key: key, IsPrefix: true}, nil
		}
		if d.objects[strings.TrimSuffix(key, "/")] != nil {
			return storage.Object{}, fail(op, key, storage.NotADirectory)
		}
		return storage.Object{}, fail(op, key, storage.NotFound)
	}
	if o := d.objects[key]; o != nil {
		return o.info(key), nil
	}
	if d.isDir(key + "/") {
		return storage.Object{}, fail(op, key, storage.IsADirectory)
	}
	return storage.Object{}, fail(op, key, storage.NotFound)
}

// Read implements storage.Driver.
func (d *Driver) Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, storage.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "read", key); err != nil {
		return nil, storage.Object{}, err
	}
	info, err := d.find("read", key)
	if err != nil {
		return nil, storage.Object{}, err
	}
	if info.IsPrefix {
		return nil, storage.Object{}, fail("read", key, storage.IsADirectory)
	}
	data := d.objects[key].data
	size := int64(len(data))
	if off < 0 {
		off = max(0, size+off)
	}
	off = min(off, size)
	if n < 0 || n > size-off {
		n = size - off
	}
	return io.NopCloser(bytes.NewReader(data[off : off+n])), info, nil
}

// Put implements storage.Driver.
func (d *Driver) Put(ctx context.Context, key string, body io.Reader, cond storage.Condition) (storage.Object, error) {
	if key == "" || strings.HasSuffix(key, "/") {
		return storage.Object{}, fail("put", key, storage.BadLocation)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return storage.Object{}, &storage.Error{Op: "put", Where: "mem:/" + key, Err: err}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "put", key); err != nil {
		return storage.Object{}, err
	}
	if err := d.room("put", key); err != nil {
		return storage.Object{}, err
	}
	old := d.objects[key]
	switch {
	case d.isDir(key + "/"):
		return storage.Object{}, fail("put", key, storage.IsADirectory)
	case cond.IfAbsent && old != nil:
		return storage.Object{}, fail("put", key, storage.AlreadyExists)
	case cond.IfMatch != "" && (old == nil || old.info(key).ETag != cond.IfMatch):
		return storage.Object{}, fail("put", key, storage.PreconditionFailed)
	}
	return d.put(key, data).info(key), nil
}

// room reports a key that cannot be made because something above it is an object.
func (d *Driver) room(op, key string) error {
	for i := 0; i < len(key); i++ {
		if key[i] == '/' && d.objects[key[:i]] != nil {
			return fail(op, key, storage.NotADirectory)
		}
	}
	return nil
}

// Delete implements storage.Driver.
func (d *Driver) Delete(ctx context.Context, keys ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		if err := d.begin(ctx, "delete", key); err != nil {
			return err
		}
		switch {
		case key == "":
			return fail("delete", key, storage.BadLocation)
		case strings.HasSuffix(key, "/"):
			for k := range d.objects {
				if strings.HasPrefix(k, key) {
					delete(d.objects, k)
				}
			}
			for k := range d.dirs {
				if strings.HasPrefix(k, key) {
					delete(d.dirs, k)
				}
			}
		case d.isDir(key + "/"):
			return fail("delete", key, storage.IsADirectory)
		default:
			delete(d.objects, key)
		}
	}
	return nil
}

// Rename implements storage.Renamer.
func (d *Driver) Rename(ctx context.Context, src, dst string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "rename", src); err != nil {
		return err
	}
	return d.move("rename", src, dst)
}

// MakeDir implements storage.DirMaker.
func (d *Driver) MakeDir(ctx context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key = strings.TrimSuffix(key, "/")
	if err := d.begin(ctx, "mkdir", key); err != nil {
		return err
	}
	if err := d.room("mkdir", key+"/"); err != nil {
		return err
	}
	d.makeDirs(key + "/")
	return nil
}

// Close implements storage.Driver.
func (d *Driver) Close() error { return nil }
