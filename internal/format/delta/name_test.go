package delta

import (
	"strings"
	"testing"
)

func TestLogNames(t *testing.T) {
	const v = "00000000000000000012"
	const id = "80a083e8-7026-4e79-81be-64bd76c43a11"
	for name, want := range map[string]LogName{
		v + ".json":               {Kind: CommitFile, Version: 12},
		v + ".crc":                {Kind: ChecksumFile, Version: 12},
		v + ".checkpoint.parquet": {Kind: ClassicCheckpoint, Version: 12},
		v + ".checkpoint.0000000002.0000000003.parquet": {Kind: MultiPartCheckpoint, Version: 12, Part: 2, Parts: 3},
		v + ".checkpoint." + id + ".parquet":            {Kind: UUIDCheckpointParquet, Version: 12, UUID: id},
		v + ".checkpoint." + id + ".json":               {Kind: UUIDCheckpointJSON, Version: 12, UUID: id},
		v + ".00000000000000000013.compacted.json":      {Kind: CompactedFile, Version: 12, Last: 13},
	} {
		got := ParseLogName(name)
		if got != want || got.String() != name {
			t.Errorf("%s: %+v, %s", name, got, got)
		}
	}
	for _, name := range []string{
		"", "_last_checkpoint", "12.json", v, v + ".json.tmp", v + ".checkpoint.json", v + ".checkpoint.x.parquet", v + "." + v + ".compacted.json",
		v + ".checkpoint.0000000004.0000000003.parquet", v + ".checkpoint.0000000000.0000000003.parquet", "99999999999999999999.json",
		"." + v + ".json.crc", v + ".checkpoint." + id + ".crc", v + "." + id + ".json",
	} {
		if got := ParseLogName(name); got != (LogName{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzLogName(f *testing.F) {
	f.Add("00000000000000000012.checkpoint.0000000002.0000000003.parquet")
	f.Add("00000000000000000012.00000000000000000013.compacted.json")
	f.Fuzz(func(t *testing.T, name string) {
		if n := ParseLogName(name); n.Kind != UnknownLogFile && n.String() != name {
			t.Fatalf("%q is read as %q", name, n)
		}
	})
}

func TestPaths(t *testing.T) {
	const root = "file:/t/my table"
	for raw, want := range map[string]string{
		"a.parquet":             root + "/a.parquet",
		"d=1%253A0/a%20b.p":     root + "/d=1%3A0/a b.p",
		"a+b&c%25.p":            root + "/a+b&c%.p",
		"%zz%2":                 root + "/%zz%2",
		"/x/y%20z":              "file:/x/y z",
		"file:/x":               "file:/x",
		"file:///x%2525":        "file:/x%25",
		"s3://b/k%C3%A9":        "s3://b/ké",
		"%66ile:/x":             root + "/file:/x",
		"d=2024-01-01T00:00:00": root + "/d=2024-01-01T00:00:00",
	} {
		if got := ResolvePath(root, raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if got := ResolvePath(root+"/", raw); got != want {
			t.Errorf("%s with a slash: %s", raw, got)
		}
	}
	if got := ResolvePath("s3://bucket/t", "/x"); got != "s3://bucket/x" {
		t.Error(got)
	}
	for path, want := range map[string]string{
		"d=1%3A0/a b é\u00a0.p": "d=1%253A0/a%20b%20%C3%A9%C2%A0.p",
		"s3://b/a#b?c[d]":       "s3://b/a%23b%3Fc%5Bd%5D",
		"x-y:b/c:d":             "x-y:b/c:d",
		"1:b/c:d":               "1%3Ab/c:d",
		"+&$='(),;@~!*":         "+&$='(),;@~!*",
		"a\xffb":                "a%FFb",
	} {
		if got := EncodePath(path); got != want || DecodePath(got) != path {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

func FuzzPath(f *testing.F) {
	f.Add("d=1%3A0/a b é")
	f.Add("x:y")
	f.Fuzz(func(t *testing.T, path string) {
		raw := EncodePath(path)
		if got := DecodePath(raw); got != path && !strings.Contains(path, "%") {
			t.Fatalf("%q is written %q and read %q", path, raw, got)
		}
		if IsAbsolutePath(raw) != IsAbsolutePath(path) {
			t.Fatalf("%q is written %q", path, raw)
		}
		ResolvePath("file:/t", path)
	})
}
