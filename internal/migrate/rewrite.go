package migrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
)

// home are the names that were current when a view or function was made.
type home struct{ catalog, schema string }

// complete is the full name, with the legacy catalog under its own name instead of its alias.
func (h home) complete(n ident.Name) ident.Name {
	full := slices.Clone(n)
	switch len(n) {
	case 1:
		full = ident.Name{h.catalog, h.schema, n[0]}
	case 2:
		full = ident.Name{h.catalog, n[0], n[1]}
	}
	if len(full) == 3 && ident.Equal(full[0], catalog.SparkCatalog) {
		full[0] = catalog.HiveCatalog
	}
	return full
}

// mapping is where things went, by the folded full name of the source. A name is there when it is of the legacy catalog and known.
type mapping struct {
	legacy    string // the catalog that is migrated, folded
	relations map[string]ident.Name
	functions map[string]ident.Name
	// copies are those of the relations that are files of their own, so that earlier versions stayed behind; apart are those whose rows
	// may be others than the source's by now.
	copies, apart map[string]bool
	// builtin tells the names of built-in functions, which are found before those of a schema.
	builtin func(name string) bool
}

// arrives notes where a table is now. old tells that it did not come just now.
func (m *mapping) arrives(source, target ident.Name, isCopy, old bool) {
	key := folded(source)
	m.relations[key], m.copies[key], m.apart[key] = target, isCopy, isCopy && old
}

func folded(n ident.Name) string {
	out := make([]string, len(n))
	for i, p := range n {
		out[i] = ident.Fold(p)
	}
	return strings.Join(out, "\x00")
}

// missing is why a text cannot be rewritten: it uses something that has not moved.
type missing struct{ what string }

func (e missing) Error() string { return "it uses " + e.what }

// parsed is a view or a function as text and tree.
type parsed struct {
	text  string
	names *mentions
	// own is the place of the function's own name in the text.
	own ast.Name
}

func parseView(text string) (*parsed, error) {
	stmt, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return nil, fmt.Errorf("its text is no query")
	}
	return &parsed{text: text, names: gather(q)}, nil
}

func parseFunction(text string) (*parsed, error) {
	stmt, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	f, ok := stmt.(*ast.CreateFunction)
	if !ok {
		return nil, fmt.Errorf("its text is no CREATE FUNCTION")
	}
	return &parsed{text: text, names: gather(f), own: f.Name}, nil
}

// needs are the folded full names of what the text uses of the legacy catalog.
func (p *parsed) needs(h home, m *mapping) []string {
	var out []string
	for _, r := range p.names.relations {
		if full := h.complete(r.name); !isPath(r.name) && m.legacy == ident.Fold(full[0]) {
			out = append(out, folded(full))
		}
	}
	for _, f := range p.names.functions {
		if full, ok := m.function(f.name, h); ok {
			out = append(out, folded(full))
		}
	}
	return out
}

// function is the full name of a legacy function that a call means, if it means one.
func (m *mapping) function(n ident.Name, h home) (ident.Name, bool) {
	if len(n) == 1 && m.builtin(n[0]) {
		return nil, false
	}
	full := h.complete(n)
	if m.legacy != ident.Fold(full[0]) {
		return nil, false
	}
	_, known := m.functions[folded(full)]
	return full, known
}

// rewrite gives every name that means something of the legacy catalog its new name, in full; names of other catalogs become full,
// too, since the text is read under other current names now. Nothing else of the text changes.
func (p *parsed) rewrite(h home, m *mapping) (string, error) {
	if p.names.computed {
		return "", missing{"a name that is computed (IDENTIFIER); write it out"}
	}
	var edits []edit
	moved := map[string]ident.Name{} // what the text reads: old full name, new full name
	for _, r := range p.names.relations {
		if isPath(r.name) {
			continue
		}
		full := h.complete(r.name)
		to := full
		if m.legacy == ident.Fold(full[0]) {
			var ok bool
			if to, ok = m.relations[folded(full)]; !ok {
				return "", missing{full.String() + ", which is not migrated"}
			}
			if r.asOf && m.copies[folded(full)] {
				return "", missing{"an earlier version of " + full.String() + ", which was copied: its history stayed behind"}
			}
			moved[folded(full)] = to
		}
		edits = append(edits, edit{r.start, r.stop, to.String()})
	}
	for _, f := range p.names.functions {
		full, ok := m.function(f.name, h)
		if !ok {
			continue
		}
		edits = append(edits, edit{f.start, f.stop, m.functions[folded(full)].String()})
	}
	for _, c := range p.names.columns {
		edits = append(edits, columnEdits(c, h, moved)...)
	}
	return apply(p.text, edits), nil
}

// columnEdits rewrites the qualifier of a column that spells a relation with its schema: s.t.c or c.s.t.x. A lone t.c keeps its
// meaning, because the last part of a name does not change.
func columnEdits(c mention, h home, moved map[string]ident.Name) []edit {
	for _, n := range []int{3, 2} {
		if len(c.name) < n || len(c.name) == n && !c.star {
			continue
		}
		to, ok := moved[folded(h.complete(c.name[:n]))]
		if !ok {
			continue
		}
		rest := c.name[n:]
		text := to.String()
		for _, p := range rest {
			text += "." + ident.QuoteIfNeeded(p)
		}
		return []edit{{c.start, c.stop, text}}
	}
	return nil
}
