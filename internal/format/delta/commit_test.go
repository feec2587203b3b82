package delta

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

func startCommit(configuration map[string]string, features ...string) *Commit {
	return &Commit{
		Info:     CommitInfo{Operation: "CREATE TABLE"},
		Protocol: NewProtocol(features...),
		Metadata: &Metadata{ID: "i", Provider: "parquet", SchemaString: `{"type":"struct","fields":[]}`, Configuration: configuration},
	}
}

func stateOf(t *testing.T, commits ...*Commit) *State {
	t.Helper()
	var s *State
	for v, c := range commits {
		actions, data, err := c.Encode(s, int64(1000+v))
		if err != nil {
			t.Fatal(err)
		}
		back := actionsOf(t, string(data))
		if len(back) != len(actions) || back[0].CommitInfo == nil {
			t.Fatalf("%s", data)
		}
		if s == nil {
			r := NewReplay(0)
			if err := r.Commit(CommitName(0), back); err != nil {
				t.Fatal(err)
			}
			s, err = r.State("t")
		} else {
			s, err = s.Apply("t", int64(v), back)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestCommitTimestamps(t *testing.T) {
	on := map[string]string{"delta.enableInCommitTimestamps": "true"}
	s := stateOf(t, startCommit(on, FeatureInCommitTimestamp), &Commit{}, &Commit{})
	if s.InCommitTimestamp == nil || *s.InCommitTimestamp != 1002 || s.Metadata.Configuration["delta.inCommitTimestampEnablementVersion"] != "" {
		t.Errorf("%v %v", s.InCommitTimestamp, s.Metadata.Configuration)
	}
	actions, _, err := (&Commit{}).Encode(s, 5)
	if err != nil || *actions[0].CommitInfo.InCommitTimestamp != 1003 {
		t.Errorf("a clock that goes back: %+v, %v", actions[0].CommitInfo, err)
	}
	plain := startCommit(map[string]string{}, FeatureInCommitTimestamp)
	late := stateOf(t, plain, &Commit{Metadata: plain.Metadata.With(on)})
	if got := late.Metadata.Configuration; got["delta.inCommitTimestampEnablementVersion"] != "1" || got["delta.inCommitTimestampEnablementTimestamp"] != "1001" {
		t.Errorf("%v", got)
	}
}

// TestTimestampsSince: since when commits have a timestamp is a matter of the table's own commits, whatever metadata comes from elsewhere.
func TestTimestampsSince(t *testing.T) {
	on := map[string]string{"delta.enableInCommitTimestamps": "true"}
	since := func(s *State) string {
		c := s.Metadata.Configuration
		return c["delta.inCommitTimestampEnablementVersion"] + " " + c["delta.inCommitTimestampEnablementTimestamp"]
	}
	foreign := map[string]string{"delta.enableInCommitTimestamps": "true", "delta.inCommitTimestampEnablementVersion": "7", "delta.inCommitTimestampEnablementTimestamp": "12"}
	clone := startCommit(foreign, FeatureInCommitTimestamp)
	if got := since(stateOf(t, clone)); got != " " {
		t.Errorf("a clone: %q", got)
	}
	plain := startCommit(map[string]string{}, FeatureInCommitTimestamp)
	enable := &Commit{Metadata: plain.Metadata.With(on)}
	if got := since(stateOf(t, plain, enable, &Commit{Metadata: plain.Metadata.With(on)})); got != "1 1001" {
		t.Errorf("a replacement: %q", got)
	}
	if got := since(stateOf(t, plain, enable, &Commit{Metadata: plain.Metadata.With(foreign)})); got != "1 1001" {
		t.Errorf("a clone over a table: %q", got)
	}
	restored := &Commit{Metadata: plain.Metadata.With(map[string]string{"delta.enableInCommitTimestamps": "true", "delta.inCommitTimestampEnablementVersion": "1", "delta.inCommitTimestampEnablementTimestamp": "1001"})}
	if got := since(stateOf(t, plain, enable, &Commit{Metadata: plain.Metadata}, restored)); got != "3 1003" {
		t.Errorf("a version that had them: %q", got)
	}
}

func TestRowIDs(t *testing.T) {
	file := func(path string) *Add { return &Add{Path: path, Stats: `{"numRecords":10}`} }
	s := stateOf(t, startCommit(map[string]string{}, FeatureRowTracking), &Commit{Adds: []*Add{file("a"), file("b")}}, &Commit{Adds: []*Add{file("c")}})
	if a, _ := s.Find(FileKey{Path: "c"}); a == nil || *a.BaseRowID != 20 || *a.DefaultRowCommitVersion != 2 {
		t.Errorf("%+v", a)
	}
	if d := s.Domain("delta.rowTracking"); d == nil || d.Configuration != `{"rowIdHighWaterMark":29}` {
		t.Errorf("%+v", d)
	}
	if _, _, err := (&Commit{Adds: []*Add{{Path: "x"}}}).Encode(s, 1); !errors.Is(err, sqlerr.Condition("DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS")) {
		t.Error(err)
	}
}

func TestForbiddenCommits(t *testing.T) {
	s := stateOf(t, startCommit(map[string]string{"delta.appendOnly": "true"}))
	vector := &DeletionVector{StorageType: "i", PathOrInline: "x"}
	for name, c := range map[string]struct {
		commit Commit
		want   sqlerr.Condition
	}{
		"two adds":        {Commit{Adds: []*Add{{Path: "a"}, {Path: "a", DeletionVector: vector}}}, "DELTA_DUPLICATE_ACTIONS_FOUND"},
		"two removes":     {Commit{Removes: []*Remove{{Path: "a"}, {Path: "a"}}}, "DELTA_DUPLICATE_ACTIONS_FOUND"},
		"add and remove":  {Commit{Adds: []*Add{{Path: "a"}}, Removes: []*Remove{{Path: "a"}}}, "DELTA_DUPLICATE_ACTIONS_FOUND"},
		"a vector is new": {Commit{Adds: []*Add{{Path: "a", DeletionVector: vector}}, Removes: []*Remove{{Path: "a"}}}, ""},
		"two txns":        {Commit{Txns: []*Txn{{AppID: "a"}, {AppID: "a"}}}, "DELTA_DUPLICATE_ACTIONS_FOUND"},
		"two domains":     {Commit{Domains: []*Domain{{Domain: "a"}, {Domain: "a"}}}, "DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR"},
		"append only":     {Commit{Removes: []*Remove{{Path: "a", DataChange: true}}}, "DELTA_CANNOT_MODIFY_APPEND_ONLY"},
		"rearranged":      {Commit{Removes: []*Remove{{Path: "a"}}}, ""},
	} {
		_, _, err := c.commit.Encode(s, 1)
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, _, err := (&Commit{}).Encode(nil, 1); err == nil {
		t.Error("a first commit without metadata")
	}
}

func TestConflicts(t *testing.T) {
	base := stateOf(t, startCommit(map[string]string{}), &Commit{Adds: []*Add{{Path: "a", PartitionValues: PartitionTexts{{"p", "1"}}}}})
	all := func(*Add) (bool, error) { return true, nil }
	inP2 := func(a *Add) (bool, error) { return a.PartitionValues.Get("p") == "2", nil }
	add := func(p string, change bool) *Add {
		return &Add{Path: "new" + p, PartitionValues: PartitionTexts{{"p", p}}, DataChange: change}
	}
	appendP1 := Commit{Adds: []*Add{add("1", true)}}
	deleteA := Commit{Removes: []*Remove{{Path: "a", DataChange: true}}}
	newMetadata := base.Metadata.With(map[string]string{"x": "y"})
	const blind = `{"commitInfo":{"operation":"WRITE","isBlindAppend":true}}`
	const other = `{"commitInfo":{"operation":"UPDATE"}}`
	const addP2 = `{"add":{"path":"w","partitionValues":{"p":"2"},"dataChange":true}}`
	const removeA = `{"remove":{"path":"a","dataChange":true}}`
	metadataLine := string(Action{Metadata: newMetadata}.AppendJSON(nil))
	sameLine := string(Action{Metadata: base.Metadata}.AppendJSON(nil))
	for _, c := range []struct {
		name   string
		mine   Commit
		reads  Reads
		level  Isolation
		winner []string
		want   sqlerr.Condition
	}{
		{"two blind appends", appendP1, Reads{}, Serializable, []string{blind, addP2}, ""},
		{"append and delete", appendP1, Reads{}, Serializable, []string{other, removeA}, ""},
		{"delete against a blind append", deleteA, Reads{Matches: all, Files: map[string]bool{"a": true}}, WriteSerializable, []string{blind, addP2}, ""},
		{"the same, serializable", deleteA, Reads{Matches: all, Files: map[string]bool{"a": true}}, Serializable, []string{blind, addP2}, "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT"},
		{"delete against an update", deleteA, Reads{Matches: all}, WriteSerializable, []string{other, addP2}, "DELTA_CONCURRENT_APPEND"},
		{"another partition", deleteA, Reads{Matches: func(a *Add) (bool, error) { return a.PartitionValues.Get("p") == "1", nil }}, Serializable, []string{other, addP2}, ""},
		{"this partition", deleteA, Reads{Matches: inP2}, Serializable, []string{other, addP2}, "DELTA_CONCURRENT_APPEND"},
		{"a whole table was read", appendP1, Reads{WholeTable: true}, WriteSerializable, []string{other, addP2}, "DELTA_CONCURRENT_APPEND"},
		{"a file that was read", appendP1, Reads{Files: map[string]bool{"a": true}}, WriteSerializable, []string{other, removeA}, "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT"},
		{"any file, when all were read", appendP1, Reads{WholeTable: true}, WriteSerializable, []string{other, `{"remove":{"path":"z"}}`}, "DELTA_CONCURRENT_DELETE_READ"},
		{"a file that both remove", deleteA, Reads{}, WriteSerializable, []string{other, removeA}, "DELTA_CONCURRENT_DELETE_DELETE"},
		{"the read is told first", deleteA, Reads{Files: map[string]bool{"a": true}}, WriteSerializable, []string{other, removeA}, "DELTA_CONCURRENT_DELETE_READ"},
		{"metadata", appendP1, Reads{}, WriteSerializable, []string{metadataLine}, "DELTA_METADATA_CHANGED"},
		{"metadata that says the same", appendP1, Reads{}, WriteSerializable, []string{sameLine}, ""},
		{"metadata makes blind appends count", Commit{Metadata: newMetadata}, Reads{WholeTable: true}, WriteSerializable, []string{blind, addP2}, "DELTA_CONCURRENT_APPEND"},
		{"protocol, both", Commit{Protocol: NewProtocol()}, Reads{}, WriteSerializable, []string{`{"protocol":{"minReaderVersion":1,"minWriterVersion":3}}`}, "DELTA_PROTOCOL_CHANGED"},
		{"protocol raised", appendP1, Reads{}, WriteSerializable, []string{`{"protocol":{"minReaderVersion":1,"minWriterVersion":3}}`}, ""},
		{"protocol lowered", appendP1, Reads{}, WriteSerializable, []string{`{"protocol":{"minReaderVersion":1,"minWriterVersion":1}}`}, "DELTA_PROTOCOL_CHANGED"},
		{"protocol beyond us", appendP1, Reads{}, WriteSerializable, []string{`{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants","x"]}}`}, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
		{"one application", Commit{Txns: []*Txn{{AppID: "q"}}}, Reads{}, WriteSerializable, []string{`{"txn":{"appId":"q","version":1}}`}, "DELTA_CONCURRENT_TRANSACTION"},
		{"an application that was asked for", appendP1, Reads{Apps: map[string]bool{"q": true}}, WriteSerializable, []string{`{"txn":{"appId":"q","version":1}}`}, "DELTA_CONCURRENT_TRANSACTION"},
		{"one domain", Commit{Domains: []*Domain{{Domain: "q"}}}, Reads{}, WriteSerializable, []string{`{"domainMetadata":{"domain":"q"}}`}, "DELTA_CONCURRENT_TRANSACTION"},
		{"row ids", Commit{Domains: []*Domain{{Domain: "delta.rowTracking"}}}, Reads{}, WriteSerializable, []string{`{"domainMetadata":{"domain":"delta.rowTracking"}}`}, ""},
		{"rearranging", Commit{Adds: []*Add{add("1", false)}}, Reads{Matches: all}, SnapshotIsolation, []string{other, addP2}, ""},
	} {
		err := Conflict("t", base, &c.mine, c.reads, c.level, Winner{Version: 2, Actions: actionsOf(t, strings.Join(c.winner, "\n"))})
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	serial := base.Metadata.With(map[string]string{"delta.isolationLevel": "Serializable"})
	if IsolationOf(serial, &appendP1) != Serializable || IsolationOf(base.Metadata, &appendP1) != WriteSerializable || IsolationOf(serial, &Commit{Adds: []*Add{add("1", false)}}) != SnapshotIsolation {
		t.Error("isolation")
	}
}

func TestChecksum(t *testing.T) {
	s := bigState(t, 9)
	c, err := ParseChecksum(ChecksumOf(s, "txn").JSON())
	if err != nil || c.NumFiles != 9 || c.TableSizeBytes != s.SizeInBytes() || c.TxnID != "txn" || *c.NumDeletionVectors != 2 || *c.NumDeletedRecords != 12 || len(c.Txns) != 3 || len(c.Domains) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if !sameMetadata(c.Metadata, s.Metadata) || !c.Protocol.Equal(s.Protocol) {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{"", "{}", `{"tableSizeBytes":1}`, "[1]"} {
		if _, err := ParseChecksum([]byte(bad)); err == nil {
			t.Error(bad)
		}
	}
}
