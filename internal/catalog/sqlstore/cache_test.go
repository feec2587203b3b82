package sqlstore

import (
	"testing"

	"github.com/tarnlake/tarn/internal/partition"
)

// TestSetCache: the cache never holds more than its limit, and gives up what was not used for longest.
func TestSetCache(t *testing.T) {
	c := newSetCache(100)
	set := partition.NewSet(nil)
	for id := range int64(10) {
		c.put(id, cached{set, 30})
		c.get(0)
		if c.bytes > 100 || c.bytes != 30*int64(c.order.Len()) || c.order.Len() != len(c.entries) {
			t.Fatalf("after %d: %d bytes, %d in order, %d entries", id, c.bytes, c.order.Len(), len(c.entries))
		}
	}
	for id, want := range map[int64]bool{0: true, 1: false, 7: false, 8: true, 9: true} {
		if got := c.get(id) != nil; got != want {
			t.Errorf("entry %d is there: %v", id, got)
		}
	}
	c.put(100, cached{set, 101})
	if c.get(100) != nil || c.get(9) == nil {
		t.Error("a set larger than the cache went in")
	}
	c.put(9, cached{set, 30})
	if c.bytes != 90 {
		t.Errorf("putting an entry again: %d bytes", c.bytes)
	}
}
