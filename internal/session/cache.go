package session

import "github.com/tarnlake/tarn/internal/types"

// Cached is a table or view that the session keeps a copy of, or is to keep one: CACHE TABLE. The copy is made at the first
// access after the statement, and again when what it was made of has changed.
type Cached struct {
	// Key is the id of the table or view in the catalog, or tells a temporary view.
	Key string
	// Name is for people.
	Name string
	// Dir is the directory of the copy; "" when there is none now.
	Dir     string
	Columns []types.Field
	// Seen is what the copy was made of.
	Seen []Seen
	// Plain tells that a copy cannot hold the rows: the table is read as if it were not cached.
	Plain bool
}

// Seen is one thing that a copy was made of, as it was then. One of the fields is set, or two.
type Seen struct {
	Table    string // the id of a table or view
	Version  int64
	View     *TempView
	Variable *Variable
	Function *Function // a temporary one
	Stored   string    // the id of a function of the catalog
	Text     string    // of that function
	Path     string    // the location of files that were read by path
	Settings string    // of the session, as far as they change what rows mean
}

// Cache returns the entry of a key, or nil.
func (s *Session) Cache(key string) *Cached { return s.cache[key] }

// PutCache adds or replaces an entry.
func (s *Session) PutCache(c *Cached) { s.cache[c.Key] = c }

// DropCache removes an entry.
func (s *Session) DropCache(c *Cached) { delete(s.cache, c.Key) }

// Caches lists all entries, in no order.
func (s *Session) Caches() []*Cached {
	out := make([]*Cached, 0, len(s.cache))
	for _, c := range s.cache {
		out = append(out, c)
	}
	return out
}
