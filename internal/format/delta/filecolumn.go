package delta

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// FileColumn says how a column, or a part of one, is found in data files.
type FileColumn struct {
	Name     string // as the table calls it; "element", "key" and "value" for parts of arrays and maps
	Physical string // as data files call it
	ID       int    // the field id of Parquet; 0 when there is none
	Type     types.Type
	NotNull  bool
	// Children are the fields of a struct, the element of an array, or a map's key and value.
	Children []FileColumn
}

// FileColumns are the columns of data files: all of the schema but partition columns, which are not in files, and VOID
// ones, which are never written. Under column mapping names are physical and ids are set.
func FileColumns(s Schema, m *Metadata) []FileColumn {
	mode := MappingModeOf(m)
	var out []FileColumn
	for _, f := range s.Fields {
		if f.Type.Kind == types.Void || m.isPartition(f.Name) {
			continue
		}
		out = append(out, f.fileColumn(mode))
	}
	return out
}

func (m *Metadata) isPartition(name string) bool {
	for _, p := range m.PartitionColumns {
		if strings.EqualFold(p, name) {
			return true
		}
	}
	return false
}

func (f Field) fileColumn(mode MappingMode) FileColumn {
	col := f.column()
	out := FileColumn{Name: f.Name, Physical: f.PhysicalName(mode), Type: col.Type, NotNull: col.NotNull}
	nested := map[string]int{}
	if mode != MappingNone {
		if id, ok := f.ColumnID(); ok {
			out.ID = int(id)
		}
		nested = f.nestedIDs()
	}
	out.Children = f.Type.fileColumns(mode, out.Physical, nested)
	return out
}

// fileColumns are the parts of a type. The ids of parts that are no fields stand in the metadata of the field around them,
// by their path.
func (t Type) fileColumns(mode MappingMode, path string, nested map[string]int) []FileColumn {
	part := func(name string, p *Type, notNull bool) FileColumn {
		at := path + "." + name
		return FileColumn{Name: name, Physical: name, ID: nested[at], Type: p.engine(), NotNull: notNull, Children: p.fileColumns(mode, at, nested)}
	}
	switch t.Kind {
	case types.Struct:
		out := make([]FileColumn, 0, len(t.Fields))
		for _, f := range t.Fields {
			out = append(out, f.fileColumn(mode))
		}
		return out
	case types.Array:
		return []FileColumn{part("element", t.Elem, !t.ContainsNull)}
	case types.Map:
		return []FileColumn{part("key", t.Key, true), part("value", t.Elem, !t.ContainsNull)}
	}
	return nil
}

func (f Field) nestedIDs() map[string]int {
	out := map[string]int{}
	raw, ok := f.Metadata.Get(KeyNestedIDs)
	if !ok {
		return out
	}
	r := &jsonReader{text: raw}
	r.object(func(key string) { out[key] = int(r.long()) })
	return out
}

// PhysicalPartitionColumns are the keys of the partition columns in add.partitionValues, in their order.
func PhysicalPartitionColumns(s Schema, m *Metadata) []string {
	mode := MappingModeOf(m)
	out := make([]string, len(m.PartitionColumns))
	for i, name := range m.PartitionColumns {
		out[i] = name
		if at := s.Find(name); at >= 0 {
			out[i] = s.Fields[at].PhysicalName(mode)
		}
	}
	return out
}
