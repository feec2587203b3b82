// Package ident holds the names of things: quoting, splitting and comparing identifiers.
//
// Names keep the spelling they were created with and compare without regard to case, as Spark's do. It imports
// nothing of Tarn.
package ident

import (
	"strings"
	"unicode"
)

// Name is a possibly qualified name, outermost part first: catalog, schema, table.
type Name []string

// String joins the parts with dots, quoting a part only where it needs it (Spark's quoteIfNeeded).
func (n Name) String() string {
	parts := make([]string, len(n))
	for i, p := range n {
		parts[i] = QuoteIfNeeded(p)
	}
	return strings.Join(parts, ".")
}

// Quoted joins the parts with dots, quoting every part, as Spark's error messages show names.
func (n Name) Quoted() string {
	parts := make([]string, len(n))
	for i, p := range n {
		parts[i] = Quote(p)
	}
	return strings.Join(parts, ".")
}

// Last is the innermost part, or "" for an empty name.
func (n Name) Last() string {
	if len(n) == 0 {
		return ""
	}
	return n[len(n)-1]
}

// Quote wraps a name in backquotes and doubles those inside it.
func Quote(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// QuoteIfNeeded quotes a name unless it is a plain identifier: letters, digits and underscores, not all digits.
func QuoteIfNeeded(s string) string {
	if s == "" {
		return "``"
	}
	digits := true
	for _, r := range s {
		if r >= '0' && r <= '9' {
			continue
		}
		digits = false
		if r != '_' && !(r < 128 && unicode.IsLetter(r)) {
			return Quote(s)
		}
	}
	if digits {
		return Quote(s)
	}
	return s
}

// Fold returns the form under which names are looked up: equal folds are the same name.
func Fold(s string) string { return strings.ToLower(s) }

// Equal reports whether two names are the same without regard to case.
func Equal(a, b string) bool { return strings.EqualFold(a, b) }

// Distance is the Levenshtein distance of two names in bytes, without regard to case: how far a misspelling is from a
// name.
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next++
			}
			next = min(next, row[j]+1, row[j+1]+1)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// Twice is the first name of a list that stands there before; ok is false when all differ.
func Twice(names []string) (name string, ok bool) {
	seen := map[string]bool{}
	for _, n := range names {
		f := Fold(n)
		if seen[f] {
			return n, true
		}
		seen[f] = true
	}
	return "", false
}
