package expr

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// jsonFunctions look into JSON text.
func jsonFunctions() []Overload {
	text, integer, list := types.Of(types.String), types.Of(types.Int), types.ArrayOf(types.Of(types.String))
	return []Overload{
		{Name: "get_json_object", Params: two(PlainText), Returns: text, Duck: "tarn_get_json_object($1,$2)", Eval: text2(func(s, p string) types.Value { return jsonObject(s, p) })},
		{Name: "json_array_length", Params: one(PlainText), Returns: integer, Duck: "tarn_json_array_length($1)", Eval: text1(jsonArrayLength)},
		{Name: jsonMemberName, Params: two(Text), Returns: text, Duck: "tarn_json_member($1,$2)", Eval: text2(jsonMemberOf)},
		{Name: "json_object_keys", Params: one(PlainText), Returns: list, Duck: "tarn_json_object_keys($1)", Eval: text1(jsonObjectKeys)},
	}
}

// jsonValue is a parsed document: nil, bool, jsonNumber, string, jsonArray or jsonDict, the last in document order.
type jsonValue any

type jsonNumber string

type jsonArray []jsonValue

type jsonDict []jsonMember

type jsonMember struct {
	key   string
	value jsonValue
}

// parseJSON reads the first value of the text as leniently as Spark: strings may be in single quotes and hold control
// characters, and what follows the value does not count.
func parseJSON(s string) (jsonValue, bool) {
	p := jsonParser{s: s}
	v, ok := p.value(0)
	return v, ok
}

type jsonParser struct {
	s   string
	pos int
}

// maxJSONDepth bounds nesting, as Jackson does.
const maxJSONDepth = 1000

