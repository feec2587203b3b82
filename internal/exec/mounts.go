package exec

import (
	"maps"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// resolved replaces a name of DBFS or of a mount by the place that it means.
func (r *run) resolved(text string) string {
	place, unmounted := r.x.Mounts.Resolve(text)
	if unmounted != "" {
		r.s.Warn("NO_MOUNT", "No mount covers dbfs:"+unmounted+", so it means the directory "+place+". Name the place in [mounts] of tarn.toml; SHOW MOUNTS lists the mounts.",
			map[string]string{"path": "dbfs:" + unmounted, "location": place})
	}
	return place
}

// resolvedOptions are options of files whose paths are places.
func (r *run) resolvedOptions(options map[string]string) map[string]string {
	for k, v := range options {
		if strings.EqualFold(k, "basePath") {
			if place := r.resolved(v); place != v {
				options = maps.Clone(options)
				options[k] = place
			}
			break
		}
	}
	return options
}

// dbfsName is a table's location as SHOW TABLE EXTENDED prints it. A table of hive_metastore whose place has a name in DBFS is
// shown by that name, as a workspace shows it: scripts that pick the tables to migrate look for locations that begin with
// dbfs: . The catalog holds the place itself, and so says everything else that prints a location. hive_metastore's own warehouse
// has a name only where mounts are configured, that is where the home stands for a workspace.
func (r *run) dbfsName(rel relation) string {
	t := rel.table
	if rel.catalog.Rules != catalog.HiveRules {
		return t.Location
	}
	loc, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return t.Location
	}
	path, mount, ok := r.x.Mounts.Find(loc)
	if !ok || mount.Warehouse() && !r.x.Mounts.Configured() {
		return t.Location
	}
	return "dbfs:" + path
}

func (r *run) showMounts(n *ast.ShowMounts) (*Result, error) {
	var rows [][]types.Value
	for _, m := range r.x.Mounts.All() {
		if like(n.Like, m.Point) {
			rows = append(rows, []types.Value{m.Point, m.Source.String()})
		}
	}
	return table(stringColumns("mountPoint", "source"), rows), nil
}
