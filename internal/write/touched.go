package write

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

// touched says which partitions a transaction writes, for the question whether two may both commit. It is stored with the
// transaction as JSON.
type touched struct {
	// Append tells that nothing is replaced: two such writes never conflict.
	Append bool `json:"append,omitempty"`
	// Ranges are static scopes: every partition whose canonical text has these values, by level; null for any.
	// A partition that somebody adds inside one conflicts, too.
	Range []*string `json:"range,omitempty"`
	All   bool      `json:"all,omitempty"`
	// Parts are the canonical specs of the partitions that are written or emptied.
	Parts []string `json:"parts,omitempty"`
}

func (t *touched) encode() []byte {
	b, err := json.Marshal(t)
	if err != nil {
		return nil // strings and booleans always encode
	}
	return b
}

func decodeTouched(b []byte) (*touched, error) {
	t := &touched{}
	if len(b) == 0 {
		return &touched{All: true}, nil
	}
	return t, json.Unmarshal(b, t)
}

// conflicts lists the partitions that both write, or "*" for a scope; none when both may commit.
func (t *touched) conflicts(o *touched, split func(spec string) []string) []string {
	switch {
	case t.Append && o.Append:
		return nil
	case t.All || o.All:
		return []string{"*"}
	}
	var out []string
	mine := make(map[string]bool, len(t.Parts))
	for _, p := range t.Parts {
		mine[p] = true
		if o.covers(split(p)) {
			out = append(out, p)
		}
	}
	for _, p := range o.Parts {
		if mine[p] || t.covers(split(p)) {
			out = append(out, p)
		}
	}
	if len(out) == 0 && t.Range != nil && o.Range != nil && rangesMeet(t.Range, o.Range) {
		out = append(out, "*")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// covers reports whether a partition, given by its segments, lies in the range.
func (t *touched) covers(segments []string) bool {
	if t.Range == nil || len(segments) != len(t.Range) {
		return false
	}
	for i, want := range t.Range {
		if want != nil && *want != segments[i] {
			return false
		}
	}
	return true
}

func rangesMeet(a, b []*string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != nil && b[i] != nil && *a[i] != *b[i] {
			return false
		}
	}
	return true
}

// others are the other transactions that write to the same place and have decided to, and those that have ended since this
// job began.
func (j *Job) others(tx catalog.ReadTx, mine *touched) ([]*catalog.Txn, error) {
	var out []*catalog.Txn
	unfinished, err := tx.Txns("", false)
	if err != nil {
		return nil, err
	}
	for _, t := range unfinished {
		if t.ID != j.txn.ID && j.sharesPlace(t) && j.minds(t) {
			out = append(out, t)
		}
	}
	if mine.Append {
		return out, nil // what has ended is before this one
	}
	sameTable := j.txn.Table != ""
	if sameTable && !j.target.Registered { // else the generations of the entries tell
		all, err := tx.Txns(j.txn.Table, true)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if t.State == catalog.TxnDone && t.Version > j.txn.BaseVersion {
				out = append(out, t)
			}
		}
	}
	if j.plan.Layout != InPlace {
		return out, nil
	}
	// Writes that go around the table, or around this path, have no version in common: the catalog's clock tells.
	all, err := tx.Txns("", true)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.State == catalog.TxnDone && (!sameTable || t.Table != j.txn.Table) && !t.Changed.Before(j.txn.Began) && j.sharesPlace(t) {
			out = append(out, t)
		}
	}
	return out, nil
}

// minds reports whether an unfinished transaction may stand in the way of this one.
func (j *Job) minds(t *catalog.Txn) bool {
	switch t.State {
	case catalog.TxnWriting, catalog.TxnPrepared:
		return false // it has not decided yet, and will find this one when it does
	case catalog.TxnAborting:
		// Once it has decided, files of it may be in place and on their way out.
		return len(t.Touched) > 0 && Layout(t.Strategy) == InPlace
	case catalog.TxnCommitted:
		// What it changed, this one has seen; that it has not tidied up yet is all the same.
		return j.txn.Table == "" || t.Table != j.txn.Table || t.Version > j.txn.BaseVersion
	}
	return true
}

