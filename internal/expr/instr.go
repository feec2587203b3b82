package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// instrFunctions is instr(text, sub), with the place to start at, and with the occurrence to find.
func instrFunctions() []Overload {
	integer := types.Of(types.Int)
	from := func(duck string, params ...Class) Overload {
		return Overload{Name: "instr", Params: params, Returns: integer, Duck: duck, Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			occurrence := int64(1)
			if len(a) > 3 {
				occurrence = intOf(a[3])
			}
			return instrFrom(textOf(a[0]), textOf(a[1]), intOf(a[2]), occurrence)
		}}
	}
	return []Overload{
		{Name: "instr", Params: two(Text), Returns: integer, Duck: "CAST(instr($1,$2) AS INTEGER)", Eval: text2(func(a, b string) types.Value { return instr(a, b) })},
		from("tarn_instr($1,$2,$3,1)", Text, Text, IntNumber),
		from("tarn_instr($1,$2,$3,$4)", Text, Text, IntNumber, IntNumber),
	}
}

func instr(s, sub string) int64 {
	i := strings.Index(s, sub)
	if i < 0 {
		return 0
	}
	return int64(runeCount(s[:i])) + 1
}

// instrFrom is the place, counted from 1 in characters, where sub begins for the occurrence-th time at or after the
// place start; 0 when it does not. A negative start counts from the end, and what begins there or before is looked at
// backwards. Occurrences may overlap. An empty sub is at 1 whatever the start.
func instrFrom(s, sub string, start, occurrence int64) (types.Value, error) {
	if occurrence < 1 {
		return nil, sqlerr.InvalidParameter("OCCURRENCE", "occurrence", "instr", strconv.FormatInt(occurrence, 10), "The occurrence that instr looks for must be 1 or more.")
	}
	if sub == "" {
		return int64(1), nil
	}
	first := start - 1
	if start < 0 {
		first = int64(runeCount(s)) + start
	}
	at, ok := byteOffset(s, first)
	if start == 0 || !ok {
		return int64(0), nil
	}
	// begins counts an occurrence; bytes that are no text are not found inside a character.
	begins := func(at int) bool {
		if utf8.RuneStart(s[at]) {
			occurrence--
		}
		return occurrence == 0
	}
	if start > 0 {
		for {
			i := strings.Index(s[at:], sub)
			if i < 0 {
				return int64(0), nil
			}
			at += i
			if begins(at) {
				return int64(runeCount(s[:at])) + 1, nil
			}
			at++
		}
	}
	for ; at >= 0; at-- {
		if at = strings.LastIndex(s[:min(at+len(sub), len(s))], sub); at < 0 {
			break
		}
		if begins(at) {
			return int64(runeCount(s[:at])) + 1, nil
		}
	}
	return int64(0), nil
}

// byteOffset is where the character with n before it begins; ok is false when there is none.
func byteOffset(s string, n int64) (at int, ok bool) {
	if n < 0 {
		return 0, false
	}
	for at = range s {
		if n == 0 {
			return at, true
		}
		n--
	}
	return 0, false
}
