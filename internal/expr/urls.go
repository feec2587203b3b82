package expr

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// urlFunctions take URLs apart by the rules of RFC 2396, as java.net.URI does.
func urlFunctions() []Overload {
	text := types.Of(types.String)
	var rows []Overload
	for _, name := range []string{"parse_url", "try_parse_url"} {
		eval := func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return parseURLArgs(a)
		}
		if name[0] == 't' {
			eval = func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
				v, err := parseURLArgs(a)
				if errors.Is(err, sqlerr.Condition("INVALID_URL")) {
					return nil, nil
				}
				return v, err
			}
		}
		rows = append(rows,
			Overload{Name: name, Params: two(PlainText), Returns: text, Duck: "tarn_" + name + "($1,$2)", Eval: eval},
			Overload{Name: name, Params: []Class{PlainText, PlainText, PlainText}, Returns: text, Duck: "tarn_" + name + "_key($1,$2,$3)", Eval: eval})
	}
	return append(rows,
		Overload{Name: "try_url_decode", Params: one(Text), Returns: text, Duck: "tarn_try_url_decode($1)", Eval: text1(tryURLDecode)})
}

func tryURLDecode(s string) types.Value {
	v, err := urlDecode(s)
	if err != nil {
		return nil
	}
	return v
}

// urlGoFunctions are the GoFunctions on URLs.
func urlGoFunctions() []GoFunction {
	text := types.Of(types.String)
	fn := func(name string, params []types.Type, try bool) GoFunction {
		return GoFunction{name, params, text, func(a []types.Value) (types.Value, error) {
			v, err := parseURLArgs(a)
			if try && errors.Is(err, sqlerr.Condition("INVALID_URL")) {
				return nil, nil
			}
			return v, err
		}}
	}
	pair, triple := []types.Type{text, text}, []types.Type{text, text, text}
	return []GoFunction{
		fn("tarn_parse_url", pair, false), fn("tarn_try_parse_url", pair, true),
		fn("tarn_parse_url_key", triple, false), fn("tarn_try_parse_url_key", triple, true),
		{"tarn_try_url_decode", []types.Type{text}, text, func(a []types.Value) (types.Value, error) { return tryURLDecode(textOf(a[0])), nil }},
	}
}

// parseURLArgs is parse_url(url, part[, key]). A key is looked for in the raw query, as a regular expression.
func parseURLArgs(a []types.Value) (types.Value, error) {
	u, ok := splitURL(textOf(a[0]))
	if !ok {
		return nil, sqlerr.InvalidURL(textOf(a[0]))
	}
	part := textOf(a[1])
	if len(a) < 3 {
		return u.part(part), nil
	}
	query, has := u.part("QUERY").(string)
	if part != "QUERY" || !has {
		return nil, nil
	}
	re, err := regexp.Compile("(?:&|^)" + textOf(a[2]) + "=([^&]*)")
	if err != nil {
		return nil, sqlerr.InvalidRegex("parse_url", textOf(a[2]))
	}
	if m := re.FindStringSubmatch(query); m != nil {
		return m[len(m)-1], nil
	}
	return nil, nil
}

// urlParts are the parts of a URL; a nil one is absent.
type urlParts struct {
	scheme, authority, path, query, fragment types.Value
	user, host                               types.Value
}

func (u urlParts) part(name string) types.Value {
	switch name {
	case "HOST":
		return u.host
	case "PATH":
		return u.path
	case "QUERY":
		return u.query
	case "REF":
		return u.fragment
	case "PROTOCOL":
		return u.scheme
	case "AUTHORITY":
		return u.authority
	case "USERINFO":
		return u.user
	case "FILE":
		path, ok := u.path.(string)
		if !ok {
			return nil
		}
		if q, ok := u.query.(string); ok {
			return path + "?" + q
		}
		return path
	}
	return nil
}

// splitURL reads a URI reference; ok is false when a character stands where none may.
func splitURL(s string) (u urlParts, ok bool) {
	rest := s
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		if !legalURL(rest[i+1:], "[]") {
			return u, false
		}
		u.fragment, rest = rest[i+1:], rest[:i]
	}
	if i := strings.IndexAny(rest, ":/?"); i >= 0 && rest[i] == ':' {
		if !isScheme(rest[:i]) {
			return u, false
		}
		u.scheme = rest[:i]
		if rest = rest[i+1:]; rest == "" {
			return u, false
		}
		if rest[0] != '/' {
			// Opaque: mailto:a@b has neither path nor query.
			return u, legalURL(rest, "[]")
		}
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		if !legalURL(rest[i+1:], "[]") {
			return u, false
		}
		u.query, rest = rest[i+1:], rest[:i]
	}
	if after, has := strings.CutPrefix(rest, "//"); has {
		end := strings.IndexByte(after, '/')
		if end < 0 {
			end = len(after)
		}
		authority := after[:end]
		rest = after[end:]
		switch {
		case authority == "" && rest == "":
			return u, false // "http://"
		case authority != "":
			if !legalURL(authority, "[]") {
				return u, false
			}
			u.authority = authority
			u.user, u.host = serverParts(authority)
		}
	}
	if !legalURL(rest, "") {
		return u, false
	}
	u.path = rest
	return u, true
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 32
		if c >= 'a' && c <= 'z' || i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.') {
			continue
		}
		return false
	}
	return s != ""
}

// legalURL reports whether text has only characters that a URI may hold: RFC 2396's, letters beyond ASCII, and
// complete percent escapes. extra are ASCII characters that this part may hold as well.
func legalURL(s, extra string) bool {
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case strings.ContainsRune("-_.!~*'();/?:@&=+$,", r), strings.ContainsRune(extra, r):
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case r >= 0x80 && !unicode.IsControl(r) && !unicode.IsSpace(r):
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'f'
}

var hostName = regexp.MustCompile(`^(?:[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?\.)*[A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?\.?$`)

var ipv4 = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}$`)

// serverParts splits user@host:port; both are absent when the authority is not of that form.
func serverParts(authority string) (user, host types.Value) {
	rest := authority
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if strings.IndexByte(rest[:i], '@') >= 0 {
			return nil, nil
		}
		user, rest = rest[:i], rest[i+1:]
	}
	name, port := rest, ""
	if strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return nil, nil
		}
		name, port = rest[:end+1], strings.TrimPrefix(rest[end+1:], ":")
	} else if i := strings.IndexByte(rest, ':'); i >= 0 {
		name, port = rest[:i], rest[i+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return nil, nil
	}
	if name == "" || name[0] != '[' && !hostName.MatchString(name) && !ipv4.MatchString(name) {
		return nil, nil
	}
	return user, name
}
