package expr

import (
	"errors"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/types/pattern"
)

// defaultPattern is what unix_timestamp and from_unixtime use without one.
const defaultPattern = "yyyy-MM-dd HH:mm:ss"

// dateTextFunctions print and parse dates by patterns, and give the current time.
func dateTextFunctions() []Overload {
	long, text, date, instant, local := types.Of(types.BigInt), types.Of(types.String), types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ)
	rows := []Overload{
		{Name: "date_format", Params: []Class{Instant, Text}, Returns: text, DuckFunc: dateFormatSQL, Eval: evalDateFormat},
		{Name: "from_unixtime", Params: one(LongNumber), Rewrite: func(args []Expr) (Expr, error) {
			return Resolve("date_format", []Expr{&Cast{Arg: args[0], T: instant, Implicit: true}, textLiteral(defaultPattern)}, ResolveOptions{})
		}},
		{Name: "from_unixtime", Params: []Class{LongNumber, Text}, Rewrite: func(args []Expr) (Expr, error) {
			return Resolve("date_format", []Expr{&Cast{Arg: args[0], T: instant, Implicit: true}, args[1]}, ResolveOptions{})
		}},
	}
	parse := func(name string, t types.Type, try bool) {
		cast := CastANSI
		fn := "tarn_parse_time("
		if try {
			cast, fn = CastTry, "tarn_try_parse_time("
		}
		rows = append(rows,
			Overload{Name: name, Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) { return convertTo(args[0], t, cast, name) }},
			Overload{
				Name: name, Params: two(Text), Prepare: textToParse(t, cast), Returns: t,
				DuckFunc: func(args []string, argTypes []types.Type, _ types.Type) string {
					parsed := fn + wrapArg(args, 0) + "," + wrapArg(args, 1) + ")"
					switch {
					case !argTypes[0].Kind.IsText():
						return args[0]
					case t.Kind == types.Timestamp:
						return fn[:len(fn)-1] + "_zone(" + wrapArg(args, 0) + "," + wrapArg(args, 1) + ",current_setting('TimeZone'))"
					case t.Kind == types.Date:
						return "CAST(" + parsed + " AS DATE)"
					}
					return parsed
				},
				Eval: func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
					if !ts[0].Kind.IsText() {
						return a[0], nil
					}
					v, err := parseTime(textOf(a[0]), textOf(a[1]), ctx.Zone, t)
					if try && errors.Is(err, sqlerr.Condition("CANNOT_PARSE_TIMESTAMP")) {
						return nil, nil
					}
					return v, err
				},
			})
	}
	parse("to_date", date, false)
	parse("try_to_date", date, true)
	parse("to_timestamp", instant, false)
	parse("to_timestamp_ltz", instant, false)
	parse("to_timestamp_ntz", local, false)
	parse("try_to_timestamp", instant, true)
	for _, n := range []string{"unix_timestamp", "to_unix_timestamp"} {
		rows = append(rows,
			Overload{Name: n, Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) { return unixTime(args[0], textLiteral(defaultPattern)) }},
			Overload{Name: n, Params: two(AnyValue), Prepare: textPattern, Rewrite: func(args []Expr) (Expr, error) { return unixTime(args[0], args[1]) }})
	}
	// The current time is a constant of the statement and has no words in DuckDB.
	now := func(name string, t types.Type, f func(ctx *Context) int64) {
		rows = append(rows, Overload{Name: name, Returns: t, Eval: func(ctx *Context, _ []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return f(ctx), nil
		}})
	}
	for _, n := range []string{"current_date", "curdate"} {
		now(n, date, func(ctx *Context) int64 { return dayOf(types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone)) })
	}
	for _, n := range []string{"current_timestamp", "now"} {
		now(n, instant, func(ctx *Context) int64 { return ctx.Now.UnixMicro() })
	}
	now("localtimestamp", local, func(ctx *Context) int64 { return types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone) })
	now("unix_timestamp", long, func(ctx *Context) int64 { return types.FloorDiv(ctx.Now.UnixMicro(), types.MicrosPerSecond) })
	return rows
}

func textLiteral(s string) Expr { return &Literal{Value: s, T: types.Of(types.String)} }

// convertTo is to_date(x) and the like without a pattern: the rules of CAST.
func convertTo(e Expr, t types.Type, mode CastMode, name string) (Expr, error) {
	k := e.Type().Kind
	if !k.IsText() && !isTemporal(k) && k != types.Void && !(t.Kind == types.Timestamp && k.IsNumeric()) {
		// Anything else is read by its text, when it has one.
		to, _, ok := Text.fit(e.Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(name+"("+Print(e)+")", 1, `("STRING" or "DATE" or "TIMESTAMP")`, Print(e), e.Type().SQL())
		}
		e = implicit(e, to)
	}
	if types.Equal(e.Type(), t) {
		return e, nil
	}
	return &Cast{Arg: e, T: t, Mode: mode, Implicit: true}, nil
}

