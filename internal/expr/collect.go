package expr

import (
	"math"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// collectFunctions gather the values of a group, NULLs left out; no rows give an empty array.
func collectFunctions() []Overload {
	var rows []Overload
	for _, name := range []string{"collect_list", "array_agg"} {
		rows = append(rows, Overload{Name: name, Kind: Agg, Params: one(AnyValue), Result: arrayOfFirst, Duck: "coalesce(list($D$1$O)$N$W,CAST([] AS $T))"})
	}
	return append(rows, Overload{Name: "collect_set", Kind: Agg, Params: one(AnyValue), Prepare: noMap, Result: arrayOfFirst, DuckFunc: setSQL},
		Overload{Name: "collect_union", Kind: Agg, Params: one(AnyArray), Prepare: typed(types.Array, AnyArray), Result: typeOfFirst, DuckFunc: unionSQL})
}

// noMap refuses maps, whose values collect_set cannot tell apart.
func noMap(call *callSite) ([]Expr, error) {
	if t := call.args[0].Type(); !t.IsOrdered() {
		return nil, sqlerr.UnsupportedInputType(call.sql(), t.SQL())
	}
	return call.args, nil
}

// setSQL is the different values of a group.
func setSQL(_ []string, ts []types.Type, _ types.Type) string {
	value := "$1"
	if isFloating(ts[0].Kind) {
		value = "$1+0" // one zero
	}
	return inSetOrder("coalesce(list(DISTINCT "+value+")$N$W,CAST([] AS $T))", ts[0])
}

// unionSQL is the different elements of the arrays of a group.
func unionSQL(_ []string, ts []types.Type, _ types.Type) string {
	elem := elemOf(ts[0])
	all := "flatten(list($1)$N$W)"
	if isFloating(elem.Kind) {
		// One zero and one NaN: DuckDB's set of a list tells NaNs apart.
		return inSetOrder("coalesce(sp_array_distinct(list_filter("+positiveZeros(all, elem.Kind)+", lambda e_: e_ IS NOT NULL)),CAST([] AS $T))", elem)
	}
	return inSetOrder("coalesce(list_distinct("+all+"),CAST([] AS $T))", elem)
}

// inSetOrder sorts different values as Spark's hash set has them: by slot, then by the improved hash. Types whose hash
// is not known stay in any order.
func inSetOrder(set string, elem types.Type) string {
	hash := scalaHashSQL("v_", elem)
	if hash == "" {
		return set
	}
	keyed := "list_transform(list_transform(l_, lambda v_: {'h': tarn_improve_hash(" + hash + "), 'v': v_}), lambda e_: {'s': e_.h & (tarn_set_size(len(l_)) - 1), 'h': e_.h, 'v': e_.v})"
	return "list_transform([" + set + "], lambda l_: CASE WHEN len(l_)<2 THEN l_ ELSE list_transform(list_sort(" + keyed + "), lambda e_: e_.v) END)[1]"
}

// scalaHashSQL is the hash that Spark's set of collected values uses, or "".
func scalaHashSQL(x string, t types.Type) string {
	switch t.Kind {
	case types.BigInt, types.DayTimeInterval:
		return "tarn_scala_hash(CAST(" + x + " AS BIGINT))"
	case types.Timestamp, types.TimestampNTZ:
		return "tarn_scala_hash(epoch_us(" + x + "))"
	case types.Float, types.Double:
		return "tarn_scala_float_hash(CAST(" + x + " AS DOUBLE)," + map[bool]string{true: "true", false: "false"}[t.Kind == types.Float] + ")"
	}
	return javaHashSQL(x, t)
}

func collectGoFunctions() []GoFunction {
	long, double, boolean := types.Of(types.BigInt), types.Of(types.Double), types.Of(types.Boolean)
	return []GoFunction{
		{"tarn_improve_hash", []types.Type{long}, long, func(a []types.Value) (types.Value, error) {
			h := uint32(intOf(a[0]))
			return int64(int32(h ^ h>>16)), nil
		}},
		{"tarn_set_size", []types.Type{long}, long, func(a []types.Value) (types.Value, error) {
			size := int64(16)
			for intOf(a[0]) >= size*3/4 {
				size *= 2
			}
			return size, nil
		}},
		{"tarn_scala_hash", []types.Type{long}, long, func(a []types.Value) (types.Value, error) { return scalaHash(intOf(a[0])), nil }},
		{"tarn_scala_float_hash", []types.Type{double, boolean}, long, func(a []types.Value) (types.Value, error) {
			f := floatOf(a[0])
			switch {
			case a[1] == true && f != f:
				return int64(0x7fc00000), nil
			case a[1] == true:
				return int64(int32(math.Float32bits(float32(f)))), nil
			case f != f:
				return int64(0x7ff80000), nil
			}
			b := math.Float64bits(f)
			return int64(int32(b ^ b>>32)), nil
		}},
	}
}

// scalaHash is the hash of a whole number: itself where an INT holds it.
func scalaHash(n int64) int64 {
	if n == int64(int32(n)) {
		return n
	}
	return int64(int32(n ^ int64(uint64(n)>>32)))
}
