package delta

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// leaf is one column of one row group of a checkpoint, decoded whole: levels for every entry, values for those that are
// not null.
type leaf struct {
	maxDef, maxRep byte
	def, rep       []byte // empty when the maximum is 0
	entries        int
	claimed        int     // entries that the footer tells of; only a guess at how much room is needed
	longs          []int64 // integers; booleans as 0 and 1; INT96 as microseconds since the epoch
	floats         []float64
	texts          []string
}

func (l *leaf) values() int { return max(len(l.longs), len(l.floats), len(l.texts)) }

var errPages = errors.New("a column's pages are damaged")

// readLeaf decodes a column. It is nil when there are no values, which is what an absent column means too.
func readLeaf(chunk parquet.ColumnChunk, col *parquet.Column) (*leaf, error) {
	l := &leaf{maxDef: byte(col.MaxDefinitionLevel()), maxRep: byte(col.MaxRepetitionLevel()), claimed: int(chunk.NumValues())}
	pages := chunk.Pages()
	defer func() { _ = pages.Close() }()
	// A dictionary belongs to all pages of the chunk: its texts are cut once.
	var dict *leaf
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		err = l.add(page, &dict)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
	}
	if l.maxDef > 0 && len(l.def) != l.entries || l.maxRep > 0 && len(l.rep) != l.entries {
		return nil, errPages
	}
	if l.values() == 0 {
		return nil, nil
	}
	return l, nil
}

// maxPages bounds what a column gets ahead of its pages, in pages as large as the first: a damaged footer claims anything.
const maxPages = 100

// roomFor makes room in the values of a column for those of a page, and for the pages that are still to come when it is the
// first.
func roomFor[T any](l *leaf, values []T, page int) []T {
	if len(values) == 0 {
		page = max(page, min(l.claimed, page*maxPages))
	}
	return slices.Grow(values, page)
}

func (l *leaf) add(page parquet.Page, dict **leaf) error {
	n := int(page.NumValues())
	l.entries += n
	if l.maxDef > 0 {
		def := page.DefinitionLevels()
		if len(def) != n {
			return errPages
		}
		l.def = append(roomFor(l, l.def, n), def...)
	}
	if l.maxRep > 0 {
		rep := page.RepetitionLevels()
		if len(rep) != n {
			return errPages
		}
		l.rep = append(roomFor(l, l.rep, n), rep...)
	}
	d := page.Dictionary()
	if d == nil {
		return l.addValues(page)
	}
	if *dict == nil {
		*dict = &leaf{}
		if err := (*dict).addValues(d.Page()); err != nil {
			return err
		}
	}
	values := page.Data()
	indexes := values.Int32()
	var ok bool
	switch {
	case (*dict).texts != nil:
		l.texts, ok = lookUp(roomFor(l, l.texts, len(indexes)), (*dict).texts, indexes)
	case (*dict).floats != nil:
		l.floats, ok = lookUp(roomFor(l, l.floats, len(indexes)), (*dict).floats, indexes)
	default:
		l.longs, ok = lookUp(roomFor(l, l.longs, len(indexes)), (*dict).longs, indexes)
	}
	if !ok {
		return errPages
	}
	return nil
}

// lookUp appends the values of a dictionary that a page names.
func lookUp[T any](values, dict []T, indexes []int32) ([]T, bool) {
	for _, i := range indexes {
		if i < 0 || int(i) >= len(dict) {
			return values, false
		}
		values = append(values, dict[i])
	}
	return values, true
}

// addValues appends the values of a page without a dictionary.
func (l *leaf) addValues(page parquet.Page) error {
	values := page.Data()
	switch page.Type().Kind() {
	case parquet.Boolean:
		// A page of booleans is a bitmap whose length only the page knows.
		count := int(page.NumValues() - page.NumNulls())
		bits := values.Boolean()
		if len(bits) < (count+7)/8 {
			return errPages
		}
		for i := range count {
			l.longs = append(l.longs, int64(bits[i/8]>>(i%8)&1))
		}
	case parquet.Int32:
		for _, v := range values.Int32() {
			l.longs = append(l.longs, int64(v))
		}
	case parquet.Int64:
		longs := values.Int64()
		l.longs = append(roomFor(l, l.longs, len(longs)), longs...)
	case parquet.Int96:
		for _, v := range values.Int96() {
			l.longs = append(l.longs, microsOf(v))
		}
	case parquet.Float:
		for _, v := range values.Float() {
			l.floats = append(l.floats, float64(v))
		}
	case parquet.Double:
		l.floats = append(l.floats, values.Double()...)
	case parquet.ByteArray:
		data, offsets := values.ByteArray()
		text := string(data)
		l.texts = roomFor(l, l.texts, len(offsets))
		for i := 1; i < len(offsets); i++ {
			if offsets[i-1] > offsets[i] || int(offsets[i]) > len(text) {
				return errPages
			}
			l.texts = append(l.texts, text[offsets[i-1]:offsets[i]])
		}
	case parquet.FixedLenByteArray:
		data, size := values.FixedLenByteArray()
		text := string(data)
		for at := 0; size > 0 && at+size <= len(text); at += size {
			l.texts = append(l.texts, text[at:at+size])
		}
	default:
		return errPages
	}
	return nil
}

// microsOf reads the timestamps of old writers: nanoseconds of a day, and a Julian day.
func microsOf(v deprecated.Int96) int64 {
	const julianEpoch = 2440588
	nanos := int64(uint64(v[1])<<32 | uint64(v[0]))
	return (int64(v[2])-julianEpoch)*86_400_000_000 + nanos/1000
}

