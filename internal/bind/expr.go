package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// exprScope is what an expression may use where it stands.
type exprScope struct {
	frame *frame
	scope *scope
	// names, when not nil, is told what a name would mean in the scope and may prefer an alias of the select list, as
	// ORDER BY and HAVING do. It returns nil to leave the name to the scope.
	names func(ref *ast.ColumnRef, found []column, inAggregate bool) (expr.Expr, error)
	// lateral, when not nil, is asked for a name that the scope does not have: a later item of a select list may use an
	// earlier one's alias. It returns nil when it does not know the name.
	lateral func(ref *ast.ColumnRef, inAggregate bool) (expr.Expr, error)
	// near, when not nil, are the columns to suggest for a name that nothing has, instead of the scope's.
	near []column
	// clause names the place for messages. aggregates and windows tell what may be used here.
	clause     string
	aggregates bool
	windows    bool
	// grouping tells that grouping() and grouping_id() may be used.
	grouping func(*ast.Call) (expr.Expr, error)
	// outerAggregate, when not nil, takes an aggregate that a sub-query computes over the rows of this query's groups, and
	// returns the column that stands for its value.
	outerAggregate func(*expr.Aggregate) *expr.Column
	// named are the windows of the WINDOW clause.
	named map[string]*ast.WindowSpec

	inAggregate, inWindow bool
	// lambda, when not nil, are the parameters of the lambdas around; they hide all else.
	lambda *lambdaScope
}

// expr binds one expression.
func (b *binder) expr(e ast.Expr, es *exprScope) (expr.Expr, error) {
	if b.ctx.Err() != nil {
		return nil, sqlerr.Canceled()
	}
	out, err := b.exprNode(e, es)
	if err != nil {
		return nil, at(err, e.Span())
	}
	return out, nil
}

func (b *binder) exprNode(e ast.Expr, es *exprScope) (expr.Expr, error) {
	switch e.(type) {
	case *ast.Subquery, *ast.Exists, *ast.InQuery:
		if es.lambda != nil {
			return nil, sqlerr.LambdaSubquery()
		}
	}
	switch e := e.(type) {
	case *ast.ColumnRef:
		if b.isColumnRegex(e, es) {
			return nil, sqlerr.InvalidColumnRegex(e.Parts[len(e.Parts)-1].Name)
		}
		return b.columnRef(e, es)
	case *ast.NullLit, *ast.BoolLit, *ast.StringLit, *ast.NumberLit, *ast.BinaryLit, *ast.TypedLit, *ast.IntervalLit, *ast.Unit:
		return b.literal(e)
	case *ast.DefaultLit:
		return b.defaultValue(e, es)
	case *ast.Param:
		return b.param(e)
	case *ast.Star:
		return nil, sqlerr.InvalidStar("expression `" + es.clause + "`")
	case *ast.Unary:
		name := map[string]string{"-": "neg", "+": "pos", "~": "~"}[e.Op]
		return b.operator(name, es, e.X)
	case *ast.Not:
		x, err := b.expr(e.X, es)
		return b.negate(x, true, err)
	case *ast.Logical:
		return b.logical(e, es)
	case *ast.Binary:
		return b.binary(e, es)
	case *ast.IsNull:
		if e.Not {
			return b.operator("isnotnull", es, e.X)
		}
		return b.operator("isnull", es, e.X)
	case *ast.IsBool:
		return b.isBool(e, es)
	case *ast.IsDistinct:
		x, err := b.operator("<=>", es, e.L, e.R)
		return b.negate(x, !e.Not, err)
	case *ast.Between:
		x, err := b.operator("between", es, e.X, e.Lo, e.Hi)
		return b.negate(x, e.Not, err)
	case *ast.In:
		return b.in(e, es)
	case *ast.InQuery:
		return b.inQuery(e, es)
	case *ast.Like:
		args := []ast.Expr{e.X, e.Pattern}
		if e.Escape != nil {
			args = append(args, e.Escape)
		}
		x, err := b.operator(strings.ToLower(e.Op), es, args...)
		return b.negate(x, e.Not, err)
	case *ast.LikeQuantified:
		return b.likeQuantified(e, es)
	case *ast.Exists:
		return b.existsQuery(e, es)
	case *ast.Subquery:
		if e.Table {
			return nil, sqlerr.TableArgument()
		}
		return b.scalarQuery(e, es)
	case *ast.Row:
		return b.row(e, es)
	case *ast.Call:
		return b.call(e, es)
	case *ast.Case:
		return b.caseExpr(e, es)
	case *ast.Cast:
		return b.cast(e, es)
	case *ast.Extract:
		return b.extract(e, es)
	case *ast.Trim:
		return b.trim(e, es)
	case *ast.Subscript:
		return b.subscript(e, es)
	case *ast.Field:
		x, err := b.expr(e.X, es)
		if err != nil {
			return nil, err
		}
		shown := b.text(e.X)
		field, err := b.field(x, e.Name.Name, shown)
		if err == nil {
			b.texts[e] = fieldText(shown, e.Name.Name, field)
		}
		return field, err
	case *ast.Lambda:
		return nil, sqlerr.NotHigherOrder("of this place")
	}
	return nil, sqlerr.Unsupported("EXPRESSION", "this form of expression")
}

