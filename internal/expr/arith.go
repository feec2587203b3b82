package expr

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// arithmeticOps are + - * / % div, pmod, unary signs, and their try_… forms.
func arithmeticOps() []Overload {
	var rows []Overload
	for _, name := range []string{"+", "-", "*", "%", "mod", "pmod"} {
		op := name
		if op == "mod" {
			op = "%"
		}
		rows = append(rows,
			Overload{Name: name, Params: two(Numeric), Prepare: numberPair, Result: typeOfFirst, DuckFunc: numberSQL(op), Eval: evalNumber(op)})
		rows = append(rows, decimalRows(name, op, decimalSQL(op), evalDecimal(op))...)
	}
	rows = append(rows, decimalRows("/", "/", decimalSQL("/"), evalDecimal("/"))...)
	rows = append(rows,
		Overload{
			Name: "/", Params: two(Numeric), Prepare: doublePair, Returns: types.Of(types.Double), Eval: evalNumber("/"),
			Duck: "CASE WHEN $2=0 AND $1 IS NOT NULL THEN " + raise("DIVIDE_BY_ZERO") + " ELSE $1/$2 END",
		},
		Overload{
			Name: "div", Params: two(Integral), Prepare: longPair, Returns: types.Of(types.BigInt), Eval: evalNumber("div"),
			Duck: "CASE WHEN $2=0 AND $1 IS NOT NULL THEN " + raise("DIVIDE_BY_ZERO") + " ELSE $1//$2 END",
		},
		Overload{
			Name: "div", Params: two(Numeric), Prepare: decimalPair, Returns: types.Of(types.BigInt), Eval: evalDecimalDiv,
			Duck: "tarn_decimal_div_int(CAST($1 AS VARCHAR),CAST($2 AS VARCHAR))",
		},
		Overload{Name: "neg", Params: one(Numeric), Result: typeOfFirst, Duck: "(-$1)", Eval: evalNegate},
		Overload{Name: "neg", Params: one(AnyInterval), Result: typeOfFirst, DuckFunc: negateIntervalSQL, Eval: evalNegateInterval},
		Overload{Name: "pos", Params: one(Numeric), Result: typeOfFirst, Duck: "$1", Eval: evalSame},
		Overload{Name: "pos", Params: one(AnyInterval), Result: typeOfFirst, Duck: "$1", Eval: evalSame},
		Overload{Name: "abs", Params: one(Numeric), Result: typeOfFirst, Duck: "abs($1)", Eval: evalAbs},
		Overload{Name: "abs", Params: one(AnyInterval), Result: typeOfFirst, Duck: "abs($1)", Eval: evalAbs},
	)
	rows = append(rows, tryOperators()...)
	for try, name := range map[string]string{"try_add": "+", "try_subtract": "-", "try_multiply": "*", "try_mod": "%"} {
		rows = append(rows,
			Overload{Name: try, Params: two(Numeric), Prepare: numberPair, Result: typeOfFirst, DuckFunc: tryNumberSQL(name), Eval: orNull(evalNumber(name))})
		rows = append(rows, decimalRows(try, name, tryDecimalSQL(name), orNull(evalDecimal(name)))...)
	}
	rows = append(rows,
		Overload{Name: "try_divide", Params: two(Numeric), Prepare: doublePair, Returns: types.Of(types.Double), Eval: orNull(evalNumber("/")), Duck: "CASE WHEN $2<>0 THEN $1/$2 END"})
	rows = append(rows, decimalRows("try_divide", "/", tryDecimalSQL("/"), orNull(evalDecimal("/")))...)
	return append(rows, intervalOps()...)
}

func one(c Class) []Class { return []Class{c} }

func two(c Class) []Class { return []Class{c, c} }

func typeOfFirst(args []Expr) (types.Type, error) { return plain(args[0].Type()), nil }

// orNull makes the try_… form of a function: a failure is NULL.
func orNull(f EvalFunc) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		v, err := f(ctx, args, argTypes, result)
		if err != nil {
			return nil, nil
		}
		return v, nil
	}
}

