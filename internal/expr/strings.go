package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// text1 … make an EvalFunc of a plain Go function.

func text1(f func(string) types.Value) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return f(textOf(a[0])), nil
	}
}

func text2(f func(a, b string) types.Value) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return f(textOf(a[0]), textOf(a[1])), nil
	}
}

// stringFunctions are the functions on text that look at its characters.
func stringFunctions() []Overload {
	text, integer, boolean := types.Of(types.String), types.Of(types.Int), types.Of(types.Boolean)
	var rows []Overload
	add := func(name string, params []Class, ret types.Type, duck string, eval EvalFunc) *Overload {
		rows = append(rows, Overload{Name: name, Params: params, Returns: ret, Duck: duck, Eval: eval})
		return &rows[len(rows)-1]
	}
	fold := func(word string, f func(string) string) {
		// DuckDB maps characters one to one; only ASCII comes out as in Spark.
		add(word, one(Text), text, "CASE WHEN strlen($1)=length($1) THEN "+word+"($1) ELSE tarn_"+word+"($1) END", text1(func(s string) types.Value { return f(s) }))
	}
	fold("upper", upperText)
	fold("lower", lowerText)
	add("initcap", one(Text), text, "tarn_initcap($1)", text1(func(s string) types.Value { return initcap(s) }))
	add("length", one(TextOrBinary), integer, "", func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		if ts[0].Kind == types.Binary {
			return int64(len(textOf(a[0]))), nil
		}
		return int64(runeCount(textOf(a[0]))), nil
	}).DuckFunc = byBinary("CAST(length($1) AS INTEGER)", "CAST(octet_length($1) AS INTEGER)")
	add("octet_length", one(TextOrBinary), integer, "", text1(func(s string) types.Value { return int64(len(s)) })).DuckFunc = byBinary("CAST(strlen($1) AS INTEGER)", "CAST(octet_length($1) AS INTEGER)")
	add("bit_length", one(TextOrBinary), integer, "", text1(func(s string) types.Value { return int64(len(s)) * 8 })).DuckFunc = byBinary("CAST(bit_length($1) AS INTEGER)", "CAST(octet_length($1)*8 AS INTEGER)")
	rows = append(rows, Overload{Name: "reverse", Params: one(TextOrBinary), Result: typeOfFirst, DuckFunc: byBinary("sp_reverse($1)", "unhex(array_to_string(list_reverse(regexp_extract_all(hex($1),'..')),''))"), Eval: evalReverse})
	rows = append(rows, Overload{Name: "reverse", Params: one(AnyArray), Result: typeOfFirst, Duck: "list_reverse($1)", Eval: evalReverseArray})
	// The two-argument ltrim and rtrim take the characters first, trim and btrim last.
	trims := []struct {
		name, duck  string
		left, right bool
		setFirst    bool
	}{{"trim", "trim", true, true, false}, {"btrim", "trim", true, true, false}, {"ltrim", "ltrim", true, false, true}, {"rtrim", "rtrim", false, true, true}}
	for _, t := range trims {
		add(t.name, one(Text), text, t.duck+"($1,' ')", text1(func(s string) types.Value { return trimSet(s, " ", t.left, t.right) }))
		duck := t.duck + "($1,$2)"
		if t.setFirst {
			duck = t.duck + "($2,$1)"
		}
		add(t.name, two(Text), text, duck, text2(func(a, b string) types.Value {
			if t.setFirst {
				a, b = b, a
			}
			return trimSet(a, b, t.left, t.right)
		}))
	}
	for _, n := range []string{"lpad", "rpad"} {
		left := n == "lpad"
		rows = append(rows, binaryPads(n, left)...)
		add(n, []Class{Text, IntNumber}, text, "sp_"+n+"($1,$2,' ')", evalPad(left))
		add(n, []Class{Text, IntNumber, Text}, text, "sp_"+n+"($1,$2,$3)", evalPad(left))
	}
	add("repeat", []Class{Text, IntNumber}, text, "repeat($1,$2)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return repeatText(textOf(a[0]), intOf(a[1]))
	})
	add("space", one(IntNumber), text, "repeat(' ',$1)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return repeatText(" ", intOf(a[0]))
	})
	for _, n := range []string{"substring", "substr"} {
		rows = append(rows,
			Overload{Name: n, Params: []Class{TextOrBinary, IntNumber}, Result: typeOfFirst, DuckFunc: byBinary("sp_substr($1,$2,2147483647)", "sp_substr_bin($1,$2,2147483647)"), Eval: evalSubstring},
			Overload{Name: n, Params: []Class{TextOrBinary, IntNumber, IntNumber}, Result: typeOfFirst, DuckFunc: byBinary("sp_substr($1,$2,$3)", "sp_substr_bin($1,$2,$3)"), Eval: evalSubstring})
	}
	rows = append(rows, Overload{
		Name: "left", Params: []Class{TextOrBinary, IntNumber}, Result: typeOfFirst, DuckFunc: byBinary("left($1,CASE WHEN $2<0 THEN 0 ELSE $2 END)", "sp_substr_bin($1,1,$2)"),
		Eval: func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
			return evalSubstring(ctx, []types.Value{a[0], int64(1), a[1]}, ts, t)
		},
	})
	add("right", []Class{Text, IntNumber}, text, "right($1,CASE WHEN $2<0 THEN 0 ELSE $2 END)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		r := runesOf(textOf(a[0]))
		n := min(max(intOf(a[1]), 0), int64(len(r)))
		return string(r[int64(len(r))-n:]), nil
	})
	add("split_part", []Class{Text, Text, IntNumber}, text, "sp_split_part($1,$2,$3)", evalSplitPart)
	add("substring_index", []Class{Text, Text, IntNumber}, text, "tarn_substring_index($1,$2,$3)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return substringIndex(textOf(a[0]), textOf(a[1]), intOf(a[2])), nil
	})
	rows = append(rows, instrFunctions()...)
	for _, n := range []string{"locate", "position"} {
		add(n, two(Text), integer, "CAST(instr($2,$1) AS INTEGER)", text2(func(a, b string) types.Value { return instr(b, a) }))
		add(n, []Class{Text, Text, IntNumber}, integer, "sp_locate($1,$2,$3)", evalLocate).NullAware = true
	}
	for _, m := range []struct {
		name, duck, bin string
		f               func(a, b string) bool
	}{
		{"contains", "contains($1,$2)", "regexp_matches(hex($1),'^(?:..)*?'||hex($2))", strings.Contains},
		{"startswith", "starts_with($1,$2)", "starts_with(hex($1),hex($2))", strings.HasPrefix},
		{"endswith", "ends_with($1,$2)", "ends_with(hex($1),hex($2))", strings.HasSuffix},
	} {
		eval := text2(func(a, b string) types.Value { return m.f(a, b) })
		rows = append(rows,
			Overload{Name: m.name, Params: two(BinaryOnly), Prepare: bothBinary, Returns: boolean, Duck: m.bin, Eval: eval},
			Overload{Name: m.name, Params: two(Text), Returns: boolean, Duck: m.duck, Eval: eval})
	}
	add("replace", two(Text), text, "replace($1,$2,'')", text2(func(a, b string) types.Value { return replaceText(a, b, "") }))
	add("replace", []Class{Text, Text, Text}, text, "replace($1,$2,$3)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return replaceText(textOf(a[0]), textOf(a[1]), textOf(a[2])), nil
	})
	add("translate", []Class{Text, Text, Text}, text, "CASE WHEN contains($3,chr(0)) THEN tarn_translate($1,$2,$3) ELSE translate($1,$2,$3) END", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return translate(textOf(a[0]), textOf(a[1]), textOf(a[2])), nil
	})
	rows = append(rows, binaryOverlay(3), binaryOverlay(4))
	add("overlay", []Class{Text, Text, IntNumber}, text, "sp_overlay($1,$2,$3,-1)", evalOverlay)
	add("overlay", []Class{Text, Text, IntNumber, IntNumber}, text, "sp_overlay($1,$2,$3,$4)", evalOverlay)
	add("ascii", one(Text), integer, "ascii($1)", text1(func(s string) types.Value {
		if s == "" {
			return int64(0)
		}
		r, _ := utf8.DecodeRuneInString(s)
		return int64(r)
	}))
	for _, n := range []string{"chr", "char"} {
		add(n, one(LongNumber), text, "sp_chr($1)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			if n := intOf(a[0]); n >= 0 {
				return string(rune(n & 255)), nil
			}
			return "", nil
		})
	}
	add("find_in_set", two(Text), integer, "sp_find_in_set($1,$2)", text2(func(x, s string) types.Value {
		if strings.Contains(x, ",") {
			return int64(0)
		}
		for i, p := range strings.Split(s, ",") {
			if p == x {
				return int64(i + 1)
			}
		}
		return int64(0)
	}))
	rows = append(rows,
		Overload{Name: "elt", Params: []Class{IntNumber, Text}, Variadic: true, Returns: text, NullAware: true, DuckFunc: eltSQL, Eval: evalElt},
		Overload{Name: "concat", Params: one(AnyValue), Variadic: true, Optional: 1, Prepare: concatArgs, Result: concatResult, DuckFunc: concatSQL, Eval: evalConcat},
		Overload{Name: "||", Params: two(AnyValue), Prepare: concatArgs, Result: concatResult, DuckFunc: concatSQL, Eval: evalConcat},
		Overload{Name: "concat_ws", Params: []Class{Text, AnyValue}, Variadic: true, Optional: 1, Prepare: concatWSArgs, Returns: text, NullAware: true, DuckFunc: concatWSSQL, Eval: evalConcatWS},
		Overload{
			Name: "mask", Params: []Class{Text, Text, Text, Text, Text}, Optional: 4, Prepare: maskArgs, Returns: text, DuckFunc: maskSQL, NullAware: true,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				if a[0] == nil {
					return nil, nil
				}
				return maskText(textOf(a[0]), textOf(a[1]), textOf(a[2]), textOf(a[3]), textOf(a[4])), nil
			},
		},
		Overload{
			Name: "quote", Params: one(Text), Returns: text, Duck: "chr(39)||replace($1,chr(39),'\\'||chr(39))||chr(39)",
			Eval: text1(func(s string) types.Value { return "'" + strings.ReplaceAll(s, "'", `\'`) + "'" }),
		},
		Overload{
			Name: "levenshtein", Params: []Class{Text, Text, IntNumber}, Returns: integer, NullAware: true, NullFolds: true,
			// A threshold that is NULL counts as 0, as in Spark, but makes a constant call NULL.
			Duck: "CASE WHEN tarn_levenshtein($1,$2) <= coalesce($3,0) THEN tarn_levenshtein($1,$2) WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN -1 END",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				if a[0] == nil || a[1] == nil {
					return nil, nil
				}
				limit := int64(0)
				if a[2] != nil {
					limit = intOf(a[2])
				}
				if d := levenshtein(textOf(a[0]), textOf(a[1])); d <= limit {
					return d, nil
				}
				return int64(-1), nil
			},
		},
		Overload{Name: "levenshtein", Params: two(Text), Returns: integer, Duck: "tarn_levenshtein($1,$2)", Eval: text2(func(a, b string) types.Value { return levenshtein(a, b) })},
		Overload{Name: "soundex", Params: one(PlainText), Returns: text, Duck: "tarn_soundex($1)", Eval: text1(func(s string) types.Value { return soundex(s) })},
		Overload{Name: "luhn_check", Params: one(Text), Returns: boolean, Duck: "sp_luhn($1)"},
	)
	return rows
}

