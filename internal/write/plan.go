package write

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

// plan is everything that a transaction changes, kept in the catalog before the first change that anybody can see. Recovery
// follows the plan and derives nothing from what it finds in directories. A plan may have a million files and is held in
// memory: names are kept without what they share, and made when they are asked for. plancodec.go has the stored form.
type plan struct {
	Layout  Layout `json:"layout"`
	Root    string `json:"root"`
	Staging string `json:"staging"`            // absolute URI
	NewRoot bool   `json:"new_root,omitempty"` // the root is made by this write
	Tree    bool   `json:"tree,omitempty"`     // everything below the root goes
	// Registered tells that partitions are registered; then the commit changes the log.
	Registered bool `json:"registered,omitempty"`
	// Creates tells that the commit makes or replaces the table, which only the process that began it knows how to do.
	Creates bool   `json:"creates,omitempty"`
	Kind    Kind   `json:"kind"`
	Parts   []part `json:"-"`
	// Old are files that go although no part of the plan has them: of a table that is replaced, and of a tree.
	Old []old `json:"-"`
	// Suffixes are how names of files end.
	Suffixes []string `json:"suffixes,omitempty"`
	// Marker tells whether _SUCCESS is written; OldMarker is what it held before.
	Marker    bool   `json:"marker,omitempty"`
	HadMarker bool   `json:"had_marker,omitempty"`
	OldMarker []byte `json:"old_marker,omitempty"`
	// Grace in seconds.
	Grace  int64          `json:"grace"`
	Commit catalog.Commit `json:"commit"`
	Loads  []catalog.Load `json:"-"`
	Result Result         `json:"result"`
}

// action says what happens to a partition.
type action string

const (
	actAppend  action = "append"  // new files beside the old ones
	actReplace action = "replace" // new files instead of the old ones, of which there may be none
	actRemove  action = "remove"  // the partition goes
	actEmpty   action = "empty"   // the old files go, the partition stays
)

// part is one partition of a plan. An unpartitioned table has one, with no values.
type part struct {
	Values []*string `json:"values,omitempty"` // canonical texts, null for NULL
	Action action    `json:"action"`
	// Dir is the directory that the new files go to, or that is emptied; an absolute URI.
	Dir string `json:"dir"`
	// Base is the location below which _tarn directories for this part lie: the root, or the partition's own directory when
	// that lies elsewhere or on another file system, to which nothing can be moved.
	Base string `json:"base"`
	// Rel names the part below those directories.
	Rel string `json:"rel,omitempty"`
	// Recorded tells that the entry names its files after the commit.
	Recorded bool `json:"recorded,omitempty"`
	// Copied tells that the staged files were copied to a staging directory below Base.
	Copied bool `json:"copied,omitempty"`
	// Swap tells that the directory is exchanged as a whole.
	Swap bool `json:"swap,omitempty"`
	// Fresh tells that there was no such partition.
	Fresh bool `json:"fresh,omitempty"`

	New []added `json:"-"`
	Old []old   `json:"-"`
}

// added is a new file.
type added struct {
	// Staged is the file's name below the staging directory.
	Staged string `json:"s"`
	// Number is that of the file in its transaction, and Suffix an index into the plan's: they make its final name.
	Number int              `json:"n"`
	Suffix int              `json:"x,omitempty"`
	Size   int64            `json:"b"`
	Rows   int64            `json:"r"`
	ID     storage.Identity `json:"i,omitzero"`
	ETag   string           `json:"e,omitempty"` // of stores whose objects have no identity
	// ModTime is in nanoseconds since 1970.
	ModTime int64 `json:"t,omitempty"`
}

// old is a file that goes, with the identity it was found with.
type old struct {
	Dir     string           `json:"-"` // the key of its directory, ending with '/'
	Name    string           `json:"n"`
	Size    int64            `json:"b"`
	ModTime int64            `json:"t"` // nanoseconds since 1970
	ID      storage.Identity `json:"i,omitzero"`
	ETag    string           `json:"e,omitempty"`
}

func (f *old) key() string { return f.Dir + f.Name }

func (f *old) object() storage.Object {
	return storage.Object{Key: f.key(), Size: f.Size, ID: f.ID, ETag: f.ETag, ModTime: time.Unix(0, f.ModTime)}
}

