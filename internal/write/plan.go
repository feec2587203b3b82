package write

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// planFormat is the number of the plan's form. A plan of another number is not carried out.
const planFormat = 1

// plan is everything that a transaction changes, kept in the catalog before the first change that anybody can see. Recovery
// follows the plan and derives nothing from what it finds in directories. It is stored as JSON in a zstd frame.
type plan struct {
	Format  int    `json:"format"`
	Layout  Layout `json:"layout"`
	Root    string `json:"root"`
	Staging string `json:"staging"`            // absolute URI
	NewRoot bool   `json:"new_root,omitempty"` // the root is made by this write
	Tree    bool   `json:"tree,omitempty"`     // everything below the root goes
	// Registered tells that partitions are registered; then the commit changes the log.
	Registered bool   `json:"registered,omitempty"`
	Kind       Kind   `json:"kind"`
	Parts      []part `json:"parts"`
	// Old are files that go although no part of the plan has them: of a table that is replaced, and of a tree.
	Old []old `json:"old,omitempty"`
	// Marker tells whether _SUCCESS is written; OldMarker is what it held before.
	Marker    bool   `json:"marker,omitempty"`
	HadMarker bool   `json:"had_marker,omitempty"`
	OldMarker []byte `json:"old_marker,omitempty"`
	// Grace in seconds.
	Grace  int64          `json:"grace"`
	Commit catalog.Commit `json:"commit"`
	Loads  []catalog.Load `json:"loads,omitempty"`
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
	// Base is the location below which _tarn directories for this part lie: the root, or the partition's own location when
	// that lies elsewhere.
	Base string `json:"base"`
	// Rel names the part below those directories.
	Rel string  `json:"rel"`
	New []added `json:"new,omitempty"`
	Old []old   `json:"old,omitempty"`
	// Swap tells that the directory is exchanged as a whole.
	Swap bool `json:"swap,omitempty"`
	// Fresh tells that there was no such partition.
	Fresh bool `json:"fresh,omitempty"`
}

// added is a new file.
type added struct {
	// Src is the key of the staged file.
	Src  string           `json:"src"`
	Name string           `json:"name"`
	Size int64            `json:"size"`
	Rows int64            `json:"rows"`
	ID   storage.Identity `json:"id"`
	ETag string           `json:"etag,omitempty"`
	// ModTime is in nanoseconds since 1970.
	ModTime int64 `json:"mtime,omitempty"`
}

// old is a file that goes, with the identity it was found with.
type old struct {
	Key     string           `json:"key"`
	Size    int64            `json:"size"`
	ModTime int64            `json:"mtime"`
	ID      storage.Identity `json:"id"`
	ETag    string           `json:"etag,omitempty"`
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

func encodePlan(p *plan) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(text, nil), w.Close()
}

// maxPlan bounds a decoded plan in bytes: a million files take about 300 MB.
const maxPlan = 1 << 30

func decodePlan(data []byte) (*plan, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlan))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := r.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	p := &plan{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	if p.Format != planFormat {
		return nil, fmt.Errorf("the plan has form %d, this version knows %d", p.Format, planFormat)
	}
	return p, nil
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
