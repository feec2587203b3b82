package delta

import (
	"strings"
	"testing"
)

func TestActionsKeepTheirText(t *testing.T) {
	lines := []string{
		`{"commitInfo":{"timestamp":1767225600000,"operation":"CLONE","operationParameters":{"source":"a.b","sourceVersion":7,"partitionBy":"[]"},"isolationLevel":"Serializable","isBlindAppend":false,"operationMetrics":{"numFiles":"2"},"engineInfo":"x/1","txnId":"t"}}`,
		`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["appendOnly","deletionVectors"]}}`,
		`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`,
		`{"metaData":{"id":"i","name":"n","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":["d"],"configuration":{"a":"1","b":"ü"},"createdTime":5}}`,
		`{"add":{"path":"d=1%253A0/p%20a.parquet","partitionValues":{"d":"1:0","e":null},"size":10,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"k":"v"},"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":40,"cardinality":6},"baseRowId":3,"defaultRowCommitVersion":4,"clusteringProvider":"liquid"}}`,
		`{"remove":{"path":"a","deletionTimestamp":9,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{},"size":1}}`,
		`{"remove":{"path":"a","dataChange":true}}`,
		`{"cdc":{"path":"_change_data/a","partitionValues":{},"size":3,"dataChange":false}}`,
		`{"txn":{"appId":"app","version":3,"lastUpdated":4}}`,
		`{"domainMetadata":{"domain":"delta.x","configuration":"{}","removed":true}}`,
		`{"checkpointMetadata":{"version":3}}`,
		`{"sidecar":{"path":"s.parquet","sizeInBytes":1,"modificationTime":2}}`,
	}
	actions, err := ParseActions("x.json", []byte(strings.Join(lines, "\r\n\n")))
	if err != nil || len(actions) != len(lines) {
		t.Fatalf("%d actions, %v", len(actions), err)
	}
	for i, a := range actions {
		if got := string(a.AppendJSON(nil)); got != lines[i]+"\n" {
			t.Errorf("got  %swant %s", got, lines[i])
		}
	}
}

func TestActionsIgnoreWhatTheyDoNotKnow(t *testing.T) {
	for line, known := range map[string]bool{
		`{"future":{"path":[{"x":1e9}]}}`: false,
		`{}`:                              false,
		`{"add":null}`:                    false,
		`{"ADD":{"path":"x"}}`:            false,
		`{"add":{"path":"x","Path":"y","new":{"a":[1,true,null,"\u00e9"]},"partitionValues":null,"size":"12","dataChange":null}}`: true,
		`{"commitInfo":{"timestamp":"now","isBlindAppend":"no","operationParameters":[]}}`:                                        true,
	} {
		a, ok, err := ParseAction(line)
		if err != nil || ok != known {
			t.Errorf("%s: %v %v", line, ok, err)
		}
		if a.Add != nil && (a.Add.Path != "x" || a.Add.Size != 12) {
			t.Errorf("%s: %+v", line, a.Add)
		}
	}
	for _, line := range []string{`{"add":{"path":""}}`, `{"add":{"path":"x"}`, `[]`, `{"add":{"path":"x","size":1.5}}`, `{"txn":{"version":99999999999999999999}}`, `{"add":3}`, `{"x":1}}`, strings.Repeat(`{"a":`, 100000)} {
		if _, err := ParseActions("x.json", []byte(line)); err == nil || !strings.Contains(err.Error(), "DELTA_LOG_FILE_MALFORMED") {
			t.Errorf("%.40s: %v", line, err)
		}
	}
}

func TestDeletionVectorIsPartOfTheKey(t *testing.T) {
	offset := int32(4)
	a := &Add{Path: "p", DeletionVector: &DeletionVector{StorageType: "u", PathOrInline: "x", Offset: &offset}}
	if k := a.Key(); k != (FileKey{"p", "ux@4"}) || RemoveOf(a, 1, true).Key() != k || (&Add{Path: "p"}).Key() == k {
		t.Errorf("%v", k)
	}
}

func FuzzAction(f *testing.F) {
	f.Add(`{"add":{"path":"x","partitionValues":{"a":null},"deletionVector":{"storageType":"i"}}}`)
	f.Add(`{"commitInfo":{"operationParameters":{"a":[1]}}}`)
	f.Add(`{"metaData":{"format":{"options":{"\ud800":"\n"}}}}`)
	f.Fuzz(func(t *testing.T, line string) {
		a, ok, err := ParseAction(line)
		if err != nil || !ok {
			return
		}
		text := string(a.AppendJSON(nil))
		b, ok, err := ParseAction(text)
		if err != nil || !ok {
			t.Fatalf("%q was written as %q: %v", line, text, err)
		}
		if again := string(b.AppendJSON(nil)); again != text {
			t.Fatalf("%q is read as %q", text, again)
		}
	})
}

func BenchmarkParseActions(b *testing.B) {
	const files = 100_000
	var data []byte
	for a := range bigState(b, files).Adds() {
		data = Action{Add: a}.AppendJSON(data)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		actions, err := ParseActions("c", data)
		if err != nil || len(actions) != files {
			b.Fatal(err)
		}
	}
}
