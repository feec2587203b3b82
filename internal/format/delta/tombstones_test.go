package delta

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// removed are the tombstones of a state that is made of commits.
func removed(t interface{ Fatal(...any) }, s *State, since int64, commits ...string) []*Remove {
	var out Tombstones
	for i, c := range slices.Backward(commits) {
		removes, err := ParseRemoves(CommitName(int64(i)), []byte(c))
		if err != nil {
			t.Fatal(err)
		}
		out.Commit(removes)
	}
	return out.Of(s, since)
}

// plainly replays all commits from the front: of each file the last word, in the order in which those were said.
func plainly(t interface{ Fatal(...any) }, commits ...string) []Action {
	last := map[FileKey]Action{}
	var order []FileKey
	for _, c := range commits {
		for _, a := range actionsOf(t, c) {
			k := keyOfAction(a)
			if k == (FileKey{}) {
				continue
			}
			order = append(slices.DeleteFunc(order, func(o FileKey) bool { return o == k }), k)
			last[k] = a
		}
	}
	var out []Action
	for _, k := range order {
		out = append(out, last[k])
	}
	return out
}

func keyOfAction(a Action) FileKey {
	switch {
	case a.Add != nil:
		return a.Add.Key()
	case a.Remove != nil:
		return a.Remove.Key()
	}
	return FileKey{}
}

func textOf(actions []Action) string {
	var b []byte
	for _, a := range actions {
		b = a.AppendJSON(b)
	}
	return string(b)
}

// TestTombstonesAreThoseOfAFullReplay compares the removals that are read by themselves, over random histories with checkpoints and
// compactions, with what a replay of every action from the beginning says.
func TestTombstonesAreThoseOfAFullReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retention := rapid.SampledFrom([]int64{math.MinInt64, 50}).Draw(t, "retention")
		commits := []string{startOfTable}
		var tail []LogFile // since the checkpoint, with their text
		texts := map[string]string{}
		put := func(name, text string) {
			tail = append(tail, LogFile{Name: name})
			texts[name] = text
		}
		put(CommitName(0), startOfTable)
		var checkpoint *Checkpoint
		for v := range rapid.IntRange(1, 10).Draw(t, "commits") {
			version := int64(v + 1)
			var lines []string
			for range rapid.IntRange(0, 5).Draw(t, "actions") {
				path := rapid.SampledFrom([]string{"a", "b", "remove", "/x", "file:/x"}).Draw(t, "path")
				dv := rapid.SampledFrom([]string{"", `,"deletionVector":{"storageType":"i","pathOrInlineDv":"q","sizeInBytes":1,"cardinality":1}`}).Draw(t, "dv")
				at := rapid.SampledFrom([]string{"", `,"deletionTimestamp":10`, `,"deletionTimestamp":100`, `,"deletionTimestamp":200`}).Draw(t, "at")
				kind := rapid.SampledFrom([]string{`"add"`, `"remove"`, `"\u0072emove"`, ` "remove" `}).Draw(t, "kind")
				lines = append(lines, fmt.Sprintf(`{%s:{"path":"%s","size":%d,"extendedFileMetadata":true,"partitionValues":{}%s%s}}`, kind, path, version, dv, at))
			}
			commits = append(commits, strings.Join(lines, "\n"))
			put(CommitName(version), commits[version])
			if n := len(tail); n > 1 && rapid.Bool().Draw(t, "compact") {
				first, last := ParseLogName(tail[n-2].Name), ParseLogName(tail[n-1].Name)
				name := CompactedName(first.Version, max(last.Version, last.Last))
				both := texts[tail[n-2].Name] + "\n" + texts[tail[n-1].Name]
				start := ""
				if first.Version == 0 {
					start = startOfTable
				}
				tail = tail[:n-2]
				put(name, start+textOf(plainly(t, both)))
			}
			r := NewReplay(version)
			var removals Tombstones
			for _, f := range slices.Backward(tail) {
				if err := r.Commit(f.Name, actionsOf(t, texts[f.Name])); err != nil {
					t.Fatal(err)
				}
				removes, err := ParseRemoves("file:/t/_delta_log/"+f.Name, []byte(texts[f.Name]))
				if err != nil {
					t.Fatal(err)
				}
				removals.Commit(removes)
			}
			if checkpoint != nil {
				r.Checkpoint(checkpoint)
				removals.Checkpoint(checkpoint)
			}
			s, err := r.State("t")
			if err != nil {
				t.Fatal(err)
			}
			since := max(retention, rapid.SampledFrom([]int64{math.MinInt64, 50, 150}).Draw(t, "since"))
			var got, want []string
			for _, r := range removals.Of(s, since) {
				got = append(got, tombstone(r))
			}
			for _, a := range plainly(t, commits...) {
				if r := a.Remove; r != nil && r.DeletionTimestamp != nil && *r.DeletionTimestamp >= since {
					want = append(want, tombstone(r))
				}
			}
			if len(got) > 0 && !s.Removed() {
				t.Fatalf("a state with the tombstones %q says that nothing was removed", got)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("version %d since %d: %q\nwant %q\nof %q", version, since, got, want, commits)
			}
			if rapid.IntRange(0, 2).Draw(t, "checkpoint") == 0 {
				checkpoint, tail = throughCheckpoint(t, s, removals.Of(s, retention)), nil
			}
		}
	})
}