// byBinary picks the template by whether the first argument is BINARY.
func byBinary(text, binary string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		if argTypes[0].Kind == types.Binary {
			return fill(binary, args, argTypes, result, nil)
		}
		return fill(text, args, argTypes, result, nil)
	}
}

func bothBinary(call *callSite) ([]Expr, error) {
	if call.args[0].Type().Kind == types.Binary && call.args[1].Type().Kind == types.Binary {
		return call.args, nil
	}
	return nil, errNextRow
}

// trimSet cuts the characters of set off the ends.
func trimSet(s, set string, left, right bool) string {
	if left {
		s = strings.TrimLeft(s, set)
	}
	if right {
		s = strings.TrimRight(s, set)
	}
	return s
}

// maxText bounds what a function may build in memory; DuckDB has a bound of its own.
const maxText = 1 << 30

func repeatText(s string, n int64) (types.Value, error) {
	if n <= 0 || s == "" {
		return "", nil
	}
	if n > maxText/int64(len(s)) {
		return nil, sqlerr.ArithmeticOverflow("The length of the text", "")
	}
	return strings.Repeat(s, int(n)), nil
}

// binaryPads fill BINARY with bytes, zeros unless a BINARY says otherwise.
func binaryPads(name string, left bool) []Overload {
	only := func(call *callSite) ([]Expr, error) {
		if call.args[0].Type().Kind != types.Binary || len(call.args) > 2 && call.args[2].Type().Kind != types.Binary {
			return nil, errNextRow
		}
		to, _, ok := IntNumber.fit(call.args[1].Type(), false)
		if !ok {
			return nil, errNextRow
		}
		out := append([]Expr{}, call.args...)
		out[1] = implicit(out[1], to)
		return out, nil
	}
	return []Overload{{
		Name: name, Params: []Class{BinaryOnly, IntNumber, BinaryOnly}, Optional: 1, Prepare: only, Returns: types.Of(types.Binary),
		DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			pad := "'\\x00'::BLOB"
			if len(args) > 2 {
				pad = "$3"
			}
			return fill("tarn_"+name+"_binary($1,$2,"+pad+")", args, ts, t, nil)
		},
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			pad := "\x00"
			if len(a) > 2 {
				pad = textOf(a[2])
			}
			return padBytes(textOf(a[0]), intOf(a[1]), pad, left)
		},
	}}
}

