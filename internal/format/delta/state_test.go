package delta

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

const startOfTable = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}
`

func actionsOf(t interface{ Fatal(...any) }, text string) []Action {
	a, err := ParseActions("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func replayed(t interface{ Fatal(...any) }, commits ...string) (*State, error) {
	r := NewReplay(int64(len(commits) - 1))
	for i, c := range slices.Backward(commits) {
		if err := r.Commit(CommitName(int64(i)), actionsOf(t, c)); err != nil {
			t.Fatal(err)
		}
	}
	return r.State("t")
}

// text is a state with the tombstones of the commits that made it.
func (s *State) text(t interface{ Fatal(...any) }, commits ...string) string {
	var out []string
	for a := range s.Adds() {
		out = append(out, fmt.Sprint("+", a.Path, a.DeletionVector.UniqueID(), a.Size))
	}
	for _, r := range removed(t, s, 0, commits...) {
		out = append(out, fmt.Sprint("-", r.Path, r.DeletionVector.UniqueID()))
	}
	slices.Sort(out)
	for _, x := range s.Txns() {
		out = append(out, fmt.Sprint(x.AppID, x.Version))
	}
	for _, d := range s.Domains() {
		out = append(out, d.Domain+d.Configuration)
	}
	return fmt.Sprint(strings.Join(out, " "), " ", s.NumFiles(), " ", s.SizeInBytes())
}

func TestReplay(t *testing.T) {
	commits := []string{
		startOfTable + `{"add":{"path":"a","size":1}}` + "\n" + `{"add":{"path":"b","size":2}}` + "\n" + `{"txn":{"appId":"x","version":9}}`,
		`{"commitInfo":{"inCommitTimestamp":5}}` + "\n" + `{"remove":{"path":"a","deletionTimestamp":1}}` + "\n" + `{"add":{"path":"a","size":3,"deletionVector":{"storageType":"u","pathOrInlineDv":"v"}}}` + "\n" + `{"domainMetadata":{"domain":"d","configuration":"1"}}`,
		`{"txn":{"appId":"x","version":4}}` + "\n" + `{"domainMetadata":{"domain":"d","configuration":"1","removed":true}}` + "\n" + `{"domainMetadata":{"domain":"e","configuration":""}}`,
		`{"remove":{"path":"b","deletionTimestamp":1}}` + "\n" + `{"add":{"path":"file:///x","size":4}}`,
		`{"remove":{"path":"/x","deletionTimestamp":1}}` + "\n" + `{"add":{"path":"b","size":7}}`,
	}
	for i, want := range []string{
		"+a1 +b2 x9 2 3", "+auv3 +b2 -a x9 d1 2 5", "+auv3 +b2 -a x4 e 2 5", "+auv3 +file:///x4 -a -b x4 e 2 7", "+auv3 +b7 -/x -a x4 e 2 10",
	} {
		s, err := replayed(t, commits[:i+1]...)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.text(t, commits[:i+1]...); got != want {
			t.Errorf("version %d: %s, want %s", i, got, want)
		}
		if i == 1 && (s.InCommitTimestamp == nil || *s.InCommitTimestamp != 5) || i == 2 && s.InCommitTimestamp != nil {
			t.Errorf("version %d: %v", i, s.InCommitTimestamp)
		}
		if i+1 < len(commits) {
			next, err := s.Apply("t", int64(i+1), actionsOf(t, commits[i+1]))
			if err != nil {
				t.Fatal(err)
			}
			all, _ := replayed(t, commits[:i+2]...)
			applied, whole := next.text(t), all.text(t)
			if before := s.text(t, commits[:i+1]...); applied != whole || before != want {
				t.Errorf("applied: %s, want %s; before: %s", applied, whole, before)
			}
		}
	}
}

func TestReplayFaults(t *testing.T) {
	for commit, want := range map[string]sqlerr.Condition{
		`{"add":{"path":"a"}}`: "DELTA_STATE_RECOVER_ERROR",
		`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`:                                                              "DELTA_STATE_RECOVER_ERROR",
		`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["x"],"writerFeatures":["x"]}}`:                "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
		`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n" + `{"metaData":{"id":"i","schemaString":"nonsense"}}`: "DELTA_LOG_FILE_MALFORMED",
	} {
		if _, err := replayed(t, commit); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", commit, err, want)
		}
	}
	r := NewReplay(1)
	if err := r.Commit(CompactedName(0, 1), actionsOf(t, `{"remove":{"path":"a"}}`+"\n"+`{"add":{"path":"a"}}`)); !errors.Is(err, sqlerr.Condition("DELTA_LOG_FILE_MALFORMED")) {
		t.Errorf("a compaction that is not reconciled: %v", err)
	}
	s, _ := replayed(t, startOfTable)
	if _, err := s.Apply("t", 2, nil); !errors.Is(err, sqlerr.Condition("DELTA_VERSIONS_NOT_CONTIGUOUS")) {
		t.Error(err)
	}
}

