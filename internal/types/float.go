package types

import (
	"math"
	"strconv"
	"strings"
)

// FormatDouble writes a double as Java's Double.toString does: 1.0, 1.0E7, 9.9E-4, NaN, -Infinity.
func FormatDouble(f float64) string { return javaFloat(f, 64) }

// FormatFloat writes a float as Java's Float.toString does; f holds a float32's value.
func FormatFloat(f float64) string { return javaFloat(f, 32) }

func javaFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	if bits == 64 && math.Abs(f) == math.SmallestNonzeroFloat64 {
		// Java keeps two digits here although one would do.
		return strings.Replace("-4.9E-324", "-", map[bool]string{true: "-", false: ""}[f < 0], 1)
	}
	if bits == 32 && math.Abs(f) == math.SmallestNonzeroFloat32 {
		return strings.Replace("-1.4E-45", "-", map[bool]string{true: "-", false: ""}[f < 0], 1)
	}
	abs := math.Abs(f)
	if abs >= 1e-3 && abs < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(f, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(s, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// ParseDouble reads a double as Spark's cast does: decimal or exponent form with an optional d or f suffix, a
// hexadecimal float, inf, infinity and nan in any case. Text beyond the range is an infinity.
func ParseDouble(s string) (float64, bool) {
	s = trimControls(s)
	body, sign := s, 1.0
	if body != "" && (body[0] == '+' || body[0] == '-') {
		if body[0] == '-' {
			sign = -1
		}
		body = body[1:]
	}
	switch strings.ToLower(body) {
	case "inf", "infinity":
		return math.Inf(int(sign)), true
	case "nan":
		if body == s || body == "NaN" {
			return math.NaN(), true
		}
		return 0, false
	case "":
		return 0, false
	}
	hex := len(body) > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')
	if c := body[len(body)-1]; (c == 'd' || c == 'D' || c == 'f' || c == 'F') && (!hex || strings.ContainsAny(body, "pP")) {
		body = body[:len(body)-1]
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c >= '0' && c <= '9', c == '.', c == 'e', c == 'E', c == '+', c == '-':
		case hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == 'x' || c == 'X' || c == 'p' || c == 'P'):
		default:
			return 0, false
		}
	}
	if hex && !strings.ContainsAny(body, "pP") || body == "" || body[0] == '+' || body[0] == '-' {
		return 0, false
	}
	f, err := strconv.ParseFloat(body, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return sign * f, true
}

// trimControls cuts blanks and control characters (00-20 and 7F) off both ends, as every cast from text does.
func trimControls(s string) string {
	for s != "" && (s[0] <= ' ' || s[0] == 0x7f) {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] <= ' ' || s[len(s)-1] == 0x7f) {
		s = s[:len(s)-1]
	}
	return s
}
