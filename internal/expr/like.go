package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// patternFunctions are LIKE, ILIKE and the regular-expression functions.
func patternFunctions() []Overload {
	boolean := types.Of(types.Boolean)
	var rows []Overload
	for _, n := range []string{"like", "ilike"} {
		fold := n == "ilike"
		eval := func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			s, p, esc := textOf(a[0]), textOf(a[1]), `\`
			if len(a) > 2 {
				esc = textOf(a[2])
			}
			if fold {
				s, p = lowerText(s), lowerText(p)
			}
			items, err := compileLike(p, esc)
			if err != nil {
				return nil, err
			}
			return matchLike(items, s), nil
		}
		rows = append(rows,
			Overload{Name: n, Params: two(Text), Returns: boolean, DuckFunc: likeSQL(fold), Eval: eval},
			Overload{Name: n, Params: []Class{Text, Text, Text}, Returns: boolean, DuckFunc: likeSQL(fold), Eval: eval})
	}
	return append(rows, regexFunctions()...)
}

// likeSQL emits DuckDB's LIKE for a constant pattern that is valid; anything else goes to Go, which knows the errors.
func likeSQL(fold bool) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, _ types.Type) string {
		esc := `\`
		known := true
		if len(args) > 2 {
			esc, known = literalOf(args[2])
		}
		p, ok := literalOf(args[1])
		if ok && known && len(esc) == 1 { // DuckDB escapes by one byte only
			if _, err := compileLike(p, esc); err == nil {
				s, pat := wrapArg(args, 0), wrapArg(args, 1)
				if fold {
					s, pat = lowerSQL(s), DuckString(lowerText(p))
				}
				if !strings.Contains(p, esc) {
					// Only without the word does DuckDB search for the pattern's parts, or take it for a prefix.
					return "(" + s + " LIKE " + pat + ")"
				}
				return "(" + s + " LIKE " + pat + " ESCAPE " + DuckString(esc) + ")"
			}
		}
		third := "'\\'"
		if len(args) > 2 {
			third = wrapArg(args, 2)
		}
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		if fold {
			a, b = "tarn_lower("+a+")", "tarn_lower("+b+")"
		}
		return "tarn_like(" + a + "," + b + "," + third + ")"
	}
}

func lowerSQL(s string) string {
	return "CASE WHEN strlen(" + s + ")=length(" + s + ") THEN lower(" + s + ") ELSE tarn_lower(" + s + ") END"
}

// likeItem is one element of a compiled pattern: a character, any one character, or any text.
type likeItem struct {
	r    rune
	kind likeKind
}

type likeKind uint8

const (
	likeChar likeKind = iota
	likeOne
	likeAny
)

func compileLike(p, escape string) ([]likeItem, error) {
	esc, size := utf8.DecodeRuneInString(escape)
	if size != len(escape) || escape == "" {
		return nil, sqlerr.InvalidEscapeCharacter(escape)
	}
	var items []likeItem
	r := runesOf(p)
	for i := 0; i < len(r); i++ {
		switch {
		case r[i] == esc:
			if i++; i == len(r) {
				return nil, sqlerr.BadEscape("ESC_AT_THE_END", p)
			}
			if r[i] != '%' && r[i] != '_' && r[i] != esc {
				return nil, sqlerr.BadEscape("ESC_IN_THE_MIDDLE", p)
			}
			items = append(items, likeItem{r: r[i]})
		case r[i] == '%':
			if n := len(items); n == 0 || items[n-1].kind != likeAny {
				items = append(items, likeItem{kind: likeAny})
			}
		case r[i] == '_':
			items = append(items, likeItem{kind: likeOne})
		default:
			items = append(items, likeItem{r: r[i]})
		}
	}
	return items, nil
}

// matchLike remembers only the last %, so it takes at most the product of both lengths.
func matchLike(items []likeItem, s string) bool {
	r := runesOf(s)
	i, j := 0, 0
	star, mark := -1, 0
	for j < len(r) {
		switch {
		case i < len(items) && items[i].kind == likeAny:
			star, mark = i, j
			i++
		case i < len(items) && (items[i].kind == likeOne || items[i].kind == likeChar && items[i].r == r[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(items) && items[i].kind == likeAny {
		i++
	}
	return i == len(items)
}
