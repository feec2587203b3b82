package expr

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// regexFunctions match Java's regular expressions, translated to RE2. They run in Go: DuckDB's own differ in what an
// empty match does, in groups that take no part, and in wanting constants.
func regexFunctions() []Overload {
	boolean, text, integer, list := types.Of(types.Boolean), types.Of(types.String), types.Of(types.Int), types.ArrayOf(types.Of(types.String))
	var rows []Overload
	for _, n := range []string{"rlike", "regexp", "regexp_like"} {
		rows = append(rows, Overload{Name: n, Params: two(Text), Returns: boolean, DuckFunc: rlikeSQL, Eval: withRegex(n, func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			return re.MatchString(textOf(a[0])), nil
		})})
	}
	replace := withRegex("regexp_replace", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
		at := int64(1)
		if len(a) > 3 {
			at = intOf(a[3])
		}
		return replaceRegex(re, textOf(a[0]), textOf(a[2]), at)
	})
	extract := withRegex("regexp_extract", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
		return extractRegex(re, "regexp_extract", textOf(a[0]), groupArg(a))
	})
	return append(rows,
		Overload{Name: "regexp_replace", Params: []Class{Text, Text, Text}, Returns: text, Duck: "tarn_regexp_replace($1,$2,$3,1)", Eval: replace},
		Overload{Name: "regexp_replace", Params: []Class{Text, Text, Text, IntNumber}, Returns: text, Duck: "tarn_regexp_replace($1,$2,$3,$4)", Eval: replace},
		Overload{Name: "regexp_extract", Params: two(Text), Returns: text, Duck: "tarn_regexp_extract($1,$2,1)", Eval: extract},
		Overload{Name: "regexp_extract", Params: []Class{Text, Text, IntNumber}, Returns: text, Duck: "tarn_regexp_extract($1,$2,$3)", Eval: extract},
		Overload{Name: "regexp_extract_all", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: list, DuckFunc: extractAllSQL, Eval: withRegex("regexp_extract_all", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			return extractAll(re, textOf(a[0]), groupArg(a))
		})},
		Overload{Name: "regexp_count", Params: two(Text), Returns: integer, Duck: "tarn_regexp_count($1,$2)", Eval: withRegex("regexp_count", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			return int64(len(allMatches(re, textOf(a[0])))), nil
		})},
		Overload{Name: "regexp_substr", Params: two(Text), Returns: text, Duck: "tarn_regexp_substr($1,$2)", Eval: withRegex("regexp_substr", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			return matchedText(re, textOf(a[0])), nil
		})},
		Overload{Name: "regexp_instr", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: integer, DuckFunc: instrSQL, Eval: withRegex("regexp_instr", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			m := re.FindStringIndex(textOf(a[0]))
			if m == nil {
				return int64(0), nil
			}
			return int64(runeCount(textOf(a[0])[:m[0]])) + 1, nil
		})},
		Overload{Name: "split", Params: []Class{Text, Text, IntNumber}, Optional: 1, Returns: list, DuckFunc: splitSQL, Eval: withRegex("split", func(re *regexp.Regexp, a []types.Value) (types.Value, error) {
			limit := int64(-1)
			if len(a) > 2 {
				limit = intOf(a[2])
			}
			return splitRegex(re, textOf(a[0]), limit), nil
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
func withRegex(name string, f func(*regexp.Regexp, []types.Value) (types.Value, error)) EvalFunc {
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
		limit = wrapArg(args, 2)
	}
	return fill("tarn_split($1,$2,"+limit+")", args, argTypes, result, nil)
}

func extractAllSQL(args []string, argTypes []types.Type, result types.Type) string {
	group := "1"
	if len(args) > 2 {
		group = wrapArg(args, 2)
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

// compileRegex translates a Java regular expression and compiles it. What RE2 cannot do is refused by name.
func compileRegex(function, p string) (*regexp.Regexp, error) {
	t, err := translateRegex(function, p)
	if err != nil {
		return nil, err
	}
	re, cerr := regexp.Compile(t)
	if cerr != nil {
		return nil, sqlerr.InvalidRegex(function, p)
	}
	return re, nil
}

const (
	anyButLine  = `[^\n\r\x{85}\x{2028}\x{2029}]`
	lineEnd     = `(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])`
	spaceSet    = `\t\n\x0B\f\r `
	blankSet    = ` \t\x{A0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`
	verticalSet = `\n\x0B\f\r\x{85}\x{2028}\x{2029}`
)

// translateRegex rewrites what Java and RE2 spell or mean differently: ., $, \s, \h, \v, \R, \e, \uXXXX, octal escapes,
// quoted text, possessive-free groups and named groups.
func translateRegex(function, p string) (string, error) {
	var b strings.Builder
	bad := func() (string, error) { return "", sqlerr.InvalidRegex(function, p) }
	lacks := func(what string) (string, error) {
		return "", sqlerr.Unsupported("REGULAR_EXPRESSION", what+" in the regular expression '"+p+"'")
	}
	class := 0 // depth inside [ ]
	dotAll := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\':
			if i++; i == len(p) {
				return bad()
			}
			out, next, ok := translateEscape(p, i, class > 0)
			switch {
			case ok == escapeBad:
				return bad()
			case ok == escapeLacks:
				return lacks("a back-reference or \\" + string(p[i]))
			}
			b.WriteString(out)
			i = next
		case class > 0:
			switch {
			case c == '[':
				// A nested class is a union: its members join the outer one.
				if i+1 < len(p) && p[i+1] == '^' {
					return lacks("a negated class inside a class")
				}
				class++
			case c == ']':
				if class--; class == 0 {
					b.WriteByte(c)
				}
			case c == '&' && strings.HasPrefix(p[i:], "&&"):
				return lacks("an intersection of classes (&&)")
			default:
				b.WriteByte(c)
			}
		case c == '[':
			class = 1
			b.WriteByte(c)
			if i+1 < len(p) && p[i+1] == '^' {
				i++
				b.WriteByte('^')
			}
			if i+1 < len(p) && p[i+1] == ']' {
				i++
				b.WriteString(`\]`)
			}
		case c == '.':
			if dotAll {
				b.WriteString(`(?s:.)`)
			} else {
				b.WriteString(anyButLine)
			}
		case c == '$':
			if i == len(p)-1 {
				b.WriteString(`(?P<` + endGroup + `>` + lineEnd + `)?\z`)
			} else {
				b.WriteString(`\z`)
			}
		case c == '^':
			b.WriteString(`\A`)
		case c == '(' && strings.HasPrefix(p[i:], "(?"):
			rest := p[i+2:]
			switch {
			case strings.HasPrefix(rest, "<=") || strings.HasPrefix(rest, "<!") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, ">"):
				return lacks("look-around or an atomic group")
			case strings.HasPrefix(rest, "P"):
				return bad()
			case strings.HasPrefix(rest, "<"):
				end := strings.IndexByte(rest, '>')
				if end < 0 {
					return bad()
				}
				b.WriteString("(?P<" + rest[1:end] + ">")
				i += 2 + end
			default:
				end := strings.IndexAny(rest, ":)")
				if end < 0 {
					return bad()
				}
				flags := rest[:end]
				if strings.ContainsAny(flags, "xUm") {
					return lacks("the flag (?" + flags + ")")
				}
				dotAll = dotAll || strings.Contains(strings.Split(flags, "-")[0], "s")
				flags = strings.NewReplacer("s", "", "d", "", "u", "").Replace(flags)
				i += 2 + end
				switch {
				case rest[end] == ':' && flags != "":
					b.WriteString("(?" + flags + ":")
				case rest[end] == ':':
					b.WriteString("(?:")
				case flags != "" && flags != "-":
					b.WriteString("(?" + flags + ")")
				}
			}
		case (c == '*' || c == '+' || c == '?' || c == '}') && i+1 < len(p) && p[i+1] == '+':
			return lacks("a possessive repetition")
		case c == '{' && !validCount(p[i:]):
			return bad()
		default:
			b.WriteByte(c)
		}
	}
	if class > 0 {
		return bad()
	}
	return b.String(), nil
}

// validCount reports whether s begins with {n}, {n,} or {n,m}.
func validCount(s string) bool {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return false
	}
	lo, hi, _ := strings.Cut(s[1:end], ",")
	digits := func(t string) bool { return strings.Trim(t, "0123456789") == "" }
	return lo != "" && digits(lo) && digits(hi)
}

