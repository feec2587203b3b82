package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// conversionFunctions turn numbers, times and bytes into text by a format, and back.
func conversionFunctions() []Overload {
	text, binary := types.Of(types.String), types.Of(types.Binary)
	var rows []Overload
	for _, name := range []string{"to_char", "to_varchar"} {
		rows = append(rows,
			Overload{Name: name, Params: []Class{Temporal, Text}, Prepare: whenTemporal, Rewrite: func(args []Expr) (Expr, error) {
				return Resolve("date_format", args, ResolveOptions{})
			}},
			Overload{Name: name, Params: []Class{BinaryOnly, Text}, Prepare: whenBinary, Rewrite: bytesToChar},
			Overload{
				Name: name, Params: []Class{DecimalNumber, Text}, Prepare: numberToChar, Returns: text,
				DuckFunc: func(args []string, _ []types.Type, _ types.Type) string {
					return "tarn_to_char(CAST(" + args[0] + " AS VARCHAR)," + args[1] + ")"
				},
				Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
					f, err := parseNumberFormat(textOf(a[1]))
					if err != nil {
						return nil, err
					}
					return f.format(numberExactText(a[0], ts[0])), nil
				},
			})
	}
	for _, name := range []string{"to_number", "try_to_number"} {
		try := strings.HasPrefix(name, "try_")
		rows = append(rows, Overload{
			Name: name, Params: two(Text), Prepare: numberFormatArg, Result: numberFormatType, Duck: "tarn_" + name + "($1,$2)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
				s, err := toNumber(textOf(a[0]), textOf(a[1]), try)
				if s == nil || err != nil {
					return nil, err
				}
				d, ok := types.ParseDec(textOf(s))
				if !ok {
					return nil, nil
				}
				return d.Rescale(t.Scale), nil
			},
		})
	}
	for _, name := range []string{"to_binary", "try_to_binary"} {
		try := strings.HasPrefix(name, "try_")
		rows = append(rows, Overload{
			Name: name, Params: two(Text), Optional: 1, Prepare: binaryFormatArg(try), Returns: binary, DuckFunc: toBinarySQL(try),
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return toBinary(textOf(a[0]), textOf(a[1]), try)
			},
		})
	}
	return rows
}

// constantText folds an argument that must be a constant text; null tells that it is NULL.
func constantText(e Expr) (s string, null, ok bool) {
	l, isLiteral := Fold(implicit(e, types.Of(types.String)), &Context{ANSI: true}).(*Literal)
	if !isLiteral {
		return "", false, false
	}
	if l.Value == nil {
		return "", true, true
	}
	s, ok = l.Value.(string)
	return s, false, ok
}

func whenTemporal(call *callSite) ([]Expr, error) {
	if !isTemporal(call.args[0].Type().Kind) {
		return nil, errNextRow
	}
	return call.args, nil
}

func whenBinary(call *callSite) ([]Expr, error) {
	if call.args[0].Type().Kind != types.Binary {
		return nil, errNextRow
	}
	format := call.args[1]
	s, null, ok := constantText(format)
	if !ok || null || !format.Type().Kind.IsText() {
		return nil, sqlerr.NonFoldableArgument(call.name, "format", format.Type().SQL())
	}
	switch strings.ToLower(s) {
	case "hex", "utf-8", "base64":
		return []Expr{call.args[0], textLiteral(strings.ToLower(s))}, nil
	}
	return nil, sqlerr.InvalidParameter("BINARY_FORMAT", "format", call.name, s, "The format of BINARY must be 'hex', 'utf-8' or 'base64', not '"+s+"'.")
}

// bytesToChar is to_char of BINARY, whose format whenBinary checked.
func bytesToChar(args []Expr) (Expr, error) {
	format, _, _ := constantText(args[1])
	switch format {
	case "hex", "base64":
		return Resolve(format, args[:1], ResolveOptions{})
	}
	return Resolve("decode", args, ResolveOptions{})
}

