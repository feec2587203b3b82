package conf

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// Values are the settings of one session over a base of start values. The zero Values has Spark's defaults.
type Values struct {
	base map[string]string // what RESET restores
	set  map[string]string
}

// NewValues returns settings whose start values (from tarn.toml and --conf) are base.
func NewValues(base map[string]string) *Values {
	return &Values{base: base, set: map[string]string{}}
}

// Get returns the value in force for name, and whether there is one.
func (v *Values) Get(name string) (string, bool) {
	if s, ok := v.set[name]; ok {
		return s, true
	}
	if s, ok := v.base[name]; ok {
		return s, true
	}
	if k, ok := Find(name); ok && !k.Unset {
		return k.Default, true
	}
	return "", false
}

// IsSet reports whether name was set by the session or its start values, as opposed to having a default.
func (v *Values) IsSet(name string) bool {
	if _, ok := v.set[name]; ok {
		return true
	}
	_, ok := v.base[name]
	return ok
}

// Set changes a value; the caller has called Check.
func (v *Values) Set(name, value string) { v.set[name] = value }

// Reset restores one name to its start value, or all with "".
func (v *Values) Reset(name string) {
	if name == "" {
		clear(v.set)
		return
	}
	delete(v.set, name)
}

// All lists what has a value because the session or its start values set it, sorted by name.
func (v *Values) All() [][2]string {
	m := map[string]string{}
	for k, s := range v.base {
		m[k] = s
	}
	for k, s := range v.set {
		m[k] = s
	}
	out := make([][2]string, 0, len(m))
	for k, s := range m {
		out = append(out, [2]string{k, s})
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	return out
}

// Captured are the settings that a view or SQL function keeps: ANSI mode and the time zone always, and what else the session or
// its start values set of Spark's SQL settings, but for those of planning and execution.
func (v *Values) Captured() map[string]string {
	out := map[string]string{}
	for _, name := range []string{ANSI, TimeZone} {
		out[name], _ = v.Get(name)
	}
	for _, kv := range v.All() {
		known, ok := Find(kv[0])
		if ok && !known.Inert && captured(kv[0]) {
			out[kv[0]] = kv[1]
		}
	}
	return out
}

// captured reports whether a view keeps a setting when it has a value of its own.
func captured(name string) bool {
	if !strings.HasPrefix(name, "spark.sql.") || name == CurrentForView {
		return false
	}
	for _, family := range []string{"optimizer.", "codegen.", "execution.", "shuffle.", "adaptive.", "view."} {
		if strings.HasPrefix(name, "spark.sql."+family) {
			return false
		}
	}
	return true
}

// Bool is the value of a boolean key.
func (v *Values) Bool(name string) bool {
	s, _ := v.Get(name)
	b, _ := parseBool(s)
	return b
}

// Int is the value of a key that is a whole number.
func (v *Values) Int(name string) int64 {
	s, _ := v.Get(name)
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// Fraction is the value of a key that is a number from 0 to 1.
func (v *Values) Fraction(name string) float64 {
	s, _ := v.Get(name)
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// Location is the session's time zone.
func (v *Values) Location() *time.Location {
	s, _ := v.Get(TimeZone)
	loc, err := Zone(s)
	if err != nil {
		return time.UTC
	}
	return loc
}

// Text is the value of name, or "".
func (v *Values) Text(name string) string {
	s, _ := v.Get(name)
	return strings.TrimSpace(s)
}

// Bytes is the value of a key that holds a size in bytes; 0 when it is unset.
func (v *Values) Bytes(name string) int64 {
	n, _ := ParseSize(v.Text(name)) // checked when it was set
	return n
}