func (p *jsonParser) blank() {
	for p.pos < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *jsonParser) next(c byte) bool {
	p.blank()
	if p.pos < len(p.s) && p.s[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *jsonParser) value(depth int) (jsonValue, bool) {
	p.blank()
	if p.pos >= len(p.s) || depth > maxJSONDepth {
		return nil, false
	}
	switch c := p.s[p.pos]; {
	case c == '{':
		p.pos++
		return p.dict(depth)
	case c == '[':
		p.pos++
		return p.array(depth)
	case c == '"' || c == '\'':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for word, v := range map[string]jsonValue{"true": true, "false": false, "null": nil} {
		if strings.HasPrefix(p.s[p.pos:], word) && !p.wordAt(p.pos+len(word)) {
			p.pos += len(word)
			return v, true
		}
	}
	return nil, false
}

// wordAt reports whether a letter or digit stands at i, which would make the word before it another word.
func (p *jsonParser) wordAt(i int) bool {
	if i >= len(p.s) {
		return false
	}
	c := p.s[i]
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'z'
}

func (p *jsonParser) dict(depth int) (jsonValue, bool) {
	d := jsonDict{}
	if p.next('}') {
		return d, true
	}
	for {
		p.blank()
		if p.pos >= len(p.s) || p.s[p.pos] != '"' && p.s[p.pos] != '\'' {
			return nil, false
		}
		k, ok := p.text()
		if !ok || !p.next(':') {
			return nil, false
		}
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		key, _ := k.(string)
		d = append(d, jsonMember{key, v})
		if p.next('}') {
			return d, true
		}
		if !p.next(',') {
			return nil, false
		}
	}
}

func (p *jsonParser) array(depth int) (jsonValue, bool) {
	a := jsonArray{}
	if p.next(']') {
		return a, true
	}
	for {
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		a = append(a, v)
		if p.next(']') {
			return a, true
		}
		if !p.next(',') {
			return nil, false
		}
	}
}

func (p *jsonParser) text() (jsonValue, bool) {
	quote := p.s[p.pos]
	p.pos++
	var b strings.Builder
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		p.pos++
		switch {
		case c == quote:
			return b.String(), true
		case c != '\\':
			b.WriteByte(c)
		case p.pos >= len(p.s):
			return nil, false
		default:
			e := p.s[p.pos]
			p.pos++
			switch e {
			case '"', '\\', '/', '\'':
				b.WriteByte(e)
			case 'b':
				b.WriteByte('\b')
			case 'f':
				b.WriteByte('\f')
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case 'u':
				r, ok := p.unicode()
				if !ok {
					return nil, false
				}
				b.WriteString(r)
			default:
				return nil, false
			}
		}
	}
	return nil, false
}

// unicode reads the digits after \u, and the second half of a surrogate pair.
func (p *jsonParser) unicode() (string, bool) {
	end := p.pos + 4
	if end > len(p.s) {
		return "", false
	}
	if _, err := strconv.ParseUint(p.s[p.pos:end], 16, 16); err != nil {
		return "", false
	}
	text := `"\u` + p.s[p.pos:end]
	p.pos = end
	if strings.HasPrefix(p.s[end:], `\u`) && end+6 <= len(p.s) {
		var pair string
		if json.Unmarshal([]byte(text+p.s[end:end+6]+`"`), &pair) == nil && len(pair) == 4 {
			p.pos += 6
			return pair, true
		}
	}
	var s string
	if json.Unmarshal([]byte(text+`"`), &s) != nil || s == "\uFFFD" && !strings.EqualFold(text, `"\ufffd`) {
		return "", false // half of a pair is no character
	}
	return s, true
}

func (p *jsonParser) number() (jsonValue, bool) {
	start := p.pos
	for p.pos < len(p.s) && strings.IndexByte("+-.eE0123456789", p.s[p.pos]) >= 0 {
		p.pos++
	}
	n := p.s[start:p.pos]
	if !json.Valid([]byte(n)) || p.wordAt(p.pos) {
		return nil, false
	}
	return jsonNumber(n), true
}

// CompactJSON writes the first value of a JSON text anew: without blanks, numbers with a point or an exponent as Java
// prints a double. ok is false for a text that is not JSON.
func CompactJSON(s string) (text string, ok bool) {
	v, ok := parseJSON(s)
	if !ok {
		return "", false
	}
	var b strings.Builder
	writeJSON(&b, v)
	return b.String(), true
}

// writeJSON writes a value without blanks; numbers with a point or an exponent become Java's text of the double.
func writeJSON(b *strings.Builder, v jsonValue) {
	switch x := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(x))
	case jsonNumber:
		b.WriteString(numberText(string(x)))
	case string:
		quoteJSON(b, x)
	case jsonArray:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, e)
		}
		b.WriteByte(']')
	case jsonDict:
		b.WriteByte('{')
		for i, m := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			quoteJSON(b, m.key)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	}
}

func numberText(n string) string {
	if !strings.ContainsAny(n, ".eE") {
		if i, ok := new(big.Int).SetString(n, 10); ok {
			return i.String()
		}
		return n
	}
	f, _ := strconv.ParseFloat(n, 64)
	t := types.FormatDouble(f)
	if strings.HasSuffix(t, "Infinity") {
		return `"` + t + `"`
	}
	return t
}

