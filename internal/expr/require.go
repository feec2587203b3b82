package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Require is value where cond is TRUE, and otherwise, for NULL too, an error of the row.
func Require(cond, value Expr, bad *sqlerr.Error) Expr {
	fn := &Overload{
		Name: "require", Kind: Scalar, NullAware: true, Params: []Class{BooleanOnly, AnyValue}, Returns: value.Type(),
		DuckFunc: func(args []string, _ []types.Type, _ types.Type) string {
			return "CASE WHEN " + wrapArg(args, 0) + " THEN " + wrapArg(args, 1) + " ELSE error(" + DuckString(sqlerr.EngineText(bad)) + ") END"
		},
		Eval: func(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			if args[0] != true {
				return nil, bad
			}
			return args[1], nil
		},
	}
	return &Call{Fn: fn, Args: []Expr{cond, value}, T: value.Type()}
}
