package delta

import (
	"bytes"
	"slices"
	"strings"
)

// ParseRemoves reads the removals of a file of actions, one a line, as ParseActions reads all of them. Lines that cannot hold
// one are passed over unread, which most of a log is: what is wrong with them is found out when the table's rows are read. The error
// is DELTA_LOG_FILE_MALFORMED.
func ParseRemoves(name string, data []byte) ([]*Remove, error) {
	if ParseLogName(name[strings.LastIndexByte(name, '/')+1:]).Kind == CompactedFile {
		return compactedRemoves(name, data)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := &jsonReader{shelf: newShelf(len(data))}
	var out []*Remove
	for number := 1; len(data) > 0; number++ {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if !mayRemove(line) {
			continue
		}
		r.reset(string(line))
		a, _, err := parseAction(r)
		if err != nil {
			return nil, errLogFile(name, number, err)
		}
		if a.Remove != nil {
			out = append(out, a.Remove)
		}
	}
	return out, nil
}

// mayRemove reports whether a line may hold a removal: a member of that name, which may be spelled with escapes.
func mayRemove(line []byte) bool {
	return bytes.Contains(line, []byte("remove")) || bytes.Contains(line, []byte(`\u00`))
}

// compactedRemoves looks at the other actions, too: a compaction that is not reconciled is to be refused as Replay.Commit does.
func compactedRemoves(name string, data []byte) ([]*Remove, error) {
	actions, err := ParseActions(name, data)
	if err == nil {
		err = checkCompacted(name, actions)
	}
	if err != nil {
		return nil, err
	}
	var out []*Remove
	for i := range actions {
		if actions[i].Remove != nil {
			out = append(out, actions[i].Remove)
		}
	}
	return out, nil
}

// Tombstones collects removals newest first, from the files of which a State was made: of a file that is not live the newest
// removal counts, and a file that is live has none. Thus the additions need not be read again. The zero value is empty.
type Tombstones struct {
	seen    map[FileKey]bool
	removes []*Remove // newest first
}

// Commit takes the removals of one commit, or of a compacted file, in the order of the file. Callers hand in the newest file first.
func (t *Tombstones) Commit(removes []*Remove) {
	if t.seen == nil {
		t.seen = map[FileKey]bool{}
	}
	for _, r := range slices.Backward(removes) {
		if k := r.Key(); !t.seen[k] {
			t.seen[k] = true
			t.removes = append(t.removes, r)
		}
	}
}

// Checkpoint takes one file of the checkpoint, a sidecar included, after all commits.
func (t *Tombstones) Checkpoint(c *Checkpoint) {
	for _, r := range c.Removes {
		if !t.seen[r.Key()] {
			t.removes = append(t.removes, r)
		}
	}
}

// Of are the tombstones of the state that is made of the same files, oldest first: those not older than a time in milliseconds since
// the epoch. One without a time is as old as can be.
func (t *Tombstones) Of(s *State, since int64) []*Remove {
	young := map[FileKey]bool{}
	var out []*Remove
	for _, r := range slices.Backward(t.removes) {
		if r.DeletionTimestamp != nil && *r.DeletionTimestamp >= since {
			out = append(out, r)
			young[r.Key()] = true
		}
	}
	if len(out) == 0 {
		return nil
	}
	live := map[FileKey]bool{}
	for a := range s.Adds() {
		if k := a.Key(); young[k] {
			live[k] = true
		}
	}
	return slices.DeleteFunc(out, func(r *Remove) bool { return live[r.Key()] })
}
