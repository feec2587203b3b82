package json

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Infer implements format.Reader. All records of all files are looked at, whatever the option samplingRatio says;
// columns and members come sorted by name.
func (Reader) Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	o, err := parseOptions(opts, s.Zone)
	if err != nil {
		return nil, err
	}
	in := inference{opts: o, caseSensitive: s.CaseSensitive, root: &node{kind: types.Struct}}
	in.dialect = &o.dialect
	for _, f := range files {
		if err := in.file(ctx, f); err != nil {
			return nil, err
		}
	}
	if in.twice != "" {
		return nil, sqlerr.ColumnAlreadyExists(in.twice)
	}
	if in.malformed {
		in.root.member([]byte(o.corrupt), true).kind = types.String
	}
	t, _ := in.root.final(o)
	return t.Fields, nil
}

// inference merges the types of all records into one tree.
type inference struct {
	scanner
	opts          *options
	caseSensitive bool
	root          *node
	malformed     bool
	twice         string // a name that one object has twice, or that has two spellings
	object        int    // the number of the object being read
}

// node is the type of one place in the records, wide enough for all values seen there.
type node struct {
	kind             types.Kind // VOID before the first value
	precision, scale int        // of a DECIMAL
	members          []*node
	index            map[string]*node // by name, or by lower-case name
	elem             *node
	name             string
	object           int // the last object that had this member
}

func (in *inference) file(ctx context.Context, f storage.File) error {
	r, err := openRecords(ctx, f, in.opts)
	if err != nil {
		return err
	}
	defer r.close()
	for n := 0; ; n++ {
		record, ok, err := r.next()
		if err != nil || !ok {
			return err
		}
		if n&1023 == 0 && ctx.Err() != nil {
			return text.Failure(f, ctx.Err())
		}
		if in.record(record) {
			continue
		}
		switch in.opts.mode {
		case text.FailFast:
			return sqlerr.MalformedRecord(f.Location().String(), text.Excerpt(record))
		case text.Permissive:
			in.malformed = true
		}
	}
}

// record adds one record; false when it is malformed.
func (in *inference) record(b []byte) bool {
	in.reset(b)
	first := in.peek()
	if in.pos == len(b) {
		return true
	}
	start := in.pos
	if !utf8.Valid(b) || in.skip() != nil {
		return false
	}
	in.pos, in.depth = start, 0
	switch first {
	case '{':
		return in.structure(in.root) == nil
	case '[':
		empty, err := in.open(']')
		ok := true
		for more := !empty; more && err == nil; {
			if in.peek() == '{' {
				err = in.structure(in.root)
			} else {
				ok = ok && in.peek() == 'n'
				err = in.skip()
			}
			if err == nil {
				more, err = in.more(']')
			}
		}
		return ok && err == nil
	case 'n':
		return true
	}
	return false
}

// value adds the value at pos, which is well formed, to n.
func (in *inference) value(n *node) error {
	switch ch := in.peek(); ch {
	case '{':
		if n.mergeKind(types.Struct, 0, 0) {
			return in.structure(n)
		}
		return in.skip()
	case '[':
		if !n.mergeKind(types.Array, 0, 0) {
			return in.skip()
		}
		if n.elem == nil {
			n.elem = &node{}
		}
		empty, err := in.open(']')
		for more := !empty; more && err == nil; {
			if err = in.value(n.elem); err == nil {
				more, err = in.more(']')
			}
		}
		in.depth--
		return err
	case 'n':
		return in.word("null")
	case 't', 'f':
		k := types.Boolean
		if in.opts.primitivesAsString {
			k = types.String
		}
		n.mergeKind(k, 0, 0)
		return in.skip()
	case '"', '\'':
		s, err := in.text()
		if err == nil && len(s) > 0 {
			in.quoted(n, s)
		}
		return err
	}
	num, err := in.number()
	if err != nil {
		return err
	}
	in.numeral(n, num)
	return nil
}

func (in *inference) quoted(n *node, s []byte) {
	if in.opts.prefersDecimal {
		if p, sc, ok := text.DecimalShape(withoutCommas(s)); ok && sc >= 0 && max(p, sc) <= 38 {
			n.mergeKind(types.Decimal, max(p, sc), sc)
			return
		}
	}
	if in.opts.inferTimestamp {
		if _, ok := in.opts.times.Timestamp(s); ok {
			n.mergeKind(types.Timestamp, 0, 0)
			return
		}
	}
	n.mergeKind(types.String, 0, 0)
}

