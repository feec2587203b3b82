package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/types"
)

// call shows a function call.
func (p *namePrinter) call(e *ast.Call) {
	name := strings.ToLower(e.Name.Ident().Last())
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.b.text(a.Expr)
		if _, ok := a.Expr.(*ast.Star); ok && name == "count" && !e.Distinct && len(e.Args) == 1 {
			args[i] = "1"
		}
		if a.Alias != nil && name == "struct" {
			args[i] += " AS " + a.Alias.Name
		}
	}
	if shown, ok := specialCall(name, args); ok && e.Over == nil && !e.Distinct && e.Filter == nil {
		p.put(shown)
		return
	}
	args = shownArgs(name, args)
	within := ""
	if len(e.WithinGroup) > 0 {
		// The percentiles and mode show the key alone, mode by which value it takes: the last one of an ascending order.
		keys := e.WithinGroup
		if name == "mode" {
			turned := *keys[0]
			turned.Desc = !turned.Desc
			keys = []*ast.SortItem{&turned}
		}
		within = sortText(p.b, keys, strings.HasPrefix(name, "percentile") || name == "mode")
	} else if name == "mode" && len(args) == 2 {
		if args[1] == "true" {
			within, args = args[0]+" DESC", nil
		} else {
			args = args[:1]
		}
	}
	if print, ok := printedNames[name]; ok {
		name = print
	}
	if e.IgnoreNulls {
		// The modifier makes another function of these, which Spark shows by its older name.
		name = strings.TrimSuffix(strings.Replace(name, "first_value", "first", 1), "_value") + map[bool]string{true: "_value"}[name == "any_value" || name == "nth_value"]
	}
	switch {
	case name == "string_agg" && len(e.WithinGroup) > 0:
		name = "listagg"
	case (name == "CEIL" || name == "FLOOR") && len(args) == 2:
		name = strings.ToLower(name) // with a scale these are other functions
	}
	p.put(name, "(")
	if e.Distinct {
		p.put("DISTINCT ")
	}
	p.put(strings.Join(args, ", "), ")")
	if within != "" {
		p.put(" WITHIN GROUP (ORDER BY ", within, ")")
	}
	if e.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(e.Filter)
		p.put(")")
	}
	if e.Over != nil {
		p.put(" OVER ")
		spec := e.Over
		p.put(windowText(p.b, spec, strings.ToLower(name), args))
	}
}

func sortText(b *binder, items []*ast.SortItem, bare bool) string {
	var keys []string
	for _, it := range items {
		k := b.text(it.Expr)
		if bare && it.Desc {
			k += " DESC"
		} else if !bare {
			first := !it.Desc
			if it.NullsFirst != nil {
				first = *it.NullsFirst
			}
			k += map[bool]string{false: " ASC", true: " DESC"}[it.Desc] + map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[first]
		}
		keys = append(keys, k)
	}
	return join(keys)
}

