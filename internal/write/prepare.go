package write

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// prepare makes the plan: which partitions change how, which files come and which go. It looks at storage and changes
// nothing there but in the transaction's own staging.
func (j *Job) prepare(ctx context.Context, files []File) error {
	j.plan.Parts = nil
	p := &preparer{j: j, at: map[string]int{}}
	for _, f := range files {
		if err := p.add(f); err != nil {
			return err
		}
	}
	if one := j.scope.One; one != nil && j.scope.Kind != Empty && j.scope.Kind != Remove {
		p.part(one)
	}
	if err := p.verify(ctx); err != nil {
		return err
	}
	if err := p.place(ctx); err != nil {
		return err
	}
	if err := p.findOld(ctx); err != nil {
		return err
	}
	sort.Slice(j.plan.Parts, func(a, b int) bool { return j.plan.Parts[a].Rel < j.plan.Parts[b].Rel })
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
	files int
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

func (p *preparer) add(f File) error {
	if err := CheckNames(p.j.target.Columns, f.Values); err != nil {
		return err
	}
	for _, m := range p.j.scope.Matchers {
		if !m.Matches(p.j.target.Columns[m.Col].Type, partition.Canonical(p.j.target.Columns[m.Col], f.Values[m.Col])) {
			return fmt.Errorf("a row of partition %s lies outside the PARTITION clause", partition.SpecText(p.j.target.Columns, f.Values))
		}
	}
	if p.j.scope.Selects != nil {
		ok, err := p.j.scope.Selects(partition.CanonicalValues(p.j.target.Columns, f.Values))
		if err != nil {
			return err
		}
		if !ok {
			return sqlerr.ReplaceWhereMismatch("the condition (partition " + partition.SpecText(p.j.target.Columns, f.Values) + ")")
		}
	}
	part := p.part(f.Values)
	part.New = append(part.New, added{
		Src: p.j.stage.Join(f.Name).Key(), Name: fileName(p.j.txn.ID, p.files, f.Suffix), Size: f.Bytes, Rows: f.Rows,
	})
	p.files++
	return nil
}

// verify looks at every staged file: it has to be there in the size that the engine told. Its identity is what tells later
// whether a file at the final name is this one.
func (p *preparer) verify(ctx context.Context) error {
	var all []*added
	for i := range p.j.plan.Parts {
		for k := range p.j.plan.Parts[i].New {
			all = append(all, &p.j.plan.Parts[i].New[k])
		}
	}
	return each(ctx, len(all), func(i int) error {
		o, err := p.j.bucket.Stat(ctx, all[i].Src)
		if err != nil {
			return err
		}
		if o.Size != all[i].Size {
			return fmt.Errorf("the staged file %s has %d bytes, %d were written", o.Key, o.Size, all[i].Size)
		}
		all[i].ID, all[i].ETag, all[i].ModTime = o.ID, o.ETag, o.ModTime.UnixNano()
		return nil
	})
}

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

// discover lists the partitions of a table that keeps no log.
func (p *preparer) discover(ctx context.Context) error {
	found, err := scan.Discover(ctx, p.j.w.Stores, p.j.target.Root, p.j.target.Columns, scan.DiscoverOptions{CaseSensitive: p.j.target.CaseSensitive})
	if err != nil {
		return err
	}
	p.known = map[string][]storage.Location{}
	for leaf := range found.Len() {
		values := make(partition.Values, len(found.Columns))
		dirs := make([]string, len(found.Columns))
		for level := range values {
			sp := found.Levels[level][found.Codes[level][leaf]]
			values[level], dirs[level] = sp.Value, sp.Dir
		}
		spec := partition.SpecText(found.Columns, values)
		p.known[spec] = append(p.known[spec], p.j.target.Root.Join(strings.Join(dirs, "/")))
		if p.j.scope.Kind == ReplaceWritten {
			continue
		}
		in, err := p.j.contains(partition.CanonicalValues(found.Columns, values))
		if err != nil {
			return err
		}
		if in {
			part := p.part(values)
			if len(part.New) == 0 && (p.j.scope.One == nil || p.j.scope.Kind == Empty || p.j.scope.Kind == Remove) {
				part.Action = p.j.leftOver()
			}
		}
	}
	p.total = int64(len(p.known))
	return nil
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
	j := p.j
	found, err := scan.Discover(ctx, j.w.Stores, j.target.Root, j.target.Columns, scan.DiscoverOptions{CaseSensitive: j.target.CaseSensitive})
	if err != nil {
		return err
	}
	p.known = map[string][]storage.Location{}
	for leaf := range found.Len() {
		values := make(partition.Values, len(found.Columns))
		dirs := make([]string, len(found.Columns))
		for level := range values {
			sp := found.Levels[level][found.Codes[level][leaf]]
			values[level], dirs[level] = sp.Value, sp.Dir
		}
		values = partition.CanonicalValues(found.Columns, values)
		in, err := j.contains(values)
		if err != nil {
			return err
		}
		if _, registered := j.target.Set.Find(values); !in || registered {
			continue
		}
		spec := partition.SpecText(found.Columns, values)
		p.known[spec] = append(p.known[spec], j.target.Root.Join(strings.Join(dirs, "/")))
		part := p.part(values)
		if len(part.New) == 0 {
			part.Action = actRemove
		}
		part.Fresh = true
	}
	return nil
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
	sealed := j.target.Layout != InPlace
	switch {
	// A partition that is emptied moves as well: who follows its location must not find the old files there.
	case sealed && part.Action == actReplace, j.target.Layout == Sealed && part.Action == actEmpty, sealed && part.Action == actAppend && (part.Fresh || j.target.Layout == Filesets && set.Content(row).Recorded):
		part.Dir = j.target.Root.Join(ownDir + "/" + dataDir + "/" + j.txn.ID).Join(partition.SpecText(j.target.Columns, p.values[i])).String()
	}
	if part.Action == actAppend || part.Action == actReplace && sealed && part.Fresh {
		p.dirs[i] = nil
	}
	return nil
}

// recorded lists the old files of an entry whose files the catalog names.
func (p *preparer) recorded(ctx context.Context, part *part, row int) error {
	if part.Action == actAppend {
		return nil
	}
	files, err := p.j.w.FilesOf(ctx, p.j.target.Table, p.j.target.Set, row)
	if err != nil {
		return err
	}
	for _, f := range files {
		part.Old = append(part.Old, oldOf(f.Object))
	}
	return nil
}

// findOld lists the files that go, and decides which directories are exchanged as a whole.
func (p *preparer) findOld(ctx context.Context) error {
	j := p.j
	if err := p.replaced(ctx); err != nil {
		return err
	}
	var dirs []storage.Location
	var owner []int
	for i := range j.plan.Parts {
		for _, d := range p.dirs[i] {
			dirs, owner = append(dirs, d), append(owner, i)
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	list, err := p.list(ctx, dirs, scan.FileOptions{Direct: len(j.target.Columns) == 0, Empty: true})
	if err != nil {
		return err
	}
	exchange := j.target.Layout == InPlace && j.target.Strategy != "union" && len(j.target.Columns) > 0 &&
		slices.ContainsFunc(j.plan.Parts, func(p part) bool { return p.Action == actReplace && len(p.New) > 0 })
	if exchange {
		// Tried in a directory of this transaction, so that nothing is left in the table when the process dies meanwhile.
		own := j.target.Root.Join(ownDir + "/" + wipDir + "/" + j.txn.ID).DirKey()
		if err = j.bucket.EnsureDir(ctx, own); err != nil {
			return err
		}
		if exchange, err = j.bucket.CanExchange(ctx, own); err != nil {
			return err
		}
		if !exchange && j.target.Strategy == "exchange" {
			return sqlerr.Unsupported("EXCHANGE", "tarn.inplace.strategy = exchange: the file system of "+j.target.Root.String()+" cannot swap directories. Use union")
		}
	}
	for d, i := range owner {
		part := &j.plan.Parts[i]
		for _, f := range list.Of(d) {
			part.Old = append(part.Old, oldOf(f.Object))
		}
	}
	for d, i := range owner {
		part := &j.plan.Parts[i]
		if exchange && part.Rel != "" && part.Action == actReplace && len(p.dirs[i]) == 1 && len(part.Old) > 0 && len(part.New) > 0 && dirs[d].Equal(part.dir()) {
			// A directory that holds anything but the files that go stays where it is: what is not known is not moved.
			only, err := j.holdsOnly(ctx, dirs[d], part.Old)
			if err != nil {
				return err
			}
			part.Swap = only
		}
	}
	return nil
}

// replaced lists the files of a tree, or of a table, that goes as a whole.
func (p *preparer) replaced(ctx context.Context) error {
	j := p.j
	j.plan.Old = nil
	if j.target.Tree {
		list, err := p.list(ctx, []storage.Location{j.target.Root}, scan.FileOptions{Empty: true, Keys: true})
		if err != nil {
			return err
		}
		for _, f := range list.Files {
			j.plan.Old = append(j.plan.Old, oldOf(f.Object))
		}
		for i := range p.dirs {
			p.dirs[i] = nil
		}
	}
	set := j.target.Replaced
	if set == nil || !set.Recorded() {
		return nil
	}
	var rows []int
	for row := range set.Len() {
		if set.Content(row).Recorded {
			rows = append(rows, row)
		}
	}
	lists, err := j.w.Lists.Of(ctx, j.bucket, j.target.Root, set, rows)
	if err != nil {
		return err
	}
	for _, files := range lists {
		for _, f := range files {
			j.plan.Old = append(j.plan.Old, oldOf(f.Object))
		}
	}
	return nil
}

// list lists data files that readers see now.
func (p *preparer) list(ctx context.Context, dirs []storage.Location, opts scan.FileOptions) (*scan.Listing, error) {
	err := p.j.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		opts.View, err = Visible(tx, p.j.txn.Table, p.j.target.Root)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := scan.Files(ctx, p.j.w.Stores, dirs, opts)
	if err == nil && len(list.Linked) > 0 {
		err = sqlerr.Unsupported("OVERWRITE_THROUGH_LINK", "replacing files behind the symbolic link "+list.Linked[0].String()+": remove the link first")
	}
	return list, err
}

func oldOf(o storage.Object) old {
	return old{Key: o.Key, Size: o.Size, ModTime: o.ModTime.UnixNano(), ID: o.ID, ETag: o.ETag}
}

// holdsOnly reports whether a directory's entries are exactly the given files.
func (j *Job) holdsOnly(ctx context.Context, dir storage.Location, files []old) (bool, error) {
	key := dir.DirKey()
	known := make(map[string]bool, len(files))
	for _, f := range files {
		known[f.Key] = true
	}
	only := true
	err := j.bucket.ReadDir(ctx, key, false, func(e *storage.Entry) error {
		if e.Type != storage.FileEntry || e.Link || !known[key+string(e.Name)] {
			only = false
		}
		return nil
	})
	return only, err
}

// count fills in the result.
func (p *preparer) count() {
	r := Result{Txn: p.j.txn.ID}
	var touched int64
	for i := range p.j.plan.Parts {
		part := &p.j.plan.Parts[i]
		for _, f := range part.New {
			r.Rows += f.Rows
			r.Files++
			r.Bytes += f.Size
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
