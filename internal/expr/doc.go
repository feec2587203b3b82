package expr

import (
	"sort"
	"strings"
)

// Doc is what DESCRIBE FUNCTION says of a built-in function.
type Doc struct {
	Name string
	// Usage is its forms and what it means, on one line.
	Usage string
	// Examples are what may follow SELECT.
	Examples []string
}

// Extended is the examples as text, indented, a line each.
func (d Doc) Extended() string {
	if len(d.Examples) == 0 {
		return "    No example for " + d.Name + "."
	}
	var b strings.Builder
	b.WriteString("    Examples:")
	for _, e := range d.Examples {
		b.WriteString("\n      > SELECT " + e + ";")
	}
	return b.String()
}

// grammarDocs are the functions that the grammar or the binder knows by themselves.
var grammarDocs = map[string]Doc{
	"case":        {Usage: "CASE [expr] WHEN cond THEN value … [ELSE value] END - The value of the first WHEN that is true, or that equals expr; else that of ELSE, or NULL.", Examples: []string{"CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END = 'b'"}},
	"when":        {Usage: "CASE WHEN cond THEN value … [ELSE value] END - The value of the first WHEN that is true; else that of ELSE, or NULL.", Examples: []string{"CASE WHEN 1 < 2 THEN 'a' END = 'a'"}},
	"cast":        {Usage: "CAST(expr AS type) - The value as another type. One that does not fit is an error; try_cast gives NULL.", Examples: []string{"CAST('12' AS INT) = 12"}},
	"grouping":    {Usage: "grouping(column) - 1 when a row of GROUPING SETS, ROLLUP or CUBE is not grouped by the column, else 0."},
	"grouping_id": {Usage: "grouping_id([column, …]) - The bits of grouping() of the columns, the first one highest."},
	"range":       {Usage: "range([start,] end [, step [, partitions]]) - A table of numbers, in FROM: from start (0) until below end."},
}

// DocOf describes a function or operator of the registry. What has no text of its own is described by its forms.
func DocOf(name string) (Doc, bool) {
	if d, ok := grammarDocs[name]; ok {
		d.Name = name
		return d, true
	}
	rows := registry[name]
	if IsGenerator(name) {
		text, _ := docTextOf(name)
		d := Doc{Name: name, Usage: name + "(expr, …) - " + text.meaning}
		if text.example != "" {
			d.Examples = []string{text.example}
		}
		return d, true
	}
	if len(rows) == 0 || strings.Contains(name, " ") || syntaxRows[name] {
		return Doc{}, false
	}
	d := Doc{Name: name}
	forms := map[string]bool{}
	for _, r := range rows {
		forms[r.form(name)] = true
	}
	list := make([]string, 0, len(forms))
	for f := range forms {
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool {
		return len(list[i]) < len(list[j]) || len(list[i]) == len(list[j]) && list[i] < list[j]
	})
	text, ok := docTextOf(name)
	if !ok {
		text.meaning = map[FuncKind]string{Scalar: "A function of each row.", Agg: "An aggregate of the rows of a group.", WindowOnly: "A function over a window: it needs OVER."}[rows[0].Kind]
	}
	d.Usage = strings.Join(list, ", ") + " - " + text.meaning
	if text.example != "" {
		d.Examples = []string{text.example}
	}
	return d, true
}

// form is how a function is called: its parameters by their classes, what may be left out in brackets.
func (o *Overload) form(name string) string {
	if name[0] < 'a' || name[0] > 'z' {
		switch len(o.Params) {
		case 1:
			return name + " expr"
		case 2:
			return "expr1 " + name + " expr2"
		}
	}
	var b strings.Builder
	b.WriteString(name + "(")
	for i, p := range o.Params {
		optional := i >= len(o.Params)-o.Optional
		if optional {
			b.WriteByte('[')
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.ToLower(strings.NewReplacer(`"`, "", " or ", "|").Replace(p.String())))
	}
	b.WriteString(strings.Repeat("]", min(o.Optional, len(o.Params))))
	if o.Variadic {
		b.WriteString(", …")
	}
	return b.String() + ")"
}

// docText is the meaning of a function in a line, and an example behind SELECT that a test runs.
type docText struct{ meaning, example string }

// docTextOf is the text of a function, or of the one that it is another name of.
func docTextOf(name string) (docText, bool) {
	for _, n := range []string{name, aliases()[name]} {
		for _, family := range []map[string]docText{numberTexts, stringTexts, dateTexts, collectionTexts, aggregateTexts} {
			if t, ok := family[n]; ok {
				return t, true
			}
		}
	}
	return docText{}, false
}