// cursor walks over a leaf row by row. A nil cursor is a column that is absent: every row is null.
type cursor struct {
	*leaf
	at, end   int // entries of the row
	val, next int // the first value of the row, and that of the next row
}

func newCursor(l *leaf) *cursor {
	if l == nil {
		return nil
	}
	return &cursor{leaf: l}
}

// row moves to the next row. It fails when the column has fewer rows than the row group.
func (c *cursor) row() bool {
	if c == nil {
		return true
	}
	c.at, c.val = c.end, c.next
	if c.at >= c.entries {
		return false
	}
	if c.maxRep == 0 {
		c.end++
		if c.maxDef == 0 || c.def[c.at] == c.maxDef {
			c.next++
		}
		return c.next <= c.values()
	}
	for {
		if c.def[c.end] == c.maxDef {
			c.next++
		}
		c.end++
		if c.end >= c.entries || c.rep[c.end] == 0 {
			return c.next <= c.values()
		}
	}
}

// has reports whether the row has at least one value.
func (c *cursor) has() bool { return c != nil && c.next > c.val }

func (c *cursor) text() string {
	if !c.has() || c.texts == nil {
		return ""
	}
	return c.texts[c.val]
}

func (c *cursor) long() int64 {
	if !c.has() || c.longs == nil {
		return 0
	}
	return c.longs[c.val]
}

func (c *cursor) longOrNil() *int64 {
	if !c.has() || c.longs == nil {
		return nil
	}
	n := c.longs[c.val]
	return &n
}

func (c *cursor) integer() int {
	return int(min(max(c.long(), math.MinInt32), math.MaxInt32))
}

func (c *cursor) truth() bool { return c.long() != 0 }

// list is the row's texts; nil when there are none.
func (c *cursor) list() []string {
	if !c.has() || c.texts == nil {
		return nil
	}
	return append([]string(nil), c.texts[c.val:c.next]...)
}

// mapColumns are the columns of a map of texts.
type mapColumns struct{ key, value *cursor }

func (g *group) entries(path string) mapColumns {
	return mapColumns{g.get(path + ".key"), g.get(path + ".value")}
}

// single is the entry of a row's map that has one, whose value is not null.
func (m mapColumns) single() (k, v string, ok bool) {
	key, value := m.key, m.value
	if key == nil || value == nil || key.end-key.at != 1 || value.end-value.at != 1 || key.next-key.val != 1 || value.next-value.val != 1 || key.texts == nil || value.texts == nil {
		return "", "", false
	}
	return key.texts[key.val], value.texts[value.val], true
}

// pairs calls fn for each entry of the row's map; a null value is "".
func (m mapColumns) pairs(fn func(k, v string)) {
	key, value := m.key, m.value
	if !key.has() || key.texts == nil {
		return
	}
	val := 0
	if value != nil {
		val = value.val
	}
	k := key.val
	for i := 0; key.at+i < key.end; i++ {
		if key.def[key.at+i] != key.maxDef {
			continue
		}
		text := ""
		if value != nil && value.at+i < value.end && value.def[value.at+i] == value.maxDef && val < len(value.texts) {
			text = value.texts[val]
			val++
		}
		fn(key.texts[k], text)
		k++
	}
}

// group is the columns of one struct of a checkpoint's row group, by path below it.
type group struct {
	cursors map[string]*cursor
	all     []*cursor
}

// readGroup decodes the leaves below a column that want says; a path is the names below the column joined by dots, lists and
// maps by the word key, value or list.
func readGroup(rows parquet.RowGroup, col *parquet.Column, want func(path string) bool) (*group, error) {
	g := &group{cursors: map[string]*cursor{}}
	if col == nil {
		return g, nil
	}
	chunks := rows.ColumnChunks()
	var walk func(c *parquet.Column, path string) error
	walk = func(c *parquet.Column, path string) error {
		if !c.Leaf() {
			for _, child := range c.Columns() {
				if err := walk(child, path+"."+child.Name()); err != nil {
					return err
				}
			}
			return nil
		}
		path = shortPath(strings.TrimPrefix(path, "."), c)
		if !want(path) || c.Index() < 0 || c.Index() >= len(chunks) {
			return nil
		}
		l, err := readLeaf(chunks[c.Index()], c)
		if err != nil || l == nil {
			return err
		}
		cur := newCursor(l)
		g.cursors[path] = cur
		g.all = append(g.all, cur)
		return nil
	}
	return g, walk(col, "")
}

// shortPath names the leaves of maps and lists alike whatever the writer called the groups between.
func shortPath(path string, c *parquet.Column) string {
	if c.MaxRepetitionLevel() == 0 {
		return path
	}
	parts := strings.Split(path, ".")
	for i, p := range parts {
		switch p {
		case "key_value", "map", "entries":
			if i > 0 && i+1 < len(parts) {
				return strings.Join(append(parts[:i:i], parts[i+1:]...), ".")
			}
		case "list", "array", "bag":
			if i > 0 {
				return strings.Join(append(parts[:i:i], "list"), ".")
			}
		}
	}
	return path
}

func (g *group) row() error {
	for _, c := range g.all {
		if !c.row() {
			return errPages
		}
	}
	return nil
}

func (g *group) get(path string) *cursor { return g.cursors[path] }

// strings is a map column as a Go map; nil when it has no entries.
func (g *group) strings(path string) map[string]string {
	var out map[string]string
	g.entries(path).pairs(func(k, v string) {
		if out == nil {
			out = map[string]string{}
		}
		out[k] = v
	})
	return out
}
