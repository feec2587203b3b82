package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

func TestValidateName(t *testing.T) {
	const refused = sqlerr.Condition("INVALID_SCHEMA_OR_RELATION_NAME")
	long := strings.Repeat("ü", catalog.MaxNameLength)
	for _, c := range []struct {
		rules catalog.Rules
		name  string
		ok    bool
	}{
		{catalog.UnityRules, "t", true},
		{catalog.UnityRules, "Ünï-1@x$", true},
		{catalog.UnityRules, "a`b\"c'd", true},
		{catalog.UnityRules, "_", true},
		{catalog.UnityRules, "123", true},
		{catalog.UnityRules, long, true},
		{catalog.UnityRules, long + "ü", false},
		{catalog.UnityRules, "", false},
		{catalog.UnityRules, "a.b", false},
		{catalog.UnityRules, "a b", false},
		{catalog.UnityRules, "a/b", false},
		{catalog.UnityRules, "a\nb", false},
		{catalog.UnityRules, "a\x7fb", false},
		{catalog.UnityRules, "a\xffb", false},
		{catalog.HiveRules, "T_1", true},
		{catalog.HiveRules, "a-b", false},
		{catalog.HiveRules, "ü", false},
		{catalog.HiveRules, "", false},
	} {
		err := catalog.ValidateName(c.rules, "table", c.name)
		if c.ok && err != nil || !c.ok && !errors.Is(err, refused) {
			t.Errorf("%s %q: %v", c.rules, c.name, err)
		}
	}
	if err := catalog.ValidateName(catalog.UnityRules, "schema", "Information_Schema"); !errors.Is(err, refused) {
		t.Errorf("information_schema: %v", err)
	}
	if err := catalog.ValidateName(catalog.UnityRules, "table", "information_schema"); err != nil {
		t.Errorf("a table named information_schema: %v", err)
	}
	e := sqlerr.As(catalog.ValidateName(catalog.UnityRules, "table", "a`.b"))
	if e.SQLState() != "42602" || e.Params[0].Value != "`a``.b`" {
		t.Errorf("%v, %v", e, e.Params)
	}
}

func TestManagedLocation(t *testing.T) {
	s := &catalog.Schema{Location: "s3://b/wh/s/"}
	const id = catalog.ID("0123abcd-0000-4000-8000-000000000000")
	for _, c := range []struct {
		rules      catalog.Rules
		name, want string
	}{
		{catalog.UnityRules, "Sales", "s3://b/wh/s/sales-0123abcd"},
		{catalog.UnityRules, "a%20b?c#d:e\"f", "s3://b/wh/s/a_20b_c_d_e_f-0123abcd"},
		{catalog.UnityRules, "日本", "s3://b/wh/s/日本-0123abcd"},
		{catalog.HiveRules, "Sales", "s3://b/wh/s/sales"},
	} {
		if got := catalog.ManagedLocation(c.rules, s, c.name, id); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.rules, c.name, got, c.want)
		}
	}
	got := catalog.ManagedLocation(catalog.UnityRules, s, strings.Repeat("日", 255), id)
	if dir := got[strings.LastIndexByte(got, '/')+1:]; len(dir) > 255 || !strings.HasSuffix(dir, "日-0123abcd") {
		t.Errorf("a long name: %s", dir)
	}
}

func TestSchemaLocation(t *testing.T) {
	c := &catalog.Catalog{Location: "file:/wh/main"}
	const id = catalog.ID("0123abcd-0000-4000-8000-000000000000")
	for name, want := range map[string]string{
		"Sales": "file:/wh/main/sales",
		"a$b":   "file:/wh/main/a_b-0123abcd",
	} {
		if got := catalog.SchemaLocation(c, name, id); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		outer, inner string
		want         bool
	}{
		{"file:/a", "file:/a", true},
		{"file:/a/", "file:///a", true},
		{"file:/a", "file:/a/b", true},
		{"file:/a", "file:/ab", false},
		{"file:/a/b", "file:/a", false},
		{"file:/", "file:/a", true},
		{"file:/a", "file:/a/../b", false},
		{"file:/a", "file:/a%2Fb", false},
		{"s3://B/x", "s3a://b/x/y", true},
		{"s3://b/x", "s3://b/X/y", false},
		{"s3://b", "s3://bb/x", false},
		{"s3://b/x", "gs://b/x", false},
		{"abfs://c@a.dfs/x", "abfss://c@a.dfs/x/y", true},
	} {
		if got := catalog.Contains(c.outer, c.inner); got != c.want {
			t.Errorf("%s contains %s: %v", c.outer, c.inner, got)
		}
	}
}

