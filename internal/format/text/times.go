package text

import (
	"errors"
	"time"
	"unsafe"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/types/pattern"
)

// Times parses dates, timestamps and times of day by the options dateFormat, timestampFormat, timestampNTZFormat and
// timeFormat. Without a format the text is read as a cast would: a time of day alone is a timestamp of today.
type Times struct {
	zone                   *time.Location
	today                  int64 // midnight of the day on which reading began, as a wall clock in zone
	date, timestamp, ntz   *pattern.Formatter
	clock                  *pattern.Formatter // of TIME
	lastLocal, lastInstant int64              // the last wall-clock hour resolved in zone
	lastValid              bool
}

// NewTimes reads the formats of the options; a pattern that is none is a *sqlerr.Error.
func NewTimes(opts format.Options, zone *time.Location) (*Times, error) {
	t := &Times{zone: zone}
	if zone == nil {
		t.zone = time.UTC
	}
	if v, ok := opts.Get("timeZone"); ok {
		loc, err := time.LoadLocation(v)
		if err != nil {
			return nil, sqlerr.OptionValue("timeZone", v, "the name of a time zone")
		}
		t.zone = loc
	}
	t.today = types.FloorDiv(types.ToLocal(time.Now().UnixMicro(), t.zone), types.MicrosPerDay) * types.MicrosPerDay
	for _, o := range []struct {
		name string
		to   **pattern.Formatter
	}{{"dateFormat", &t.date}, {"timestampFormat", &t.timestamp}, {"timestampNTZFormat", &t.ntz}, {"timeFormat", &t.clock}} {
		v, ok := opts.Get(o.name)
		if !ok {
			continue
		}
		f, err := Pattern(v)
		if err != nil {
			return nil, err
		}
		*o.to = f
	}
	return t, nil
}

// Pattern compiles a pattern that must be able to parse; the error is a *sqlerr.Error.
func Pattern(p string) (*pattern.Formatter, error) {
	f, err := pattern.Parse(p)
	if err == nil {
		err = f.CanParse()
	}
	if err != nil {
		var pe *pattern.Error
		why := err.Error()
		if errors.As(err, &pe) {
			why = pe.Reason
		}
		return nil, sqlerr.DatetimePattern(p, why)
	}
	return f, nil
}

// HasDateFormat reports whether the option dateFormat is set.
func (t *Times) HasDateFormat() bool { return t.date != nil }

// view is b as a string that must not outlive b.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Date parses a DATE to days since 1970-01-01.
func (t *Times) Date(b []byte) (days int64, ok bool) {
	if t.date != nil {
		tm, ok := t.date.Parse(view(b))
		return tm.Days, ok
	}
	if len(b) == 10 {
		if y, m, d, ok := isoDate(b); ok {
			return types.DaysOf(int64(y), m, d), true
		}
	}
	return types.ParseDate(view(b))
}

// Timestamp parses a TIMESTAMP to microseconds since 1970-01-01 00:00:00 UTC.
func (t *Times) Timestamp(b []byte) (micros int64, ok bool) {
	if t.timestamp != nil {
		tm, ok := t.timestamp.Parse(view(b))
		if !ok {
			return 0, false
		}
		local, ok := tm.Local()
		if tm.Zone != nil {
			return types.FromLocal(local, tm.Zone), ok
		}
		return types.FromLocal(local, t.zone), ok
	}
	if local, ok := isoTimestamp(b); ok {
		return t.instant(local), true
	}
	if micros, ok := types.ParseTimestamp(view(b), t.zone); ok {
		return micros, true
	}
	if clock, ok := types.ParseClock(view(b)); ok {
		return types.FromLocal(t.today+clock, t.zone), true
	}
	return 0, false
}

// Time parses a TIME to microseconds of the day. As in Spark the precision of the column cuts nothing.
func (t *Times) Time(b []byte) (micros int64, ok bool) {
	if t.clock != nil {
		tm, ok := t.clock.Parse(view(b))
		return tm.Micros, ok
	}
	return types.ParseTime(view(b))
}

// TimestampNTZ parses a TIMESTAMP_NTZ to microseconds of the wall clock; text with a zone is not one.
func (t *Times) TimestampNTZ(b []byte) (micros int64, ok bool) {
	if t.ntz != nil {
		tm, ok := t.ntz.Parse(view(b))
		if !ok || tm.Zone != nil {
			return 0, false
		}
		return tm.Local()
	}
	if local, ok := isoTimestamp(b); ok {
		return local, true
	}
	local, ok := types.ParseTimestampNTZ(view(b))
	if !ok {
		return 0, false
	}
	// Text that means the same instant wherever it is read has a zone of its own.
	here, _ := types.ParseTimestamp(view(b), time.UTC)
	there, _ := types.ParseTimestamp(view(b), east)
	return local, here != there
}

var east = time.FixedZone("", 3600)

// instant resolves a wall-clock time in the zone. Files hold runs of nearby times, so the offset of the last hour is kept: a
// zone's offset changes at no finer step than that of its clock changes, which fall on quarters of an hour.
func (t *Times) instant(local int64) int64 {
	if t.zone == time.UTC {
		return local
	}
	const quarter = 15 * types.MicrosPerMinute
	base := types.FloorDiv(local, quarter) * quarter
	if !t.lastValid || base != t.lastLocal {
		at, end := types.FromLocal(base, t.zone), types.FromLocal(base+quarter-1, t.zone)
		if end-at != quarter-1 {
			return types.FromLocal(local, t.zone)
		}
		t.lastLocal, t.lastInstant, t.lastValid = base, at, true
	}
	return t.lastInstant + local - base
}

func two(b []byte) int {
	x, y := b[0]-'0', b[1]-'0'
	if x > 9 || y > 9 {
		return -1
	}
	return int(x)*10 + int(y)
}

// isoDate reads yyyy-MM-dd, the form nearly all files have.
func isoDate(b []byte) (y, m, d int, ok bool) {
	hi, lo := two(b), two(b[2:])
	m, d = two(b[5:]), two(b[8:])
	if hi < 0 || lo < 0 || b[4] != '-' || b[7] != '-' || m < 1 || m > 12 || d < 1 {
		return 0, 0, 0, false
	}
	y = hi*100 + lo
	return y, m, d, d <= 28 || d <= types.DaysInMonth(int64(y), m)
}

// isoTimestamp reads yyyy-MM-dd HH:mm:ss[.digits], with T or a blank.
func isoTimestamp(b []byte) (micros int64, ok bool) {
	if len(b) < 19 || b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	y, mo, d, ok := isoDate(b)
	h, mi, s := two(b[11:]), two(b[14:]), two(b[17:])
	if !ok || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 59 {
		return 0, false
	}
	micros = types.DaysOf(int64(y), mo, d)*types.MicrosPerDay + int64(h*3600+mi*60+s)*types.MicrosPerSecond
	if len(b) == 19 {
		return micros, true
	}
	if b[19] != '.' {
		return 0, false
	}
	unit := int64(types.MicrosPerSecond / 10)
	for _, c := range b[20:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		micros += int64(c-'0') * unit
		unit /= 10
	}
	return micros, true
}

// FormatDate prints a date by the option dateFormat, by default as yyyy-MM-dd.
func (t *Times) FormatDate(days int64) string {
	if t.date == nil {
		return types.FormatDate(days)
	}
	return t.date.FormatDate(days)
}
