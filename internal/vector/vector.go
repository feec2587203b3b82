// Package vector holds batches of rows column by column: what file readers give the engine and what the engine
// gives back. It knows nothing of files, SQL or any engine, and imports only types.
package vector

import "github.com/tarnlake/tarn/internal/types"

// MaxRows is the most rows a batch may hold. It equals DuckDB's vector size, so that a batch is one data chunk.
const MaxRows = 2048

// Batch is a block of rows. It belongs to its producer: it is valid until the producer is asked for the next one.
type Batch struct {
	Len  int
	Cols []Column
}

// Column holds the values of one column of a batch. Which slice is used follows from the type:
//
//	Bool   BOOLEAN
//	Int    TINYINT … BIGINT, DATE (days), TIMESTAMP and TIMESTAMP_NTZ and TIME (µs), both intervals (months, µs),
//	       DECIMAL of precision ≤ 18 (unscaled)
//	Float  FLOAT, DOUBLE
//	Str    STRING, CHAR, VARCHAR, BINARY (raw bytes)
//	Any    everything else, each element as types.Value says; nil is NULL
//
// Nulls is nil when no value is NULL; else Nulls[i] tells whether row i is. When Const is set every slice in use has
// one element, which holds for all rows.
type Column struct {
	Type  types.Type
	Const bool
	Nulls []bool
	Bool  []bool
	Int   []int64
	Float []float64
	Str   []string
	Any   []types.Value
}

// Storage says which slice of a Column holds values of a type.
type Storage uint8

// The slices of a Column.
const (
	InAny Storage = iota
	InBool
	InInt
	InFloat
	InStr
)

// StorageOf is the slice that holds values of type t.
func StorageOf(t types.Type) Storage {
	switch t.Kind {
	case types.Boolean:
		return InBool
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Date, types.Timestamp, types.TimestampNTZ,
		types.Time, types.YearMonthInterval, types.DayTimeInterval:
		return InInt
	case types.Decimal:
		if t.Precision <= 18 {
			return InInt
		}
		return InAny
	case types.Float, types.Double:
		return InFloat
	case types.String, types.Char, types.Varchar, types.Binary:
		return InStr
	}
	return InAny
}