// textAsNumber gives the operands with text made a number: BIGINT beside an integer, else DOUBLE. NULLs take the
// other side's type.
func textAsNumber(call *callSite) (Expr, Expr) {
	a, b := call.args[0], call.args[1]
	meet := func(x, y Expr) Expr {
		kx, ky := x.Type().Kind, y.Type().Kind
		switch {
		case kx == types.Void && ky.IsNumeric():
			return implicit(x, y.Type())
		case kx.IsText() && ky.IsIntegral() && !call.legacy():
			return implicit(x, types.Of(types.BigInt))
		case kx.IsText() && !call.legacy() && !ky.IsNumeric():
			return x // text is made a number only beside one
		case kx.IsText() || kx == types.Void:
			return implicit(x, types.Of(types.Double))
		}
		return x
	}
	return meet(a, b), meet(b, a)
}

func wrongPair(call *callSite, required string) error {
	a, b := call.args[0].Type(), call.args[1].Type()
	if !call.legacy() {
		// Text takes the type of the other side first.
		switch {
		case a.Kind.IsText() && !b.Kind.IsNested() && !spans(b):
			a = b
		case b.Kind.IsText() && !a.Kind.IsNested() && !spans(a):
			b = a
		}
	}
	if types.Equal(a, b) {
		return sqlerr.BinaryOpWrongType(call.sql(), required, a.SQL())
	}
	return sqlerr.BinaryOpDiffTypes(call.sql(), a.SQL(), b.SQL())
}

// spans tells the intervals.
func spans(t types.Type) bool { return isDayTime(t) || isYearMonth(t) || isCalendar(t) }

// numberPair casts both operands to the wider of their types; decimals are decimalPair's.
func numberPair(call *callSite) ([]Expr, error) {
	a, b := textAsNumber(call)
	ka, kb := a.Type().Kind, b.Type().Kind
	days := func(k types.Kind) bool { return k.IsNumeric() || k.IsText() }
	if (ka == types.Date && days(kb) || kb == types.Date && days(ka)) && (call.name == "+" || call.name == "-") {
		position := 2
		if kb == types.Date {
			position = 1
		}
		x := call.args[position-1]
		return nil, sqlerr.UnexpectedInputType(call.sql(), position, `("INT" or "SMALLINT" or "TINYINT")`, Print(x), x.Type().SQL())
	}
	if !ka.IsNumeric() || !kb.IsNumeric() {
		if err := datetimeMisfit(call); err != nil {
			return nil, err
		}
		return nil, wrongPair(call, `("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")`)
	}
	t := commonNumber(a.Type(), b.Type())
	if t.Kind == types.Decimal {
		return nil, errNextRow
	}
	return []Expr{implicit(a, t), implicit(b, t)}, nil
}

// errNextRow says that another overload is meant.
const errNextRow = evalError("the operands belong to another overload")

func doublePair(call *callSite) ([]Expr, error) {
	args, err := numberPair(call)
	if err != nil {
		return nil, err
	}
	d := types.Of(types.Double)
	return []Expr{implicit(args[0], d), implicit(args[1], d)}, nil
}

func longPair(call *callSite) ([]Expr, error) {
	a, b := textAsNumber(call)
	ka, kb := a.Type().Kind, b.Type().Kind
	long := types.Of(types.BigInt)
	if call.args[0].Type().Kind == types.Void && call.args[1].Type().Kind == types.Void {
		return []Expr{implicit(a, long), implicit(b, long)}, nil
	}
	if ka == types.Decimal || kb == types.Decimal {
		return nil, errNextRow
	}
	if !ka.IsIntegral() || !kb.IsIntegral() {
		return nil, wrongPair(call, `("BIGINT" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")`)
	}
	return []Expr{implicit(a, long), implicit(b, long)}, nil
}

// decimalPair keeps each operand's own precision: the result type follows from both.
func decimalPair(call *callSite) ([]Expr, error) {
	a, b := textAsNumber(call)
	ka, kb := a.Type().Kind, b.Type().Kind
	if ka != types.Decimal && kb != types.Decimal || !ka.IsNumeric() || !kb.IsNumeric() || isFloating(ka) || isFloating(kb) {
		return nil, errNextRow
	}
	return []Expr{implicit(a, literalDecimalType(a)), implicit(b, literalDecimalType(b))}, nil
}

// decimalRows are an operator on decimals, with either rule for the type of its result.
func decimalRows(name, op string, duck func([]string, []types.Type, types.Type) string, eval EvalFunc) []Overload {
	return []Overload{
		{Name: name, Params: two(Numeric), Prepare: keptScale, Result: keptResult(op), DuckFunc: duck, Eval: eval},
		{Name: name, Params: two(Numeric), Prepare: decimalPair, Result: decimalResult(op), DuckFunc: duck, Eval: eval},
	}
}

