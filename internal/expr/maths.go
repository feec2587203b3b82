package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// mathFunctions are rounding, powers, logarithms and trigonometry.
func mathFunctions() []Overload {
	double, long, text := types.Of(types.Double), types.Of(types.BigInt), types.Of(types.String)
	var rows []Overload
	nan := "'NaN'::DOUBLE"
	// null tells arguments outside the domain, whose result is NULL.
	f1 := func(name, duck string, f func(float64) float64, null func(float64) bool) {
		rows = append(rows, Overload{
			Name: name, Params: one(DoubleNumber), Returns: double, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				x := floatOf(a[0])
				if null != nil && null(x) {
					return nil, nil
				}
				return f(x), nil
			},
		})
	}
	notPositive := func(x float64) bool { return x <= 0 }
	unlessInf := func(f string) string { return "CASE WHEN isinf($1) THEN " + nan + " ELSE " + f + " END" }
	f1("sqrt", "CASE WHEN $1<0 THEN "+nan+" ELSE sqrt($1) END", math.Sqrt, nil)
	f1("cbrt", "CASE WHEN pow(round(cbrt($1)),3)=$1 THEN round(cbrt($1)) ELSE cbrt($1) END", math.Cbrt, nil)
	f1("exp", "exp($1)", math.Exp, nil)
	f1("expm1", "CASE WHEN abs($1)<1e-5 THEN $1+($1*$1/2+$1*$1*$1/6) ELSE exp($1)-1 END", math.Expm1, nil)
	f1("ln", "CASE WHEN $1>0 THEN ln($1) END", math.Log, notPositive)
	f1("log", "CASE WHEN $1>0 THEN ln($1) END", math.Log, notPositive)
	f1("log10", "CASE WHEN $1>0 THEN log10($1) END", math.Log10, notPositive)
	f1("log2", "CASE WHEN $1>0 THEN log2($1) END", math.Log2, notPositive)
	f1("log1p", "CASE WHEN abs($1)<1e-5 THEN $1-($1*$1/2-$1*$1*$1/3) WHEN $1>-1 THEN ln(1+$1) END", math.Log1p, func(x float64) bool { return x <= -1 })
	f1("sin", unlessInf("sin($1)"), math.Sin, nil)
	f1("cos", unlessInf("cos($1)"), math.Cos, nil)
	f1("tan", unlessInf("tan($1)"), math.Tan, nil)
	f1("cot", unlessInf("1/tan($1)"), func(x float64) float64 { return 1 / math.Tan(x) }, nil)
	f1("sec", unlessInf("1/cos($1)"), func(x float64) float64 { return 1 / math.Cos(x) }, nil)
	f1("csc", unlessInf("1/sin($1)"), func(x float64) float64 { return 1 / math.Sin(x) }, nil)
	domain := func(f string) string {
		return "CASE WHEN abs($1)<=1 THEN " + f + "($1) WHEN $1 IS NOT NULL THEN " + nan + " END"
	}
	f1("asin", domain("asin"), math.Asin, nil)
	f1("acos", domain("acos"), math.Acos, nil)
	f1("atan", "atan($1)", math.Atan, nil)
	f1("sinh", "sinh($1)", math.Sinh, nil)
	f1("cosh", "cosh($1)", math.Cosh, nil)
	f1("tanh", "tanh($1)", math.Tanh, nil)
	f1("asinh", "asinh($1)", math.Asinh, nil)
	f1("acosh", "CASE WHEN $1>=1 THEN acosh($1) WHEN $1 IS NOT NULL THEN "+nan+" END", math.Acosh, nil)
	f1("atanh", "CASE WHEN abs($1)<1 THEN atanh($1) WHEN abs($1)=1 THEN $1*'Infinity'::DOUBLE WHEN $1 IS NOT NULL THEN "+nan+" END", math.Atanh, nil)
	f1("degrees", "degrees($1)", func(x float64) float64 { return x * (180 / math.Pi) }, nil)
	f1("radians", "radians($1)", func(x float64) float64 { return x * (math.Pi / 180) }, nil)
	f1("rint", "CASE WHEN isfinite($1) AND $1<>0 THEN round_even($1,0) ELSE $1 END", math.RoundToEven, nil)
	f2 := func(name, duck string, f func(a, b float64) float64, null func(a, b float64) bool) {
		rows = append(rows, Overload{
			Name: name, Params: two(DoubleNumber), Returns: double, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				x, y := floatOf(a[0]), floatOf(a[1])
				if null != nil && null(x, y) {
					return nil, nil
				}
				return f(x, y), nil
			},
		})
	}
	for _, n := range []string{"pow", "power"} {
		f2(n, "CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN isnan($2) OR (abs($1)=1 AND isinf($2)) THEN "+nan+" WHEN $1=0 AND $2<0 THEN 'Infinity'::DOUBLE WHEN $1<0 AND isfinite($1) AND $2<>trunc($2) THEN "+nan+" ELSE pow($1,$2) END", javaPow, nil)
	}
	f2("log", "CASE WHEN $1>0 AND $2>0 THEN ln($2)/ln($1) END", func(a, b float64) float64 { return math.Log(b) / math.Log(a) }, func(a, b float64) bool { return a <= 0 || b <= 0 })
	f2("atan2", "atan2($1+0.0,$2+0.0)", func(a, b float64) float64 { return math.Atan2(a+0, b+0) }, nil)
	f2("hypot", "CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN isinf($1) OR isinf($2) THEN 'Infinity'::DOUBLE WHEN $1=0 AND $2=0 THEN 0.0 ELSE greatest(abs($1),abs($2))*sqrt(1+pow(least(abs($1),abs($2))/greatest(abs($1),abs($2)),2)) END", math.Hypot, nil)
	constant := func(name, duck string, v float64) {
		rows = append(rows, Overload{Name: name, Returns: double, Duck: duck, Eval: func(*Context, []types.Value, []types.Type, types.Type) (types.Value, error) { return v, nil }})
	}
	constant("pi", "pi()", math.Pi)
	constant("e", "2.718281828459045::DOUBLE", math.E)
	for _, n := range []string{"sign", "signum"} {
		rows = append(rows, Overload{Name: n, Params: one(AnyInterval), Returns: double, Duck: "CAST(sign($1) AS DOUBLE)", Eval: evalSign},
			Overload{Name: n, Params: one(DoubleNumber), Returns: double, Duck: "CASE WHEN $1=0 OR isnan($1) THEN $1 ELSE CAST(sign($1) AS DOUBLE) END", Eval: evalSign})
	}
	for _, n := range []string{"ceil", "ceiling", "floor"} {
		up := n != "floor"
		word := "floor"
		if up {
			word = "ceil"
		}
		rows = append(rows,
			Overload{Name: n, Params: one(Numeric), Result: wholeResult, DuckFunc: wholeSQL(word), Eval: evalWhole(up)},
			Overload{Name: n, Params: two(Numeric), Prepare: wholeScaleArg, Result: wholeScaleResult, DuckFunc: wholeScaleSQL(word), Eval: evalWholeScale(up)})
	}
	for _, n := range []string{"round", "bround"} {
		even := n == "bround"
		rows = append(rows, Overload{Name: n, Params: two(Numeric), Optional: 1, Prepare: scaleArg, Result: roundResult, DuckFunc: roundSQL(even), Eval: evalRound(even)})
	}
	rows = append(rows,
		Overload{Name: "factorial", Params: one(IntNumber), Returns: long, Duck: "CASE WHEN $1 BETWEEN 0 AND 20 THEN CAST(factorial($1) AS BIGINT) END", Eval: evalFactorial},
		Overload{Name: "bin", Params: one(LongNumber), Returns: text, Duck: "printf('%b',$1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return strconv.FormatUint(uint64(intOf(a[0])), 2), nil
		}},
		Overload{Name: "conv", Params: []Class{Text, IntNumber, IntNumber}, Returns: text, Duck: "tarn_conv($1,$2,$3)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return conv(textOf(a[0]), intOf(a[1]), intOf(a[2]), false)
		}},
		Overload{Name: "width_bucket", Params: []Class{AnyValue, AnyValue, AnyValue, LongNumber}, Prepare: intervalBuckets, Rewrite: func(args []Expr) (Expr, error) {
			return Resolve("width_bucket", args, ResolveOptions{})
		}},
		Overload{
			Name: "width_bucket", Params: []Class{DoubleNumber, DoubleNumber, DoubleNumber, LongNumber}, Returns: long,
			Duck: "CASE WHEN $1 IS NULL OR $2 IS NULL OR $3 IS NULL OR $4<=0 OR $4=9223372036854775807 OR isnan($1) OR $2=$3 OR NOT isfinite($2) OR NOT isfinite($3) THEN NULL WHEN $2<$3 THEN CASE WHEN $1<$2 THEN 0 WHEN $1>=$3 THEN $4+1 ELSE CAST(floor($4*($1-$2)/($3-$2)) AS BIGINT)+1 END ELSE CASE WHEN $1>$2 THEN 0 WHEN $1<=$3 THEN $4+1 ELSE CAST(floor($4*($2-$1)/($2-$3)) AS BIGINT)+1 END END",
		},
		Overload{Name: "uuid", Returns: text, Volatile: true, Duck: "CAST(uuid() AS VARCHAR)"},
	)
	for name, duck := range map[string]string{"rand": "random()", "random": "random()", "randn": "sqrt(-2*ln(1-random()))*cos(2*pi()*random())"} {
		rows = append(rows, Overload{Name: name, Params: one(LongNumber), Optional: 1, Prepare: constantSeed, Returns: double, Volatile: true, Duck: duck})
	}
	return rows
}

