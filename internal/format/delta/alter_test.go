package delta

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func column(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func newChange(partition ...string) *Change {
	n := 0
	return &Change{
		Metadata: &Metadata{PartitionColumns: partition, Configuration: map[string]string{}},
		Schema: SchemaOf([]types.Field{
			column("a", types.Of(types.Int)),
			column("s", types.StructOf(column("x", types.Of(types.Int)), column("y", types.Of(types.String)))),
			column("l", types.ArrayOf(types.StructOf(column("e", types.Of(types.Int))))),
			column("p", types.Of(types.Date)),
		}),
		NewID: func() string { n++; return fmt.Sprint("u", n) },
	}
}

// mapping shows each field with its id and physical name.
func (c *Change) mapping() string {
	var out []string
	c.Schema.any(func(f Field) bool {
		id, _ := f.ColumnID()
		out = append(out, fmt.Sprintf("%s=%d:%s", f.Name, id, f.PhysicalName(MappingName)))
		return false
	})
	return strings.Join(out, " ") + " max " + c.Metadata.Configuration[PropertyMaxColumnID]
}

func TestMappedColumns(t *testing.T) {
	c := newChange("p")
	steps := []struct {
		name string
		do   func() error
		want string
	}{
		{"upgrade", func() error { return c.MapColumns(MappingName, false) }, "a=1:a s=2:s x=3:x y=4:y l=5:l e=6:e p=7:p max 7"},
		{"again", func() error { return c.MapColumns(MappingName, false) }, "a=1:a s=2:s x=3:x y=4:y l=5:l e=6:e p=7:p max 7"},
		{"add", func() error { return c.Add(nil, column("b", types.Of(types.Int)), Place{After: "A"}) }, "a=1:a b=8:col-u1 s=2:s x=3:x y=4:y l=5:l e=6:e p=7:p max 8"},
		{"add inside", func() error { return c.Add([]string{"s"}, column("z", types.Of(types.Int)), Place{First: true}) }, "a=1:a b=8:col-u1 s=2:s z=9:col-u2 x=3:x y=4:y l=5:l e=6:e p=7:p max 9"},
		{"rename", func() error { return c.Rename([]string{"s", "X"}, "xx") }, "a=1:a b=8:col-u1 s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e p=7:p max 9"},
		{"rename the partition column", func() error { return c.Rename([]string{"p"}, "part") }, "a=1:a b=8:col-u1 s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e part=7:p max 9"},
		{"drop", func() error { return c.Drop([]string{"b"}) }, "a=1:a s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e part=7:p max 9"},
		{"the dropped name again", func() error { return c.Add(nil, column("b", types.Of(types.Int)), Place{}) }, "a=1:a s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e part=7:p b=10:col-u3 max 10"},
		{"inside of an array", func() error {
			return c.Add([]string{"l", "element"}, column("f", types.Of(types.Int)), Place{})
		}, "a=1:a s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e f=11:col-u4 part=7:p b=10:col-u3 max 11"},
		{"move", func() error { return c.Move([]string{"b"}, Place{First: true}) }, "b=10:col-u3 a=1:a s=2:s z=9:col-u2 xx=3:x y=4:y l=5:l e=6:e f=11:col-u4 part=7:p max 11"},
		{"overwrite", func() error {
			return c.Replace(SchemaOf([]types.Field{column("a", types.Of(types.Int)), column("b", types.Of(types.String)), column("part", types.Of(types.Date))}))
		}, "a=1:a b=12:col-u5 part=7:p max 12"},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := c.mapping(); got != s.want {
			t.Errorf("%s: %s\nwant %s", s.name, got, s.want)
		}
	}
	if !slices.Equal(c.Metadata.PartitionColumns, []string{"part"}) {
		t.Errorf("%v", c.Metadata.PartitionColumns)
	}
	back, err := ParseSchema(c.Result().SchemaString)
	if err != nil || back.JSON() != c.Schema.JSON() {
		t.Error(err)
	}
	if got := PhysicalPartitionColumns(c.Schema, c.Metadata); !slices.Equal(got, []string{"p"}) {
		t.Errorf("%v", got)
	}
	fresh := newChange()
	if err := fresh.MapColumns(MappingID, true); err != nil || fresh.mapping() != "a=1:col-u1 s=2:col-u2 x=3:col-u3 y=4:col-u4 l=5:col-u5 e=6:col-u6 p=7:col-u7 max 7" {
		t.Errorf("%s, %v", fresh.mapping(), err)
	}
}

func TestAlterRefusals(t *testing.T) {
	mapped := func() *Change {
		c := newChange("p")
		if err := c.MapColumns(MappingName, false); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, c := range []struct {
		name string
		err  error
		want sqlerr.Condition
	}{
		{"rename unmapped", newChange().Rename([]string{"a"}, "b"), "DELTA_UNSUPPORTED_RENAME_COLUMN"},
		{"drop unmapped", newChange().Drop([]string{"a"}), "DELTA_UNSUPPORTED_DROP_COLUMN"},
		{"drop partition column", mapped().Drop([]string{"P"}), "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN"},
		{"unknown", mapped().Rename([]string{"s", "q"}, "b"), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"},
		{"twice", mapped().Add(nil, column("A", types.Of(types.Int)), Place{}), "DELTA_DUPLICATE_COLUMNS_FOUND"},
		{"odd name", newChange().Add(nil, column("a b", types.Of(types.Int)), Place{}), "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"},
		{"odd name, mapped", mapped().Add(nil, column("a b", types.Of(types.Int)), Place{}), ""},
		{"below a number", mapped().Add([]string{"a"}, column("b", types.Of(types.Int)), Place{}), "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"},
		{"id later", newChange().MapColumns(MappingID, false), "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"},
		{"mapping off", mapped().MapColumns(MappingNone, false), "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"},
		{"narrower", newChange().Widen([]string{"a"}, types.Of(types.SmallInt)), "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA"},
	} {
		if c.want == "" && c.err != nil || c.want != "" && !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %s", c.name, c.err, c.want)
		}
	}
}

func TestWiden(t *testing.T) {
	c := newChange()
	for _, to := range []types.Kind{types.BigInt} {
		if err := c.Widen([]string{"a"}, types.Of(to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Widen([]string{"a"}, types.DecimalOf(22, 2)); err != nil {
		t.Fatal(err)
	}
	if got := c.Schema.Fields[0].Metadata; got != `{"delta.typeChanges":[{"toType":"long","fromType":"integer"},{"toType":"decimal(22,2)","fromType":"long"}]}` {
		t.Errorf("%s", got)
	}
	if err := CheckTypeChanges(c.Schema); err != nil {
		t.Error(err)
	}
}

// The changes inside of arrays and maps are kept with the field around them.
func TestWidenPart(t *testing.T) {
	deep := types.ArrayOf(types.MapOf(types.Of(types.Int), types.ArrayOf(types.Of(types.Int))))
	c := &Change{Metadata: &Metadata{}, Schema: SchemaOf([]types.Field{
		{Name: "d", Type: deep},
		{Name: "e", Type: types.ArrayOf(types.StructOf(types.Field{Name: "element", Type: types.ArrayOf(types.Of(types.Int))}))},
	})}
	before := c.Schema.JSON()
	old := c.Schema
	for _, path := range [][]string{{"D", "Element", "key"}, {"d", "element", "VALUE", "element"}, {"e", "element", "element", "element"}} {
		if err := c.Widen(path, types.Of(types.BigInt)); err != nil {
			t.Fatal(err)
		}
	}
	if old.JSON() != before {
		t.Errorf("the schema of before has changed: %s", old.JSON())
	}
	want := `{"delta.typeChanges":[{"toType":"long","fromType":"integer","fieldPath":"element.key"},{"toType":"long","fromType":"integer","fieldPath":"element.value.element"}]}`
	if got := c.Schema.Fields[0].Metadata; string(got) != want {
		t.Errorf("%s", got)
	}
	inner := c.Schema.Fields[1].Type.Elem.Fields[0]
	if got := inner.Metadata; got != `{"delta.typeChanges":[{"toType":"long","fromType":"integer","fieldPath":"element"}]}` || inner.Type.Elem.Kind != types.BigInt {
		t.Errorf("%s", got)
	}
	if err := CheckTypeChanges(c.Schema); err != nil {
		t.Error(err)
	}
	for _, path := range [][]string{{"d", "element"}, {"d", "value"}, {"d", "element", "key", "element"}, {"e", "element", "element", "key"}, {"d"}, nil} {
		if err := c.Widen(path, types.Of(types.Double)); err == nil {
			t.Errorf("%v was widened", path)
		}
	}
}

func TestWishes(t *testing.T) {
	w, err := SplitProperties(map[string]string{"delta.feature.DeletionVectors": "supported", "delta.minReaderVersion": "2", "delta.minWriterVersion": "5", "k": "v"})
	if err != nil || !slices.Equal(w.Features, []string{"deletionVectors"}) || w.Reader != 2 || w.Writer != 5 || len(w.Properties) != 1 {
		t.Errorf("%+v, %v", w, err)
	}
	p := NewProtocol().Raise(w, &Metadata{}, Schema{})
	if p.MinReader != 3 || p.MinWriter != 7 || !p.Supports("checkConstraints") || !p.Supports("deletionVectors") || !slices.Contains(p.ReaderFeatures, "columnMapping") {
		t.Errorf("%+v", p)
	}
	if p := NewProtocol().Raise(Wishes{Writer: 7}, &Metadata{}, Schema{}); p.MinReader != 1 || !slices.Equal(p.WriterFeatures, []string{"appendOnly", "invariants"}) {
		t.Errorf("%+v", p)
	}
	for _, bad := range []map[string]string{
		{"delta.feature.x": "supported"},
		{"delta.feature.appendOnly": "maybe"},
		{"delta.minReaderVersion": "x"},
		{"delta.minWriterVersion": "8"},
		{"delta.appendOnl": "true"},
		{"delta.appendOnly": "maybe"},
		{"delta.checkpointInterval": "0"},
		{"delta.logRetentionDuration": "interval 1 month"},
		{"delta.isolationLevel": "Weird"},
		{"delta.dataSkippingNumIndexedCols": "-2"},
		{"delta.columnMapping.mode": "weird"},
	} {
		if _, err := SplitProperties(bad); err == nil {
			t.Errorf("%v", bad)
		}
	}
}

func TestPropertyNames(t *testing.T) {
	w, err := SplitProperties(map[string]string{"DELTA.APPENDONLY": "TRUE", "Delta.LogRetentionDuration": "2 weeks 1 day", "Own.Key": "x", "delta.constraints.c": "a > 1"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"delta.appendOnly": "TRUE", "delta.logRetentionDuration": "2 weeks 1 day", "Own.Key": "x", "delta.constraints.c": "a > 1"}
	if !maps.Equal(w.Properties, want) {
		t.Errorf("%v", w.Properties)
	}
}

func TestStatsBuilder(t *testing.T) {
	c := newChange("p")
	b := NewStatsBuilder(c.Schema, c.Metadata)
	b.Rows(10)
	b.Bounds([]string{"a"}, int64(3), int64(9), 1, true)
	b.Bounds([]string{"s", "x"}, nil, nil, 10, true)
	b.Bounds([]string{"s", "y"}, strings.Repeat("ä", 40), strings.Repeat("ö", 32), 0, true)
	b.Bounds([]string{"l"}, nil, nil, 2, true)
	b.Rows(5)
	b.Bounds([]string{"a"}, int64(1), int64(4), 0, true)
	b.Bounds([]string{"s", "x"}, int64(7), int64(7), -1, true)
	b.Bounds([]string{"s", "y"}, "b", strings.Repeat("z", 33), 0, true)
	want := `{"numRecords":15,"minValues":{"a":1,"s":{"x":7,"y":"b"}},"maxValues":{"a":9,"s":{"x":7,"y":"` + strings.Repeat("ö", 32) + `"}},"nullCount":{"a":1,"s":{"y":0},"l":2}}`
	if got := b.JSON(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for text, want := range map[string]int{"-1": 4, "0": 0, "2": 2} {
		n := 0
		NewStatsBuilder(c.Schema, c.Metadata.With(map[string]string{"delta.dataSkippingNumIndexedCols": text})).Leaves(func([]string, types.Type) { n++ })
		if n != want {
			t.Errorf("%s: %d leaves", text, n)
		}
	}
	var paths []string
	NewStatsBuilder(c.Schema, c.Metadata.With(map[string]string{"delta.dataSkippingStatsColumns": "`s`.x, A"})).Leaves(func(p []string, _ types.Type) { paths = append(paths, strings.Join(p, ".")) })
	if !slices.Equal(paths, []string{"a", "s.x"}) {
		t.Errorf("%v", paths)
	}
	times := SchemaOf([]types.Field{column("t", types.Of(types.Timestamp)), column("f", types.Of(types.Double)), column("d", types.DecimalOf(5, 2)), column("x", types.Of(types.String))})
	e := NewStatsBuilder(times, &Metadata{})
	e.Rows(1)
	e.Bounds([]string{"t"}, int64(-1), int64(1_700_000_000_123_456), 0, true)
	e.Bounds([]string{"f"}, 1.0, math.NaN(), 0, true)
	e.Bounds([]string{"d"}, types.NewDec(15, 1), types.NewDec(2, 0), 0, true)
	e.Bounds([]string{"x"}, strings.Repeat("k", 40), strings.Repeat("k", 40), 0, true)
	if got, want := e.JSON(), `{"numRecords":1,"minValues":{"t":"1969-12-31T23:59:59.999Z","d":1.50,"x":"`+strings.Repeat("k", 32)+`"},"maxValues":{"t":"2023-11-14T22:13:20.123Z","d":2.00,"x":"`+strings.Repeat("k", 32)+"\U0010FFFF"+`"},"nullCount":{"t":0,"f":0,"d":0,"x":0}}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
