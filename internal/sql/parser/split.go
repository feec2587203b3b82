package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/token"
)

// Piece is one statement's worth of text, as Splitter cuts it.
type Piece struct {
	// Text is the statement without its semicolon and without white space around it.
	Text string
	// Offset is the byte offset of Text in everything that was fed.
	Offset int
	// Empty tells that there is nothing but white space and comments: nothing to run.
	Empty bool
}

// Pending says what the text behind the last complete statement is.
type Pending uint8

// The states of the text behind the last semicolon.
const (
	PendingNothing   Pending = iota // white space and comments only
	PendingStatement                // a statement that is not ended
	PendingString                   // within a string or a quoted name
	PendingComment                  // within a bracketed comment
)

// mode is what the scanner is inside of.
type mode uint8

const (
	inText       mode = iota
	afterDash         // text, behind one -
	afterSlash        // text, behind one /
	inLine            // -- comment
	inLineEscape      // -- comment, behind a backslash
	inBlock           // /* comment
	blockStar         // comment, behind *
	blockSlash        // comment, behind /
	blockOpened       // comment, behind a /* inside it
	inSingle          // '…'
	singleEscape      // '…' behind a backslash
	inDouble          // "…"
	doubleEscape      // "…" behind a backslash
	inRawSingle       // r'…'
	inRawDouble       // r"…"
	inBackquote       // `…`
)

// Splitter cuts a stream of text into statements at semicolons that stand outside of strings, quoted names and
// comments. Text may arrive in any pieces; every byte is looked at once. The zero Splitter is ready.
type Splitter struct {
	buf     []byte // from the start of the statement on
	base    int    // offset of buf[0] in the stream
	scanned int    // bytes of buf that were looked at
	mode    mode
	depth   int  // of nested comments
	solid   bool // something but white space and comments was seen
	doubt   bool // bytes beyond ASCII, or control characters, were seen: they may be Unicode's white space
	word    byte // the last byte of text if it belongs to a word, else 0
	wordLen int  // length of that word, to tell r'…' from bar'…'
}

// Feed adds text. Call Next until it is false before feeding more, or the text piles up.
func (s *Splitter) Feed(text []byte) { s.buf = append(s.buf, text...) }

// Next gives the next complete statement; ok is false when the text holds no further semicolon.
func (s *Splitter) Next() (piece Piece, ok bool) {
	for s.scanned < len(s.buf) {
		c := s.buf[s.scanned]
		s.scanned++
		if c == ';' && (s.mode == inText || s.mode == afterDash || s.mode == afterSlash) {
			s.settle()
			return s.cut(s.scanned-1, s.scanned), true
		}
		s.step(c)
	}
	return Piece{}, false
}

// Rest gives the text behind the last semicolon as if it were ended, at the end of the stream; ok is false when there
// is none but white space. Text within an open string or comment is given too: parsing it says what is wrong.
func (s *Splitter) Rest() (piece Piece, ok bool) {
	s.settle()
	if s.Pending() == PendingComment {
		s.solid = true
	}
	piece = s.cut(len(s.buf), len(s.buf))
	s.mode, s.depth = inText, 0
	return piece, piece.Text != ""
}

// Pending tells what is behind the last complete statement, once Next is false.
func (s *Splitter) Pending() Pending {
	switch s.mode {
	case inSingle, singleEscape, inDouble, doubleEscape, inRawSingle, inRawDouble, inBackquote:
		return PendingString
	case inBlock, blockStar, blockSlash, blockOpened:
		return PendingComment
	case afterDash, afterSlash:
		return PendingStatement
	}
	if s.solid || s.doubt && holdsTokens(string(s.buf)) {
		return PendingStatement
	}
	return PendingNothing
}

// Buffered is the length in bytes of the text behind the last complete statement.
func (s *Splitter) Buffered() int { return len(s.buf) }

// settle counts a - or / that turned out to begin no comment.
func (s *Splitter) settle() {
	if s.mode == afterDash || s.mode == afterSlash {
		s.solid = true
		s.mode = inText
	}
}