func (in *inference) numeral(n *node, num numeral) {
	if in.opts.primitivesAsString {
		n.mergeKind(types.String, 0, 0)
		return
	}
	if num.whole {
		if _, ok := text.ParseInt(num.b, -1<<63, 1<<63-1); ok {
			n.mergeKind(types.BigInt, 0, 0)
			return
		}
	}
	if !num.special && (num.whole || in.opts.prefersDecimal) {
		p, sc, ok := text.DecimalShape(num.b)
		if sc < 0 { // 1e3 is DECIMAL(4,0): SQL has no negative scale
			p, sc = p-sc, 0
		}
		if ok && max(p, sc) <= 38 {
			n.mergeKind(types.Decimal, max(p, sc), sc)
			return
		}
	}
	n.mergeKind(types.Double, 0, 0)
}

func (in *inference) structure(n *node) error {
	in.object++
	object := in.object
	empty, err := in.open('}')
	for more := !empty; more && err == nil; {
		var name []byte
		if name, err = in.name(); err != nil {
			break
		}
		m := n.member(name, in.caseSensitive)
		if (m.object == object || m.name != string(name)) && in.twice == "" {
			in.twice = strings.ToLower(m.name)
		}
		m.object = object
		if err = in.value(m); err == nil {
			more, err = in.more('}')
		}
	}
	in.depth--
	return err
}

// member returns the member of a name, made when it is new. Unless caseSensitive, names that differ only in case find
// the same member.
func (n *node) member(name []byte, caseSensitive bool) *node {
	if m := n.index[string(name)]; m != nil {
		return m
	}
	key := string(name)
	if !caseSensitive {
		key = strings.ToLower(key)
		if m := n.index[key]; m != nil {
			return m
		}
	}
	m := &node{name: string(name)}
	if n.index == nil {
		n.index = map[string]*node{}
	}
	n.index[m.name], n.index[key] = m, m
	n.members = append(n.members, m)
	return m
}

// mergeKind widens n to hold a value of kind k too, and reports whether n is of kind k then.
func (n *node) mergeKind(k types.Kind, precision, scale int) bool {
	switch {
	case n.kind == types.Void:
		n.kind, n.precision, n.scale = k, precision, scale
	case n.kind == types.Decimal && k == types.Decimal:
		n.widen(precision, scale)
	case n.kind == k:
	case n.kind == types.BigInt && k == types.Decimal:
		n.kind, n.precision, n.scale = k, precision, scale
		n.widen(20, 0)
	case n.kind == types.Decimal && k == types.BigInt:
		n.widen(20, 0)
	case numeric(n.kind) && numeric(k): // one of them is DOUBLE
		n.kind = types.Double
	default:
		n.kind = types.String
		n.members, n.index, n.elem = nil, nil, nil
	}
	return n.kind == k
}

func numeric(k types.Kind) bool {
	return k == types.BigInt || k == types.Double || k == types.Decimal
}

func (n *node) widen(precision, scale int) {
	s := max(n.scale, scale)
	whole := max(n.precision-n.scale, precision-scale)
	n.precision, n.scale = whole+s, s
	if whole+s > 38 {
		n.kind = types.Double
	}
}

// final is the type of n; ok is false for a place that the schema leaves out: an object without members, and with the
// option dropFieldIfAllNull one that is never more than NULL or empty.
func (n *node) final(o *options) (t types.Type, ok bool) {
	switch n.kind {
	case types.Void:
		return types.Of(types.String), !o.dropFieldIfAllNull
	case types.Decimal:
		return types.DecimalOf(n.precision, n.scale), true
	case types.Array:
		elem, ok := n.elem.final(o)
		return types.ArrayOf(elem), ok
	case types.Struct:
		members := append([]*node(nil), n.members...)
		sort.Slice(members, func(i, j int) bool { return members[i].name < members[j].name })
		var fields []types.Field
		for _, m := range members {
			if t, ok := m.final(o); ok && m.name != "" {
				fields = append(fields, types.Field{Name: m.name, Type: t})
			}
		}
		return types.StructOf(fields...), len(fields) > 0
	}
	return types.Of(n.kind), true
}
