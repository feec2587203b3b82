package scan

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// expand reads the dirs directories above level (the root when level is 0) and returns those of the level.
func (w *walk) expand(level, dirs int) (frontier, error) {
	threads := max(1, min(threadCount(w.opts.Threads), dirs))
	batch := max(1, min(64, dirs/(threads*8)))
	workers := make([]*worker, threads)
	var next, failed atomic.Int64
	var group sync.WaitGroup
	for t := range workers {
		k := &worker{walk: w, level: level, single: dirs == 1, dict: partition.NewDict(w.layout, level)}
		workers[t] = k
		work := func() {
			for failed.Load() == 0 {
				b := int(next.Add(1)) - 1
				if b*batch >= dirs {
					return
				}
				if k.err = k.readBatch(b, b*batch, min((b+1)*batch, dirs)); k.err != nil {
					failed.Store(1)
				}
			}
		}
		if t == threads-1 {
			work() // the last worker is the caller itself
		} else {
			group.Go(work)
		}
	}
	group.Wait()
	for _, k := range workers {
		if k.err != nil {
			return frontier{}, k.err
		}
		w.skips = append(w.skips, k.skips...)
	}
	return join(workers, (dirs+batch-1)/batch), nil
}

// join puts what the workers found together, in the order of the directories that were read.
func join(workers []*worker, batches int) frontier {
	if len(workers) == 1 {
		k := workers[0]
		return frontier{names: k.spellings(), code: k.code, parent: k.parent}
	}
	dict := workers[0].dict
	total := 0
	type part struct {
		worker *worker
		remap  []uint32
		span
	}
	parts := make([]part, batches)
	for i, k := range workers {
		var remap []uint32
		if i > 0 {
			remap = dict.Absorb(k.dict)
		}
		for _, s := range k.spans {
			parts[s.batch] = part{k, remap, s}
		}
		total += len(k.code)
	}
	f := frontier{names: dict.Spellings(), code: make([]uint32, 0, total), parent: make([]uint32, 0, total)}
	for _, p := range parts {
		if p.worker == nil {
			continue
		}
		f.parent = append(f.parent, p.worker.parent[p.from:p.to]...)
		codes := p.worker.code[p.from:p.to]
		if p.remap == nil {
			f.code = append(f.code, codes...)
			continue
		}
		for _, c := range codes {
			f.code = append(f.code, p.remap[c])
		}
	}
	return f
}

// span is what one batch of directories added to a worker's columns.
type span struct{ batch, from, to int }

// worker reads directories of one level, one at a time.
type worker struct {
	*walk
	level  int
	single bool // only one directory is read: its names are distinct, and need no dictionary
	dict   *partition.Dict
	names  [][]partition.Spelling // of a single directory, in parts: there may be millions
	known  int                    // how many names there are
	unkept []bool                 // by code: Prune refused it
	code   []uint32
	parent []uint32
	spans  []span
	skips  []skip
	err    error

	// The directory that is read now.
	dir      uint32
	path     []byte // relative to the root, "" or ending with '/'
	children int    // directories of the level, kept or not
	strays   strays
	above    map[storage.Identity]bool // see ancestors; nil until a symbolic link turns up
}

func (k *worker) spellings() []partition.Spelling {
	if !k.single {
		return k.dict.Spellings()
	}
	all := make([]partition.Spelling, 0, k.known)
	for i, part := range k.names {
		all = append(all, part...)
		k.names[i] = nil
	}
	return all
}

func (k *worker) readBatch(batch, from, to int) error {
	start := len(k.code)
	for dir := from; dir < to; dir++ {
		if err := k.read(uint32(dir)); err != nil {
			return err
		}
	}
	k.spans = append(k.spans, span{batch, start, len(k.code)})
	k.gauge.add(k.opts.Progress, to-from, len(k.code)-start, k.level == len(k.cols)-1)
	return nil
}

// read reads one directory.
func (k *worker) read(dir uint32) error {
	k.dir, k.children, k.above = dir, 0, nil
	k.path = k.appendPath(k.path[:0], k.level-1, dir)
	k.strays.reset()
	noted := len(k.skips)
	err := k.bucket.ReadDir(k.ctx, k.rootKey+string(k.path), false, k.entry)
	if k.level > 0 && gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if k.level > 0 && k.children == 0 && len(k.skips) == noted {
		// Not one directory of this level and nothing said about another: the branch ends above the last column.
		k.skips = append(k.skips, skip{level: k.level - 1, isDir: true, Skip: partition.Skip{
			Path: string(k.path[:len(k.path)-1]), Reason: partition.TooShallow, Detail: k.layout.ShallowDetail(k.level - 1),
		}})
		return nil
	}
	k.strays.report(k)
	return nil
}

