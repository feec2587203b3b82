package expr

import (
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

// InZone gives what e computes by the session's zone the zone of a view or function instead. What has one already keeps
// it; plans of sub-queries are the caller's.
func InZone(e Expr, zone *time.Location) Expr {
	return Transform(e, func(x Expr) Expr {
		switch n := x.(type) {
		case *Cast:
			if n.Zone == nil && castNeedsZone(n.Arg.Type(), n.T) {
				c := *n
				c.Zone = zone
				return &c
			}
		case *Call:
			if n.Zone == nil && zoneUseOf(n.Fn, typesOf(n.Args), n.T) != zoneless {
				c := *n
				c.Zone = zone
				return &c
			}
		}
		return x
	})
}

// AggregateNeedsZone reports whether an aggregate shows times in the session's zone, which InZone cannot change.
func AggregateNeedsZone(fn *Overload, argTypes []types.Type) bool {
	return strings.HasPrefix(fn.Name, "listagg") && len(argTypes) > 0 && holds(argTypes[0], types.Timestamp)
}

// In is c in another zone, or c itself for nil.
func (c *Context) In(zone *time.Location) *Context {
	if zone == nil || c == nil {
		return c
	}
	d := *c
	d.Zone = zone
	return &d
}

// castNeedsZone reports whether a cast depends on the session's zone: between an instant and what shows on a clock or in a
// calendar, and of text, which may say today.
func castNeedsZone(from, to types.Type) bool {
	clock := func(t types.Type) bool {
		return t.Kind.IsText() || t.Kind == types.Date || t.Kind == types.TimestampNTZ || t.Kind == types.Time
	}
	switch {
	case from.Kind.IsNested() && to.Kind == from.Kind:
		pairs := [][2]*types.Type{{from.Key, to.Key}, {from.Elem, to.Elem}}
		for i := range min(len(from.Fields), len(to.Fields)) {
			pairs = append(pairs, [2]*types.Type{&from.Fields[i].Type, &to.Fields[i].Type})
		}
		for _, p := range pairs {
			if p[0] != nil && p[1] != nil && castNeedsZone(*p[0], *p[1]) {
				return true
			}
		}
		return false
	case from.Kind.IsNested():
		return holds(from, types.Timestamp)
	case from.Kind == types.Timestamp:
		return clock(to)
	case to.Kind == types.Timestamp:
		return clock(from)
	}
	return from.Kind.IsText() && (to.Kind == types.Date || to.Kind == types.TimestampNTZ)
}

// holds reports whether values of a type are, or have in them, values of a kind.
func holds(t types.Type, k types.Kind) bool {
	if t.Kind == k || t.Key != nil && holds(*t.Key, k) || t.Elem != nil && holds(*t.Elem, k) {
		return true
	}
	for _, f := range t.Fields {
		if holds(f.Type, k) {
			return true
		}
	}
	return false
}

// zoneUse is how the text of a function depends on the zone of the engine's connection.
type zoneUse uint8

const (
	zoneless zoneUse = iota
	zoneSaid         // the text asks for it
	zoneArgs         // the clock of the instants among the arguments counts
	zoneBoth         // … and the result is such a clock too
	zoneDays         // days of the second argument are those of a clock, and the rest of it is time that passes
	zoneUnit         // the first argument names what is cut off the clock
	zoneOnly         // in a way that cannot be said of another zone
)

// zoneUseOf tells how a call depends on the zone. A function that is not named here does not.
func zoneUseOf(fn *Overload, args []types.Type, result types.Type) zoneUse {
	is := func(i int, k types.Kind) bool { return i < len(args) && args[i].Kind == k }
	instant := is(0, types.Timestamp) || is(1, types.Timestamp)
	name := strings.TrimPrefix(fn.Name, "try_")
	switch name {
	case "hour", "minute", "second", "seconds", "months_between", "timestampdiff":
		if instant {
			return zoneArgs
		}
	case "+", "-":
		switch {
		case is(0, types.Timestamp) && is(1, types.Timestamp) && result.Kind == types.DayTimeInterval:
			return zoneArgs
		case is(0, types.Timestamp) && is(1, types.YearMonthInterval):
			return zoneBoth
		case result.Kind == types.Timestamp && is(1, types.DayTimeInterval) && name == fn.Name:
			return zoneDays
		case result.Kind == types.Timestamp && !(is(0, types.Timestamp) && is(1, types.Timestamp)):
			return zoneOnly
		}
	case "timestampadd":
		// Units below a day are time that passes.
		if is(1, types.Timestamp) && !strings.Contains(fn.Duck, "to_microseconds") {
			return zoneBoth
		}
	case "date_trunc":
		return zoneUnit
	case "date_format", "to_timestamp", "to_timestamp_ltz", "to_date", "from_utc_timestamp", "to_utc_timestamp",
		"make_timestamp", "make_timestamp_ltz", "current_date", "curdate", "localtimestamp", "current_time":
		return zoneSaid
	case "to_json", "from_json", "to_csv", "from_csv":
		if holds(result, types.Timestamp) || len(args) > 0 && holds(args[0], types.Timestamp) {
			return zoneSaid
		}
	case "sequence":
		if holds(result, types.Timestamp) {
			return zoneOnly
		}
	case "store":
		if castNeedsZone(args[0], result) {
			return zoneOnly
		}
	}
	return zoneless
}

// Elsewhere is a zone that is not that of the engine's connection.
type Elsewhere struct {
	Zone *time.Location
	Now  time.Time // of the statement
}

// local is the clock that an instant shows there.
func (z Elsewhere) local(instant string) string {
	return "tarn_convert_timezone('UTC'," + z.name() + ",make_timestamp(epoch_us(" + instant + ")))"
}

// instant is when a clock shows a time there.
func (z Elsewhere) instant(local string) string {
	return "sp_instant_in(" + z.name() + "," + local + ")"
}

func (z Elsewhere) name() string { return DuckString(z.Zone.String()) }

// said puts the zone in the place of the connection's within a text.
func (z Elsewhere) said(text string) string {
	today := types.FormatDate(dayOf(types.ToLocal(z.Now.UnixMicro(), z.Zone)))
	return strings.NewReplacer(
		connectionZone+"='UTC'", "false", // the short way is the engine's own reading, in the connection's zone
		connectionZone, z.name(),
		"sp_instant(", "sp_instant_in("+z.name()+",",
		todaySQL, "DATE "+DuckString(today),
	).Replace(text)
}

// connectionZone is the text that asks the engine for the zone of its connection.
const connectionZone = "current_setting('TimeZone')"

// stand are names in the place of arguments, while their function's text is changed, and unstand puts the arguments in.
func stand(args []string) []string {
	out := make([]string, len(args))
	for i := range args {
		out[i] = "zoned_argument_" + itoa(i+1) + "_"
	}
	return out
}

func unstand(text string, args []string) string {
	var pairs []string
	for i, name := range stand(args) {
		pairs = append(pairs, name, wrapArg(args, i))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// CallSQL is the text of a function as computed there; it reports false when there are no words for that.
func (z Elsewhere) CallSQL(fn *Overload, args []string, argTypes []types.Type, result types.Type) (string, bool) {
	names := stand(args)
	clocks, clockTypes := make([]string, len(args)), make([]types.Type, len(args))
	for i, t := range argTypes {
		clocks[i], clockTypes[i] = names[i], t
		if t.Kind == types.Timestamp {
			clocks[i], clockTypes[i] = z.local(names[i]), types.Of(types.TimestampNTZ)
		}
	}
	clock := result
	if clock.Kind == types.Timestamp {
		clock = types.Of(types.TimestampNTZ)
	}
	var text string
	switch zoneUseOf(fn, argTypes, result) {
	case zoneSaid:
		text = z.said(CallSQL(fn, names, argTypes, result))
	case zoneArgs:
		text = CallSQL(fn, clocks, clockTypes, result)
	case zoneBoth:
		text = z.instant(CallSQL(fn, clocks, clockTypes, clock))
	case zoneDays:
		if argTypes[0].Kind == types.Date {
			clocks[0] = "CAST(" + names[0] + " AS TIMESTAMP)"
		}
		text = z.instant(fill("$1 "+fn.Name+" "+wholeDays, clocks, clockTypes, clock, nil)) + " " + fn.Name + " " + fill(restOfDay, names, argTypes, result, nil)
	case zoneUnit:
		cut := "date_trunc('hour'," + clocks[1] + ")"
		text = "CASE WHEN upper(" + names[0] + ")='HOUR' THEN " + names[1] + "-(" + clocks[1] + "-" + cut + ")" +
			" WHEN upper(" + names[0] + ") IN ('MINUTE','SECOND','MILLISECOND','MICROSECOND') THEN " + CallSQL(fn, names, argTypes, result) +
			" ELSE " + z.instant("CAST("+CallSQL(fn, clocks, clockTypes, clock)+" AS TIMESTAMP)") + " END"
	default:
		return "", false
	}
	return unstand(text, args), true
}

// CastSQL is the text of a cast as computed there; it reports false when there are no words for that.
func (z Elsewhere) CastSQL(arg string, from, to types.Type, mode CastMode) (string, bool) {
	args := []string{arg}
	name := stand(args)[0]
	switch {
	case from.Kind == types.Timestamp:
		return unstand(CastSQL(z.local(name), types.Of(types.TimestampNTZ), to, mode), args), true
	case holds(from, types.Timestamp), from.Kind == types.Time:
		return "", false
	}
	return unstand(z.said(CastSQL(name, from, to, mode)), args), true
}

func typesOf(list []Expr) []types.Type {
	out := make([]types.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}
