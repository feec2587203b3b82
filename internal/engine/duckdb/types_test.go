package duckdb_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

var decimals = gocmp.Comparer(func(a, b types.Dec) bool { return a.Scale == b.Scale && a.Unscaled.Cmp(b.Unscaled) == 0 })

// TestParquetTypes reads every type that a Parquet file holds as the Spark type it maps to.
func TestParquetTypes(t *testing.T) {
	e := open(t)
	instant := types.Of(types.Timestamp)
	tests := []struct {
		name, sql string
		t         types.Type
		want      types.Value
	}{
		{"bool", "true", tBool, true},
		{"int8", "(-5)::TINYINT", types.Of(types.TinyInt), i64(-5)},
		{"int16", "(-500)::SMALLINT", types.Of(types.SmallInt), i64(-500)},
		{"int32", "(-50000)::INTEGER", tInt, i64(-50000)},
		{"int64", "(-5000000000)::BIGINT", tBig, i64(-5000000000)},
		{"uint8 as smallint", "200::UTINYINT", types.Of(types.SmallInt), i64(200)},
		{"uint16 as int", "60000::USMALLINT", tInt, i64(60000)},
		{"uint32 as bigint", "4000000000::UINTEGER", tBig, i64(4000000000)},
		{"uint64 as decimal", "18446744073709551615::UBIGINT", types.DecimalOf(20, 0), dec("18446744073709551615", 0)},
		{"int32 as bigint", "7::INTEGER", tBig, i64(7)},
		{"int32 as double", "7::INTEGER", tDouble, 7.0},
		{"float", "1.5::FLOAT", types.Of(types.Float), 1.5},
		{"float as double", "1.5::FLOAT", tDouble, 1.5},
		{"double", "'-inf'::DOUBLE", tDouble, math.Inf(-1)},
		{"decimal of 16 bits", "1.23::DECIMAL(4,2)", types.DecimalOf(4, 2), dec("1.23", 2)},
		{"decimal of 32 bits", "(-1234.56)::DECIMAL(9,2)", types.DecimalOf(9, 2), dec("-1234.56", 2)},
		{"decimal of 64 bits", "1234567890123.45::DECIMAL(18,2)", types.DecimalOf(18, 2), dec("1234567890123.45", 2)},
		{"decimal of 128 bits", "(-12345678901234567890123456789012345.678)::DECIMAL(38,3)", types.DecimalOf(38, 3), dec("-12345678901234567890123456789012345.678", 3)},
		{"wider decimal", "1.23::DECIMAL(4,2)", types.DecimalOf(20, 5), dec("1.23000", 5)},
		{"string", "'text with ünïcode and more'", tStr, "text with ünïcode and more"},
		{"binary", "'\\xFF\\x00a'::BLOB", types.Of(types.Binary), types.Bytes("\xff\x00a")},
		{"date", "DATE '2024-02-29'", tDate, i64(19782)},
		{"old date", "DATE '0001-01-01'", tDate, i64(-719162)},
		{"instant", "TIMESTAMPTZ '2024-05-01 12:30:00.123456+00'", instant, i64(1714566600123456)},
		{"wall clock", "TIMESTAMP '2024-05-01 12:30:00.123456'", types.Of(types.TimestampNTZ), i64(1714566600123456)},
		{"milliseconds", "TIMESTAMP_MS '2024-05-01 12:30:00.123'", types.Of(types.TimestampNTZ), i64(1714566600123000)},
		{"seconds", "TIMESTAMP_S '2024-05-01 12:30:00'", types.Of(types.TimestampNTZ), i64(1714566600000000)},
		{"nanoseconds", "TIMESTAMP_NS '2024-05-01 12:30:00.123456789'", types.Of(types.TimestampNTZ), i64(1714566600123456)},
		{"array", "[1, NULL, 3]", types.ArrayOf(tInt), []types.Value{i64(1), nil, i64(3)}},
		{"empty array", "[]::INTEGER[]", types.ArrayOf(tInt), []types.Value{}},
		{
			"array of arrays", "[['a'], NULL, []::VARCHAR[], ['b', NULL]]", types.ArrayOf(types.ArrayOf(tStr)),
			[]types.Value{[]types.Value{"a"}, nil, []types.Value{}, []types.Value{"b", nil}},
		},
		{"struct", "{'a': 1, 'b': 'x'}", types.StructOf(types.Field{Name: "a", Type: tInt}, types.Field{Name: "b", Type: tStr}), []types.Value{i64(1), "x"}},
		{"struct with fewer fields in the file", "{'a': 1}", types.StructOf(types.Field{Name: "a", Type: tInt}, types.Field{Name: "b", Type: tStr}), []types.Value{i64(1), nil}},
		{"map", "MAP {'k': 1, 'l': NULL}", types.MapOf(tStr, tInt), []types.MapEntry{{Key: "k", Value: i64(1)}, {Key: "l"}}},
		{"null", "NULL::INTEGER", tInt, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeParquet(t, filepath.Join(t.TempDir(), "a.parquet"), "SELECT "+tt.sql+" AS v UNION ALL SELECT NULL")
			var n ids
			s := table(&n, []types.Field{{Name: "v", Type: tt.t}})
			got := mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, engine.ParquetFile{Path: path})})
			if diff := gocmp.Diff([]row{{tt.want}, {nil}}, got, decimals); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStoredTypes reads one instant from files that keep it with and without a zone, and text kept as bytes.