// constantSeed takes no seed or an INT or BIGINT that is the same for every row.
func constantSeed(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return call.args, nil
	}
	seed := call.args[0]
	if k := seed.Type().Kind; k != types.Int && k != types.BigInt && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `("INT" or "BIGINT")`, Print(seed), seed.Type().SQL())
	}
	if !isConstant(seed) {
		return nil, sqlerr.UnfoldableSeed(Print(seed), call.sql())
	}
	return []Expr{implicit(seed, types.Of(types.BigInt))}, nil
}

// javaPow is Math.pow, which has NaN where C has 1.
func javaPow(a, b float64) float64 {
	if math.IsNaN(b) || math.Abs(a) == 1 && math.IsInf(b, 0) {
		return math.NaN()
	}
	return math.Pow(a, b)
}

func evalSign(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	switch x := a[0].(type) {
	case int64:
		return float64(big.NewInt(x).Sign()), nil
	case float64:
		switch {
		case x > 0:
			return 1.0, nil
		case x < 0:
			return -1.0, nil
		}
		return x, nil
	}
	return nil, nil
}

// wholeResult is the type of ceil(x) and floor(x).
func wholeResult(args []Expr) (types.Type, error) {
	if t := args[0].Type(); t.Kind == types.Decimal {
		if t.Scale == 0 {
			return t, nil
		}
		return types.DecimalOf(min(types.MaxPrecision, t.Precision-t.Scale+1), 0), nil
	}
	return types.Of(types.BigInt), nil
}