// tombstone is what a checkpoint keeps of a removal.
func tombstone(r *Remove) string {
	return fmt.Sprint(r.Path, r.DeletionVector.UniqueID(), " at ", *r.DeletionTimestamp, " of ", *r.Size)
}

// throughCheckpoint writes a checkpoint, and reads its additions and its removals apart from one another.
func throughCheckpoint(t *rapid.T, s *State, removes []*Remove) *Checkpoint {
	var b bytes.Buffer
	if _, err := WriteCheckpoint(&b, s, removes, CheckpointOptions{}); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), AddedFiles)
	if err != nil || len(rows.Removes) > 0 {
		t.Fatal(rows, err)
	}
	gone, err := ReadCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), RemovedFiles)
	if err != nil || len(gone.Adds) > 0 {
		t.Fatal(gone, err)
	}
	rows.Removes = gone.Removes
	return rows
}

// TestRemoved asks states without removals, and after the first one, whether they may have tombstones: they are not looked for otherwise.
func TestRemoved(t *testing.T) {
	s, err := replayed(t, startOfTable, `{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}`)
	if err != nil || s.Removed() {
		t.Fatal(s, err)
	}
	for _, removes := range [][]*Remove{nil, {{Path: "b", DeletionTimestamp: new(int64)}}} {
		var b bytes.Buffer
		if _, err := WriteCheckpoint(&b, s, removes, CheckpointOptions{}); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), AddedFiles)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReplay(s.Version)
		r.Checkpoint(c)
		opened, err := r.State("t")
		if err != nil || opened.Removed() != (removes != nil) {
			t.Errorf("%d removals: %v, %v", len(removes), opened.Removed(), err)
		}
	}
	for _, c := range []struct {
		text string
		want bool
	}{{`{"add":{"path":"b"}}`, false}, {`{"remove":{"path":"a"}}`, true}, {`{"add":{"path":"a"}}`, true}} {
		if s, err = s.Apply("t", s.Version+1, actionsOf(t, c.text)); err != nil || s.Removed() != c.want {
			t.Errorf("after %s: %v, %v", c.text, s.Removed(), err)
		}
	}
}

func TestRemovesOfDamagedFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{CommitName(1), `{"remove":{"path":"a"}}` + "\n" + `{"remove":{"path":`, "DELTA_LOG_FILE_MALFORMED"},
		{CommitName(1), `{"remove":{"size":4}}`, "DELTA_LOG_FILE_MALFORMED"},
		{"file:/t/_delta_log/" + CompactedName(0, 1), `{"remove":{"path":"a"}}` + "\n" + `{"add":{"path":"a"}}`, "DELTA_LOG_FILE_MALFORMED"},
		{CommitName(1), "\xef\xbb\xbf" + `{"remove":{"path":"a"}}` + "\r\n\r\n" + `{"commitInfo":{"operation":"remove"}}`, ""},
	} {
		removes, err := ParseRemoves(c.name, []byte(c.text))
		if c.want == "" && (err != nil || len(removes) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, %v", c.text, removes, err)
		}
	}
}
