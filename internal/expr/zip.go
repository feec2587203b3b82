package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// onlyArrays are any number of arrays; one of them may be a NULL without a type.
func onlyArrays(call *callSite) ([]Expr, error) {
	out := make([]Expr, len(call.args))
	for i, a := range call.args {
		to, asIs, ok := AnyArray.fit(a.Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, AnyArray.String(), Print(a), a.Type().SQL())
		}
		if out[i] = a; !asIs {
			out[i] = implicit(a, to)
		}
	}
	return out, nil
}

// zipResult is an array of structs whose fields are called by their number from 0.
func zipResult(args []Expr) (types.Type, error) {
	if len(args) == 0 {
		return types.Type{}, sqlerr.Unsupported("EMPTY_STRUCT", "a STRUCT without fields")
	}
	names := make([]string, len(args))
	for i := range args {
		names[i] = itoa(i)
	}
	return zipType(args, names), nil
}

func zipType(args []Expr, names []string) types.Type {
	fields := make([]types.Field, len(args))
	for i, a := range args {
		fields[i] = types.Field{Name: names[i], Type: plain(*a.Type().Elem)}
	}
	return types.ArrayOf(types.StructOf(fields...))
}

// rewriteNamedZip takes names and arrays in turn.
func rewriteNamedZip(args []Expr) (Expr, error) {
	var names []string
	var arrays []Expr
	for i := 0; i+1 < len(args); i += 2 {
		name, _ := args[i].(*Literal)
		names, arrays = append(names, textOf(name.Value)), append(arrays, args[i+1])
	}
	row := registry["arrays_zip"][0]
	arrays, err := onlyArrays(&callSite{name: row.Name, args: arrays})
	if err != nil {
		return nil, err
	}
	return &Call{Fn: row, Args: arrays, T: zipType(arrays, names)}, nil
}

// zipArraysSQL names the fields, which list_zip does not.
func zipArraysSQL(args []string, _ []types.Type, t types.Type) string {
	nulls, fields := make([]string, len(args)), make([]string, len(args))
	x := lambdaVar(strings.Join(args, ""))
	for i := range args {
		nulls[i] = wrapArg(args, i) + " IS NOT NULL"
		fields[i] = DuckIdent(DuckFieldName(*t.Elem, i)) + ": struct_extract_at(" + x + ", " + itoa(i+1) + ")"
	}
	return "CASE WHEN " + strings.Join(nulls, " AND ") + " THEN list_transform(list_zip(" + strings.Join(args, ", ") + "), lambda " + x + ": {" + strings.Join(fields, ", ") + "}) END"
}

func evalZipArrays(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	longest := 0
	for _, a := range args {
		if a == nil {
			return nil, nil
		}
		longest = max(longest, len(listOf(a)))
	}
	out := make([]types.Value, longest)
	for i := range out {
		row := make([]types.Value, len(args))
		for k, a := range args {
			if l := listOf(a); i < len(l) {
				row[k] = l[i]
			}
		}
		out[i] = row
	}
	return out, nil
}
