package delta

import (
	"runtime"
	"strings"
	"testing"
)

func TestShelf(t *testing.T) {
	var none *shelf
	if none.keep("a") != "a" || none.name("b") != "b" || none.keepBytes([]byte("c")) != "c" {
		t.Error("a nil shelf changes texts")
	}
	s := newShelf(40)
	var kept []string
	texts := []string{"", "a", strings.Repeat("b", 9), strings.Repeat("c", 11), "dd", strings.Repeat("e", 10), strings.Repeat("f", 10), strings.Repeat("g", 10)}
	for _, x := range texts {
		b := []byte(x)
		kept = append(kept, s.keep(x), s.keepBytes(b), s.name(x))
		clear(b)
	}
	for i, x := range kept {
		if x != texts[i/3] {
			t.Errorf("%d: %q, not %q", i, x, texts[i/3])
		}
	}
}

// TestActionsLeaveTheirText parses a large commit whose actions hold little: the rest of its text must not stay.
func TestActionsLeaveTheirText(t *testing.T) {
	const lines = 2000
	line := `{"add":{"path":"a\u0062","partitionValues":{"p":"1"},"size":1,"modificationTime":2,"dataChange":true,"unknown":"` + strings.Repeat("x", 10_000) + `"}}` + "\n"
	text := `{"metaData":{"id":"i","format":{"provider":"parquet","options":{"o":1}},"schemaString":"s","partitionColumns":["p"],"configuration":{"k":"v"}}}` + "\n" +
		`{"txn":{"appId":"x","version":1}}` + "\n" + `{"commitInfo":{"operation":"WRITE","operationParameters":{"a":"b"}}}` + "\n" + strings.Repeat(line, lines)
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	actions, err := ParseActions("c", []byte(text))
	if err != nil || len(actions) != lines+3 {
		t.Fatal(len(actions), err)
	}
	if mib := (int64(used()) - int64(before)) >> 20; mib > 4 {
		t.Errorf("%d MiB stay of %d MiB of text", mib, len(text)>>20)
	}
	a := actions[lines].Add
	if a.Path != "ab" || a.PartitionValues.Get("p") != "1" || actions[0].Metadata.FormatOptions["o"] != "1" || actions[2].CommitInfo.OperationParameters[0] != (Parameter{"a", `"b"`}) {
		t.Errorf("%+v", a)
	}
	runtime.KeepAlive(text)
}
