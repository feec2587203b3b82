package delta

import (
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// ParsePartitionValue reads the text of a partition value. The empty text is NULL, also of a STRING column, which therefore
// cannot hold the empty string. A TIMESTAMP without a zone is one of the writer's zone, which nobody knows: it is read in
// the given one (the session's), as Spark does. The error is DELTA_PARTITION_COLUMN_CAST_FAILED.
func ParsePartitionValue(column string, t types.Type, text string, zone *time.Location) (types.Value, error) {
	if text == "" {
		return nil, nil
	}
	v, ok := parsePartitionText(t, text, zone)
	if !ok {
		return nil, sqlerr.DeltaPartitionCast(column, text, t.SQL())
	}
	return v, nil
}

func parsePartitionText(t types.Type, text string, zone *time.Location) (v types.Value, ok bool) {
	switch t.Kind {
	case types.String, types.Char, types.Varchar:
		return text, true
	case types.Binary:
		return types.Bytes(text), true
	case types.Boolean:
		b, ok := types.ParseBoolean(text)
		return b, ok
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		n, ok := types.ParseInteger(text, t.Kind, types.ANSI)
		return n, ok
	case types.Float:
		f, ok := types.ParseDouble(text)
		return float64(float32(f)), ok
	case types.Double:
		f, ok := types.ParseDouble(text)
		return f, ok
	case types.Decimal:
		d, ok := types.ParseDec(strings.TrimSpace(text))
		if !ok {
			return nil, false
		}
		d, ok = d.Fit(t.Precision, t.Scale)
		return d, ok
	case types.Date:
		d, ok := types.ParseDate(text)
		return d, ok
	case types.Timestamp:
		if zone == nil {
			zone = time.UTC
		}
		m, ok := types.ParseTimestamp(text, zone)
		return m, ok
	case types.TimestampNTZ:
		m, ok := types.ParseTimestampNTZ(text)
		return m, ok
	}
	return nil, false
}

// FormatPartitionValue writes a partition value as the log holds it: "" for NULL, an instant in UTC by ISO 8601 with six
// digits of fraction, everything else as Spark casts it to text.
func FormatPartitionValue(t types.Type, v types.Value) string {
	if v == nil {
		return ""
	}
	switch t.Kind {
	case types.Timestamp:
		micros, ok := v.(int64)
		if !ok {
			return ""
		}
		fraction := micros - types.FloorDiv(micros, types.MicrosPerSecond)*types.MicrosPerSecond
		day, clock, _ := strings.Cut(types.FormatTimestampNTZ(micros-fraction), " ")
		return day + "T" + clock + "." + padded(fraction, 6) + "Z"
	case types.Binary:
		if b, ok := v.(types.Bytes); ok {
			return string(b)
		}
	case types.Decimal:
		if d, ok := v.(types.Dec); ok {
			return d.Rescale(t.Scale).String()
		}
	}
	return types.Format(t, v, time.UTC)
}

// PartitionDir is the directory below the table's root for files with these values: names and texts are those of one file,
// in the order of the partition columns. It carries no meaning, since values come from the log; writers make it because
// people look for it. It is no URI: EncodePath makes one of it.
func PartitionDir(names, texts []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(partition.EscapeName(name))
		b.WriteByte('=')
		b.WriteString(partition.EscapeValue(texts[i]))
	}
	return b.String()
}