func wholeSQL(word string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		a := wrapArg(args, 0)
		switch {
		case argTypes[0].Kind.IsIntegral():
			return "CAST(" + a + " AS BIGINT)"
		case argTypes[0].Kind == types.Decimal:
			return "CAST(" + word + "(" + a + ") AS " + DuckType(result) + ")"
		}
		f := word + "(CAST(" + a + " AS DOUBLE))"
		return "CASE WHEN isnan(" + f + ") THEN 0 WHEN " + f + ">=9223372036854775808::DOUBLE OR " + f + "<-9223372036854775808::DOUBLE THEN " + raise("ARITHMETIC_OVERFLOW") + " ELSE CAST(" + f + " AS BIGINT) END"
	}
}

func evalWhole(up bool) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
		switch x := a[0].(type) {
		case float64:
			f := math.Floor(x)
			if up {
				f = math.Ceil(x)
			}
			switch {
			case math.IsNaN(f):
				return int64(0), nil
			case f >= 1<<63 || f < -1<<63:
				return nil, sqlerr.ArithmeticOverflow("The rounded number", "")
			}
			return int64(f), nil
		case types.Dec:
			return fitDec(wholeDec(x, 0, up), t)
		}
		return a[0], nil
	}
}

// wholeDec rounds a decimal up or down to a scale.
func wholeDec(d types.Dec, scale int, up bool) types.Dec {
	if scale >= d.Scale {
		return d.Rescale(scale)
	}
	unit := types.Pow10(d.Scale - scale)
	q, r := new(big.Int).QuoRem(d.Unscaled, unit, new(big.Int))
	if up && r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	} else if !up && r.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	return types.Dec{Unscaled: q, Scale: scale}
}

