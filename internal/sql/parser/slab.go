package parser

// slab hands out values of one type from chunks that grow, since a statement has many small nodes of few types and
// one allocation per chunk is what makes long lists cheap. A node keeps its chunk alive, which is never more than
// maxChunk of its siblings.
type slab[T any] struct {
	free []T
	size int
}

const (
	minChunk = 4
	maxChunk = 256
)

// take gives n adjacent zero values; n is small.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(minChunk, n, min(2*s.size, maxChunk))
		s.free = make([]T, s.size)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// put gives the place of a copy of v.
func (s *slab[T]) put(v T) *T {
	p := &s.take(1)[0]
	*p = v
	return p
}
