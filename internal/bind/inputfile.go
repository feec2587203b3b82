package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// inputFile is one of the functions that say which file a row was read from.
type inputFile struct {
	field int
	none  types.Value // what it says of a row that was not just read from a file
}

// inputFiles are these functions. A file is read in one block.
var inputFiles = map[string]inputFile{
	"input_file_name":         {plan.URIField, ""},
	"input_file_block_start":  {plan.BlockStartField, int64(-1)},
	"input_file_block_length": {plan.BlockLengthField, int64(-1)},
}

func fileFunction(e expr.Expr) (string, bool) {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn == nil || !strings.HasPrefix(c.Fn.Name, "input_file_") {
		return "", false
	}
	_, ok = inputFiles[c.Fn.Name]
	return c.Fn.Name, ok
}

// fileFinder gives the functions of inputFiles their values: columns of the scan below. In Spark they tell of the file that is
// being read, so a row that was gathered with others since (sorted, grouped, counted off) has none.
type fileFinder struct {
	b *binder
	// wrapped are projections that only take a column away again.
	wrapped map[*plan.Project]bool
}

func (b *binder) findInputFiles(n plan.Node) (plan.Node, error) {
	if !hasFileFunction(n) {
		return n, nil
	}
	f := &fileFinder{b: b, wrapped: map[*plan.Project]bool{}}
	return f.node(n)
}

func hasFileFunction(n plan.Node) bool {
	found := false
	_ = plan.Walk(n, func(n plan.Node) error {
		for _, e := range plan.Exprs(n) {
			found = found || exists(e, func(x expr.Expr) bool { _, ok := fileFunction(x); return ok })
		}
		return nil
	})
	return found
}

// node replaces the functions in a plan.
func (f *fileFinder) node(n plan.Node) (plan.Node, error) {
	var failed error
	n = mapSubqueries(n, func(q plan.Node) plan.Node {
		out, err := f.node(q)
		if err == nil && hasFileFunction(q) && fileSources(q) == 0 && fileSources(n) > 0 {
			err = sqlerr.Unsupported("INPUT_FILE", "a function of the file that is read in a sub-query without one")
		}
		if err != nil {
			failed = err
			return q
		}
		return out
	})
	in := children(n)
	below := make([]plan.Node, len(in))
	for i, c := range in {
		out, err := f.node(c)
		if err != nil {
			return nil, err
		}
		below[i] = out
	}
	if failed != nil {
		return nil, failed
	}
	return f.own(withChildren(n, below))
}

// own replaces the functions in the expressions of one node.
func (f *fileFinder) own(n plan.Node) (plan.Node, error) {
	values := map[string]expr.Expr{}
	var names []string
	for _, e := range plan.Exprs(n) {
		expr.Walk(e, func(x expr.Expr) bool {
			if name, ok := fileFunction(x); ok && values[name] == nil {
				values[name] = &expr.Literal{Value: inputFiles[name].none, T: x.Type()}
				names = append(names, name)
			}
			return true
		})
	}
	if len(names) == 0 {
		return n, nil
	}
	if fileSources(n) > 1 {
		return nil, sqlerr.MultiSources(names[0] + "()")
	}
	out, in := n.Output(), children(n)
	if len(in) == 1 {
		for _, name := range names {
			below, c, err := f.column(in[0], name, true)
			if err != nil {
				return nil, err
			}
			if c != nil {
				in[0], values[name] = below, columnRef(*c)
			}
		}
		n = withChildren(n, in)
	} else if fileSources(n) > 0 {
		return nil, sqlerr.Unsupported("INPUT_FILE", names[0]+"() in the condition of a join")
	}
	n = withExprs(n, func(e expr.Expr) expr.Expr {
		return expr.Transform(e, func(x expr.Expr) expr.Expr {
			if name, ok := fileFunction(x); ok {
				return values[name]
			}
			return x
		})
	})
	if len(n.Output()) == len(out) {
		return n, nil
	}
	p := projectPlain(n, out)
	f.wrapped[p] = true
	return p, nil
}

// projectPlain passes columns on.
func projectPlain(n plan.Node, out []plan.Column) *plan.Project {
	p := &plan.Project{Input: n, Out: out}
	for _, c := range out {
		p.Exprs = append(p.Exprs, columnRef(c))
	}
	return p
}