// windowText shows a window with the frame that the function has in it.
func windowText(b *binder, s *ast.WindowSpec, function string, args []string) string {
	if def, ok := b.specs[s]; ok {
		s = def
	}
	if s.Ref != nil {
		return s.Ref.Name
	}
	var parts []string
	if len(s.PartitionBy) > 0 {
		var keys []string
		for _, e := range s.PartitionBy {
			keys = append(keys, b.text(e))
		}
		parts = append(parts, "PARTITION BY "+join(keys))
	}
	if len(s.OrderBy) > 0 {
		parts = append(parts, "ORDER BY "+sortText(b, s.OrderBy, false))
	}
	switch {
	case s.Frame != nil:
		parts = append(parts, frameText(b, s.Frame))
	case function == "lag" && len(args) > 1:
		parts = append(parts, "ROWS BETWEEN -"+args[1]+" FOLLOWING AND -"+args[1]+" FOLLOWING")
	case function == "lead" && len(args) > 1:
		parts = append(parts, "ROWS BETWEEN "+args[1]+" FOLLOWING AND "+args[1]+" FOLLOWING")
	case needsOrder[function] && function != "cume_dist":
		parts = append(parts, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	case function == "":
	case len(s.OrderBy) > 0:
		parts = append(parts, "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	default:
		parts = append(parts, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func frameText(b *binder, f *ast.WindowFrame) string {
	end := "CURRENT ROW"
	if f.Upper != nil {
		end = boundText(b, *f.Upper)
	}
	return map[bool]string{true: "ROWS", false: "RANGE"}[f.Rows] + " BETWEEN " + boundText(b, f.Lower) + " AND " + end
}

func boundText(b *binder, x ast.FrameBound) string {
	switch x.Kind {
	case ast.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case ast.Preceding:
		return b.text(x.Offset) + " PRECEDING"
	case ast.CurrentRow:
		return "CURRENT ROW"
	case ast.Following:
		return b.text(x.Offset) + " FOLLOWING"
	}
	return "UNBOUNDED FOLLOWING"
}

// printedNames are the functions that Spark prints under another name than they are called by.
var printedNames = func() map[string]string {
	m := map[string]string{
		"random": "rand", "array_agg": "collect_list", "current_database": "current_schema", "dateadd": "date_add",
		"curdate": "current_date",
	}
	for _, n := range strings.Fields("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt cbrt exp expm1 log10 log2 log1p log ceil floor degrees " +
		"radians signum cot sec csc power atan2 hypot pi e rank dense_rank percent_rank regexp_like rlike regexp") {
		m[n] = strings.ToUpper(n)
	}
	return m
}()

// shownArgs adds the arguments that were left out and that Spark shows with their defaults.
func shownArgs(name string, args []string) []string {
	n := len(args)
	add := func(want int, more ...string) []string {
		if n == want {
			return append(append([]string{}, args...), more...)
		}
		return args
	}
	switch name {
	case "substring", "substr":
		return add(2, "2147483647")
	case "round", "bround", "hex_round":
		return add(1, "0")
	case "lag", "lead":
		if n == 1 {
			return add(1, "1", "NULL")
		}
		return add(2, "NULL")
	case "sort_array":
		return add(1, "true")
	case "shuffle":
		return args[:min(n, 1)]
	case "array_sort":
		return add(1, defaultComparator)
	case "aggregate", "reduce":
		return add(3, "lambdafunction(namedlambdavariable(), namedlambdavariable())")
	case "locate", "position":
		return add(2, "1")
	case "instr":
		return add(3, "1")
	case "lpad", "rpad":
		return add(2, " ")
	case "replace":
		return add(2, "")
	case "split":
		return add(2, "-1")
	case "regexp_replace":
		return add(3, "1")
	case "regexp_extract", "regexp_extract_all":
		return add(2, "1")
	case "regexp_instr":
		return add(2, "0")
	case "str_to_map":
		if n == 1 {
			return add(1, ",", ":")
		}
		return add(2, ":")
	case "unix_timestamp", "to_unix_timestamp", "from_unixtime":
		return add(1, "yyyy-MM-dd HH:mm:ss")
	case "months_between":
		return add(2, "true")
	case "overlay":
		return add(3, "-1")
	case "mask":
		if n > 0 && n < 5 {
			return add(n, []string{"X", "x", "n", "NULL"}[n-1:]...)
		}
	case "make_dt_interval":
		if n < 4 {
			return add(n, []string{"0", "0", "0", "0.000000"}[n:]...)
		}
	case "make_interval", "try_make_interval":
		if n < 7 {
			return add(n, []string{"0", "0", "0", "0", "0", "0", "0.000000"}[n:]...)
		}
	case "make_ym_interval":
		if n < 2 {
			return add(n, []string{"0", "0"}[n:]...)
		}
	case "convert_timezone":
		if n == 2 {
			return append([]string{"current_timezone()"}, args...)
		}
	case "assert_true":
		if n == 1 {
			return add(1, "'"+args[0]+"' is not true!")
		}
	case "rank", "dense_rank", "percent_rank":
		return nil // they take the window's order for their arguments
	case "from_json", "from_csv", "to_json", "to_csv", "schema_of_json", "schema_of_csv":
		// The schema and the options are no arguments to Spark.
		return args[:min(n, 1)]
	case "approx_count_distinct":
		return args[:min(n, 1)]
	case "percentile":
		return add(2, "1")
	case "percentile_approx", "approx_percentile":
		return add(2, "10000")
	case "listagg", "string_agg":
		return add(1, "NULL")
	case "ntile":
		return add(0, "1")
	case "log":
		if n == 1 {
			return []string{"E()", args[0]}
		}
	case "first", "first_value", "last", "last_value", "any_value":
		if n == 2 {
			return args[:1]
		}
	}
	return args
}

// defaultComparator is how the order of array_sort without a comparator is shown: NULLs last.
const defaultComparator = "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, " +
	"(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, (IF((namedlambdavariable() < namedlambdavariable()), -1, " +
	"(IF((namedlambdavariable() > namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())"

// specialCall shows the functions that do not look like calls.
func specialCall(name string, args []string) (string, bool) {
	switch n := len(args); {
	case name == "if" && n == 3:
		return "(IF(" + join(args) + "))", true
	case name == "isnull" && n == 1:
		return "(" + args[0] + " IS NULL)", true
	case name == "isnotnull" && n == 1:
		return "(" + args[0] + " IS NOT NULL)", true
	case name == "not" && n == 1:
		return "(NOT " + args[0] + ")", true
	case name == "positive" && n == 1:
		return "(+ " + args[0] + ")", true
	case name == "div" && n == 2:
		return "(" + args[0] + " div " + args[1] + ")", true
	case name == "like" && n == 2:
		return args[0] + " LIKE " + args[1], true
	case name == "datepart" && n == 2:
		return name + "(" + args[0] + " FROM " + args[1] + ")", true
	case name == "ltrim" && n == 2:
		return "TRIM(LEADING " + args[0] + " FROM " + args[1] + ")", true
	case name == "rtrim" && n == 2:
		return "TRIM(TRAILING " + args[0] + " FROM " + args[1] + ")", true
	case n == 1 && castFunctions[name]:
		return args[0], true
	}
	return "", false
}

// noteOverload keeps the name of a call that Spark calls after what its arguments' types make of it.
func (b *binder) noteOverload(e *ast.Call, name string, args []expr.Expr) {
	if len(args) < 2 || len(args) != len(e.Args) {
		return
	}
	kind := args[0].Type().Kind
	switch name {
	case "to_char", "to_varchar":
		switch kind {
		case types.Date, types.Timestamp, types.TimestampNTZ:
			name = "date_format"
		case types.Binary:
			format, _ := b.foldTree(args[1]).(*expr.Literal)
			if format == nil {
				return
			}
			switch f, _ := format.Value.(string); strings.ToLower(f) {
			case "base64", "hex":
				b.texts[e] = strings.ToLower(f) + "(" + b.text(e.Args[0].Expr) + ")"
				return
			}
			name = "decode"
		default:
			name = "to_char"
		}
		b.texts[e] = name + "(" + b.text(e.Args[0].Expr) + ", " + b.text(e.Args[1].Expr) + ")"
	case "lpad", "rpad":
		if kind == types.Binary && len(args) == 2 {
			b.texts[e] = name + "(" + b.text(e.Args[0].Expr) + ", " + b.text(e.Args[1].Expr) + ", X'00')"
		}
	}
}

// castFunctions are the type names that are functions too. Such a cast is not shown.
var castFunctions = map[string]bool{
	"boolean": true, "tinyint": true, "smallint": true, "int": true, "bigint": true, "float": true, "double": true,
	"decimal": true, "date": true, "timestamp": true, "binary": true, "string": true,
}
