package write

import (
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

// place decides the directory of each part.
func (p *preparer) place(ctx context.Context) error {
	j := p.j
	p.total = -1
	listed := !j.target.Registered && len(j.target.Columns) > 0
	if listed && (j.scope.Kind != Append) {
		if err := p.discover(ctx); err != nil {
			return err
		}
	}
	if j.target.Registered {
		p.total = int64(j.target.Set.Len())
	}
	if j.scope.Kind == ReplaceMatching || j.scope.Kind == Empty || j.scope.Kind == Remove {
		if err := p.others(ctx); err != nil {
			return err
		}
	}
	for i := range j.plan.Parts {
		if err := p.placeOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// directories calls use for each partition directory below the root, with its values in canonical form.
func (p *preparer) directories(ctx context.Context, use func(values partition.Values, dir storage.Location) error) error {
	found, err := scan.Discover(ctx, p.j.w.Stores, p.j.target.Root, p.j.target.Columns, scan.DiscoverOptions{CaseSensitive: p.j.target.CaseSensitive})
	if err != nil {
		return err
	}
	p.known = map[string][]storage.Location{}
	for leaf := range found.Len() {
		values := make(partition.Values, len(found.Columns))
		for level := range values {
			values[level] = found.Levels[level][found.Codes[level][leaf]].Value
		}
		if err := use(partition.CanonicalValues(found.Columns, values), p.j.target.Root.Join(found.Path(leaf))); err != nil {
			return err
		}
	}
	return nil
}

// discover lists the partitions of a table that keeps no log.
func (p *preparer) discover(ctx context.Context) error {
	scope := &p.j.scope
	err := p.directories(ctx, func(values partition.Values, dir storage.Location) error {
		spec := partition.SpecText(p.j.target.Columns, values)
		p.known[spec] = append(p.known[spec], dir)
		if scope.Kind == ReplaceWritten {
			return nil
		}
		in, err := p.j.contains(values)
		if err != nil || !in {
			return err
		}
		part := p.part(values)
		if len(part.New) == 0 && (scope.One == nil || scope.Kind == Empty || scope.Kind == Remove) {
			part.Action = p.j.leftOver()
		}
		return nil
	})
	p.total = int64(len(p.known))
	return err
}

// contains reports whether values are in the job's scope.
func (j *Job) contains(values partition.Values) (bool, error) {
	for _, m := range j.scope.Matchers {
		if !m.Matches(j.target.Columns[m.Col].Type, values[m.Col]) {
			return false, nil
		}
	}
	if j.scope.Selects == nil {
		return true, nil
	}
	return j.scope.Selects(values)
}

// leftOver is what happens to a partition in scope that gets no row.
func (j *Job) leftOver() action {
	if j.scope.Kind == Empty {
		return actEmpty
	}
	return actRemove
}

// others adds the parts of a static scope that get no row: registered partitions, and directories that nobody registered,
// since their files are below the directories that the statement replaces.
func (p *preparer) others(ctx context.Context) error {
	j := p.j
	if len(j.target.Columns) == 0 {
		part := p.part(partition.Values{})
		if j.scope.Kind == Empty || j.scope.Kind == Remove {
			part.Action = actEmpty
		}
		return nil
	}
	if !j.target.Registered {
		return nil // discover did it
	}
	sel, err := j.inScope(j.target.Set)
	if err != nil {
		return err
	}
	for row := range sel.Rows() {
		values := j.target.Set.Values(row)
		part := p.part(values)
		if len(part.New) == 0 && !(j.scope.One != nil && j.scope.Kind == ReplaceMatching) {
			part.Action = j.leftOver()
		}
	}
	if j.target.Layout != InPlace || j.scope.Kind != ReplaceMatching || j.scope.One != nil {
		return nil
	}
	return p.unregistered(ctx)
}

// unregistered adds directories in scope that the log does not know: an overwrite of the whole prefix that left them would
// bring their rows back at the next repair.
func (p *preparer) unregistered(ctx context.Context) error {
	return p.directories(ctx, func(values partition.Values, dir storage.Location) error {
		in, err := p.j.contains(values)
		if _, registered := p.j.target.Set.Find(values); !in || registered || err != nil {
			return err
		}
		rel, _ := p.j.target.Root.Rel(dir)
		if p.claimant(rel) >= 0 {
			return nil // its rows are not those of these values
		}
		spec := partition.SpecText(p.j.target.Columns, values)
		p.known[spec] = append(p.known[spec], dir)
		part := p.part(values)
		if len(part.New) == 0 {
			part.Action = actRemove
		}
		part.Fresh = true
		return nil
	})
}

// placeOne decides where a part's new files go and where its old ones are.
func (p *preparer) placeOne(ctx context.Context, i int) error {
	j, part := p.j, &p.j.plan.Parts[i]
	canonical := j.target.Root.Join(part.Rel)
	set := j.target.Set
	row, registered := -1, false
	if j.target.Registered {
		row, registered = set.Find(p.values[i])
		part.Fresh = !registered
	}
	switch {
	case registered:
		below, abs := set.Path(row)
		loc := j.target.Root.Join(below)
		if abs != "" {
			var err error
			if loc, err = storage.ParseLocation(abs, ""); err != nil {
				return err
			}
			if !j.target.Root.Contains(loc) {
				part.Base, part.Rel = loc.String(), ""
			}
		}
		part.Dir = loc.String()
		if set.Content(row).Recorded {
			if err := p.recorded(ctx, part, row); err != nil {
				return err
			}
		} else {
			p.dirs[i] = []storage.Location{loc}
		}
	case j.target.Registered && len(j.target.Columns) == 0 && j.target.Layout != InPlace:
		part.Dir = j.target.Root.String() // nothing is there yet
	case j.target.Registered && j.target.Layout != InPlace:
		// Files in the canonical directory of a partition that nobody registered are not of this table yet.
		part.Dir = canonical.String()
	case len(j.target.Columns) == 0:
		part.Dir = j.target.Root.String()
		p.dirs[i] = []storage.Location{j.target.Root}
	default:
		if row := p.claimant(part.Rel); row >= 0 {
			return p.claimed(part, row)
		}
		part.Dir = canonical.String()
		p.dirs[i] = p.known[part.Rel]
		if !slices.ContainsFunc(p.dirs[i], canonical.Equal) {
			p.dirs[i] = append(p.dirs[i], canonical)
		}
		if !j.target.Registered {
			if p.known != nil {
				part.Fresh = len(p.known[part.Rel]) == 0
			} else {
				exists, err := j.bucket.Exists(ctx, canonical.DirKey())
				if err != nil {
					return err
				}
				part.Fresh = !exists
			}
		}
	}
	p.layOut(i, registered && set.Content(row).Recorded)
	return nil
}

// layOut decides whether a part's new files go where the old ones are.
func (p *preparer) layOut(i int, recorded bool) {
	j, part := p.j, &p.j.plan.Parts[i]
	spec := partition.SpecText(j.target.Columns, p.values[i])
	switch {
	case part.Action == actRemove:
	case j.target.Layout == InPlace:
		part.Recorded = recorded && part.Action == actAppend
		if recorded && part.Action != actAppend {
			// The table was laid out in another way before. Its files go back to the directories that the values name.
			part.Dir = j.target.Root.Join(spec).String()
			p.dirs[i] = []storage.Location{part.dir()}
		}
	case part.Action == actAppend && !part.Fresh && (!recorded || j.target.Layout == Sealed):
		part.Recorded = recorded
	default:
		part.Dir = j.target.Root.Join(ownDir + "/" + dataDir + "/" + j.txn.ID).Join(spec).String()
		part.Recorded = true
	}
	if part.Action == actAppend || part.Fresh && j.target.Layout != InPlace {
		p.dirs[i] = nil
	}
}