func padBytes(s string, n int64, pad string, left bool) (types.Value, error) {
	size := int(min(max(n, 0), maxText))
	if size <= len(s) || pad == "" {
		return types.Bytes(s[:min(size, len(s))]), nil
	}
	fill := strings.Repeat(pad, (size-len(s))/len(pad)+1)[:size-len(s)]
	if left {
		return types.Bytes(fill + s), nil
	}
	return types.Bytes(s + fill), nil
}

func evalPad(left bool) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		s, pad := runesOf(textOf(a[0])), []rune{' '}
		if len(a) > 2 {
			pad = runesOf(textOf(a[2]))
		}
		n := int(max(intOf(a[1]), 0))
		if n <= len(s) || len(pad) == 0 {
			return string(s[:min(n, len(s))]), nil
		}
		if n > maxText {
			return nil, sqlerr.ArithmeticOverflow("The length of the text", "")
		}
		fill := make([]rune, n-len(s))
		for i := range fill {
			fill[i] = pad[i%len(pad)]
		}
		if left {
			return string(fill) + string(s), nil
		}
		return string(s) + string(fill), nil
	}
}

// substringRange is the part of n elements that position (from 1, or from the end) and length name.
func substringRange(n, pos, length int64) (int64, int64) {
	start := int64(0)
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = n + pos
	}
	if length < 0 {
		length = 0
	}
	end := start + length
	return min(max(start, 0), n), min(max(end, 0), n)
}

