package delta

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/storage"
)

// Vacuuming says what VACUUM may delete.
type Vacuuming struct {
	// Retain is how long files are kept that the table does not name any more, from when they were removed from it; files that it
	// never named are kept as long from when they were written.
	Retain time.Duration
	DryRun bool
	// Kept reports whether somebody else needs a file below the table's root, such as a clone. It is asked only about files that would
	// else go.
	Kept func(storage.Location) (bool, error)
}

// unfinishedGrace is the least age at which VACUUM takes a staging directory, or a file that was not written to its end, for
// abandoned, whatever it is told to retain.
const unfinishedGrace = day

// Vacuum deletes the files below the table's root that neither the snapshot names nor a removal within the time to retain, and gives
// them, deleted or to be deleted. Files and directories whose names begin with "_" or "." stay, but for _change_data and what
// writes that died have left: their staging directories, and files that were not written to their end. Files outside the root are
// never touched.
func (s *Snapshot) Vacuum(ctx context.Context, v Vacuuming) ([]storage.Object, error) {
	now := s.Log.logs.Now()
	cutoff := now.Add(-v.Retain)
	s, removes, err := s.withTombstones(ctx, cutoff)
	if err != nil {
		return nil, err
	}
	named := &namedFiles{snap: s, keys: map[string]bool{}}
	for a := range s.Adds() {
		if err := named.add(a.Path, a.DeletionVector); err != nil {
			return nil, err
		}
	}
	for _, r := range removes {
		if err := named.add(r.Path, r.DeletionVector); err != nil {
			return nil, err
		}
	}
	b, root := s.Log.bucket, s.Log.root
	var files []storage.Object
	inner := map[string]bool{} // directories that are Delta tables of their own
	for o, err := range b.List(ctx, root.DirKey(), "", true) {
		if err != nil {
			return nil, failure(err)
		}
		if o.IsPrefix {
			continue
		}
		files = append(files, o)
		if i := strings.Index(o.Key[len(root.DirKey()):], "/"+protocol.LogDir+"/"); i >= 0 {
			inner[o.Key[:len(root.DirKey())+i+1]] = true
		}
	}
	stages := s.stages(files, now)
	var gone []storage.Object
	for _, o := range files {
		name := o.Key[len(root.DirKey()):]
		if stage, ok := stageOf(name); ok {
			if stages[stage] {
				gone = append(gone, o)
			}
			continue
		}
		if storage.IsUnfinished(path.Base(name)) && !o.IsLink && !named.keys[o.Key] && !within(inner, o.Key) {
			if o.ModTime.Before(now.Add(-unfinishedGrace)) {
				gone = append(gone, o)
			}
			continue
		}
		if !o.ModTime.Before(cutoff) || named.keys[o.Key] || s.hidden(name) || within(inner, o.Key) {
			continue
		}
		if v.Kept != nil {
			kept, err := v.Kept(b.Location(o.Key))
			if err != nil {
				return nil, err
			}
			if kept {
				continue
			}
		}
		gone = append(gone, o)
	}
	if v.DryRun {
		return gone, nil
	}
	if b.HasDirs() {
		// Before the files go, which makes the directories around them younger.
		if _, err := s.removeEmpty(ctx, root.DirKey(), inner, now.Add(-unfinishedGrace)); err != nil {
			return nil, failure(err)
		}
	}
	return gone, s.Log.deleteFiles(ctx, gone)
}

// removeEmpty removes the directories below one that hold nothing and have not changed for a long time, such as a write or a VACUUM
// that died leaves. It reports whether nothing is left in the directory, which itself stays.
func (s *Snapshot) removeEmpty(ctx context.Context, dir string, inner map[string]bool, before time.Time) (bool, error) {
	b, root := s.Log.bucket, s.Log.root.DirKey()
	empty := true
	var below []string
	err := b.ReadDir(ctx, dir, false, func(e *storage.Entry) error {
		name := dir[len(root):] + string(e.Name)
		ours := name == stagingDir || strings.HasPrefix(name, stagingDir+"/") || !s.hidden(name)
		if e.Type == storage.DirEntry && !e.Link && ours && !inner[root+name+"/"] {
			below = append(below, root+name+"/")
		} else {
			empty = false
		}
		return nil
	})
	if err != nil && storage.KindOf(err) != storage.NotFound {
		return false, err
	}
	for _, key := range below {
		o, err := b.Stat(ctx, key) // before what is in it goes: that makes it younger
		if storage.KindOf(err) == storage.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		clear, err := s.removeEmpty(ctx, key, inner, before)
		if err != nil {
			return false, err
		}
		// One into which somebody puts a file at this moment is not removed: it is not empty then.
		if !clear || !o.ModTime.Before(before) || b.RemoveDir(ctx, key) != nil {
			empty = false
		}
	}
	return empty, nil
}

