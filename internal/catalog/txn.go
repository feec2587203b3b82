package catalog

import (
	"slices"
	"time"
)

// TxnState is how far a write has come. The order is that of the constants; ABORTING may follow any state before COMMITTED, and
// STUCK any that is not finished.
type TxnState string

// The states of a write.
const (
	// TxnWriting: files are being written where no reader looks.
	TxnWriting TxnState = "WRITING"
	// TxnPrepared: all files are written and checked, and the plan is stored.
	TxnPrepared TxnState = "PREPARED"
	// TxnCommitting: files are being put in place. What recovery may do from here on is the plan's to say.
	TxnCommitting TxnState = "COMMITTING"
	// TxnCommitted: the commit point has passed; clean-up is left.
	TxnCommitted TxnState = "COMMITTED"
	TxnDone      TxnState = "DONE"
	// TxnAborting: what was written is being removed.
	TxnAborting TxnState = "ABORTING"
	TxnAborted  TxnState = "ABORTED"
	// TxnStuck: storage shows what no rule covers, and a person has to decide.
	TxnStuck TxnState = "STUCK"
)

// Finished reports whether nothing is left to do.
func (s TxnState) Finished() bool { return s == TxnDone || s == TxnAborted }

// Txn is the journal's row of a write.
type Txn struct {
	ID        string // ULID, 26 characters of Crockford's base 32: ids ascend with time
	Table     ID     // "" for a write by path
	TableName string // full name for people, or the path
	Location  string // absolute URI of the root it writes below
	Operation string
	Statement string
	Actor     string
	Process   string // that works on it
	State     TxnState
	// Epoch counts the processes that took the write over, from 1: one that has lost it changes nothing any more.
	Epoch int64
	// BaseVersion is the table version that the write has read, Version the one that its commit made (0 before).
	BaseVersion, Version int64
	Strategy             string
	Touched              []byte // which partitions it writes, for conflict checks; stores do not look inside
	Reason               string // why it is aborted or stuck
	Began, Changed       time.Time
}

// StampNew fills in what a new transaction lacks, and sets its epoch to 1. Stores call it.
func (t *Txn) StampNew(now time.Time, actor string) {
	if t.Actor == "" {
		t.Actor = actor
	}
	if t.Began.IsZero() {
		t.Began = now
	}
	if t.Changed.IsZero() {
		t.Changed = t.Began
	}
	t.Began, t.Changed = micros(t.Began), micros(t.Changed)
	t.Epoch = 1
}

// StampChanged notes when a transaction changed. Stores call it.
func (t *Txn) StampChanged(now time.Time) { t.Changed = micros(now) }

// Clone returns a deep copy.
func (t *Txn) Clone() *Txn {
	d := *t
	d.Touched = slices.Clone(t.Touched)
	return &d
}

// Retired are the files that a commit took out of a table, which stay until nobody can be reading them.
type Retired struct {
	Txn      string // that took them out
	Table    ID
	Location string // absolute URI of the root that the paths are below
	At       time.Time
	After    time.Time // VACUUM may delete from then on
	Files    []byte    // which files; stores do not look inside
}

// Stamp fills in when the files were retired. Stores call it.
func (r *Retired) Stamp(now time.Time) {
	if r.At.IsZero() {
		r.At = now
	}
	r.At, r.After = micros(r.At), micros(r.After)
}

// Clone returns a deep copy.
func (r Retired) Clone() Retired {
	r.Files = slices.Clone(r.Files)
	return r
}

// Load is a file that COPY INTO has loaded into a table. Size and time tell whether a file of that path is still the same.
type Load struct {
	Path    string
	Size    int64     // bytes
	ModTime time.Time // nanoseconds are kept; zero when unknown
	Txn     string    // that loaded it
}