func quoteJSON(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// jsonStep is one step of a path: a member's name, an element's index, or all elements.
type jsonStep struct {
	name  string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	stepName stepKind = iota
	stepIndex
	stepAll
)

// parseJSONPath reads $ and then .name, ['name'], [n] and [*].
func parseJSONPath(p string) ([]jsonStep, bool) {
	if p == "" || p[0] != '$' {
		return nil, false
	}
	var steps []jsonStep
	for p = p[1:]; p != ""; {
		switch {
		case p[0] == '.':
			p = p[1:]
			end := strings.IndexAny(p, ".[")
			if end < 0 {
				end = len(p)
			}
			if end == 0 || p[:end] == "*" {
				return nil, false
			}
			steps = append(steps, jsonStep{name: p[:end]})
			p = p[end:]
		case strings.HasPrefix(p, "['"):
			end := strings.Index(p, "']")
			if end < 3 || p[2:end] == "*" || strings.ContainsAny(p[2:end], "'?") {
				return nil, false
			}
			steps = append(steps, jsonStep{name: p[2:end]})
			p = p[end+2:]
		case p[0] == '[':
			end := strings.IndexByte(p, ']')
			if end < 0 {
				return nil, false
			}
			body := p[1:end]
			p = p[end+1:]
			if body == "*" {
				steps = append(steps, jsonStep{kind: stepAll})
				continue
			}
			n, err := strconv.Atoi(body)
			if err != nil || body[0] == '-' || body[0] == '+' {
				return nil, false
			}
			steps = append(steps, jsonStep{kind: stepIndex, index: n})
		default:
			return nil, false
		}
	}
	return steps, true
}

type jsonStyle uint8

const (
	styleRaw jsonStyle = iota
	styleQuoted
	styleFlat
)

// jsonObject is get_json_object.
func jsonObject(s, path string) types.Value {
	steps, ok := parseJSONPath(path)
	if !ok {
		return nil
	}
	v, ok := parseJSON(s)
	if !ok {
		return nil
	}
	out := evalJSONPath(v, steps, styleRaw)
	if len(out) == 0 {
		return nil
	}
	return strings.Join(out, ",")
}

// evalJSONPath gives the texts that a path selects.
func evalJSONPath(v jsonValue, steps []jsonStep, style jsonStyle) []string {
	if len(steps) == 0 {
		if text, ok := v.(string); ok && style == styleRaw {
			return []string{text}
		}
		if a, ok := v.(jsonArray); ok && style == styleFlat {
			var out []string
			for _, e := range a {
				out = append(out, evalJSONPath(e, nil, styleFlat)...)
			}
			return out
		}
		if v == nil && style == styleRaw {
			return nil
		}
		var b strings.Builder
		writeJSON(&b, v)
		return []string{b.String()}
	}
	step, rest := steps[0], steps[1:]
	if d, ok := v.(jsonDict); ok {
		if step.kind != stepName {
			return nil
		}
		for _, m := range d {
			if m.key == step.name && m.value != nil {
				if out := evalJSONPath(m.value, rest, style); len(out) > 0 {
					return out
				}
			}
		}
		return nil
	}
	a, ok := v.(jsonArray)
	if !ok || step.kind == stepName {
		return nil
	}
	if step.kind == stepIndex {
		if step.index >= len(a) {
			return nil
		}
		if len(rest) > 0 && rest[0].kind == stepAll {
			style = styleQuoted
		}
		return evalJSONPath(a[step.index], rest, style)
	}
	all := func(st jsonStyle, steps []jsonStep) []string {
		var out []string
		for _, e := range a {
			out = append(out, evalJSONPath(e, steps, st)...)
		}
		return out
	}
	if len(rest) > 0 && rest[0].kind == stepAll {
		return []string{"[" + strings.Join(all(styleFlat, rest[1:]), ",") + "]"}
	}
	if style == styleQuoted {
		return []string{"[" + strings.Join(all(styleQuoted, rest), ",") + "]"}
	}
	inner := styleQuoted
	if style == styleFlat {
		inner = styleFlat
	}
	switch out := all(inner, rest); len(out) {
	case 0:
		return nil
	case 1:
		return out
	default:
		return []string{"[" + strings.Join(out, ",") + "]"}
	}
}

func jsonArrayLength(s string) types.Value {
	v, ok := parseJSON(s)
	if a, isArray := v.(jsonArray); ok && isArray {
		return int64(len(a))
	}
	return nil
}

func jsonObjectKeys(s string) types.Value {
	v, ok := parseJSON(s)
	d, isDict := v.(jsonDict)
	if !ok || !isDict {
		return nil
	}
	out := []types.Value{}
	for _, m := range d {
		out = append(out, m.key)
	}
	return out
}