// keptScale is decimalPair in a session whose results keep their scale.
func keptScale(call *callSite) ([]Expr, error) {
	if call.opts.Context == nil || !call.opts.Context.KeepScale {
		return nil, errNextRow
	}
	return decimalPair(call)
}

// keptResult is the type of a result that does not give up digits of its fraction; only a quotient gives up half of what
// is too much.
func keptResult(op string) func([]Expr) (types.Type, error) {
	return func(args []Expr) (types.Type, error) {
		a, b := args[0].Type(), args[1].Type()
		p, s := exactDecimal(op, a, b)
		if op == "/" {
			whole, fraction := min(types.MaxPrecision, a.Precision-a.Scale+b.Scale), min(types.MaxPrecision, s)
			if over := whole + fraction - types.MaxPrecision; over > 0 {
				fraction -= over/2 + 1
				whole = types.MaxPrecision - fraction
			}
			return types.DecimalOf(whole+fraction, fraction), nil
		}
		return types.DecimalOf(min(p, types.MaxPrecision), min(s, types.MaxPrecision)), nil
	}
}

// adjustedDecimal caps the precision, giving up digits of the fraction down to six.
func adjustedDecimal(p, s int) types.Type {
	if p <= types.MaxPrecision {
		return types.DecimalOf(p, s)
	}
	return types.DecimalOf(types.MaxPrecision, max(types.MaxPrecision-(p-s), min(s, 6)))
}

func decimalResult(op string) func([]Expr) (types.Type, error) {
	return func(args []Expr) (types.Type, error) {
		p, s := exactDecimal(op, args[0].Type(), args[1].Type())
		return adjustedDecimal(p, s), nil
	}
}

// exactDecimal is the precision and scale of a result before they are capped.
func exactDecimal(op string, a, b types.Type) (p, s int) {
	p1, s1, p2, s2 := a.Precision, a.Scale, b.Precision, b.Scale
	switch op {
	case "*":
		return p1 + p2 + 1, s1 + s2
	case "/":
		s = max(6, s1+p2+1)
		return p1 - s1 + s2 + s, s
	case "%", "pmod":
		s = max(s1, s2)
		return min(p1-s1, p2-s2) + s, s
	}
	s = max(s1, s2)
	return max(p1-s1, p2-s2) + s + 1, s
}

// numberSQL is an operator on two numbers of one type that is no DECIMAL.
func numberSQL(op string) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, result types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		zero := "CASE WHEN " + b + "=0 AND " + a + " IS NOT NULL THEN " + raise("REMAINDER_BY_ZERO")
		floating := isFloating(result.Kind)
		switch {
		case op == "%" && floating:
			return zero + " ELSE " + a + " % " + b + " END"
		case op == "%":
			return zero + " WHEN " + b + "=-1 THEN " + a + "-" + a + " ELSE " + a + " % " + b + " END"
		case op == "pmod" && floating:
			return zero + " WHEN " + a + " % " + b + " < 0 THEN (" + a + " % " + b + " + " + b + ") % " + b + " ELSE " + a + " % " + b + " END"
		case op == "pmod":
			return zero + " WHEN " + b + "=-1 THEN " + a + "-" + a + " WHEN " + a + " % " + b + " < 0 AND " + b + " > 0 THEN " + a + " % " + b + " + " + b + wrappedRemainder(a, b, result) + " ELSE " + a + " % " + b + " END"
		}
		return "(" + a + " " + op + " " + b + ")"
	}
}

// wrappedRemainder is the branch of pmod for a negative divisor whose sum with the remainder wraps around, in Java's int
// and long arithmetic.
func wrappedRemainder(a, b string, t types.Type) string {
	bits := map[types.Kind]string{types.Int: "4294967296", types.BigInt: "18446744073709551616"}[t.Kind]
	if bits == "" {
		return ""
	}
	lo, _ := types.IntRange(t.Kind)
	sum := "CAST(" + a + " % " + b + " AS HUGEINT)+" + b
	return " WHEN " + a + " % " + b + " < 0 AND " + sum + " < " + strconv.FormatInt(lo, 10) + " THEN CAST((" + sum + "+" + bits + ") % " + b + " AS " + DuckType(t) + ")"
}

