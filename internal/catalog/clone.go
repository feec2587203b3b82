package catalog

import (
	"maps"
	"slices"
)

// Clone copies c so that changes to the copy do not show in it.
func (c *Catalog) Clone() *Catalog { d := *c; return &d }

// Clone copies s so that changes to the copy do not show in it.
func (s *Schema) Clone() *Schema {
	d := *s
	d.Properties = maps.Clone(s.Properties)
	return &d
}

// Clone copies t so that changes to the copy do not show in it. The types of its columns are shared: they are values
// that nobody changes.
func (t *Table) Clone() *Table {
	d := *t
	d.Columns = slices.Clone(t.Columns)
	d.Partition = slices.Clone(t.Partition)
	d.Options = maps.Clone(t.Options)
	d.Properties = maps.Clone(t.Properties)
	return &d
}

// Clone copies v.
func (v *Volume) Clone() *Volume { d := *v; return &d }

// Clone copies e.
func (e *ExternalLocation) Clone() *ExternalLocation { d := *e; return &d }

// Clone copies c so that changes to the copy do not show in it.
func (c Commit) Clone() Commit {
	c.Parameters = maps.Clone(c.Parameters)
	return c
}
