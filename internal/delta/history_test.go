package delta_test

import (
	"fmt"
	"testing"

	"github.com/tarnlake/tarn/internal/delta"
)

func TestChangedSince(t *testing.T) {
	b := newTable(t)
	properties := `{"metaData":{"id":"7b","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{"a":"1"}}}`
	b.commit(0, 100, fmt.Sprintf(start, ""))
	b.commit(1, 101, `{"commitInfo":{"operation":"WRITE"}}`, add("a"))
	b.commit(2, 102, `{"commitInfo":{"operation":"SET TBLPROPERTIES"}}`, properties)
	b.commit(3, 103, `{"commitInfo":{"operation":"OPTIMIZE"}}`, `{"remove":{"path":"a","dataChange":false}}`, `{"add":{"path":"b","partitionValues":{},"size":10,"modificationTime":1,"dataChange":false}}`)
	b.commit(4, 104, `{"commitInfo":{"operation":"ADD COLUMNS"}}`, properties)
	b.commit(5, 105, `{"commitInfo":{"operation":"DELETE"}}`, `{"remove":{"path":"b","dataChange":true}}`)
	for _, c := range []struct {
		since, now int64
		want       bool
	}{{1, 1, false}, {0, 1, true}, {1, 3, false}, {3, 4, true}, {4, 5, true}, {1, 5, true}, {9, 5, true}} {
		snap, err := b.log.Snapshot(t.Context(), delta.AtVersion(c.now))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := snap.ChangedSince(t.Context(), c.since); err != nil || got != c.want {
			t.Errorf("from %d to %d: %t, %v", c.since, c.now, got, err)
		}
	}
}
