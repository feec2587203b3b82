package csv

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// columnNames are the names that Spark gives the fields of a header line, or of a first line of data when header is
// false: _c0, _c1 … for missing ones, and the position appended to names that occur twice.
func (o *options) columnNames(row []field, caseSensitive bool) []string {
	names := make([]string, len(row))
	if !o.header {
		for i := range names {
			names[i] = "_c" + strconv.Itoa(i)
		}
		return names
	}
	fold := func(s string) string {
		if caseSensitive {
			return s
		}
		return strings.ToLower(s)
	}
	times := map[string]int{}
	for i, f := range row {
		if v, ok := o.text(f); ok {
			names[i] = string(clean(v))
			times[fold(names[i])]++
		}
	}
	for i, n := range names {
		switch {
		case n == "":
			names[i] = "_c" + strconv.Itoa(i)
		case times[fold(n)] > 1:
			names[i] = n + strconv.Itoa(i)
		}
	}
	return names
}

// text is what a field says; ok is false when it says NULL.
func (o *options) text(f field) (b []byte, ok bool) {
	if f.missing {
		return nil, false
	}
	b = f.b
	if f.empty {
		b = []byte(o.emptyValue)
	}
	return b, string(b) != o.nullValue
}

// layout says which field of a file's records holds which wanted column.
type layout struct {
	at     []int // by wanted column, -1 when the file has no such column
	fields int   // how many fields a whole record has
	// last is one more than the last field needed.
	last int
}

// byPosition is the layout of files without a header; corrupt is the column that has no field, -1 for none.
func byPosition(schema []types.Field, want []int, corrupt int) layout {
	l := layout{at: make([]int, len(want)), fields: len(schema)}
	if corrupt >= 0 {
		l.fields--
	}
	for i, w := range want {
		switch {
		case w == corrupt:
			l.at[i] = -1
			continue
		case corrupt >= 0 && w > corrupt:
			w--
		}
		l.at[i] = w
		l.last = max(l.last, w+1)
	}
	return l
}

// drift is how a header differs from a table's columns.
type drift struct{ missing, extra []string }

// byName is the layout of a file whose header has these names. known is false when no column of the table is among
// them.
func byName(names []string, schema []types.Field, want []int, corrupt int, caseSensitive bool) (l layout, d drift, known bool) {
	find := func(name string) int {
		for i, n := range names {
			if n == name {
				return i
			}
		}
		if !caseSensitive {
			for i, n := range names {
				if strings.EqualFold(n, name) {
					return i
				}
			}
		}
		return -1
	}
	place := make([]int, len(schema))
	taken := make([]bool, len(names))
	for i, f := range schema {
		place[i] = -1
		if i == corrupt {
			continue
		}
		if place[i] = find(f.Name); place[i] >= 0 {
			taken[place[i]] = true
			known = true
		} else {
			d.missing = append(d.missing, f.Name)
		}
	}
	for i, n := range names {
		if !taken[i] {
			d.extra = append(d.extra, n)
		}
	}
	l = layout{at: make([]int, len(want)), fields: len(names)}
	for i, w := range want {
		l.at[i] = place[w]
		l.last = max(l.last, place[w]+1)
	}
	return l, d, known
}
