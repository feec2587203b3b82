package write

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/storage"
)

// A staged directory that holds all new files of one partition and nothing else becomes that partition's directory by one
// rename, where nobody looks before the commit point: below _tarn/data and _tarn/swap. That spares making one directory and
// deleting another, which cost more than all other steps of a commit together. Inside, the files are renamed first, so at the
// new place they only ever have their final names. Where it does not work, for whatever reason, the files are moved one by one.

// stagedDirs are, by part, the keys of the staged directories that hold the new files of that part and of no other; "" for parts
// whose files lie otherwise.
func (j *Job) stagedDirs() []string {
	out, several := make([]string, len(j.plan.Parts)), make([]bool, len(j.plan.Parts))
	users := map[string]int{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range p.New {
			if dir, _ := splitKey(j.src(p, &p.New[k])); dir != out[i] {
				out[i], several[i] = dir, k > 0
				users[dir]++
			}
		}
		several[i] = several[i] || p.Copied // staged elsewhere
	}
	stage := j.stage.DirKey()
	for i, dir := range out {
		if several[i] || users[dir] != 1 || dir == stage {
			out[i] = ""
		}
	}
	return out
}

// hidden reports whether a directory is one of this transaction's own, where no reader looks before the commit point.
func (j *Job) hidden(p *part, dir string) bool {
	if p.Swap {
		return true
	}
	own := j.target.Root.Join(ownDir + "/" + dataDir + "/" + j.txn.ID).DirKey()
	return strings.HasPrefix(dir, own) && dir != own
}

// adopt makes the staged directory from the hidden directory to. It reports whether all of the part's files are there now; if not, any
// of them may have got its final name while it was still staged.
func (j *Job) adopt(ctx context.Context, p *part, from, to string) bool {
	known := make(map[string]bool, 2*len(p.New))
	for k := range p.New {
		_, staged := splitKey(j.src(p, &p.New[k]))
		known[staged], known[j.name(&p.New[k])] = true, true
	}
	foreign := false
	err := j.bucket.ReadDir(ctx, from, false, func(e *storage.Entry) error {
		foreign = foreign || e.Type != storage.FileEntry || !known[string(e.Name)]
		return nil
	})
	if err != nil || foreign {
		return false // moving the files tells what is wrong
	}
	for k := range p.New {
		f := &p.New[k]
		src := j.src(p, f)
		outcome, err := j.bucket.MoveFile(ctx, src, from+j.name(f), f.object(src))
		if err != nil || outcome != storage.Done && outcome != storage.AlreadyDone {
			return false
		}
		j.w.point("file published")
	}
	if err := j.bucket.Move(ctx, strings.TrimSuffix(from, "/"), strings.TrimSuffix(to, "/")); err != nil {
		return false // a move whose answer was lost is found out by the files
	}
	j.w.point("directory made")
	return true
}
