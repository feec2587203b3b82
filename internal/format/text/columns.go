package text

import (
	"bytes"
	"unicode/utf8"
	"unsafe"

	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// arenaSize is the size of the blocks that string values are cut from: one allocation for thousands of fields.
const arenaSize = 128 << 10

// Columns fills batches row by row. Values of a row are set in any order; Commit keeps the row, and a row that is not
// committed is overwritten by the next. Every column of a row must be set.
type Columns struct {
	batch vector.Batch
	n     int
	nulls [][]bool
	dirty []bool // which of nulls were used for this batch
	arena []byte
}

// NewColumns returns Columns for values of these types.
func NewColumns(kinds []types.Type) *Columns {
	c := &Columns{nulls: make([][]bool, len(kinds)), dirty: make([]bool, len(kinds))}
	c.batch.Cols = make([]vector.Column, len(kinds))
	for i, t := range kinds {
		col := &c.batch.Cols[i]
		col.Type = t
		switch vector.StorageOf(t) {
		case vector.InBool:
			col.Bool = make([]bool, vector.MaxRows)
		case vector.InInt:
			col.Int = make([]int64, vector.MaxRows)
		case vector.InFloat:
			col.Float = make([]float64, vector.MaxRows)
		case vector.InStr:
			col.Str = make([]string, vector.MaxRows)
		default:
			col.Any = make([]types.Value, vector.MaxRows)
		}
	}
	return c
}

// Len is the number of rows committed to the batch.
func (c *Columns) Len() int { return c.n }

// Full reports whether the batch takes no more rows.
func (c *Columns) Full() bool { return c.n == vector.MaxRows }

// Commit keeps the current row.
func (c *Columns) Commit() { c.n++ }

// Add commits n rows at once, for batches without columns; n must fit.
func (c *Columns) Add(n int) { c.n += n }

// Take returns the committed rows as a batch and begins the next one; nil when there are none. The batch is valid until
// the next row is set, its strings forever.
func (c *Columns) Take() *vector.Batch {
	if c.n == 0 {
		return nil
	}
	out := &c.batch
	out.Len = c.n
	for i := range out.Cols {
		out.Cols[i].Nulls = nil
		if c.dirty[i] {
			out.Cols[i].Nulls = c.nulls[i]
		}
	}
	return out
}

// Reset begins a new batch after Take.
func (c *Columns) Reset() {
	c.n = 0
	for i, d := range c.dirty {
		if d {
			clear(c.nulls[i])
			c.dirty[i] = false
		}
	}
	for i := range c.batch.Cols {
		clear(c.batch.Cols[i].Any)
	}
}

// Null sets column i of the current row to NULL.
func (c *Columns) Null(i int) {
	if c.nulls[i] == nil {
		c.nulls[i] = make([]bool, vector.MaxRows)
	}
	c.dirty[i] = true
	c.nulls[i][c.n] = true
	if any := c.batch.Cols[i].Any; any != nil {
		any[c.n] = nil
	}
}

func (c *Columns) valid(i int) {
	if c.dirty[i] {
		c.nulls[i][c.n] = false
	}
}

// Bool sets a BOOLEAN.
func (c *Columns) Bool(i int, v bool) {
	c.batch.Cols[i].Bool[c.n] = v
	c.valid(i)
}

// Int sets a value that vector.StorageOf puts in Int.
func (c *Columns) Int(i int, v int64) {
	c.batch.Cols[i].Int[c.n] = v
	c.valid(i)
}

// Float sets a FLOAT or DOUBLE.
func (c *Columns) Float(i int, v float64) {
	c.batch.Cols[i].Float[c.n] = v
	c.valid(i)
}

// Text sets a STRING or BINARY to a copy of v. A CHAR is padded with blanks to its length, as Spark pads it when read.
func (c *Columns) Text(i int, v []byte) {
	col := &c.batch.Cols[i]
	if col.Type.Kind == types.Char {
		v = pad(v, col.Type.Precision)
	}
	col.Str[c.n] = c.keep(v)
	c.valid(i)
}

func pad(v []byte, length int) []byte {
	missing := length - utf8.RuneCount(v)
	if missing <= 0 {
		return v
	}
	return append(append(make([]byte, 0, len(v)+missing), v...), bytes.Repeat([]byte{' '}, missing)...)
}

// Value sets any column from a value in the form of types.Value; nil is NULL.
func (c *Columns) Value(i int, v types.Value) {
	if v == nil {
		c.Null(i)
		return
	}
	col := &c.batch.Cols[i]
	switch x := v.(type) {
	case bool:
		if col.Bool != nil {
			c.Bool(i, x)
			return
		}
	case int64:
		if col.Int != nil {
			c.Int(i, x)
			return
		}
	case float64:
		if col.Float != nil {
			c.Float(i, x)
			return
		}
	case string:
		if col.Str != nil {
			col.Str[c.n] = x
			c.valid(i)
			return
		}
	case types.Bytes:
		if col.Str != nil {
			col.Str[c.n] = string(x)
			c.valid(i)
			return
		}
	case types.Dec:
		if col.Int != nil {
			c.Int(i, x.Unscaled.Int64())
			return
		}
	}
	if col.Any == nil {
		c.Null(i)
		return
	}
	col.Any[c.n] = v
	c.valid(i)
}

// keep copies v into the arena.
func (c *Columns) keep(v []byte) string {
	if len(v) == 0 {
		return ""
	}
	if len(v) > arenaSize/4 {
		return string(v)
	}
	if len(c.arena)+len(v) > cap(c.arena) {
		c.arena = make([]byte, 0, arenaSize)
	}
	at := len(c.arena)
	c.arena = append(c.arena, v...)
	// The arena's bytes are written once and never again, so a string may point at them.
	return unsafe.String(&c.arena[at], len(v))
}
