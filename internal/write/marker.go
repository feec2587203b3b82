package write

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/storage"
)

// maxMarkerNames bounds the file names in the marker, as Hadoop does.
const maxMarkerNames = 100

// maxMarker bounds what is kept of an old marker, in bytes.
const maxMarker = 1 << 20

// maxMarkerTries bounds how often a marker that another writer puts there is replaced.
const maxMarkerTries = 20

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
