package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// concatTypes is what concat takes, in the words of its errors.
const concatTypes = `("STRING" or "BINARY" or "ARRAY")`

// concatArgs makes all arguments arrays of one type, all BINARY, or all text.
func concatArgs(call *callSite) ([]Expr, error) {
	arrays, binaries, nulls := 0, 0, 0
	for _, a := range call.args {
		switch a.Type().Kind {
		case types.Array:
			arrays++
		case types.Binary:
			binaries++
		case types.Void:
			nulls++
		}
	}
	switch n := len(call.args); {
	case n == 0:
		return nil, nil
	case arrays > 0:
		for i, a := range call.args {
			if k := a.Type().Kind; k == types.Map || k == types.Struct {
				return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, concatTypes, Print(a), a.Type().SQL())
			}
		}
		out, _, ok := UnifyIn(call.opts.Context, call.args...)
		if !ok || nulls > 0 {
			return nil, sqlerr.DataDiffTypes(call.sql(), call.name, typeNames(call.args))
		}
		return out, nil
	case binaries > 0 && binaries+nulls == n:
		out, _, _ := Unify(call.args...)
		return out, nil
	}
	out := make([]Expr, len(call.args))
	for i, a := range call.args {
		if _, _, ok := Text.fit(a.Type(), false); !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, concatTypes, Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, types.Of(types.String))
	}
	return out, nil
}

func concatResult(args []Expr) (types.Type, error) {
	if len(args) == 0 {
		return types.Of(types.String), nil
	}
	return plain(args[0].Type()), nil
}

func concatSQL(args []string, argTypes []types.Type, result types.Type) string {
	if len(args) == 0 {
		return "''"
	}
	parts := make([]string, len(args))
	for i := range args {
		parts[i] = wrapArg(args, i)
	}
	if result.Kind != types.Array {
		return "(" + strings.Join(parts, " || ") + ")"
	}
	joined := parts[0]
	for _, p := range parts[1:] {
		joined = "list_concat(" + joined + "," + p + ")"
	}
	return "CASE WHEN " + strings.Join(parts, " IS NOT NULL AND ") + " IS NOT NULL THEN " + joined + " END"
}

func evalConcat(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
	if t.Kind == types.Array {
		var out []types.Value
		for _, v := range a {
			out = append(out, listOf(v)...)
		}
		return out, nil
	}
	var b strings.Builder
	for _, v := range a {
		b.WriteString(textOf(v))
	}
	if t.Kind == types.Binary {
		return types.Bytes(b.String()), nil
	}
	return b.String(), nil
}

func concatWSArgs(call *callSite) ([]Expr, error) {
	out := make([]Expr, len(call.args))
	for i, a := range call.args {
		class := Text
		if i > 0 && a.Type().Kind == types.Array {
			class = TextArray
		}
		to, _, ok := class.fit(a.Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, `("STRING" or "ARRAY<STRING>")`, Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, to)
	}
	return out, nil
}

func concatWSSQL(args []string, argTypes []types.Type, _ types.Type) string {
	list := "CAST([] AS VARCHAR[])"
	for i := 1; i < len(args); i++ {
		item := "[" + args[i] + "]"
		if argTypes[i].Kind == types.Array {
			item = "coalesce(" + args[i] + ",[])"
		}
		list = "list_concat(" + list + "," + item + ")"
	}
	return "sp_array_join(" + list + "," + wrapArg(args, 0) + ")"
}

func evalConcatWS(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	if a[0] == nil {
		return nil, nil
	}
	var parts []string
	for i := 1; i < len(a); i++ {
		if ts[i].Kind == types.Array {
			for _, v := range listOf(a[i]) {
				if v != nil {
					parts = append(parts, textOf(v))
				}
			}
		} else if a[i] != nil {
			parts = append(parts, textOf(a[i]))
		}
	}
	return strings.Join(parts, textOf(a[0])), nil
}
