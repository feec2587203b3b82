package text

import (
	"errors"
	"math/big"
	"strconv"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/types/pattern"
)

// Printer writes values as the text formats of Spark show them: numbers as Java does, dates and times by the options
// dateFormat, timestampFormat, timestampNTZFormat, timeFormat and timeZone. It is immutable and safe for concurrent use.
type Printer struct {
	zone                 *time.Location
	date, timestamp, ntz *pattern.Formatter // nil for the default
	clock                *pattern.Formatter // of TIME
}

// NewPrinter reads the formats of the options; a pattern that is none is a *sqlerr.Error.
func NewPrinter(opts format.Options, zone *time.Location) (*Printer, error) {
	p := &Printer{zone: zone}
	if zone == nil {
		p.zone = time.UTC
	}
	if v, ok := opts.Get("timeZone"); ok {
		z, ok := types.ParseZone(v)
		if !ok {
			return nil, sqlerr.OptionValue("timeZone", v, "the name of a time zone")
		}
		p.zone = z
	}
	for _, o := range []struct {
		name string
		to   **pattern.Formatter
	}{{"dateFormat", &p.date}, {"timestampFormat", &p.timestamp}, {"timestampNTZFormat", &p.ntz}, {"timeFormat", &p.clock}} {
		v, ok := opts.Get(o.name)
		if !ok {
			continue
		}
		f, err := pattern.Parse(v)
		if err != nil {
			var pe *pattern.Error
			why := err.Error()
			if errors.As(err, &pe) {
				why = pe.Reason
			}
			return nil, sqlerr.DatetimePattern(v, why)
		}
		*o.to = f
		if o.to == &p.clock {
			if letter := f.DateLetter(); letter != "" {
				return nil, sqlerr.DatetimePattern(v, "a time of day has nothing for the letter '"+letter+"'")
			}
		}
	}
	return p, nil
}

// Zone is the zone in which instants are shown.
func (p *Printer) Zone() *time.Location { return p.zone }

// AppendInt appends a value of a type that vector keeps as integers.
func (p *Printer) AppendInt(dst []byte, t types.Type, v int64) []byte {
	switch t.Kind {
	case types.Decimal:
		var digits [20]byte
		return appendDecimal(dst, strconv.AppendInt(digits[:0], v, 10), t.Scale)
	case types.Date:
		if p.date != nil {
			return append(dst, p.date.FormatDate(v)...)
		}
		return appendDate(dst, v)
	case types.Timestamp:
		if p.timestamp != nil {
			return append(dst, p.timestamp.Format(v, p.zone)...)
		}
		local := types.ToLocal(v, p.zone)
		return appendOffset(appendTime(dst, local), (local-v)/types.MicrosPerSecond)
	case types.TimestampNTZ:
		if p.ntz != nil {
			return append(dst, p.ntz.Format(v, time.UTC)...)
		}
		return appendTime(dst, v)
	case types.Time:
		if p.clock != nil {
			return append(dst, p.clock.Format(v, time.UTC)...)
		}
		return append(dst, types.FormatTime(v)...)
	case types.YearMonthInterval, types.DayTimeInterval:
		return append(dst, types.Format(t, v, nil)...)
	}
	return strconv.AppendInt(dst, v, 10)
}

// AppendFloat appends a FLOAT or DOUBLE as Java prints it.
func (p *Printer) AppendFloat(dst []byte, t types.Type, v float64) []byte {
	if t.Kind == types.Float {
		return append(dst, types.FormatFloat(v)...)
	}
	return append(dst, types.FormatDouble(v)...)
}

// AppendDecimal appends a DECIMAL as Java's BigDecimal prints it, with an exponent where many zeros would stand after
// the point.
func (p *Printer) AppendDecimal(dst []byte, d types.Dec) []byte {
	n := d.Unscaled
	if n == nil {
		n = new(big.Int)
	}
	return appendDecimal(dst, n.Append(nil, 10), d.Scale)
}

// appendDecimal writes digits, which may have a sign, scale of them after the point.
func appendDecimal(dst, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		dst = append(dst, '-')
		digits = digits[1:]
	}
	if scale <= 0 {
		dst = append(dst, digits...)
		for range -scale {
			dst = append(dst, '0')
		}
		return dst
	}
	const smallest = -6 // the least exponent that Java prints without one
	if exponent := len(digits) - 1 - scale; exponent < smallest {
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(dst, '.')
			dst = append(dst, digits[1:]...)
		}
		dst = append(dst, 'E')
		return strconv.AppendInt(dst, int64(exponent), 10)
	}
	if len(digits) > scale {
		dst = append(dst, digits[:len(digits)-scale]...)
		dst = append(dst, '.')
		return append(dst, digits[len(digits)-scale:]...)
	}
	dst = append(dst, "0."...)
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendDate writes yyyy-MM-dd, which most years fit.
func appendDate(dst []byte, days int64) []byte {
	y, m, d := types.DateOf(days)
	if y < 0 || y > 9999 {
		return append(dst, types.FormatDate(days)...)
	}
	dst = appendTwo(appendTwo(dst, y/100), y%100)
	return appendTwo(append(appendTwo(append(dst, '-'), int64(m)), '-'), int64(d))
}

// appendTime writes yyyy-MM-ddTHH:mm:ss.SSS; what is finer than a millisecond is cut.
func appendTime(dst []byte, local int64) []byte {
	days := types.FloorDiv(local, types.MicrosPerDay)
	rest := local - days*types.MicrosPerDay
	dst = append(appendDate(dst, days), 'T')
	dst = appendTwo(dst, rest/types.MicrosPerHour)
	dst = appendTwo(append(dst, ':'), rest/types.MicrosPerMinute%60)
	dst = appendTwo(append(dst, ':'), rest/types.MicrosPerSecond%60)
	milli := rest / 1000 % 1000
	return appendTwo(append(dst, '.', byte('0'+milli/100)), milli%100)
}

// appendOffset writes a zone's offset in seconds as Z or ±hh:mm[:ss].
func appendOffset(dst []byte, seconds int64) []byte {
	if seconds == 0 {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = appendTwo(append(dst, sign), seconds/3600)
	dst = appendTwo(append(dst, ':'), seconds/60%60)
	if seconds%60 != 0 {
		dst = appendTwo(append(dst, ':'), seconds%60)
	}
	return dst
}

func appendTwo(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
