package mem

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/storage"
)

// Move implements storage.Mover.
func (d *Driver) Move(ctx context.Context, src, dst string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "move", src); err != nil {
		return err
	}
	if strings.HasPrefix(dst, src+"/") {
		return fail("move", dst, storage.BadLocation)
	}
	if err := d.room("move", src); err != nil {
		return err
	}
	if d.objects[src] == nil && !d.isDir(src+"/") {
		return fail("move", src, storage.NotFound)
	}
	if err := d.room("move", dst); err != nil {
		return err
	}
	if !d.isDir(dst[:strings.LastIndexByte(dst, '/')+1]) {
		return fail("move", dst, storage.NotFound)
	}
	return d.move("move", src, dst)
}

// move moves an object or a directory with all below it, and makes the directories above dst. The caller holds mu.
func (d *Driver) move(op, src, dst string) error {
	if d.objects[dst] != nil || d.isDir(dst+"/") {
		return fail(op, dst, storage.AlreadyExists)
	}
	if err := d.room(op, dst); err != nil {
		return err
	}
	if o := d.objects[src]; o != nil {
		delete(d.objects, src)
		d.makeDirs(dst[:strings.LastIndexByte(dst, '/')+1])
		d.objects[dst] = o
		return nil
	}
	if !d.isDir(src + "/") {
		return fail(op, src, storage.NotFound)
	}
	d.makeDirs(dst + "/")
	d.take(src+"/").put(d, dst+"/")
	return nil
}

// tree is a directory taken out of a driver: what lies in it, by keys below it.
type tree struct {
	objects map[string]*object
	dirs    []string
}

// take removes a directory and returns what it held. The caller holds mu.
func (d *Driver) take(dir string) tree {
	t := tree{objects: map[string]*object{}}
	for key, o := range d.objects {
		if rest, ok := strings.CutPrefix(key, dir); ok {
			t.objects[rest] = o
			delete(d.objects, key)
		}
	}
	for key := range d.dirs {
		if rest, ok := strings.CutPrefix(key, dir); ok {
			t.dirs = append(t.dirs, rest)
			delete(d.dirs, key)
		}
	}
	return t
}

// put makes the directory dir of what t holds.
func (t tree) put(d *Driver, dir string) {
	for _, rest := range t.dirs {
		d.dirs[dir+rest] = true
	}
	for rest, o := range t.objects {
		d.objects[dir+rest] = o
	}
}

// Exchange implements storage.Mover.
func (d *Driver) Exchange(ctx context.Context, a, b string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	if err := d.begin(ctx, "exchange", a); err != nil {
		return err
	}
	if strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/") {
		return fail("exchange", a, storage.BadLocation)
	}
	for _, dir := range []string{a + "/", b + "/"} {
		if err := d.room("exchange", dir); err != nil {
			return err
		}
		if !d.isDir(dir) {
			return fail("exchange", dir, storage.NotFound)
		}
	}
	first, second := d.take(a+"/"), d.take(b+"/")
	first.put(d, b+"/")
	second.put(d, a+"/")
	return nil
}

// EnsureDir implements storage.Mover. Everything in memory is as durable as it gets.
func (d *Driver) EnsureDir(ctx context.Context, key string) error { return d.MakeDir(ctx, key) }

// RemoveDir implements storage.Mover.
func (d *Driver) RemoveDir(ctx context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key = strings.TrimSuffix(key, "/")
	if err := d.begin(ctx, "rmdir", key); err != nil {
		return err
	}
	dir := key + "/"
	switch {
	case key == "":
		return fail("rmdir", key, storage.BadLocation)
	case d.objects[key] != nil:
		return fail("rmdir", key, storage.NotADirectory)
	}
	for k := range d.objects {
		if strings.HasPrefix(k, dir) {
			return fail("rmdir", key, storage.NotEmpty)
		}
	}
	for k := range d.dirs {
		if k != dir && strings.HasPrefix(k, dir) {
			return fail("rmdir", key, storage.NotEmpty)
		}
	}
	delete(d.dirs, dir)
	return nil
}

// Sync implements storage.Mover: there is nothing to do, but it is remembered.
func (d *Driver) Sync(ctx context.Context, files, dirs []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Concat(files, dirs) {
		if err := d.begin(ctx, "sync", key); err != nil {
			return err
		}
	}
	return ctx.Err()
}
