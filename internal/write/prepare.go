package write

import (
	"cmp"
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
	return each(ctx, total, func(i int) error {
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

// copyOver copies the staged files of partitions that lie on another file system than the staging, since nothing can be moved
// there: to a staging directory beside the partition. The plan is kept before, so that recovery knows of these directories.
func (p *preparer) copyOver(ctx context.Context) error {
	j := p.j
	if len(j.plan.Parts) == 0 {
		return nil
	}
	from, err := j.device(ctx, j.stage)
	if err != nil || from == 0 {
		return err // a store without devices moves within itself
	}
	home, err := j.device(ctx, j.target.Root)
	if err != nil {
		return err
	}
	var apart []*part
	for i := range j.plan.Parts {
		part := &j.plan.Parts[i]
		if part.Action == actRemove && j.target.Layout != InPlace {
			continue
		}
		to, err := j.device(ctx, part.dir())
		if err != nil {
			return err
		}
		if to != home && part.Base == j.plan.Root {
			part.Base, part.Rel = part.Dir, "" // behind a symbolic link
		}
		if to != from && len(part.New) > 0 {
			part.Copied = true
			apart = append(apart, part)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	data, err := encodePlan(j.plan)
	if err != nil {
		return err
	}
	if err := j.advance(ctx, j.txn.State, func(tx catalog.WriteTx, _ *catalog.Txn) error { return tx.SetTxnPlan(j.txn.ID, data) }); err != nil {
		return err
	}
	for _, part := range apart {
		err := each(ctx, len(part.New), func(i int) error { return j.copyFile(ctx, part, &part.New[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies one staged file, durably, and makes the copy the one that is moved later.
func (j *Job) copyFile(ctx context.Context, p *part, f *added) error {
	body, _, err := j.bucket.Read(ctx, j.stage.Join(f.Staged).Key(), 0, -1)
	if err != nil {
		return err
	}
	o, err := j.bucket.Put(ctx, j.src(p, f), body, storage.Condition{})
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if o.Size != f.Size {
		return fmt.Errorf("the copy %s has %d bytes, %d were written", o.Key, o.Size, f.Size)
	}
	f.ID, f.ETag, f.ModTime = o.ID, etagOf(o), o.ModTime.UnixNano()
	j.w.point("file copied")
	return nil
}

// device is the number of the file system that a directory is on, or would be on when it was made; 0 where stores have none.
func (j *Job) device(ctx context.Context, dir storage.Location) (uint64, error) {
	for {
		o, err := j.bucket.Stat(ctx, dir.DirKey())
		if err == nil {
			return o.ID.Device, nil
		}
		if kind := storage.KindOf(err); kind != storage.NotFound && kind != storage.NotADirectory || dir.Key() == "" {
			return 0, err
		}
		dir = dir.Parent()
	}
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

// recorded lists the old files of an entry whose files the catalog names.
func (p *preparer) recorded(ctx context.Context, part *part, row int) error {
	if part.Action == actAppend {
		return nil
	}
	files, err := p.j.w.FilesOf(ctx, p.j.target.Table, p.j.target.Set, row)
	if err != nil {
		return err
	}
	part.Old = appendOld(part.Old, files)
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
	for len(dirs) > 0 {
		n := min(len(dirs), listBatch)
		list, err := p.list(ctx, dirs[:n], scan.FileOptions{Direct: len(j.target.Columns) == 0, Empty: true})
		if err != nil {
			return err
		}
		for d := range n {
			part := &j.plan.Parts[owner[d]]
			files := list.Of(d)
			for i := range files {
				if own := j.bucket.Location(files[i].Key); !dirs[d].Contains(own) {
					// It was found where a writer that exchanges directories had put it: that one is first.
					return p.replacing(ctx, partition.SpecText(j.target.Columns, p.values[owner[d]]))
				}
			}
			part.Old = appendOld(part.Old, files)
		}
		dirs, owner = dirs[n:], owner[n:]
	}
	return p.chooseSwaps(ctx)
}

// replacing is the error for a partition whose files lie where an exchange has put them: a stuck write of the table, or one
// that will end.
func (p *preparer) replacing(ctx context.Context, spec string) error {
	j := p.j
	err := j.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		txns, err := tx.Txns(j.txn.Table, false)
		for _, t := range txns {
			if t.Table == j.txn.Table && j.sharesPlace(t) && err == nil {
				err = stuckError(tx, t.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return sqlerr.ConcurrentWriteConflict(j.target.Name, "another writer is replacing the partition", []string{spec})
}

// listBatch is how many directories are listed at once: what is kept of a file is a third of what a listing tells.
const listBatch = 64

// chooseSwaps decides which directories are exchanged as a whole.
func (p *preparer) chooseSwaps(ctx context.Context) error {
	j := p.j
	if j.target.Layout != InPlace || j.target.Strategy == "union" || len(j.target.Columns) == 0 {
		return nil
	}
	asked := false
	for i := range j.plan.Parts {
		part := &j.plan.Parts[i]
		if part.Action != actReplace || len(p.dirs[i]) != 1 || len(part.Old) == 0 || len(part.New) == 0 || !p.dirs[i][0].Equal(part.dir()) {
			continue
		}
		// What is put aside must not lie in what is exchanged, and what goes must lie there.
		if part.Base != j.plan.Root || part.dir().Contains(j.target.Root) || !part.allIn(part.dir().DirKey()) {
			continue
		}
		if !asked {
			// Tried in a directory of this transaction, so that nothing is left in the table when the process dies meanwhile.
			own := j.target.Root.Join(ownDir + "/" + wipDir + "/" + j.txn.ID).DirKey()
			if err := j.bucket.EnsureDir(ctx, own); err != nil {
				return err
			}
			can, err := j.bucket.CanExchange(ctx, own)
			if err != nil {
				return err
			}
			if !can && j.target.Strategy == "exchange" {
				return sqlerr.Unsupported("EXCHANGE", "tarn.inplace.strategy = exchange: the file system of "+j.target.Root.String()+" cannot swap directories. Use union")
			}
			if !can {
				return nil
			}
			asked = true
		}
		// A directory that holds anything but the files that go stays where it is: what is not known is not moved. So does one
		// that is a symbolic link.
		link, err := p.isLink(ctx, part.dir())
		if err != nil {
			return err
		}
		if !link {
			if part.Swap, err = j.holdsOnly(ctx, part.dir(), part.Old); err != nil {
				return err
			}
		}
	}
	return nil
}

// allIn reports whether the files that go lie right in a directory.
func (p *part) allIn(key string) bool {
	return !slices.ContainsFunc(p.Old, func(f old) bool { return f.Dir != key })
}

// isLink reports whether a directory is a symbolic link.
func (p *preparer) isLink(ctx context.Context, dir storage.Location) (bool, error) {
	parent := dir.Parent().DirKey()
	names, ok := p.linked[parent]
	if !ok {
		names = map[string]bool{}
		err := p.j.bucket.ReadDir(ctx, parent, false, func(e *storage.Entry) error {
			if e.Link {
				names[string(e.Name)] = true
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		if p.linked == nil {
			p.linked = map[string]map[string]bool{}
		}
		p.linked[parent] = names
	}
	return names[dir.Name()], nil
}

// replaced lists the files of a tree, or of a table, that goes as a whole.
func (p *preparer) replaced(ctx context.Context) error {
	j := p.j
	if j.target.Tree {
		list, err := p.list(ctx, []storage.Location{j.target.Root}, scan.FileOptions{Empty: true, Keys: true})
		if err != nil {
			return err
		}
		j.plan.Old = appendOld(j.plan.Old, list.Files)
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
		j.plan.Old = appendOld(j.plan.Old, files)
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

// appendOld adds listed files. Their names are copied, and those of directories shared, so that the listing can be forgotten.
func appendOld(list []old, files []storage.File) []old {
	list = slices.Grow(list, len(files))
	dir := ""
	for i := range files {
		o := &files[i].Object
		d, name := splitKey(o.Key)
		if d != dir {
			dir = strings.Clone(d)
		}
		list = append(list, old{Dir: dir, Name: strings.Clone(name), Size: o.Size, ModTime: o.ModTime.UnixNano(), ID: o.ID, ETag: strings.Clone(etagOf(*o))})
	}
	return list
}

// holdsOnly reports whether a directory's entries are exactly the given files.
func (j *Job) holdsOnly(ctx context.Context, dir storage.Location, files []old) (bool, error) {
	key := dir.DirKey()
	known := make(map[string]bool, len(files))
	for i := range files {
		known[files[i].key()] = true
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
