package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr/javaregex"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// replaceRegex replaces all matches from a position on; $n and ${name} stand for groups, a backslash for the next
// character. The text before the position is not looked at.
func replaceRegex(re *javaregex.Regex, s, with string, at int64) (types.Value, error) {
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
	matches, err := allMatches(re, rest, -1)
	if err != nil {
		return nil, err
	}
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

func expandReplacement(re *javaregex.Regex, s string, m []int, with string) (string, error) {
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
			n, ok := re.Name(with[i+2 : i+end])
			if !ok {
				return bad()
			}
			group(n)
			i += end
		case i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9':
			i++
			n := int(with[i] - '0')
			if n > re.Groups() {
				return bad()
			}
			for i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9' && n*10+int(with[i+1]-'0') <= re.Groups() {
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

func extractRegex(re *javaregex.Regex, function, s string, group int64) (types.Value, error) {
	m, err := firstMatch(re, s)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return "", nil
	}
	return matchedGroup(re, function, s, m, group)
}

func extractAll(re *javaregex.Regex, s string, group int64) (types.Value, error) {
	ms, err := allMatches(re, s, -1)
	if err != nil {
		return nil, err
	}
	out := []types.Value{}
	for _, m := range ms {
		g, err := matchedGroup(re, "regexp_extract_all", s, m, group)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// matchedGroup is the text of a group of a match, empty when it took no part.
func matchedGroup(re *javaregex.Regex, function, s string, m []int, group int64) (types.Value, error) {
	if group < 0 || group > int64(re.Groups()) {
		return nil, sqlerr.RegexGroupIndex(function, itoa(re.Groups()), itoa(int(group)))
	}
	if m[2*group] < 0 {
		return "", nil
	}
	return s[m[2*group]:m[2*group+1]], nil
}

// matchedText is the text of the first match, NULL when there is none or it is empty.
func matchedText(re *javaregex.Regex, s string) (types.Value, error) {
	m, err := firstMatch(re, s)
	if err != nil || m == nil || m[1] == m[0] {
		return nil, err
	}
	return s[m[0]:m[1]], nil
}

// splitRegex keeps trailing empty pieces; an empty match at the very start makes none. With a positive limit the last
// piece holds the rest. The empty expression
// makes a piece of each character.
func splitRegex(re *javaregex.Regex, s string, limit int64) (types.Value, error) {
	if re.String() == "" && s != "" {
		return splitCharacters(s, limit), nil
	}
	ms, err := allMatches(re, s, -1)
	if err != nil {
		return nil, err
	}
	out := []types.Value{}
	last := 0
	for _, m := range ms {
		if limit > 0 && int64(len(out)) == limit-1 {
			break
		}
		if m[1] == 0 {
			continue
		}
		out = append(out, s[last:m[0]])
		last = m[1]
	}
	return append(out, s[last:]), nil
}

// splitCharacters is a split by the empty expression.
func splitCharacters(s string, limit int64) []types.Value {
	out := []types.Value{}
	for i, r := range s {
		if limit > 0 && int64(len(out)) == limit-1 {
			return append(out, s[i:])
		}
		out = append(out, string(r))
	}
	return out
}