func tryNumberSQL(op string) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, result types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		switch {
		case op == "%" && isFloating(result.Kind):
			return "CASE WHEN " + b + "<>0 THEN " + a + " % " + b + " END"
		case op == "%":
			return "CASE WHEN " + b + "=-1 THEN " + a + "-" + a + " WHEN " + b + "<>0 THEN " + a + " % " + b + " END"
		case isFloating(result.Kind):
			return "(" + a + " " + op + " " + b + ")"
		}
		return "TRY_CAST(CAST(" + a + " AS HUGEINT) " + op + " CAST(" + b + " AS HUGEINT) AS " + DuckType(result) + ")"
	}
}

// decimalSQL says decimal arithmetic: DuckDB's own where its digits suffice, Go's where they can't; and where they might,
// DuckDB's first, which is many times as fast, then Go's for the rows that it fails on.
func decimalSQL(op string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		native, sure := nativeDecimal(op, args, argTypes, result)
		exact := decimalCall(DecimalOp, op, args, result)
		switch {
		case sure:
			return native
		case native != "" && triable(args):
			return "coalesce(TRY(" + native + ")," + exact + ")"
		}
		return exact
	}
}

// triable reports arguments that DuckDB takes inside of TRY: no sub-queries, and nothing that it holds for volatile, as
// it does whatever raises an error, also within a macro (sp_…).
func triable(args []string) bool {
	for _, a := range args {
		for _, word := range []string{"SELECT ", "random(", "uuid(", "error(", "sp_"} {
			if strings.Contains(a, word) {
				return false
			}
		}
	}
	return true
}

// nativeDecimal is an operator in DuckDB's decimals, which have 38 digits and fail when they do not suffice; sure tells
// that they always do. It is "" where DuckDB has no equal.
func nativeDecimal(op string, args []string, argTypes []types.Type, result types.Type) (text string, sure bool) {
	a, b := wrapArg(args, 0), wrapArg(args, 1)
	t := DuckType(result)
	p, s := exactDecimal(op, argTypes[0], argTypes[1])
	switch op {
	case "+", "-":
		if s == result.Scale {
			return "CAST(CAST(" + a + " AS " + t + ") " + op + " CAST(" + b + " AS " + t + ") AS " + t + ")", p <= types.MaxPrecision
		}
	case "*":
		if s > types.MaxPrecision {
			return "", false
		}
		// Two factors of up to 18 digits would be multiplied in 18 digits.
		wide := DuckType(types.DecimalOf(max(argTypes[0].Precision, 19), argTypes[0].Scale))
		if p <= types.MaxPrecision && (argTypes[0].Precision+argTypes[1].Precision <= 18 || max(argTypes[0].Precision, 19)+argTypes[1].Precision > types.MaxPrecision) {
			wide = DuckType(argTypes[0])
		}
		return "CAST(CAST(" + a + " AS " + wide + ") * " + b + " AS " + t + ")", p <= types.MaxPrecision
	case "%":
		s := max(argTypes[0].Scale, argTypes[1].Scale)
		if w := max(argTypes[0].Precision-argTypes[0].Scale, argTypes[1].Precision-argTypes[1].Scale) + s; w <= types.MaxPrecision {
			wide := DuckType(types.DecimalOf(w, s))
			return "CASE WHEN " + b + "=0 AND " + a + " IS NOT NULL THEN " + raise("REMAINDER_BY_ZERO") + " ELSE CAST(CAST(" + a + " AS " + wide + ") % CAST(" + b + " AS " + wide + ") AS " + t + ") END", true
		}
	}
	return "", false
}

// decimalCall is an operator said by DecimalOp or TryDecimalOp, which give the digits of the result.
func decimalCall(function, op string, args []string, result types.Type) string {
	digits := function + "('" + op + "'," + wrapArg(args, 0) + "," + wrapArg(args, 1) + "," + strconv.Itoa(result.Precision) + "," + strconv.Itoa(result.Scale) + ")"
	if result.Scale > 0 {
		unit := "CAST('0." + strings.Repeat("0", result.Scale-1) + "1' AS DECIMAL(" + strconv.Itoa(result.Scale) + "," + strconv.Itoa(result.Scale) + "))"
		digits = "CAST(" + digits + " AS DECIMAL(38,0))*" + unit
	}
	return "CAST(" + digits + " AS " + DuckType(result) + ")"
}

func tryDecimalSQL(op string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		exact := decimalCall(TryDecimalOp, op, args, result)
		native, sure := nativeDecimal(op, args, argTypes, result)
		switch {
		case native == "" || op == "%":
			return exact
		case sure:
			return native
		case triable(args):
			return "coalesce(TRY(" + native + ")," + exact + ")"
		}
		return exact
	}
}

