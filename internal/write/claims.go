package write

import (
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// claims are the directories of registered partitions that do not lie where their values say: renaming a partition of an
// external table leaves it in its directory, and others were given a place of their own. The directory that other values name
// may be one of them, or lie above or below one. Its files are that partition's, and would be read twice and replaced by the
// wrong statement if a second partition had them too. Directories that their own values name never meet.
type claims struct {
	at    map[string]int // path below the table's root, "" for the root and what lies above it → row
	above map[string]int // each path above one of those → row
}

// claimsOf collects the claims of a set whose table lies at root.
func claimsOf(set *partition.Set, root storage.Location) *claims {
	c := &claims{at: map[string]int{}, above: map[string]int{}}
	var key string // of root
	for row := range set.Len() {
		if set.Canonical(row) {
			continue
		}
		path, abs := set.Path(row)
		if abs != "" {
			if key == "" {
				key = catalog.LocationKey(root.String())
			}
			switch own := catalog.LocationKey(abs); {
			case catalog.Contains(own, key):
				path = ""
			case catalog.Contains(key, own):
				path = own[len(key)+1:]
			default:
				continue
			}
		}
		c.at[path] = row
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			c.above[path[:i]] = row
		}
	}
	return c
}

// find is the row that claims a directory below the root, one above it or one below it, or -1.
func (c *claims) find(path string) int {
	if row, ok := c.above[path]; ok {
		return row
	}
	for {
		if row, ok := c.at[path]; ok {
			return row
		}
		if path == "" {
			return -1
		}
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
	}
}

// claimant is the registered partition that has the directory path below the root, which is not the one that its values
// give, or -1. It is asked for partitions that are not registered.
func (p *preparer) claimant(path string) int {
	j := p.j
	if !j.target.Registered || j.target.Layout != InPlace || len(j.target.Columns) == 0 {
		return -1
	}
	if p.claims == nil {
		p.claims = claimsOf(j.target.Set, j.target.Root)
	}
	return p.claims.find(path)
}

// claimed is the error for rows of a partition whose directory is another one's.
func (p *preparer) claimed(part *part, row int) error {
	set := p.j.target.Set
	below, there := set.Path(row)
	if there == "" {
		there = p.j.target.Root.Join(below).String()
	}
	return sqlerr.LocationOverlap("partition", p.j.target.Root.Join(part.Rel).String(), "partition", set.Spec(row), there)
}
