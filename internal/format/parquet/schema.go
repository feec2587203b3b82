package parquet

import (
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/types"
)

// node is one element of a file's schema with what is below it.
type node struct {
	*element
	def, rep int // the levels at which a value is present here, and at which it repeats
	children []*node
	leaf     int // index of a leaf among the leaves, -1 for a group
	parent   *node
}

// maxSchemaDepth bounds how deeply a file's columns may nest.
const maxSchemaDepth = 64

// buildTree turns the flat list of elements into a tree.
func buildTree(elements []element) (root *node, leaves []*node, err error) {
	next := 0
	var build func(parent *node, depth int) (*node, error)
	build = func(parent *node, depth int) (*node, error) {
		if next >= len(elements) || depth > maxSchemaDepth {
			return nil, errThrift
		}
		n := &node{element: &elements[next], leaf: -1, parent: parent}
		next++
		if parent != nil {
			n.def, n.rep = parent.def, parent.rep
			switch n.repetition {
			case optional:
				n.def++
			case repeated:
				n.def++
				n.rep++
			}
		}
		if n.physical >= 0 && parent != nil {
			n.leaf = len(leaves)
			leaves = append(leaves, n)
			return n, nil
		}
		if n.element.children < 0 || int(n.element.children) > len(elements)-next {
			return nil, errThrift
		}
		for range n.element.children {
			child, err := build(n, depth+1)
			if err != nil {
				return nil, err
			}
			n.children = append(n.children, child)
		}
		return n, nil
	}
	if root, err = build(nil, 0); err == nil && next != len(elements) {
		err = errThrift
	}
	return root, leaves, err
}

func (n *node) path() []string {
	var p []string
	for ; n.parent != nil; n = n.parent {
		p = append([]string{n.name}, p...)
	}
	return p
}

// is reports whether the element has either annotation.
func (e *element) is(logical, converted int8) bool {
	return e.logical == logical || e.logical == logNone && e.converted == converted
}

func (e *element) isList() bool { return e.is(logList, convList) }

func (e *element) isMap() bool {
	return e.is(logMap, convMap) || e.logical == logNone && e.converted == convMapKeyValue
}

// annotation is the logical type as text, "" for none.
func (e *element) annotation() string {
	switch e.logical {
	case logString:
		return "STRING"
	case logMap:
		return "MAP"
	case logList:
		return "LIST"
	case logEnum:
		return "ENUM"
	case logDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", e.precision, e.scale)
	case logDate:
		return "DATE"
	case logTime, logTimestamp:
		name := map[int8]string{logTime: "TIME", logTimestamp: "TIMESTAMP"}[e.logical]
		unit := map[int8]string{unitMillis: "MILLIS", unitMicros: "MICROS", unitNanos: "NANOS"}[e.unit]
		return fmt.Sprintf("%s(%s,%t)", name, unit, e.utc)
	case logInteger:
		return fmt.Sprintf("INTEGER(%d,%t)", e.bits, e.signed)
	case logUnknown:
		return "UNKNOWN"
	case logJSON:
		return "JSON"
	case logBSON:
		return "BSON"
	case logUUID:
		return "UUID"
	case logFloat16:
		return "FLOAT16"
	case logVariant:
		return "VARIANT"
	case logNewer:
		return "a newer logical type"
	}
	switch e.converted {
	case convDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", e.precision, e.scale)
	case convNone:
		return ""
	}
	names := [...]string{
		"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS",
		"UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON", "INTERVAL",
	}
	if int(e.converted) < len(names) && e.converted >= 0 {
		return names[e.converted]
	}
	return fmt.Sprintf("CONVERTED_TYPE_%d", e.converted)
}

// text is the element's type for messages, such as INT32 (DATE).
func (e *element) text() string {
	name := "GROUP"
	if e.physical >= 0 {
		name = physicalNames[e.physical]
		if e.physical == physFixed {
			name += fmt.Sprintf("(%d)", e.length)
		}
	}
	if a := e.annotation(); a != "" {
		name += " (" + a + ")"
	}
	return name
}

// refusal is a part of a column that stands for no SQL type.
type refusal struct{ node *node }

// sparkType is the SQL type of a column or member, repetition included.
func (n *node) sparkType() (types.Type, *refusal) {
	t, r := n.ownType()
	if r == nil && n.repetition == repeated {
		t = types.ArrayOf(t)
		t.NotNull = true
	}
	return t, r
}

// ids are the field ids of a column or member, in the shape of its sparkType.
func (n *node) ids() format.FieldID {
	if n.repetition == repeated {
		return format.FieldID{ID: n.fieldID, Members: []format.FieldID{n.ownIDs()}}
	}
	return n.ownIDs()
}

func (n *node) ownIDs() format.FieldID {
	out := format.FieldID{ID: n.fieldID}
	var members []*node
	switch {
	case n.leaf >= 0:
		return out
	case n.isList():
		elem, _, ok := n.listElement()
		if !ok {
			return out
		}
		if elem.repetition == repeated {
			out.Members = []format.FieldID{elem.ownIDs()}
			return out
		}
		members = []*node{elem}
	case n.isMap():
		key, value, ok := n.mapEntry()
		if !ok {
			return out
		}
		members = []*node{key, value}
	default:
		members = n.children
	}
	for _, m := range members {
		out.Members = append(out.Members, m.ids())
	}
	return out
}