func evalSubstring(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	length := int64(1<<31 - 1)
	if len(a) > 2 {
		length = intOf(a[2])
	}
	if ts[0].Kind == types.Binary {
		b := string(bytesOf(a[0]))
		i, j := substringRange(int64(len(b)), intOf(a[1]), length)
		return types.Bytes(b[i:max(i, j)]), nil
	}
	r := runesOf(textOf(a[0]))
	i, j := substringRange(int64(len(r)), intOf(a[1]), length)
	return string(r[i:max(i, j)]), nil
}

func evalReverse(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	if ts[0].Kind == types.Binary {
		b := []byte(bytesOf(a[0]))
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return types.Bytes(b), nil
	}
	r := runesOf(textOf(a[0]))
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r), nil
}

func evalReverseArray(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	l := listOf(a[0])
	out := make([]types.Value, len(l))
	for i, v := range l {
		out[len(l)-1-i] = v
	}
	return out, nil
}

func evalSplitPart(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	s, sep, n := textOf(a[0]), textOf(a[1]), intOf(a[2])
	if n == 0 {
		return nil, sqlerr.InvalidIndexOfZero()
	}
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	if n < 1 || n > int64(len(parts)) {
		return "", nil
	}
	return parts[n-1], nil
}

// substringIndex is the text before the nth delimiter, or after the nth from the end; delimiters may overlap.
func substringIndex(s, sep string, n int64) string {
	if n == 0 || sep == "" {
		return ""
	}
	if n > 0 {
		at := -1
		for ; n > 0; n-- {
			i := strings.Index(s[at+1:], sep)
			if i < 0 {
				return s
			}
			at += 1 + i
		}
		return s[:at]
	}
	at := len(s)
	for ; n < 0; n++ {
		end := min(at-1+len(sep), len(s))
		if at == 0 {
			return s
		}
		i := strings.LastIndex(s[:end], sep)
		if i < 0 {
			return s
		}
		at = i
	}
	return s[at+len(sep):]
}

// evalLocate has Spark's odd corners: a NULL position gives 0, an empty text is found at 1 whatever the position.
func evalLocate(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	if a[2] == nil {
		return int64(0), nil
	}
	if a[0] == nil || a[1] == nil {
		return nil, nil
	}
	sub, s, pos := textOf(a[0]), textOf(a[1]), intOf(a[2])
	switch {
	case pos < 1:
		return int64(0), nil
	case sub == "":
		return int64(1), nil
	}
	r := runesOf(s)
	if pos > int64(len(r)) {
		return int64(0), nil
	}
	if n := instr(string(r[pos-1:]), sub); n > 0 {
		return n + pos - 1, nil
	}
	return int64(0), nil
}

