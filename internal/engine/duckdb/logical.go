package duckdb

import (
	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// logicalType is the DuckDB type of a Spark type, the same that expr.DuckType names in SQL. The caller destroys it.
func logicalType(t types.Type) (bindings.LogicalType, error) {
	id, ok := simpleTypes(t.Kind)
	if ok {
		return bindings.CreateLogicalType(id), nil
	}
	switch t.Kind {
	case types.Decimal:
		return bindings.CreateDecimalType(uint8(t.Precision), uint8(t.Scale)), nil
	case types.Array:
		elem, err := logicalType(*t.Elem)
		if err != nil {
			return elem, err
		}
		defer bindings.DestroyLogicalType(&elem)
		return bindings.CreateListType(elem), nil
	case types.Map:
		key, err := logicalType(*t.Key)
		if err != nil {
			return key, err
		}
		defer bindings.DestroyLogicalType(&key)
		val, err := logicalType(*t.Elem)
		if err != nil {
			return val, err
		}
		defer bindings.DestroyLogicalType(&val)
		return bindings.CreateMapType(key, val), nil
	case types.Struct:
		return structType(t)
	}
	return bindings.LogicalType{}, internal("the engine has no type for %s", t.String())
}

func structType(t types.Type) (bindings.LogicalType, error) {
	fields := make([]bindings.LogicalType, 0, len(t.Fields))
	defer func() {
		for i := range fields {
			bindings.DestroyLogicalType(&fields[i])
		}
	}()
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		lt, err := logicalType(f.Type)
		if err != nil {
			return lt, err
		}
		fields = append(fields, lt)
		names[i] = expr.DuckFieldName(t, i)
	}
	if len(fields) == 0 {
		return bindings.LogicalType{}, internal("the engine has no type for a struct without fields")
	}
	return bindings.CreateStructType(fields, names), nil
}

// simpleTypes are the kinds whose DuckDB type has no parameters.
func simpleTypes(k types.Kind) (bindings.Type, bool) {
	switch k {
	case types.Boolean:
		return bindings.TypeBoolean, true
	case types.TinyInt:
		return bindings.TypeTinyInt, true
	case types.SmallInt:
		return bindings.TypeSmallInt, true
	case types.Int, types.YearMonthInterval, types.Void:
		return bindings.TypeInteger, true
	case types.BigInt, types.DayTimeInterval:
		return bindings.TypeBigInt, true
	case types.Float:
		return bindings.TypeFloat, true
	case types.Double:
		return bindings.TypeDouble, true
	case types.String, types.Char, types.Varchar:
		return bindings.TypeVarchar, true
	case types.Binary:
		return bindings.TypeBlob, true
	case types.Date:
		return bindings.TypeDate, true
	case types.Timestamp:
		return bindings.TypeTimestampTZ, true
	case types.TimestampNTZ:
		return bindings.TypeTimestamp, true
	case types.Time:
		return bindings.TypeTime, true
	case types.CalendarInterval:
		return bindings.TypeInterval, true
	}
	return bindings.TypeInvalid, false
}