// cut takes buf[:end] as a statement and drops buf[:next].
func (s *Splitter) cut(end, next int) Piece {
	text := string(s.buf[:end])
	trimmed := strings.TrimLeft(text, " \t\r\n")
	p := Piece{Offset: s.base + len(text) - len(trimmed), Empty: !s.solid && !(s.doubt && holdsTokens(text))}
	p.Text = strings.TrimRight(trimmed, " \t\r\n")
	s.base += next
	// The rest stays where it is: append moves it when the buffer is full, which adds up to linear time.
	s.buf = s.buf[next:]
	s.scanned -= next
	s.solid, s.doubt, s.word, s.wordLen = false, false, 0, 0
	return p
}

// holdsTokens asks the lexer whether a text is more than white space and comments.
func holdsTokens(text string) bool {
	tokens := token.Lex(text, nil)
	return len(tokens) > 0 && tokens[0].Kind != token.EOF
}

// step moves the scanner over one byte that is not a semicolon in text.
func (s *Splitter) step(c byte) {
	switch s.mode {
	case afterDash:
		if c == '-' {
			s.mode = inLine
			return
		}
		s.settle()
	case afterSlash:
		if c == '*' {
			s.mode, s.depth = inBlock, 1
			return
		}
		s.settle()
	case inText:
	default:
		s.inside(c)
		return
	}
	s.text(c)
}

// text moves over a byte outside of strings and comments.
func (s *Splitter) text(c byte) {
	raw := s.wordLen == 1 && (s.word == 'r' || s.word == 'R')
	if isWordByte(c) {
		s.word = c
		s.wordLen++
		s.found(c)
		return
	}
	s.word, s.wordLen = 0, 0
	switch c {
	case '-':
		s.mode = afterDash
	case '/':
		s.mode = afterSlash
	case ' ', '\t', '\r', '\n':
	case '\'':
		s.mode, s.solid = inSingle, true
		if raw {
			s.mode = inRawSingle
		}
	case '"':
		s.mode, s.solid = inDouble, true
		if raw {
			s.mode = inRawDouble
		}
	case '`':
		s.mode, s.solid = inBackquote, true
	default:
		s.found(c)
	}
}

// found notes a byte that is part of a statement, or of white space that only the lexer knows.
func (s *Splitter) found(c byte) {
	if c < ' ' || c >= 0x80 {
		s.doubt = true
		return
	}
	s.solid = true
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// inside moves over a byte of a string or a comment.
func (s *Splitter) inside(c byte) {
	switch s.mode {
	case inLine:
		switch c {
		case '\n', '\r':
			s.mode = inText
		case '\\':
			s.mode = inLineEscape
		}
	case inLineEscape: // a backslash carries a line comment over the line's end
		switch c {
		case '\\':
		case '\r':
			s.mode = inText
		default:
			s.mode = inLine
		}
	case inSingle:
		s.quoted(c, '\'', singleEscape)
	case inDouble:
		s.quoted(c, '"', doubleEscape)
	case singleEscape:
		s.mode = inSingle
	case doubleEscape:
		s.mode = inDouble
	case inRawSingle:
		s.quoted(c, '\'', inRawSingle)
	case inRawDouble:
		s.quoted(c, '"', inRawDouble)
	case inBackquote:
		if c == '`' {
			s.mode = inText
		}
	default:
		s.comment(c)
	}
}

// quoted moves over a byte of a string that q ends; escape is the mode behind a backslash.
func (s *Splitter) quoted(c, q byte, escape mode) {
	switch c {
	case q:
		s.mode = inText
	case '\\':
		s.mode = escape
	}
}

// comment moves over a byte of a bracketed comment. Comments nest; a hint inside a comment does not.
func (s *Splitter) comment(c byte) {
	was := s.mode
	s.mode = inBlock
	switch {
	case was == blockStar && c == '/':
		if s.depth--; s.depth == 0 {
			s.mode = inText
		}
	case was == blockSlash && c == '*':
		s.depth++
		s.mode = blockOpened
	case was == blockOpened && c == '+':
		s.depth--
	case c == '*':
		s.mode = blockStar
	case c == '/':
		s.mode = blockSlash
	}
}

// Split cuts a whole text into its statements. Pieces without anything to run are left out.
func Split(text string) []Piece {
	var s Splitter
	s.Feed([]byte(text))
	var out []Piece
	for {
		p, ok := s.Next()
		if !ok {
			p, ok = s.Rest()
			if ok && !p.Empty {
				out = append(out, p)
			}
			return out
		}
		if !p.Empty {
			out = append(out, p)
		}
	}
}