func (n *node) ownType() (types.Type, *refusal) {
	if n.leaf >= 0 {
		return n.primitive()
	}
	switch {
	case n.logical == logVariant:
		return types.Type{}, &refusal{n}
	case n.isList():
		elem, nullable, ok := n.listElement()
		if !ok {
			return types.Type{}, &refusal{n}
		}
		var t types.Type
		var r *refusal
		if elem.repetition == repeated {
			t, r = elem.ownType()
		} else {
			t, r = elem.sparkType()
		}
		out := types.ArrayOf(t)
		out.NotNull = !nullable
		return out, r
	case n.isMap():
		key, value, ok := n.mapEntry()
		if !ok {
			return types.Type{}, &refusal{n}
		}
		kt, r := key.sparkType()
		if r != nil {
			return types.Type{}, r
		}
		vt, r := value.sparkType()
		out := types.MapOf(kt, vt)
		out.NotNull = value.repetition == required
		return out, r
	}
	var fields []types.Field
	for _, c := range n.children {
		t, r := c.sparkType()
		if r != nil {
			return types.Type{}, r
		}
		fields = append(fields, types.Field{Name: c.name, Type: t})
	}
	return types.StructOf(fields...), nil
}

// listElement finds the element of a LIST by the format's rules, which cover what old writers left out: the repeated
// child is the element itself unless it is a group of one field with none of the old names.
func (n *node) listElement() (elem *node, nullable, ok bool) {
	if len(n.children) != 1 || n.children[0].repetition != repeated {
		return nil, false, false
	}
	r := n.children[0]
	if r.leaf >= 0 || len(r.children) > 1 || r.name == "array" || r.name == n.name+"_tuple" ||
		len(r.children) == 1 && r.children[0].repetition == repeated {
		return r, false, true
	}
	if len(r.children) == 0 {
		return nil, false, false
	}
	return r.children[0], r.children[0].repetition != required, true
}

func (n *node) mapEntry() (key, value *node, ok bool) {
	if len(n.children) != 1 || n.children[0].repetition != repeated || len(n.children[0].children) != 2 {
		return nil, nil, false
	}
	kv := n.children[0].children
	return kv[0], kv[1], true
}

// primitive is the SQL type of a leaf, as Spark maps it.
func (n *node) primitive() (types.Type, *refusal) {
	illegal := &refusal{n}
	decimal := func(most int) (types.Type, *refusal) {
		p, s := int(n.precision), int(n.scale)
		if p < 1 || p > 38 || s < 0 || s > p || most > 0 && p > most {
			return types.Type{}, illegal
		}
		return types.DecimalOf(p, s), nil
	}
	of := func(k types.Kind) (types.Type, *refusal) { return types.Of(k), nil }
	switch n.physical {
	case physBoolean:
		return of(types.Boolean)
	case physFloat:
		return of(types.Float)
	case physDouble:
		return of(types.Double)
	case physInt96:
		return of(types.Timestamp)
	case physInt32:
		switch {
		case n.is(logDecimal, convDecimal):
			return decimal(9)
		case n.is(logDate, convDate):
			return of(types.Date)
		case n.integer(8, true):
			return of(types.TinyInt)
		case n.integer(16, true), n.integer(8, false):
			return of(types.SmallInt)
		case n.integer(32, false):
			return of(types.BigInt)
		case n.bare(), n.integer(32, true), n.integer(16, false):
			return of(types.Int)
		}
	case physInt64:
		switch {
		case n.is(logDecimal, convDecimal):
			return decimal(18)
		case n.logical == logTimestamp && n.unit != unitNanos:
			if n.utc {
				return of(types.Timestamp)
			}
			return of(types.TimestampNTZ)
		case n.logical == logTime && n.unit == unitMicros && !n.utc:
			return types.TimeOf(types.MaxTimePrecision), nil
		case n.logical == logNone && (n.converted == convTimestampMillis || n.converted == convTimestampMicros):
			return of(types.Timestamp)
		case n.integer(64, false):
			return types.DecimalOf(20, 0), nil
		case n.bare(), n.integer(64, true):
			return of(types.BigInt)
		}
	case physByteArray:
		switch {
		case n.is(logString, convUTF8), n.is(logEnum, convEnum), n.is(logJSON, convJSON):
			return of(types.String)
		case n.bare(), n.is(logBSON, convBSON):
			return of(types.Binary)
		case n.is(logDecimal, convDecimal):
			return decimal(0)
		}
	case physFixed:
		switch {
		case n.is(logDecimal, convDecimal):
			if n.length < 1 || int(n.precision) > maxPrecision(int(n.length)) {
				return types.Type{}, illegal
			}
			return decimal(0)
		case n.bare():
			return of(types.Binary)
		}
	}
	return types.Type{}, illegal
}

// bare reports whether nothing says more than the physical type: no annotation, that of a column which is always NULL, or
// one newer than this package.
func (e *element) bare() bool {
	return e.logical == logNone && e.converted == convNone || e.logical == logUnknown || e.logical > logVariant
}

func (e *element) integer(bits int8, signed bool) bool {
	if e.logical == logInteger {
		return e.bits == bits && e.signed == signed
	}
	if e.logical != logNone {
		return false
	}
	switch e.converted {
	case convInt8, convInt16, convInt32, convInt64:
		return signed && bits == 8<<(e.converted-convInt8)
	case convUint8, convUint16, convUint32, convUint64:
		return !signed && bits == 8<<(e.converted-convUint8)
	}
	return false
}

// maxPrecision is how many decimal digits n bytes hold.
func maxPrecision(n int) int {
	if n >= 16 {
		return 38
	}
	return int(float64(8*n-1) * 0.30102999566398120)
}

// name is the path of the refused part for messages.
func (r *refusal) name() string { return strings.Join(r.node.path(), ".") }

// text is the type that column has for messages: that of its refused part.
func (r *refusal) text(column *node) string {
	if r.node == column {
		return r.node.text()
	}
	return r.node.text() + " in " + r.name()
}
