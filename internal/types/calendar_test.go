package types_test

import (
	"errors"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TestParseCalendar checks values and conditions that Spark 4.3 gives.
func TestParseCalendar(t *testing.T) {
	for text, want := range map[string]types.Interval{
		"1 year 2 days 3 hours":           {Months: 12, Days: 2, Micros: 3 * types.MicrosPerHour},
		"interval -1 month 1 day":         {Months: -1, Days: 1},
		" 3 WEEKS 1 week ":                {Days: 28},
		"- 1.5 seconds":                   {Micros: -1_500_000},
		".5 second":                       {Micros: 500_000},
		"299.889987299 second":            {Micros: 299_889_987},
		"1 millisecond 5 microseconds":    {Micros: 1005},
		"2147483647 months -2147483648 d": {},
	} {
		got, err := types.ParseCalendar(text)
		if want == (types.Interval{}) {
			if err == nil {
				t.Errorf("%q: %v, want an error", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "INPUT_IS_EMPTY", "interval": "INPUT_IS_EMPTY", "intervalx 1 day": "INVALID_PREFIX", "x": "UNRECOGNIZED_NUMBER", "1": "MISSING_UNIT",
		"-": "MISSING_NUMBER", "1 x": "INVALID_UNIT", "1.5 day": "INVALID_FRACTION", "1x day": "INVALID_VALUE", "1.1234567890 seconds": "INVALID_PRECISION",
		"99999999999 day": "ARITHMETIC_EXCEPTION", "178956971 years": "ARITHMETIC_EXCEPTION", "1 nanosecond": "INVALID_UNIT",
	} {
		_, err := types.ParseCalendar(text)
		if !errors.Is(err, sqlerr.Condition("INVALID_INTERVAL_FORMAT."+want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseCalendar checks that what prints as an interval reads as the same one.
func FuzzParseCalendar(f *testing.F) {
	for _, s := range []string{"1 year 2 days 3 hours", "interval -1.5 seconds", "- 3 weeks", ".5 second", "1 x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := types.ParseCalendar(s)
		if err != nil {
			return
		}
		if again, err := types.ParseCalendar(types.FormatCalendar(v)); err != nil || again != v {
			t.Fatalf("%q is %v; %q is %v, %v", s, v, types.FormatCalendar(v), again, err)
		}
	})
}
