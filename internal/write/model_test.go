package write_test

import (
	"fmt"
	"testing"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/write"
)

// counts are what a result says of partitions.
type counts struct{ rows, added, replaced, removed, untouched int64 }

// inScope reports whether the statement is about a partition.
func (s statement) inScope(t testing.TB, spec string) bool {
	values := valuesOf(t, spec)
	for _, m := range s.scope(t, columns).Matchers {
		if !m.Matches(columns[m.Col].Type, values[m.Col]) {
			return false
		}
	}
	return s.selects == nil || s.selects(spec)
}

// apply says what a statement makes of a table.
func apply(t testing.TB, sh shape, before answer, s statement) (answer, counts) {
	after := before.clone()
	c := counts{untouched: int64(len(before))}
	written := map[string]bool{}
	for spec, rows := range s.rows {
		if len(rows) > 0 {
			written[spec] = true
		}
	}
	if s.isOne && s.kind != write.Empty && s.kind != write.Remove {
		written[s.one] = true
	}
	if !sh.partitioned {
		switch s.kind {
		case write.Append:
		default:
			after = answer{"": []string{}}
		}
		for _, rows := range s.rows {
			after.add("", rows...)
			c.rows += int64(len(rows))
		}
		c.untouched = 0
		return after, c
	}
	touch := func(spec string) {
		if _, ok := before[spec]; ok {
			c.untouched--
		}
	}
	for spec := range written {
		_, there := before[spec]
		touch(spec)
		switch {
		case !there:
			c.added++
		case s.kind != write.Append:
			c.replaced++
		}
		if s.kind != write.Append {
			after[spec] = []string{}
		}
		after.add(spec, s.rows[spec]...)
		c.rows += int64(len(s.rows[spec]))
	}
	if s.kind == write.Append || s.kind == write.ReplaceWritten {
		if !sh.registered && s.kind == write.Append {
			c.untouched = -1
		}
		return after, c
	}
	for spec := range before {
		if written[spec] || !s.inScope(t, spec) {
			continue
		}
		touch(spec)
		if s.kind == write.Empty {
			after[spec] = []string{}
			c.replaced++
		} else {
			delete(after, spec)
			c.removed++
		}
	}
	return after, c
}

func (c counts) String() string {
	return fmt.Sprintf("rows %d, added %d, replaced %d, removed %d, untouched %d", c.rows, c.added, c.replaced, c.removed, c.untouched)
}

func countsOf(r write.Result) counts {
	return counts{r.Rows, r.Added, r.Replaced, r.Removed, r.Untouched}
}

func onA(v int64) []partition.Matcher { return []partition.Matcher{{Col: 0, Value: v}} }

// statements are one of each form, for tables that begin as seeded.
func statements(sh shape) []statement {
	if !sh.partitioned {
		rows := map[string][]string{"": {"n1", "n2", "n3"}}
		return []statement{
			{name: "append", kind: write.Append, rows: rows, filesEach: 2},
			{name: "append nothing", kind: write.Append},
			{name: "overwrite", kind: write.ReplaceMatching, rows: rows, filesEach: 2},
			{name: "overwrite with nothing", kind: write.ReplaceMatching},
			{name: "truncate", kind: write.Empty},
		}
	}
	endsInX := func(spec string) bool { return spec[len(spec)-1] == 'x' }
	list := []statement{
		{name: "append", kind: write.Append, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=5/b=x": {"n2"}, "a=2/b=__HIVE_DEFAULT_PARTITION__": {"n3"}}},
		{name: "append nothing", kind: write.Append},
		{name: "append nothing to one", kind: write.Append, isOne: true, one: "a=9/b=x"},
		{name: "dynamic", kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1", "n2", "n3"}, "a=5/b=x": {"n4"}}, filesEach: 2},
		{name: "dynamic, mixed", kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1", "n2", "n3"}, "a=5/b=x": {"n4"}}, filesEach: 2, mixed: true},
		{name: "dynamic with nothing", kind: write.ReplaceWritten},
		{name: "dynamic below a prefix", kind: write.ReplaceWritten, matchers: onA(1), rows: map[string][]string{"a=1/b=y": {"n1"}}},
		{name: "one", kind: write.ReplaceMatching, isOne: true, one: "a=1/b=x", rows: map[string][]string{"a=1/b=x": {"n1"}}},
		{name: "one with nothing", kind: write.ReplaceMatching, isOne: true, one: "a=1/b=x"},
		{name: "one that is new, with nothing", kind: write.ReplaceMatching, isOne: true, one: "a=7/b=x"},
		{name: "prefix", kind: write.ReplaceMatching, matchers: onA(1), rows: map[string][]string{"a=1/b=x": {"n1"}, "a=1/b=new": {"n2"}}},
		{name: "prefix with nothing", kind: write.ReplaceMatching, matchers: onA(1)},
		{name: "all", kind: write.ReplaceMatching, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=8/b=x": {"n2"}}},
		{name: "all with nothing", kind: write.ReplaceMatching},
		{name: "truncate", kind: write.Empty},
		{name: "truncate a prefix", kind: write.Empty, matchers: onA(2)},
		{name: "remove", kind: write.Remove, matchers: onA(1)},
		{name: "remove by condition", kind: write.Remove, selects: endsInX},
		{name: "replace where", kind: write.ReplaceMatching, selects: endsInX, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=6/b=x": {"n2"}}},
		{name: "compared", kind: write.ReplaceMatching, matchers: []partition.Matcher{{Col: 0, Op: partition.Ge, Value: int64(2)}}, rows: map[string][]string{"a=4/b=x": {"n1"}}},
	}
	if sh.custom {
		list = append(list,
			statement{name: "append elsewhere", kind: write.Append, rows: map[string][]string{elsewhereSpec: {"n1"}}},
			statement{name: "one elsewhere", kind: write.ReplaceMatching, isOne: true, one: elsewhereSpec, rows: map[string][]string{elsewhereSpec: {"n1", "n2"}}, filesEach: 2},
			statement{name: "one elsewhere with nothing", kind: write.ReplaceMatching, isOne: true, one: elsewhereSpec},
			statement{name: "truncate elsewhere", kind: write.Empty, matchers: onA(3)},
			statement{name: "remove elsewhere", kind: write.Remove, matchers: onA(3)},
		)
	}
	if sh.byPath {
		list = append(list,
			statement{name: "tree", kind: write.ReplaceMatching, tree: true, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=8/b=x": {"n2"}}},
			statement{name: "tree with nothing", kind: write.ReplaceMatching, tree: true},
		)
	}
	return list
}