// entry takes one name of the directory.
func (k *worker) entry(e *storage.Entry) error {
	switch e.Type {
	case storage.DirEntry:
		return k.directory(e)
	case storage.FileEntry:
		return k.strays.add(k, e)
	case storage.BrokenEntry:
		if !partition.Ignored(string(e.Name)) {
			k.note(e.Name, partition.NotAPartition, "a symbolic link to nothing", false)
		}
	case storage.LoopEntry:
		if !partition.Ignored(string(e.Name)) {
			k.note(e.Name, partition.LinkLoop, "a symbolic link that leads to itself", false)
		}
	}
	return nil
}

func (k *worker) directory(e *storage.Entry) error {
	code, ok, reason, detail := k.classify(e.Name)
	if !ok {
		if reason != "" {
			k.note(e.Name, reason, detail, true)
		}
		return nil
	}
	k.children++
	if k.unkept != nil && k.unkept[code] {
		return nil
	}
	if e.Link {
		loop, err := k.leadsUp(e.ID)
		if err != nil {
			return err
		}
		if loop {
			k.note(e.Name, partition.LinkLoop, "a symbolic link to a directory above it", true)
			return nil
		}
	}
	k.code = append(k.code, code)
	k.parent = append(k.parent, k.dir)
	return nil
}

// classify gives a name its code, and asks Prune about each distinct name once.
func (k *worker) classify(name []byte) (code uint32, ok bool, reason partition.Reason, detail string) {
	var known int
	var sp partition.Spelling
	if k.single {
		known = k.known
		if sp, ok, reason, detail = k.layout.Classify(k.level, string(name), partition.Dir); !ok {
			return 0, false, reason, detail
		}
		code = uint32(known)
		k.keep(sp)
	} else {
		known = k.dict.Len()
		if code, ok, reason = k.dict.Code(name); !ok {
			if reason != "" {
				_, _, _, detail = k.layout.Classify(k.level, string(name), partition.Dir)
			}
			return 0, false, reason, detail
		}
		if int(code) == known {
			sp = k.dict.Spellings()[code]
		}
	}
	if int(code) == known && k.opts.Prune != nil {
		k.unkept = append(k.unkept, !k.opts.Prune(k.level, sp.Value))
	}
	return code, true, "", ""
}

// maxNames is how many names lie together at most.
const maxNames = 8192

// keep notes a name of a single directory.
func (k *worker) keep(sp partition.Spelling) {
	last := len(k.names) - 1
	if last < 0 || len(k.names[last]) == maxNames {
		k.names = append(k.names, nil)
		last++
		if last > 0 {
			k.names[last] = make([]partition.Spelling, 0, maxNames)
		}
	}
	k.names[last] = append(k.names[last], sp)
	k.known++
}

// leadsUp reports whether a symbolic link in the current directory leads to it or to one above it.
func (k *worker) leadsUp(target storage.Identity) (bool, error) {
	if target == (storage.Identity{}) {
		return false, nil
	}
	if k.above == nil {
		ids, err := ancestors(k.ctx, k.bucket, k.rootKey+string(k.path))
		if err != nil {
			return false, err
		}
		k.above = ids
	}
	return k.above[target], nil
}

func (k *worker) note(name []byte, reason partition.Reason, detail string, isDir bool) {
	k.skips = append(k.skips, skip{
		level: k.level, isDir: isDir,
		Skip: partition.Skip{Path: string(k.path) + string(name), Reason: reason, Detail: detail},
	})
}

// maxStrays is how many data files out of place are named per directory. A directory with more of them is one
// mistake, not a thousand.
const maxStrays = 10

// strays are the data files in a directory that should hold only directories.
type strays struct {
	names []string
	more  bool
}

func (s *strays) reset() { s.names, s.more = s.names[:0], false }

// add takes a file. A file of zero bytes is no data; files are only looked at until enough are known.
func (s *strays) add(k *worker, e *storage.Entry) error {
	name := string(e.Name)
	if partition.Ignored(name) || partition.IsTemporary(name) {
		return nil
	}
	if len(s.names) > maxStrays {
		s.more = true
		s.names[0] = min(s.names[0], name)
		return nil
	}
	if !k.emptyFiles || k.level == 0 {
		o, err := k.bucket.Stat(k.ctx, k.rootKey+string(k.path)+name)
		if gone(err) || err == nil && o.Size == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.names = append(s.names, name)
	return nil
}

// report notes the files of a directory.
func (s *strays) report(k *worker) {
	if len(s.names) == 0 {
		return
	}
	_, _, _, detail := k.layout.Classify(k.level, "data", partition.File)
	if len(s.names) <= maxStrays {
		for _, name := range s.names {
			k.note([]byte(name), partition.TooShallow, detail, false)
		}
		return
	}
	first := s.names[0]
	for _, name := range s.names {
		first = min(first, name)
	}
	k.note([]byte(first), partition.TooShallow, fmt.Sprintf("%s, and so do at least %d others", detail, maxStrays), false)
}

// gauge counts for Progress.
type gauge struct {
	mu          sync.Mutex
	directories int
	partitions  int
}

func (g *gauge) add(tell func(directories, partitions int), directories, found int, leaves bool) {
	if tell == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.directories += directories
	if leaves {
		g.partitions += found
	}
	tell(g.directories, g.partitions)
}
