package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// bigState has many files, some removed, with everything that a checkpoint can hold.
func bigState(t testing.TB, files int) *State {
	var b strings.Builder
	b.WriteString(strings.Replace(startOfTable, `"configuration":{}`, `"configuration":{"k":"v","empty":""},"name":"n","createdTime":3`, 1))
	b.WriteString(`{"txn":{"appId":"x","version":9,"lastUpdated":50}}` + "\n" + `{"txn":{"appId":"y","version":1}}` + "\n" + `{"txn":{"appId":"old","version":1,"lastUpdated":1}}` + "\n")
	b.WriteString(`{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}` + "\n" + `{"domainMetadata":{"domain":"gone","configuration":"{}","removed":true}}` + "\n")
	for i := range files {
		part := fmt.Sprintf(`"p":"%d","q":null`, i%7)
		extra := ""
		switch i % 5 {
		case 1:
			extra = `,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":40,"cardinality":6}`
		case 2:
			extra = `,"tags":{"a":"b"},"baseRowId":3,"defaultRowCommitVersion":4,"clusteringProvider":"liquid"`
		}
		fmt.Fprintf(&b, `{"add":{"path":"p=%d/part-%08d-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee.c000.snappy.parquet","partitionValues":{%s},"size":%d,"modificationTime":1700000000000,"dataChange":true,"stats":"{\"numRecords\":%d,\"minValues\":{\"a\":%d},\"maxValues\":{\"a\":%d},\"nullCount\":{\"a\":0}}"%s}}`+"\n", i%7, i, part, i, i, i, i, extra)
	}
	s, err := replayed(t, b.String(), bigRemoves)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const bigRemoves = `{"remove":{"path":"r1","deletionTimestamp":100,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"1"},"size":4}}
{"remove":{"path":"old","deletionTimestamp":2}}`

// written is a checkpoint of what bigState gives, with its removals not older than a time.
func written(t testing.TB, s *State, since int64, opt CheckpointOptions) ([]byte, CheckpointSummary) {
	var b bytes.Buffer
	sum, err := WriteCheckpoint(&b, s, removed(t, s, since, bigRemoves), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), sum); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), sum
}

func TestCheckpointRoundTrip(t *testing.T) {
	s := bigState(t, 23)
	data, sum := written(t, s, 50, CheckpointOptions{KeepTxnsAfter: 50})
	if sum != (CheckpointSummary{Actions: 2 + 2 + 1 + 23 + 1, Adds: 23, Removes: 1}) {
		t.Errorf("%+v", sum)
	}
	c, err := ReadCheckpoint("c", bytes.NewReader(data), int64(len(data)), AllFiles)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []byte
	for _, a := range c.Adds {
		got = Action{Add: a}.AppendJSON(got)
	}
	for a := range s.Adds() {
		b := *a
		b.DataChange = false
		want = Action{Add: &b}.AppendJSON(want)
	}
	got = Action{Metadata: c.Metadata}.AppendJSON(got)
	want = Action{Metadata: s.Metadata}.AppendJSON(want)
	got = Action{Protocol: c.Protocol}.AppendJSON(got)
	want = Action{Protocol: s.Protocol}.AppendJSON(want)
	got = Action{Remove: c.Removes[0]}.AppendJSON(got)
	want = append(want, `{"remove":{"path":"r1","deletionTimestamp":100,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{"p":"1"},"size":4}}`+"\n"...)
	if !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(c.Txns) != 2 || len(c.Domains) != 1 || c.Mark != nil {
		t.Errorf("%d %d", len(c.Txns), len(c.Domains))
	}
	again, _ := written(t, s, 50, CheckpointOptions{KeepTxnsAfter: 50})
	if !bytes.Equal(data, again) {
		t.Error("two checkpoints of one state differ")
	}
}

// TestCheckpointPages writes columns of several pages and several row groups, of which each has something of everything.
func TestCheckpointPages(t *testing.T) {
	const files = rowGroupActions + 100
	long := strings.Repeat("x", 50)
	adds := make([]*Add, files)
	for i := range adds {
		n := int64(i)
		a := &Add{Path: fmt.Sprint(long, i), Size: n, Stats: strings.Repeat("s", i%40), PartitionValues: PartitionTexts{}}
		for k := range i % 4 {
			a.PartitionValues = append(a.PartitionValues, PartitionText{fmt.Sprint("p", k), []string{"", "v"}[(i+k)%2]})
		}
		if i%3 == 0 {
			a.BaseRowID, a.Tags = &n, map[string]string{"k": fmt.Sprint(i)}
		}
		if i%5 == 0 {
			a.DeletionVector = &DeletionVector{StorageType: "i", PathOrInline: fmt.Sprint(i), SizeInBytes: int32(i), Cardinality: n}
		}
		adds[i] = a
	}
	removes := []*Remove{{Path: "gone", ExtendedFileMetadata: true}, {Path: "gone too"}}
	var b bytes.Buffer
	sum, err := WriteSidecar(&b, adds, removes)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyCheckpoint("s", bytes.NewReader(b.Bytes()), int64(b.Len()), sum); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCheckpoint("s", bytes.NewReader(b.Bytes()), int64(b.Len()), AllFiles)
	if err != nil || len(c.Adds) != files || len(c.Removes) != 2 || !c.Removes[0].ExtendedFileMetadata || c.Removes[1].ExtendedFileMetadata {
		t.Fatal(c, err)
	}
	for i, a := range c.Adds {
		if got, want := (Action{Add: a}).AppendJSON(nil), (Action{Add: adds[i]}).AppendJSON(nil); !bytes.Equal(got, want) {
			t.Fatalf("file %d: %swant %s", i, got, want)
		}
	}
}