func (b *binder) exprs(list []ast.Expr, es *exprScope) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		x, err := b.expr(e, es)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// operator binds the operands and resolves the operator over them.
func (b *binder) operator(name string, es *exprScope, operands ...ast.Expr) (expr.Expr, error) {
	args, err := b.exprs(operands, es)
	if err != nil {
		return nil, err
	}
	return b.resolve(name, args)
}

func (b *binder) resolve(name string, args []expr.Expr) (expr.Expr, error) {
	return expr.Resolve(name, args, expr.ResolveOptions{Context: b.env.Context})
}

func (b *binder) negate(x expr.Expr, not bool, err error) (expr.Expr, error) {
	if err != nil || !not {
		return x, err
	}
	if c, ok := x.(*expr.Call); ok && exists(x, isInQuery) {
		return b.negateLogic(c)
	}
	return b.resolve("not", []expr.Expr{x})
}

// negateLogic negates a condition that holds IN (query), by De Morgan's laws: as a part of AND, OR and NOT such an IN and
// its negation are true or false, never NULL, and Spark carries NOT down to it before that becomes so.
func (b *binder) negateLogic(c *expr.Call) (expr.Expr, error) {
	switch {
	case c.Fn.Name == "not" && len(c.Args) == 1:
		return c.Args[0], nil
	case c.Fn.Name == "and" || c.Fn.Name == "or":
		args := make([]expr.Expr, len(c.Args))
		for i, a := range c.Args {
			var err error
			if args[i], err = b.negate(a, true, nil); err != nil {
				return nil, err
			}
		}
		return b.resolve(map[string]string{"and": "or", "or": "and"}[c.Fn.Name], args)
	}
	return b.resolve("not", []expr.Expr{c})
}

func isInQuery(e expr.Expr) bool {
	sub, ok := e.(*expr.Subquery)
	return ok && sub.Kind == expr.InSubquery
}

// logical binds a chain of AND or OR as a balanced tree, so that no later walk goes as deep as the chain is long.
func (b *binder) logical(e *ast.Logical, es *exprScope) (expr.Expr, error) {
	args, err := b.exprs(e.Args, es)
	if err != nil {
		return nil, err
	}
	name := "and"
	if e.Or {
		name = "or"
	}
	var build func([]expr.Expr) (expr.Expr, error)
	build = func(list []expr.Expr) (expr.Expr, error) {
		if len(list) == 1 {
			return list[0], nil
		}
		mid := (len(list) + 1) / 2
		l, err := build(list[:mid])
		if err != nil {
			return nil, err
		}
		r, err := build(list[mid:])
		if err != nil {
			return nil, err
		}
		return b.resolve(name, []expr.Expr{l, r})
	}
	return build(args)
}

