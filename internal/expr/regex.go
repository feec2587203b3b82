package expr

import (
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/expr/javaregex"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// regexFunctions match Java's regular expressions. They run in Go: DuckDB's own differ in what an empty match does, in
// groups that take no part, and in wanting constants.
func regexFunctions() []Overload {
	boolean, text, integer, list := types.Of(types.Boolean), types.Of(types.String), types.Of(types.Int), types.ArrayOf(types.Of(types.String))
	var rows []Overload
	for _, n := range []string{"rlike", "regexp", "regexp_like"} {
		rows = append(rows, Overload{Name: n, Params: two(Text), Returns: boolean, DuckFunc: rlikeSQL, Eval: withRegex(n, func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchesRegex(re, textOf(a[0]))
		})})
	}
	replace := withRegex("regexp_replace", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
		at := int64(1)
		if len(a) > 3 {
			at = intOf(a[3])
		}
		return replaceRegex(re, textOf(a[0]), textOf(a[2]), at)
	})
	extract := withRegex("regexp_extract", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
		return extractRegex(re, "regexp_extract", textOf(a[0]), groupArg(a))
	})
	return append(rows,
		Overload{Name: "regexp_replace", Params: []Class{Text, Text, Text}, Returns: text, Duck: "tarn_regexp_replace($1,$2,$3,1)", Eval: replace},
		Overload{Name: "regexp_replace", Params: []Class{Text, Text, Text, IntNumber}, Returns: text, Duck: "tarn_regexp_replace($1,$2,$3,$4)", Eval: replace},
		Overload{Name: "regexp_extract", Params: two(Text), Returns: text, Duck: "tarn_regexp_extract($1,$2,1)", Eval: extract},
		Overload{Name: "regexp_extract", Params: []Class{Text, Text, IntNumber}, Returns: text, Duck: "tarn_regexp_extract($1,$2,$3)", Eval: extract},
		Overload{Name: "regexp_extract_all", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: list, DuckFunc: extractAllSQL, Eval: withRegex("regexp_extract_all", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return extractAll(re, textOf(a[0]), groupArg(a))
		})},
		Overload{Name: "regexp_count", Params: two(Text), Returns: integer, Duck: "tarn_regexp_count($1,$2)", Eval: withRegex("regexp_count", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return countMatches(re, textOf(a[0]))
		})},
		Overload{Name: "regexp_substr", Params: two(Text), Returns: text, Duck: "tarn_regexp_substr($1,$2)", Eval: withRegex("regexp_substr", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchedText(re, textOf(a[0]))
		})},
		Overload{Name: "regexp_instr", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: integer, DuckFunc: instrSQL, Eval: withRegex("regexp_instr", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			return matchPosition(re, textOf(a[0]))
		})},
		Overload{Name: "split", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: list, DuckFunc: splitSQL, Eval: withRegex("split", func(re *javaregex.Regex, a []types.Value) (types.Value, error) {
			limit := int64(-1)
			if len(a) > 2 {
				limit = intOf(a[2])
			}
			return splitRegex(re, textOf(a[0]), limit)
		})},
	)
}

func groupArg(a []types.Value) int64 {
	if len(a) > 2 {
		return intOf(a[2])
	}
	return 1
}

// withRegex compiles the second argument.
func withRegex(name string, f func(*javaregex.Regex, []types.Value) (types.Value, error)) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		re, err := compileRegex(name, textOf(a[1]))
		if err != nil {
			return nil, err
		}
		return f(re, a)
	}
}

// literalRegex reports whether a pattern has no character with a meaning, so that it matches just itself.
func literalRegex(p string) bool { return !strings.ContainsAny(p, `\.[]{}()*+-?^$|`) && p != "" }

func rlikeSQL(args []string, argTypes []types.Type, result types.Type) string {
	if p, ok := literalOf(args[1]); ok && literalRegex(p) {
		return fill("contains($1,$2)", args, argTypes, result, nil)
	}
	return fill("tarn_rlike($1,$2)", args, argTypes, result, nil)
}

// splitSQL uses DuckDB's split by a plain text where the expression is one.
func splitSQL(args []string, argTypes []types.Type, result types.Type) string {
	if p, ok := literalOf(args[1]); ok && len(args) == 2 && literalRegex(p) {
		return fill("string_split($1,$2)", args, argTypes, result, nil)
	}
	limit := "-1"
	if len(args) > 2 {
		limit = "$3"
	}
	return fill("tarn_split($1,$2,"+limit+")", args, argTypes, result, nil)
}

func extractAllSQL(args []string, argTypes []types.Type, result types.Type) string {
	group := "1"
	if len(args) > 2 {
		group = "$3"
	}
	return fill("tarn_regexp_extract_all($1,$2,"+group+")", args, argTypes, result, nil)
}

// instrSQL ignores the group, unless it is NULL.
func instrSQL(args []string, argTypes []types.Type, result types.Type) string {
	if len(args) > 2 {
		return fill("CASE WHEN $3 IS NOT NULL THEN tarn_regexp_instr($1,$2) END", args, argTypes, result, nil)
	}
	return fill("tarn_regexp_instr($1,$2)", args, argTypes, result, nil)
}

// compileRegex compiles a Java regular expression for a function.
func compileRegex(function, p string) (*javaregex.Regex, error) {
	re, err := javaregex.Compile(p)
	if err == nil {
		return re, nil
	}
	var lacks *javaregex.UnsupportedError
	if errors.As(err, &lacks) {
		return nil, sqlerr.Unsupported("REGULAR_EXPRESSION", lacks.What+" in the regular expression '"+p+"'")
	}
	return nil, sqlerr.InvalidRegex(function, p)
}

// allMatches are the matches of a text, up to limit unless it is negative.
func allMatches(re *javaregex.Regex, s string, limit int) ([][]int, error) {
	ms, err := re.FindAll(s, limit)
	return ms, tooComplex(err)
}

func firstMatch(re *javaregex.Regex, s string) ([]int, error) {
	m, err := re.Find(s)
	return m, tooComplex(err)
}

// tooComplex is what the user sees of a match that was given up.
func tooComplex(err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.Unsupported("REGULAR_EXPRESSION", "a regular expression that takes so many steps on a text")
}

func matchesRegex(re *javaregex.Regex, s string) (types.Value, error) {
	ok, err := re.Match(s)
	if err != nil {
		return nil, tooComplex(err)
	}
	return ok, nil
}

func countMatches(re *javaregex.Regex, s string) (types.Value, error) {
	ms, err := allMatches(re, s, -1)
	if err != nil {
		return nil, err
	}
	return int64(len(ms)), nil
}

// matchPosition counts characters from 1; 0 when there is no match.
func matchPosition(re *javaregex.Regex, s string) (types.Value, error) {
	m, err := firstMatch(re, s)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return int64(0), nil
	}
	return int64(runeCount(s[:m[0]])) + 1, nil
}
