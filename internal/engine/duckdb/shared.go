package duckdb

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// sharing finds the parts of a plan that are the same query, as the uses of one common table expression are once
// filters have gone down into them, so that each is computed once: a query over five such names of three such names would
// else read its tables dozens of times.
//
// A plan is said twice. The first time each candidate's text is kept with its columns numbered anew: equal texts mean equal
// rows. The second time the texts that came up more than once become common table expressions.
type sharing struct {
	counting bool
	keys     map[plan.Node]string
	counts   map[string]int
	made     map[string]*definition
}

// definition is one common table expression: its columns are x1, x2, ….
type definition struct {
	name, text string
	columns    int
	uses       int
	// once tells that it is computed once whoever reads it.
	once bool
}

// once keeps the parts of a plan for the references to them.
func (s *query) once(n *plan.Once) (*block, error) {
	for _, p := range n.Parts {
		s.parts[p.ID] = p.Query
	}
	return s.node(n.Input)
}

// partRows emits the rows of a part of the plan that is computed once. The first reference to it emits the part, whose text refers
// to nothing around.
func (s *query) partRows(n *plan.OnceRef) (*block, error) {
	def := s.said[n.Part]
	if def == nil {
		part := s.parts[n.Part]
		if part == nil {
			return nil, internal("part %d of the plan is not there", n.Part)
		}
		looped, variables, depth := s.looped, s.variables, s.depth
		s.looped, s.variables, s.depth = nil, nil, 0
		b, err := s.listed(part)
		s.looped, s.variables, s.depth = looped, variables, depth
		if err != nil {
			return nil, err
		}
		def = &definition{name: "once" + strconv.Itoa(int(n.Part)), text: b.text(), columns: len(part.Output()), once: true}
		s.said[n.Part] = def
		s.defs = append(s.defs, def)
	}
	return def.rows(n.Out), nil
}

// rows are the columns of a definition under the names of cols.
func (d *definition) rows(cols []plan.Column) *block {
	var list strings.Builder
	for i, c := range cols {
		item(&list, "x"+strconv.Itoa(i+1), c)
	}
	return &block{from: d.name, list: list.String()}
}

// findShared prepares sharing for a plan. Most plans have no two parts that look alike from afar; those are said once.
func (s *query) findShared(root plan.Node) error {
	marks := map[plan.Node]string{}
	seen := map[string]int{}
	_ = plan.Walk(root, func(n plan.Node) error {
		if m := outline(n); m != "" {
			marks[n] = m
			seen[m]++
		}
		return nil
	})
	sh := &sharing{counting: true, keys: map[plan.Node]string{}, counts: map[string]int{}, made: map[string]*definition{}}
	for n, m := range marks {
		if seen[m] > 1 && !correlated(n) && !plan.OpenLoop(n) && repeatable(n) {
			sh.keys[n] = ""
		}
	}
	if len(sh.keys) < 2 {
		return nil
	}
	s.shared = sh
	files := s.files
	if _, err := s.listed(root); err != nil {
		return err
	}
	s.files, sh.counting = files, false
	s.defs, s.said = nil, map[plan.OnceID]*definition{}
	return nil
}

// outline is what two equal parts of a plan have in common, or "" for what is not worth sharing: only operators that
// gather rows of files are.
func outline(n plan.Node) string {
	var b strings.Builder
	switch n := n.(type) {
	case *plan.Aggregate:
		b.WriteString("aggregate")
	case *plan.Distinct:
		b.WriteString("distinct")
	case *plan.SetOp:
		b.WriteString("set " + strconv.Itoa(int(n.Kind)))
	default:
		return ""
	}
	for _, c := range n.Output() {
		b.WriteString("," + c.Type.String())
	}
	scans := 0
	_ = plan.Walk(n, func(n plan.Node) error {
		if scan, ok := n.(*plan.Scan); ok {
			scans++
			b.WriteString(";" + strings.Join(scan.Relation.Paths, ",") + "@" + scan.Relation.Version)
		}
		return nil
	})
	if scans == 0 || len(n.Output()) == 0 {
		return ""
	}
	return b.String()
}