// binary binds an operator with two sides. A chain leans to the left and is walked in a loop.
func (b *binder) binary(e *ast.Binary, es *exprScope) (expr.Expr, error) {
	chain := []*ast.Binary{e}
	for {
		l, ok := chain[len(chain)-1].L.(*ast.Binary)
		if !ok {
			break
		}
		chain = append(chain, l)
	}
	left, err := b.expr(chain[len(chain)-1].L, es)
	if err != nil {
		return nil, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		n := chain[i]
		right, err := b.expr(n.R, es)
		if err != nil {
			return nil, err
		}
		x, err := b.binaryNode(n, left, right)
		if err != nil {
			return nil, at(err, n.Span())
		}
		left = x
	}
	return left, nil
}

func (b *binder) binaryNode(n *ast.Binary, left, right expr.Expr) (expr.Expr, error) {
	if l, r, ok := tuples(left, right); ok && isComparison(n.Op) {
		return b.compareRows(n.Op, l, r)
	}
	x, err := b.resolve(strings.ToLower(n.Op), []expr.Expr{left, right})
	if err == nil && (n.Op == "+" || n.Op == "-") {
		b.dateText(n, left.Type(), right.Type())
	}
	return x, err
}

// dateText notes how Spark shows a sum with a date: it is not the arithmetic operator that it names.
func (b *binder) dateText(n *ast.Binary, lt, rt types.Type) {
	l, r := lt.Kind, rt.Kind
	isInterval := func(k types.Kind) bool { return k == types.YearMonthInterval || k == types.DayTimeInterval }
	daysOnly := func(t types.Type) bool { return t.Kind == types.DayTimeInterval && t.Scale == types.FieldDay }
	isTime := func(k types.Kind) bool { return k == types.Date || k == types.Timestamp || k == types.TimestampNTZ }
	// The text is only made where it is needed: making it for every link of a long chain would cost its square.
	form := ""
	switch {
	case l == types.Date && r.IsNumeric() && n.Op == "+":
		form = "date_add(L, R)"
	case l.IsNumeric() && r == types.Date && n.Op == "+":
		form = "date_add(R, L)"
	case l == types.Date && r.IsNumeric():
		form = "date_sub(L, R)"
	case l == types.Date && daysOnly(rt) && n.Op == "+":
		form = "date_add(L, extractansiintervaldays(R))"
	case isTime(l) && isInterval(r):
		form = "L " + n.Op + " R"
	case isInterval(l) && isTime(r):
		form = "R " + n.Op + " L"
	}
	if form != "" {
		b.texts[n] = strings.NewReplacer("L", b.text(n.L), "R", b.text(n.R)).Replace(form)
	}
}

func isComparison(op string) bool {
	switch op {
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return true
	}
	return false
}

func tuples(l, r expr.Expr) (left, right *expr.Tuple, ok bool) {
	left, lok := l.(*expr.Tuple)
	right, rok := r.(*expr.Tuple)
	return left, right, lok && rok && len(left.Elems) == len(right.Elems)
}

// compareRows compares two rows whose elements get common types one by one. Equality of rows is equality of structs.
func (b *binder) compareRows(op string, l, r *expr.Tuple) (expr.Expr, error) {
	le, re := make([]expr.Expr, len(l.Elems)), make([]expr.Expr, len(l.Elems))
	for i := range le {
		both, _, ok := expr.Unify(l.Elems[i], r.Elems[i])
		if !ok {
			return b.resolve(op, []expr.Expr{l, r})
		}
		le[i], re[i] = both[0], both[1]
	}
	return b.resolve(op, []expr.Expr{expr.NewTuple(le), expr.NewTuple(re)})
}

func (b *binder) isBool(e *ast.IsBool, es *exprScope) (expr.Expr, error) {
	name := map[string]string{"TRUE": "istrue", "FALSE": "isfalse", "UNKNOWN": "isnull"}[e.Truth]
	if e.Not {
		name = map[string]string{"TRUE": "isnottrue", "FALSE": "isnotfalse", "UNKNOWN": "isnotnull"}[e.Truth]
	}
	return b.operator(name, es, e.X)
}

