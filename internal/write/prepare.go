package write

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// prepare makes the plan: which partitions change how, which files come and which go. It looks at storage and changes
// nothing.
func (j *Job) prepare(ctx context.Context, files []File) error {
	j.plan.Parts, j.plan.Old, j.plan.Suffixes = nil, nil, nil
	p := &preparer{j: j, at: map[string]int{}}
	if err := p.add(files); err != nil {
		return err
	}
	if one := j.scope.One; one != nil && j.scope.Kind != Empty && j.scope.Kind != Remove {
		p.part(one)
	}
	if err := p.place(ctx); err != nil {
		return err
	}
	if err := p.verify(ctx); err != nil {
		return err
	}
	if err := p.copyOver(ctx); err != nil {
		return err
	}
	if err := p.findOld(ctx); err != nil {
		return err
	}
	sort.Slice(j.plan.Parts, func(a, b int) bool {
		x, y := &j.plan.Parts[a], &j.plan.Parts[b]
		return cmp.Or(cmp.Compare(x.Rel, y.Rel), cmp.Compare(x.Dir, y.Dir)) < 0
	})
	p.count()
	return nil
}

type preparer struct {
	j  *Job
	at map[string]int // canonical spec → index of the part
	// values of the parts, by index.
	values []partition.Values
	// dirs are the directories that hold a part's old files; nil where the catalog names the files.
	dirs  [][]storage.Location
	known map[string][]storage.Location // of a listed table: where each partition lies
	total int64                         // partitions that there are, -1 when nobody counted
	// linked are, by directory, the names in it that are symbolic links.
	linked map[string]map[string]bool
	claims *claims // of the target's set, once somebody has asked
}

// part finds or makes the part of some values.
func (p *preparer) part(values partition.Values) *part {
	j := p.j
	values = partition.CanonicalValues(j.target.Columns, values)
	spec := partition.SpecText(j.target.Columns, values)
	i, ok := p.at[spec]
	if !ok {
		i = len(j.plan.Parts)
		p.at[spec] = i
		act := actAppend
		if j.scope.Kind != Append {
			act = actReplace
		}
		j.plan.Parts = append(j.plan.Parts, part{Values: texts(j.target.Columns, values), Action: act, Rel: spec, Base: j.target.Root.String()})
		p.values = append(p.values, values)
		p.dirs = append(p.dirs, nil)
	}
	return &j.plan.Parts[i]
}

// add makes parts of the staged files.
func (p *preparer) add(files []File) error {
	of := make([]int, len(files)) // the part of each
	var counts []int
	for i := range files {
		if i > 0 && slices.Equal(files[i].Values, files[i-1].Values) {
			of[i] = of[i-1]
			counts[of[i]]++
			continue
		}
		if err := p.admit(files[i].Values); err != nil {
			return err
		}
		p.part(files[i].Values)
		of[i] = p.at[partition.SpecText(p.j.target.Columns, files[i].Values)]
		for len(counts) <= of[i] {
			counts = append(counts, 0)
		}
		counts[of[i]]++
	}
	for i, n := range counts {
		p.j.plan.Parts[i].New = make([]added, 0, n)
	}
	suffixes := map[string]int{}
	for i := range files {
		f := &files[i]
		suffix, ok := suffixes[f.Suffix]
		if !ok {
			suffix = len(suffixes)
			suffixes[f.Suffix] = suffix
			p.j.plan.Suffixes = append(p.j.plan.Suffixes, f.Suffix)
		}
		part := &p.j.plan.Parts[of[i]]
		part.New = append(part.New, added{Staged: f.Name, Number: i, Suffix: suffix, Size: f.Bytes, Rows: f.Rows})
	}
	return nil
}

// admit refuses values that no row of this write may have.
func (p *preparer) admit(values partition.Values) error {
	cols := p.j.target.Columns
	if err := CheckNames(cols, values); err != nil {
		return err
	}
	for _, m := range p.j.scope.Matchers {
		if !m.Matches(cols[m.Col].Type, partition.Canonical(cols[m.Col], values[m.Col])) {
			return fmt.Errorf("a row of partition %s lies outside the PARTITION clause", partition.SpecText(cols, values))
		}
	}
	if p.j.scope.Selects != nil {
		ok, err := p.j.scope.Selects(partition.CanonicalValues(cols, values))
		if err != nil {
			return err
		}
		if !ok {
			return sqlerr.ReplaceWhereMismatch("the condition (partition " + partition.SpecText(cols, values) + ")")
		}
	}
	return nil
}

// verify looks at every staged file: it has to be there in the size that the engine told. Its identity is what tells later
// whether a file at the final name is this one.
func (p *preparer) verify(ctx context.Context) error {
	plan := p.j.plan
	starts, total := plan.newStarts(func(*part) bool { return true })
	return parallel.Each(ctx, workers(), total, func(i int) error {
		part, f := plan.fileAt(starts, i)
		o, err := p.j.bucket.Stat(ctx, p.j.src(part, f))
		if err != nil {
			return err
		}
		if o.Size != f.Size {
			return fmt.Errorf("the staged file %s has %d bytes, %d were written", o.Key, o.Size, f.Size)
		}
		f.ID, f.ETag, f.ModTime = o.ID, etagOf(o), o.ModTime.UnixNano()
		return nil
	})
}

// count fills in the result.
func (p *preparer) count() {
	r := Result{Txn: p.j.txn.ID}
	var touched int64
	for i := range p.j.plan.Parts {
		part := &p.j.plan.Parts[i]
		for k := range part.New {
			r.Rows += part.New[k].Rows
			r.Files++
			r.Bytes += part.New[k].Size
		}
		if len(p.j.target.Columns) == 0 {
			continue
		}
		if !part.Fresh {
			touched++
		}
		switch {
		case part.Action == actRemove && !part.Fresh:
			r.Removed++
		case part.Action == actRemove:
		case part.Fresh:
			r.Added++
		case part.Action != actAppend:
			r.Replaced++
		}
	}
	r.Untouched = -1
	if p.total >= 0 {
		r.Untouched = p.total - touched
	}
	if len(p.j.target.Columns) == 0 {
		r.Untouched = 0
	}
	p.j.plan.Result = r
}