// TestLocationKeyAgreesWithStorage holds the two ways to compare places together.
func TestLocationKeyAgreesWithStorage(t *testing.T) {
	// A path that begins with an empty name makes a host of the next one, which a file location may not have.
	location := rapid.Custom(func(t *rapid.T) string {
		root := rapid.SampledFrom([]string{
			"file:/", "file:///", "s3://b/", "s3a://B/", "s3n://b/", "s3://c/", "abfs://c@h/", "abfss://c@H/",
			"wasb://c@h/", "wasbs://c@h/", "gs://b/", "hdfs://h:8020/",
		}).Draw(t, "root")
		return root + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "A", "", ".", "..", "a b", "k=v%2F"}), 0, 4).Draw(t, "path"), "/")
	}).Filter(func(s string) bool {
		_, err := storage.ParseLocation(s, "")
		return err == nil
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := location.Draw(t, "a"), location.Draw(t, "b")
		la, err := storage.ParseLocation(a, "")
		if err != nil {
			t.Fatal(err)
		}
		lb, err := storage.ParseLocation(b, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := catalog.LocationKey(a) == catalog.LocationKey(b); got != la.Equal(lb) {
			t.Errorf("%s and %s are one place: key %v, storage %v", a, b, got, la.Equal(lb))
		}
		if got := catalog.Contains(a, b); got != la.Contains(lb) {
			t.Errorf("%s contains %s: key %v, storage %v", a, b, got, la.Contains(lb))
		}
		// The place itself and all that contain it are among its ancestors.
		if got := slices.Contains(catalog.Ancestors(catalog.LocationKey(b)), catalog.LocationKey(a)); got != la.Contains(lb) {
			t.Errorf("%s is an ancestor of %s: %v, storage %v", a, b, got, la.Contains(lb))
		}
	})
}

func TestNewID(t *testing.T) {
	seen := map[catalog.ID]bool{}
	for range 1000 {
		id := catalog.NewID()
		if len(id) != 36 || id[14] != '4' || !strings.Contains("89ab", string(id[19:20])) || seen[id] {
			t.Fatalf("id %s", id)
		}
		seen[id] = true
	}
}

func TestStoreError(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("context: %w", &catalog.StoreError{Kind: catalog.ErrReadOnly, Path: "/x", Err: cause})
	if !errors.Is(err, catalog.ErrReadOnly) || !errors.Is(err, cause) || errors.Is(err, catalog.ErrLocked) {
		t.Errorf("kinds of %v", err)
	}
	for kind, want := range map[error]string{
		catalog.ErrCorrupt:      "CATALOG_UNUSABLE.CORRUPT 58030",
		catalog.ErrNotCatalog:   "CATALOG_UNUSABLE.NOT_A_CATALOG 58030",
		catalog.ErrReadOnly:     "CATALOG_UNUSABLE.READ_ONLY 25006",
		catalog.ErrLocked:       "CATALOG_UNUSABLE.LOCKED 55P03",
		catalog.ErrNoSpace:      "CATALOG_UNUSABLE.NO_SPACE 53100",
		catalog.ErrNewer:        "CATALOG_VERSION_UNSUPPORTED 55000",
		catalog.ErrNotCreatable: "CATALOG_UNUSABLE.NOT_CREATABLE 58030",
	} {
		e := sqlerr.As(catalog.Translate(&catalog.StoreError{Kind: kind, Path: "/x", Format: 9, Supported: 1}))
		if got := string(e.Condition) + " " + e.SQLState(); got != want || e.Params[0].Value != "/x" {
			t.Errorf("%v became %v, want %s", kind, e, want)
		}
	}
	if err := catalog.Translate(catalog.ErrNotFound); err != catalog.ErrNotFound {
		t.Errorf("ErrNotFound became %v", err)
	}
}

func TestVersionAt(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	history := []catalog.Commit{{Version: 3, At: at(30)}, {Version: 2, At: at(20)}, {Version: 2, At: at(20)}, {Version: 1, At: at(10)}}
	for s, want := range map[int]int64{9: 0, 10: 1, 19: 1, 20: 2, 29: 2, 30: 3, 99: 3} {
		got, ok := catalog.VersionAt(history, at(s))
		if got != want || ok != (want > 0) {
			t.Errorf("at %d: %d, %v", s, got, ok)
		}
	}
	if _, ok := catalog.VersionAt(nil, at(1)); ok {
		t.Error("a table without history has a version")
	}
}

// TestStampNeverRunsBackwards: clocks of two machines differ, and TIMESTAMP AS OF needs an order.
func TestStampNeverRunsBackwards(t *testing.T) {
	last := time.Unix(100, 0)
	c := catalog.Commit{}
	c.Stamp(7, time.Unix(90, 0), last, "me")
	if !c.At.Equal(last) || c.Version != 7 || c.Actor != "me" {
		t.Errorf("%+v", c)
	}
}
