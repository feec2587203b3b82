package partition

import (
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// ParseValue is the value that a directory's text (unescaped) has in a column: DefaultPartition is NULL, the rest is
// cast as CAST(text AS type) under ANSI rules and brought to the form of Canonical. The error is the cast's, a
// *sqlerr.Error.
//
// A TIMESTAMP is read as wall-clock time. Text that names a time zone of its own is an instant, not a wall-clock time, and so
// an error.
func ParseValue(col Column, text string) (types.Value, error) {
	if text == DefaultPartition {
		return nil, nil
	}
	switch col.Type.Kind {
	case types.String, types.Varchar, types.Char:
		return Canonical(col, text), nil
	case types.Binary:
		return Canonical(col, types.Bytes(text)), nil
	case types.Timestamp:
		v, err := types.Cast(text, types.Of(types.String), col.Type, types.CastOptions{Zone: time.UTC})
		if err == nil && namesZone(text) {
			return nil, sqlerr.CastInvalidInput(types.FormatLiteral(types.Of(types.String), text, time.UTC), "STRING", col.Type.SQL())
		}
		return v, err
	}
	v, err := types.Cast(text, types.Of(types.String), col.Type, types.CastOptions{Zone: time.UTC})
	if err != nil {
		return nil, err
	}
	return Canonical(col, v), nil
}

// namesZone reports whether a timestamp's text names its zone: then it is the same instant wherever it is read.
func namesZone(text string) bool {
	here, ok := types.ParseTimestamp(text, time.UTC)
	there, _ := types.ParseTimestamp(text, time.FixedZone("", 3600))
	return ok && here == there
}

// Canonical is the one form of a value that identity compares: ” is NULL, -0.0 is 0.0, there is one NaN, CHAR is padded to
// its length, DECIMAL has the column's scale. A TIMESTAMP value is already wall-clock time.
func Canonical(col Column, v types.Value) types.Value {
	switch x := v.(type) {
	case string:
		if x == "" || x == DefaultPartition {
			return nil
		}
		if col.Type.Kind == types.Char {
			return padTo(trimBlanks(x), col.Type.Precision)
		}
	case types.Bytes:
		if x == "" {
			return nil
		}
	case float64:
		return unorderFloat(orderFloat(x))
	case types.Dec:
		if x.Scale != col.Type.Scale || x.Unscaled == nil {
			return types.Dec{Unscaled: rescaled(x, col.Type.Scale), Scale: col.Type.Scale}
		}
	}
	return v
}

// CanonicalValues brings one value per column to canonical form; a missing value is NULL.
func CanonicalValues(cols []Column, v Values) Values {
	out := make(Values, len(cols))
	for i, col := range cols {
		if i < len(v) {
			out[i] = Canonical(col, v[i])
		}
	}
	return out
}

// Text is a value's text in directory names and in SHOW PARTITIONS, not escaped: Spark's CAST AS STRING, and
// DefaultPartition for NULL.
func Text(col Column, v types.Value) string {
	v = Canonical(col, v)
	if v == nil {
		return DefaultPartition
	}
	return string(appendText(nil, col.Type, keyOf(col.Type, v)))
}

// appendText writes the text of a held value.
func appendText(dst []byte, t types.Type, k key) []byte {
	switch t.Kind {
	case types.String, types.Varchar, types.Binary:
		return append(dst, k.text...)
	case types.Char:
		return append(dst, padTo(k.text, t.Precision)...)
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return strconv.AppendInt(dst, k.num, 10)
	case types.Boolean:
		return strconv.AppendBool(dst, k.num != 0)
	case types.Date:
		return append(dst, types.FormatDate(k.num)...)
	case types.Timestamp, types.TimestampNTZ:
		return append(dst, types.FormatTimestampNTZ(k.num)...)
	case types.Decimal:
		if t.Precision <= wideDecimal {
			return append(dst, types.Format(t, types.Dec{Unscaled: big.NewInt(k.num), Scale: t.Scale}, time.UTC)...)
		}
	}
	return append(dst, types.Format(t, k.value(t), time.UTC)...)
}

// appendCode writes "name=value" for a code of a column, escaped: the canonical directory name.
func appendCode(dst []byte, col Column, d *domain, code uint32) []byte {
	dst = append(appendEscaped(dst, col.Name), '=')
	if code == 0 {
		return append(dst, DefaultPartition...)
	}
	return appendValue(dst, col.Type, d.key(code))
}

// appendValue writes the text of a held value, escaped.
func appendValue(dst []byte, t types.Type, k key) []byte {
	if t.Kind == types.String || t.Kind == types.Varchar || t.Kind == types.Binary {
		return appendEscaped(dst, k.text)
	}
	var buf [48]byte
	return appendEscaped(dst, appendText(buf[:0], t, k))
}

func trimBlanks(s string) string { return strings.TrimRight(s, " ") }

// padTo pads s with blanks to n characters.
func padTo(s string, n int) string {
	if have := utf8.RuneCountInString(s); have < n {
		return s + strings.Repeat(" ", n-have)
	}
	return s
}
