package partition

import "iter"

// Mode says what a repair may do.
type Mode uint8

// The modes of repair.
const (
	AddMode Mode = iota
	DropMode
	SyncMode
)

// DiffOptions steers Diff.
type DiffOptions struct {
	Mode Mode
	// Root is the table's absolute location; entries whose absolute location lies below it are recognised by it.
	Root string
	// Known and Leaves limit the repair to these rows and leaves; nil for all.
	Known, Leaves *Selection
	// Gone reports whether the directory of an entry is gone that discovery cannot have seen: one outside the table's
	// location or off the key=value layout. Nil keeps all of them.
	Gone func(row int) bool
}

// ActionKind is what happens to a partition or directory.
type ActionKind string

// The kinds of action, in the order of a repair's result.
const (
	ActionDrop  ActionKind = "drop"
	ActionAdd   ActionKind = "add"
	ActionStale ActionKind = "stale"
	ActionSkip  ActionKind = "skip"
)

// Action is one row of a repair's result.
type Action struct {
	Kind ActionKind
	// Partition is the escaped spec, "" for a skipped name that is no partition.
	Partition string
	// Rel is the directory below the table's location; Abs the absolute location of an entry outside it.
	Rel, Abs string
	Reason   Reason
	Detail   string
}

// Result is the difference between what is known and what was found.
type Result struct {
	// Changes makes the log agree, as far as the mode allows.
	Changes *Changes
	// Adds, Drops, Stales and Skips count the actions.
	Adds, Drops, Stales, Skips int
	// Scope is the number of known entries that the repair was about.
	Scope int
}

// Diff compares the log with the tree.
func Diff(known *Set, found *Found, opts DiffOptions) *Result { return &Result{Changes: &Changes{}} }

// Actions yields the rows of the result: drop, add, stale, skip, each in string order of the partition.
func (r *Result) Actions() iter.Seq[Action] { return func(func(Action) bool) {} }

// TooMany reports whether a repair that drops so many of the entries in its scope needs FORCE: more than maxFraction of at
// least minEntries of them.
func TooMany(scope, drops int, maxFraction float64, minEntries int) bool {
	return scope >= minEntries && float64(drops) > maxFraction*float64(scope)
}