func fitDec(d types.Dec, t types.Type) (types.Value, error) {
	if r, ok := d.Fit(t.Precision, t.Scale); ok {
		return r, nil
	}
	return nil, sqlerr.DecimalOutOfRange(d.String(), strconv.Itoa(t.Precision), strconv.Itoa(t.Scale))
}

// scaleArg takes the number of digits of round, ceil and floor, which must be a constant; it fills in 0.
func scaleArg(call *callSite) ([]Expr, error) {
	to, _, ok := Numeric.fit(call.args[0].Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Numeric.String(), Print(call.args[0]), call.args[0].Type().SQL())
	}
	x := implicit(call.args[0], to)
	if len(call.args) == 1 {
		return []Expr{x, intLiteral(0)}, nil
	}
	n := call.args[1]
	if !isConstant(n) {
		return nil, sqlerr.NonFoldableInput(call.sql(), "scale", "INT", Print(n))
	}
	ctx := call.opts.Context
	if ctx == nil {
		ctx = &Context{ANSI: true}
	}
	to, _, ok = IntNumber.fit(n.Type(), true)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(n), n.Type().SQL())
	}
	digits := implicit(n, to)
	if c, ok := digits.(*Cast); ok && !ctx.ANSI {
		c.Mode = CastLegacy // now, since the type of the result depends on its value
	}
	digits, err := foldConstant(digits, ctx)
	if err != nil {
		return nil, err
	}
	return []Expr{x, digits}, nil
}

// wholeScaleArg is scaleArg for ceil and floor, whose digits must be a constant INT.
func wholeScaleArg(call *callSite) ([]Expr, error) {
	other := sqlerr.NonFoldableArgument(call.name, "scale", "INT")
	if _, _, ok := Numeric.fit(call.args[0].Type(), false); ok && call.args[1].Type().Kind != types.Int {
		return nil, other
	}
	args, err := scaleArg(call)
	if err != nil {
		return nil, err
	}
	if l, ok := args[1].(*Literal); !ok || l.Value == nil {
		return nil, other
	}
	if k := call.args[0].Type().Kind; k.IsText() || k == types.Void {
		args[0] = implicit(call.args[0], types.DecimalOf(types.MaxPrecision, 18)) // not the DOUBLE of other functions
	}
	return args, nil
}

// intervalBuckets takes three intervals of one family for width_bucket, as numbers. NULL and text are DOUBLE, which does
// not go with an interval.
func intervalBuckets(call *callSite) ([]Expr, error) {
	shown := make([]string, 3)
	intervals, same := 0, true
	for i, a := range call.args[:3] {
		t := a.Type()
		switch k := t.Kind; {
		case isYearMonth(t) || isDayTime(t):
			intervals++
			same = same && k == call.args[0].Type().Kind
		case !k.IsNumeric() && !k.IsText() && k != types.Void:
			return nil, errNextRow
		default:
			t, same = types.Of(types.Double), false
		}
		shown[i] = t.SQL()
	}
	to, _, ok := LongNumber.fit(call.args[3].Type(), false)
	switch {
	case intervals == 0 || !ok:
		return nil, errNextRow
	case !same:
		return nil, sqlerr.DataDiffTypes(call.sql(), call.name, shown)
	}
	row := &Overload{
		Name: "interval number", Params: one(AnyInterval), Returns: types.Of(types.Double), Duck: "CAST($1 AS DOUBLE)",
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return float64(intOf(a[0])), nil
		},
	}
	out := make([]Expr, 4)
	for i, a := range call.args[:3] {
		out[i] = &Call{Fn: row, Args: []Expr{a}, T: row.Returns}
	}
	out[3] = implicit(call.args[3], to)
	return out, nil
}

// constantScale is the digits argument, 0 when it is NULL.
func constantScale(args []Expr) int {
	l, ok := args[1].(*Literal)
	if !ok {
		return 0
	}
	return int(max(min(intOf(l.Value), 400), -400))
}