// textToParse keeps text; dates and timestamps need no pattern and are cast.
func textToParse(t types.Type, mode CastMode) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		e := call.args[0]
		if isTemporal(e.Type().Kind) {
			if _, err := textArg(call, 1); err != nil {
				return nil, err
			}
			c, err := convertTo(e, t, mode, call.name)
			return []Expr{c, textLiteral("")}, err // not even a NULL for the pattern matters
		}
		to, _, ok := Text.fit(e.Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `("STRING" or "DATE" or "TIMESTAMP")`, Print(e), e.Type().SQL())
		}
		p, err := textArg(call, 1)
		if err != nil {
			return nil, err
		}
		return []Expr{implicit(e, to), p}, nil
	}
}

// textPattern refuses a pattern of unix_timestamp that is no text; what is wrong with the value comes first.
func textPattern(call *callSite) ([]Expr, error) {
	e, p := call.args[0], call.args[1]
	if k := e.Type().Kind; !k.IsText() && k != types.Void && !isTemporal(k) {
		return call.args, nil // unixTime refuses it
	}
	if k := p.Type().Kind; !k.IsText() && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, PlainText.String(), Print(p), p.Type().SQL())
	}
	return call.args, nil
}

// unixTime is the seconds of a text parsed by a pattern, or of a date or timestamp; the latter cut toward zero.
func unixTime(e, format Expr) (Expr, error) {
	long := types.Of(types.BigInt)
	k := e.Type().Kind
	t := e
	if k.IsText() || k == types.Void {
		parsed, err := Resolve("to_timestamp", []Expr{e, format}, ResolveOptions{})
		if err != nil {
			return nil, err
		}
		t = parsed
	} else {
		if isTime(e.Type()) {
			return nil, sqlerr.UnexpectedInputType("unix_timestamp("+Print(e)+")", 1, Temporal.String(), Print(e), e.Type().SQL())
		}
		c, err := temporalArg(e, "unix_timestamp", 1)
		if err != nil {
			return nil, err
		}
		t = implicit(c, types.Of(types.Timestamp))
	}
	row := Overload{
		Name: "unix_timestamp", Params: one(Instant), Returns: long, Duck: "epoch_us($1)//1000000",
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return intOf(a[0]) / types.MicrosPerSecond, nil
		},
	}
	return &Call{Fn: &row, Args: []Expr{t}, T: long}, nil
}

// patternError says which of Spark's conditions a pattern breaks. What Java's old SimpleDateFormat could read is
// reported as a change between versions; the rest by the first thing wrong with it: week-based letters, letters that are
// not allowed, and then all others.
func patternError(p string, parsing bool) error {
	var letters strings.Builder
	old, quotes, x := true, 0, 0
	week, illegal, long := "", "", ""
	for i := 0; i < len(p); {
		c := p[i]
		n := 1
		for i+n < len(p) && p[i+n] == c {
			n++
		}
		run := p[i : i+n]
		i += n
		switch {
		case c == '\'':
			quotes += n
			continue
		case quotes%2 == 1 || (c|32) < 'a' || (c|32) > 'z':
			continue
		case c == 'X':
			x = max(x, n)
		}
		letters.WriteByte(c)
		old = old && strings.IndexByte("GyYMLwWDdFEuaHkKhmsSzZX", c) >= 0
		forbidden := "AnNpB"
		if parsing {
			forbidden += "EFqQ"
		}
		switch {
		case week == "" && strings.IndexByte("YWwuec", c) >= 0:
			week = run
		case illegal == "" && strings.IndexByte(forbidden, c) >= 0:
			illegal = run
		case long == "" && n >= 5 && strings.IndexByte("GMLEQq", c) >= 0:
			long = run
		}
	}
	switch {
	case old && quotes%2 == 0 && x <= 3:
		return sqlerr.CrossVersionPattern("DATETIME_PATTERN_RECOGNITION", p, letters.String())
	case week != "":
		return sqlerr.CrossVersionPattern("DATETIME_WEEK_BASED_PATTERN", p, week)
	case illegal != "":
		return sqlerr.InvalidDatetimePattern("ILLEGAL_CHARACTER", p, "'"+illegal+"' is not allowed")
	case long != "":
		return sqlerr.InvalidDatetimePattern("LENGTH", p, "'"+long+"' is too long")
	}
	return sqlerr.InvalidDatetimePattern("WITH_SUGGESTION", p, "it has a letter, or a number of letters, without a meaning")
}