func (b *binder) in(e *ast.In, es *exprScope) (expr.Expr, error) {
	arg, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	var list []expr.Expr
	for _, elem := range e.List {
		cols, ok, err := b.several(elem, es)
		if err != nil {
			return nil, err
		}
		if !ok {
			x, err := b.expr(elem, es)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
			continue
		}
		var shown []string
		for _, c := range cols {
			shown, list = append(shown, c.name), append(list, c.expr)
		}
		b.texts[elem] = join(shown)
	}
	if t, ok := arg.(*expr.Tuple); ok {
		return b.inRows(e, t, list)
	}
	x, err := expr.NewIn(b.env.Context, arg, list)
	return b.negate(x, e.Not, err)
}

// inRows gives each position of (a, b) IN ((1, 'x'), …) a common type of its own.
func (b *binder) inRows(e *ast.In, arg *expr.Tuple, list []expr.Expr) (expr.Expr, error) {
	width := len(arg.Elems)
	rows := make([][]expr.Expr, len(list)+1)
	for i := range rows {
		rows[i] = make([]expr.Expr, width)
	}
	for j := 0; j < width; j++ {
		column := []expr.Expr{arg.Elems[j]}
		for _, x := range list {
			t, ok := x.(*expr.Tuple)
			if !ok || len(t.Elems) != width {
				x, err := expr.NewIn(b.env.Context, arg, list)
				return b.negate(x, e.Not, err)
			}
			column = append(column, t.Elems[j])
		}
		out, _, ok := expr.UnifyIn(b.env.Context, column...)
		if !ok {
			x, err := expr.NewIn(b.env.Context, arg, list)
			return b.negate(x, e.Not, err)
		}
		for i := range rows {
			rows[i][j] = out[i]
		}
	}
	in := &expr.In{Arg: expr.NewTuple(rows[0])}
	for _, r := range rows[1:] {
		in.List = append(in.List, expr.NewTuple(r))
	}
	return b.negate(in, e.Not, nil)
}

// likeQuantified is x LIKE ANY (…) as a disjunction and x LIKE ALL (…) as a conjunction; NOT negates each comparison.
func (b *binder) likeQuantified(e *ast.LikeQuantified, es *exprScope) (expr.Expr, error) {
	x, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	var terms []expr.Expr
	for _, p := range e.Patterns {
		pattern, err := b.expr(p, es)
		if err != nil {
			return nil, err
		}
		like, err := b.resolve(strings.ToLower(e.Op), []expr.Expr{x, pattern})
		if like, err = b.negate(like, e.Not, err); err != nil {
			return nil, err
		}
		terms = append(terms, like)
	}
	if e.All {
		return expr.And(terms...), nil
	}
	return expr.Or(terms...), nil
}

// row binds (a, b, …). With aliases it is a named struct.
func (b *binder) row(e *ast.Row, es *exprScope) (expr.Expr, error) {
	elems := make([]expr.Expr, len(e.Elems))
	named := false
	for i, a := range e.Elems {
		x, err := b.expr(a.Expr, es)
		if err != nil {
			return nil, err
		}
		elems[i] = x
		named = named || a.Alias != nil
	}
	if !named {
		t := expr.NewTuple(elems)
		for i, a := range e.Elems {
			t.T.Fields[i].Name = fieldName(a, i)
		}
		return t, nil
	}
	var args []expr.Expr
	for i, a := range e.Elems {
		args = append(args, text(fieldName(a, i)), elems[i])
	}
	return b.resolve("named_struct", args)
}

func (b *binder) caseExpr(e *ast.Case, es *exprScope) (expr.Expr, error) {
	var operand expr.Expr
	var err error
	if e.Operand != nil {
		if operand, err = b.expr(e.Operand, es); err != nil {
			return nil, err
		}
	}
	var whens, thens []expr.Expr
	for _, w := range e.Whens {
		cond, err := b.expr(w.Cond, es)
		if err != nil {
			return nil, err
		}
		if operand != nil {
			if cond, err = b.resolve("=", []expr.Expr{operand, cond}); err != nil {
				return nil, err
			}
		}
		then, err := b.expr(w.Result, es)
		if err != nil {
			return nil, err
		}
		whens, thens = append(whens, cond), append(thens, then)
	}
	var els expr.Expr
	if e.Else != nil {
		if els, err = b.expr(e.Else, es); err != nil {
			return nil, err
		}
	}
	return expr.NewCase(b.env.Context, whens, thens, els)
}

