// Package roworder says which queries fix the order of their rows: the others may give them in any, and do, as soon as two
// threads share the work. It reads text alone and must not import the product, whose parser is under test.
package roworder

import "strings"

// Free reports whether text is a query without an ORDER BY of its own, those in parentheses aside: its rows are a multiset.
// Statements that are no queries (SHOW, DESCRIBE, …) keep their order.
func Free(text string) bool {
	words := outside(strings.ToUpper(text))
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	switch first {
	case "SELECT", "WITH", "FROM", "TABLE", "VALUES":
	default:
		if !strings.HasPrefix(strings.TrimSpace(text), "(") {
			return false
		}
	}
	for i := 0; i+1 < len(words); i++ {
		if (words[i] == "ORDER" || words[i] == "SORT") && words[i+1] == "BY" {
			return false
		}
	}
	return true
}

// outside are the words of a text that stand in no parentheses, quotes or comments.
func outside(text string) []string {
	var out []string
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
			i++
		case strings.HasPrefix(text[i:], "--"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return out
			}
			i += end + 2
		case c == '(':
			depth++
			i++
		case c == ')':
			depth--
			i++
		case letter(c):
			start := i
			for i < len(text) && letter(text[i]) {
				i++
			}
			if depth == 0 {
				out = append(out, text[start:i])
			}
		default:
			i++
		}
	}
	return out
}

func letter(c byte) bool { return c == '_' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
