package delta

import (
	"container/list"
	"context"
	"io"
	"sync"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/storage"
)

// maxVectors bounds the deletion vectors that are remembered, in bytes as they are stored: in memory they take about as much.
const maxVectors = 256 << 20

// Vector reads the rows that a deletion vector of the snapshot names. Failures are *sqlerr.Error: DELTA_DELETION_VECTOR_… when
// it is damaged, DELTA_FILE_NOT_FOUND when its file is gone.
func (s *Snapshot) Vector(ctx context.Context, d *protocol.DeletionVector) (*protocol.Rows, error) {
	key := vectorKey{id: d.UniqueID(), size: d.SizeInBytes, rows: d.Cardinality}
	if d.IsInline() {
		return s.Log.logs.vectors.of(key, d.Inline)
	}
	where, err := d.Location(s.Log.root.String())
	if err != nil {
		return nil, err
	}
	key.where = where
	return s.Log.logs.vectors.of(key, func() (*protocol.Rows, error) {
		loc, err := storage.ParseLocation(where, "")
		if err != nil {
			return nil, failure(err)
		}
		bucket, _, err := s.Log.logs.stores.Open(loc)
		if err != nil {
			return nil, failure(err)
		}
		offset, length := d.Range()
		r, _, err := bucket.Read(ctx, loc.Key(), offset, length)
		if err != nil {
			return nil, failure(err)
		}
		data, err := io.ReadAll(r)
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return nil, failure(err)
		}
		return d.Read(where, data)
	})
}

// vectorKey tells vectors apart: where they are stored, and what the log says of them, against which they are checked.
type vectorKey struct {
	where, id string
	size      int32
	rows      int64
}

// vectors remembers deletion vectors, which are never changed, and forgets those that were not asked for the longest.
type vectors struct {
	mu      sync.Mutex
	bytes   int
	order   *list.List // of *knownVector, the latest used first
	entries map[vectorKey]*list.Element
}

type knownVector struct {
	key  vectorKey
	once sync.Once
	rows *protocol.Rows
	err  error
}

func newVectors() *vectors {
	return &vectors{order: list.New(), entries: map[vectorKey]*list.Element{}}
}

// of gives a vector, reading it at most once however many ask for it. One that cannot be read is not remembered.
func (v *vectors) of(key vectorKey, read func() (*protocol.Rows, error)) (*protocol.Rows, error) {
	v.mu.Lock()
	e, ok := v.entries[key]
	if ok {
		v.order.MoveToFront(e)
	} else {
		e = v.order.PushFront(&knownVector{key: key})
		v.entries[key] = e
		v.bytes += int(key.size)
		for v.bytes > maxVectors && v.order.Len() > 1 {
			v.remove(v.order.Back())
		}
	}
	k := e.Value.(*knownVector)
	v.mu.Unlock()
	k.once.Do(func() { k.rows, k.err = read() })
	if k.err != nil {
		v.mu.Lock()
		if v.entries[key] == e {
			v.remove(e)
		}
		v.mu.Unlock()
	}
	return k.rows, k.err
}

func (v *vectors) remove(e *list.Element) {
	k := v.order.Remove(e).(*knownVector)
	v.bytes -= int(k.key.size)
	delete(v.entries, k.key)
}
