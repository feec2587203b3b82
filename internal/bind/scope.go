package bind

import (
	"slices"
	"sort"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
)

// column is a column that a name can mean.
type column struct {
	plan.Column
	// qualifier is the relation's alias, or its full name.
	qualifier ident.Name
	// hidden columns are reached by a qualified name only: the other side's key of a USING join.
	hidden bool
	// origin tells columns that are copies of one another: SELECT a, a yields two columns of one origin, and the name a
	// is not ambiguous above it.
	origin expr.ColumnID
}

// quoted is the column's qualified name as messages show it.
func (c *column) quoted() string {
	return append(slices.Clip(c.qualifier), c.Name).Quoted()
}

// scope is what names mean at one place of a query: the columns of what is read, and the scope around the query.
type scope struct {
	parent *scope
	// parameters tells that the columns are the parameters of a SQL function.
	parameters bool
	columns    []column
	byName     map[string][]int // folded without regard to case; built on first use
}

func (s *scope) add(c ...column) {
	s.columns = append(s.columns, c...)
	s.byName = nil
}

// named lists the positions of the columns of a name, without regard to case.
func (s *scope) named(name string) []int {
	if s.byName == nil {
		s.byName = make(map[string][]int, len(s.columns))
		for i := range s.columns {
			k := ident.Fold(s.columns[i].Name)
			s.byName[k] = append(s.byName[k], i)
		}
	}
	return s.byName[ident.Fold(name)]
}

// visible are the columns that * stands for.
func (s *scope) visible() []column {
	out := make([]column, 0, len(s.columns))
	for _, c := range s.columns {
		if !c.hidden {
			out = append(out, c)
		}
	}
	return out
}

// find returns the columns that the parts name, and the parts left over, which name fields. As in Spark the longest
// qualifier wins: catalog.schema.table.column before table.column.field before column.field.
func (b *binder) find(s *scope, parts []string) (found []column, rest []string) {
	for k := min(3, len(parts)-1); k >= 0; k-- {
		for _, i := range s.named(parts[k]) {
			c := &s.columns[i]
			if !b.same(c.Name, parts[k]) || !b.qualifies(c, parts[:k]) {
				continue
			}
			if !slices.ContainsFunc(found, func(f column) bool { return f.origin == c.origin }) {
				found = append(found, *c)
			}
		}
		if len(found) > 0 {
			return found, parts[k+1:]
		}
	}
	return nil, nil
}

// qualifies reports whether qualifier names the relation of c.
func (b *binder) qualifies(c *column, qualifier []string) bool {
	if len(qualifier) == 0 {
		return !c.hidden
	}
	n := len(c.qualifier) - len(qualifier)
	if n < 0 {
		return false
	}
	for i, q := range qualifier {
		// spark_catalog is Spark's name of hive_metastore.
		alias := i == 0 && len(qualifier) == 3 && ident.Equal(q, "spark_catalog") && c.qualifier[n] == "hive_metastore"
		if !alias && !b.same(c.qualifier[n+i], q) {
			return false
		}
	}
	return true
}

// suggest lists up to five columns that look most like name, back-quoted, best first. A qualified name is compared with
// qualified columns.
func suggest(name []string, columns []column) []string {
	short := len(name) == 1
	if short {
		// Qualifiers only help to tell columns of several relations apart.
		for i := 1; i < len(columns); i++ {
			if !slices.Equal(columns[i].qualifier, columns[0].qualifier) {
				short = false
				break
			}
		}
	}
	type candidate struct {
		text     string
		distance int
	}
	want := ident.Name(name).Quoted()
	var list []candidate
	for i := range columns {
		c := &columns[i]
		if c.hidden {
			continue
		}
		text := ident.Quote(c.Name)
		if !short {
			text = c.quoted()
		}
		list = append(list, candidate{text: text})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].text < list[j].text })
	list = slices.Compact(list)
	for i := range list {
		list[i].distance = ident.Distance(want, list[i].text)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].distance < list[j].distance })
	var out []string
	for _, c := range list[:min(5, len(list))] {
		out = append(out, c.text)
	}
	return out
}

// quotedNames lists the visible columns' names, back-quoted.
func quotedNames(columns []column) []string {
	var out []string
	for i := range columns {
		if !columns[i].hidden {
			out = append(out, ident.Quote(columns[i].Name))
		}
	}
	return out
}

// suggestAll lists all visible columns' names in alphabetical order.
func suggestAll(s *scope) []string {
	out := quotedNames(s.columns)
	sort.Strings(out)
	return out
}
