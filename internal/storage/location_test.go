package storage_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/storage"
)

func parse(t testing.TB, text string) storage.Location {
	t.Helper()
	loc, err := storage.ParseLocation(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseLocation(t *testing.T) {
	for _, c := range []struct{ text, base, want string }{
		{"/x//y/", "", "file:/x/y"},
		{"/", "", "file:/"},
		{"//x/y", "", "file:/x/y"},
		{"file:///x", "", "file:/x"},
		{"file:/x/", "", "file:/x"},
		{"file://localhost/x", "", "file:/x"},
		{"FILE:/x", "", "file:/x"},
		{"/a/./b/../c", "", "file:/a/c"},
		{"/../..", "", "file:/"},
		{"/a/..b/c..", "", "file:/a/..b/c.."},
		{"/a%20b/c?d#e", "", "file:/a%20b/c?d#e"},
		{"x", "/base", "file:/base/x"},
		{"../x/", "file:/base/here", "file:/base/x"},
		{"ts=2024-01-01 00:00:00", "/t", "file:/t/ts=2024-01-01 00:00:00"},
		{"k=a", "s3://b/t", "s3://b/t/k=a"},
		{"s3://b/k//x/", "", "s3://b/k/x"},
		{"s3://b", "", "s3://b/"},
		{"s3://b/", "", "s3://b/"},
		{"abfss://c@acc.dfs.core.windows.net/a/b", "", "abfss://c@acc.dfs.core.windows.net/a/b"},
		{"gs://b/k", "", "gs://b/k"},
		{"hdfs://nn:8020/a", "", "hdfs://nn:8020/a"},
		{"hdfs:/a", "", "hdfs:/a"},
		{"dbfs:/mnt/x", "", "dbfs:/mnt/x"},
	} {
		loc, err := storage.ParseLocation(c.text, c.base)
		if err != nil || loc.String() != c.want {
			t.Errorf("ParseLocation(%q, %q) = %q, %v, want %q", c.text, c.base, loc, err, c.want)
		}
	}
}

func TestParseLocationRefuses(t *testing.T) {
	for _, c := range []struct{ text, base string }{
		{"", "/x"}, {"x", ""}, {"x", "y"}, {"a\x00b", "/x"}, {"/a\x00b", ""}, {"file://host/x", ""}, {"file:x", ""}, {"s3:/k", ""}, {"s3:///k", ""}, {"gs:", ""}, {"x", "s3:/k"},
	} {
		loc, err := storage.ParseLocation(c.text, c.base)
		if storage.KindOf(err) != storage.BadLocation {
			t.Errorf("ParseLocation(%q, %q) = %q, %v, want a bad location", c.text, c.base, loc, err)
		}
	}
}

func TestLocationParts(t *testing.T) {
	loc := parse(t, "s3://b/a/c")
	for what, got := range map[string][2]string{
		"key":          {loc.Key(), "a/c"},
		"dir key":      {loc.DirKey(), "a/c/"},
		"root dir key": {loc.Root().DirKey(), ""},
		"name":         {loc.Name(), "c"},
		"parent":       {loc.Parent().String(), "s3://b/a"},
		"top":          {loc.Parent().Parent().Parent().String(), "s3://b/"},
		"join":         {loc.Join("k=1/h=2/").String(), "s3://b/a/c/k=1/h=2"},
		"root join":    {loc.Root().Join("x").String(), "s3://b/x"},
		"join nothing": {loc.Join("").String(), "s3://b/a/c"},
		"zero":         {storage.Location{}.String(), ""},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %q, want %q", what, got[0], got[1])
		}
	}
}

func TestContainsComparesSegments(t *testing.T) {
	for _, c := range []struct {
		outer, inner string
		rel          string
		want         bool
	}{
		{"/a/b", "/a/b/c", "c", true},
		{"/a/b", "/a/b", "", true},
		{"/a/b", "/a/bc", "", false},
		{"/a/b/c", "/a/b", "", false},
		{"/", "/a", "a", true},
		{"/a", "s3://b/a/x", "", false},
		{"s3://b/a", "s3a://B/a/x", "x", true},
		{"s3://b/a", "gs://b/a/x", "", false},
		{"abfs://c@x/a", "abfss://c@X/a", "", true},
	} {
		rel, ok := parse(t, c.outer).Rel(parse(t, c.inner))
		if ok != c.want || rel != c.rel {
			t.Errorf("%s in %s: %q, %v, want %q, %v", c.inner, c.outer, rel, ok, c.rel, c.want)
		}
	}
	if !parse(t, "/a/b").Overlaps(parse(t, "/a")) || parse(t, "/a/b").Overlaps(parse(t, "/a/c")) {
		t.Error("overlap is wrong")
	}
	if !parse(t, "s3a://b/x").Equal(parse(t, "s3://b/x/")) {
		t.Error("two spellings of one place differ")
	}
}

func TestLocationTextIsAFixedPoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`((s3|gs|file|hdfs):)?/{0,3}([a-c%=: .]{0,3}/{0,2}){0,4}`).Draw(rt, "text")
		loc, err := storage.ParseLocation(text, "/base")
		if err != nil {
			return
		}
		again, err := storage.ParseLocation(loc.String(), "")
		if err != nil || again != loc {
			rt.Fatalf("%q gives %q, which gives %q, %v", text, loc, again, err)
		}
		child := loc.Join("k=1")
		if rel, ok := loc.Rel(child); rel != "k=1" || !ok || child.Parent() != loc {
			rt.Fatalf("%q: child %q, rel %q", loc, child, rel)
		}
	})
}

func FuzzParseLocation(f *testing.F) {
	for _, seed := range []string{"/x", "file:///x", "s3://b/k", "a:b/c", "", "..", "/..//.", "x\xff"} {
		f.Add(seed, "/base")
	}
	f.Fuzz(func(t *testing.T, text, base string) {
		loc, err := storage.ParseLocation(text, base)
		if err != nil {
			return
		}
		if again, err := storage.ParseLocation(loc.String(), ""); err != nil || again != loc {
			t.Fatalf("%q gives %q, which gives %q, %v", text, loc, again, err)
		}
		if strings.Contains(loc.Path(), "//") || !loc.Contains(loc.Join("x")) {
			t.Fatalf("%q is not normal", loc)
		}
	})
}

func TestJavaURI(t *testing.T) {
	for text, want := range map[string]string{
		"file:/data/a.csv":          "file:///data/a.csv",
		"s3://bucket/k=a b/ü.csv":   "s3://bucket/k=a%20b/ü.csv",
		"/d/x%20y":                  "file:///d/x%2520y",
		"/d/" + "_-!.~'()*,;:$&+=@": "file:///d/_-!.~'()*,;:$&+=@",
		"/d/" + "\"<>#?[]{}|\\^`":   "file:///d/%22%3C%3E%23%3F%5B%5D%7B%7D%7C%5C%5E%60",
		"/d/\u00a0\u3000\u0085日本":   "file:///d/%C2%A0%E3%80%80%C2%85日本",
	} {
		l, err := storage.ParseLocation(text, "/")
		if err != nil {
			t.Fatal(err)
		}
		if got := l.JavaURI(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