// deleteFiles deletes files and the directories that they leave empty.
func (l *Log) deleteFiles(ctx context.Context, gone []storage.Object) error {
	const batch = 1000
	dirs := map[string]bool{}
	for part := range slices.Chunk(gone, batch) {
		keys := make([]string, len(part))
		for i, o := range part {
			keys[i] = o.Key
			for dir := o.Key; ; {
				dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
				if len(dir) <= len(l.root.DirKey()) {
					break
				}
				dirs[dir] = true
			}
		}
		l.logs.point("delta-vacuum")
		if err := l.bucket.Delete(ctx, keys...); err != nil {
			return failure(err)
		}
		l.logs.point("delta-vacuumed")
	}
	var order []string
	for d := range dirs {
		order = append(order, d)
	}
	// Those inside first. One that is not empty stays.
	slices.SortFunc(order, func(a, b string) int { return len(b) - len(a) })
	for _, d := range order {
		_ = l.bucket.RemoveDir(ctx, d)
	}
	return nil
}

// namedFiles are the keys below a table's root that its log names.
type namedFiles struct {
	snap *Snapshot
	keys map[string]bool
}

func (n *namedFiles) add(path string, vector *protocol.DeletionVector) error {
	root := n.snap.Log.root
	put := func(path string) {
		if loc, err := storage.ParseLocation(path, ""); err == nil && root.Contains(loc) {
			n.keys[loc.Key()] = true
		}
	}
	put(protocol.ResolvePath(root.String(), path))
	if !protocol.IsAbsolutePath(path) {
		// Writers that forget to escape percent signs name their files so.
		n.keys[root.DirKey()+path] = true
	}
	if vector == nil || vector.IsInline() {
		return nil
	}
	at, err := vector.Location(root.String())
	if err == nil {
		put(at)
	}
	return err
}

// within reports whether a key lies in one of some directories.
func within(dirs map[string]bool, key string) bool {
	for d := range dirs {
		if strings.HasPrefix(key, d) {
			return true
		}
	}
	return false
}

// hidden reports whether VACUUM passes over a name below the root, as Delta does.
func (s *Snapshot) hidden(name string) bool {
	if strings.Contains(strings.ToLower(s.Metadata.Configuration["delta.universalFormat.enabledFormats"]), "iceberg") && strings.HasPrefix(name, "metadata/") {
		return true
	}
	columns := protocol.PhysicalPartitionColumns(s.Schema, s.Metadata)
	for i, part := range strings.Split(name, "/") {
		if !strings.HasPrefix(part, "_") && !strings.HasPrefix(part, ".") || i == 0 && part == "_change_data" {
			continue
		}
		if !slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(part, c+"=") }) {
			return true
		}
	}
	return false
}

// stageOf is the staging directory that a name below the root lies in, or the claim of a statement that was making the table.
func stageOf(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, stagingDir+"/")
	stage, _, inside := strings.Cut(rest, "/")
	return stage, ok && (inside || stage == claim)
}

// stages are the staging directories in which nothing was written for a long time.
func (s *Snapshot) stages(files []storage.Object, now time.Time) map[string]bool {
	out := map[string]bool{}
	for _, o := range files {
		if stage, ok := stageOf(o.Key[len(s.Log.root.DirKey()):]); ok {
			old, seen := out[stage]
			out[stage] = (old || !seen) && o.ModTime.Before(now.Add(-unfinishedGrace))
		}
	}
	return out
}
