package duckdb

import (
	"errors"
	"strconv"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/types"
)

// variable is a list that emitted SQL refers to by getvariable(name): set on the connection before the statement is
// prepared. The next statement overwrites it.
type variable interface {
	set(c *conn) error
}

// listVariable is a list of values of one type.
type listVariable struct {
	name   string
	typ    types.Type
	values []types.Value
}

// variable makes a list known and returns the text that stands for it.
func (s *query) variable(v *listVariable) string {
	v.name = "v" + strconv.Itoa(len(s.variables))
	s.variables = append(s.variables, v)
	return "getvariable(" + quote(v.name) + ")"
}

// stringList is the text of a list of strings.
func (s *query) stringList(list []string) string {
	if len(list) >= longList {
		vals := make([]types.Value, len(list))
		for i, v := range list {
			vals[i] = v
		}
		return s.variable(&listVariable{typ: types.Of(types.String), values: vals})
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteAny(v))
	}
	b.WriteByte(']')
	return b.String()
}

// codeList is the text of a list of numbers.
func (s *query) codeList(codes []int64) string {
	if len(codes) >= longList {
		vals := make([]types.Value, len(codes))
		for i, v := range codes {
			vals[i] = v
		}
		return s.variable(&listVariable{typ: types.Of(types.BigInt), values: vals})
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range codes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(v, 10))
	}
	b.WriteByte(']')
	return b.String()
}

// set implements variable.
func (v *listVariable) set(c *conn) error {
	elem, err := logicalType(v.typ)
	if err != nil {
		return err
	}
	defer bindings.DestroyLogicalType(&elem)
	vals := make([]bindings.Value, len(v.values))
	defer func() {
		for i := range vals {
			bindings.DestroyValue(&vals[i])
		}
	}()
	for i, x := range v.values {
		if vals[i], err = boundValue(x, v.typ); err != nil {
			return err
		}
	}
	list := bindings.CreateListValue(elem, vals)
	defer bindings.DestroyValue(&list)
	var stmt bindings.PreparedStatement
	defer bindings.DestroyPrepare(&stmt)
	if bindings.Prepare(c.c, "SET VARIABLE "+v.name+"=$1", &stmt) == bindings.StateError {
		return errors.New(bindings.PrepareError(stmt))
	}
	if bindings.BindValue(stmt, 1, list) == bindings.StateError {
		return errors.New(bindings.PrepareError(stmt))
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePrepared(stmt, &res) == bindings.StateError {
		return errors.New(bindings.ResultError(&res))
	}
	return nil
}

// boundValue is a value of a type that a partition column may have, as DuckDB takes it without a text.
func boundValue(v types.Value, t types.Type) (bindings.Value, error) {
	if v == nil {
		return bindings.CreateNullValue(), nil
	}
	switch x := v.(type) {
	case bool:
		return bindings.CreateBool(x), nil
	case string:
		return bindings.CreateVarchar(x), nil
	case types.Bytes:
		return bindings.CreateBlob([]byte(x)), nil
	case float64:
		if t.Kind == types.Float {
			return bindings.CreateFloat(float32(x)), nil
		}
		return bindings.CreateDouble(x), nil
	case int64:
		return boundInt(x, t), nil
	case types.Dec:
		lo, hi := twoWords(x.Unscaled)
		return bindings.CreateDecimal(bindings.NewDecimal(uint8(t.Precision), uint8(t.Scale), bindings.NewHugeInt(lo, int64(hi)))), nil
	}
	return bindings.Value{}, internal("a value of %s is a %T", t.String(), v)
}

func boundInt(x int64, t types.Type) bindings.Value {
	switch t.Kind {
	case types.TinyInt:
		return bindings.CreateInt8(int8(x))
	case types.SmallInt:
		return bindings.CreateInt16(int16(x))
	case types.Int, types.YearMonthInterval:
		return bindings.CreateInt32(int32(x))
	case types.Date:
		return bindings.CreateDate(bindings.NewDate(int32(x)))
	case types.Timestamp:
		return bindings.CreateTimestampTZ(bindings.NewTimestamp(x))
	case types.TimestampNTZ:
		return bindings.CreateTimestamp(bindings.NewTimestamp(x))
	}
	return bindings.CreateInt64(x)
}