func TestCheckpointWithSidecars(t *testing.T) {
	s := bigState(t, 10)
	adds := slices.Collect(s.Adds())
	var b bytes.Buffer
	sum, err := WriteSidecar(&b, adds[:6], removed(t, s, 0, bigRemoves))
	if err != nil || sum != (CheckpointSummary{Actions: 8, Adds: 6, Removes: 2}) {
		t.Fatalf("%+v, %v", sum, err)
	}
	if err := VerifyCheckpoint("s", bytes.NewReader(b.Bytes()), int64(b.Len()), sum); err != nil {
		t.Fatal(err)
	}
	data, _ := written(t, s, 0, CheckpointOptions{V2: true, Sidecars: []*Sidecar{{Path: "s.parquet", SizeInBytes: int64(b.Len()), ModificationTime: 3}}})
	c, err := ReadCheckpoint("c", bytes.NewReader(data), int64(len(data)), AllFiles)
	if err != nil || len(c.Sidecars) != 1 || c.Sidecars[0].Path != "s.parquet" || c.Sidecars[0].SizeInBytes != int64(b.Len()) || c.Sidecars[0].ModificationTime != 3 || c.Sidecars[0].Tags != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	if c.Mark == nil || c.Mark.Version != s.Version || len(c.Adds) != 0 {
		t.Errorf("%+v", c)
	}
	wrong := sum
	wrong.Adds++
	if err := VerifyCheckpoint("s", bytes.NewReader(b.Bytes()), int64(b.Len()), wrong); err == nil {
		t.Error("a short checkpoint was taken for whole")
	}
}

func TestDamagedCheckpoint(t *testing.T) {
	data, _ := written(t, bigState(t, 50), 0, CheckpointOptions{})
	for _, bad := range [][]byte{nil, []byte("PAR1"), data[:len(data)-1], data[:len(data)/2], append(bytes.Clone(data[:100]), data[200:]...)} {
		if c, err := ReadCheckpoint("c", bytes.NewReader(bad), int64(len(bad)), AllFiles); err == nil {
			t.Errorf("%d bytes of %d: %d adds", len(bad), len(data), len(c.Adds))
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	data, _ := written(f, bigState(f, 7), 0, CheckpointOptions{V2: true})
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if mib := asked(data); mib > 512 {
			t.Errorf("%d bytes: %d MiB", len(data), mib)
		}
	})
}

// asked is how much memory the reader asks for in all, in MiB.
func asked(data []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = ReadCheckpoint("c", bytes.NewReader(data), int64(len(data)), AllFiles)
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20
}

func BenchmarkReadCheckpoint(b *testing.B) {
	data, _ := written(b, bigState(b, 300_000), 0, CheckpointOptions{})
	if name := os.Getenv("TARN_KEEP_CHECKPOINT"); name != "" {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		c, err := ReadCheckpoint("c", bytes.NewReader(data), int64(len(data)), AddedFiles)
		if err != nil || len(c.Adds) != 300_000 {
			b.Fatal(err)
		}
		r := NewReplay(3)
		r.Checkpoint(c)
		s, err := r.State("t")
		if err != nil || s.NumFiles() != 300_000 {
			b.Fatal(err)
		}
	}
}

// TestDamagedFooter damages the footer of a checkpoint byte by byte: none makes the reader ask for much memory.
func TestDamagedFooter(t *testing.T) {
	data, _ := written(t, bigState(t, 7), 0, CheckpointOptions{V2: true})
	footer := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	for at := len(data) - 8 - footer; at < len(data)-4; at += 3 {
		damaged := bytes.Clone(data)
		for _, b := range []byte{0xfc, 0xff} {
			damaged[at] = b
			if mib := asked(damaged); mib > 64 {
				t.Errorf("byte %d of %d as %#x: %d MiB", at, len(data), b, mib)
			}
		}
	}
}

// TestDamagedPages lets the first page of each column claim to be of two gigabytes, or to hold as many values.
func TestDamagedPages(t *testing.T) {
	data, _ := written(t, bigState(t, 7), 0, CheckpointOptions{V2: true})
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	huge := binary.AppendVarint(nil, math.MaxInt32)
	for _, c := range file.Metadata().RowGroups[0].Columns {
		at := int(c.MetaData.DataPageOffset)
		if d := int(c.MetaData.DictionaryPageOffset); d > 0 {
			at = min(at, d)
		}
		// The header begins with the page's type and its two sizes, and the number of values is the first of the structure
		// that comes after: a byte for the name of a field, then a number.
		for place := range 4 {
			field := at
			for range place {
				if data[field]&15 == compactStruct {
					field++
				}
				_, n := binary.Varint(data[field+1:])
				field += 1 + n
			}
			if data[field]&15 == compactStruct {
				field++
			}
			_, n := binary.Varint(data[field+1:])
			damaged := slices.Concat(data[:field+1], huge, data[field+1+n:])
			if mib := asked(damaged); mib > 64 {
				t.Errorf("column %v, number %d of its first page: %d MiB", c.MetaData.PathInSchema, place, mib)
			}
		}
	}
}
