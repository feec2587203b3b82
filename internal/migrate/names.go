package migrate

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
)

// mention is a name in a text that means something of the catalog, with its place.
type mention struct {
	name        ident.Name
	start, stop int
	star        bool // the qualifier of a *, all of it
	asOf        bool // an earlier version of a table is read
}

// mentions are the names that a query or a function's body uses.
type mentions struct {
	relations []mention // tables and views; names that WITH defines are left out
	functions []mention
	columns   []mention // qualified ones: their first parts may be the name of a relation
	// computed tells of a name that is computed from text, which nobody can find by reading.
	computed bool
}

// gather finds the names below a node.
func gather(n ast.Node) *mentions {
	m := &mentions{}
	m.walk(reflect.ValueOf(n), nil)
	return m
}

var astPackage = reflect.TypeFor[ast.Name]().PkgPath()

// walk goes through whatever may hold nodes. ctes are the names that WITH clauses around define.
func (m *mentions) walk(v reflect.Value, ctes []string) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			m.walk(v.Elem(), ctes)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
			return
		}
		m.node(v, ctes)
	case reflect.Slice:
		for i := range v.Len() {
			m.walk(v.Index(i), ctes)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == astPackage {
			m.fields(v, ctes)
		}
	}
}

// node takes what a node says by itself, and goes on below it.
func (m *mentions) node(v reflect.Value, ctes []string) {
	switch n := v.Interface().(type) {
	case *ast.Query:
		if n.With != nil {
			ctes = m.with(n.With, ctes)
		}
		for i := range v.Elem().NumField() {
			if f := v.Elem().Type().Field(i); f.IsExported() && f.Name != "With" {
				m.walk(v.Elem().Field(i), ctes)
			}
		}
		return
	case *ast.TableRef:
		m.relation(n.Name, n.AsOf != nil, ctes)
	case *ast.TableQuery:
		m.relation(n.Name, false, ctes)
	case *ast.Call:
		if n.Name.Computed != nil {
			m.computed = true
		} else {
			m.functions = append(m.functions, mentionOf(n.Name))
		}
	case *ast.ColumnRef:
		m.column(n.Parts, false)
	case *ast.Star:
		m.column(n.Qualifier, true)
	}
	m.fields(v.Elem(), ctes)
}

func (m *mentions) fields(v reflect.Value, ctes []string) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			m.walk(v.Field(i), ctes)
		}
	}
}

// with walks the queries of a WITH clause, each of which sees those before it (and itself when the clause is recursive), and
// returns what the query behind it sees.
func (m *mentions) with(w *ast.With, ctes []string) []string {
	seen := slices.Clone(ctes)
	for _, c := range w.CTEs {
		name := ident.Fold(c.Name.Name)
		inner := seen
		if w.Recursive {
			inner = append(slices.Clone(seen), name)
		}
		m.walk(reflect.ValueOf(c.Query), inner)
		if c.MaxLevel != nil {
			m.walk(reflect.ValueOf(c.MaxLevel), seen)
		}
		seen = append(slices.Clone(seen), name)
	}
	return seen
}

func (m *mentions) relation(n ast.Name, asOf bool, ctes []string) {
	switch {
	case n.Computed != nil:
		m.computed = true
	case len(n.Parts) == 1 && slices.Contains(ctes, ident.Fold(n.Parts[0].Name)):
	default:
		r := mentionOf(n)
		r.asOf = asOf
		m.relations = append(m.relations, r)
	}
}

func (m *mentions) column(parts []ast.Ident, star bool) {
	if len(parts) < 2 {
		return
	}
	c := mention{star: star, start: parts[0].Span().Start, stop: parts[len(parts)-1].Span().End}
	for _, p := range parts {
		c.name = append(c.name, p.Name)
	}
	m.columns = append(m.columns, c)
}

func mentionOf(n ast.Name) mention {
	return mention{name: n.Ident(), start: n.Span().Start, stop: n.Span().End}
}

// isPath reports whether a name of two parts is a path to files: parquet.`/p`.
func isPath(n ident.Name) bool { return len(n) == 2 && strings.ContainsAny(n[1], "/:") }

// edit replaces a part of a text.
type edit struct {
	start, stop int
	text        string
}

// apply makes edits that do not overlap.
func apply(text string, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	b := &strings.Builder{}
	at := 0
	for _, e := range edits {
		if e.start < at { // the same name twice, through a node that two others share
			continue
		}
		b.WriteString(text[at:e.start])
		b.WriteString(e.text)
		at = e.stop
	}
	b.WriteString(text[at:])
	return b.String()
}