// repeatable reports that a part of a plan gives the same rows each time, and that renumbering the columns in its text
// cannot touch what the user wrote: a constant, or the name of a field or of a column in a file.
func repeatable(n plan.Node) bool {
	ok := true
	check := func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Call:
			ok = ok && (x.Fn == nil || !x.Fn.Volatile)
		case *expr.Literal:
			ok = ok && !namesColumn(x.Value)
		}
		if t := x.Type(); t.Kind.IsNested() {
			ok = ok && !ownNames.MatchString(t.String())
		}
		return ok
	}
	_ = plan.Walk(n, func(n plan.Node) error {
		for _, e := range plan.Exprs(n) {
			expr.Walk(e, check)
		}
		if scan, isScan := n.(*plan.Scan); isScan {
			for _, f := range scan.Fields {
				if f < 0 {
					continue
				}
				field := scan.Relation.Schema[f]
				ok = ok && !ownNames.MatchString(field.Name) && !ownNames.MatchString(field.Type.String())
			}
		}
		return nil
	})
	return ok
}

// namesColumn reports a constant with a text that looks like one of the columns of emitted SQL.
func namesColumn(v types.Value) bool {
	switch v := v.(type) {
	case string:
		return ownNames.MatchString(v)
	case types.Bytes:
		return ownNames.MatchString(string(v))
	case []types.Value:
		for _, x := range v {
			if namesColumn(x) {
				return true
			}
		}
	case []types.MapEntry:
		for _, e := range v {
			if namesColumn(e.Key) || namesColumn(e.Value) {
				return true
			}
		}
	}
	return false
}

// ownNames finds the names that this package gives to columns and bound arguments.
var ownNames = regexp.MustCompile(`\b[chkr][0-9]+\b`)

// renumbered is a text with the names of columns numbered in the order in which they come up.
func renumbered(text string) string {
	names := map[string]string{}
	return ownNames.ReplaceAllStringFunc(text, func(name string) string {
		to, ok := names[name]
		if !ok {
			to = name[:1] + "_" + strconv.Itoa(len(names))
			names[name] = to
		}
		return to
	})
}

// sharedNode emits a part of a plan that may come up more than once.
func (s *query) sharedNode(n plan.Node) (*block, error) {
	sh := s.shared
	key := sh.keys[n]
	if !sh.counting && sh.counts[key] < 2 {
		return s.operator(n)
	}
	cols := n.Output()
	def := sh.made[key]
	if sh.counting || def == nil {
		b, err := s.operator(n)
		if err != nil {
			return nil, err
		}
		listed := *b
		if listed.set == "" && listed.list == "" {
			listed.list = names(cols)
		}
		if sh.counting {
			key = renumbered(listed.text())
			sh.keys[n] = key
			sh.counts[key]++
			return b, nil
		}
		def = &definition{name: "shared" + strconv.Itoa(len(sh.made)+1), text: listed.text(), columns: len(cols)}
		sh.made[key] = def
		s.defs = append(s.defs, def)
	}
	def.uses++
	return def.rows(cols), nil
}

// definitions is the WITH clause of the parts that are shared or computed once. A part that came up again only within another one that is
// shared is left to DuckDB, which puts it where it is used.
func (s *query) definitions() string {
	var b strings.Builder
	for i, d := range s.defs {
		word := ","
		if i == 0 {
			word = "WITH "
		}
		b.WriteString(word + d.name + "(")
		for k := range max(d.columns, 1) { // a part without columns is one that nobody reads
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString("x" + strconv.Itoa(k+1))
		}
		b.WriteString(") AS ")
		if d.uses > 1 || d.once {
			b.WriteString("MATERIALIZED ")
		}
		b.WriteString("(" + d.text + ")")
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}
