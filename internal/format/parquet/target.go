package parquet

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// target is a part of a table's column paired with the part of the file that holds it.
type target struct {
	node *node
	want types.Type
	got  types.Type
	// kids are the members of a STRUCT in the table's order (nil where the file lacks one), the element of an ARRAY, or
	// the key and the value of a MAP.
	kids []*target
	// witness is read and dropped: it tells whether a STRUCT is there when the file has none of its wanted members.
	witness *target
	// repeats is the element whose repetition makes the ARRAY or MAP.
	repeats *node
	// own is set when the target is the repeated element itself, whose repetition its list has read already.
	own    bool
	leaves []int
}

// newTarget pairs node, a column or member of the file, with the type wanted of it; own is as in target.
func newTarget(n *node, want types.Type, own, caseSensitive bool) (*target, *refusal) {
	got, r := n.ownType()
	if r != nil {
		return nil, r
	}
	t := &target{node: n, want: want, got: got, own: own}
	if n.repetition == repeated && !own {
		return t.list(n, n, true, caseSensitive)
	}
	switch {
	case n.leaf >= 0:
		t.leaves = []int{n.leaf}
		return t, nil
	case got.Kind == types.Array:
		elem, _, _ := n.listElement()
		return t.list(n.children[0], elem, elem == n.children[0], caseSensitive)
	case got.Kind == types.Map:
		key, value, _ := n.mapEntry()
		t.repeats = n.children[0]
		keyWant, valueWant := *got.Key, *got.Elem
		if want.Kind == types.Map {
			keyWant, valueWant = *want.Key, *want.Elem
		}
		for i, part := range []*node{key, value} {
			kid, r := newTarget(part, []types.Type{keyWant, valueWant}[i], false, caseSensitive)
			if r != nil {
				return nil, r
			}
			t.add(kid)
		}
		return t, nil
	}
	return t.members(caseSensitive)
}

func (t *target) add(kid *target) {
	t.kids = append(t.kids, kid)
	if kid != nil {
		t.leaves = append(t.leaves, kid.leaves...)
	}
}

func (t *target) list(repeats, elem *node, own, caseSensitive bool) (*target, *refusal) {
	t.repeats = repeats
	et, r := elem.ownType()
	if r == nil && !own {
		et, r = elem.sparkType()
	}
	if r != nil {
		return nil, r
	}
	t.got = types.ArrayOf(et)
	want := et
	if t.want.Kind == types.Array {
		want = *t.want.Elem
	}
	kid, r := newTarget(elem, want, own, caseSensitive)
	if r == nil {
		t.add(kid)
	}
	return t, r
}

func (t *target) members(caseSensitive bool) (*target, *refusal) {
	wanted := t.want.Fields
	if t.want.Kind != types.Struct {
		wanted = t.got.Fields
	}
	for _, f := range wanted {
		child := t.node.child(f.Name, caseSensitive)
		if child == nil {
			t.add(nil)
			continue
		}
		kid, r := newTarget(child, f.Type, false, caseSensitive)
		if r != nil {
			return nil, r
		}
		t.add(kid)
	}
	if len(t.leaves) == 0 && len(t.node.children) > 0 {
		first := t.node.children[0]
		got, r := first.sparkType()
		if r != nil {
			return nil, r
		}
		w, r := newTarget(first, got, false, caseSensitive)
		if r != nil {
			return nil, r
		}
		t.witness, t.leaves = w, w.leaves
	}
	return t, nil
}

// child finds a member by name; an exact match wins.
func (n *node) child(name string, caseSensitive bool) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	if !caseSensitive {
		for _, c := range n.children {
			if strings.EqualFold(c.name, name) {
				return c
			}
		}
	}
	return nil
}
