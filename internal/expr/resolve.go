package expr

import (
	"sort"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// ResolveOptions is how a function was called besides its arguments.
type ResolveOptions struct {
	// Star is count(*).
	Star bool
	// Distinct, Filter, OrderBy and IgnoreNulls belong to aggregates and window functions. OrderBy is the one inside the
	// parentheses or of WITHIN GROUP.
	Distinct    bool
	Filter      Expr
	OrderBy     []SortKey
	IgnoreNulls bool
	// Context is the session's. When it is nil, ANSI rules hold.
	Context *Context
}

// Resolve builds the call of a function or operator: it picks the overload, casts the arguments implicitly as
// Spark's ANSI rules do, and finds the result type. Scalar functions become a *Call (or what they stand for, such as a
// *Case), aggregates an *Aggregate, functions for windows only a *Window whose window the caller fills in.
//
// Operators go by their symbol: + - * / % div and neg (unary minus), pos (unary plus), = == <=> != <> < <= > >=, and or
// not !, || & | ^ ~ << >> >>>, like ilike rlike (pattern, and escape as a third argument), in, between, isnull isnotnull,
// istrue isfalse and their isnot… forms, "is distinct from", getitem for a[i] and m[k].
//
// The errors are UNRESOLVED_ROUTINE, WRONG_NUM_ARGS.WITHOUT_SUGGESTION and DATATYPE_MISMATCH.….
func Resolve(name string, args []Expr, opts ResolveOptions) (Expr, error) {
	lower := strings.ToLower(name)
	rows := registry[lower]
	if len(rows) == 0 {
		return nil, sqlerr.UnresolvedRoutine(name, nearNames(lower))
	}
	if opts.Star {
		if lower != "count" {
			return nil, sqlerr.WrongNumArgs(lower, expectedCount(rows), 0)
		}
		args = nil
	} else if lower == "count" && len(args) == 0 {
		return nil, sqlerr.CountWithoutArgs()
	}
	if e := untypedNull(lower, args); e != nil {
		return e, nil
	}
	call := &callSite{name: lower, args: args, opts: opts}
	row, cast, err := pick(call, rows)
	if err != nil {
		return nil, err
	}
	return build(call, row, cast)
}

// CheckCount reports a number of arguments that no overload of a function takes.
func CheckCount(name string, n int) error {
	rows := registry[strings.ToLower(name)]
	for _, r := range rows {
		if r.takes(n) {
			return nil
		}
	}
	return sqlerr.WrongNumArgs(name, expectedCount(rows), n)
}

// build makes the node of a picked overload.
func build(call *callSite, row *Overload, args []Expr) (Expr, error) {
	legacy := call.legacy()
	if row.Rewrite != nil {
		e, err := row.Rewrite(args)
		if err == nil && legacy {
			e = Transform(e, withoutANSI)
		}
		return e, err
	}
	t := row.Returns
	if row.Result != nil {
		var err error
		if t, err = row.Result(args); err != nil {
			return nil, err
		}
	}
	o := call.opts
	switch row.Kind {
	case Agg:
		filter := o.Filter
		if filter != nil {
			filter = implicit(filter, types.Of(types.Boolean))
		}
		if legacy {
			row, args = legacyAggregate(row), legacyArgs(args)
		}
		return &Aggregate{Fn: row, Args: args, Distinct: o.Distinct, Filter: filter, OrderBy: o.OrderBy, T: t}, nil
	case WindowOnly:
		return &Window{Fn: row, Args: args, Distinct: o.Distinct, IgnoreNulls: o.IgnoreNulls, Filter: o.Filter, T: t}, nil
	}
	made := &Call{Fn: row, Args: args, T: t}
	if !legacy {
		return made, nil
	}
	made.Args = legacyArgs(args)
	return withoutANSI(made), nil
}

// legacyArgs are arguments whose implicit casts give NULL instead of failing.
func legacyArgs(args []Expr) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		if out[i] = a; isImplicit(a) {
			out[i] = withoutANSI(a)
		}
	}
	return out
}

