package vector

import (
	"math/big"

	"github.com/tarnlake/tarn/internal/types"
)

// NewBatch returns an empty batch for columns of the given types, to be filled with Append.
func NewBatch(ts []types.Type) *Batch {
	b := &Batch{Cols: make([]Column, len(ts))}
	for i, t := range ts {
		b.Cols[i].Type = t
	}
	return b
}

// Append adds one row; a value must have the form that types.Value gives for its column's type.
func (b *Batch) Append(row []types.Value) {
	for i := range b.Cols {
		b.Cols[i].append(row[i], b.Len)
	}
	b.Len++
}

// append adds v as row n.
func (c *Column) append(v types.Value, n int) {
	if v == nil && c.Nulls == nil {
		c.Nulls = make([]bool, n, MaxRows)
	}
	if c.Nulls != nil {
		c.Nulls = append(c.Nulls, v == nil)
	}
	switch StorageOf(c.Type) {
	case InBool:
		x, _ := v.(bool)
		c.Bool = append(c.Bool, x)
	case InInt:
		c.Int = append(c.Int, asInt(v))
	case InFloat:
		x, _ := v.(float64)
		c.Float = append(c.Float, x)
	case InStr:
		switch x := v.(type) {
		case string:
			c.Str = append(c.Str, x)
		case types.Bytes:
			c.Str = append(c.Str, string(x))
		default:
			c.Str = append(c.Str, "")
		}
	default:
		c.Any = append(c.Any, v)
	}
}

func asInt(v types.Value) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case types.Dec:
		return x.Unscaled.Int64()
	}
	return 0
}

// Value returns row i of the column in the form that types.Value gives for its type.
func (c *Column) Value(i int) types.Value {
	if c.IsNull(i) {
		return nil
	}
	if c.Const {
		i = 0
	}
	switch StorageOf(c.Type) {
	case InBool:
		return c.Bool[i]
	case InInt:
		if c.Type.Kind == types.Decimal {
			return types.Dec{Unscaled: big.NewInt(c.Int[i]), Scale: c.Type.Scale}
		}
		return c.Int[i]
	case InFloat:
		return c.Float[i]
	case InStr:
		if c.Type.Kind == types.Binary {
			return types.Bytes(c.Str[i])
		}
		return c.Str[i]
	}
	return c.Any[i]
}

// IsNull reports whether row i is NULL.
func (c *Column) IsNull(i int) bool {
	if c.Const {
		i = 0
	}
	if c.Nulls != nil {
		return c.Nulls[i]
	}
	return StorageOf(c.Type) == InAny && len(c.Any) > i && c.Any[i] == nil
}

// ConstColumn is a column that holds one value in every row.
func ConstColumn(t types.Type, v types.Value) Column {
	c := Column{Type: t}
	c.append(v, 0)
	c.Const = true
	return c
}