func TestStoredTypes(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	zoned := writeParquet(t, filepath.Join(dir, "z.parquet"), `SELECT TIMESTAMPTZ '2024-05-01 12:30:00.123456+00' AS v, 1 AS k`)
	unzoned := writeParquet(t, filepath.Join(dir, "u.parquet"), `SELECT TIMESTAMP '2024-05-01 12:30:00.123456' AS v, 2 AS k`)
	read := func(sql string, as, stored types.Type, zone string) types.Value {
		t.Helper()
		path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"), "SELECT "+sql+" AS v")
		z, ok := types.ParseZone(zone)
		if !ok {
			t.Fatal(zone)
		}
		var n ids
		s := table(&n, []types.Field{{Name: "v", Type: as}})
		in := scanOf(s, engine.ParquetFile{Path: path, Stored: map[int]types.Type{0: stored}})
		return mustRun(t, e, engine.Query{Root: s, Inputs: in, Zone: z})[0][0]
	}
	binary := types.Of(types.Binary)
	if got := read(`'\xC3\xBC'::BLOB`, tStr, binary, "UTC"); got != "ü" {
		t.Errorf("bytes as text: %q", got)
	}
	if got := read(`'ü\x41'`, binary, tStr, "UTC"); got != types.Bytes(`ü\x41`) {
		t.Errorf("text as bytes: %q", got)
	}
	nested := func(t types.Type) types.Type {
		return types.ArrayOf(types.StructOf(types.Field{Name: "a", Type: types.MapOf(tStr, t)}, types.Field{Name: "b", Type: tInt}))
	}
	got := read(`[{'a': MAP {'k': TIMESTAMP '2024-05-01 12:30:00'}, 'b': 1}, NULL]`, nested(types.Of(types.Timestamp)), nested(types.Of(types.TimestampNTZ)), "America/New_York")
	want := []types.Value{[]types.Value{[]types.MapEntry{{Key: "k", Value: i64(1714566600000000)}}, i64(1)}, nil}
	if diff := gocmp.Diff(types.Value(want), got); diff != "" {
		t.Errorf("nested (-want +got):\n%s", diff)
	}
	for _, name := range []string{"UTC", "America/New_York", "Asia/Kolkata"} {
		zone, ok := types.ParseZone(name)
		if !ok {
			t.Fatal(name)
		}
		var n ids
		s := table(&n, []types.Field{{Name: "v", Type: types.Of(types.Timestamp)}, {Name: "k", Type: tInt}, {Name: "p", Type: tStr}}, "p")
		files := []engine.ParquetFile{{Path: zoned, Partition: row{"z"}}, {Path: unzoned, Partition: row{"u"}, Stored: map[int]types.Type{0: types.Of(types.TimestampNTZ)}}}
		got := mustRun(t, e, engine.Query{Root: sorted(s), Inputs: scanOf(s, files...), Zone: zone})
		want := []row{{i64(1714566600123456), i64(1), "z"}, {i64(1714566600123456), i64(2), "u"}}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s: rows differ (-want +got):\n%s", name, diff)
		}
	}
}