// is reports whether an object is this file. What a commit recorded of its own files is name, size and time: since the name
// carries the transaction, nobody else's file has it.
func (f *old) is(now storage.Object) bool {
	if f.ID == (storage.Identity{}) && f.ETag == "" {
		_, own := scan.TxnOf(f.Name)
		return own && now.Size == f.Size && (f.ModTime == 0 || now.ModTime.UnixNano() == f.ModTime)
	}
	return storage.Same(f.object(), now)
}

// at is the file with another key.
func (f *old) at(key string) old {
	moved := *f
	moved.Dir, moved.Name = splitKey(key)
	return moved
}

// splitKey cuts a key after its last '/'.
func splitKey(key string) (dir, name string) {
	i := strings.LastIndexByte(key, '/') + 1
	return key[:i], key[i:]
}

// etagOf is the ETag of an object that has nothing else to be known by: where files have numbers, number, size and time prove
// as much, and are shorter.
func etagOf(o storage.Object) string {
	if o.ID != (storage.Identity{}) {
		return ""
	}
	return o.ETag
}

// name is the final name of a file.
func (j *Job) name(f *added) string {
	return fileName(j.txn.ID, f.Number, j.plan.Suffixes[f.Suffix])
}

// src is the key of a staged file.
func (j *Job) src(p *part, f *added) string {
	if p.Copied {
		return p.away(j.txn.ID, wipDir).DirKey() + j.name(f)
	}
	return j.stage.Join(f.Staged).Key()
}

// staged is a staged file as an object of some key.
func (f *added) object(key string) storage.Object {
	return storage.Object{Key: key, Size: f.Size, ID: f.ID, ETag: f.ETag, ModTime: time.Unix(0, f.ModTime)}
}

// away is where this part's files are put aside: below _tarn/<kind>/<txn> of its base.
func (p *part) away(txn, kind string) storage.Location {
	base, err := storage.ParseLocation(p.Base, "")
	if err != nil {
		return storage.Location{} // plans hold locations that were parsed before
	}
	return base.Join(ownDir + "/" + kind + "/" + txn).Join(p.Rel)
}

func (p *part) dir() storage.Location {
	loc, err := storage.ParseLocation(p.Dir, "")
	if err != nil {
		return storage.Location{}
	}
	return loc
}

// swaps reports whether a directory is exchanged: such a transaction is finished, not undone.
func (p *plan) swaps() bool {
	for i := range p.Parts {
		if p.Parts[i].Swap {
			return true
		}
	}
	return false
}

// fileAt finds the nth new file of a plan, counting through the parts; starts are from newStarts.
func (p *plan) fileAt(starts []int, n int) (*part, *added) {
	lo, hi := 0, len(p.Parts)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; starts[mid] <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return &p.Parts[lo], &p.Parts[lo].New[n-starts[lo]]
}

// newStarts are, by part, how many new files the parts before it have that wanted lets pass, and the number of all.
func (p *plan) newStarts(wanted func(p *part) bool) (starts []int, total int) {
	starts = make([]int, len(p.Parts))
	for i := range p.Parts {
		starts[i] = total
		if wanted(&p.Parts[i]) {
			total += len(p.Parts[i].New)
		}
	}
	return starts, total
}

// texts are values as a plan holds them.
func texts(cols []partition.Column, values partition.Values) []*string {
	out := make([]*string, len(cols))
	for i, c := range cols {
		if values[i] != nil {
			text := partition.Text(c, values[i])
			out[i] = &text
		}
	}
	return out
}

// valuesOf reads the values of a part.
func (p *part) valuesOf(cols []partition.Column) (partition.Values, error) {
	if len(p.Values) != len(cols) {
		return nil, errors.New("a part of the plan has another number of values than the table has partition columns")
	}
	out := make(partition.Values, len(cols))
	for i, c := range cols {
		if p.Values[i] == nil {
			continue
		}
		v, err := partition.ParseValue(c, *p.Values[i])
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// fileName is the final name of a file: part-<txn>-<task>-<attempt>-<seq> and a suffix. Tasks and sequence count files; there is
// one attempt, since a statement that fails starts over as another transaction.
func fileName(txn string, n int, suffix string) string {
	return fmt.Sprintf("part-%s-%05d-00-%03d%s", txn, n/1000, n%1000, suffix)
}

func ignoreNotFound(err error) error {
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	return err
}
