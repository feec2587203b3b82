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
	if err := j.writeMarker(ctx); err != nil {
		return err
	}
	j.w.point("marked")
	if err := j.dropOwn(ctx, wipDir); err != nil {
		return err
	}
	return j.advance(ctx, catalog.TxnDone, nil)
}

// retire moves old files into the trash. A file that is not the one that was listed is somebody else's by now, and stays.
func (j *Job) retire(ctx context.Context) error {
	type move struct {
		from storage.Object
		to   string
	}
	var moves []move
	var emptied []*part
	touched := map[string]bool{}
	for _, f := range j.plan.Old {
		moves = append(moves, move{f.object(), j.trashKey(f.Key)})
		touched[f.Key[:strings.LastIndexByte(f.Key, '/')+1]] = true
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if p.Swap || len(p.Old) == 0 && p.Action != actRemove {
			continue
		}
		emptied = append(emptied, p)
		for _, f := range p.Old {
			moves = append(moves, move{f.object(), j.asideKey(p, f.Key)})
			touched[f.Key[:strings.LastIndexByte(f.Key, '/')+1]] = true
		}
	}
	made := map[string]bool{}
	for _, m := range moves {
		dir := m.to[:strings.LastIndexByte(m.to, '/')+1]
		if !made[dir] {
			made[dir] = true
			if err := j.bucket.EnsureDir(ctx, dir); err != nil {
				return err
			}
		}
	}
	err := each(ctx, len(moves), func(i int) error {
		m := moves[i]
		if now, err := j.bucket.Stat(ctx, m.from.Key); err == nil && !storage.Same(now, m.from) {
			return nil
		} else if err != nil && storage.KindOf(err) != storage.NotFound {
			return err
		}
		_, err := j.bucket.MoveFile(ctx, m.from.Key, m.to, m.from)
		if err == nil {
			j.w.point("file retired")
		}
		return err
	})
	if err != nil {
		return err
	}
	for d := range made {
		touched[d] = true
	}
	dirs := make([]string, 0, len(touched))
	for d := range touched {
		dirs = append(dirs, d)
	}
	if err := j.syncDirs(ctx, dirs); err != nil {
		return err
	}
	for _, f := range j.plan.Old {
		loc := j.bucket.Location(f.Key).Parent()
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
	return j.removeEmptied(ctx, emptied)
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
		for _, f := range p.Old {
			dirs[f.Key[:strings.LastIndexByte(f.Key, '/')+1]] = true
		}
		own := p.dir()
		if p.Action == actRemove {
			dirs[own.DirKey()] = true
		}
		for key := range dirs {
			if key == own.DirKey() && p.Action != actRemove {
				continue
			}
			loc := j.bucket.Location(strings.TrimSuffix(key, "/"))
			levels := 1
			if rel, ok := j.target.Root.Rel(loc); ok {
				levels = strings.Count(rel, "/") + 1
				if rel == "" {
					continue // the root itself stays
				}
			}
			if p.Action != actRemove {
				levels = 1
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
			want := f.object()
			want.Key = dir.DirKey() + f.Name
			// The name carries the transaction, so nobody else's file has it.
			outcome, err := j.bucket.DeleteIf(ctx, want)
			if err != nil {
				return err
			}
			if outcome == storage.Done {
				touched[dir.DirKey()] = true
			}
		}
		if p.Fresh && len(p.New) > 0 && p.Dir != j.plan.Root {
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

// swapBack exchanges a directory once more when it has been exchanged.
func (j *Job) swapBack(ctx context.Context, p *part) error {
	done, err := j.swapped(ctx, p)
	if err != nil || !done {
		return err
	}
	away := p.away(j.txn.ID, swapDir)
	if err := j.bucket.Exchange(ctx, away.DirKey(), p.dir().DirKey()); err != nil {
		return err
	}
	// Files that somebody put into the new directory meanwhile go with it to the old one.
	names := make(map[string]bool, len(p.New))
	for _, f := range p.New {
		names[f.Name] = true
	}
	key := away.DirKey()
	var foreign []storage.Object
	err = j.bucket.ReadDir(ctx, key, true, func(e *storage.Entry) error {
		if name := string(e.Name); !names[name] && e.Type == storage.FileEntry {
			foreign = append(foreign, storage.Object{Key: key + name, Size: e.Size, ModTime: e.ModTime, ID: e.ID})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range foreign {
		if _, err := j.bucket.MoveFile(ctx, f.Key, p.dir().DirKey()+f.Key[len(key):], f); err != nil {
			return err
		}
	}
	return j.bucket.Sync(ctx, nil, []string{away.Parent().DirKey(), p.dir().Parent().DirKey()})
}

// unplace moves placed files back to the staging, for a commit that is planned anew.
func (j *Job) unplace(ctx context.Context) error {
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range p.New {
			f := &p.New[k]
			want := f.object()
			if err := j.moveFile(ctx, p.dir().DirKey()+f.Name, f.Src, want); err != nil {
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
	if len(data) == 0 {
		data = []byte{}
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
		for _, f := range j.plan.Parts[i].New {
			if len(s.Filenames) < maxMarkerNames {
				s.Filenames = append(s.Filenames, strings.TrimPrefix(j.plan.Parts[i].Rel+"/"+f.Name, "/"))
			}
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
