package expr

import "github.com/tarnlake/tarn/internal/types"

// FuncKind says where a function may stand.
type FuncKind uint8

// The kinds of function.
const (
	Scalar FuncKind = iota
	Agg
	WindowOnly
)

// Overload is one signature of a function or operator: one row of the registry.
//
// Duck is how DuckDB says it: SQL text with $1, $2, … for the arguments (already cast to the parameter types), and
// $* for all of them joined by commas. It must mean what Spark means, also for NULL, bounds and errors.
type Overload struct {
	Name string // as Spark spells it, lower case; operators by their symbol
	Kind FuncKind
	Duck string
	// DuckFunc builds the text where a template cannot (for example when the result type matters). It overrides Duck.
	DuckFunc func(args []string, argTypes []types.Type, result types.Type) string
	// Eval computes the value in Go. It is nil when only the engine can. NULL arguments reach it only when NullAware is
	// set; otherwise a NULL argument makes the result NULL. Only functions with Eval take part in pruning and folding.
	Eval func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error)
	// NullAware functions see NULL arguments.
	NullAware bool
	// Volatile functions give a new value for each row (rand, uuid): never folded, never used to prune.
	Volatile bool
}