// TestVectorsOfAnyForm reads nested results that the engine builds from constant and dictionary vectors.
func TestVectorsOfAnyForm(t *testing.T) {
	e := open(t)
	var n ids
	x := n.col("x", tInt)
	in := values(x, i64(1), i64(2), nil, i64(1))
	pair := types.StructOf(types.Field{Name: "a", Type: tInt}, types.Field{Name: "b", Type: tStr})
	tests := []struct {
		name, sql string
		t         types.Type
		want      func(x types.Value) types.Value
	}{
		{"list of column and constant", "[$1, 7, $1]", types.ArrayOf(tInt), func(x types.Value) types.Value { return []types.Value{x, i64(7), x} }},
		{"struct of column and constant", "{'a': $1, 'b': 'constant text of some length'}", pair, func(x types.Value) types.Value {
			return []types.Value{x, "constant text of some length"}
		}},
		{"list of structs", "[{'a': $1, 'b': 'c'}, NULL]", types.ArrayOf(pair), func(x types.Value) types.Value { return []types.Value{[]types.Value{x, "c"}, nil} }},
		{"map", "MAP {'k': $1, 'l': 2}", types.MapOf(tStr, tInt), func(x types.Value) types.Value {
			return []types.MapEntry{{Key: "k", Value: x}, {Key: "l", Value: i64(2)}}
		}},
		{"transformed list", "list_transform(['a', 'b'], lambda e: [e || coalesce($1, 0)])", types.ArrayOf(types.ArrayOf(tStr)), func(x types.Value) types.Value {
			d := "0"
			if x != nil {
				d = string(rune('0' + x.(int64)))
			}
			return []types.Value{[]types.Value{"a" + d}, []types.Value{"b" + d}}
		}},
		{"constant list", "['a', NULL]", types.ArrayOf(tStr), func(types.Value) types.Value { return []types.Value{"a", nil} }},
		{"slice", "list_slice([$1, 5, 6, 7], 2, 3)", types.ArrayOf(tInt), func(types.Value) types.Value { return []types.Value{i64(5), i64(6)} }},
		{"struct from a case", "CASE WHEN $1 = 1 THEN {'a': 1, 'b': 'x'} END", pair, func(x types.Value) types.Value {
			if x == i64(1) {
				return []types.Value{i64(1), "x"}
			}
			return nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := &plan.Project{Input: in, Out: []plan.Column{x, {ID: 900, Type: tt.t}}, Exprs: []expr.Expr{ref(x), op("f", tt.sql, tt.t, ref(x))}}
			for _, r := range mustRun(t, e, engine.Query{Root: root}) {
				if diff := gocmp.Diff(tt.want(r[0]), r[1]); diff != "" {
					t.Errorf("x = %v (-want +got):\n%s", r[0], diff)
				}
			}
		})
	}
}