func replaceText(s, search, with string) string {
	if search == "" {
		return s
	}
	return strings.ReplaceAll(s, search, with)
}

func translate(s, from, to string) string {
	t := runesOf(to)
	m := map[rune]rune{}
	for i, r := range runesOf(from) {
		if _, done := m[r]; done {
			continue
		}
		m[r] = -1
		if i < len(t) && t[i] != 0 {
			m[r] = t[i]
		}
	}
	return strings.Map(func(r rune) rune {
		if x, ok := m[r]; ok {
			return x
		}
		return r
	}, s)
}

func eltSQL(args []string, _ []types.Type, _ types.Type) string {
	n := wrapArg(args, 0)
	s := "CASE " + n
	for i := 1; i < len(args); i++ {
		s += " WHEN " + itoa(i) + " THEN " + args[i]
	}
	return s + " ELSE CASE WHEN " + n + " IS NOT NULL THEN " + raise("INVALID_ARRAY_INDEX", n, "'"+itoa(len(args)-1)+"'") + " END END"
}

func evalElt(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	if a[0] == nil {
		return nil, nil
	}
	n := intOf(a[0])
	if n < 1 || n >= int64(len(a)) {
		return nil, sqlerr.InvalidArrayIndex(itoa(int(n)), itoa(len(a)-1))
	}
	return a[n], nil
}

// maskArgs fills in X for upper case, x for lower case and n for digits; other characters stay, as with NULL.
func maskArgs(call *callSite) ([]Expr, error) {
	names := []string{"str", "upperChar", "lowerChar", "digitChar", "otherChar"}
	out := []Expr{nil, textLiteral("X"), textLiteral("x"), textLiteral("n"), &Literal{T: types.Of(types.String)}}
	for i, a := range call.args {
		to, _, ok := PlainText.fit(a.Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, Text.String(), Print(a), a.Type().SQL())
		}
		if i > 0 {
			s, null, constant := constantText(a)
			switch {
			case !constant:
				return nil, sqlerr.NonFoldableInput(call.sql(), names[i], "STRING", Print(a))
			case !null && runeCount(s) != 1:
				return nil, sqlerr.InputSizeNotOne(call.sql(), names[i])
			}
		}
		out[i] = implicit(a, to)
	}
	return out, nil
}

func maskSQL(args []string, _ []types.Type, _ types.Type) string {
	s := "tarn_mask(" + args[0]
	for _, a := range args[1:] {
		s += ",coalesce(" + a + ",'')"
	}
	return s + ")"
}

// maskText replaces each character by the one for its class; an empty replacement keeps the class.
func maskText(s, upper, lower, digit, other string) string {
	var b strings.Builder
	for _, r := range s {
		with := other
		switch {
		case unicode.IsUpper(r):
			with = upper
		case unicode.IsLower(r):
			with = lower
		case unicode.IsDigit(r):
			with = digit
		}
		if with == "" {
			b.WriteRune(r)
		} else {
			b.WriteString(with)
		}
	}
	return b.String()
}

func levenshtein(a, b string) int64 {
	x, y := runesOf(a), runesOf(b)
	row := make([]int64, len(y)+1)
	for j := range row {
		row[j] = int64(j)
	}
	for i := 1; i <= len(x); i++ {
		diag := row[0]
		row[0] = int64(i)
		for j := 1; j <= len(y); j++ {
			cost := int64(1)
			if x[i-1] == y[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(y)]
}

// soundex codes: 7 is H and W, which do not separate equal codes; 0 resets.
func soundex(s string) string {
	const codes = "01230127022455012623017202"
	if s == "" || (s[0]|32) < 'a' || (s[0]|32) > 'z' {
		return s
	}
	out := []byte{s[0] &^ 32}
	last := codes[out[0]-'A']
	for i := 1; i < len(s) && len(out) < 4; i++ {
		c := s[i] | 32
		if c < 'a' || c > 'z' || s[i] >= 0x80 {
			last = '0'
			continue
		}
		code := codes[c-'a']
		if code == '7' {
			continue
		}
		if code != '0' && code != last {
			out = append(out, code)
		}
		last = code
	}
	for len(out) < 4 {
		out = append(out, '0')
	}
	return string(out)
}
