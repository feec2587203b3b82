package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// modeFunctions is the most frequent value. "mode descending" is what WITHIN GROUP (ORDER BY x DESC) resolves to: the
// greatest of the most frequent values, as mode(x, true) is the least. Without an order Spark gives the value that its
// hash table has first.
func modeFunctions() []Overload {
	most := func(pick string) string {
		// The window stands outside of the lambdas: DuckDB fails when its own order has one.
		return "list_transform(list_value(histogram($1)$F$W), lambda h_: " + pick + "(map_keys(map_from_entries(list_filter(map_entries(h_), lambda e_: e_.value = list_max(map_values(h_)))))))[1]"
	}
	return []Overload{
		{Name: "mode", Kind: Agg, Params: one(AnyValue), Result: typeOfFirst, DuckFunc: firstModeSQL},
		{Name: "mode", Kind: Agg, Params: []Class{AnyValue, AnyValue}, Prepare: modeFlag(false), Result: typeOfFirst, DuckFunc: firstModeSQL},
		{Name: "mode", Kind: Agg, Params: []Class{AnyValue, AnyValue}, Prepare: modeFlag(true), Result: typeOfFirst, DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			if !ts[0].IsOrdered() {
				return firstModeSQL(args, ts, t)
			}
			if ts[0].Kind.IsNested() {
				key := OrderKeySQL("x_", ts[0])
				return "list_transform(list_value(" + most("") + "), lambda m_: list_min(list_transform(m_, lambda x_: {'k': " + key + ", 'v': x_})).v)[1]"
			}
			return most("list_min")
		}},
		{Name: "mode descending", Kind: Agg, Params: one(AnyValue), Prepare: orderedArg, Result: typeOfFirst, Duck: most("list_max")},
	}
}

// modeFlag checks the second argument of mode(x, deterministic) and drops it when it says what the row does.
func modeFlag(want bool) func(*callSite) ([]Expr, error) {
	return func(c *callSite) ([]Expr, error) {
		f := c.args[1]
		if !isConstant(f) {
			return nil, sqlerr.NonFoldableArgument(c.name, "deterministic", "BOOLEAN")
		}
		if k := f.Type().Kind; k != types.Boolean && k != types.Void {
			return nil, sqlerr.ArgumentType(c.name, 2, "BOOLEAN", Print(f), f.Type().SQL())
		}
		l, ok := Fold(f, &Context{ANSI: true}).(*Literal)
		switch {
		case !ok || l.Value == nil:
			return nil, sqlerr.UnexpectedNull(c.sql(), "deterministic")
		case (l.Value == true) != want:
			return nil, errNextRow
		}
		return c.args[:1], nil
	}
}

// firstModeSQL is the most frequent value, of several the one with the least slot in Spark's hash table. Types whose
// hash is not known take any.
func firstModeSQL(_ []string, ts []types.Type, _ types.Type) string {
	hash := javaHashSQL("e_.key", ts[0])
	if hash == "" {
		return "mode($1)$F$W"
	}
	return "list_transform(list_value(map_entries(histogram($1)$F$W)), lambda h_: list_min(list_transform(list_filter(h_, lambda e_: e_.value = list_max(list_transform(h_, lambda f_: f_.value))), lambda e_: {'s': tarn_mode_slot(" + hash + ",len(h_)), 'v': e_.key})).v)[1]"
}

// javaHashSQL is the hash of a boxed value on the JVM as BIGINT, or "" for types whose hash is another.
func javaHashSQL(x string, t types.Type) string {
	switch number, width := jvmNumberSQL(x, t); width {
	case 32:
		return number
	case 64:
		return "tarn_fold_hash(" + number + ")"
	}
	switch t.Kind {
	case types.Boolean:
		return "CASE WHEN " + x + " THEN 1231::BIGINT ELSE 1237::BIGINT END"
	case types.String:
		return "CAST(" + hashSQL("tarn_hash")([]string{x}, []types.Type{t}, types.Of(types.Int)) + " AS BIGINT)"
	}
	return ""
}

// modeGoFunctions are the slot of a hash in Spark's open hash table of n keys, and the JVM's hash of a long.
func modeGoFunctions() []GoFunction {
	long := types.Of(types.BigInt)
	return []GoFunction{
		{"tarn_mode_slot", []types.Type{long, long}, long, func(a []types.Value) (types.Value, error) {
			return tableSlot(uint32(intOf(a[0])), intOf(a[1])), nil
		}},
		{"tarn_fold_hash", []types.Type{long}, long, func(a []types.Value) (types.Value, error) {
			v := intOf(a[0])
			return int64(int32(v ^ int64(uint64(v)>>32))), nil
		}},
	}
}

// tableSlot is where a table that begins with 64 slots and doubles when 70 % are taken puts a key first.
func tableSlot(hash uint32, keys int64) int64 {
	size := int64(64)
	for 10*keys > 7*size {
		size *= 2
	}
	return int64(murmurEnd(murmurMix(0, hash), 4)) & (size - 1)
}
