package storage

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Mounts are the names that a Databricks workspace gives to places (DBFS): mount points such as /mnt/lake, and the root
// below which every other dbfs:/ path lies. A nil *Mounts has none, and leaves every path as it is.
type Mounts struct {
	all    []Mount // longest point first
	bare   bool    // a root was given: paths below /mnt that no mount covers belong to it by intent
	listed int     // how many mounts people gave
}

// Mount is a name for a place.
type Mount struct {
	Point  string // "/mnt/lake"; "/" for the root
	Source Location
	// Root marks storage of the workspace itself (the root, and the warehouse that is seen inside it), which Unity-style catalogs
	// do not take tables from in place.
	Root bool
}

// Warehouse reports whether the mount is the warehouse of hive_metastore.
func (m Mount) Warehouse() bool { return m.Point == warehousePoint }

// Where a workspace's own storage is seen.
const (
	mountRoot = "/"
	// warehousePoint is where Databricks keeps the managed tables of hive_metastore.
	warehousePoint = "/user/hive/warehouse"
	dbfsScheme     = "dbfs"
	fusePath       = "/dbfs" // how programs of the machine see DBFS
)

// NewMounts reads a table of mount points and their sources. root is the place of dbfs:/ unless the table has the point "/";
// warehouse is that of hive_metastore, which dbfs:/user/hive/warehouse names. Failures are of kind BadLocation.
func NewMounts(table map[string]string, root, warehouse Location) (*Mounts, error) {
	m := &Mounts{listed: len(table), all: []Mount{{mountRoot, root, true}}}
	if !warehouse.IsZero() {
		m.all = append(m.all, Mount{warehousePoint, warehouse, true})
	}
	for point, source := range table {
		p, err := mountPoint(point)
		if err != nil {
			return nil, err
		}
		loc, err := ParseLocation(source, "")
		if err != nil {
			return nil, err
		}
		if loc.scheme == dbfsScheme {
			return nil, badLocation(source, "a mount's source is a place, not another dbfs: path")
		}
		mount := Mount{Point: p, Source: loc.Modern(), Root: p == mountRoot}
		m.bare = m.bare || mount.Root
		i := slices.IndexFunc(m.all, func(o Mount) bool { return o.Point == p })
		if i >= 0 {
			m.all[i] = mount
			continue
		}
		m.all = append(m.all, mount)
	}
	slices.SortFunc(m.all, func(a, b Mount) int {
		return cmp.Or(cmp.Compare(len(b.Point), len(a.Point)), strings.Compare(a.Point, b.Point))
	})
	return m, nil
}

// mountPoint reads "/mnt/lake", "dbfs:/mnt/lake" or "/dbfs/mnt/lake".
func mountPoint(text string) (string, error) {
	if p, ok := dbfsPath(text); ok {
		return p, nil
	}
	if !strings.HasPrefix(text, "/") {
		return "", badLocation(text, "a mount point is a path such as /mnt/lake")
	}
	return cleanPath(text), nil
}

// dbfsPath is the path within DBFS of a text that names one: dbfs:/x or /dbfs/x.
func dbfsPath(text string) (string, bool) {
	if scheme, rest, ok := splitScheme(text); ok {
		switch {
		case scheme != dbfsScheme, !strings.HasPrefix(rest, "/"):
			return "", false
		case strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "///"):
			return "", false // it has a host
		}
		return cleanPath(rest), true
	}
	if rest, ok := strings.CutPrefix(text, fusePath); ok && (rest == "" || rest[0] == '/') {
		return cleanPath("/" + rest), true
	}
	return "", false
}

// Resolve replaces the name of a place in a location as users write it: dbfs:/x, /dbfs/x, and a bare path that begins with a
// mount point. The longest point wins, by path segments: /mnt/ab is not below /mnt/a. Any other text stays as it is: a bare
// path is one of this machine. unmounted is the path below /mnt that no mount covers, which is a directory of the root then,
// as it is in a workspace: worth a warning.
func (m *Mounts) Resolve(text string) (resolved, unmounted string) {
	if m == nil {
		return text, ""
	}
	path, named := dbfsPath(text)
	if !named {
		if !strings.HasPrefix(text, "/") {
			return text, ""
		}
		path = cleanPath(text)
	}
	if named && below("/Volumes", path) {
		return path, "" // volumes are no part of DBFS: their paths have one meaning in either spelling
	}
	for _, mount := range m.all {
		if !named && mount.Root || !below(mount.Point, path) {
			continue
		}
		if mount.Point == mountRoot && below("/mnt", path) && !m.bare {
			unmounted = path
		}
		return mount.Source.Join(strings.TrimPrefix(path, mount.Point)).String(), unmounted
	}
	return text, ""
}

// below reports whether a clean path is point or lies below it.
func below(point, path string) bool {
	rest, ok := strings.CutPrefix(path, point)
	return ok && (rest == "" || rest[0] == '/' || point == mountRoot)
}

// Find is the mount that a place lies in and its path in DBFS, without the scheme. Of mounts within one another the inner one
// counts.
func (m *Mounts) Find(loc Location) (path string, mount Mount, ok bool) {
	if m == nil {
		return "", Mount{}, false
	}
	loc = loc.Modern()
	for _, c := range m.all {
		rel, inside := c.Source.Rel(loc)
		if !inside || ok && len(c.Source.path) <= len(mount.Source.path) {
			continue
		}
		path, mount, ok = strings.TrimSuffix(c.Point, "/")+"/"+rel, c, true
	}
	return cleanPath(path), mount, ok
}

// Unmounted reports whether a path of DBFS lies below /mnt, where only mounts ought to be.
func Unmounted(path string) bool { return below("/mnt", path) }

// All lists the mounts by point, the root first.
func (m *Mounts) All() []Mount {
	if m == nil {
		return nil
	}
	out := slices.Clone(m.all)
	slices.SortFunc(out, func(a, b Mount) int { return strings.Compare(a.Point, b.Point) })
	return out
}

// Configured reports whether people gave mounts: the home stands for a workspace then.
func (m *Mounts) Configured() bool { return m != nil && m.listed > 0 }

// Modern is the spelling of a location that Unity-style catalogs keep: s3a and s3n become s3, and wasbs the abfss of the same
// account. The place is the same.
func (l Location) Modern() Location {
	switch l.scheme {
	case "s3a", "s3n":
		l.scheme = "s3"
	case "wasbs":
		l.scheme = "abfss"
		l.authority = strings.Replace(l.authority, ".blob.", ".dfs.", 1)
	}
	return l
}

// errUnresolved is why a dbfs: location cannot be opened: those that name a path were resolved long before.
var errUnresolved = errors.New("the location is a name of DBFS that was not resolved; write it as dbfs:/path, without a host")
