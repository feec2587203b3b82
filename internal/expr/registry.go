package expr

import (
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// FuncKind says where a function may stand.
type FuncKind uint8

// The kinds of function.
const (
	Scalar FuncKind = iota
	Agg
	WindowOnly
)

// EvalFunc computes a function in Go. args have the types that Resolve cast them to.
type EvalFunc func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error)

// Overload is one signature of a function or operator: one row of the registry.
//
// Duck is how DuckDB says it: SQL text with $1, $2, … for the arguments (already cast to the parameter types), and
// $* for all of them joined by commas. A function without any text is a constant of the statement, which Eval gives. It must mean what Spark means, also for NULL, bounds and errors. Use CallSQL and
// AggregateSQL to fill a template in; they document the further placeholders of aggregates.
type Overload struct {
	Name string // as Spark spells it, lower case; operators by their symbol
	Kind FuncKind
	Duck string
	// DuckFunc builds the text where a template cannot (for example when the result type matters). It overrides Duck.
	DuckFunc func(args []string, argTypes []types.Type, result types.Type) string
	// Try, where it is set, is DuckFunc with NULL for what the function itself raises; try_add and its kin use it.
	Try func(args []string, argTypes []types.Type, result types.Type) string
	// Eval computes the value in Go. It is nil when only the engine can. NULL arguments reach it only when NullAware is
	// set; otherwise a NULL argument makes the result NULL. Only functions with Eval take part in pruning and folding.
	Eval EvalFunc
	// NullAware functions see NULL arguments.
	NullAware bool
	// NullFolds tells that a call of constants with a NULL among them is NULL although rows with such a NULL give something
	// else: in Spark the two take different ways.
	NullFolds bool
	// Volatile functions give a new value for each row (rand, uuid): never folded, never used to prune.
	Volatile bool

	// Params are the classes of the parameters; the last repeats without end when Variadic is set.
	Params   []Class
	Variadic bool
	// Optional is how many of the last Params may be left out.
	Optional int
	// Returns is the type of the result. Result overrides it where the type depends on the arguments.
	Returns types.Type
	Result  func(args []Expr) (types.Type, error)
	// Prepare replaces the matching of Params: it casts the arguments, or says why they do not fit.
	Prepare func(call *callSite) ([]Expr, error)
	// Rewrite makes another expression of the call instead of a Call, after its arguments were cast.
	Rewrite func(args []Expr) (Expr, error)
	// HigherOrder is set for functions that take lambdas.
	HigherOrder *HigherOrder
}

// callSite is a call that is being resolved.
type callSite struct {
	name string
	args []Expr
	opts ResolveOptions
}

// legacy reports whether spark.sql.ansi.enabled is off in the session.
func (c *callSite) legacy() bool { return c.opts.Context != nil && !c.opts.Context.ANSI }

// context is the session's, or one with ANSI rules.
func (c *callSite) context() *Context {
	if c.opts.Context != nil {
		return c.opts.Context
	}
	return &Context{ANSI: true}
}

// sql prints the call for messages.
func (c *callSite) sql() string { return callText(c.name, c.args) }

// registry maps names to their overloads. It is built when the program starts and never changes; init fills it because
// rows may resolve other functions, which a variable's own initializer must not.
var registry map[string][]*Overload

func init() { registry = buildRegistry() }

func buildRegistry() map[string][]*Overload {
	m := map[string][]*Overload{}
	for _, family := range [][]Overload{
		arithmeticOps(), comparisonOps(), logicOps(), bitOps(), castFunctions(), conditionFunctions(), mathFunctions(),
		stringFunctions(), encodingFunctions(), patternFunctions(), dateFunctions(), dateTextFunctions(),
		collectionFunctions(), mapFunctions(), sessionFunctions(), jsonFunctions(), formatFunctions(), urlFunctions(), hashFunctions(), aggregateFunctions(), percentileFunctions(), collectFunctions(), histogramFunctions(), bitmapFunctions(), approxFunctions(), modeFunctions(), statisticsFunctions(), windowFunctions(),
		higherOrderFunctions(),
		conversionFunctions(), textFormatFunctions(),
	} {
		for i := range family {
			o := &family[i]
			m[o.Name] = append(m[o.Name], o)
		}
	}
	for alias, name := range aliases() {
		for _, o := range m[name] {
			c := *o
			c.Name = alias
			m[alias] = append(m[alias], &c)
		}
	}
	return m
}

// Lookup reports whether a function or operator of that name exists, and its kind. Case does not count.
func Lookup(name string) (kind FuncKind, ok bool) {
	o := registry[strings.ToLower(name)]
	if len(o) == 0 {
		return Scalar, false
	}
	return o[0].Kind, true
}

// Names lists all functions and operators, sorted, the row-making ones included.
func Names() []string {
	out := make([]string, 0, len(registry)+len(generators))
	for n := range generators {
		out = append(out, n)
	}
	for n := range registry {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Functions lists the functions and operators that a statement may call by name, sorted: those of Names without the rows that
// stand for syntax, and those that the grammar knows by itself.
func Functions() []string {
	var out []string
	for n := range grammarDocs {
		out = append(out, n)
	}
	for _, n := range Names() {
		if !strings.Contains(n, " ") && !syntaxRows[n] {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}

// IsFunction reports whether name is one of Functions. Case does not count.
func IsFunction(name string) bool {
	_, ok := DocOf(strings.ToLower(name))
	return ok
}

var syntaxRows = map[string]bool{
	"getitem": true, "neg": true, "pos": true, "istrue": true, "isfalse": true, "isnottrue": true, "isnotfalse": true, "isunknown": true,
	"isnotunknown": true,
}

// Overloads lists all rows of the registry, by name.
func Overloads() []*Overload {
	var out []*Overload
	for _, n := range Names() {
		out = append(out, registry[n]...)
	}
	return out
}
