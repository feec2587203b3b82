package sqlstore

import (
	"container/list"
	"sync"

	"github.com/tarnlake/tarn/internal/partition"
)

// cached is a partition set and what it weighs.
type cached struct {
	set   *partition.Set
	bytes int64
}

// setOverhead is what an entry costs besides the set itself.
const setOverhead = 512

func weigh(set *partition.Set) cached { return cached{set, set.Bytes() + setOverhead} }

// setCache keeps the partition sets used last, up to a number of bytes. The key is the id of a row of the table snapshots,
// which is never used twice in a file, and sets are immutable: an entry never goes stale, so nothing is ever
// invalidated.
type setCache struct {
	mu      sync.Mutex
	limit   int64
	bytes   int64
	entries map[int64]*list.Element
	order   *list.List // of *cacheEntry, the last used in front
}

type cacheEntry struct {
	id int64
	cached
}

func newSetCache(limit int64) *setCache {
	return &setCache{limit: limit, entries: map[int64]*list.Element{}, order: list.New()}
}

func (c *setCache) get(id int64) *partition.Set {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheEntry).set
}

func (c *setCache) put(id int64, v cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[id]; ok || v.bytes > c.limit {
		return
	}
	c.entries[id] = c.order.PushFront(&cacheEntry{id, v})
	c.bytes += v.bytes
	for c.bytes > c.limit {
		last := c.order.Back()
		e := last.Value.(*cacheEntry)
		c.order.Remove(last)
		delete(c.entries, e.id)
		c.bytes -= e.bytes
	}
}
