package expr

import (
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

// Print is the expression as text close to Spark SQL, for EXPLAIN and messages. Implicit casts are shown.
func Print(e Expr) string {
	var b strings.Builder
	printTo(&b, e, 0)
	return b.String()
}

// maxPrintDepth bounds what Print shows of deep trees, which no reader follows anyway.
const maxPrintDepth = 200

func printTo(b *strings.Builder, e Expr, depth int) {
	if depth > maxPrintDepth {
		b.WriteString("…")
		return
	}
	list := func(es []Expr) {
		for i, x := range es {
			if i > 0 {
				b.WriteString(", ")
			}
			printTo(b, x, depth+1)
		}
	}
	switch n := e.(type) {
	case nil:
		b.WriteString("NULL")
	case *Literal:
		b.WriteString(literalText(n))
	case *Column:
		b.WriteString(n.Name)
	case *Call:
		printCall(b, n.Fn.Name, n.Args, depth)
	case *Cast:
		word := "CAST("
		if n.Mode == CastTry {
			word = "TRY_CAST("
		}
		b.WriteString(word)
		printTo(b, n.Arg, depth+1)
		b.WriteString(" AS " + n.T.SQL() + ")")
	case *Case:
		b.WriteString("CASE")
		for i := range n.Whens {
			b.WriteString(" WHEN ")
			printTo(b, n.Whens[i], depth+1)
			b.WriteString(" THEN ")
			printTo(b, n.Thens[i], depth+1)
		}
		if n.Else != nil {
			b.WriteString(" ELSE ")
			printTo(b, n.Else, depth+1)
		}
		b.WriteString(" END")
	case *In:
		b.WriteByte('(')
		printTo(b, n.Arg, depth+1)
		b.WriteString(" IN (")
		list(n.List)
		b.WriteString("))")
	case *Tuple:
		b.WriteByte('(')
		list(n.Elems)
		b.WriteByte(')')
	case *GetField:
		printTo(b, n.Arg, depth+1)
		b.WriteString("." + types.QuoteIfNeeded(n.Name))
	case *Lambda:
		b.WriteString("lambdafunction(")
		printTo(b, n.Body, depth+1)
		for range n.Params {
			b.WriteString(", namedlambdavariable()")
		}
		b.WriteByte(')')
	case *Variable:
		b.WriteString("namedlambdavariable()")
	case *Subquery:
		switch n.Kind {
		case ExistsSubquery:
			b.WriteString("exists(subquery)")
		case InSubquery:
			b.WriteByte('(')
			printTo(b, n.Arg, depth+1)
			b.WriteString(" IN (subquery))")
		default:
			b.WriteString("scalarsubquery()")
		}
	case *Aggregate:
		b.WriteString(n.Fn.Name + "(")
		if n.Distinct {
			b.WriteString("DISTINCT ")
		}
		if n.Fn.Name == "count" && len(n.Args) == 0 {
			b.WriteByte('*')
		}
		list(n.Args)
		printKeys(b, " ORDER BY ", n.OrderBy, depth)
		b.WriteByte(')')
		if n.Filter != nil {
			b.WriteString(" FILTER (WHERE ")
			printTo(b, n.Filter, depth+1)
			b.WriteByte(')')
		}
	case *Window:
		b.WriteString(n.Fn.Name + "(")
		list(n.Args)
		b.WriteString(") OVER (")
		if len(n.PartitionBy) > 0 {
			b.WriteString("PARTITION BY ")
			list(n.PartitionBy)
		}
		lead := "ORDER BY "
		if len(n.PartitionBy) > 0 {
			lead = " " + lead
		}
		printKeys(b, lead, n.OrderBy, depth)
		if n.Frame != nil {
			printFrame(b, n.Frame, depth)
		}
		b.WriteByte(')')
	}
}

func printKeys(b *strings.Builder, lead string, keys []SortKey, depth int) {
	for i, k := range keys {
		if i == 0 {
			b.WriteString(lead)
		} else {
			b.WriteString(", ")
		}
		printTo(b, k.Expr, depth+1)
		if k.Desc {
			b.WriteString(" DESC")
		} else {
			b.WriteString(" ASC")
		}
		if k.NullsFirst {
			b.WriteString(" NULLS FIRST")
		} else {
			b.WriteString(" NULLS LAST")
		}
	}
}

func printFrame(b *strings.Builder, f *Frame, depth int) {
	word := " RANGE"
	if f.Rows {
		word = " ROWS"
	}
	b.WriteString(word + " BETWEEN ")
	printBound(b, f.Start, depth)
	b.WriteString(" AND ")
	printBound(b, f.End, depth)
}

func printBound(b *strings.Builder, bound Bound, depth int) {
	switch bound.Kind {
	case UnboundedPreceding:
		b.WriteString("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		b.WriteString("UNBOUNDED FOLLOWING")
	case CurrentRow:
		b.WriteString("CURRENT ROW")
	default:
		printTo(b, bound.Offset, depth+1)
		if bound.Kind == Preceding {
			b.WriteString(" PRECEDING")
		} else {
			b.WriteString(" FOLLOWING")
		}
	}
}

func literalText(l *Literal) string {
	if l.Value == nil {
		return "NULL"
	}
	switch l.T.Kind {
	case types.String, types.Char, types.Varchar:
		return types.FormatLiteral(l.T, l.Value, time.UTC)
	case types.Date, types.Timestamp, types.TimestampNTZ, types.Binary:
		return types.FormatLiteral(l.T, l.Value, time.UTC)
	}
	return types.Format(l.T, l.Value, time.UTC)
}

// callText prints a call that is not resolved yet.
func callText(name string, args []Expr) string {
	var b strings.Builder
	printCall(&b, name, args, 0)
	return b.String()
}

func printCall(b *strings.Builder, name string, args []Expr, depth int) {
	one := func(i int) { printTo(b, args[i], depth+1) }
	switch {
	case len(args) == 2 && (name[0] < 'a' || name == "and" || name == "or" || name == "div" || name == "like" || name == "ilike" || name == "rlike"):
		b.WriteByte('(')
		one(0)
		word := name
		if name[0] >= 'a' && name != "div" {
			word = strings.ToUpper(name)
		}
		b.WriteString(" " + word + " ")
		one(1)
		b.WriteByte(')')
		return
	case len(args) == 1 && (name == "not" || name == "!"):
		b.WriteString("(NOT ")
		one(0)
		b.WriteByte(')')
		return
	case len(args) == 1 && (name == "neg" || name == "~" || name == "pos"):
		b.WriteString("(" + map[string]string{"neg": "- ", "~": "~", "pos": "+ "}[name])
		one(0)
		b.WriteByte(')')
		return
	case len(args) == 1 && (name == "isnull" || name == "isnotnull"):
		b.WriteByte('(')
		one(0)
		b.WriteString(map[string]string{"isnull": " IS NULL)", "isnotnull": " IS NOT NULL)"}[name])
		return
	case len(args) == 2 && name == "getitem":
		one(0)
		b.WriteByte('[')
		one(1)
		b.WriteByte(']')
		return
	}
	b.WriteString(name + "(")
	for i := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		one(i)
	}
	b.WriteByte(')')
}
