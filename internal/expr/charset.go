package expr

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// codingRules are the session's settings of encode and decode as a text: "java" for more encodings, "replace" for signs in
// place of what does not go, or both.
type codingRules string

func (r codingRules) java() bool     { return strings.Contains(string(r), "java") }
func (r codingRules) replaces() bool { return strings.Contains(string(r), "replace") }

// codingArgs adds the rules of the session to the value and the name of the encoding.
func codingArgs(class Class) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		var out []Expr
		for i, c := range []Class{class, Text} {
			a := call.args[i]
			to, asIs, ok := c.fit(a.Type(), isConstant(a))
			switch {
			case !ok:
				return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, c.String(), Print(a), a.Type().SQL())
			case asIs:
				out = append(out, a)
			default:
				out = append(out, implicit(a, to))
			}
		}
		rules := ""
		if ctx := call.opts.Context; ctx != nil && ctx.JavaCharsets {
			rules += "java"
		}
		if ctx := call.opts.Context; ctx != nil && ctx.CodingReplaces {
			rules += "replace"
		}
		return append(out, textLiteral(rules)), nil
	}
}

// charsetAliases are the names that Java has for encodings besides those that Spark takes.
var charsetAliases = map[string]string{
	"UTF8": "UTF-8", "LATIN1": "ISO-8859-1", "ISO8859-1": "ISO-8859-1", "ISO8859_1": "ISO-8859-1", "ISO_8859-1": "ISO-8859-1", "L1": "ISO-8859-1",
	"ASCII": "US-ASCII", "ISO646-US": "US-ASCII", "UTF16": "UTF-16", "UTF_16": "UTF-16", "UTF32": "UTF-32", "UTF_32": "UTF-32", "UTF-32BE": "UTF-32",
	"WINDOWS-1252": "WINDOWS-1252", "CP1252": "WINDOWS-1252", "UTF_16BE": "UTF-16BE", "UTF_16LE": "UTF-16LE", "X-UTF-16LE": "UTF-16LE",
}

// windows1252 are the characters 0x80 to 0x9f; U+FFFD has none.
var windows1252 = []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")

func (r codingRules) charset(name string) string {
	upper := strings.ToUpper(name)
	if full, ok := charsetAliases[upper]; ok && r.java() {
		return full
	}
	if upper == "WINDOWS-1252" {
		return "" // not among those of Spark
	}
	return upper
}

func badCharset(function, charset string) error {
	return sqlerr.InvalidParameter("CHARSET", "charset", function, charset,
		"'"+charset+"' is not one of the encodings ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE, UTF-32 and UTF-8.")
}

// singleByte is the byte of a character in an encoding of one byte each.
func singleByte(r rune, charset string) (byte, bool) {
	switch {
	case r < 0x80, charset == "ISO-8859-1" && r <= 0xff, charset == "WINDOWS-1252" && r >= 0xa0 && r <= 0xff:
		return byte(r), true
	case charset == "WINDOWS-1252" && r != utf8.RuneError:
		for i, w := range windows1252 {
			if w == r {
				return byte(0x80 + i), true
			}
		}
	}
	return '?', false
}

func encodeText(s, charset string, rules codingRules) (types.Value, error) {
	var b []byte
	unit := func(u uint16, little bool) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	switch name := rules.charset(charset); name {
	case "UTF-8":
		return types.Bytes(types.ReplaceInvalid(s)), nil
	case "US-ASCII", "ISO-8859-1", "WINDOWS-1252":
		for _, r := range s {
			c, ok := singleByte(r, name)
			if !ok && !rules.replaces() {
				return nil, sqlerr.MalformedCharacters("encode", charset)
			}
			b = append(b, c)
		}
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		if name == "UTF-16" && s != "" {
			b = append(b, 0xfe, 0xff)
		}
		for _, u := range utf16.Encode([]rune(s)) {
			unit(u, name == "UTF-16LE")
		}
	case "UTF-32":
		for _, r := range s {
			b = append(b, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
		}
	default:
		return nil, badCharset("encode", charset)
	}
	return types.Bytes(b), nil
}

func decodeText(s, charset string, rules codingRules) (types.Value, error) {
	bad := func() (types.Value, error) { return nil, sqlerr.MalformedCharacters("decode", charset) }
	switch name := rules.charset(charset); name {
	case "UTF-8":
		if !utf8.ValidString(s) {
			if rules.replaces() {
				return types.ReplaceInvalid(s), nil
			}
			return bad()
		}
		return s, nil
	case "US-ASCII", "ISO-8859-1", "WINDOWS-1252":
		r := make([]rune, len(s))
		for i := 0; i < len(s); i++ {
			r[i] = rune(s[i])
			switch {
			case name == "US-ASCII" && s[i] > 0x7f:
				r[i] = utf8.RuneError
			case name == "WINDOWS-1252" && s[i] >= 0x80 && s[i] < 0xa0:
				r[i] = windows1252[s[i]-0x80]
			}
			if r[i] == utf8.RuneError && !rules.replaces() {
				return bad()
			}
		}
		return string(r), nil
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		little := name == "UTF-16LE"
		if name == "UTF-16" {
			if rest, ok := strings.CutPrefix(s, "\xff\xfe"); ok {
				s, little = rest, true
			} else {
				s = strings.TrimPrefix(s, "\xfe\xff")
			}
		}
		u := make([]uint16, len(s)/2)
		for i := range u {
			if u[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1]); little {
				u[i] = u[i]<<8 | u[i]>>8
			}
		}
		out := string(utf16.Decode(u))
		if len(s)%2 != 0 {
			out += "\uFFFD"
		}
		if strings.ContainsRune(out, utf8.RuneError) && !rules.replaces() {
			return bad()
		}
		return out, nil
	case "UTF-32":
		var r []rune
		for i := 0; i+3 < len(s); i += 4 {
			c := rune(s[i])<<24 | rune(s[i+1])<<16 | rune(s[i+2])<<8 | rune(s[i+3])
			if !utf8.ValidRune(c) {
				c = utf8.RuneError
			}
			r = append(r, c)
		}
		if len(s)%4 != 0 {
			r = append(r, utf8.RuneError)
		}
		out := string(r)
		if strings.ContainsRune(out, utf8.RuneError) && !rules.replaces() {
			return bad()
		}
		return out, nil
	}
	return nil, badCharset("decode", charset)
}
