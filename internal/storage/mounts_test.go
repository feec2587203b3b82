package storage_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/storage"
)

func place(t *testing.T, text string) storage.Location {
	t.Helper()
	loc, err := storage.ParseLocation(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func mounts(t *testing.T, table map[string]string) *storage.Mounts {
	t.Helper()
	m, err := storage.NewMounts(table, place(t, "file:/home/dbfs"), place(t, "file:/home/warehouse/hive_metastore"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMountsResolve(t *testing.T) {
	m := mounts(t, map[string]string{"/mnt/a": "s3a://one/x", "/mnt/a/deep": "file:/deep", "dbfs:/mnt/w": "wasbs://c@acc.blob.core.windows.net/p"})
	for _, c := range []struct{ in, want, unmounted string }{
		{"dbfs:/mnt/a/t", "s3://one/x/t", ""},
		{"/dbfs/mnt/a/t", "s3://one/x/t", ""},
		{"/mnt/a/t/", "s3://one/x/t", ""},
		{"/mnt/a", "s3://one/x", ""},
		{"DBFS:///mnt//a/./t", "s3://one/x/t", ""},
		{"/mnt/a/deep/t", "file:/deep/t", ""},
		{"/mnt/a/deeper/t", "s3://one/x/deeper/t", ""},
		{"dbfs:/mnt/ab/t", "file:/home/dbfs/mnt/ab/t", "/mnt/ab/t"},
		{"/mnt/ab/t", "/mnt/ab/t", ""},
		{"/mnt/w/k=1/*.csv", "abfss://c@acc.dfs.core.windows.net/p/k=1/*.csv", ""},
		{"dbfs:/x/y", "file:/home/dbfs/x/y", ""},
		{"/dbfs", "file:/home/dbfs", ""},
		{"dbfs:/", "file:/home/dbfs", ""},
		{"/dbfsx/y", "/dbfsx/y", ""},
		{"dbfs:/user/hive/warehouse/s.db/t", "file:/home/warehouse/hive_metastore/s.db/t", ""},
		{"/user/hive/warehouse/t", "/user/hive/warehouse/t", ""},
		{"dbfs:/mnt/a/../../x", "file:/home/dbfs/x", ""},
		{"dbfs:/Volumes/c/s/v", "/Volumes/c/s/v", ""},
		{"/home/x", "/home/x", ""},
		{"file:/mnt/a/t", "file:/mnt/a/t", ""},
		{"s3://b/mnt/a", "s3://b/mnt/a", ""},
		{"rel/mnt/a", "rel/mnt/a", ""},
		{"dbfs://host/x", "dbfs://host/x", ""},
		{"", "", ""},
	} {
		if got, unmounted := m.Resolve(c.in); got != c.want || unmounted != c.unmounted {
			t.Errorf("Resolve(%q) = %q, %q, want %q, %q", c.in, got, unmounted, c.want, c.unmounted)
		}
	}
	var none *storage.Mounts
	if got, _ := none.Resolve("dbfs:/x"); got != "dbfs:/x" {
		t.Errorf("without mounts dbfs:/x became %q", got)
	}
	rooted := mounts(t, map[string]string{"/": "file:/dbfs"})
	if got, unmounted := rooted.Resolve("dbfs:/mnt/q"); got != "file:/dbfs/mnt/q" || unmounted != "" {
		t.Errorf("a given root has %q, %q", got, unmounted)
	}
	if !rooted.Configured() || mounts(t, nil).Configured() || len(rooted.All()) != 2 || rooted.All()[0].Point != "/" {
		t.Errorf("%+v", rooted.All())
	}
}

func TestMountsFind(t *testing.T) {
	m := mounts(t, map[string]string{"/mnt/a": "s3://one/x", "/mnt/all": "file:/"})
	for _, c := range []struct {
		in, path string
		root     bool
	}{
		{"s3://one/x/t", "/mnt/a/t", false},
		{"s3n://one/x/t", "/mnt/a/t", false},
		{"file:/home/dbfs/t", "/t", true},
		{"file:/home/dbfs", "/", true},
		{"file:/home/warehouse/hive_metastore/default/t", "/user/hive/warehouse/default/t", true},
		{"file:/etc/t", "/mnt/all/etc/t", false},
		{"s3://one/xy", "", false},
	} {
		path, mount, ok := m.Find(place(t, c.in))
		if ok != (c.path != "") || ok && (path != c.path || mount.Root != c.root) {
			t.Errorf("Find(%s) = %q, %+v, %t", c.in, path, mount, ok)
		}
	}
	if !storage.Unmounted("/mnt/x") || storage.Unmounted("/mntx") {
		t.Error("what lies below /mnt is told by segments")
	}
}

func TestMountsAreChecked(t *testing.T) {
	for point, source := range map[string]string{"mnt/a": "s3://b/x", "/mnt/a": "x/y", "/mnt/b": "dbfs:/mnt/a", "/mnt/c": "s3:///x"} {
		if _, err := storage.NewMounts(map[string]string{point: source}, place(t, "file:/h"), storage.Location{}); storage.KindOf(err) != storage.BadLocation {
			t.Errorf("%s = %s: %v", point, source, err)
		}
	}
}
