package scan

import (
	"fmt"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// Visibility is what a reader must not see of writes that are under way below a root, at the version of the catalog that it
// reads. A nil Visibility hides nothing.
//
// A data file whose name carries a transaction that the reader's catalog knows as not committed is hidden; a transaction that
// the catalog does not know is another catalog's, and its files count like those of any other writer.
type Visibility struct {
	pending map[string]bool
	retired map[string]bool
	swapped map[string]string
	absent  map[string]bool
	seen    []string
}

// See notes a transaction that was under way, so that Same tells whether anything has moved since.
func (v *Visibility) See(txn, state string, epoch int64) {
	v.seen = append(v.seen, fmt.Sprint(txn, " ", state, " ", epoch))
}

// Hide hides the files that a transaction writes.
func (v *Visibility) Hide(txn string) { add(&v.pending, txn) }

// Retire hides a file that a committed transaction took out and that may still be at its place.
func (v *Visibility) Retire(key string) { add(&v.retired, key) }

// Swap says that the content of the directory dir may have been exchanged with other's by a transaction that has not
// committed. Both are keys that end with '/'.
func (v *Visibility) Swap(dir, other string) {
	if v.swapped == nil {
		v.swapped = map[string]string{}
	}
	v.swapped[dir] = other
}

// Absent says that a directory is no partition although it is there: a write under way has made it and has not committed, or
// has committed that it goes. The key ends with '/'.
func (v *Visibility) Absent(dir string) { add(&v.absent, dir) }

// Present takes the directories that are no partitions out of what was found below a root, but for those that are registered by
// now. If MSCK registered one, an entry without a directory would be left.
func (v *Visibility) Present(found *partition.Found, root storage.Location, known *partition.Set) {
	if v == nil || len(v.absent) == 0 {
		return
	}
	kept := make([][]uint32, len(found.Codes))
	for leaf := range found.Len() {
		if v.absent[root.Join(found.Path(leaf)).DirKey()] {
			if _, registered := known.Find(found.Values(leaf)); !registered {
				continue
			}
		}
		for level := range kept {
			kept[level] = append(kept[level], found.Codes[level][leaf])
		}
	}
	found.Codes = kept
}

func add(set *map[string]bool, key string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[key] = true
}

// Same reports whether the writes that were under way are the same, in the same states: what was listed between two equal
// looks is one version of the files, since every move of a file happens in a state that was recorded before.
func (v *Visibility) Same(o *Visibility) bool {
	if len(v.seen) != len(o.seen) {
		return false
	}
	for i := range v.seen {
		if v.seen[i] != o.seen[i] {
			return false
		}
	}
	return true
}

// Quiet reports whether no write is under way.
func (v *Visibility) Quiet() bool { return v == nil || len(v.seen) == 0 }

// shows reports whether a file counts. name is the last part of key.
func (v *Visibility) shows(key, name string) bool {
	if v == nil {
		return true
	}
	if len(v.pending) > 0 {
		if txn, ok := TxnOf(name); ok && v.pending[txn] {
			return false
		}
	}
	return !v.retired[key]
}

// other is the directory that the content of dir may have been exchanged with.
func (v *Visibility) other(dir string) (string, bool) {
	if v == nil {
		return "", false
	}
	to, ok := v.swapped[dir]
	return to, ok
}
