package bind

import (
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
)

var joinWords = map[plan.JoinKind]string{
	plan.InnerJoin: "inner", plan.LeftJoin: "left", plan.RightJoin: "right", plan.FullJoin: "full",
	plan.CrossJoin: "cross", plan.SemiJoin: "semi", plan.AntiJoin: "anti",
}

var setWords = map[plan.SetKind]string{plan.Union: "Union", plan.Intersect: "Intersect", plan.Except: "Except"}

func explain(n plan.Node, note func(plan.Node) string) string {
	var b strings.Builder
	explainNode(&b, n, note, 0)
	return b.String()
}

func explainNode(b *strings.Builder, n plan.Node, note func(plan.Node) string, depth int) {
	line(b, depth, nodeText(n), noteOf(n, note))
	withExprs(n, func(e expr.Expr) expr.Expr {
		expr.Walk(e, func(x expr.Expr) bool {
			if q, ok := x.(*expr.Subquery); ok {
				if in, ok := q.Query.(plan.Node); ok {
					line(b, depth+1, "Subquery", "")
					explainNode(b, in, note, depth+2)
				}
			}
			return true
		})
		return e
	})
	for _, c := range plan.Inputs(n) {
		explainNode(b, c, note, depth+1)
	}
}

func noteOf(n plan.Node, note func(plan.Node) string) string {
	if note == nil {
		return ""
	}
	return note(n)
}

func line(b *strings.Builder, depth int, text, note string) {
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(text)
	if note != "" {
		b.WriteString("  " + note)
	}
	b.WriteByte('\n')
}

// nodeText is one node on one line.
func nodeText(n plan.Node) string {
	switch n := n.(type) {
	case *plan.Scan:
		return scanText(n)
	case *plan.OneRow:
		return "OneRow"
	case *plan.Values:
		return fmt.Sprintf("Values [%s]  rows=%d", names(n.Out), len(n.Rows))
	case *plan.Supplied:
		return fmt.Sprintf("Supplied %s [%s]", n.Label, names(n.Out))
	case *plan.Range:
		return fmt.Sprintf("Range (%d, %d, %d)", n.Start, n.End, n.Step)
	case *plan.Filter:
		return "Filter " + expr.Print(n.Cond)
	case *plan.Project:
		parts := make([]string, len(n.Out))
		for i, c := range n.Out {
			parts[i] = expr.Print(n.Exprs[i])
			if ref, ok := n.Exprs[i].(*expr.Column); !ok || ref.Name != c.Name {
				parts[i] += " AS " + c.Name
			}
		}
		return "Project [" + join(parts) + "]"
	case *plan.Aggregate:
		return aggregateText(n)
	case *plan.Windows:
		return "Window [" + join(printed(n.Wins)) + "]"
	case *plan.Join:
		s := "Join " + joinWords[n.Kind]
		if n.Lateral {
			s += " lateral"
		}
		if n.Cond != nil {
			s += " on " + expr.Print(n.Cond)
		}
		return s
	case *plan.Sort:
		return "Sort [" + keysText(n.Keys) + "]"
	case *plan.Limit:
		s := "Limit"
		if n.Count != nil {
			s += " " + countText(n.Count)
		}
		if n.Offset != nil {
			s += " offset " + countText(n.Offset)
		}
		return s
	case *plan.Distinct:
		return "Distinct"
	case *plan.Unnest:
		s := "Unnest"
		if n.Outer {
			s += " outer"
		}
		return s + " [" + join(printed(n.Lists)) + "]"
	case *plan.Sample:
		return fmt.Sprintf("Sample %g", n.Fraction)
	case *plan.SetOp:
		s := setWords[n.Kind]
		if n.All {
			s += " all"
		}
		return s + " [" + names(n.Out) + "]"
	case *plan.Recursion:
		s := fmt.Sprintf("Recursion [%s]", names(n.Out))
		if n.Limit >= 0 {
			s += fmt.Sprintf(" limit %d", n.Limit)
		}
		return s
	case *plan.Once:
		return "Once"
	case *plan.OnceRef:
		return fmt.Sprintf("Part %d [%s]", n.Part, names(n.Out))
	case *plan.RecursionRef:
		return fmt.Sprintf("RecursionRows [%s]", names(n.Out))
	case *plan.PartitionAggregate:
		s := "PartitionAggregate"
		if n.Label != "" {
			s += " " + n.Label
		}
		return s + "  of " + scanText(n.Scan)
	}
	return fmt.Sprintf("%T", n)
}

func countText(e expr.Expr) string {
	if l, ok := e.(*expr.Literal); ok {
		return fmt.Sprint(l.Value)
	}
	return expr.Print(e)
}

func scanText(n *plan.Scan) string {
	s := "Scan " + n.Relation.Format
	switch {
	case n.Relation.Cached != "":
		s = "Scan cache of " + n.Relation.Cached
	case n.Relation.Table != nil:
		s += " " + n.Relation.Table.Name
	default:
		s += " " + strings.Join(n.Relation.Paths, ", ")
	}
	if n.Alias != "" && (n.Relation.Table == nil || n.Alias != n.Relation.Table.Name) && n.Relation.Table != nil {
		s += " AS " + n.Alias
	}
	s += "  columns=[" + names(n.Out) + "]"
	if len(n.Relation.Partition) > 0 {
		s += "  partition filters=[" + join(printed(n.Prune)) + "]"
	}
	return s
}

func aggregateText(n *plan.Aggregate) string {
	s := "Aggregate"
	if len(n.Keys) > 0 {
		s += " by [" + join(printed(n.Keys)) + "]"
	}
	if n.Sets != nil {
		var sets []string
		for _, set := range n.Sets {
			var keys []string
			for _, i := range set {
				keys = append(keys, expr.Print(n.Keys[i]))
			}
			sets = append(sets, "("+join(keys)+")")
		}
		s += " sets [" + join(sets) + "]"
	}
	return s + " [" + join(printed(n.Aggs)) + "]"
}

func keysText(keys []expr.SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = expr.Print(k.Expr) + map[bool]string{false: " ASC", true: " DESC"}[k.Desc] + map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	return join(parts)
}

func names(cols []plan.Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.Name
	}
	return join(parts)
}

func printed(es []expr.Expr) []string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = expr.Print(e)
	}
	return parts
}
