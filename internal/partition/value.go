package partition

import "github.com/tarnlake/tarn/internal/types"

// ParseValue is the value that a directory's text (unescaped) has in a column: DefaultPartition is NULL, the rest is
// cast as CAST(text AS type) under ANSI rules and brought to the form of Canonical. The error is the cast's.
func ParseValue(col Column, text string) (types.Value, error) { return text, nil }

// Canonical is the one form of a value that identity compares: ” is NULL, -0.0 is 0.0, there is one NaN, CHAR is padded to
// its length, DECIMAL has the column's scale.
func Canonical(col Column, v types.Value) types.Value { return v }

// Text is a value's text in directory names and in SHOW PARTITIONS, not escaped: Spark's CAST AS STRING, and
// DefaultPartition for NULL.
func Text(col Column, v types.Value) string { return "" }
