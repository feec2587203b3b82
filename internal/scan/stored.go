package scan

import (
	"slices"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// reading is how the engine is to read files of one shape: see the fields of engine.ParquetFile of the same names.
type reading struct {
	stored map[int]types.Type
	names  map[int]string
	exact  bool
}

// shapeReader finds out how files of a scan are to be read.
type shapeReader struct {
	scan  *plan.Scan
	src   *Source
	delta *deltaTable // nil for other tables
}

func newShapeReader(n *plan.Scan, src *Source) *shapeReader {
	r := &shapeReader{scan: n, src: src}
	if src.Kind == FromDelta {
		r.delta = newDeltaTable(src)
	}
	return r
}

// read checks that files of a shape, of which one is at location, can be read as the scan wants them.
func (r *shapeReader) read(sc *Scanner, location string, sh *shape, s Settings) (*reading, error) {
	var mapped []types.Field
	if r.delta != nil {
		var err error
		if mapped, err = r.delta.fileColumns(location, sh); err != nil {
			return nil, err
		}
	}
	columns := make([]*types.Field, len(r.scan.Fields)) // as the file has them, nil for what is not read from files
	var wanted []types.Field
	out := &reading{}
	for i, field := range r.scan.Fields {
		if field < 0 || r.src.partitionOf(field) >= 0 || r.src.Columns[field].Type.Kind == types.Void {
			continue
		}
		c := r.src.Columns[field]
		if mapped != nil {
			c = mapped[r.delta.at[field]]
			if c.Name != r.src.Columns[field].Name {
				if out.names == nil {
					out.names = map[int]string{}
				}
				out.names[i] = c.Name
			}
		}
		if holdsVariant(c.Type) {
			return nil, sqlerr.Unsupported("TABLE_FORMAT", "reading columns with VARIANT, which "+r.src.Columns[field].Name+" has")
		}
		columns[i] = &c
		wanted = append(wanted, c)
	}
	if err := sc.parquet.Compatible(location, sh.footer, wanted, s.format()); err != nil {
		return nil, err
	}
	out.stored = storedTypes(r.scan, columns, &sh.footer, s.CaseSensitive)
	out.exact = out.stored == nil && mapped == nil && isExact(r.scan, r.src, &sh.footer)
	return out, nil
}

// holdsVariant reports whether a type is or holds VARIANT.
func holdsVariant(t types.Type) bool {
	if t.Kind == types.Variant || t.Key != nil && holdsVariant(*t.Key) || t.Elem != nil && holdsVariant(*t.Elem) {
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsVariant(f.Type) })
}

// storedTypes tells which output columns of a scan a file keeps in a form that the engine would convert by its own rules, or under
// other names: see engine.ParquetFile.Stored. columns are those of the scan as the file names them. It is nil when there are none.
func storedTypes(n *plan.Scan, columns []*types.Field, f *format.Footer, caseSensitive bool) map[int]types.Type {
	var out map[int]types.Type
	leaves := f.Leaves
	inFile := make(map[string]types.Type, len(f.Schema))
	for _, field := range f.Schema {
		k := 0
		for k < len(leaves) && len(leaves[k].Path) > 0 && leaves[k].Path[0] == field.Name {
			k++
		}
		own := leaves[:k]
		leaves = leaves[k:]
		name := field.Name
		if !caseSensitive {
			name = ident.Fold(name)
		}
		inFile[name] = physical(field.Type, &own)
	}
	for i, c := range columns {
		if c == nil {
			continue
		}
		name := c.Name
		if !caseSensitive {
			name = ident.Fold(name)
		}
		stored, ok := inFile[name]
		if !ok {
			continue
		}
		if t, differs := align(c.Type, stored); differs || !types.Equal(t, n.Out[i].Type) {
			if out == nil {
				out = map[int]types.Type{}
			}
			out[i] = t
		}
	}
	return out
}

// isExact is engine.ParquetFile.Exact for a file with that footer.
func isExact(n *plan.Scan, src *Source, f *format.Footer) bool {
	for i, field := range n.Fields {
		if field < 0 || src.partitionOf(field) >= 0 {
			continue
		}
		name, found := src.Columns[field].Name, 0
		for _, c := range f.Schema {
			if ident.Fold(c.Name) != ident.Fold(name) {
				continue
			}
			if found++; !bindsAlone(c.Type) || !types.Equal(c.Type, n.Out[i].Type) || !isPlain(c.Name) || !isPlain(name) {
				return false
			}
		}
		if found != 1 {
			return false
		}
	}
	return true
}

// bindsAlone tells the types that the engine takes from a file as Spark does.
func bindsAlone(t types.Type) bool {
	switch t.Kind {
	case types.Boolean, types.Float, types.Double, types.Decimal, types.String, types.Date, types.Timestamp, types.TimestampNTZ:
		return true
	}
	return t.Kind.IsIntegral()
}

// isPlain tells a name of printable ASCII.
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return name != ""
}

// physical is a file's type with its INT96 leaves, which keep no zone, as TIMESTAMP_NTZ. leaves are those of the type, in
// order; what has been used is cut off.
func physical(t types.Type, leaves *[]format.Leaf) types.Type {
	switch t.Kind {
	case types.Struct:
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f
			fields[i].Type = physical(f.Type, leaves)
		}
		return types.StructOf(fields...)
	case types.Array:
		return types.ArrayOf(physical(*t.Elem, leaves))
	case types.Map:
		key := physical(*t.Key, leaves)
		return types.MapOf(key, physical(*t.Elem, leaves))
	}
	if len(*leaves) > 0 {
		leaf := (*leaves)[0]
		*leaves = (*leaves)[1:]
		if leaf.Physical == "INT96" && t.Kind == types.Timestamp {
			return types.Of(types.TimestampNTZ)
		}
	}
	return t
}

// align gives the wanted type with those leaves replaced that the file keeps in a form the engine would convert wrongly.
func align(want, stored types.Type) (types.Type, bool) {
	switch {
	case want.Kind == types.Timestamp && stored.Kind == types.TimestampNTZ,
		want.Kind.IsText() && stored.Kind == types.Binary,
		want.Kind == types.Binary && stored.Kind.IsText():
		return stored, true
	case want.Kind == types.Array && stored.Kind == types.Array:
		elem, differs := align(*want.Elem, *stored.Elem)
		return types.ArrayOf(elem), differs
	case want.Kind == types.Map && stored.Kind == types.Map:
		key, a := align(*want.Key, *stored.Key)
		elem, b := align(*want.Elem, *stored.Elem)
		return types.MapOf(key, elem), a || b
	case want.Kind == types.Struct && stored.Kind == types.Struct:
		differs := false
		fields := make([]types.Field, len(want.Fields))
		for i, f := range want.Fields {
			fields[i] = f
			for _, g := range stored.Fields {
				if ident.Equal(f.Name, g.Name) {
					var d bool
					fields[i].Type, d = align(f.Type, g.Type)
					differs = differs || d
					break
				}
			}
		}
		return types.StructOf(fields...), differs
	}
	return want, false
}
