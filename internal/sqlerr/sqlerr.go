// Package sqlerr holds the errors that users see: Spark's error conditions with their SQLSTATE, parameters and
// place in the statement. Every statement that fails ends as one *Error.
//
// There is one constructor per condition, in a file per family; a call site never spells a message. The package
// imports nothing of Tarn.
package sqlerr

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Condition is the name of an error condition, with its sub-condition after a dot, such as
// UNRESOLVED_COLUMN.WITH_SUGGESTION. Names and SQLSTATEs are Spark 4's; Tarn's own are listed in docs/errors.md.
type Condition string

// Error makes a Condition usable as a target of errors.Is.
func (c Condition) Error() string { return string(c) }

// Param is one named parameter of an error, in the order the message mentions them.
type Param struct{ Name, Value string }

// Span is a range of byte offsets in the statement's text; the zero Span means the error has no place.
type Span struct{ Start, End int }

// Error is what every layer above the ports returns for a failure that has a Condition.
type Error struct {
	Condition Condition
	Message   string // without the condition and the SQLSTATE
	Params    []Param
	Span      Span
	Cause     error // for the log; never shown
}

// Error formats the error as Spark does: [CONDITION] message SQLSTATE: xxxxx.
func (e *Error) Error() string {
	return fmt.Sprintf("[%s] %s SQLSTATE: %s", e.Condition, e.Message, e.SQLState())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, cond) true for a sub-condition of cond too.
func (e *Error) Is(target error) bool {
	c, ok := target.(Condition)
	return ok && (e.Condition == c || strings.HasPrefix(string(e.Condition), string(c)+"."))
}

// At returns a copy of e that points at span, unless e has a place already.
func (e *Error) At(span Span) *Error {
	if e.Span != (Span{}) {
		return e
	}
	c := *e
	c.Span = span
	return &c
}

// SQLState is the five-character SQLSTATE of the error's condition.
func (e *Error) SQLState() string { return StateOf(e.Condition) }

// row is one condition of a family's table.
type row struct {
	condition Condition
	state     string
}

// states maps every condition to its SQLSTATE. Families register theirs in their own file.
var states = func() map[Condition]string {
	m := map[Condition]string{}
	for _, family := range families {
		for _, r := range family {
			m[r.condition] = r.state
		}
	}
	return m
}()

// StateOf is the SQLSTATE of a condition; a sub-condition that has none of its own takes its parent's.
func StateOf(c Condition) string {
	for s := string(c); s != ""; {
		if st, ok := states[Condition(s)]; ok {
			return st
		}
		i := strings.LastIndexByte(s, '.')
		if i < 0 {
			break
		}
		s = s[:i]
	}
	return "XX000"
}

// Conditions lists every condition that Tarn can raise, sorted.
func Conditions() []Condition {
	out := make([]Condition, 0, len(states))
	for c := range states {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// As returns the *Error in err's chain, or an INTERNAL_ERROR that carries err.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Internal(err)
}

// maxShown is how many bytes of one name or value an error shows: a path of the longest kind, and Spark's messages for
// all that is not absurd, stay whole.
const maxShown = 4096

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	end := maxShown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + fmt.Sprintf("… (%d bytes)", len(s))
}

// newError is what constructors build on: params become the error's parameters and args of the message.
// Both are clipped: a name or value of megabytes would say no more than its beginning.
func newError(c Condition, params []Param, format string, args ...any) *Error {
	for i := range params {
		params[i].Value = clip(params[i].Value)
	}
	for i, a := range args {
		if s, ok := a.(string); ok && len(s) > maxShown {
			args[i] = clip(s)
		}
	}
	return &Error{Condition: c, Params: params, Message: fmt.Sprintf(format, args...)}
}
