package randomsql

import (
	"regexp"
	"strings"
)

// pattern is a call that is sound, taken to pieces.
type pattern struct {
	name string
	args []string
}

// plain are calls of functions that the corpus does not show by themselves.
var plain = []string{
	"bitmap_and_agg(X'ff')", "bitmap_or_agg(X'01')", "bitmap_construct_agg(3L)", "bitmap_bit_position(123L)", "bitmap_bucket_number(123L)", "bitmap_count(X'0101')", "collect_union(array(1, 2))", "current_time(3)", "dayofweek_iso(DATE'2024-01-31')",
	"histogram_numeric(1.5D, 3)", "make_time(10, 11, 12.5)", "monotonically_increasing_id()", "time(TIMESTAMP'2024-01-31 10:00:00')", "time_diff('HOUR', TIME'10:11:12', TIME'12:00:00')", "time_from_micros(123456L)", "time_from_millis(1234L)",
	"time_from_seconds(12.5)", "time_to_micros(TIME'10:11:12')", "time_to_millis(TIME'10:11:12')", "time_to_seconds(TIME'10:11:12')", "time_trunc('HOUR', TIME'10:11:12')", "to_time('10:11:12', 'HH:mm:ss')", "try_to_time('x', 'HH:mm')",
	"yearofweek(DATE'2024-12-31')", "raise_error('x')", "count(1)", "sum(1)", "avg(1.5)", "first(1, true)", "last('x', false)", "percentile(1.5D, array(0.5, 0.9))", "percentile_cont(0.5)", "listagg('x', ',')", "mode(1, true)", "rank()", "ntile(3)",
	"lag(1, 2, 0)", "lead('x', -1, 'y')", "nth_value(1, 2)", "first_value('x', true)", "approx_percentile(1.5D, array(0.5), 100)", "max_by('x', 1)", "min_by('x', 1, 2)", "count_if(true)", "regr_r2(1.5D, 2.5D)", "corr(1.5D, 2.5D)", "covar_pop(1, 2)",
	"approx_top_k('x', 2, 10)", "string_agg('x', '-')", "array_agg(1)", "bit_and(1)", "every(true)", "any_value('x', true)", "stddev_samp(1.5D)", "skewness(1)", "grouping(p)", "grouping_id(p)", "try_sum(1.5)", "try_avg(INTERVAL '1' DAY)",
}

var callHead = regexp.MustCompile(`^([a-z_][a-z0-9_]*)\(`)

// learn adds an expression to the patterns of its function, when it is a call as a whole.
func (g *Generator) learn(text string) {
	m := callHead.FindStringSubmatch(text)
	if m == nil {
		return
	}
	args, rest, ok := arguments(text[len(m[0]):])
	if !ok || strings.TrimSpace(rest) != "" {
		return
	}
	if g.patterns[m[1]] == nil {
		g.patternNames = append(g.patternNames, m[1])
	}
	g.patterns[m[1]] = append(g.patterns[m[1]], pattern{m[1], args})
}

// arguments splits what stands between parentheses at its commas; text begins after the first parenthesis.
func arguments(text string) (args []string, rest string, ok bool) {
	depth, now, at := 0, "", 0
	for _, p := range token.FindAllString(text, -1) {
		at += len(p)
		switch {
		case strings.ContainsAny(p, "([{") && len(p) == 1:
			depth++
		case depth == 0 && p == ")":
			if strings.TrimSpace(now) != "" {
				args = append(args, strings.TrimSpace(now))
			}
			return args, text[at:], true
		case strings.ContainsAny(p, ")]}") && len(p) == 1:
			depth--
		case depth == 0 && p == ",":
			args, now = append(args, strings.TrimSpace(now)), ""
			continue
		}
		now += p
	}
	return nil, "", false
}

// kindOf guesses what a text is.
func kindOf(text string) string {
	low := strings.ToLower(text)
	for _, c := range [][2]string{
		{"'", "string"},
		{"date'", "date"},
		{"date '", "date"},
		{"timestamp", "timestamp"},
		{"x'", "binary"},
		{"array(", "array"},
		{"map(", "map"},
		{"named_struct(", "struct"},
		{"struct(", "struct"},
		{"interval", "interval"},
		{"true", "boolean"},
		{"false", "boolean"},
		{"null", "null"},
		{"time'", "time"},
		{"time '", "time"},
	} {
		if strings.HasPrefix(low, c[0]) {
			return c[1]
		}
	}
	switch {
	case text == "" || strings.Contains(text, "->"):
		return ""
	case strings.HasSuffix(low, "d") || strings.HasSuffix(low, "f"):
		return "double"
	case strings.HasSuffix(low, "l"):
		return "bigint"
	case strings.Contains(text, "."):
		return "decimal"
	case text[0] == '-' || text[0] >= '0' && text[0] <= '9':
		return "int"
	}
	return ""
}

