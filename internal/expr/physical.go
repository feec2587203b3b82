package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// Physical types: how DuckDB holds Spark's values. This is the one place that rules it; the engine adapter, the
// templates of the registry and the file readers follow.
//
//	BOOLEAN, integers, FLOAT, DOUBLE    the DuckDB type of the same width
//	DECIMAL(p,s)                        DECIMAL(p,s)
//	STRING, CHAR, VARCHAR               VARCHAR
//	BINARY                              BLOB
//	DATE                                DATE
//	TIMESTAMP                           TIMESTAMP WITH TIME ZONE: the instant in microseconds. The engine sets TimeZone
//	                                    to the session's zone, so CAST(x AS TIMESTAMP) is the wall clock and fields
//	                                    and text come from that
//	TIMESTAMP_NTZ                       TIMESTAMP
//	TIME                                TIME
//	INTERVAL … of years and months      INTEGER, months
//	INTERVAL … of days to seconds       BIGINT, microseconds
//	INTERVAL (calendar)                 INTERVAL
//	ARRAY, MAP, STRUCT                  LIST, MAP, STRUCT
//	VOID                                INTEGER: every value is NULL, and DuckDB's own NULL type gets lost in lists
//
// Both interval families are plain integers so that arithmetic, comparison, sum and Parquet storage are exact.

// DuckType is the DuckDB name of the type that holds values of t.
func DuckType(t types.Type) string {
	switch t.Kind {
	case types.Boolean:
		return "BOOLEAN"
	case types.TinyInt:
		return "TINYINT"
	case types.SmallInt:
		return "SMALLINT"
	case types.BigInt, types.DayTimeInterval:
		return "BIGINT"
	case types.Float:
		return "FLOAT"
	case types.Double:
		return "DOUBLE"
	case types.Decimal:
		return "DECIMAL(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case types.String, types.Char, types.Varchar, types.Variant:
		return "VARCHAR"
	case types.Binary:
		return "BLOB"
	case types.Date:
		return "DATE"
	case types.Timestamp:
		return "TIMESTAMP WITH TIME ZONE"
	case types.TimestampNTZ:
		return "TIMESTAMP"
	case types.Time:
		return "TIME"
	case types.CalendarInterval:
		return "INTERVAL"
	case types.Array:
		return DuckType(*t.Elem) + "[]"
	case types.Map:
		return "MAP(" + DuckType(*t.Key) + ", " + DuckType(*t.Elem) + ")"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = DuckIdent(DuckFieldName(t, i)) + " " + DuckType(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	return "INTEGER" // INT, INTERVAL YEAR TO MONTH, VOID
}

// DuckFieldName is the name of field i of a STRUCT inside DuckDB, whose field names must not be empty, hold no NUL, and
// differ without regard to case. Spark's own name serves whenever it can.
func DuckFieldName(t types.Type, i int) string {
	if i < len(t.Fields) && ownName(t, i) {
		return t.Fields[i].Name
	}
	// The others are told apart by their places, with as many underlines as no name of the struct has.
	for line := "_"; ; line += "_" {
		if !slices.ContainsFunc(t.Fields, func(f types.Field) bool { return strings.HasSuffix(f.Name, line+strconv.Itoa(i)) }) {
			name := ""
			if i < len(t.Fields) {
				name = strings.ReplaceAll(t.Fields[i].Name, "\x00", "")
			}
			return name + line + strconv.Itoa(i)
		}
	}
}

// ownName reports whether field i may be called inside DuckDB what it is called.
func ownName(t types.Type, i int) bool {
	name := t.Fields[i].Name
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	return !slices.ContainsFunc(t.Fields[:i], func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
}

// DuckIdent quotes a name for DuckDB.
func DuckIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// DuckString quotes text for DuckDB. A NUL cannot stand in SQL text: it becomes chr(0).
func DuckString(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.IndexByte(s, 0) < 0 {
		return quoted
	}
	return "(" + strings.ReplaceAll(quoted, "\x00", "'||chr(0)||'") + ")"
}
