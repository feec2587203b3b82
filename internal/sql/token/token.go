// Package token cuts SQL text into tokens: Spark's lexical rules for names, strings, numbers, comments and operators,
// and the table of keywords. Tokens are places in the text; nothing is copied.
//
// The package is pure and imports nothing of Tarn.
package token

// Kind is the kind of a token.
type Kind uint8

// The kinds of token.
const (
	EOF             Kind = iota
	Illegal              // one byte that begins no token: a stray character, or the quote of a string that never ends
	UnclosedComment      // /* without */, up to the end of the text
	Word                 // a name or keyword
	QuotedName           // `name`
	String               // '…' or "…" with escapes
	RawString            // r'…' or r"…"
	Integer              // 12
	Decimal              // 1.5, 1., .5
	Exponent             // 1e5, 1.5E-3
	Suffixed             // a number with one of the suffixes L S Y F D BD
	LParen
	RParen
	LBracket
	RBracket
	Comma
	Dot
	Semicolon
	Colon
	DoubleColon
	Arrow    // ->
	FatArrow // =>
	Plus
	Minus
	Star
	Slash
	Percent
	Tilde
	Amp
	Pipe
	PipePipe
	PipeGreater // |>
	Caret
	Equal     // = or ==
	NullEqual // <=>
	NotEqual  // <> or !=
	Less
	LessEqual // <= or !>
	Greater
	GreaterEqual // >= or !<
	ShiftLeft
	Bang
	Question
	HintStart // /*+
	HintEnd   // */ that ends a hint
)

// Token is one token: its kind, keyword if it is one, and place as byte offsets.
type Token struct {
	Kind    Kind
	Keyword Keyword
	Start   int32
	End     int32
}

// IsNumber reports whether the token is a number of any form.
func (t Token) IsNumber() bool { return t.Kind >= Integer && t.Kind <= Suffixed }
