package delta

import (
	"context"
	"io"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/storage"
)

// entry is a file of the log as it was listed, with the identity by which a later look tells it from another of its name.
type entry struct {
	protocol.LogFile
	id storage.Identity
}

// listing is the log, or the part of it that begins at a version.
type listing struct {
	files []protocol.LogFile
	// commits are those files that are commits, by version.
	commits map[int64]entry
}

// list reads the names in the log from a version on. Names sort by version, so that what comes before is not looked at where the
// store can skip it. A log that is not there is empty.
func (l *Log) list(ctx context.Context, from int64) (*listing, error) {
	out := &listing{commits: map[int64]entry{}}
	after := ""
	if from > 0 {
		after = l.dir + protocol.VersionPrefix(from)
	}
	for o, err := range l.bucket.List(ctx, l.dir, after, false) {
		if err != nil {
			if absent(err) {
				return out, nil
			}
			return nil, failure(err)
		}
		name := o.Key[len(l.dir):]
		n := protocol.ParseLogName(name)
		if o.IsPrefix || n.Kind == protocol.UnknownLogFile {
			continue
		}
		f := protocol.LogFile{Name: name, Size: o.Size, Modified: o.ModTime.UnixMilli()}
		out.files = append(out.files, f)
		if n.Kind == protocol.CommitFile {
			out.commits[n.Version] = entry{f, o.ID}
		}
	}
	return out, nil
}

// hint is the version that _last_checkpoint names, 0 when it names none. It is where a listing may begin, never where the table
// ends: it may be old, damaged, or name what is gone.
func (l *Log) hint(ctx context.Context) (int64, error) {
	r, _, err := l.bucket.Read(ctx, l.dir+protocol.LastCheckpoint, 0, maxHint)
	if absent(err) {
		return 0, nil
	}
	if err != nil {
		return 0, failure(err)
	}
	data, err := io.ReadAll(r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return 0, failure(err)
	}
	h, err := protocol.ParseHint(data)
	if err != nil {
		return 0, nil
	}
	return max(h.Version, 0), nil
}

// maxHint bounds _last_checkpoint, in bytes: it may hold the whole schema of the checkpoint.
const maxHint = 16 << 20