func (b *binder) cast(e *ast.Cast, es *exprScope) (expr.Expr, error) {
	x, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	mode := expr.CastANSI
	switch {
	case e.Try:
		mode = expr.CastTry
	case !b.env.Context.ANSI:
		mode = expr.CastLegacy
	}
	return expr.NewCast(x, e.Type.T, mode)
}

func (b *binder) extract(e *ast.Extract, es *exprScope) (expr.Expr, error) {
	x, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	return b.resolve("extract", []expr.Expr{text(e.Field), x})
}

func (b *binder) trim(e *ast.Trim, es *exprScope) (expr.Expr, error) {
	name := map[string]string{"BOTH": "btrim", "LEADING": "ltrim", "TRAILING": "rtrim"}[e.Where]
	x, err := b.expr(e.X, es)
	if err != nil || e.Chars == nil {
		if err == nil {
			x, err = b.resolve(name, []expr.Expr{x})
		}
		return x, err
	}
	chars, err := b.expr(e.Chars, es)
	if err != nil {
		return nil, err
	}
	if name == "btrim" {
		return b.resolve(name, []expr.Expr{x, chars})
	}
	// ltrim and rtrim take the characters first.
	return b.resolve(name, []expr.Expr{chars, x})
}

func (b *binder) subscript(e *ast.Subscript, es *exprScope) (expr.Expr, error) {
	x, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	index, err := b.expr(e.Index, es)
	if err != nil {
		return nil, err
	}
	switch x.Type().Kind {
	case types.Void:
		return &expr.Literal{T: x.Type()}, nil // a NULL without a type has every element, and each is NULL
	case types.Array, types.Map:
		return b.resolve("getitem", []expr.Expr{x, index})
	case types.Struct:
		lit, ok := index.(*expr.Literal)
		name, isText := "", false
		if ok {
			name, isText = lit.Value.(string)
		}
		if !isText {
			return nil, sqlerr.InvalidExtractField(b.text(e.Index))
		}
		b.texts[e] = b.text(e.X) + "." + name
		return b.field(x, name, b.text(e.X))
	}
	return nil, sqlerr.InvalidExtractBase(b.text(e.X), x.Type().SQL())
}

// condition binds a WHERE, HAVING, QUALIFY or ON condition: it must be BOOLEAN.
func (b *binder) condition(e ast.Expr, es *exprScope, wrong func(text, typeName string) *sqlerr.Error) (expr.Expr, error) {
	x, err := b.expr(e, es)
	if err != nil {
		return nil, err
	}
	switch k := x.Type().Kind; {
	case k == types.Boolean:
		return x, nil
	case k == types.Void:
		return &expr.Cast{Arg: x, T: types.Of(types.Boolean), Implicit: true}, nil
	}
	return nil, wrong(b.text(e), x.Type().SQL()).At(e.Span())
}

// foldTree folds the constant parts of an expression.
func (b *binder) foldTree(e expr.Expr) expr.Expr {
	switch e.(type) {
	case *expr.Column, *expr.Literal:
		return e
	}
	// A function of long constants may take as long as it likes. When the statement ends first, rewrite tells so.
	if folded, ended := parallel.Await(b.ctx, func() expr.Expr { return expr.Fold(e, b.env.Context) }); ended {
		return folded
	}
	return e
}

// text is a STRING constant.
func text(s string) *expr.Literal { return &expr.Literal{Value: s, T: types.Of(types.String)} }

func columnNumber(i int) string { return "col" + itoa(i) }

func fieldName(a ast.Arg, i int) string {
	if a.Alias != nil {
		return a.Alias.Name
	}
	switch x := a.Expr.(type) {
	case *ast.ColumnRef:
		return x.Parts[len(x.Parts)-1].Name
	case *ast.Field:
		return x.Name.Name
	case *ast.Subscript:
		if s, ok := x.Index.(*ast.StringLit); ok {
			return s.Value
		}
	}
	return columnNumber(i + 1)
}
