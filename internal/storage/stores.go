package storage

import (
	"errors"
	"fmt"
	"sync"
)

// Factory opens the store that root names: its scheme and authority.
type Factory func(root Location) (Driver, error)

// Stores finds the bucket of a location. The program's wiring says which schemes have a driver; a bucket is opened at
// its first use and kept. It is safe for concurrent use.
type Stores struct {
	factories map[string]Factory

	mu   sync.Mutex
	open map[string]*Bucket // by the text of the root
}

// NewStores serves the given schemes. Each scheme is opened by its own factory: "s3a" needs an entry beside "s3".
func NewStores(factories map[string]Factory) *Stores {
	s := &Stores{factories: make(map[string]Factory, len(factories)), open: map[string]*Bucket{}}
	for scheme, f := range factories {
		s.factories[scheme] = f
	}
	return s
}

// Open returns the bucket that holds loc, and loc's key in it (without a trailing '/'; see Location.DirKey). A scheme
// without a driver is an *Error of kind Unsupported.
func (s *Stores) Open(loc Location) (*Bucket, string, error) {
	root := loc.Root()
	name := root.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.open[name]; b != nil {
		return b, loc.Key(), nil
	}
	factory := s.factories[loc.Scheme()]
	if factory == nil {
		err := fmt.Errorf("no driver for %s locations", loc.Scheme())
		switch {
		case loc.IsZero():
			err = errors.New("the location is empty")
		case loc.Scheme() == dbfsScheme:
			err = errUnresolved
		}
		return nil, "", &Error{Op: "open", Where: loc.String(), Kind: Unsupported, Err: err}
	}
	d, err := factory(root)
	if err != nil {
		return nil, "", err
	}
	b := NewBucket(d, root)
	s.open[name] = b
	return b, loc.Key(), nil
}

// Close closes every bucket that was opened.
func (s *Stores) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for name, b := range s.open {
		all = append(all, b.Close())
		delete(s.open, name)
	}
	return errors.Join(all...)
}
