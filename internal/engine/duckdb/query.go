package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// query is the state of one running query outside DuckDB: the sources its SQL refers to, the files it reads, and the
// first error of a source, which DuckDB would only pass on as text.
type query struct {
	ctx    context.Context
	cancel context.CancelFunc
	q      engine.Query
	db     *database

	ids        []int64                   // live sources
	masks      []int64                   // live masks
	parameters []parameter               // lists of files and long lists of values
	files      int                       // files given to the scans
	target     target                    // where a write puts its files
	links      *links                    // of files whose names DuckDB would take for patterns
	paths      []string                  // of all files, for errors
	variables  map[expr.ColumnID]string  // how parameters of lambdas, and outer columns inside these, are said
	lambdas    int                       // names used up for bound arguments
	hoists     int                       // sub-queries taken out of join conditions
	looped     *string                   // the sources of the step of a recursion that is being said, as common table expressions
	shared     *sharing                  // parts of the plan that come up more than once; nil when there are none
	parts      map[plan.OnceID]plan.Node // that are computed once
	said       map[plan.OnceID]*definition
	defs       []*definition // in the order in which they refer to one another
	depth      int           // of the expression that is being said

	mu      sync.Mutex
	err     error
	closed  bool
	readers map[*scanReader]struct{}
}

// newQuery makes the state of a query. close ends it.
func newQuery(ctx context.Context, q engine.Query, db *database) *query {
	s := &query{q: q, db: db, readers: map[*scanReader]struct{}{}, parts: map[plan.OnceID]plan.Node{}, said: map[plan.OnceID]*definition{}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// context is what evaluation of constants needs.
func (s *query) context() *expr.Context {
	return &expr.Context{Zone: s.q.Zone, ANSI: s.q.ANSI, Now: s.q.Now, User: s.q.User, Catalog: s.q.Catalog, Schema: s.q.Schema, Formats: s.db.formats}
}

// note keeps the first error of a source and returns it.
func (s *query) note(err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		err = sqlerr.Canceled()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return err
}

// failure is the error of a source, if any, as a *sqlerr.Error.
func (s *query) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		return nil
	}
	return sqlerr.As(s.err)
}

// open opens a reader, unless the query has ended.
func (s *query) open(src engine.Source, cols []int) (format.BatchReader, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, sqlerr.Canceled()
	}
	return src.Open(s.ctx, cols)
}

// track keeps a reader, to be closed with the query.
func (s *query) track(r *scanReader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers[r] = struct{}{}
}

// rewind makes the sources ready for another run of the statement, of which DuckDB runs nothing any more.
func (s *query) rewind() {
	s.mu.Lock()
	left := s.readers
	s.readers = map[*scanReader]struct{}{}
	s.mu.Unlock()
	for r := range left {
		r.closeReader()
	}
	for _, id := range s.ids {
		e := s.db.sources.get(id)
		e.source.Rewind()
		e.scanned.Store(false)
	}
}

func (s *query) untrack(r *scanReader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.readers, r)
}

// close ends what the query holds. DuckDB runs nothing of it any more.
func (s *query) close() {
	s.cancel()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	left := s.readers
	s.readers = nil
	s.mu.Unlock()
	for r := range left {
		r.closeReader()
	}
	for _, id := range s.ids {
		s.db.sources.remove(id)
	}
	for _, id := range s.masks {
		s.db.masks.remove(id)
	}
	s.links.remove()
}

// fileIn is the file of the query that an error text names, or "". A query of one file has no other.
func (s *query) fileIn(text string) string {
	if s == nil {
		return ""
	}
	if p := s.links.target(text); p != "" {
		return p
	}
	for _, p := range s.paths {
		if strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

// filesRead says what the query read when an error does not tell which file: the file when there is one, else the
// directory that holds them all.
func (s *query) filesRead() string {
	if s == nil || len(s.paths) == 0 {
		return ""
	}
	common := s.paths[0]
	for _, p := range s.paths[1:] {
		n := 0
		for n < len(common) && n < len(p) && common[n] == p[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) < len(s.paths[0]) {
		return common[:strings.LastIndexByte(common, '/')+1]
	}
	return common
}

// internal is the error of a plan that this package can't say.
func internal(format string, args ...any) error { return sqlerr.Internal(fmt.Errorf(format, args...)) }
