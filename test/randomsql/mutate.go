package randomsql

import (
	"regexp"
	"strings"
)

var token = regexp.MustCompile("(?s)\\s+|'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[\\p{L}_][\\p{L}\\p{N}_]*|\\d+(?:\\.\\d+)?|--[^\n]*|/\\*.*?\\*/|->|=>|\\|\\||<=>|<>|!=|<=|>=|.")

// Mutant is a statement of the corpus with some of its tokens lost, doubled, swapped, or replaced by those of another.
func (g *Generator) Mutant(corpus []string) string {
	parts := token.FindAllString(g.pick(corpus...), -1)
	other := token.FindAllString(g.pick(corpus...), -1)
	for range 1 + g.r.IntN(4)/3 {
		if len(parts) < 2 {
			break
		}
		i, j := g.r.IntN(len(parts)), g.r.IntN(len(parts))
		switch g.r.IntN(9) {
		case 0:
			parts = append(parts[:i:i], parts[i+1:]...)
		case 1:
			parts = append(parts[:i:i], append([]string{parts[i]}, parts[i:]...)...)
		case 2:
			parts[i], parts[j] = parts[j], parts[i]
		case 3:
			parts[i] = other[g.r.IntN(len(other))]
		case 4:
			at := g.r.IntN(len(other))
			parts = append(parts[:i:i], append(other[at:min(len(other), at+1+g.r.IntN(6))], parts[i:]...)...)
		case 5:
			parts[i] = " " + g.expr(g.kind(), 1) + " "
		default:
			// A token of the same class: the statement stays one, but means something else.
			like := alike(other, class(parts[i]))
			if len(like) > 0 {
				parts[i] = g.pick(like...)
			}
		}
	}
	return strings.Join(parts, "")
}

// class tells strings, names, numbers and signs apart.
func class(s string) byte {
	switch c := s[0]; {
	case c == '\'' || c == '"':
		return 's'
	case word.MatchString(s):
		return 'w'
	case c >= '0' && c <= '9':
		return 'n'
	default:
		return c
	}
}

func alike(parts []string, of byte) []string {
	var out []string
	for _, p := range parts {
		if class(p) == of {
			out = append(out, p)
		}
	}
	return out
}

// Whole reports whether a text is one statement to whoever splits a stream of them: without semicolons, and with all
// quotes and comments closed.
func Whole(sql string) bool {
	parts := token.FindAllString(sql, -1)
	for i, p := range parts {
		switch {
		case p == ";", p == "'", p == `"`, p == "`", p == "/" && i+1 < len(parts) && parts[i+1][0] == '*':
			return false
		case strings.HasPrefix(p, "/*") && strings.Contains(p[2:], "/*"), strings.HasPrefix(p, "--") && strings.HasSuffix(p, `\`):
			return false
		case i > 0 && strings.EqualFold(parts[i-1], "r") && strings.Contains(p, `\`):
			return false
		}
	}
	return true
}
