package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// position is a place in a statement: line and column count from 1, columns in characters, offset in bytes from 0.
type position struct{ line, column, offset int }

func (f *failure) position() (position, bool) {
	if f.err.Span == (sqlerr.Span{}) {
		return position{}, false
	}
	at := min(max(f.err.Span.Start, 0), len(f.text))
	before := f.text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return position{
		line:   strings.Count(before, "\n") + 1,
		column: utf8.RuneCountInString(before[start:]) + 1,
		offset: at,
	}, true
}

// writeFailure prints an error for people: the condition and message, then the line at fault with a caret below it.
func writeFailure(w io.Writer, f *failure) {
	pos, ok := f.position()
	if !ok {
		fmt.Fprintln(w, f.err.Error())
		return
	}
	column := pos.column
	if pos.line == 1 {
		column += f.origin.column
	}
	fmt.Fprintf(w, "%s (line %d, column %d)\n", f.err.Error(), pos.line+f.origin.line, column)
	start := strings.LastIndexByte(f.text[:pos.offset], '\n') + 1
	line, _, _ := strings.Cut(f.text[start:], "\n")
	// A long line is cut around the place, so that the caret stays on the screen.
	from := 0
	if pos.offset-start > 100 {
		from = pos.offset - start - 60
		for from < len(line) && !utf8.RuneStart(line[from]) {
			from++
		}
	}
	shown := line[from:]
	if len(shown) > 160 {
		cut := 160
		for cut > 0 && !utf8.RuneStart(shown[cut]) {
			cut--
		}
		shown = shown[:cut] + "…"
	}
	lead := line[from:min(pos.offset-start, len(line))]
	dots := ""
	if from > 0 {
		dots = "…"
	}
	pad := strings.Repeat(" ", uniseg.StringWidth(dots)+uniseg.StringWidth(strings.ReplaceAll(lead, "\t", " ")))
	fmt.Fprintf(w, "  %s%s\n  %s^\n", dots, strings.ReplaceAll(strings.TrimRight(shown, "\r"), "\t", " "), pad)
}

// writeWarnings prints warnings for people.
func writeWarnings(w io.Writer, ws []session.Warning) {
	for _, x := range ws {
		fmt.Fprintf(w, "warning [%s] %s\n", x.Class, x.Message)
	}
}
