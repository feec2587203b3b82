package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// CallSQL is the DuckDB text of a scalar function: the overload's template with the texts of its arguments.
func CallSQL(fn *Overload, args []string, argTypes []types.Type, result types.Type) string {
	if fn.DuckFunc != nil {
		return fn.DuckFunc(args, argTypes, result)
	}
	return fill(fn.Duck, args, argTypes, result, nil)
}

// AggregateClauses are the parts of an aggregate or window call besides its arguments, as DuckDB text.
type AggregateClauses struct {
	Distinct    bool
	IgnoreNulls bool
	Filter      string // predicate, or empty
	OrderBy     string // "key ASC NULLS FIRST, …" of ORDER BY in the parentheses, or empty
	Over        string // "PARTITION BY … ORDER BY … frame" without parentheses
	Windowed    bool   // OVER (Over) applies
	Constants   []bool // which arguments are constants: a filter need not keep them from being evaluated
}

// AggregateSQL is the DuckDB text of an aggregate or window function. Besides $1, $2, …, $* its templates know
//
//	$D  DISTINCT, if asked for
//	$O  ORDER BY …, inside the parentheses, if asked for
//	$I  IGNORE NULLS, if asked for
//	$F  FILTER (WHERE …), if asked for
//	$N  FILTER (WHERE $1 IS NOT NULL AND …)
//	$+  AND …, the filter inside a FILTER of the template's own
//	$B  FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL AND …)
//	$W  OVER (…), if windowed
//	$T  DuckDB's name of the result type, $E of the element type of an ARRAY result
//
// An argument is only evaluated for rows that pass the filter, as in Spark.
func AggregateSQL(fn *Overload, args []string, argTypes []types.Type, result types.Type, c AggregateClauses) string {
	if c.Filter != "" {
		guarded := make([]string, len(args))
		for i, a := range args {
			if guarded[i] = a; !isSimple(a) && (i >= len(c.Constants) || !c.Constants[i]) {
				guarded[i] = "CASE WHEN " + c.Filter + " THEN " + a + " END"
			}
		}
		args = guarded
	}
	if fn.DuckFunc != nil {
		return fill(fn.DuckFunc(verbatim(args), verbatimTypes(argTypes), verbatimType(result)), args, argTypes, result, &c)
	}
	return fill(fn.Duck, args, argTypes, result, &c)
}

// isSimple reports whether the text is a name or a number, which cannot fail.
func isSimple(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// verbatim are texts of arguments for a template that they become part of: what they hold is no placeholder.
func verbatim(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = verbatimText(a)
	}
	return out
}

func verbatimText(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// verbatimTypes is verbatim for types, whose names of fields become part of the template too.
func verbatimTypes(list []types.Type) []types.Type {
	out := make([]types.Type, len(list))
	for i, t := range list {
		out[i] = verbatimType(t)
	}
	return out
}

func verbatimType(t types.Type) types.Type {
	if t.Key != nil {
		k := verbatimType(*t.Key)
		t.Key = &k
	}
	if t.Elem != nil {
		e := verbatimType(*t.Elem)
		t.Elem = &e
	}
	if t.Fields != nil {
		t.Fields = slices.Clone(t.Fields)
		for i, f := range t.Fields {
			t.Fields[i].Name, t.Fields[i].Type = verbatimText(f.Name), verbatimType(f.Type)
		}
	}
	return t
}

func fill(template string, args []string, argTypes []types.Type, result types.Type, c *AggregateClauses) string {
	var b strings.Builder
	filter := func(conds ...string) {
		if c.Filter != "" {
			conds = append(conds, "("+c.Filter+")")
		}
		if len(conds) > 0 {
			b.WriteString(" FILTER (WHERE " + strings.Join(conds, " AND ") + ")")
		}
	}
	notNull := func(i int) string { return wrapArg(args, i) + " IS NOT NULL" }
	for i := 0; i < len(template); i++ {
		if template[i] != '$' || i+1 == len(template) {
			b.WriteByte(template[i])
			continue
		}
		i++
		switch k := template[i]; {
		case k >= '1' && k <= '9':
			b.WriteString(wrapArg(args, int(k-'1')))
		case k == '$':
			b.WriteByte('$') // see verbatim
		case k == '*':
			b.WriteString(strings.Join(args, ", "))
		case k == 'T':
			b.WriteString(DuckType(result))
		case k == 'E' && result.Elem != nil:
			b.WriteString(DuckType(*result.Elem))
		case k == 'A' && len(argTypes) > 0:
			b.WriteString(DuckType(argTypes[0]))
		case k == 'P':
			b.WriteString(strconv.Itoa(result.Precision))
		case k == 'S':
			b.WriteString(strconv.Itoa(result.Scale))
		case c == nil:
			b.WriteString("$" + string(k))
		case k == 'D':
			if c.Distinct {
				b.WriteString("DISTINCT ")
			}
		case k == 'O':
			if c.OrderBy != "" {
				b.WriteString(" ORDER BY " + c.OrderBy)
			}
		case k == 'I':
			if c.IgnoreNulls {
				b.WriteString(" IGNORE NULLS")
			}
		case k == 'F':
			filter()
		case k == 'N':
			filter(notNull(0))
		case k == 'B':
			filter(notNull(0), notNull(1))
		case k == '+':
			if c.Filter != "" {
				b.WriteString(" AND (" + c.Filter + ")")
			}
		case k == 'W':
			if c.Windowed {
				b.WriteString(" OVER (" + c.Over + ")")
			}
		}
	}
	return b.String()
}

// wrapArg is an argument that binds tighter than whatever the template puts around it.
func wrapArg(args []string, i int) string {
	if i >= len(args) {
		return "NULL"
	}
	a := args[i]
	if isSimple(a) || a != "" && (a[0] == '(' && closes(a) || a[0] == '\'' && strings.Count(a, "'") == 2 && a[len(a)-1] == '\'') || isCallText(a) {
		return a
	}
	return "(" + a + ")"
}

// closes reports whether the parenthesis that opens s closes at its end.
func closes(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '"':
			j := strings.IndexByte(s[i+1:], s[i])
			if j < 0 {
				return false
			}
			i += 1 + j
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// isCallText reports whether s is one function call or cast: name(…).
func isCallText(s string) bool {
	i := strings.IndexByte(s, '(')
	return i > 0 && isSimple(s[:i]) && closes(s[i:])
}