// sharesPlace reports whether another transaction writes below the same root, or above or below it.
func (j *Job) sharesPlace(t *catalog.Txn) bool {
	if j.target.Table != nil && t.Table == j.target.Table.ID {
		return true
	}
	return catalog.Contains(t.Location, j.txn.Location) || catalog.Contains(j.txn.Location, t.Location)
}

// conflict finds what stands against committing: somebody who writes, or wrote since this job began, what it replaces. It is
// asked inside the transaction that decides.
func (j *Job) conflict(tx catalog.ReadTx, now *catalog.Table) (other string, parts []string, err error) {
	mine := j.touched()
	if j.target.Registered && !mine.Append && now != nil {
		if parts, err = j.changedSince(tx, now); err != nil || len(parts) > 0 {
			return "", parts, err
		}
	}
	others, err := j.others(tx, mine)
	if err != nil {
		return "", nil, err
	}
	for _, t := range others {
		theirs, err := decodeTouched(t.Touched)
		if err != nil {
			return "", nil, err
		}
		if t.Table != j.txn.Table && !(theirs.Append && mine.Append) {
			theirs = &touched{All: true} // a write by path into a table, or around it: partitions do not compare
		}
		if parts := mine.conflicts(theirs, splitSpec); len(parts) > 0 {
			return t.ID, parts, nil
		}
	}
	return "", nil, nil
}

// changedSince lists the partitions in this job's scope whose entry is newer than what the job saw, or that appeared since. A
// partition that is gone was replaced by nothing, which is what an overwrite would have done to its rows.
func (j *Job) changedSince(tx catalog.ReadTx, now *catalog.Table) ([]string, error) {
	set, err := tx.Partitions(now.ID, 0)
	if err != nil {
		return nil, err
	}
	base := j.txn.BaseVersion
	var out []string
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		values, err := p.valuesOf(j.target.Columns)
		if err != nil {
			return nil, err
		}
		if row, ok := set.Find(values); ok && set.Gen(row) > base {
			out = append(out, set.Spec(row))
		}
	}
	if j.scope.Kind == ReplaceWritten || len(out) > 0 {
		return out, nil
	}
	sel, err := j.inScope(set)
	if err != nil {
		return nil, err
	}
	for row := range sel.Rows() {
		if set.Gen(row) > base {
			out = append(out, set.Spec(row))
		}
	}
	return out, nil
}

// touched is what this job writes.
func (j *Job) touched() *touched {
	t := &touched{Append: j.scope.Kind == Append}
	if j.target.Tree || j.target.Replaced != nil {
		return &touched{All: true} // the rows are appended to a table that is emptied
	}
	cols := j.target.Columns
	for i := range j.plan.Parts {
		t.Parts = append(t.Parts, specOf(cols, j.plan.Parts[i].Values))
	}
	if j.scope.Kind == Append || j.scope.Kind == ReplaceWritten {
		return t
	}
	if j.scope.Selects != nil {
		t.All = true
		return t
	}
	t.Range = make([]*string, len(cols))
	for _, m := range j.scope.Matchers {
		if m.Op != partition.Eq {
			t.All = true // comparisons: which values they cover is not told by text
			return t
		}
		segment := partition.Segment(cols[m.Col], m.Value)
		t.Range[m.Col] = &segment
	}
	if len(cols) == 0 {
		t.All = true
	}
	return t
}

// inScope selects the registered partitions that the scope is about.
func (j *Job) inScope(set *partition.Set) (*partition.Selection, error) {
	sel := set.Match(j.scope.Matchers)
	if j.scope.Selects == nil {
		return sel, nil
	}
	var rows []int
	for row := range sel.Rows() {
		ok, err := j.scope.Selects(set.Values(row))
		if err != nil {
			return nil, err
		}
		if ok {
			rows = append(rows, row)
		}
	}
	return set.SelectRows(rows...), nil
}

// errMoved tells that a partition that is appended to has moved to another directory since the files were placed.
var errMoved = errors.New("the partition has moved")