// column adds the value of a function to what a plan yields; nil when its rows have none. same tells that n belongs to the SELECT
// in which the function stands: that computes windows over what it has read.
func (f *fileFinder) column(n plan.Node, name string, same bool) (plan.Node, *plan.Column, error) {
	switch n := n.(type) {
	case *plan.Scan:
		if n.Relation.Cached != "" {
			return n, nil, nil
		}
		s := *n
		c := f.b.newColumn(name, typeOfNone(name))
		s.Out, s.Fields = append(s.Out[:len(s.Out):len(s.Out)], c), append(s.Fields[:len(s.Fields):len(s.Fields)], inputFiles[name].field)
		return &s, &c, nil
	case *plan.Project:
		in, c, err := f.column(n.Input, name, same && f.wrapped[n])
		if c == nil {
			return n, nil, err
		}
		p := &plan.Project{Input: in, Out: append(n.Out[:len(n.Out):len(n.Out)], *c), Exprs: append(n.Exprs[:len(n.Exprs):len(n.Exprs)], columnRef(*c))}
		f.wrapped[p] = f.wrapped[n]
		return p, c, nil
	case *plan.Filter:
		if exists(n.Cond, joins) && fileSources(n) > 0 {
			return nil, nil, joined(name)
		}
		return f.through(n, name, same)
	case *plan.Unnest, *plan.Sample:
		return f.through(n, name, same)
	case *plan.Windows:
		if same {
			return f.through(n, name, same)
		}
	case *plan.SetOp:
		if n.Kind == plan.Union && n.All {
			return f.union(n, name)
		}
	case *plan.Join:
		if n.Lateral && perRow(n.Right) {
			left, c, err := f.column(n.Left, name, same)
			if c == nil {
				return n, nil, err
			}
			j := *n
			j.Left = left
			return &j, c, nil
		}
		if fileSources(n) > 0 {
			return nil, nil, joined(name)
		}
	}
	return n, nil, nil
}

// joined refuses a function over joined rows: it depends on sizes whether Spark still knows the file. It does on the side that it
// does not gather.
func joined(name string) error {
	return sqlerr.Unsupported("INPUT_FILE", name+"() of joined rows; call it in a sub-query over the table")
}

// joins reports a sub-query that Spark turns into a join.
func joins(e expr.Expr) bool {
	q, ok := e.(*expr.Subquery)
	return ok && (q.Kind != expr.ScalarSubquery || len(freeOf(q)) > 0)
}

// through is column for a node that handles one row after the other.
func (f *fileFinder) through(n plan.Node, name string, same bool) (plan.Node, *plan.Column, error) {
	in, c, err := f.column(children(n)[0], name, same)
	if c == nil {
		return n, nil, err
	}
	return withChildren(n, []plan.Node{in}), c, nil
}

// union is column for UNION ALL, where each side tells for itself.
func (f *fileFinder) union(n *plan.SetOp, name string) (plan.Node, *plan.Column, error) {
	s := *n
	some := false
	for _, side := range []*plan.Node{&s.Left, &s.Right} {
		out := (*side).Output()
		in, c, err := f.column(*side, name, false)
		if err != nil {
			return nil, nil, err
		}
		p := projectPlain(in, out)
		if some = some || c != nil; c != nil {
			p.Out, p.Exprs = append(out[:len(out):len(out)], *c), append(p.Exprs, columnRef(*c))
		} else {
			none := f.b.newColumn(name, typeOfNone(name))
			p.Out, p.Exprs = append(out[:len(out):len(out)], none), append(p.Exprs, &expr.Literal{Value: inputFiles[name].none, T: none.Type})
		}
		*side = p
	}
	if !some {
		return n, nil, nil
	}
	c := f.b.newColumn(name, typeOfNone(name))
	s.Out = append(n.Out[:len(n.Out):len(n.Out)], c)
	return &s, &c, nil
}

func typeOfNone(name string) types.Type {
	if _, text := inputFiles[name].none.(string); text {
		return types.Of(types.String)
	}
	return types.Of(types.BigInt)
}

// perRow reports the right side of a lateral join that only computes something of the row on the left.
func perRow(n plan.Node) bool {
	p, ok := n.(*plan.Project)
	if !ok {
		_, ok = n.(*plan.OneRow)
		return ok
	}
	return perRow(p.Input)
}

// fileSources counts the scans below a node as Spark does, which takes the sides of a union for one.
func fileSources(n plan.Node) int {
	if s, ok := n.(*plan.Scan); ok && s.Relation.Cached == "" {
		return 1
	}
	sum := 0
	for _, c := range children(n) {
		sum += fileSources(c)
	}
	if s, ok := n.(*plan.SetOp); ok && s.Kind == plan.Union {
		return min(sum, 1)
	}
	return sum
}
