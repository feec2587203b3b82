package scan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// leafDir is a directory that directly holds files which are not ignored.
type leafDir struct {
	key   string           // "" or ending with '/'
	files []storage.Object // those to read, sorted by key
}

// treeWalk lists every directory below a root, whatever it is called.
type treeWalk struct {
	ctx    context.Context
	bucket *storage.Bucket
	files  FileOptions

	leaves  []leafDir
	entered []string
	links   []linkedDir
	visited map[storage.Identity]bool // nil until needed
}

// run lists the tree below root, level by level, the directories of a level in parallel. Symbolic links come last: what is
// really there comes first.
func (t *treeWalk) run(root string) error {
	level := []string{root}
	for len(level) > 0 {
		results := make([]treeDir, len(level))
		if err := t.readAll(level, results); err != nil {
			return err
		}
		var next []string
		for i := range results {
			next = append(next, t.take(level[i], &results[i])...)
		}
		level = next
	}
	for len(t.links) > 0 {
		links := t.links
		t.links = nil
		slices.SortFunc(links, func(a, b linkedDir) int { return cmp.Compare(a.key, b.key) })
		for _, link := range links {
			if err := t.follow(link); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(t.leaves, func(a, b leafDir) int { return cmp.Compare(a.key, b.key) })
	return nil
}

func (t *treeWalk) readAll(keys []string, results []treeDir) error {
	return parallel.Each(t.ctx, threadCount(t.files.Threads), len(keys), func(i int) error { return t.readOne(keys[i], &results[i]) })
}

// treeDir is what one directory holds.
type treeDir struct {
	any   bool // a file that is not ignored, of any size
	files []storage.Object
	below []string
	links []linkedDir
}

// take adds what a directory holds and returns the directories below it.
func (t *treeWalk) take(key string, d *treeDir) []string {
	t.entered = append(t.entered, key)
	if d.any {
		t.leaves = append(t.leaves, leafDir{key, d.files})
	}
	t.links = append(t.links, d.links...)
	return d.below
}

func (t *treeWalk) readOne(key string, d *treeDir) error {
	err := t.readInto(key, d)
	if other, ok := t.files.View.other(key); ok && err == nil {
		// As in dirFiles.exchanged: the old files are here or there.
		var away treeDir
		err = t.readInto(other, &away)
		d.any = d.any || away.any
		here := make(map[string]bool, len(d.files))
		for _, f := range d.files {
			here[f.Key[len(key):]] = true
		}
		for _, f := range away.files {
			if !here[f.Key[len(other):]] {
				d.files = append(d.files, f)
			}
		}
	}
	return err
}

// readInto lists one directory.
func (t *treeWalk) readInto(key string, d *treeDir) error {
	linked := false
	err := t.bucket.ReadDir(t.ctx, key, true, func(e *storage.Entry) error {
		name := string(e.Name)
		switch {
		case partition.Ignored(name) || partition.IsTemporary(name):
		case e.Type == storage.FileEntry && !t.files.View.shows(key+name, name):
			// A directory that only a write under way has put files into is none yet.
		case e.Type == storage.FileEntry:
			d.any = true
			if e.Size > 0 {
				d.files = append(d.files, storage.Object{Key: key + name, IsLink: e.Link, Size: e.Size, ModTime: e.ModTime, ID: e.ID})
				linked = linked || e.Link
			}
		case e.Type == storage.DirEntry && e.Link:
			d.links = append(d.links, linkedDir{key + name + "/", e.ID})
		case e.Type == storage.DirEntry:
			d.below = append(d.below, key+name+"/")
		}
		return nil
	})
	if gone(err) {
		return nil
	}
	slices.SortFunc(d.files, func(a, b storage.Object) int { return cmp.Compare(a.Key, b.Key) })
	if linked {
		d.files = once(d.files)
	}
	return err
}

// follow lists what lies behind a symbolic link, unless it leads back up. A link that is called key=value is a partition of
// its own and may lead to what another partition holds; any other adds only what was not listed yet.
func (t *treeWalk) follow(link linkedDir) error {
	parent, name := splitKey(link.key)
	above, err := ancestors(t.ctx, t.bucket, parent)
	if err != nil {
		return err
	}
	isKey := strings.IndexByte(name, '=') >= 0
	if !isKey {
		if err := t.visitEntered(); err != nil {
			return err
		}
	}
	enter := func(id storage.Identity) bool {
		if id == (storage.Identity{}) {
			return true
		}
		if above[id] || !isKey && t.visited[id] {
			return false
		}
		if t.visited != nil {
			t.visited[id] = true
		}
		return true
	}
	if !enter(link.id) {
		return nil
	}
	for queue := []string{link.key}; len(queue) > 0; queue = queue[1:] {
		key := queue[0]
		if key != link.key {
			o, err := t.bucket.Stat(t.ctx, key)
			if gone(err) || err == nil && !enter(o.ID) {
				continue
			}
			if err != nil {
				return err
			}
		}
		var d treeDir
		if err := t.readOne(key, &d); err != nil {
			return err
		}
		queue = append(queue, t.take(key, &d)...)
	}
	return nil
}

// visitEntered notes the identity of every directory that was listed so far.
func (t *treeWalk) visitEntered() error {
	if t.visited == nil {
		t.visited = map[storage.Identity]bool{}
	}
	for _, key := range t.entered {
		o, err := t.bucket.Stat(t.ctx, key)
		if err != nil && !gone(err) {
			return err
		}
		t.visited[o.ID] = true
	}
	t.entered = nil
	delete(t.visited, storage.Identity{})
	return nil
}

// splitKey splits a directory's key into that of the directory above it and its own name.
func splitKey(key string) (parent, name string) {
	trimmed := strings.TrimSuffix(key, "/")
	i := strings.LastIndexByte(trimmed, '/') + 1
	return trimmed[:i], trimmed[i:]
}
