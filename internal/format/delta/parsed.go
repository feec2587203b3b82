package delta

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarnlake/tarn/internal/types"
)

// parsedColumns are the columns of a checkpoint that hold typed values, stats_parsed or partitionValues_parsed: what is
// read when a writer left the text out.
type parsedColumns struct {
	root   *parsedNode
	leaves []*cursor
}

// parsedNode is a struct or a leaf of it.
type parsedNode struct {
	name     string
	children []*parsedNode
	cur      *cursor // nil for a column without values
	typ      types.Type
}

// readParsed decodes the columns below one of add's; nil when there are none.
func readParsed(rows parquet.RowGroup, add *parquet.Column, name string) (*parsedColumns, error) {
	col := add.Column(name)
	if col == nil || col.Leaf() {
		return nil, nil
	}
	p := &parsedColumns{}
	chunks := rows.ColumnChunks()
	var walk func(c *parquet.Column) (*parsedNode, error)
	walk = func(c *parquet.Column) (*parsedNode, error) {
		n := &parsedNode{name: c.Name()}
		if !c.Leaf() {
			for _, child := range c.Columns() {
				node, err := walk(child)
				if err != nil {
					return nil, err
				}
				n.children = append(n.children, node)
			}
			return n, nil
		}
		if c.MaxRepetitionLevel() > 0 || c.Index() < 0 || c.Index() >= len(chunks) {
			return n, nil
		}
		n.typ = typeOfLeaf(c)
		l, err := readLeaf(chunks[c.Index()], c)
		if err != nil {
			return nil, err
		}
		if n.cur = newCursor(l); n.cur != nil {
			p.leaves = append(p.leaves, n.cur)
		}
		return n, nil
	}
	var err error
	p.root, err = walk(col)
	return p, err
}

// typeOfLeaf is the type that a column's values have, as far as its text needs it.
func typeOfLeaf(c *parquet.Column) types.Type {
	t := c.Type()
	if l := t.LogicalType(); l != nil {
		switch v := l.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return types.Of(types.String)
		case *format.DateType:
			return types.Of(types.Date)
		case *format.DecimalType:
			return types.DecimalOf(int(v.Precision), int(v.Scale))
		case *format.TimestampType:
			kind := types.Timestamp
			if !v.IsAdjustedToUTC {
				kind = types.TimestampNTZ
			}
			// Precision tells how many of the unit make a second.
			switch v.Unit.Value.(type) {
			case *format.MilliSeconds:
				return types.Type{Kind: kind, Precision: 1_000}
			case *format.NanoSeconds:
				return types.Type{Kind: kind, Precision: 1_000_000_000}
			}
			return types.Type{Kind: kind, Precision: types.MicrosPerSecond}
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		return types.Of(types.Boolean)
	case parquet.Float:
		return types.Of(types.Float)
	case parquet.Double:
		return types.Of(types.Double)
	case parquet.Int96:
		return types.Type{Kind: types.Timestamp, Precision: types.MicrosPerSecond}
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return types.Of(types.Binary)
	}
	return types.Of(types.BigInt)
}

func (p *parsedColumns) row() bool {
	if p == nil {
		return true
	}
	for _, c := range p.leaves {
		if !c.row() {
			return false
		}
	}
	return true
}

// value is the row's value of a leaf; nil when it is null.
func (n *parsedNode) value() types.Value {
	c := n.cur
	if !c.has() {
		return nil
	}
	switch n.typ.Kind {
	case types.String:
		return c.text()
	case types.Binary:
		return types.Bytes(c.text())
	case types.Boolean:
		return c.truth()
	case types.Float, types.Double:
		if c.floats == nil {
			return nil
		}
		return c.floats[c.val]
	case types.Decimal:
		if c.longs != nil {
			return types.NewDec(c.long(), n.typ.Scale)
		}
		return types.Dec{Unscaled: twosComplement(c.text()), Scale: n.typ.Scale}
	case types.Timestamp, types.TimestampNTZ:
		v := c.long()
		switch n.typ.Precision {
		case 1_000:
			return v * 1000
		case 1_000_000_000:
			return types.FloorDiv(v, 1000)
		}
		return v
	}
	return c.long()
}

// twosComplement reads big-endian bytes.
func twosComplement(b string) *big.Int {
	n := new(big.Int).SetBytes([]byte(b))
	if b != "" && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// stats writes the row's statistics as the JSON text that the stats column would hold.
func (p *parsedColumns) stats() string {
	w := &jsonWriter{}
	if !p.root.write(w) {
		return ""
	}
	return string(w.buf)
}

// write appends the node's value, and reports whether there was any.
func (n *parsedNode) write(w *jsonWriter) bool {
	if n.children == nil {
		v := n.value()
		if v == nil {
			return false
		}
		w.raw(statText(n.typ, v))
		return true
	}
	start, comma := len(w.buf), w.comma
	w.open('{')
	some := false
	for _, c := range n.children {
		mark, sep := len(w.buf), w.comma
		w.key(c.name)
		if c.write(w) {
			some = true
		} else {
			w.buf, w.comma = w.buf[:mark], sep
		}
	}
	w.close('}')
	if !some {
		w.buf, w.comma = w.buf[:start], comma
	}
	return some
}

// partitionTexts are the row's values as the log would write them.
func (p *parsedColumns) partitionTexts() PartitionTexts {
	var out PartitionTexts
	for _, c := range p.root.children {
		out = append(out, PartitionText{c.name, FormatPartitionValue(c.typ, c.value())})
	}
	out.sort()
	return out
}

// statText is a bound in the JSON of statistics: numbers and booleans bare, everything else in quotes, an instant in UTC by
// ISO 8601 with milliseconds when that is exact.
func statText(t types.Type, v types.Value) string {
	switch x := v.(type) {
	case bool:
		return strconv.FormatBool(x)
	case types.Dec:
		return x.String()
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return string(appendJSONString(nil, types.FormatDouble(x)))
		}
		if t.Kind == types.Float {
			return types.FormatFloat(x)
		}
		return types.FormatDouble(x)
	case string:
		return string(appendJSONString(nil, x))
	case types.Bytes:
		return string(appendJSONString(nil, base64.StdEncoding.EncodeToString([]byte(x))))
	case int64:
		switch t.Kind {
		case types.Date:
			return `"` + types.FormatDate(x) + `"`
		case types.Timestamp, types.TimestampNTZ:
			return `"` + statTime(t.Kind, x) + `"`
		}
		return itoa(x)
	}
	return "null"
}

func statTime(kind types.Kind, micros int64) string {
	fraction := micros - types.FloorDiv(micros, types.MicrosPerSecond)*types.MicrosPerSecond
	day, clock, _ := strings.Cut(types.FormatTimestamp(micros-fraction, time.UTC), " ")
	digits := padded(fraction, 6)
	if fraction%1000 == 0 {
		digits = digits[:3]
	}
	text := day + "T" + clock + "." + digits
	if kind == types.Timestamp {
		text += "Z"
	}
	return text
}
