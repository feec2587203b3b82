package partition

import "errors"

// Failures of Apply.
var (
	// ErrExists: an added or renamed partition has the values of one that is there.
	ErrExists = errors.New("the partition exists")
	// ErrMissing: a dropped, renamed or relocated partition is not there.
	ErrMissing = errors.New("the partition does not exist")
)

// Place is where a partition's directory is. The zero Place is the canonical directory of the values.
type Place struct {
	// Dirs are the names of the directories from the table's location down, when they are not the canonical ones.
	Dirs []string
	// Location is an absolute location outside the table's; Dirs is nil then.
	Location string
}

// AddEntry is a partition to add.
type AddEntry struct {
	Values     Values
	Place      Place
	Properties map[string]string
}

// RenameEntry gives a partition other values. Its directory stays where it is, unless Moved tells that it is now the
// canonical one of the new values.
type RenameEntry struct {
	From, To Values
	Moved    bool
}

// RelocateEntry makes a partition's directory another one.
type RelocateEntry struct {
	Values Values
	Place  Place
}

// Changes is what one commit does to a Set: drops, then renames, relocations and adds.
type Changes struct{}

// Add appends adds to the changes. Values are brought to canonical form.
func (c *Changes) Add(entries ...AddEntry) {}

// Drop appends drops.
func (c *Changes) Drop(values ...Values) {}

// DropRows appends drops of rows of s.
func (c *Changes) DropRows(s *Set, sel *Selection) {}

// Rename appends renames.
func (c *Changes) Rename(entries ...RenameEntry) {}

// Relocate appends relocations.
func (c *Changes) Relocate(entries ...RelocateEntry) {}

// Empty reports whether nothing changes.
func (c *Changes) Empty() bool { return true }

// Counts are the numbers of partitions added, dropped, and changed in place (renamed or relocated).
func (c *Changes) Counts() (added, dropped, changed int) { return 0, 0, 0 }

// Apply is the set after the changes; changed entries get gen. An *EntryError wrapping ErrExists or ErrMissing names
// the entries that do not fit.
func (s *Set) Apply(c *Changes, gen int64) (*Set, error) { return s, nil }

// EntryError names the partitions for which Apply failed.
type EntryError struct {
	Err   error // ErrExists or ErrMissing
	Specs []string
	// Values are those of Specs.
	Values []Values
}

// Error implements error.
func (e *EntryError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *EntryError) Unwrap() error { return e.Err }
