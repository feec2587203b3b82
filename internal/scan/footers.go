package scan

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
)

// footerCache remembers footers by the identity that a file was listed with, so that a file which changed is looked at
// again. Equal schemas are kept once: the files of a table share theirs.
type footerCache struct {
	mu      sync.Mutex
	entries map[fileIdentity]footer
	shapes  map[string]*shape
}

// fileIdentity tells a file from one that took its place. The store's own identity is part of it, since tools that copy
// trees keep times, and a file of the same name, size and time may hold other rows.
type fileIdentity struct {
	where   string
	size    int64
	modTime int64
	id      storage.Identity
}

// shape is what footers of equal schema share.
type shape struct{ footer format.Footer }

type footer struct {
	rows  int64
	shape *shape
}

// maxFooters bounds the cache. An entry takes about 200 bytes, most of it the file's location, so it holds 20 MB at most.
const maxFooters = 100_000

func newFooterCache() *footerCache {
	return &footerCache{entries: map[fileIdentity]footer{}, shapes: map[string]*shape{}}
}

func identityOf(f storage.File) fileIdentity {
	return fileIdentity{f.Location().String(), f.Size, f.ModTime.UnixNano(), f.ID}
}

func (c *footerCache) get(id fileIdentity) (footer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.entries[id]
	return f, ok
}

func (c *footerCache) put(id fileIdentity, f format.Footer) footer {
	var key strings.Builder
	key.WriteString(f.NeedsGo)
	for _, l := range f.Leaves {
		fmt.Fprintf(&key, "\x00%q\x01%s\x01%s", l.Path, l.Physical, l.Logical)
	}
	for _, s := range f.Schema {
		fmt.Fprintf(&key, "\x02%s\x03%s", s.Name, s.Type)
	}
	fmt.Fprint(&key, "\x04", f.IDs)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxFooters {
		// Forgetting everything is simple and rare; a scan of more files than fit would defeat any order of eviction.
		clear(c.entries)
		clear(c.shapes)
	}
	sh, ok := c.shapes[key.String()]
	if !ok {
		sh = &shape{footer: f}
		sh.footer.Rows = 0
		c.shapes[key.String()] = sh
	}
	out := footer{rows: f.Rows, shape: sh}
	c.entries[id] = out
	return out
}

// footerOf is a file's footer, from the cache when the file is as it was. A file that is gone has no rows and no shape when
// the session says that such files are left out.
func (sc *Scanner) footerOf(ctx context.Context, f storage.File, s Settings) (foot footer, opened bool, err error) {
	id := identityOf(f)
	if foot, ok := sc.footers.get(id); ok {
		return foot, false, nil
	}
	read, err := sc.parquet.ReadFooter(ctx, f)
	if s.IgnoreMissing && storage.KindOf(err) == storage.NotFound {
		return footer{}, false, nil
	}
	if err != nil {
		return footer{}, true, err
	}
	return sc.footers.put(id, read), true, nil
}

// footersOf reads the footers of many files side by side.
func (sc *Scanner) footersOf(ctx context.Context, files []storage.File, s Settings) ([]footer, error) {
	foots := make([]footer, len(files))
	err := parallel.Each(ctx, threadCount(0), len(files), func(i int) (err error) {
		foots[i], _, err = sc.footerOf(ctx, files[i], s)
		return err
	})
	return foots, err
}
