package delta

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

const (
	uuidA = "80a083e8-7026-4e79-81be-64bd76c43a11"
	uuidB = "90a083e8-7026-4e79-81be-64bd76c43a11"
)

// listing makes names from short forms: "3" a commit, "3c" a classic checkpoint, "3p1/2" a part, "3a" and "3b" UUID
// checkpoints, "3-5" a compaction, "3s" a checksum; others stand for themselves.
func listing(text string) []LogFile {
	var out []LogFile
	for _, w := range strings.Fields(text) {
		v, name := int64(w[0]-'0'), w
		switch {
		case w[0] < '0' || w[0] > '9':
		case len(w) == 1:
			name = CommitName(v)
		case w[1] == 'c':
			name = ClassicCheckpointName(v)
		case w[1] == 'p':
			name = MultiPartCheckpointName(v, int(w[2]-'0'), int(w[4]-'0'))
		case w[1] == 'a':
			name = UUIDCheckpointName(v, uuidA)
		case w[1] == 'b':
			name = strings.Replace(UUIDCheckpointName(v, uuidB), ".parquet", ".json", 1)
		case w[1] == '-':
			name = CompactedName(v, int64(w[2]-'0'))
		case w[1] == 's':
			name = ChecksumName(v)
		}
		out = append(out, LogFile{Name: name})
	}
	return out
}

func (s Segment) text() string {
	var names []string
	for _, f := range slices.Concat(s.CheckpointFiles, s.Commits) {
		names = append(names, f.Name)
	}
	if s.Checksum.Name != "" {
		names = append(names, s.Checksum.Name)
	}
	return strings.Join(names, " ")
}

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		name, files string
		version     int64
		want        []string // short forms of each segment's files
		err         sqlerr.Condition
	}{
		{"commits", "0 1 2", Latest, []string{"0 1 2"}, ""},
		{"unknown names", "x.tmp 0 .0.crc _last_checkpoint 1 00000000000000000009.json.part", Latest, []string{"0 1"}, ""},
		{"a checkpoint and what to fall back to", "0 1 1c 2 3 3c 4 4s", Latest, []string{"3c 4 4s", "1c 2 3 4 4s", "0 1 2 3 4 4s"}, ""},
		{"time travel", "0 1 1c 2 3 3c 4", 2, []string{"1c 2", "0 1 2"}, ""},
		{"travel to the checkpoint itself", "1c 2 3", 1, []string{"1c"}, ""},
		{"only a checkpoint", "2c", Latest, []string{"2c"}, ""},
		{"a hole below the checkpoint", "0 3c 4", Latest, []string{"3c 4"}, ""},
		{"parts", "2p1/2 2p2/2 3", Latest, []string{"2p1/2 2p2/2 3"}, ""},
		{"a part is missing", "0 1 2 2p1/2 3", Latest, []string{"0 1 2 3"}, ""},
		{"parts of two writers", "0 1 1p1/2 1p2/2 1p1/3", Latest, []string{"1p1/2 1p2/2", "0 1"}, ""},
		{"kinds of one version", "1b 1a 1p1/1 1c", Latest, []string{"1c", "1a", "1b", "1p1/1"}, ""},
		{"compaction", "0 1 2 3 1-2 0-2 4", Latest, []string{"0-2 3 4", "0 1 2 3 4"}, ""},
		{"a compaction beyond the version", "0 1 2 0-2", 1, []string{"0 1"}, ""},
		{"a compaction whose commits are gone", "0 1-2 3", Latest, []string{"0 1-2 3"}, ""},
		{"a gap", "0 1 3", Latest, nil, "DELTA_VERSIONS_NOT_CONTIGUOUS"},
		{"a gap above the checkpoint", "0 1 1c 3", Latest, nil, "DELTA_VERSIONS_NOT_CONTIGUOUS"},
		{"a gap above the version", "0 1 3", 1, []string{"0 1"}, ""},
		{"cleaned away", "2 3", Latest, nil, "DELTA_TRUNCATED_TRANSACTION_LOG"},
		{"below what is left", "2c 3", 1, nil, "DELTA_VERSION_NOT_FOUND"},
		{"beyond the end", "0 1", 2, nil, "DELTA_VERSION_NOT_FOUND"},
		{"nothing", "0s", Latest, nil, "DELTA_LOG_FILE_NOT_FOUND"},
	} {
		got, err := Segments("log", listing(c.files), c.version)
		if c.err != "" && !errors.Is(err, c.err) || c.err == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var texts, want []string
		for _, s := range got {
			texts = append(texts, s.text())
		}
		for _, w := range c.want {
			want = append(want, Segment{Commits: listing(w)}.text())
		}
		if !slices.Equal(texts, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(texts, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestHint(t *testing.T) {
	const sample = `{"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": ["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}`
	if got, err := jsonChecksum(sample); got != "6a92d155a59bf2eecbd4b4ec7fd1f875" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	n := int64(7)
	h := Hint{Version: 3, Size: 9, Parts: 2, SizeInBytes: &n, NumOfAddFiles: &n}
	got, err := ParseHint(h.JSON())
	if err != nil || got.Version != 3 || got.Size != 9 || got.Parts != 2 || *got.SizeInBytes != 7 {
		t.Errorf("%s: %+v, %v", h.JSON(), got, err)
	}
	if got, err := ParseHint([]byte(`{"version":1,"size":2,"v2Checkpoint":{"path":"x"},"checkpointSchema":{}}`)); err != nil || got.Version != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "{", "{}", `{"version":1,"version":1}`, `{"version":1,"size":2,"checksum":"x"}`, `{"version":"a"}`, strings.Replace(string(h.JSON()), `"size":9`, `"size":8`, 1)} {
		if h, err := ParseHint([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, h)
		}
	}
}
