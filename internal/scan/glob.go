package scan

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// maxGlobs bounds what the braces of one pattern may expand to.
const maxGlobs = 10_000

// HasGlob reports whether a path holds a character that Hadoop's patterns give a meaning to.
func HasGlob(path string) bool { return strings.ContainsAny(path, `*?[]{}\`) }

// Glob lists the files and directories whose path matches a pattern, sorted: `*` and `?` stand for any characters and any one
// character of a name, `[a-c]` and `[^a]` for one of a set, `{a,b/c}` for alternatives, `\` takes the next character by its
// letter. A path that exists as it is written matches itself alone. Nothing at all is PATH_NOT_FOUND.
func Glob(ctx context.Context, stores *storage.Stores, pattern storage.Location) ([]storage.Location, error) {
	bucket, key, err := stores.Open(pattern)
	if err != nil {
		return nil, translate(err)
	}
	g := globber{ctx: ctx, bucket: bucket}
	if there, err := g.exists(key); err != nil || there {
		return []storage.Location{pattern}, translate(err)
	}
	if HasGlob(key) {
		alternatives, ok := expandBraces(key)
		if !ok {
			return nil, sqlerr.InvalidLocation(pattern.String(), "its braces are not balanced, or stand for too many paths")
		}
		for _, alternative := range alternatives {
			if err := g.match("", strings.Split(strings.Trim(alternative, "/"), "/")); err != nil {
				return nil, translate(err)
			}
		}
	}
	if len(g.found) == 0 {
		return nil, sqlerr.PathNotFound(pattern.String())
	}
	slices.Sort(g.found)
	var out []storage.Location
	for _, key := range slices.Compact(g.found) {
		out = append(out, bucket.Location(key))
	}
	return out, nil
}

// globber is one call of Glob.
type globber struct {
	ctx    context.Context
	bucket *storage.Bucket
	found  []string // keys without a trailing '/'
}

// exists reports whether there is a file or a directory called key.
func (g *globber) exists(key string) (bool, error) {
	if key == "" {
		return true, nil
	}
	there, err := g.bucket.Exists(g.ctx, key)
	if err == nil && !there {
		there, err = g.bucket.Exists(g.ctx, key+"/")
	}
	if kind := storage.KindOf(err); err != nil && (kind == storage.NameTooLong || kind == storage.LinkLoop) {
		return false, nil // such a name matches nothing
	}
	return there, err
}

// match finds what matches the segments below dir ("" or ending with '/').
func (g *globber) match(dir string, segments []string) error {
	segment, rest := segments[0], segments[1:]
	if !HasGlob(segment) {
		there, err := g.exists(dir + segment)
		if err != nil || !there {
			return err
		}
		return g.descend(dir+segment, rest)
	}
	var names []string
	err := g.bucket.ReadDir(g.ctx, dir, false, func(e *storage.Entry) error {
		isFile := e.Type == storage.FileEntry && len(rest) == 0
		if (isFile || e.Type == storage.DirEntry) && matchName(segment, string(e.Name)) {
			names = append(names, string(e.Name))
		}
		return nil
	})
	if err != nil && !gone(err) {
		return err
	}
	for _, name := range names {
		if err := g.descend(dir+name, rest); err != nil {
			return err
		}
	}
	return nil
}

func (g *globber) descend(key string, rest []string) error {
	if len(rest) == 0 {
		g.found = append(g.found, key)
		return nil
	}
	return g.match(key+"/", rest)
}

// expandBraces writes out the alternatives of a pattern: a{b,c/d}e is abe and ac/de. ok is false when braces do not balance.
func expandBraces(pattern string) (out []string, ok bool) {
	open, end, commas := findBraces(pattern)
	if open < 0 {
		return []string{pattern}, end == 0
	}
	from := open + 1
	for _, to := range append(commas, end) {
		tails, ok := expandBraces(pattern[:open] + pattern[from:to] + pattern[end+1:])
		if !ok || len(out)+len(tails) > maxGlobs {
			return nil, false
		}
		out = append(out, tails...)
		from = to + 1
	}
	return out, true
}

// findBraces finds the first group of braces and the commas of its own level. open is -1 when there is none; end is then 0,
// or -1 when a brace has no partner.
func findBraces(pattern string) (open, end int, commas []int) {
	open = -1
	depth := 0
	inSet := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inSet:
			inSet = c != ']'
		case c == '[':
			inSet = strings.IndexByte(pattern[i:], ']') > 0
		case c == '{':
			if depth == 0 {
				open = i
			}
			depth++
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			depth--
			if depth == 0 {
				return open, i, commas
			}
		}
	}
	if depth > 0 {
		return -1, -1, nil
	}
	return -1, 0, nil
}

// matchName reports whether a name matches the pattern of one segment, without braces. It tries the last star again when a
// match fails, so its time is at most the product of the two lengths.
func matchName(pattern, name string) bool {
	p, n := 0, 0
	starP, starN := -1, 0
	for n < len(name) || p < len(pattern) {
		if p < len(pattern) && pattern[p] == '*' {
			starP, starN = p, n
			p++
			continue
		}
		if n < len(name) {
			if pLen, nLen := matchOne(pattern[p:], name[n:]); pLen > 0 {
				p, n = p+pLen, n+nLen
				continue
			}
		}
		if starP < 0 || starN >= len(name) {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[starN:])
		starN += size
		p, n = starP+1, starN
	}
	return true
}

// matchOne matches the first character of a name and returns how many bytes of both it took; pLen is 0 when it does not
// match.
func matchOne(pattern, name string) (pLen, nLen int) {
	if pattern == "" {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, size
	case '[':
		if length, in, ok := matchSet(pattern, r); ok {
			if in {
				return length, size
			}
			return 0, 0
		}
	case '\\':
		if len(pattern) > 1 && pattern[1] == name[0] {
			return 2, 1
		}
		return 0, 0
	}
	if pattern[0] == name[0] { // bytes, so that names that are no UTF-8 match themselves
		return 1, 1
	}
	return 0, 0
}

// matchSet reads a set at the start of pattern and tells its length and whether r is in it. ok is false when no ']' ends
// it: then '[' means itself.
func matchSet(pattern string, r rune) (length int, in, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '^' || pattern[i] == '!')
	if negated {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, in != negated, true
		}
		low, size := setRune(pattern[i:])
		i += size
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, size = setRune(pattern[i+1:])
			i += 1 + size
		}
		in = in || low <= r && r <= high
	}
	return 0, false, false
}

func setRune(pattern string) (r rune, size int) {
	if pattern[0] == '\\' && len(pattern) > 1 {
		r, size = utf8.DecodeRuneInString(pattern[1:])
		return r, size + 1
	}
	return utf8.DecodeRuneInString(pattern)
}
