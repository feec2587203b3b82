package catalog

import (
	"slices"
	"time"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// StampNew fills in what a new securable lacks: id, owner, and who made it when. Stores call it.
func (s *Securable) StampNew(now time.Time, actor string) {
	if s.ID == "" {
		s.ID = NewID()
	}
	if s.Owner == "" {
		s.Owner = actor
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = now
	}
	if s.CreatedBy == "" {
		s.CreatedBy = actor
	}
	if s.UpdatedAt.IsZero() {
		s.UpdatedAt = s.CreatedAt
	}
	if s.UpdatedBy == "" {
		s.UpdatedBy = s.CreatedBy
	}
	s.CreatedAt, s.UpdatedAt = micros(s.CreatedAt), micros(s.UpdatedAt)
}

// StampChanged notes who changed a securable when. Stores call it.
func (s *Securable) StampChanged(now time.Time, actor string) {
	s.UpdatedAt, s.UpdatedBy = micros(now), actor
}

// Stamp fills in the version of a history row, and its time and actor where the caller left them empty. A time never
// lies before that of the row before it, even when clocks of two machines differ: TIMESTAMP AS OF finds versions by it.
func (c *Commit) Stamp(version int64, now, last time.Time, actor string) {
	c.Version = version
	if c.At.IsZero() {
		c.At = now
	}
	if c.At.Before(last) {
		c.At = last
	}
	c.At = micros(c.At)
	if c.Actor == "" {
		c.Actor = actor
	}
}

// VersionAt is the version that a table had at a time: that of the last commit not after it. history is the table's,
// newest first, as History lists it. False means that the time lies before the first commit.
func VersionAt(history []Commit, at time.Time) (int64, bool) {
	for _, c := range history {
		if !c.At.After(at) {
			return c.Version, true
		}
	}
	return 0, false
}

// micros is t as stores keep it: UTC, whole microseconds.
func micros(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// PartitionLayout is the partition columns as the columns of a partition set.
func (t *Table) PartitionLayout() []partition.Column {
	cols := make([]partition.Column, len(t.Partition))
	for i, f := range t.PartitionColumns() {
		cols[i] = partition.Column{Name: f.Name, Type: f.Type}
	}
	return cols
}

// SameLayout reports whether two sets of partition columns have the same names, spelled alike, and types: then
// partitions registered under one are valid under the other.
func SameLayout(a, b []partition.Column) bool {
	return slices.EqualFunc(a, b, func(x, y partition.Column) bool {
		return x.Name == y.Name && sameType(x.Type, y.Type)
	})
}

// sameType compares the types that partition columns can have, which have no parts.
func sameType(a, b types.Type) bool {
	return a.Kind == b.Kind && a.Precision == b.Precision && a.Scale == b.Scale
}

func sameContent(a, b partition.Content) bool {
	return a.Recorded == b.Recorded && slices.Equal(a.Filesets, b.Filesets)
}

// CountChanges counts what turns one partition set into another: partitions added, dropped, and those whose directory
// moved or whose recorded content differs. It is what the history row of a replacement says.
func CountChanges(before, after *partition.Set) (added, dropped, changed int64) {
	if before.Len() == 0 || after.Len() == 0 {
		return int64(after.Len()), int64(before.Len()), 0
	}
	kept := int64(0)
	for i := range after.Len() {
		j, ok := before.Find(after.Values(i))
		if !ok {
			added++
			continue
		}
		kept++
		rel, abs := after.Path(i)
		oldRel, oldAbs := before.Path(j)
		if rel != oldRel || abs != oldAbs || !sameContent(before.Content(j), after.Content(i)) {
			changed++
		}
	}
	return added, int64(before.Len()) - kept, changed
}