func genType(depth int) *rapid.Generator[types.Type] {
	return rapid.Custom(func(t *rapid.T) types.Type {
		flat := append([]types.Type{types.DecimalOf(4, 1), types.DecimalOf(9, 0), types.Of(types.CalendarInterval)}, pool[:17]...)
		top := len(flat) + 2
		if depth == 0 {
			top = len(flat) - 1
		}
		switch k := rapid.IntRange(0, top).Draw(t, "type"); k - len(flat) {
		case 0:
			return types.ArrayOf(genType(depth-1).Draw(t, "elem"))
		case 1:
			return types.MapOf(tStr, genType(depth-1).Draw(t, "value"))
		case 2:
			return types.StructOf(types.Field{Name: "a", Type: genType(depth-1).Draw(t, "a")}, types.Field{Name: "A", Type: genType(depth-1).Draw(t, "A")})
		default:
			return flat[k]
		}
	})
}

func genValue(t *rapid.T, ty types.Type) types.Value {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return nil
	}
	n := func(lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, "int") }
	switch ty.Kind {
	case types.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case types.TinyInt:
		return n(math.MinInt8, math.MaxInt8)
	case types.SmallInt:
		return n(math.MinInt16, math.MaxInt16)
	case types.Int, types.YearMonthInterval:
		return n(math.MinInt32, math.MaxInt32)
	case types.BigInt, types.DayTimeInterval:
		return n(math.MinInt64, math.MaxInt64)
	case types.Float:
		return float64(rapid.Float32().Draw(t, "float"))
	case types.Double:
		return rapid.Float64().Draw(t, "double")
	case types.Decimal:
		digits := rapid.StringMatching(`-?[1-9][0-9]{0,3}`).Draw(t, "digits")
		if ty.Precision > 18 {
			digits += strings.Repeat("7", ty.Precision-5)
		}
		return dec(digits, ty.Scale)
	case types.String:
		return rapid.String().Draw(t, "text")
	case types.Binary:
		return types.Bytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	case types.Date:
		return n(-719162, 2932896)
	case types.Timestamp, types.TimestampNTZ:
		return n(-62135596800000000, 253402300799999999)
	case types.CalendarInterval:
		return types.Interval{Months: int32(n(-1000, 1000)), Days: int32(n(-1000, 1000)), Micros: n(-1e15, 1e15)}
	case types.Array:
		out := make([]types.Value, rapid.IntRange(0, 4).Draw(t, "len"))
		for i := range out {
			out[i] = genValue(t, *ty.Elem)
		}
		return out
	case types.Map:
		out := make([]types.MapEntry, rapid.IntRange(0, 3).Draw(t, "len"))
		for i := range out {
			out[i] = types.MapEntry{Key: string(rune('a' + i)), Value: genValue(t, *ty.Elem)}
		}
		return out
	case types.Struct:
		out := make([]types.Value, len(ty.Fields))
		for i := range out {
			out[i] = genValue(t, ty.Fields[i].Type)
		}
		return out
	}
	return nil
}

// TestValuesSurvive sends values of any type into the engine, as a source and as literals, and reads them back.
func TestValuesSurvive(t *testing.T) {
	e := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		ty := genType(2).Draw(rt, "type")
		rows := make([][]types.Value, rapid.IntRange(1, 5).Draw(rt, "rows"))
		x, y := plan.Column{ID: 1, Type: ty}, plan.Column{ID: 2, Type: ty}
		node := &plan.Values{Out: []plan.Column{y}}
		for i := range rows {
			v := genValue(rt, ty)
			rows[i] = []types.Value{v}
			node.Rows = append(node.Rows, []expr.Expr{lit(v, ty)})
		}
		for name, root := range map[string]plan.Node{"source": &plan.Supplied{Out: []plan.Column{x}, Rows: rows}, "literals": node} {
			got, err := all(t.Context(), e, engine.Query{Root: root})
			if err != nil {
				rt.Fatalf("%s of %s: %v (cause %v)", name, ty, err, errCause(err))
			}
			if diff := gocmp.Diff(rows, got, decimals); diff != "" {
				rt.Fatalf("%s of %s (-want +got):\n%s", name, ty, diff)
			}
		}
	})
}
