package delta

import (
	"container/list"
	"sync"
)

// maxCached bounds what is remembered, in files of all snapshots together. A file takes a hundred bytes or so, its statistics included;
// snapshots that follow one another share what did not change.
const maxCached = 1_000_000

// smallest is what a snapshot counts at least.
const smallest = 100

// cache remembers snapshots by table and version, and forgets those that were not asked for the longest. The last one that was
// put in always stays: a table that is larger than the bound would else be read anew for each statement.
type cache struct {
	mu      sync.Mutex
	bound   int
	weight  int
	order   *list.List // of *Snapshot, the latest used first
	entries map[string]map[int64]*list.Element
}

func newCache(bound int) *cache {
	return &cache{bound: bound, order: list.New(), entries: map[string]map[int64]*list.Element{}}
}

func weightOf(s *Snapshot) int { return max(s.NumFiles(), smallest) }

// get is a version of a table, nil when it is not remembered.
func (c *cache) get(root string, version int64) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[root][version]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*Snapshot)
}

// newest is the newest version that is remembered of a table, nil when none is.
func (c *cache) newest(root string) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out *list.Element
	for _, e := range c.entries[root] {
		if out == nil || e.Value.(*Snapshot).Version > out.Value.(*Snapshot).Version {
			out = e
		}
	}
	if out == nil {
		return nil
	}
	c.order.MoveToFront(out)
	return out.Value.(*Snapshot)
}

func (c *cache) put(s *Snapshot) {
	root := s.Log.root.String()
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[root][s.Version]; ok {
		c.remove(old)
	}
	if c.entries[root] == nil {
		c.entries[root] = map[int64]*list.Element{}
	}
	c.entries[root][s.Version] = c.order.PushFront(s)
	c.weight += weightOf(s)
	for c.weight > c.bound && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

// drop forgets a table.
func (c *cache) drop(root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries[root] {
		c.remove(e)
	}
}

func (c *cache) remove(e *list.Element) {
	s := e.Value.(*Snapshot)
	root := s.Log.root.String()
	c.order.Remove(e)
	c.weight -= weightOf(s)
	delete(c.entries[root], s.Version)
	if len(c.entries[root]) == 0 {
		delete(c.entries, root)
	}
}
