package duckdb

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// errTooManyPartitions ends an attempt to write all partitions side by side. It never reaches a user.
var errTooManyPartitions = errors.New("more partitions than files that may be open")

// partitioner numbers the combinations of partition values in the order in which they come up. It lives as long as a
// write, over several attempts, and is safe for concurrent use.
type partitioner struct {
	cols  []partition.Column
	zone  *time.Location
	limit int // combinations that may be told apart; 0 is no limit
	tell  func([]types.Value) error

	mu     sync.RWMutex
	ids    map[string]int32
	values [][]types.Value // by number
	err    error           // of tell
}

func newPartitioner(cols []plan.Column, zone *time.Location, tell func([]types.Value) error) *partitioner {
	p := &partitioner{zone: zone, tell: tell, ids: map[string]int32{}}
	for _, c := range cols {
		p.cols = append(p.cols, partition.Column{Name: c.Name, Type: c.Type})
	}
	return p
}

// number sets out to the numbers of the rows of the scratch's batch.
func (p *partitioner) number(s *writeScratch, out []int32) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	last := int32(-1)
	for i := range out {
		s.key = s.key[:0]
		for k := range s.batch.Cols {
			s.key = appendKey(s.key, &s.batch.Cols[k], i, p)
		}
		if last >= 0 && bytes.Equal(s.key, s.last) {
			out[i] = last
			continue
		}
		id, ok := p.ids[string(s.key)]
		if !ok {
			p.mu.RUnlock()
			var err error
			id, err = p.add(s.key, &s.batch, i)
			p.mu.RLock()
			if err != nil {
				return err
			}
		}
		out[i], last = id, id
		s.key, s.last = s.last, s.key
	}
	if p.limit > 0 && len(p.values) > p.limit {
		return errTooManyPartitions
	}
	return nil
}

// add gives a combination the next number and tells the caller of it.
func (p *partitioner) add(key []byte, b *vector.Batch, i int) (int32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id, ok := p.ids[string(key)]; ok {
		return id, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	if p.limit > 0 && len(p.values) >= p.limit {
		return 0, errTooManyPartitions
	}
	values := make([]types.Value, len(p.cols))
	for k := range values {
		v := b.Cols[k].Value(i)
		switch x := v.(type) {
		case string:
			v = strings.Clone(x)
		case types.Bytes:
			if v = types.Bytes(strings.Clone(string(x))); isNullText(string(x)) {
				v = nil
			}
		case int64:
			if p.cols[k].Type.Kind == types.Timestamp {
				v = types.ToLocal(x, p.zone)
			}
		}
		values[k] = partition.Canonical(p.cols[k], v)
	}
	if p.tell != nil {
		if err := p.tell(values); err != nil {
			p.err = err
			return 0, err
		}
	}
	id := int32(len(p.values))
	p.ids[string(key)] = id
	p.values = append(p.values, values)
	return id, nil
}

// leave makes the partitioner refuse combinations that it does not know: the caller is gone, and is told of none.
func (p *partitioner) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = sqlerr.Canceled()
	}
}

// told is the error of the caller's function, if any.
func (p *partitioner) told() error {
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.err
}

// isNullText reports texts that as a directory's name mean NULL.
func isNullText(s string) bool { return s == "" || s == partition.DefaultPartition }

func trimBlanks(s string) string { return strings.TrimRight(s, " ") }

// floatKey is one number for -0.0 and 0.0, and one for all NaN.
func floatKey(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}
