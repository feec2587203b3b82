package javaregex

// node is a part of a parsed pattern.
type node interface{}

type (
	// char is one character.
	char struct {
		r    rune
		fold foldMode
	}
	// set is one character of a class.
	set struct{ class *class }
	// sequence and alternation are what their names say.
	sequence    struct{ items []node }
	alternation struct{ items []node }
	// group captures, index from 1.
	group struct {
		index int
		body  node
	}
	// repeat repeats its body; most is -1 for no end.
	repeat struct {
		body        node
		least, most int
		kind        repeatKind
	}
	// backref matches what a group matched.
	backref struct {
		index int
		fold  foldMode
	}
	// look looks ahead or behind; atomic matches without coming back.
	look struct {
		body        node
		behind, not bool
	}
	atomic struct{ body node }
	// assertion is a place between characters.
	assertion struct{ kind assertKind }
)

type repeatKind uint8

const (
	greedy repeatKind = iota
	lazy
	possessive
)

type assertKind uint8

const (
	textStart    assertKind = iota // \A and ^
	textEnd                        // \z
	finalEnd                       // \Z and $: before a final line end, too
	unixFinalEnd                   // the same where only \n ends lines
	lineStart                      // ^ of (?m)
	unixLineStart
	lineEnd // $ of (?m)
	unixLineEnd
	wordEdge    // \b
	notWordEdge // \B
	lastEnd     // \G
)

// foldMode says which letters count as equal.
type foldMode uint8

const (
	exact foldMode = iota
	foldASCII
	foldUnicode
)

// width is the least and the most characters that a node matches; most is -1 for no end.
func width(n node) (least, most int) {
	switch n := n.(type) {
	case *char, *set:
		return 1, 1
	case *sequence:
		for _, x := range n.items {
			l, m := width(x)
			least += l
			if most = addWidth(most, m); least > maxWidth {
				least = maxWidth
			}
		}
		return least, most
	case *alternation:
		least = maxWidth
		for _, x := range n.items {
			l, m := width(x)
			least = min(least, l)
			if m < 0 || most < 0 {
				most = -1
			} else {
				most = max(most, m)
			}
		}
		return least, most
	case *group:
		return width(n.body)
	case *atomic:
		return width(n.body)
	case *repeat:
		l, m := width(n.body)
		least = min(l*n.least, maxWidth)
		if m == 0 {
			return least, 0
		}
		if n.most < 0 && n.least <= 1 && n.kind == greedy && single(n.body) != nil {
			return least, maxWidth // of these alone Java says no more than that they are long
		}
		if m < 0 || n.most < 0 {
			return least, -1
		}
		return least, min(m*n.most, maxWidth)
	case *backref:
		return 0, -1
	}
	return 0, 0
}

// maxWidth bounds widths so that their products stay small.
const maxWidth = 1 << 20

func addWidth(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return min(a+b, maxWidth)
}