// TestStateIsTheSameBothWays compares a replay of random commits with one commit at a time.
func TestStateIsTheSameBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		commits := []string{startOfTable}
		s, err := replayed(t, commits...)
		if err != nil {
			t.Fatal(err)
		}
		for v := range rapid.IntRange(1, 12).Draw(t, "commits") {
			var lines []string
			for range rapid.IntRange(0, 6).Draw(t, "actions") {
				path := rapid.SampledFrom([]string{"a", "b", "c", "d", "/x", "file:/x"}).Draw(t, "path")
				dv := rapid.SampledFrom([]string{"", `,"deletionVector":{"storageType":"i","pathOrInlineDv":"q"}`}).Draw(t, "dv")
				kind := rapid.SampledFrom([]string{"add", "remove"}).Draw(t, "kind")
				lines = append(lines, fmt.Sprintf(`{"%s":{"path":"%s","size":%d%s}}`, kind, path, v+1, dv))
			}
			commits = append(commits, strings.Join(lines, "\n"))
			before := s.text(t)
			next, err := s.Apply("t", int64(v+1), actionsOf(t, commits[v+1]))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := replayed(t, commits...)
			if err != nil {
				t.Fatal(err)
			}
			if next.text(t) != whole.text(t) || s.text(t) != before || !next.adds.check() {
				t.Fatalf("%s\nwant %s", next.text(t), whole.text(t))
			}
			s = next
		}
	})
}

func TestFileSetMerges(t *testing.T) {
	s := fileSetOf([]*Add{{Path: "base"}})
	for i := range 2 * freshLimit {
		s = s.change(nil, []*Add{{Path: fmt.Sprint(i)}})
	}
	if s.len() != 2*freshLimit+1 || len(s.fresh) > freshLimit {
		t.Errorf("%d, %d", s.len(), len(s.fresh))
	}
	if _, ok := s.find(FileKey{Path: "base"}); !ok {
		t.Error("the base is lost")
	}
}

// check compares the bitmap with its count.
func (s fileSet) check() bool {
	n := 0
	for _, w := range s.dead {
		n += bits.OnesCount64(w)
	}
	return n == s.gone
}

// TestRows counts rows of versions that share files, after the counts of one were remembered.
func TestRows(t *testing.T) {
	s := bigState(t, 40)
	sum := func(s *State) (rows, unknown int64) {
		adds := slices.Collect(s.Adds())
		for p, n := range s.Rows() {
			a := adds[0]
			adds = adds[1:]
			if want, ok := a.LiveRows(); ok && want != n || !ok && n != -1 || p.Key() != a.PartitionValues.Key() {
				t.Errorf("%s of %v: %d rows, not %d", a.Path, p, n, want)
			}
			if n < 0 {
				unknown++
				continue
			}
			rows += n
		}
		return rows, unknown
	}
	before, _ := sum(s)
	var gone *Add
	for a := range s.Adds() {
		if n, ok := a.LiveRows(); ok && n > 20 {
			gone = a
		}
	}
	left, _ := gone.LiveRows()
	next, err := s.Apply("t", s.Version+1, []Action{{Remove: RemoveOf(gone, 1, true)}, {Add: &Add{Path: "new", Stats: `{"numRecords":7}`}}, {Add: &Add{Path: "none"}}})
	if err != nil {
		t.Fatal(err)
	}
	if after, unknown := sum(next); after != before-left+7 || unknown == 0 {
		t.Errorf("%d rows and %d files without a number after %d rows", after, unknown, before)
	}
	if again, _ := sum(s); again != before {
		t.Errorf("%d rows, %d before", again, before)
	}
}