func evalDecimal(op string) EvalFunc {
	return func(_ *Context, args []types.Value, _ []types.Type, result types.Type) (types.Value, error) {
		r, err := decimalOp(op, decOf(args[0]), decOf(args[1]), result.Precision, result.Scale)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

func evalDecimalDiv(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return decimalDiv(decOf(args[0]), decOf(args[1]))
}

func evalNumber(op string) EvalFunc {
	return func(_ *Context, args []types.Value, _ []types.Type, result types.Type) (types.Value, error) {
		if isFloating(result.Kind) {
			return floatOp(op, floatOf(args[0]), floatOf(args[1]), result.Kind)
		}
		return integerOp(op, intOf(args[0]), intOf(args[1]), result)
	}
}

func floatOp(op string, a, b float64, k types.Kind) (types.Value, error) {
	var r float64
	switch op {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		r = a * b
	case "/":
		if b == 0 {
			return nil, sqlerr.DivideByZero()
		}
		r = a / b
	default:
		if b == 0 {
			return nil, sqlerr.RemainderByZero()
		}
		if r = math.Mod(a, b); op == "pmod" && r < 0 {
			sum := r + b
			if k == types.Float {
				sum = float64(float32(sum))
			}
			r = math.Mod(sum, b)
		}
	}
	if k == types.Float {
		r = float64(float32(r))
	}
	return r, nil
}

func integerOp(op string, a, b int64, t types.Type) (types.Value, error) {
	var r int64
	ok := true
	switch op {
	case "+":
		r = a + b
		ok = (a^r)&(b^r) >= 0
	case "-":
		r = a - b
		ok = (a^b)&(a^r) >= 0
	case "*":
		r, ok = mul64(a, b)
	case "div":
		if b == 0 {
			return nil, sqlerr.DivideByZero()
		}
		if a == math.MinInt64 && b == -1 {
			ok = false
			break
		}
		r = a / b
	default:
		if b == 0 {
			return nil, sqlerr.RemainderByZero()
		}
		if b == -1 {
			return int64(0), nil
		}
		r = a % b
		if op == "pmod" && r < 0 {
			lo, hi := types.IntRange(t.Kind)
			r += b
			// A negative divisor overflows like Java's int arithmetic before the second remainder.
			if r < lo && t.Kind == types.Int {
				r += hi - lo + 1
			}
			r %= b
		}
	}
	lo, hi := types.IntRange(t.Kind)
	if ok && r >= lo && r <= hi {
		return r, nil
	}
	return nil, integerOverflow(op, a, b, t)
}

func integerOverflow(op string, a, b int64, t types.Type) error {
	if t.Kind == types.TinyInt || t.Kind == types.SmallInt {
		text := func(n int64) string { return types.FormatLiteral(t, n, nil) }
		return sqlerr.BinaryArithmeticOverflow(text(a), op, text(b))
	}
	try := map[string]string{"+": "try_add", "-": "try_subtract", "*": "try_multiply"}[op]
	word := map[string]string{"+": "The sum", "-": "The difference", "*": "The product", "div": "The quotient"}[op]
	return sqlerr.ArithmeticOverflow(word+" of "+t.SQL()+" values", try)
}

func mul64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(absU(a), absU(b))
	neg := (a < 0) != (b < 0)
	if hi != 0 || !neg && lo > math.MaxInt64 || neg && lo > 1<<63 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absU(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func evalSame(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return args[0], nil
}

func evalNegate(_ *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
	switch v := args[0].(type) {
	case float64:
		return -v, nil
	case types.Dec:
		return types.Dec{Unscaled: decimalNeg(v), Scale: v.Scale}, nil
	case int64:
		if lo := lowest(argTypes[0]); v == lo {
			return nil, sqlerr.ArithmeticOverflow("The negated "+result.SQL(), "")
		}
		return -v, nil
	}
	return nil, nil
}

func evalAbs(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
	switch v := args[0].(type) {
	case float64:
		return math.Abs(v), nil
	case types.Dec:
		if v.Sign() >= 0 {
			return v, nil
		}
	case int64:
		if v >= 0 {
			return v, nil
		}
	}
	return evalNegate(ctx, args, argTypes, result)
}

// lowest is the least value of an integer or interval type.
func lowest(t types.Type) int64 {
	if t.Kind == types.YearMonthInterval {
		return math.MinInt32
	}
	lo, _ := types.IntRange(t.Kind)
	return lo
}