// numberToChar casts the number to the DECIMAL that holds it and checks the format, which must be a constant.
func numberToChar(call *callSite) ([]Expr, error) {
	x := call.args[0]
	to := types.DecimalOf(types.MaxPrecision, 18)
	switch t := x.Type(); {
	case t.Kind == types.Decimal:
		to = t
	case t.Kind == types.Float:
		to = types.DecimalOf(14, 7)
	case t.Kind == types.Double:
		to = types.DecimalOf(30, 15)
	case t.Kind.IsIntegral():
		to = types.DecimalOf(20, 0)
	case t.Kind.IsText(), t.Kind == types.Void:
	default:
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"DECIMAL"`, Print(x), t.SQL())
	}
	p, err := textArg(call, 1)
	if err != nil {
		return nil, err
	}
	format, null, ok := constantText(p)
	switch {
	case !ok:
		return nil, sqlerr.NonFoldableInput(call.sql(), "format", "STRING", Print(call.args[1]))
	case null:
		return []Expr{implicit(x, to), &Literal{T: types.Of(types.String)}}, nil
	}
	if _, err := parseNumberFormat(format); err != nil {
		return nil, err
	}
	return []Expr{implicit(x, to), textLiteral(format)}, nil
}

// numberFormatArg checks the format of to_number, which must be a constant.
func numberFormatArg(call *callSite) ([]Expr, error) {
	to, _, ok := Text.fit(call.args[0].Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Text.String(), Print(call.args[0]), call.args[0].Type().SQL())
	}
	p, err := textArg(call, 1)
	if err != nil {
		return nil, err
	}
	format, null, ok := constantText(p)
	if !ok {
		return nil, sqlerr.NonFoldableInput(call.sql(), "format", "STRING", Print(call.args[1]))
	}
	out := []Expr{implicit(call.args[0], to), &Literal{T: types.Of(types.String)}}
	if null {
		return out, nil
	}
	f, err := parseNumberFormat(format)
	if err != nil {
		return nil, err
	}
	if _, err := f.decimalType(); err != nil {
		return nil, err
	}
	out[1] = textLiteral(format)
	return out, nil
}

// numberFormatType is the DECIMAL that the format says; that of a NULL format is the default one.
func numberFormatType(args []Expr) (types.Type, error) {
	format, null, _ := constantText(args[1])
	if null {
		return types.DecimalOf(10, 0), nil
	}
	f, err := parseNumberFormat(format)
	if err != nil {
		return types.Type{}, err
	}
	return f.decimalType()
}

// toNumber is the plain decimal text that s means; with try, NULL when it does not have the format.
func toNumber(s, format string, try bool) (types.Value, error) {
	f, err := numberFormats.get(format)
	if err != nil {
		return nil, err
	}
	d, ok := f.parse(s)
	switch {
	case ok:
		return d, nil
	case try:
		return nil, nil
	}
	return nil, sqlerr.NumberFormatMismatch(s, format)
}

// numberFormats are the compiled formats of running queries.
var numberFormats = newCache(parseNumberFormat)

// binaryFormatArg checks the format of to_binary; with try, an unknown one gives NULL.
func binaryFormatArg(try bool) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		to, _, ok := TextOrBinary.fit(call.args[0].Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Text.String(), Print(call.args[0]), call.args[0].Type().SQL())
		}
		x := implicit(call.args[0], to)
		if to.Kind == types.Binary {
			x = implicit(x, types.Of(types.String))
		}
		if len(call.args) == 1 {
			return []Expr{x, textLiteral("hex")}, nil
		}
		format, null, ok := constantText(call.args[1])
		none := &Literal{T: types.Of(types.String)}
		switch {
		case !ok:
			return nil, sqlerr.NonFoldableInput(call.sql(), "fmt", "STRING", Print(call.args[1]))
		case null:
			return []Expr{x, none}, nil
		}
		switch f := strings.ToLower(format); f {
		case "hex", "utf-8", "utf8", "base64":
			return []Expr{x, textLiteral(strings.Replace(f, "utf8", "utf-8", 1))}, nil
		}
		if try && !call.args[1].Type().Kind.IsNested() {
			return []Expr{x, none}, nil
		}
		return nil, sqlerr.InvalidArgumentValue(call.sql(), "fmt", "'hex', 'utf-8', 'utf8' or 'base64'", format)
	}
}

func toBinarySQL(try bool) func(args []string, ts []types.Type, t types.Type) string {
	return func(args []string, ts []types.Type, t types.Type) string {
		format, _ := literalOf(args[1])
		template := "NULL"
		switch {
		case format == "utf-8":
			template = "encode($1)"
		case format == "base64" && try:
			template = "tarn_try_base64_bytes($1)"
		case format == "base64":
			template = "tarn_base64_bytes($1)"
		case format == "hex" && try:
			template = "sp_unhex($1)"
		case format == "hex":
			template = "tarn_hex_bytes($1)"
		}
		return fill(template, args, ts, t, nil)
	}
}

// toBinary reads text as the format says; with try, what it cannot read is NULL.
func toBinary(s, format string, try bool) (types.Value, error) {
	var v types.Value
	switch format {
	case "utf-8":
		return types.Bytes(types.ReplaceInvalid(s)), nil
	case "base64":
		v = strictBase64(s)
	case "hex":
		v = unhex(s)
	}
	if v == nil && !try {
		return nil, sqlerr.ConversionInvalidInput(s, strings.ToUpper(format), "BINARY")
	}
	return v, nil
}

// strictBase64 is NULL for text that is not base64: blanks before the padding do not count, and the padding may be
// left out.
func strictBase64(s string) types.Value {
	digits, pads := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '=':
			pads++
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
			if digits++; pads > 0 {
				return nil
			}
		case c == ' ' && pads == 0, c >= '\t' && c <= '\r' && pads == 0:
		default:
			return nil
		}
	}
	if rest := digits % 4; rest == 1 || pads > 0 && rest+pads != 4 || pads > 2 {
		return nil
	}
	v, err := unbase64(s)
	if err != nil {
		return nil
	}
	return v
}

// conversionGoFunctions are the GoFunctions that the templates above call.
func conversionGoFunctions() []GoFunction {
	text, binary := types.Of(types.String), types.Of(types.Binary)
	number := func(name string, try bool) GoFunction {
		return GoFunction{name, []types.Type{text, text}, text, func(a []types.Value) (types.Value, error) {
			return toNumber(textOf(a[0]), textOf(a[1]), try)
		}}
	}
	bytes := func(name, format string, try bool) GoFunction {
		return GoFunction{name, []types.Type{text}, binary, func(a []types.Value) (types.Value, error) {
			return toBinary(textOf(a[0]), format, try)
		}}
	}
	return []GoFunction{
		number("tarn_to_number", false), number("tarn_try_to_number", true),
		bytes("tarn_base64_bytes", "base64", false), bytes("tarn_try_base64_bytes", "base64", true), bytes("tarn_hex_bytes", "hex", false),
		{"tarn_to_char", []types.Type{text, text}, text, func(a []types.Value) (types.Value, error) {
			f, err := numberFormats.get(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			return f.format(textOf(a[0])), nil
		}},
	}
}