// exactType is the DECIMAL that a number becomes before ceil and floor with digits.
func exactType(t types.Type) types.Type {
	switch t.Kind {
	case types.Float:
		return types.DecimalOf(14, 7)
	case types.Double:
		return types.DecimalOf(30, 15)
	}
	return asDecimalType(t)
}

func roundedDecimal(t types.Type, n int) types.Type {
	if n < 0 {
		return types.DecimalOf(min(max(t.Precision-t.Scale+1, 1-n), types.MaxPrecision), 0)
	}
	s := min(t.Scale, n)
	return types.DecimalOf(min(t.Precision-t.Scale+1+s, types.MaxPrecision), s)
}

func wholeScaleResult(args []Expr) (types.Type, error) {
	return roundedDecimal(exactType(args[0].Type()), constantScale(args)), nil
}

func wholeScaleSQL(word string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		exact := exactType(argTypes[0])
		return "CAST(tarn_round_decimal('" + word + "'," + CastSQL(CastSQL(args[0], argTypes[0], exact, CastANSI), exact, types.Of(types.String), CastANSI) + "," + wrapArg(args, 1) + "," + strconv.Itoa(result.Precision) + "," + strconv.Itoa(result.Scale) + ") AS " + DuckType(result) + ")"
	}
}

func evalWholeScale(up bool) EvalFunc {
	word := "floor"
	if up {
		word = "ceil"
	}
	return func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
		d, err := types.Cast(a[0], ts[0], exactType(ts[0]), types.CastOptions{Zone: ctx.Zone})
		if err != nil || d == nil {
			return nil, err
		}
		return roundDecimal(word, decOf(d), intOf(a[1]), t)
	}
}

// roundDecimal rounds to n digits after the point (before it when negative): word is ceil, floor, round or bround.
func roundDecimal(word string, d types.Dec, n int64, t types.Type) (types.Value, error) {
	n = max(min(n, 400), -400)
	var r types.Dec
	switch scale := int(n); {
	case scale >= d.Scale:
		r = d
	case word == "ceil" || word == "floor":
		r = wholeDec(d, scale, word == "ceil")
	case word == "bround":
		r = types.Dec{Unscaled: halfEven(d.Unscaled, types.Pow10(d.Scale-scale)), Scale: scale}
	default:
		r = d.Rescale(scale)
	}
	return fitDec(r, t)
}

func halfEven(a, unit *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, unit, new(big.Int))
	switch c := new(big.Int).Lsh(new(big.Int).Abs(r), 1).Cmp(unit); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		if a.Sign() < 0 {
			q.Sub(q, big.NewInt(1))
		} else {
			q.Add(q, big.NewInt(1))
		}
	}
	return q
}

func roundResult(args []Expr) (types.Type, error) {
	if t := args[0].Type(); t.Kind == types.Decimal {
		return roundedDecimal(t, constantScale(args)), nil
	}
	return args[0].Type(), nil
}

func roundSQL(even bool) func([]string, []types.Type, types.Type) string {
	word := "round"
	if even {
		word = "bround"
	}
	return func(args []string, argTypes []types.Type, result types.Type) string {
		a, n := wrapArg(args, 0), wrapArg(args, 1)
		t := DuckType(result)
		switch {
		case result.Kind == types.Decimal && !even && argTypes[0].Precision < types.MaxPrecision && isScale(args[1]):
			wide := DuckType(types.DecimalOf(argTypes[0].Precision+1, argTypes[0].Scale))
			return "CAST(round(CAST(" + a + " AS " + wide + ")," + n + ") AS " + t + ")"
		case result.Kind == types.Decimal:
			slow := "CAST(tarn_round_decimal('" + word + "',CAST(" + a + " AS VARCHAR)," + n + "," + strconv.Itoa(result.Precision) + "," + strconv.Itoa(result.Scale) + ") AS " + t + ")"
			if even {
				return slow
			}
			// To fewer digits after the point DuckDB casts as round rounds.
			return "CASE WHEN " + n + ">=0 THEN CAST(" + a + " AS " + t + ") ELSE " + slow + " END"
		case result.Kind.IsIntegral() && !even:
			return "CASE WHEN " + n + ">=0 THEN " + a + " ELSE CAST(round(CAST(" + a + " AS HUGEINT)," + n + ") AS " + t + ") END"
		case result.Kind.IsIntegral():
			return "CASE WHEN " + n + ">=0 THEN " + a + " ELSE CAST(CAST(tarn_round_decimal('bround',CAST(" + a + " AS VARCHAR)," + n + ",38,0) AS HUGEINT) AS " + t + ") END"
		case even:
			return "CAST(CASE WHEN isfinite(" + a + ") THEN round_even(CAST(" + a + " AS DOUBLE)," + n + ")+0.0 ELSE " + a + " END AS " + t + ")"
		}
		return "CAST(tarn_round_double(CAST(" + a + " AS DOUBLE)," + n + ") AS " + t + ")"
	}
}