type escapeResult uint8

const (
	escapeOK escapeResult = iota
	escapeBad
	escapeLacks
)

// translateEscape rewrites the escape whose letter is p[i]; next is the index of its last byte.
func translateEscape(p string, i int, inClass bool) (out string, next int, r escapeResult) {
	set := func(s string) (string, int, escapeResult) {
		if inClass {
			return s, i, escapeOK
		}
		return "[" + s + "]", i, escapeOK
	}
	not := func(s string) (string, int, escapeResult) {
		if inClass {
			return "", i, escapeLacks
		}
		return "[^" + s + "]", i, escapeOK
	}
	switch c := p[i]; c {
	case 's':
		return set(spaceSet)
	case 'S':
		return not(spaceSet)
	case 'h':
		return set(blankSet)
	case 'H':
		return not(blankSet)
	case 'v':
		return set(verticalSet)
	case 'V':
		return not(verticalSet)
	case 'R':
		return `(?:\r\n|[` + verticalSet + `])`, i, escapeOK
	case 'Z':
		return lineEnd + `?\z`, i, escapeOK
	case 'e':
		return `\x1b`, i, escapeOK
	case 'd', 'D', 'w', 'W', 'b', 'B', 'A', 'z', 't', 'n', 'r', 'f', 'a':
		return `\` + string(c), i, escapeOK
	case 'p', 'P':
		return translateProperty(p, i)
	case 'Q':
		end := strings.Index(p[i:], `\E`)
		if end < 0 {
			return regexp.QuoteMeta(p[i+1:]), len(p) - 1, escapeOK
		}
		return regexp.QuoteMeta(p[i+1 : i+end]), i + end + 1, escapeOK
	case 'u':
		if i+4 >= len(p) {
			return "", i, escapeBad
		}
		unit := func(s string) rune {
			n, _ := strconv.ParseUint(s, 16, 16)
			return rune(n)
		}
		high := unit(p[i+1 : i+5])
		if utf16.IsSurrogate(high) && i+10 < len(p) && p[i+5:i+7] == `\u` {
			if r := utf16.DecodeRune(high, unit(p[i+7:i+11])); r != utf8.RuneError {
				return `\x{` + hexText(int(r)) + `}`, i + 10, escapeOK
			}
		}
		return `\x{` + p[i+1:i+5] + `}`, i + 4, escapeOK
	case 'x':
		if i+1 < len(p) && p[i+1] == '{' {
			if end := strings.IndexByte(p[i:], '}'); end > 0 {
				return `\` + p[i:i+end+1], i + end, escapeOK
			}
		}
		if i+2 < len(p) {
			return `\x{` + p[i+1:i+3] + `}`, i + 2, escapeOK
		}
		return "", i, escapeBad
	case '0':
		n := 0
		for n < 3 && i+1+n < len(p) && p[i+1+n] >= '0' && p[i+1+n] <= '7' && (n < 2 || p[i+1] <= '3') {
			n++
		}
		if n == 0 {
			return "", i, escapeBad
		}
		v := 0
		for _, d := range p[i+1 : i+1+n] {
			v = v*8 + int(d-'0')
		}
		return `\x{` + hexText(v) + `}`, i + n, escapeOK
	case 'c':
		if i+1 < len(p) {
			return `\x{` + hexText(int(p[i+1]^64)) + `}`, i + 1, escapeOK
		}
		return "", i, escapeBad
	case 'k', 'G', 'X':
		return "", i, escapeLacks
	default:
		switch {
		case c >= '1' && c <= '9':
			return "", i, escapeLacks
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return "", i, escapeBad
		case c >= 0x80:
			return string(c), i, escapeOK
		}
		return regexp.QuoteMeta(string(c)), i, escapeOK
	}
}

// translateProperty maps \p{…}: POSIX names are ASCII in Java, Is… names scripts and categories.
func translateProperty(p string, i int) (string, int, escapeResult) {
	neg := p[i] == 'P'
	if i+1 >= len(p) {
		return "", i, escapeBad
	}
	if p[i+1] != '{' {
		return `\` + p[i:i+2], i + 1, escapeOK
	}
	end := strings.IndexByte(p[i:], '}')
	if end < 0 {
		return "", i, escapeBad
	}
	name := p[i+2 : i+end]
	next := i + end
	posix := map[string]string{"Lower": "lower", "Upper": "upper", "Alpha": "alpha", "Digit": "digit", "Alnum": "alnum", "Punct": "punct", "Graph": "graph", "Print": "print", "Blank": "blank", "Cntrl": "cntrl", "XDigit": "xdigit", "Space": "space", "ASCII": "ascii"}
	if n, ok := posix[name]; ok {
		if neg {
			return "[[:^" + n + ":]]", next, escapeOK
		}
		return "[[:" + n + ":]]", next, escapeOK
	}
	if strings.HasPrefix(name, "In") || strings.HasPrefix(name, "java") || strings.Contains(name, "=") || name == "IsAlphabetic" {
		return "", i, escapeLacks
	}
	return `\` + string(p[i]) + "{" + strings.TrimPrefix(name, "Is") + "}", next, escapeOK
}

func hexText(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return string(digits[n])
	}
	return hexText(n/16) + string(digits[n%16])
}

// replaceRegex replaces all matches from a position on; $n and ${name} stand for groups, a backslash for the next
// character. The text before the position is not looked at.
func replaceRegex(re *regexp.Regexp, s, with string, at int64) (types.Value, error) {
	if at < 1 {
		return nil, sqlerr.ArgumentOutOfRange("regexp_replace(…)", "position", "(0, 2147483647]", itoa(int(at)))
	}
	r := runesOf(s)
	if at-1 > int64(len(r)) {
		return s, nil
	}
	head, rest := "", s
	if at > 1 {
		head, rest = string(r[:at-1]), string(r[at-1:])
	}
	matches := allMatches(re, rest)
	var b strings.Builder
	b.WriteString(head)
	last := 0
	for _, m := range matches {
		b.WriteString(rest[last:m[0]])
		text, err := expandReplacement(re, rest, m, with)
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		last = m[1]
	}
	b.WriteString(rest[last:])
	return b.String(), nil
}

// endGroup is the group of a translated $ that takes the line end before which $ matches. It is no part of the match.
const endGroup = "tarnEnd"

// groupCount is the number of groups that the pattern itself has.
func groupCount(re *regexp.Regexp) int {
	if re.SubexpIndex(endGroup) >= 0 {
		return re.NumSubexp() - 1
	}
	return re.NumSubexp()
}

// allMatches finds what Java finds: an empty match right after one that was not empty counts, and a $ that matched
// before the last line end leaves that line end to the next match.
func allMatches(re *regexp.Regexp, s string) [][]int {
	ms := withEmptyMatches(re, s, re.FindAllStringSubmatchIndex(s, -1))
	end := re.SubexpIndex(endGroup)
	if end < 0 {
		return ms
	}
	for _, m := range ms {
		if m[2*end] >= 0 {
			m[1] = m[2*end]
		}
	}
	return ms
}

// firstMatch is the first of allMatches, or nil.
func firstMatch(re *regexp.Regexp, s string) []int {
	m := re.FindStringSubmatchIndex(s)
	if end := re.SubexpIndex(endGroup); m != nil && end >= 0 && m[2*end] >= 0 {
		m[1] = m[2*end]
	}
	return m
}

// withEmptyMatches adds the empty match that Java finds at the end of a match.
func withEmptyMatches(re *regexp.Regexp, s string, ms [][]int) [][]int {
	if !re.MatchString("") {
		return ms
	}
	var out [][]int
	for i, m := range ms {
		out = append(out, m)
		if m[1] > m[0] && (i+1 == len(ms) || ms[i+1][0] > m[1]) {
			if e := re.FindStringSubmatchIndex(s[m[1]:]); e != nil && e[0] == 0 && e[1] == 0 {
				for j := range e {
					if e[j] >= 0 {
						e[j] += m[1]
					}
				}
				out = append(out, e)
			}
		}
	}
	return out
}

func expandReplacement(re *regexp.Regexp, s string, m []int, with string) (string, error) {
	var b strings.Builder
	group := func(n int) {
		if 2*n+1 < len(m) && m[2*n] >= 0 {
			b.WriteString(s[m[2*n]:m[2*n+1]])
		}
	}
	bad := func() (string, error) { return "", sqlerr.InvalidReplacement(with) }
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '\\':
			if i++; i == len(with) {
				return bad()
			}
			b.WriteByte(with[i])
		case c != '$':
			b.WriteByte(c)
		case i+1 < len(with) && with[i+1] == '{':
			end := strings.IndexByte(with[i:], '}')
			if end < 0 {
				return bad()
			}
			n := re.SubexpIndex(with[i+2 : i+end])
			if n < 0 {
				return bad()
			}
			group(n)
			i += end
		case i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9':
			i++
			n := int(with[i] - '0')
			if n > groupCount(re) {
				return bad()
			}
			for i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9' && n*10+int(with[i+1]-'0') <= groupCount(re) {
				i++
				n = n*10 + int(with[i]-'0')
			}
			group(n)
		default:
			return bad()
		}
	}
	return b.String(), nil
}

func extractRegex(re *regexp.Regexp, function, s string, group int64) (types.Value, error) {
	m := firstMatch(re, s)
	if m == nil {
		return "", nil
	}
	return matchedGroup(re, function, s, m, group)
}

func extractAll(re *regexp.Regexp, s string, group int64) (types.Value, error) {
	out := []types.Value{}
	for _, m := range allMatches(re, s) {
		g, err := matchedGroup(re, "regexp_extract_all", s, m, group)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// matchedGroup is the text of a group of a match, empty when it took no part.
func matchedGroup(re *regexp.Regexp, function, s string, m []int, group int64) (types.Value, error) {
	if group < 0 || group > int64(groupCount(re)) {
		return nil, sqlerr.RegexGroupIndex(function, itoa(groupCount(re)), itoa(int(group)))
	}
	if m[2*group] < 0 {
		return "", nil
	}
	return s[m[2*group]:m[2*group+1]], nil
}

// matchedText is the text of the first match, NULL when there is none or it is empty.
func matchedText(re *regexp.Regexp, s string) types.Value {
	if m := firstMatch(re, s); m != nil && m[1] > m[0] {
		return s[m[0]:m[1]]
	}
	return nil
}

// splitRegex keeps trailing empty pieces; an empty match at the very start makes none. With a positive limit the last
// piece holds the rest.
func splitRegex(re *regexp.Regexp, s string, limit int64) []types.Value {
	out := []types.Value{}
	last := 0
	for _, m := range allMatches(re, s) {
		if limit > 0 && int64(len(out)) == limit-1 {
			break
		}
		if m[1] == 0 {
			continue
		}
		out = append(out, s[last:m[0]])
		last = m[1]
	}
	if re.String() == "" && s != "" && last == len(s) {
		return out // the characters, and nothing behind the last
	}
	return append(out, s[last:])
}
