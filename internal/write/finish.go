package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/storage"
)

// finish does what is left after the commit point: old files are put aside, the marker is written, the staging goes. It may be
// repeated.
func (j *Job) finish(ctx context.Context) error {
	if j.plan.Layout == InPlace {
		if err := j.retire(ctx); err != nil {
			return err
		}
	}
	j.w.point("retired")
	if err := j.owns(ctx); err != nil {
		return err
	}
	if err := j.writeMarker(ctx); err != nil {
		return err
	}
	j.w.point("marked")
	if err := j.dropOwn(ctx, wipDir); err != nil {
		return err
	}
	return j.advance(ctx, catalog.TxnDone, nil)
}

// outgoing yields the files that go, with the part that each belongs to, nil for those that no part has.
func (j *Job) outgoing(yield func(p *part, f *old) bool) {
	for i := range j.plan.Old {
		if !yield(nil, &j.plan.Old[i]) {
			return
		}
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range p.Old {
			if !yield(p, &p.Old[k]) {
				return
			}
		}
	}
}

// retireBatch is how many files are put aside at once.
const retireBatch = 1 << 12

// retire moves old files into the trash. A file that is not the one that was listed is somebody else's by now, and stays.
func (j *Job) retire(ctx context.Context) error {
	type move struct {
		from *old
		to   string
	}
	var batch []move
	made, touched := map[string]bool{}, map[string]bool{}
	flush := func() error {
		missing := map[string]bool{}
		for i := range batch {
			if dir, _ := splitKey(batch[i].to); !made[dir] {
				made[dir], touched[dir], missing[dir] = true, true, true
			}
		}
		if err := j.ensureDirs(ctx, missing); err != nil {
			return err
		}
		err := each(ctx, len(batch), func(i int) error {
			if err := j.putAway(ctx, batch[i].from, batch[i].to); err != nil {
				return err
			}
			j.w.point("file retired")
			return nil
		})
		batch = batch[:0]
		return err
	}
	for p, f := range j.outgoing {
		if p != nil && p.Swap {
			continue
		}
		touched[f.Dir] = true
		if batch = append(batch, move{f, j.asideKey(p, f.key())}); len(batch) == retireBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	dirs := make([]string, 0, len(touched))
	for d := range touched {
		dirs = append(dirs, d)
	}
	if err := j.syncDirs(ctx, dirs); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range j.plan.Old {
		dir := j.plan.Old[i].Dir
		if seen[dir] {
			continue
		}
		seen[dir] = true
		loc := j.bucket.Location(dir)
		if rel, ok := j.target.Root.Rel(loc); ok && rel != "" {
			if err := j.removeEmpty(ctx, loc, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	if j.plan.Tree {
		// Partitions without a file had directories, too.
		if err := j.removeEmptyTree(ctx, j.target.Root, j.kept()); err != nil {
			return err
		}
	}
	var emptied []*part
	for i := range j.plan.Parts {
		if p := &j.plan.Parts[i]; !p.Swap && (len(p.Old) > 0 || p.Action == actRemove) {
			emptied = append(emptied, p)
		}
	}
	return j.removeEmptied(ctx, emptied)
}

// putAway moves one old file into the trash.
func (j *Job) putAway(ctx context.Context, f *old, to string) error {
	now, err := j.bucket.Stat(ctx, f.key())
	switch {
	case err == nil && !f.is(now):
		return nil
	case err == nil:
		_, err = j.bucket.MoveFile(ctx, f.key(), to, now)
		return err
	}
	switch storage.KindOf(err) {
	case storage.NotFound, storage.NotADirectory, storage.IsADirectory:
		return nil // it has been moved before, or somebody deleted it
	}
	return err
}

// kept are the directories that stay though nothing may be in them: the root, and those of the plan's partitions.
func (j *Job) kept() map[string]bool {
	keep := map[string]bool{j.target.Root.DirKey(): true}
	for i := range j.plan.Parts {
		keep[j.plan.Parts[i].dir().DirKey()] = true
	}
	return keep
}

// removeEmptied removes the directories of partitions that are gone, and of plain sub-directories and other spellings that
// lost their last file.
func (j *Job) removeEmptied(ctx context.Context, parts []*part) error {
	for _, p := range parts {
		dirs := map[string]bool{}
		for k := range p.Old {
			dirs[p.Old[k].Dir] = true
		}
		own := p.dir()
		if p.Action == actRemove {
			dirs[own.DirKey()] = true
		}
		for key := range dirs {
			if key == own.DirKey() && p.Action != actRemove {
				continue
			}
			loc := j.bucket.Location(key)
			levels := 1
			if below, ok := own.Rel(loc); ok && below != "" && p.Action != actRemove {
				levels = strings.Count(below, "/") + 1 // the partition's own directory stays
			} else if rel, ok := j.target.Root.Rel(loc); ok {
				if rel == "" {
					continue // the root itself stays
				}
				levels = strings.Count(rel, "/") + 1
			}
			if err := j.removeEmpty(ctx, loc, levels); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpublish takes back what a commit has put at final names before its commit point.
func (j *Job) unpublish(ctx context.Context) error {
	touched := map[string]bool{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if p.Swap {
			if err := j.swapBack(ctx, p); err != nil {
				return err
			}
			continue
		}
		dir := p.dir()
		for k := range p.New {
			f := &p.New[k]
			// The name carries the transaction, so nobody else's file has it.
			outcome, err := j.bucket.DeleteIf(ctx, f.object(dir.DirKey()+j.name(f)))
			if err != nil {
				return err
			}
			if outcome == storage.Done {
				touched[dir.DirKey()] = true
			}
		}
		if p.Fresh && p.Action != actRemove && p.Dir != j.plan.Root {
			// Directories that this write made for partitions that there are not go when nothing is in them.
			rel, _ := j.target.Root.Rel(dir)
			if err := j.removeEmpty(ctx, dir, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	if len(touched) > 0 {
		dirs := make([]string, 0, len(touched))
		for d := range touched {
			dirs = append(dirs, d)
		}
		if err := j.bucket.Sync(ctx, nil, dirs); err != nil {
			return err
		}
	}
	return j.restoreMarker(ctx)
}

// swapBack exchanges a directory once more when it has been exchanged. Files that somebody put into the new directory meanwhile
// go with it to the old one.
func (j *Job) swapBack(ctx context.Context, p *part) error {
	if len(p.New) == 0 {
		return nil
	}
	away := p.away(j.txn.ID, swapDir)
	done, err := j.swapped(ctx, p)
	if err != nil {
		return err
	}
	if done {
		if err := j.owns(ctx); err != nil {
			return err
		}
		if err := j.bucket.Exchange(ctx, away.DirKey(), p.dir().DirKey()); err != nil {
			return err
		}
		j.w.point("exchanged back")
	}
	names := make(map[string]bool, len(p.New))
	for i := range p.New {
		names[j.name(&p.New[i])] = true
	}
	if err := j.moveForeign(ctx, away, p.dir(), func(name string, _ storage.Object) bool { return names[name] }); err != nil {
		return err
	}
	return j.bucket.Sync(ctx, nil, []string{away.Parent().DirKey(), p.dir().Parent().DirKey(), p.dir().DirKey()})
}

// unplace moves placed files back to the staging, for a commit that is planned anew, and removes the directories that were
// made for them.
func (j *Job) unplace(ctx context.Context) error {
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		dir := p.dir()
		for k := range p.New {
			f := &p.New[k]
			src := j.src(p, f)
			stage, name := splitKey(src)
			if err := j.moveFile(ctx, dir.DirKey()+j.name(f), stage, name, f); err != nil {
				return err
			}
		}
		if rel, ok := j.target.Root.Rel(dir); ok && p.Fresh && j.plan.Layout != InPlace {
			if err := j.removeEmpty(ctx, dir, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// success is the content of _SUCCESS, with the names of Hadoop's manifest committer so that its tools read it.
type success struct {
	Name        string            `json:"name"`
	Success     bool              `json:"success"`
	Timestamp   int64             `json:"timestamp"` // milliseconds since 1970
	Date        string            `json:"date"`
	Hostname    string            `json:"hostname"`
	Committer   string            `json:"committer"`
	Description string            `json:"description"`
	JobID       string            `json:"jobId"`
	JobIDSource string            `json:"jobIdSource"`
	Metrics     map[string]int64  `json:"metrics"`
	Diagnostics map[string]string `json:"diagnostics"`
	Filenames   []string          `json:"filenames"`
	State       string            `json:"state"`
}

// maxMarkerNames bounds the file names in the marker, as Hadoop does.
const maxMarkerNames = 100

// maxMarker bounds what is kept of an old marker, in bytes.
const maxMarker = 1 << 20

func (j *Job) markerKey() string { return j.target.Root.DirKey() + markerName }

// readMarker keeps the present marker in the plan, so that a write that is undone puts it back.
func (j *Job) readMarker(ctx context.Context) error {
	j.plan.Marker, j.plan.OldMarker = true, nil
	data, _, err := j.bucket.ReadAll(ctx, j.markerKey())
	switch storage.KindOf(err) {
	case storage.NotFound, storage.NotADirectory, storage.IsADirectory:
		return nil
	}
	if err != nil {
		return err
	}
	if len(data) > maxMarker {
		data = nil // an undone write leaves an empty marker, which says as much
	}
	j.plan.OldMarker = data
	j.plan.HadMarker = true
	return nil
}

// dropMarker removes the marker while the files change: "the marker is there" means that all files are of ended jobs.
func (j *Job) dropMarker(ctx context.Context) error {
	if !j.plan.Marker || !j.plan.HadMarker {
		return nil
	}
	return j.bucket.Delete(ctx, j.markerKey())
}

func (j *Job) restoreMarker(ctx context.Context) error {
	if !j.plan.Marker || !j.plan.HadMarker {
		return nil
	}
	return j.putMarker(ctx, string(j.plan.OldMarker), false)
}

// maxMarkerTries bounds how often a marker that another writer puts there is replaced.
const maxMarkerTries = 20

// putMarker writes the marker whole. Where files can be renamed it is written in the transaction's own directory first, so that
// a process that dies meanwhile leaves no part of it in the table.
func (j *Job) putMarker(ctx context.Context, body string, replace bool) error {
	if !j.bucket.CanRename() {
		_, err := j.bucket.Put(ctx, j.markerKey(), strings.NewReader(body), storage.Condition{IfAbsent: !replace})
		if storage.KindOf(err) == storage.AlreadyExists {
			return nil
		}
		return err
	}
	own := j.target.Root.Join(ownDir + "/" + wipDir + "/" + j.txn.ID + "/" + markerName).Key()
	if _, err := j.bucket.Put(ctx, own, strings.NewReader(body), storage.Condition{}); err != nil {
		return err
	}
	j.w.point("marker staged")
	var err error
	for range maxMarkerTries {
		err = j.bucket.Rename(ctx, own, j.markerKey())
		switch {
		case storage.KindOf(err) != storage.AlreadyExists:
			return err
		case !replace:
			return nil
		}
		if err := j.bucket.Delete(ctx, j.markerKey()); err != nil {
			return err
		}
	}
	return err
}

func (j *Job) writeMarker(ctx context.Context) error {
	if !j.plan.Marker {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	now := j.w.Now().UTC()
	r := j.plan.Result
	s := success{
		Name: "org.apache.hadoop.fs.s3a.commit.files.SuccessData/1", Success: true, Timestamp: now.UnixMilli(), Date: now.Format(time.RFC1123), Hostname: host,
		Committer: "tarn", Description: j.txn.Operation, JobID: j.txn.ID, JobIDSource: "tarn transaction", State: "committed",
		Metrics:     map[string]int64{"committer_files_committed": r.Files, "committer_bytes_committed": r.Bytes, "committer_rows_committed": r.Rows},
		Diagnostics: map[string]string{"mode": string(j.scope.Kind), "base_version": fmt.Sprint(j.txn.BaseVersion), "version": fmt.Sprint(j.txn.Version)},
		Filenames:   []string{},
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range min(len(p.New), maxMarkerNames-len(s.Filenames)) {
			s.Filenames = append(s.Filenames, strings.TrimPrefix(p.Rel+"/"+j.name(&p.New[k]), "/"))
		}
	}
	body, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return j.putMarker(ctx, string(body)+"\n", true)
}

// isTaken reports whether somebody else took the transaction over.
func isTaken(err error) bool { return errors.Is(err, catalog.ErrTxnChanged) }