// pick finds the overload for a call: first one that takes the arguments as they are, then one that takes them cast.
func pick(call *callSite, rows []*Overload) (*Overload, []Expr, error) {
	var counted []*Overload
	for _, r := range rows {
		if r.takes(len(call.args)) {
			counted = append(counted, r)
		}
	}
	if len(counted) == 0 || call.opts.Star && counted[0].Name != "count" {
		return nil, nil, sqlerr.WrongNumArgs(call.name, expectedCount(rows), len(call.args))
	}
	if call.opts.IgnoreNulls {
		for _, r := range registry[call.name+" ignore nulls"] {
			if r.takes(len(call.args)) {
				args, err := match(call, r, false)
				return r, args, err
			}
		}
	}
	if ctx := call.opts.Context; ctx != nil && ctx.LastKeyWins {
		if last := registry[call.name+lastWin]; len(last) > 0 {
			counted = last
		}
	}
	var first error
	for _, exact := range []bool{true, false} {
		for _, r := range counted {
			args, err := match(call, r, exact)
			if err == nil {
				return r, args, nil
			}
			if !exact && first == nil && err != errNextRow {
				first = err
			}
		}
	}
	if first == nil {
		first = misfit(call)
	}
	return nil, nil, first
}

// misfit is the error of arguments that no overload takes and none could say why.
func misfit(call *callSite) error {
	if len(call.args) == 2 {
		return wrongPair(call, "a pair of types that it knows")
	}
	a := call.args[0]
	return sqlerr.UnexpectedInputType(call.sql(), 1, "a type that it knows", Print(a), a.Type().SQL())
}

// takes reports whether the overload can have n arguments.
func (o *Overload) takes(n int) bool {
	return n >= len(o.Params)-o.Optional && (o.Variadic || n <= len(o.Params))
}

func (o *Overload) param(i int) Class {
	if len(o.Params) == 0 {
		return AnyValue
	}
	return o.Params[min(i, len(o.Params)-1)]
}

// match casts the arguments for an overload. With exact no cast is allowed, except of NULL.
func match(call *callSite, o *Overload, exact bool) ([]Expr, error) {
	if o.Prepare != nil {
		return o.Prepare(call)
	}
	out := make([]Expr, len(call.args))
	var commons []Expr
	for i, a := range call.args {
		t := a.Type()
		class := o.param(i)
		to, asIs, ok := class.fit(t, isConstant(a))
		if !ok || exact && !asIs && t.Kind != types.Void && !(t.Kind.IsText() && to.Kind == types.String) {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, class.String(), Print(a), t.SQL())
		}
		if class == Common {
			commons = append(commons, a)
			continue
		}
		if asIs {
			out[i] = a
		} else {
			out[i] = implicit(a, to)
		}
	}
	if len(commons) > 0 {
		unified, _, ok := UnifyIn(call.opts.Context, commons...)
		if !ok {
			return nil, sqlerr.DataDiffTypes(call.sql(), call.name, typeNames(commons))
		}
		for i := range call.args {
			if o.param(i) == Common {
				out[i], unified = unified[0], unified[1:]
			}
		}
	}
	return out, nil
}

// expectedCount describes the numbers of arguments that the overloads take.
func expectedCount(rows []*Overload) string {
	counts := map[int]bool{}
	for _, r := range rows {
		if r.Variadic {
			return "> " + strconv.Itoa(max(0, len(r.Params)-1-r.Optional))
		}
		for n := len(r.Params) - r.Optional; n <= len(r.Params); n++ {
			counts[n] = true
		}
	}
	var list []int
	for n := range counts {
		list = append(list, n)
	}
	sort.Ints(list)
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	if len(words) == 1 {
		return words[0]
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// nearNames are up to three functions whose names differ little.
func nearNames(name string) []string {
	limit := 1 + len(name)/4
	var out []string
	for d := 1; d <= limit && len(out) < 3; d++ {
		for _, n := range Names() {
			if n[0] >= 'a' && n[0] <= 'z' && !strings.Contains(n, " ") && len(out) < 3 && editDistance(name, n, limit) == d {
				out = append(out, n)
			}
		}
	}
	return out
}

// editDistance is the Levenshtein distance of two names, or something above limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)]
}

func itoa(n int) string { return strconv.Itoa(n) }

// isConstant reports whether an expression has the same value for every row.
func isConstant(e Expr) bool {
	constant := !FreeVariables(e)
	Walk(e, func(x Expr) bool {
		switch n := x.(type) {
		case *Column, *Subquery, *Aggregate, *Window:
			constant = false
		case *Call:
			constant = constant && !n.Fn.Volatile
		}
		return constant
	})
	return constant
}
