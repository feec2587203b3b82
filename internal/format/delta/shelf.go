package delta

import "strings"

// shelf keeps the texts of many actions close together in blocks of its own: a part of the file's text would keep the whole
// file in memory for as long as its table is known. A nil shelf keeps texts where they are.
type shelf struct {
	block strings.Builder
	size  int               // of a block
	names map[string]string // texts that come again and again, such as partition values
}

const (
	shelfBlock = 64 << 10
	shelfNames = 4096
)

// newShelf makes room for the texts of a file of some bytes.
func newShelf(bytes int) *shelf {
	return &shelf{size: min(bytes, shelfBlock), names: map[string]string{}}
}

func (s *shelf) keep(text string) string {
	if s == nil || text == "" {
		return text
	}
	if !s.room(len(text)) {
		return strings.Clone(text)
	}
	start := s.block.Len()
	s.block.WriteString(text)
	return s.block.String()[start:]
}

// keepBytes is keep of bytes that may change afterwards.
func (s *shelf) keepBytes(text []byte) string {
	if s == nil || !s.room(len(text)) {
		return string(text)
	}
	start := s.block.Len()
	s.block.Write(text)
	return s.block.String()[start:]
}

// name is keep of a text that is likely to come again: equal ones are one.
func (s *shelf) name(text string) string {
	if s == nil {
		return text
	}
	if known, ok := s.names[text]; ok {
		return known
	}
	text = s.keep(text)
	if len(s.names) < shelfNames {
		s.names[text] = text
	}
	return text
}

// room begins a block when the last one has too little left. A text that would fill much of a block gets none.
func (s *shelf) room(n int) bool {
	if n > s.size/4 {
		return false
	}
	if s.block.Cap()-s.block.Len() < n {
		s.block = strings.Builder{}
		s.block.Grow(s.size)
	}
	return true
}
