package lake

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

var decimalType = regexp.MustCompile(`^decimal\((\d+),\s*(\d+)\)$`)

// WriteParquet writes the file that spec describes: {"columns": {name: Spark type}, "rows": [[…]]}, where DATE, TIMESTAMP (in
// UTC) and DECIMAL are given as text.
func WriteParquet(path, spec string) error {
	var s struct {
		Columns json.RawMessage
		Rows    [][]any
	}
	dec := json.NewDecoder(strings.NewReader(spec))
	dec.UseNumber()
	if err := dec.Decode(&s); err != nil {
		return err
	}
	names, kinds, err := orderedObject(s.Columns)
	if err != nil {
		return err
	}
	group := parquet.Group{}
	for i, n := range names {
		node, err := nodeOf(kinds[i])
		if err != nil {
			return err
		}
		group[n] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("row", group)
	// A Group sorts its fields by name: rows are laid out in that order.
	at := map[string]int{}
	for i, n := range names {
		at[n] = i
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewWriter(f, schema)
	for _, row := range s.Rows {
		var out parquet.Row
		for col, field := range schema.Fields() {
			i := at[field.Name()]
			values, err := valuesOf(kinds[i], row[i], col)
			if err != nil {
				return err
			}
			out = append(out, values...)
		}
		if _, err := w.WriteRows([]parquet.Row{out}); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// orderedObject reads a JSON object of texts and keeps the order of its keys.
func orderedObject(raw json.RawMessage) (keys, values []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		v, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, fmt.Sprint(k)), append(values, strings.ToLower(fmt.Sprint(v)))
	}
	return keys, values, nil
}

func nodeOf(kind string) (parquet.Node, error) {
	if m := decimalType.FindStringSubmatch(kind); m != nil {
		p, _ := strconv.Atoi(m[1])
		s, _ := strconv.Atoi(m[2])
		if p > 18 {
			return nil, fmt.Errorf("decimal(%d) is beyond what the cases need", p)
		}
		return parquet.Decimal(s, p, parquet.Int64Type), nil
	}
	if elem, ok := strings.CutPrefix(kind, "array<"); ok {
		n, err := nodeOf(strings.TrimSuffix(elem, ">"))
		if err != nil {
			return nil, err
		}
		return parquet.List(parquet.Optional(n)), nil
	}
	switch kind {
	case "boolean":
		return parquet.Leaf(parquet.BooleanType), nil
	case "tinyint":
		return parquet.Int(8), nil
	case "smallint":
		return parquet.Int(16), nil
	case "int":
		return parquet.Int(32), nil
	case "bigint":
		return parquet.Int(64), nil
	case "float":
		return parquet.Leaf(parquet.FloatType), nil
	case "double":
		return parquet.Leaf(parquet.DoubleType), nil
	case "string":
		return parquet.String(), nil
	case "binary":
		return parquet.Leaf(parquet.ByteArrayType), nil
	case "date":
		return parquet.Date(), nil
	case "timestamp":
		return parquet.Timestamp(parquet.Microsecond), nil
	}
	return nil, fmt.Errorf("no Parquet type for %q", kind)
}

// valuesOf encodes one cell of a column with its levels.
func valuesOf(kind string, v any, col int) ([]parquet.Value, error) {
	if elem, ok := strings.CutPrefix(kind, "array<"); ok {
		list, isList := v.([]any)
		switch {
		case v == nil:
			return []parquet.Value{parquet.NullValue().Level(0, 0, col)}, nil
		case !isList:
			return nil, fmt.Errorf("%v is no array", v)
		case len(list) == 0:
			return []parquet.Value{parquet.NullValue().Level(0, 1, col)}, nil
		}
		var out []parquet.Value
		for i, e := range list {
			rep := min(i, 1)
			if e == nil {
				out = append(out, parquet.NullValue().Level(rep, 2, col))
				continue
			}
			x, err := scalar(strings.TrimSuffix(elem, ">"), e)
			if err != nil {
				return nil, err
			}
			out = append(out, x.Level(rep, 3, col))
		}
		return out, nil
	}
	if v == nil {
		return []parquet.Value{parquet.NullValue().Level(0, 0, col)}, nil
	}
	x, err := scalar(kind, v)
	return []parquet.Value{x.Level(0, 1, col)}, err
}

func scalar(kind string, v any) (parquet.Value, error) {
	s := fmt.Sprint(v)
	if m := decimalType.FindStringSubmatch(kind); m != nil {
		scale, _ := strconv.Atoi(m[2])
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			return parquet.Value{}, fmt.Errorf("%q is no decimal", s)
		}
		r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
		return parquet.Int64Value(r.Num().Int64()), nil
	}
	switch kind {
	case "boolean":
		b, err := strconv.ParseBool(s)
		return parquet.BooleanValue(b), err
	case "tinyint", "smallint", "int":
		n, err := strconv.ParseInt(s, 10, 32)
		return parquet.Int32Value(int32(n)), err
	case "bigint":
		n, err := strconv.ParseInt(s, 10, 64)
		return parquet.Int64Value(n), err
	case "float":
		f, err := strconv.ParseFloat(s, 32)
		return parquet.FloatValue(float32(f)), err
	case "double":
		f, err := strconv.ParseFloat(s, 64)
		return parquet.DoubleValue(f), err
	case "string":
		return parquet.ByteArrayValue([]byte(s)), nil
	case "binary":
		b, err := hex.DecodeString(s)
		return parquet.ByteArrayValue(b), err
	case "date":
		d, err := time.Parse("2006-01-02", s)
		return parquet.Int32Value(int32(d.Unix() / 86400)), err
	case "timestamp":
		ts, err := time.Parse("2006-01-02T15:04:05.999999", s)
		return parquet.Int64Value(ts.UnixMicro()), err
	}
	return parquet.Value{}, fmt.Errorf("no Parquet type for %q", kind)
}
