package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Parameter is a parameter that an argument can name. Default is what stands for a missing argument, nil when there must
// be one.
type Parameter struct {
	Name    string
	Default Expr
}

// Parameters lists the parameters of a function whose arguments can be given by name, in the order of their positions;
// nil for all other functions.
func Parameters(function string) []Parameter {
	lower := strings.ToLower(function)
	if g, ok := generators[lower]; ok {
		var out []Parameter
		for _, p := range g.params {
			out = append(out, Parameter{Name: p})
		}
		return out
	}
	text := func(s string) Expr { return &Literal{Value: s, T: types.Of(types.String)} }
	switch lower {
	case "mask":
		return []Parameter{
			{Name: "str"},
			{"upperChar", text("X")},
			{"lowerChar", text("x")},
			{"digitChar", text("n")},
			{"otherChar", &Literal{T: types.Of(types.String)}},
		}
	case "count_min_sketch":
		return []Parameter{{Name: "column"}, {Name: "epsilon"}, {Name: "confidence"}, {Name: "seed", Default: &Literal{T: types.Of(types.Void)}}}
	}
	return nil
}

// Arrange puts arguments in the order of a function's parameters: names[i] is the name that argument i was given, or "".
// It gives for each parameter the position of its argument, or -1 for the default, and drops defaults at the end. A function
// without named parameters takes its arguments as they stand.
//
// The errors are NAMED_PARAMETERS_NOT_SUPPORTED, UNEXPECTED_POSITIONAL_ARGUMENT, DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.…,
// UNRECOGNIZED_PARAMETER_NAME, WRONG_NUM_ARGS.WITHOUT_SUGGESTION and REQUIRED_PARAMETER_NOT_FOUND.
func Arrange(function string, names []string) ([]int, error) {
	params, routine := Parameters(function), ident.Quote(function)
	positional, last := 0, ""
	for _, n := range names {
		switch {
		case n != "":
			last = n
		case last != "" && params != nil:
			return nil, sqlerr.PositionalAfterNamed(routine, ident.Quote(last))
		default:
			positional++
		}
	}
	if params == nil {
		if last != "" {
			return nil, sqlerr.NamedParametersUnsupported(function)
		}
		return straight(len(names)), nil
	}
	at := make([]int, len(params))
	for i := range at {
		if at[i] = -1; i < positional {
			at[i] = i
		}
	}
	for i := positional; i < len(names); i++ {
		k := parameterIndex(params, names[i])
		switch {
		case k < 0:
			return nil, sqlerr.UnknownParameter(routine, ident.Quote(names[i]), parameterNames(params, names[i]))
		case k < positional:
			return nil, sqlerr.ParameterAssignedTwice("BOTH_POSITIONAL_AND_NAMED", routine, ident.Quote(params[k].Name))
		case at[k] >= 0:
			return nil, sqlerr.ParameterAssignedTwice("DOUBLE_NAMED_ARGUMENT_REFERENCE", routine, ident.Quote(params[k].Name))
		}
		at[k] = i
	}
	if positional > len(params) {
		return nil, sqlerr.WrongNumArgs(function, itoa(len(params)), len(names))
	}
	used := 0
	for i, p := range params {
		if at[i] >= 0 {
			used = i + 1
		} else if p.Default == nil {
			return nil, sqlerr.RequiredParameter(routine, ident.Quote(p.Name), itoa(i))
		}
	}
	return at[:used], nil
}

func straight(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func parameterIndex(params []Parameter, name string) int {
	for i, p := range params {
		if ident.Equal(p.Name, name) {
			return i
		}
	}
	return -1
}

// parameterNames are up to three names of parameters, those most like name first.
func parameterNames(params []Parameter, name string) []string {
	var out []string
	for d := 0; len(out) < min(3, len(params)); d++ {
		for _, p := range params {
			if ident.Distance(strings.ToLower(name), strings.ToLower(p.Name)) == d && len(out) < 3 {
				out = append(out, ident.Quote(p.Name))
			}
		}
	}
	return out
}
