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

// FileOptions says which files of a directory are data.
type FileOptions struct {
	// Direct leaves plain sub-directories out, as is the rule for unpartitioned tables. Otherwise they are read.
	Direct bool
	// View hides files of writes that are under way; nil hides none.
	View *Visibility
	// Empty lists files of zero bytes, too; Keys reads key=value directories below the given ones like plain ones. An
	// overwrite asks for both, since what it replaces is all that is there.
	Empty, Keys bool
	// Threads is how many directories are read at once; 0 means one per processor.
	Threads int
}

// Listing is the data files of some directories.
type Listing struct {
	// Files are ordered by directory, then by key in byte order. The files of directory i are
	// Files[Starts[i]:Starts[i+1]].
	Files  []storage.File
	Starts []int
	// Missing are the directories (indexes, ascending) that do not exist.
	Missing []int
	// Bare are the directories (indexes, ascending) without any file that could be data, not even one of zero bytes.
	Bare []int
	// TooDeep are key=value directories below the given ones: they are not read.
	TooDeep []storage.Location
	// Empty counts files of zero bytes, Ignored those left out by their name. Neither is read.
	Empty, Ignored int
	// Linked are symbolic links to directories that were followed.
	Linked []storage.Location
}

// Of are the files of directory i.
func (l *Listing) Of(i int) []storage.File { return l.Files[l.Starts[i]:l.Starts[i+1]] }

// Files lists the data files of partition directories, or of an unpartitioned table's root with opts.Direct. Names that
// package partition ignores, files of zero bytes and what is not a file are left out. Symbolic links are followed; within
// one directory of dirs, one that leads to what is listed already, or back up, adds nothing. A directory that does not exist
// is reported as Missing; one that cannot be read is an error (FAILED_READ_FILE).
func Files(ctx context.Context, stores *storage.Stores, dirs []storage.Location, opts FileOptions) (*Listing, error) {
	results := make([]dirFiles, len(dirs))
	err := parallel.Each(ctx, threadCount(opts.Threads), len(dirs), func(i int) error {
		return results[i].list(ctx, stores, dirs[i], &opts)
	})
	if err != nil {
		return nil, translate(err)
	}
	return gather(results), nil
}

func gather(results []dirFiles) *Listing {
	l := &Listing{Starts: make([]int, len(results)+1)}
	total := 0
	for i := range results {
		total += len(results[i].files)
		l.Starts[i+1] = total
	}
	l.Files = make([]storage.File, 0, total)
	for i := range results {
		r := &results[i]
		if r.missing {
			l.Missing = append(l.Missing, i)
		}
		if len(r.files)+r.empty == 0 {
			l.Bare = append(l.Bare, i)
		}
		for _, o := range r.files {
			l.Files = append(l.Files, storage.File{Bucket: r.bucket, Object: o})
		}
		for _, key := range r.deep {
			l.TooDeep = append(l.TooDeep, r.bucket.Location(key))
		}
		for _, key := range r.followed {
			l.Linked = append(l.Linked, r.bucket.Location(key))
		}
		l.Empty += r.empty
		l.Ignored += r.ignored
	}
	return l
}

// dirFiles lists one directory and what lies below it.
type dirFiles struct {
	bucket *storage.Bucket
	opts   *FileOptions

	files   []storage.Object
	deep    []string // keys of key=value directories, without the trailing slash
	missing bool
	empty   int
	ignored int
	// followed are the keys of symbolic links to directories, without the trailing slash.
	followed []string

	entered []string                  // keys of the directories that were read
	links   []linkedDir               // symbolic links to directories, not followed yet
	visited map[storage.Identity]bool // while links are followed: directories that were read or lie above
	linked  bool                      // some file was reached through a link
}

// linkedDir is a symbolic link to a directory.
type linkedDir struct {
	key string // ending with '/'
	id  storage.Identity
}

func (d *dirFiles) list(ctx context.Context, stores *storage.Stores, dir storage.Location, opts *FileOptions) error {
	bucket, _, err := stores.Open(dir)
	if err != nil {
		return err
	}
	d.bucket, d.opts = bucket, opts
	root := dir.DirKey()
	if err := d.read(ctx, root, false); gone(err) && len(d.entered) == 0 {
		d.missing = true
		return nil
	} else if err != nil {
		return err
	}
	if err := d.follow(ctx, root); err != nil {
		return err
	}
	if err := d.exchanged(ctx, root); err != nil {
		return err
	}
	slices.SortFunc(d.files, func(a, b storage.Object) int { return cmp.Compare(a.Key, b.Key) })
	slices.Sort(d.deep)
	if d.linked {
		d.files = once(d.files)
	}
	return nil
}