// windowed are functions that take FILTER or OVER.
var windowed = regexp.MustCompile(`^(count|sum|avg|mean|min|max|try_sum|try_avg|rank|dense_rank|row_number|ntile|lag|lead|nth_value|cume_dist|percent_rank|mode|median|corr|every|some|kurtosis|skewness|listagg|string_agg|array_agg|any|` +
	`(count|any|max|min|covar|regr|std|stddev|var|variance|percentile|approx|hll|histogram|bit|bitmap|bool|collect|first|last|string|theta|kll)_\w+)$`)

// bentOf is bent for a function whose name matches.
func (g *Generator) bentOf(names *regexp.Regexp, depth int) string {
	for range 50 {
		if text := g.bent(depth); names.MatchString(text[:strings.IndexByte(text, '(')]) {
			return text
		}
	}
	return g.aggregate()
}

// bent is a sound call of any function with some of its arguments replaced: mostly by others of their kind, columns or
// whole expressions, seldom by anything.
func (g *Generator) bent(depth int) string {
	if len(g.patternNames) == 0 {
		return g.call(depth)
	}
	list := g.patterns[g.pick(g.patternNames...)]
	p := list[g.r.IntN(len(list))]
	args := append([]string(nil), p.args...)
	for i, a := range args {
		kind := kindOf(a)
		switch {
		case strings.Contains(a, "->"):
			if g.r.IntN(3) == 0 {
				args[i] = g.lambda()
			}
		case g.r.IntN(10) == 0:
			args[i] = g.expr(g.kind(), depth)
		case kind != "" && g.r.IntN(2) == 0:
			args[i] = g.expr(kind, depth)
		}
	}
	if len(args) > 0 && g.r.IntN(25) == 0 {
		i := g.r.IntN(len(args))
		if g.r.IntN(2) == 0 {
			args = append(args, g.expr(g.kind(), 0))
		} else {
			args = append(args[:i], args[i+1:]...)
		}
	}
	return p.name + "(" + strings.Join(args, ", ") + ")"
}

// lambda is one with a body that may use columns and other calls.
func (g *Generator) lambda() string {
	switch g.r.IntN(8) {
	case 0:
		return "e -> " + g.pick("transform", "filter", "exists") + "(array(e, e), z -> z " + g.pick("= e", "> id", "+ e", "IS NULL") + ")"
	case 1:
		return "(e, i) -> " + g.pick("e + i", "e", "i", "concat(e, i)", "struct(e, i)", "array(i)", "map(i, e)", "coalesce(e, i)", "e = i AND i > p")
	case 2:
		return "(e, i, k) -> " + g.pick("e + i + k", "coalesce(i, k)", "concat(i, k)", "k")
	case 3:
		return "e -> CASE WHEN e IS NULL THEN " + g.expr(g.kind(), 1) + " ELSE e END"
	case 4:
		return "e -> " + strings.ReplaceAll(g.bent(0), "id", "e")
	case 5:
		return "() -> 1"
	case 6:
		return "e -> e" + g.pick(".f", "[0]", ".key", " || 'x'", "::STRING", " IN (1, id)", " BETWEEN 1 AND p", " LIKE s", " IS DISTINCT FROM s")
	}
	return "e -> " + g.pick("(SELECT max(k) FROM u)", "count(e)", "sum(e) OVER ()", "explode(array(e))", "rand() < e", "named_struct('a', e, 'b', o)", "raise_error(e)", "e IN (SELECT k FROM u)", "NULL")
}

// special is a call of a function whose random arguments could ask for millions of rows or characters.
func (g *Generator) special() string {
	small := func() string { return g.pick("0", "1", "-1", "5", "id", "p", "y", "NULL", "s", "1.5", "'2'") }
	switch g.r.IntN(9) {
	case 0:
		return "sequence(" + small() + ", " + small() + g.pick("", ", "+small()) + ")"
	case 1:
		return "sequence(DATE'2024-01-01', " + g.pick("DATE'2024-03-01'", "DATE'2023-12-01'", "ts", "NULL", "TIMESTAMP'2024-01-03'") + g.pick("", ", INTERVAL 1 MONTH", ", INTERVAL '-7' DAY", ", INTERVAL 0 DAY", ", 1") + ")"
	case 2:
		return "repeat(" + g.expr(g.kind(), 0) + ", " + small() + ")"
	case 3:
		return "space(" + small() + ")"
	case 4:
		return g.pick("lpad(", "rpad(") + g.pick("s", "bin", "v", "'é😀'", "id", "NULL") + ", " + small() + g.pick("", ", 'ab'", ", ''", ", s", ", X'00'", ", NULL") + ")"
	case 5:
		return "array_repeat(" + g.expr(g.kind(), 1) + ", " + small() + ")"
	case 6:
		return g.pick("get(", "element_at(", "try_element_at(", "array_insert(", "slice(", "array_append(") + g.expr(g.pick("array", "map"), 1) + ", " + small() + g.pick("", ", "+small()) + ")"
	case 7:
		return g.expr(g.pick("array", "map", "struct"), 1) + g.pick("[0]", "['k']", ".f", "[-1]", "[id]", "[NULL]", ".g", "[1L]", "[1.5]", "[s]", "[a]")
	}
	return g.expr(g.kind(), 1) + "::" + g.typeName(g.kind())
}
