package parquet

import (
	"github.com/tarnlake/tarn/internal/types"
)

// assembler puts rows together from the leaves of one row group. cursors is by leaf, nil where a leaf is not read.
type assembler struct {
	cursors []*cursor
}

// value reads one value of t, which may be NULL or, for an element without LIST that repeats, an array.
func (a *assembler) value(t *target) (types.Value, error) {
	if len(t.leaves) == 0 {
		return nil, nil
	}
	first := a.cursors[t.leaves[0]]
	if err := first.ready(); err != nil {
		return nil, err
	}
	if t.node.repetition == optional && !t.own && first.def() < t.node.def {
		return nil, a.skip(t)
	}
	if t.repeats != nil {
		return a.collection(t)
	}
	if t.node.leaf >= 0 {
		return a.leaf(t, first)
	}
	out := make([]types.Value, len(t.kids))
	for i, kid := range t.kids {
		if kid == nil {
			continue
		}
		v, err := a.value(kid)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	if t.witness != nil {
		if _, err := a.value(t.witness); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// skip steps over the one entry that every leaf has for a missing or empty value.
func (a *assembler) skip(t *target) error {
	for _, l := range t.leaves {
		c := a.cursors[l]
		if err := c.ready(); err != nil {
			return err
		}
		c.advance()
	}
	return nil
}

func (a *assembler) collection(t *target) (types.Value, error) {
	list := []types.Value{}
	entries := []types.MapEntry{}
	isMap := t.got.Kind == types.Map
	first := a.cursors[t.leaves[0]]
	empty := first.def() < t.repeats.def
	if empty {
		if err := a.skip(t); err != nil {
			return nil, err
		}
	}
	for !empty {
		v, err := a.value(t.kids[0])
		if err != nil {
			return nil, err
		}
		if isMap {
			w, err := a.value(t.kids[1])
			if err != nil {
				return nil, err
			}
			entries = append(entries, types.MapEntry{Key: v, Value: w})
		} else {
			list = append(list, v)
		}
		more, err := first.more()
		if err != nil {
			return nil, err
		}
		if !more || first.rep() < t.repeats.rep {
			break
		}
	}
	if isMap {
		return entries, nil
	}
	return list, nil
}

func (a *assembler) leaf(t *target, c *cursor) (types.Value, error) {
	if c.def() < t.node.def {
		c.advance()
		return nil, nil
	}
	i := c.atVal
	if i >= c.page.len() {
		return nil, errValues
	}
	v, err := t.node.sparkValue(&c.page, i)
	c.advance()
	if err != nil {
		return nil, err
	}
	return convert(v, t.got, t.want)
}