// exchanged reads the directory that a write under way may have exchanged this one with: before the exchange it holds the new
// files, which are hidden, after it the old ones. Files move from here to there with the exchange, and files of others back
// after it; so it is read second and this one once more, and what moves in between is seen at least once, and counted once.
func (d *dirFiles) exchanged(ctx context.Context, root string) error {
	other, ok := d.opts.View.other(root)
	if !ok {
		return nil
	}
	names := make(map[string]bool, len(d.files))
	for _, f := range d.files {
		names[f.Key[len(root):]] = true
	}
	for _, dir := range []string{other, root} {
		before := len(d.files)
		if err := d.read(ctx, dir, false); err != nil && !gone(err) {
			return err
		}
		kept := d.files[:before]
		for _, f := range d.files[before:] {
			if name := f.Key[len(dir):]; !names[name] {
				names[name] = true
				kept = append(kept, f)
			}
		}
		d.files = kept
	}
	return nil
}

// read reads a directory and, unless only direct files are wanted, the plain directories below it. Symbolic links to
// directories wait in links, so that what is really there comes first.
func (d *dirFiles) read(ctx context.Context, key string, linked bool) error {
	var below []string
	err := d.bucket.ReadDir(ctx, key, true, func(e *storage.Entry) error {
		if e.Type != storage.FileEntry && e.Type != storage.DirEntry {
			return nil
		}
		name := string(e.Name)
		if partition.Ignored(name) || partition.IsTemporary(name) {
			if e.Type == storage.FileEntry {
				d.ignored++
			}
			return nil
		}
		if e.Type == storage.FileEntry {
			d.file(key, name, e, linked)
			return nil
		}
		switch {
		case d.opts.Direct:
		case strings.IndexByte(name, '=') >= 0 && !d.opts.Keys:
			d.deep = append(d.deep, key+name)
		case e.Link:
			d.links = append(d.links, linkedDir{key + name + "/", e.ID})
		default:
			below = append(below, key+name+"/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.entered = append(d.entered, key)
	for _, sub := range below {
		if linked {
			seen, err := d.seen(ctx, sub)
			if err != nil {
				return err
			}
			if seen {
				continue
			}
		}
		if err := d.read(ctx, sub, linked); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

func (d *dirFiles) file(key, name string, e *storage.Entry, linked bool) {
	if e.Size == 0 {
		d.empty++
		if !d.opts.Empty {
			return
		}
	}
	o := storage.Object{Key: key + name, IsLink: e.Link || linked, Size: e.Size, ModTime: e.ModTime, ID: e.ID}
	if !d.opts.View.shows(o.Key, name) {
		return
	}
	d.linked = d.linked || o.IsLink
	d.files = append(d.files, o)
}

// follow reads the directories behind symbolic links, in order of their names. None is read twice, and none that lies above
// the listed directory is read at all: a loop ends where it closes.
func (d *dirFiles) follow(ctx context.Context, root string) error {
	if len(d.links) == 0 {
		return nil
	}
	above, err := ancestors(ctx, d.bucket, root)
	if err != nil {
		return err
	}
	d.visited = above
	for _, key := range d.entered {
		if _, err := d.seen(ctx, key); err != nil {
			return err
		}
	}
	for len(d.links) > 0 {
		links := d.links
		d.links = nil
		slices.SortFunc(links, func(a, b linkedDir) int { return cmp.Compare(a.key, b.key) })
		for _, link := range links {
			if link.id != (storage.Identity{}) && d.visited[link.id] {
				continue
			}
			d.visited[link.id] = true
			d.followed = append(d.followed, strings.TrimSuffix(link.key, "/"))
			if err := d.read(ctx, link.key, true); err != nil && !gone(err) {
				return err
			}
		}
	}
	return nil
}

// seen reports whether a directory was read before, and remembers it.
func (d *dirFiles) seen(ctx context.Context, key string) (bool, error) {
	o, err := d.bucket.Stat(ctx, key)
	if gone(err) {
		return true, nil // nothing to read
	}
	if err != nil {
		return false, err
	}
	if o.ID == (storage.Identity{}) {
		return false, nil
	}
	was := d.visited[o.ID]
	d.visited[o.ID] = true
	return was, nil
}

// once drops files that a symbolic link reaches a second time. Hard links are files of their own and stay.
func once(files []storage.Object) []storage.Object {
	real := map[storage.Identity]bool{}
	for _, f := range files {
		if !f.IsLink {
			real[f.ID] = true
		}
	}
	delete(real, storage.Identity{})
	kept := files[:0]
	for _, f := range files {
		if f.IsLink && f.ID != (storage.Identity{}) {
			if real[f.ID] {
				continue
			}
			real[f.ID] = true
		}
		kept = append(kept, f)
	}
	return kept
}
