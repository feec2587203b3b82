package duckdb

import (
	"slices"
	"strconv"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/types"
)

// parameter is a list of values of one type that emitted SQL refers to by its number. Lists of files travel so in any
// case: DuckDB binds a statement that reads files again before it runs it, and while the list is open it gives up the
// first attempt at once instead of doing the work twice. Long lists are taken faster as values than as text, too.
type parameter struct {
	typ    types.Type // of an element
	values []types.Value
}

// parameter adds a list and returns the text that stands for it. Equal lists share a number.
func (s *query) parameter(p parameter) string {
	for i := range s.parameters {
		if have := &s.parameters[i]; types.Equal(have.typ, p.typ) && slices.Equal(have.values, p.values) {
			return "$" + strconv.Itoa(i+1)
		}
	}
	s.parameters = append(s.parameters, p)
	return "$" + strconv.Itoa(len(s.parameters))
}

// fileList is the text of a list of paths.
func (s *query) fileList(paths []string) string {
	vals := make([]types.Value, len(paths))
	for i, v := range paths {
		vals[i] = v
	}
	return s.parameter(parameter{typ: types.Of(types.String), values: vals})
}

// codeList is the text of a list of numbers.
func (s *query) codeList(codes []int64) string {
	if len(codes) >= longList {
		vals := make([]types.Value, len(codes))
		for i, v := range codes {
			vals[i] = v
		}
		return s.parameter(parameter{typ: types.Of(types.BigInt), values: vals})
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

// bind gives the list to a prepared statement as parameter number n, from 1.
func (p *parameter) bind(stmt bindings.PreparedStatement, n int) error {
	elem, err := logicalType(p.typ)
	if err != nil {
		return err
	}
	defer bindings.DestroyLogicalType(&elem)
	vals := make([]bindings.Value, len(p.values))
	defer func() {
		for i := range vals {
			bindings.DestroyValue(&vals[i])
		}
	}()
	for i, x := range p.values {
		if vals[i], err = boundValue(x, p.typ); err != nil {
			return err
		}
	}
	list := bindings.CreateListValue(elem, vals)
	defer bindings.DestroyValue(&list)
	if bindings.BindValue(stmt, bindings.IdxT(n), list) == bindings.StateError {
		return internal("parameter %d: %s", n, bindings.PrepareError(stmt))
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
		return bindings.CreateVarchar(validText(x)), nil
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
	case types.Time:
		return bindings.CreateTime(bindings.NewTime(x))
	case types.TimestampNTZ:
		return bindings.CreateTimestamp(bindings.NewTimestamp(x))
	}
	return bindings.CreateInt64(x)
}

// used leaves out the parameters that a statement does not refer to, and numbers the others anew: a function may do without
// the text of an argument in which there is a scan.
func used(text string, all []parameter) (string, []parameter) {
	if len(all) == 0 {
		return text, nil
	}
	numbers := map[int]int{}
	var kept []parameter
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return text, all
			}
			i += end + 2 // a doubled quote begins another piece
		case c == '$' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			end := i + 1
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(text[i+1 : end])
			if err != nil || n < 1 || n > len(all) {
				return text, all
			}
			if numbers[n] == 0 {
				kept = append(kept, all[n-1])
				numbers[n] = len(kept)
			}
			out.WriteString(text[from:i] + "$" + strconv.Itoa(numbers[n]))
			i, from = end, end
		default:
			i++
		}
	}
	if len(kept) == len(all) {
		return text, all // in their own order, or in another that does not matter
	}
	return out.String() + text[from:], kept
}
