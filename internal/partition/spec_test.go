package partition_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func TestResolveSpec(t *testing.T) {
	cols := []partition.Column{col("A", of(types.Int)), col("b", of(types.String))}
	key := func(name, text string) partition.SpecKey { return partition.SpecKey{Name: name, Text: text} }
	null := func(name string) partition.SpecKey { return partition.SpecKey{Name: name, Null: true} }
	partial := partition.SpecOptions{Table: "`t`", Partial: true}
	full := partition.SpecOptions{Table: "`t`"}
	for _, c := range []struct {
		name   string
		keys   []partition.SpecKey
		opts   partition.SpecOptions
		clause string // of a complete spec
		cond   sqlerr.Condition
		params []sqlerr.Param
	}{
		{name: "any order and case", keys: []partition.SpecKey{key("B", "x"), key("a", "01")}, opts: full, clause: "PARTITION (`A` = 1, `b` = x)"},
		{name: "text keeps its zeros", keys: []partition.SpecKey{key("b", "05"), key("a", " 7 ")}, opts: full, clause: "PARTITION (`A` = 7, `b` = 05)"},
		{name: "null", keys: []partition.SpecKey{null("a"), key("b", partition.DefaultPartition)}, opts: full, clause: "PARTITION (`A` = null, `b` = null)"},
		{
			name: "unknown key", keys: []partition.SpecKey{key("c", "1")}, opts: partial, cond: "PARTITIONS_NOT_FOUND",
			params: []sqlerr.Param{{Name: "partitionList", Value: "`c`"}, {Name: "tableName", Value: "`t`"}},
		},
		{name: "case-sensitive key", keys: []partition.SpecKey{key("a", "1")}, opts: partition.SpecOptions{Partial: true, CaseSensitive: true}, cond: "PARTITIONS_NOT_FOUND"},
		{name: "twice", keys: []partition.SpecKey{key("a", "1"), key("A", "2")}, opts: partial, cond: "COLUMN_ALREADY_EXISTS"},
		{
			name: "bad value", keys: []partition.SpecKey{key("a", "1.0")}, opts: partial, cond: "CAST_INVALID_INPUT",
			params: []sqlerr.Param{{Name: "expression", Value: "'1.0'"}, {Name: "sourceType", Value: `"STRING"`}, {Name: "targetType", Value: `"INT"`}},
		},
		{name: "empty number", keys: []partition.SpecKey{key("a", "")}, opts: partial, cond: "CAST_INVALID_INPUT"},
		{name: "empty text", keys: []partition.SpecKey{key("a", "1"), key("b", "")}, opts: full, cond: "INVALID_PARTITION_SPEC"},
		{name: "incomplete", keys: []partition.SpecKey{key("a", "1")}, opts: full, cond: "INVALID_PARTITION_SPEC"},
		{name: "lenient", keys: []partition.SpecKey{key("a", "x"), key("b", "y")}, opts: partition.SpecOptions{Lenient: true}, clause: "PARTITION (`A` = null, `b` = y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := partition.ResolveSpec(cols, c.keys, c.opts)
			if c.cond != "" {
				if !errors.Is(err, c.cond) {
					t.Fatalf("error %v, want %s", err, c.cond)
				}
				if c.params != nil {
					if diff := cmp.Diff(c.params, sqlerr.As(err).Params); diff != "" {
						t.Error(diff)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := clauseOf(cols, spec.Values); got != c.clause {
				t.Errorf("%s, want %s", got, c.clause)
			}
		})
	}
}

// clauseOf is how Spark's messages show a partition.
func clauseOf(cols []partition.Column, v partition.Values) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		text := "null"
		if i < len(v) && partition.Canonical(c, v[i]) != nil {
			text = partition.Text(c, v[i])
		}
		parts[i] = "`" + c.Name + "` = " + text
	}
	return "PARTITION (" + strings.Join(parts, ", ") + ")"
}

func TestResolveSpecComparators(t *testing.T) {
	spec, err := partition.ResolveSpec(yearMonth, []partition.SpecKey{
		{Name: "year", Op: partition.Ge, Text: "2020"}, {Name: "year", Op: partition.Lt, Text: "2022"},
	}, partition.SpecOptions{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []partition.Matcher{{Col: 0, Op: partition.Ge, Value: int64(2020)}, {Col: 0, Op: partition.Lt, Value: int64(2022)}}
	if diff := cmp.Diff(want, spec.Matchers); diff != "" || spec.Values != nil {
		t.Errorf("%s %v", diff, spec.Values)
	}
}

func TestResolveSpecTypes(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		t    types.Type
		text string
		want string
		cond sqlerr.Condition
	}{
		{t: types.Type{Kind: types.Char, Precision: 4}, text: "a", want: "a   "},
		{t: types.Type{Kind: types.Char, Precision: 4}, text: "abcd  ", want: "abcd"},
		{t: types.Type{Kind: types.Char, Precision: 4}, text: "abcdef", cond: "EXCEED_LIMIT_LENGTH"},
		{t: types.Type{Kind: types.Varchar, Precision: 3}, text: "abc   ", want: "abc"},
		{t: types.Type{Kind: types.Varchar, Precision: 3}, text: "äöüß", cond: "EXCEED_LIMIT_LENGTH"},
		{t: of(types.Timestamp), text: "2024-01-01T10:11:12Z", want: "2024-01-01 05:11:12"},
		{t: of(types.Timestamp), text: "2024-01-01 10:11:12.500", want: "2024-01-01 10:11:12.5"},
		{t: of(types.Double), text: "-0.0", want: "0.0"},
		{t: of(types.Date), text: "2020-1-1", want: "2020-01-01"},
		{t: of(types.TinyInt), text: "300", cond: "CAST_INVALID_INPUT"},
	} {
		k := col("k", c.t)
		spec, err := partition.ResolveSpec([]partition.Column{k}, []partition.SpecKey{{Name: "k", Text: c.text}}, partition.SpecOptions{Zone: zone})
		if c.cond != "" {
			if !errors.Is(err, c.cond) {
				t.Errorf("%s %q: error %v", c.t, c.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", c.t, c.text, err)
		} else if got := partition.Text(k, spec.Values[0]); got != c.want {
			t.Errorf("%s %q is %q, want %q", c.t, c.text, got, c.want)
		}
	}
}
