package bind

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// keyOf is a text that two expressions share exactly when they compute the same value for the same row: it is how a
// select item is recognised as one of the GROUP BY keys. Operands of commutative operators are put in order, as Spark
// does, so that GROUP BY 1 + a covers a + 1. Volatile calls and sub-queries are equal only to themselves.
func keyOf(e expr.Expr) string {
	k := keyText(e)
	if len(k) <= maxKey {
		return k
	}
	// A deep tree would copy its text once per level.
	sum := sha256.Sum256([]byte(k))
	return "sha256:" + string(sum[:])
}

// maxKey is the length from which a key is replaced by its hash.
const maxKey = 256

func keyText(e expr.Expr) string {
	switch n := e.(type) {
	case nil:
		return "-"
	case *expr.Column:
		return fmt.Sprintf("#%d", n.ID)
	case *expr.Literal:
		return fmt.Sprintf("%s:%q", n.T, types.Format(n.T, n.Value, nil))
	case *expr.Call:
		if n.Fn == nil {
			return fmt.Sprintf("call@%p", n)
		}
		if name, ok := fileFunction(n); ok {
			return name // of one row, it says the same
		}
		if n.Fn.Volatile {
			return fmt.Sprintf("%s@%p", n.Fn.Name, n)
		}
		args := keysOf(n.Args)
		if commutative[n.Fn.Name] && len(args) == 2 {
			sort.Strings(args)
		}
		return n.Fn.Name + ":" + n.T.String() + zoneKey(n.Zone) + "(" + strings.Join(args, ",") + ")"
	case *expr.Cast:
		return fmt.Sprintf("cast%d%s(%s,%s)", n.Mode, zoneKey(n.Zone), keyOf(n.Arg), n.T)
	case *expr.Case:
		var b strings.Builder
		b.WriteString("case(")
		for i := range n.Whens {
			b.WriteString(keyOf(n.Whens[i]) + "," + keyOf(n.Thens[i]) + ",")
		}
		b.WriteString(keyOf(n.Else) + ")")
		return b.String()
	case *expr.In:
		return "in(" + keyOf(n.Arg) + "," + strings.Join(keysOf(n.List), ",") + ")"
	case *expr.Tuple:
		return "tuple(" + strings.Join(keysOf(n.Elems), ",") + ")"
	case *expr.Lambda:
		return lambdaKey(n)
	case *expr.Variable:
		return fmt.Sprintf("var#%d", n.ID)
	case *expr.GetField:
		return fmt.Sprintf("field(%s,%d)", keyOf(n.Arg), n.Ordinal)
	case *expr.Aggregate:
		return fmt.Sprintf("agg %s(%t,%s,%s,%s):%s", n.Fn.Name, n.Distinct, strings.Join(keysOf(n.Args), ","), keyOf(n.Filter), sortKey(n.OrderBy), n.T)
	case *expr.Window:
		frame := ""
		if f := n.Frame; f != nil {
			frame = fmt.Sprintf("%t,%d,%s,%d,%s", f.Rows, f.Start.Kind, keyOf(f.Start.Offset), f.End.Kind, keyOf(f.End.Offset))
		}
		return fmt.Sprintf("win %s(%t,%t,%s,%s,%s|%s|%s|%s):%s", n.Fn.Name, n.Distinct, n.IgnoreNulls, strings.Join(keysOf(n.Args), ","), keyOf(n.Filter), sortKey(n.Within),
			strings.Join(keysOf(n.PartitionBy), ","), sortKey(n.OrderBy), frame, n.T)
	}
	return fmt.Sprintf("%T@%p", e, e)
}

func zoneKey(z *time.Location) string {
	if z == nil {
		return ""
	}
	return "@" + z.String()
}

// lambdaKey does not depend on how the parameters are called: they are numbered by how many lambdas lie below, which no
// two nested ones share.
func lambdaKey(l *expr.Lambda) string {
	depth := 0
	expr.Walk(l.Body, func(x expr.Expr) bool {
		if _, ok := x.(*expr.Lambda); ok {
			depth++
		}
		return true
	})
	place := map[expr.ColumnID]expr.ColumnID{}
	for i, p := range l.Params {
		place[p.ID] = -expr.ColumnID(depth<<8 + i + 1)
	}
	body := mapExpr(l.Body, nil, func(x expr.Expr) expr.Expr {
		if v, ok := x.(*expr.Variable); ok {
			if id, ok := place[v.ID]; ok {
				return &expr.Variable{ID: id, T: v.T}
			}
		}
		return x
	})
	return fmt.Sprintf("lambda%d(%s)", len(l.Params), keyOf(body))
}

func keysOf(es []expr.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = keyOf(e)
	}
	return out
}

func sortKey(keys []expr.SortKey) string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s,%t,%t;", keyOf(k.Expr), k.Desc, k.NullsFirst)
	}
	return b.String()
}

// commutative are the operators whose two operands may change places.
var commutative = map[string]bool{"+": true, "*": true, "=": true, "<=>": true, "and": true, "or": true, "&": true, "|": true, "^": true}
