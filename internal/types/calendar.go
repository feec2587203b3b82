package types

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// calendarUnits are the units of a calendar interval's text, by the letters they begin with; an s may follow each.
var calendarUnits = []struct {
	name                string
	months, days, micro int64
}{
	{"year", 12, 0, 0},
	{"month", 1, 0, 0},
	{"week", 0, 7, 0},
	{"day", 0, 1, 0},
	{"hour", 0, 0, MicrosPerHour},
	{"minute", 0, 0, MicrosPerMinute},
	{"second", 0, 0, MicrosPerSecond},
	{"millisecond", 0, 0, 1000},
	{"microsecond", 0, 0, 1},
}

// calendarReader reads the text of an interval piece by piece.
type calendarReader struct {
	text, rest string
	out        Interval
}

func (r *calendarReader) fail(sub, detail string) error {
	return sqlerr.InvalidIntervalFormat(sub, r.text, detail)
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c >= 0x1c && c <= 0x1f }

func (r *calendarReader) blanks() {
	for r.rest != "" && isBlank(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

// word is what stands next, up to a blank, for messages.
func (r *calendarReader) word() string {
	for i := 0; i < len(r.rest); i++ {
		if isBlank(r.rest[i]) {
			return r.rest[:i]
		}
	}
	return r.rest
}

// ParseCalendar reads `[interval] [+-]number unit …` as Spark casts text to INTERVAL: units from years to microseconds
// in any order and more than once, a fraction for seconds alone. The error is INVALID_INTERVAL_FORMAT.… .
func ParseCalendar(text string) (Interval, error) {
	r := &calendarReader{text: text, rest: strings.ToLower(trimControls(text))}
	if r.rest == "" {
		return r.out, r.fail("INPUT_IS_EMPTY", "")
	}
	if after, ok := strings.CutPrefix(r.rest, "interval"); ok {
		switch {
		case after == "":
			return r.out, r.fail("INPUT_IS_EMPTY", "")
		case !isBlank(after[0]):
			return r.out, r.fail("INVALID_PREFIX", r.word())
		}
		r.rest = after
	}
	for r.blanks(); r.rest != ""; r.blanks() {
		if err := r.piece(); err != nil {
			return Interval{}, err
		}
	}
	return r.out, nil
}

// piece reads one number with its unit.
func (r *calendarReader) piece() error {
	begin := r.word()
	negative := r.rest[0] == '-'
	if negative || r.rest[0] == '+' {
		r.rest = r.rest[1:]
		if r.blanks(); r.rest == "" {
			return r.fail("MISSING_NUMBER", begin)
		}
		if r.rest[0] == '.' {
			return r.fail("INVALID_VALUE", r.word())
		}
	} else if c := r.rest[0]; c != '.' && (c < '0' || c > '9') {
		return r.fail("UNRECOGNIZED_NUMBER", begin)
	}
	begin = r.word()
	digits, rest := cutDigits(r.rest)
	r.rest = rest
	n, err := strconv.ParseInt("0"+digits, 10, 64)
	if err != nil {
		return r.fail("ARITHMETIC_EXCEPTION", r.text)
	}
	frac, hasPoint := int64(0), false
	if strings.HasPrefix(r.rest, ".") {
		hasPoint = true
		fraction, rest := cutDigits(r.rest[1:])
		if len(fraction) > 9 {
			return r.fail("INVALID_PRECISION", begin)
		}
		if digits == "" && fraction == "" && rest != "" {
			return r.fail("INVALID_VALUE", begin)
		}
		frac, _ = strconv.ParseInt((fraction + "000000")[:6], 10, 64)
		r.rest = rest
	}
	if r.rest != "" && !isBlank(r.rest[0]) {
		return r.fail("INVALID_VALUE", begin)
	}
	if r.blanks(); r.rest == "" {
		return r.fail("MISSING_UNIT", begin)
	}
	if negative {
		n, frac = -n, -frac
	}
	return r.unit(n, frac, hasPoint)
}

// unit reads the unit of a number and adds the two up.
func (r *calendarReader) unit(n, frac int64, hasPoint bool) error {
	word := r.word()
	if hasPoint && word[0] != 's' {
		return r.fail("INVALID_FRACTION", word)
	}
	for _, u := range calendarUnits {
		if word != u.name && word != u.name+"s" {
			continue
		}
		r.rest = r.rest[len(word):]
		ok := true
		if u.months > 0 {
			ok = addPart(&r.out.Months, n, u.months)
		} else if u.days > 0 {
			ok = addPart(&r.out.Days, n, u.days)
		} else {
			m, fits := mulAdd(r.out.Micros, n, u.micro)
			m, fits2 := mulAdd(m, frac, 1)
			r.out.Micros, ok = m, fits && fits2
		}
		if !ok {
			return r.fail("ARITHMETIC_EXCEPTION", r.text)
		}
		return nil
	}
	return r.fail("INVALID_UNIT", word)
}

// addPart adds n units to a part of 32 bits; false when it overflows.
func addPart(part *int32, n, unit int64) bool {
	sum, ok := mulAdd(int64(*part), n, unit)
	if !ok || sum < math.MinInt32 || sum > math.MaxInt32 {
		return false
	}
	*part = int32(sum)
	return true
}

// mulAdd is sum + n*unit; false when it overflows. The unit is not negative.
func mulAdd(sum, n, unit int64) (int64, bool) {
	abs := uint64(n)
	if n < 0 {
		abs = -abs
	}
	hi, lo := bits.Mul64(abs, uint64(unit))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	p := int64(lo)
	if n < 0 {
		p = -p
	}
	r := sum + p
	return r, (sum^r)&(p^r) >= 0
}

// DayTimeMicros is the length of the days and microseconds of an interval; false when it does not fit.
func (v Interval) DayTimeMicros() (int64, bool) {
	return mulAdd(v.Micros, int64(v.Days), MicrosPerDay)
}
