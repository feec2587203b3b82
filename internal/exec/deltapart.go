package exec

import (
	"context"
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// deltaPathOrPartition is what delta.`path` reads: the table at the path, or, as in Delta, those rows of the table around it that the
// path's last names, column=value, ask for. The directories themselves mean nothing to a Delta table, and need not be there.
func (q *relations) deltaPathOrPartition(ctx context.Context, path string, travel *bind.TimeTravel) (*bind.Relation, error) {
	rel, err := q.deltaPath(ctx, path, travel)
	if !errors.Is(err, sqlerr.Condition("DELTA_TABLE_NOT_FOUND")) && !errors.Is(err, sqlerr.Condition("PATH_NOT_FOUND")) {
		return rel, err
	}
	plain, version := path, ""
	if rest, fromPath, ok := q.run.cutVersion(path); ok {
		plain, version = rest, path[len(rest):]
		if travel != nil {
			return nil, sqlerr.DeltaTwoTravels()
		}
		travel = &fromPath
	}
	loc, lerr := q.run.location(plain)
	if lerr != nil {
		return nil, err
	}
	log, fragment := q.run.logAround(ctx, loc)
	if log == nil {
		return nil, err
	}
	at := delta.At{}
	if travel != nil {
		if at, err = travelTo(*travel); err != nil {
			return nil, err
		}
	}
	snap, err := log.Snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	if travel != nil && version == "" {
		version = "@v" + decimal(snap.Version)
	}
	where, err := fragmentPredicate(snap, loc, fragment)
	if err != nil {
		return nil, err
	}
	root := log.Root().String()
	query, err := parseView("SELECT * FROM delta."+ident.Quote(root+version)+" WHERE "+where, path)
	if err != nil {
		return nil, err
	}
	q.run.s.Warn("PARTITION_OF_DELTA_TABLE", "The path "+loc.String()+" is no table: it is read as a partition of the Delta table "+root+". Read the table WHERE "+where+" instead.",
		map[string]string{"path": loc.String(), "location": root})
	return &bind.Relation{View: &bind.View{Query: query, Namespace: bind.Namespace{Catalog: q.run.s.Catalog, Schema: q.run.s.Schema}, Temporary: true}}, nil
}

// logAround is the log of the Delta table that a place lies in, and the path from its root; nil when there is none.
func (r *run) logAround(ctx context.Context, loc storage.Location) (*delta.Log, string) {
	for dir := loc.Parent(); dir.Key() != ""; dir = dir.Parent() {
		log, err := r.x.Deltas.Open(dir)
		if err != nil {
			return nil, ""
		}
		if there, err := log.Exists(ctx); err == nil && there {
			rest, _ := dir.Rel(loc)
			return log, rest
		}
	}
	return nil, ""
}

// fragmentPredicate is the condition that a path's column=value names make. No file that it holds for is an error, as if there were no
// such place.
func fragmentPredicate(snap *delta.Snapshot, loc storage.Location, fragment string) (string, error) {
	var conditions []string
	wanted := map[string]string{} // by physical names
	for _, part := range strings.Split(fragment, "/") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return "", sqlerr.DeltaPartitionPath(fragment)
		}
		name, value = partition.Unescape(name), partition.Unescape(value)
		field := -1
		for _, p := range deltaPartition(snap) {
			if ident.Equal(p, name) {
				field = snap.Schema.Find(p)
			}
		}
		if field < 0 {
			return "", sqlerr.DeltaNonPartitionPath(name, fragment)
		}
		f := snap.Schema.Fields[field]
		if value == partition.DefaultPartition {
			conditions, value = append(conditions, ident.Quote(f.Name)+" IS NULL"), ""
		} else {
			conditions = append(conditions, ident.Quote(f.Name)+" = "+quoteSQL(value))
		}
		wanted[f.PhysicalName(protocol.MappingModeOf(snap.Metadata))] = value
	}
	for a := range snap.Adds() {
		hit := true
		for name, text := range wanted {
			hit = hit && a.PartitionValues.Get(name) == text
		}
		if hit {
			return strings.Join(conditions, " AND "), nil
		}
	}
	return "", sqlerr.DeltaPathNotFound(loc.String())
}