func compilePattern(p string, parsing bool) (*pattern.Formatter, error) {
	f, err := pattern.Parse(p)
	if err != nil {
		return nil, patternError(p, parsing)
	}
	if parsing {
		if err := f.CanParse(); err != nil {
			return nil, patternError(p, true)
		}
	}
	return f, nil
}

func evalDateFormat(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	f, err := compilePattern(textOf(a[1]), false)
	if err != nil {
		return nil, err
	}
	return f.Format(intOf(a[0]), zoneOf(ctx)), nil
}

func zoneOf(ctx *Context) *time.Location {
	if ctx == nil || ctx.Zone == nil {
		return time.UTC
	}
	return ctx.Zone
}

// parseTime reads text by a pattern as a value of a date or timestamp type.
func parseTime(s, p string, session *time.Location, t types.Type) (types.Value, error) {
	f, err := compilePattern(p, true)
	if err != nil {
		return nil, err
	}
	return parseWith(f, s, p, session, t)
}

func parseWith(f *pattern.Formatter, s, p string, session *time.Location, t types.Type) (types.Value, error) {
	v, ok := f.Parse(s)
	if !ok {
		return nil, sqlerr.CannotParseTimestamp(s, p)
	}
	zone := session
	if v.Zone != nil {
		zone = v.Zone
	}
	local, ok := v.Local()
	switch {
	case !ok:
		return nil, sqlerr.DatetimeOverflow("")
	case t.Kind == types.TimestampNTZ:
		return local, nil
	}
	instant := types.FromLocal(local, zone)
	if t.Kind == types.Date {
		return dayOf(types.ToLocal(instant, session)), nil
	}
	return instant, nil
}

// dateFormatSQL uses strftime where a constant pattern has only letters that mean the same in both, and years of four
// digits.
func dateFormatSQL(args []string, _ []types.Type, _ types.Type) string {
	t := wrapArg(args, 0)
	slow := "tarn_format_time(" + t + "," + wrapArg(args, 1) + ",current_setting('TimeZone'))"
	p, ok := literalOf(args[1])
	if !ok {
		return slow
	}
	native, ok := strftimePattern(p)
	if !ok || native == "" { // strftime wants a pattern
		return slow
	}
	local := "CAST(" + t + " AS TIMESTAMP)"
	return "CASE WHEN " + local + " BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN strftime(" + local + "," + DuckString(native) + ") ELSE " + slow + " END"
}

func strftimePattern(p string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(p); {
		c := p[i]
		n := 1
		for i+n < len(p) && p[i+n] == c {
			n++
		}
		run := p[i : i+n]
		i += n
		switch run {
		case "yyyy":
			b.WriteString("%Y")
		case "MM":
			b.WriteString("%m")
		case "dd":
			b.WriteString("%d")
		case "HH":
			b.WriteString("%H")
		case "mm":
			b.WriteString("%M")
		case "ss":
			b.WriteString("%S")
		default:
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("'[]{}#%", c) >= 0 {
				return "", false
			}
			b.WriteString(run)
		}
	}
	return b.String(), true
}

// specialDate reads the words that stand for a moment in a constant text that is cast to a date or timestamp, and a time
// of day alone, which is that of today.
func specialDate(s string, k types.Kind, ctx *Context) (types.Value, bool) {
	if !isTemporal(k) {
		return nil, false
	}
	var local int64
	today := dayOf(types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone))
	word := strings.ToLower(strings.TrimFunc(s, isControl))
	if micros, ok := types.ParseClock(s); ok && k == types.Timestamp {
		return types.FromLocal(today*types.MicrosPerDay+micros, ctx.Zone), true
	}
	if i := strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }); i > 0 && word[:i] != "now" {
		// A zone may follow, which changes nothing.
		zone := strings.TrimFunc(s, isControl)[i:]
		if _, ok := types.ParseZone(zone); !ok || zone[0] != ' ' && zone[0] != '\t' {
			return nil, false
		}
		word = word[:i]
	}
	switch word {
	case "epoch":
		if k == types.Timestamp {
			return int64(0), true
		}
	case "now":
		if k == types.Timestamp {
			return ctx.Now.UnixMicro(), true
		}
		local = types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone)
	case "today":
		local = today * types.MicrosPerDay
	case "tomorrow":
		local = (today + 1) * types.MicrosPerDay
	case "yesterday":
		local = (today - 1) * types.MicrosPerDay
	default:
		return nil, false
	}
	switch k {
	case types.Date:
		return dayOf(local), true
	case types.Timestamp:
		return types.FromLocal(local, ctx.Zone), true
	}
	return local, true
}
