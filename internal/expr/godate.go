package expr

import (
	"errors"
	"math"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/types/pattern"
)

// dateGoFunctions are the GoFunctions on dates, times and zones.
func dateGoFunctions() []GoFunction {
	text, integer, double := types.Of(types.String), types.Of(types.Int), types.Of(types.Double)
	date, instant, local := types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ)
	params := func(ts ...types.Type) []types.Type { return ts }
	zones := newCache(func(name string) (*time.Location, error) {
		z, ok := types.ParseZone(name)
		if !ok {
			return nil, sqlerr.InvalidTimezone(name)
		}
		return z, nil
	})
	printers := newCache(func(p string) (*pattern.Formatter, error) { return compilePattern(p, false) })
	parsers := newCache(func(p string) (*pattern.Formatter, error) { return compilePattern(p, true) })
	parse := func(name string, ret types.Type, try bool) GoFunction {
		ps := params(text, text)
		if ret.Kind == types.Timestamp {
			ps = params(text, text, text)
		}
		return GoFunction{name, ps, ret, func(a []types.Value) (types.Value, error) {
			f, err := parsers.get(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			zone := time.UTC
			if len(a) > 2 {
				if zone, err = zones.get(textOf(a[2])); err != nil {
					return nil, err
				}
			}
			v, err := parseWith(f, textOf(a[0]), textOf(a[1]), zone, ret)
			if try && errors.Is(err, sqlerr.Condition("CANNOT_PARSE_TIMESTAMP")) {
				return nil, nil
			}
			return v, err
		}}
	}
	shift := func(name string, from bool) GoFunction {
		return GoFunction{name, params(instant, text, text), instant, func(a []types.Value) (types.Value, error) {
			session, err := zones.get(textOf(a[2]))
			if err != nil {
				return nil, err
			}
			return shiftZone(intOf(a[0]), textOf(a[1]), session, from)
		}}
	}
	return []GoFunction{
		{"tarn_format_time", params(instant, text, text), text, func(a []types.Value) (types.Value, error) {
			f, err := printers.get(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			zone, err := zones.get(textOf(a[2]))
			if err != nil {
				return nil, err
			}
			return f.Format(intOf(a[0]), zone), nil
		}},
		parse("tarn_parse_time", local, false), parse("tarn_try_parse_time", local, true),
		parse("tarn_parse_time_zone", instant, false), parse("tarn_try_parse_time_zone", instant, true),
		{"tarn_make_date", params(integer, integer, integer), date, func(a []types.Value) (types.Value, error) {
			return makeDate(intOf(a[0]), intOf(a[1]), intOf(a[2]))
		}},
		{"tarn_try_make_date", params(integer, integer, integer), date, func(a []types.Value) (types.Value, error) {
			d, err := makeDate(intOf(a[0]), intOf(a[1]), intOf(a[2]))
			if err != nil {
				return nil, nil
			}
			return d, nil
		}},
		{"tarn_make_timestamp", params(integer, integer, integer, integer, integer, double), local, func(a []types.Value) (types.Value, error) {
			return makeLocal(intOf(a[0]), intOf(a[1]), intOf(a[2]), intOf(a[3]), intOf(a[4]), int64(math.Round(floatOf(a[5])*1e6)))
		}},
		{"tarn_try_make_timestamp", params(integer, integer, integer, integer, integer, double), local, func(a []types.Value) (types.Value, error) {
			v, err := makeLocal(intOf(a[0]), intOf(a[1]), intOf(a[2]), intOf(a[3]), intOf(a[4]), int64(math.Round(floatOf(a[5])*1e6)))
			if err != nil {
				return nil, nil
			}
			return v, nil
		}},
		{"tarn_in_zone", params(local, text), instant, func(a []types.Value) (types.Value, error) {
			z, err := zones.get(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			return types.FromLocal(intOf(a[0]), z), nil
		}},
		shift("tarn_from_utc_timestamp", true), shift("tarn_to_utc_timestamp", false),
		{"tarn_convert_timezone", params(text, text, local), local, func(a []types.Value) (types.Value, error) {
			return convertZone(textOf(a[0]), textOf(a[1]), intOf(a[2]))
		}},
	}
}