// isScale reports whether a text is a whole number, which DuckDB asks of the scale of a decimal.
func isScale(text string) bool {
	_, err := strconv.Atoi(strings.Trim(text, "()"))
	return err == nil
}

func evalRound(even bool) EvalFunc {
	word := "round"
	if even {
		word = "bround"
	}
	return func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
		n := intOf(a[1])
		switch x := a[0].(type) {
		case types.Dec:
			return roundDecimal(word, x, n, t)
		case int64:
			if n >= 0 {
				return x, nil
			}
			r, err := roundDecimal(word, types.DecOf(x), n, types.DecimalOf(types.MaxPrecision, 0))
			if err != nil {
				return nil, err
			}
			lo, hi := types.IntRange(t.Kind)
			if v := decOf(r).Trunc(); v.IsInt64() && v.Int64() >= lo && v.Int64() <= hi {
				return v.Int64(), nil
			}
			return nil, sqlerr.ArithmeticOverflow("The rounded "+t.SQL(), "")
		case float64:
			r := roundFloat(word, x, n)
			if t.Kind == types.Float {
				r = float64(float32(r))
			}
			return r, nil
		}
		return nil, nil
	}
}

// roundFloat rounds the shortest decimal text of the number, as java.math.BigDecimal.valueOf gives it.
func roundFloat(word string, f float64, n int64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	d, ok := types.ParseDec(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok {
		return f
	}
	n = max(min(n, 400), -400)
	if int(n) >= d.Scale {
		return f + 0
	}
	if word == "bround" {
		d = types.Dec{Unscaled: halfEven(d.Unscaled, types.Pow10(d.Scale-int(n))), Scale: int(n)}
	} else {
		d = d.Rescale(int(n))
	}
	r, err := strconv.ParseFloat(d.Unscaled.String()+"e"+strconv.Itoa(-d.Scale), 64)
	if err != nil && !math.IsInf(r, 0) {
		return f
	}
	return r + 0
}

func evalFactorial(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	n := intOf(a[0])
	if n < 0 || n > 20 {
		return nil, nil
	}
	r := int64(1)
	for i := int64(2); i <= n; i++ {
		r *= i
	}
	return r, nil
}

// conv converts digits between bases as unsigned 64-bit numbers; a negative target base shows them signed. Reading
// stops at the first character that is no digit. A number beyond 64 bits is an error, or the largest with saturate.
func conv(s string, from, to int64, saturate bool) (types.Value, error) {
	abs := to
	if abs < 0 {
		abs = -abs
	}
	s = trimSet(s, " ", true, true)
	if from < 2 || from > 36 || abs < 2 || abs > 36 || s == "" {
		return nil, nil
	}
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	v := new(big.Int)
	for i := 0; i < len(s); i++ {
		digit := int64(99)
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digit = int64(c - '0')
		case c|32 >= 'a' && c|32 <= 'z':
			digit = int64(c|32-'a') + 10
		}
		if digit >= from {
			break
		}
		v.Add(v.Mul(v, big.NewInt(from)), big.NewInt(digit))
		if !v.IsUint64() {
			if !saturate {
				return nil, sqlerr.ArithmeticOverflow("The number given to conv", "")
			}
			v.SetUint64(math.MaxUint64)
			neg = false
			break
		}
	}
	u := v.Uint64()
	if neg {
		u = -u
	}
	if to < 0 && int64(u) < 0 {
		return "-" + upperText(strconv.FormatUint(-u, int(abs))), nil
	}
	return upperText(strconv.FormatUint(u, int(abs))), nil
}
