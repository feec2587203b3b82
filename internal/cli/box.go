package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/vector"
)

// boxSample is the number of rows that decide the widths of a table's columns. Later rows that need more are printed
// whole and stand out to the right, so that a table of any length streams.
const boxSample = 1000

// boxOutput draws a table as Spark's show() does, numbers to the right, NULL told from the text "NULL" by its case.
type boxOutput struct {
	w     *bufio.Writer
	errw  io.Writer
	zone  func() *time.Location
	cols  []plan.Column
	held  [][]string
	width []int
	ruled bool
	rows  int64
	start time.Time
}

func (o *boxOutput) begin(cols []plan.Column, since time.Time) error {
	o.cols, o.held, o.width, o.ruled, o.rows, o.start = cols, nil, nil, false, 0, since
	return nil
}

func (o *boxOutput) batch(b *vector.Batch) error {
	zone := o.zone()
	for r := range b.Len {
		row := make([]string, len(b.Cols))
		for i := range b.Cols {
			if b.Cols[i].IsNull(r) {
				row[i] = "NULL"
				continue
			}
			row[i] = cellText(&b.Cols[i], r, zone)
		}
		o.rows++
		if o.ruled {
			o.line(row)
			continue
		}
		if o.held = append(o.held, row); len(o.held) == boxSample {
			o.rule()
		}
	}
	if o.ruled {
		return o.w.Flush()
	}
	return nil
}

// rule fixes the widths and prints the head and the rows held back.
func (o *boxOutput) rule() {
	o.width = make([]int, len(o.cols))
	for i, c := range o.cols {
		o.width[i] = widest(c.Name)
	}
	for _, row := range o.held {
		for i, cell := range row {
			o.width[i] = max(o.width[i], widest(cell))
		}
	}
	o.ruled = true
	o.border()
	head := make([]string, len(o.cols))
	for i, c := range o.cols {
		head[i] = c.Name
	}
	o.line(head)
	o.border()
	for _, row := range o.held {
		o.line(row)
	}
	o.held = nil
}

func widest(cell string) int {
	n := 0
	for l := range strings.SplitSeq(cell, "\n") {
		n = max(n, uniseg.StringWidth(strings.Map(visible, l)))
	}
	return n
}

func (o *boxOutput) border() {
	for _, n := range o.width {
		o.w.WriteByte('+')
		o.w.WriteString(strings.Repeat("-", n+2))
	}
	o.w.WriteString("+\n")
}

// line prints one row; a cell of several lines makes the row as high.
func (o *boxOutput) line(row []string) {
	parts, high := make([][]string, len(row)), 1
	for i, cell := range row {
		parts[i] = strings.Split(strings.TrimSuffix(cell, "\n"), "\n")
		high = max(high, len(parts[i]))
	}
	for k := range high {
		for i := range row {
			cell := ""
			if k < len(parts[i]) {
				cell = strings.Map(visible, parts[i][k])
			}
			pad := strings.Repeat(" ", max(0, o.width[i]-uniseg.StringWidth(cell)))
			o.w.WriteString("| ")
			if o.cols[i].Type.Kind.IsNumeric() {
				o.w.WriteString(pad + cell)
			} else {
				o.w.WriteString(cell + pad)
			}
			o.w.WriteByte(' ')
		}
		o.w.WriteString("|\n")
	}
}

// visible keeps control characters of data from moving the cursor.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < 0x20 || r == 0x7f:
		return control(r)
	}
	return r
}

func (o *boxOutput) end(ws []session.Warning, f *failure) error {
	if len(o.cols) > 0 {
		if !o.ruled {
			o.rule()
		}
		o.border()
	}
	took := time.Since(o.start)
	if f == nil && len(o.cols) > 0 {
		fmt.Fprintf(o.w, "%s in %s\n", count(o.rows, "row"), roundTime(took))
	} else if f == nil {
		fmt.Fprintln(o.w, "OK")
	}
	if err := o.w.Flush(); err != nil {
		return err
	}
	writeWarnings(o.errw, ws)
	if f != nil {
		writeFailure(o.errw, f)
	}
	return nil
}

func (o *boxOutput) fail(f *failure, ws []session.Warning) error {
	writeWarnings(o.errw, ws)
	writeFailure(o.errw, f)
	return nil
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return groupDigits(n) + " " + noun + "s"
}

func roundTime(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// control is the picture of a control character.
func control(r rune) rune {
	if r == 0x7f {
		return '\u2421'
	}
	return 0x2400 + r
}

// groupDigits writes 1234567 as 1,234,567.
func groupDigits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
