// Package javaregex matches Java's regular expressions. A pattern is parsed once; what RE2 means the same goes to Go's
// regexp, which is linear, and the rest (look-around, back-references, possessive repetitions, lines, class
// intersections) to a backtracking machine with a bound on its work.
//
// It must not import anything of Tarn's.
package javaregex

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ErrSyntax is the cause of every error for a pattern that Java refuses as well.
var ErrSyntax = errors.New("not a regular expression")

// ErrTooComplex is what matching fails with that takes more steps than the machine allows.
var ErrTooComplex = errors.New("matching takes too many steps")

// UnsupportedError names a part of a pattern that Java knows and this package does not.
type UnsupportedError struct{ What string }

// Error implements error.
func (e *UnsupportedError) Error() string { return e.What + " is not supported" }

// Regex is a compiled pattern. It is safe for concurrent use.
type Regex struct {
	text   string
	groups int
	names  map[string]int

	prog *program

	// linear is the same pattern for Go's regexp; nil when there is none. The flags say for which texts it holds.
	linear *regexp.Regexp
	// endsLine patterns have a $ that also matches before a final line end: linear holds for texts without one.
	endsLine bool
	// asciiOnly patterns look at words, whose letters are ASCII for linear.
	asciiOnly bool
	// empty patterns may match the empty text, between characters of which Java's find stops more often.
	empty bool
}

// Compile parses a pattern. The error is ErrSyntax or an *UnsupportedError.
func Compile(pattern string) (*Regex, error) {
	p := parser{in: []rune(pattern), names: map[string]int{}}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	r := &Regex{text: pattern, groups: p.groups, names: p.names}
	if r.prog, err = compile(root, p.groups); err != nil {
		return nil, err
	}
	lo, _ := width(root)
	r.empty = lo == 0
	var l linearizer
	l.node(root)
	if !l.lacks {
		if re, err := regexp.Compile(l.b.String()); err == nil {
			r.linear, r.endsLine, r.asciiOnly = re, l.endsLine, l.asciiOnly
		}
	}
	return r, nil
}

// String is the pattern.
func (r *Regex) String() string { return r.text }

// Groups is the number of capturing groups.
func (r *Regex) Groups() int { return r.groups }

// Name is the number of a named group.
func (r *Regex) Name(name string) (int, bool) {
	n, ok := r.names[name]
	return n, ok
}

// linearFor reports whether Go's regexp finds in s what Java finds.
func (r *Regex) linearFor(s string) bool {
	return r.linear != nil && (!r.endsLine || !endsInLine(s)) && (!r.asciiOnly || isASCII(s))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// endsInLine reports whether the last character of s ends a line.
func endsInLine(s string) bool {
	if s == "" {
		return false
	}
	switch s[len(s)-1] {
	case '\n', '\r':
		return true
	}
	return strings.HasSuffix(s, "\u0085") || strings.HasSuffix(s, "\u2028") || strings.HasSuffix(s, "\u2029")
}

// Match reports whether the pattern is found anywhere in s.
func (r *Regex) Match(s string) (bool, error) {
	if r.linearFor(s) {
		return r.linear.MatchString(s), nil
	}
	m, err := r.Find(s)
	return m != nil, err
}

// Find returns the first match: pairs of byte offsets of the whole and of each group, -1 for a group that took no part.
// It is nil when there is none.
func (r *Regex) Find(s string) ([]int, error) {
	if r.linearFor(s) {
		return r.linear.FindStringSubmatchIndex(s), nil
	}
	return newMachine(r.prog, s).find(0)
}

// FindAll returns up to limit matches as Java's find yields them one after the other; all when limit is negative.
func (r *Regex) FindAll(s string, limit int) ([][]int, error) {
	if !r.empty && r.linearFor(s) {
		return r.linear.FindAllStringSubmatchIndex(s, limit), nil
	}
	m := newMachine(r.prog, s)
	var out [][]int
	for at := 0; at <= len(s) && (limit < 0 || len(out) < limit); {
		loc, err := m.find(at)
		if err != nil || loc == nil {
			return out, err
		}
		out = append(out, loc)
		m.last = loc[1]
		if at = loc[1]; loc[0] == loc[1] {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += max(n, 1)
		}
	}
	return out, nil
}
