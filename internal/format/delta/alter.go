package delta

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Change is a table's schema on the way to its next version: each method changes it as one ALTER TABLE does. NewID gives
// fresh UUIDs for the physical names of new columns.
type Change struct {
	Metadata *Metadata
	Schema   Schema
	NewID    func() string
}

// Result is the metadata with the schema as it is now.
func (c *Change) Result() *Metadata { return c.Metadata.WithSchema(c.Schema) }

// MapColumns turns column mapping on. A table that has data keeps its columns' names as physical ones; a new one gets
// fresh ones. The error is DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
func (c *Change) MapColumns(mode MappingMode, isNew bool) error {
	old := MappingModeOf(c.Metadata)
	if old == mode && !isNew {
		return nil
	}
	if !isNew && (old != MappingNone || mode != MappingName) {
		return sqlerr.DeltaMappingMode(old.String(), mode.String())
	}
	last := c.lastID()
	c.Schema = Schema{Fields: mapFields(c.Schema.Fields, func(f Field) Field { return c.name(f, &last, isNew) })}
	c.Metadata = c.Metadata.With(map[string]string{PropertyMappingMode: mode.String(), PropertyMaxColumnID: strconv.FormatInt(last, 10)})
	return nil
}

// name gives a field an id and a physical name, unless it has them.
func (c *Change) name(f Field, last *int64, fresh bool) Field {
	if _, ok := f.ColumnID(); !ok {
		*last++
		f.Metadata = f.Metadata.WithLong(KeyColumnID, *last)
	}
	if _, ok := f.Metadata.Text(KeyPhysicalName); !ok {
		name := f.Name
		if fresh {
			name = "col-" + c.NewID()
		}
		f.Metadata = f.Metadata.WithText(KeyPhysicalName, name)
	}
	return f
}

// lastID is the highest column id that was ever given.
func (c *Change) lastID() int64 {
	last, _ := strconv.ParseInt(c.Metadata.Configuration[PropertyMaxColumnID], 10, 64)
	c.Schema.any(func(f Field) bool {
		if id, ok := f.ColumnID(); ok {
			last = max(last, id)
		}
		return false
	})
	return last
}

// mapFields applies fn to every field at every depth, those around before those inside.
func mapFields(fields []Field, fn func(Field) Field) []Field {
	out := make([]Field, len(fields))
	for i, f := range fields {
		f = fn(f)
		f.Type = f.Type.mapped(fn)
		out[i] = f
	}
	return out
}

func (t Type) mapped(fn func(Field) Field) Type {
	if t.Fields != nil {
		t.Fields = mapFields(t.Fields, fn)
	}
	if t.Key != nil {
		key := t.Key.mapped(fn)
		t.Key = &key
	}
	if t.Elem != nil {
		elem := t.Elem.mapped(fn)
		t.Elem = &elem
	}
	return t
}

// The names of the parts of arrays and maps in the path of a column.
const (
	partElement = "element"
	partKey     = "key"
	partValue   = "value"
)

// part is the part of an array or a map that a name means, ignoring case.
func (t *Type) part(name string) (*Type, bool) {
	switch {
	case t.Kind == types.Array && strings.EqualFold(name, partElement), t.Kind == types.Map && strings.EqualFold(name, partValue):
		return t.Elem, true
	case t.Kind == types.Map && strings.EqualFold(name, partKey):
		return t.Key, true
	}
	return nil, false
}

// Part finds the column, the field or the part of one ("element", "key", "value") at a path, ignoring case: the nearest field, and of
// each step from it to the part the type, so that there are none for a field itself.
func (s Schema) Part(path []string) (f Field, inside []Type, ok bool) {
	t := Type{Kind: types.Struct, Fields: s.Fields}
	for _, name := range path {
		if t.Kind == types.Struct {
			k := findField(t.Fields, name)
			if k < 0 {
				return f, nil, false
			}
			f, inside = t.Fields[k], nil
			t = f.Type
			continue
		}
		p, found := t.part(name)
		if !found {
			return f, nil, false
		}
		t = *p
		inside = append(inside, t)
	}
	return f, inside, len(path) > 0
}

// Place is where a column is put among its siblings.
type Place struct {
	First bool
	After string // "" is the end
}

// Add adds a column, or a field of the struct at a path. Under column mapping it gets an id and a physical name that no
// column ever had. The errors are DELTA_ADD_COLUMN_PARENT_NOT_STRUCT, DELTA_COLUMN_NOT_FOUND_IN_SCHEMA and those of
// CheckNames.
func (c *Change) Add(parent []string, column types.Field, at Place) error {
	f := fieldOf(column)
	if mode := MappingModeOf(c.Metadata); mode != MappingNone {
		last := c.lastID()
		f = mapFields([]Field{f}, func(f Field) Field { return c.name(f, &last, true) })[0]
		c.Metadata = c.Metadata.With(map[string]string{PropertyMaxColumnID: strconv.FormatInt(last, 10)})
	}
	err := c.edit(parent, func(fields []Field) ([]Field, error) {
		i := len(fields)
		switch {
		case at.First:
			i = 0
		case at.After != "":
			before := findField(fields, at.After)
			if before < 0 {
				return nil, sqlerr.FieldNotFound(ident.Quote(at.After), quotedNames(fields))
			}
			i = before + 1
		}
		return slices.Insert(slices.Clone(fields), i, f), nil
	}, column.Name)
	if err != nil {
		return err
	}
	return CheckNames(c.Schema, MappingModeOf(c.Metadata))
}

// Rename gives a column or field another name; its files keep the old one. The errors are DELTA_UNSUPPORTED_RENAME_COLUMN
// without column mapping, DELTA_COLUMN_NOT_FOUND_IN_SCHEMA and those of CheckNames. Expressions that mention the column
// are the caller's to check.
func (c *Change) Rename(path []string, name string) error {
	if MappingModeOf(c.Metadata) == MappingNone {
		return sqlerr.DeltaRenameColumn(strings.Join(path, "."))
	}
	old := ""
	err := c.Field(path, func(f Field) (Field, error) {
		old, f.Name = f.Name, name
		return f, nil
	})
	if err != nil {
		return err
	}
	if len(path) == 1 {
		m := *c.Metadata
		m.PartitionColumns = slices.Clone(m.PartitionColumns)
		for i, p := range m.PartitionColumns {
			if strings.EqualFold(p, old) {
				m.PartitionColumns[i] = name
			}
		}
		c.Metadata = &m
	}
	c.Metadata = renameStats(c.Metadata, path, name)
	return CheckNames(c.Schema, MappingModeOf(c.Metadata))
}

// Drop takes a column or field out of the schema; its files keep it. The errors are DELTA_UNSUPPORTED_DROP_COLUMN without
// column mapping, DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN and DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
func (c *Change) Drop(path []string) error {
	switch {
	case MappingModeOf(c.Metadata) == MappingNone:
		return sqlerr.DeltaDropColumn(strings.Join(path, "."))
	case len(path) == 1 && c.Metadata.isPartition(path[0]):
		return sqlerr.DeltaDropPartitionColumn(path[0])
	}
	err := c.editField(path, func(fields []Field, i int) ([]Field, error) {
		return slices.Delete(slices.Clone(fields), i, i+1), nil
	})
	if err == nil {
		c.Metadata = dropStats(c.Metadata, path)
	}
	return err
}

// Move puts a column or field elsewhere among its siblings. The error is UNRESOLVED_COLUMN for an unknown place.
func (c *Change) Move(path []string, at Place) error {
	return c.editField(path, func(fields []Field, i int) ([]Field, error) {
		f := fields[i]
		out := slices.Delete(slices.Clone(fields), i, i+1)
		to := len(out)
		switch {
		case at.First:
			to = 0
		case at.After != "":
			before := findField(out, at.After)
			if before < 0 {
				return nil, sqlerr.UnresolvedColumn(ident.Quote(at.After), quotedNames(fields))
			}
			to = before + 1
		}
		return slices.Insert(out, to, f), nil
	})
}

// Field changes one column or field: its comment, nullability, default, name or type.
func (c *Change) Field(path []string, fn func(Field) (Field, error)) error {
	return c.editField(path, func(fields []Field, i int) ([]Field, error) {
		f, err := fn(fields[i])
		if err != nil {
			return nil, err
		}
		out := slices.Clone(fields)
		out[i] = f
		return out, nil
	})
}

// Widen changes the type of a column, a field or a part of one ("element", "key", "value") to a wider one, and notes it in the
// metadata of the nearest field, as the protocol has it. The error is DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA for a change that old
// files cannot be read after.
func (c *Change) Widen(path []string, to types.Type) error {
	wide := TypeOf(to)
	inside := []string(nil)
	if _, rest, ok := c.Schema.Part(path); ok {
		inside = path[len(path)-len(rest):]
	}
	return c.Field(path[:len(path)-len(inside)], func(f Field) (Field, error) {
		root := f.Type
		part := &root
		for _, name := range inside {
			p, _ := part.part(name)
			inner := *p
			if strings.EqualFold(name, partKey) {
				part.Key = &inner
			} else {
				part.Elem = &inner
			}
			part = &inner
		}
		from := *part
		if from.Kind.IsNested() || wide.Kind.IsNested() || !CanWiden(from, wide) {
			return f, sqlerr.DeltaTypeChange(strings.Join(path, "."), from.Name(), wide.Name())
		}
		*part = wide
		f.Type = root
		if from.Kind == types.Void || from.Name() == wide.Name() {
			return f, nil
		}
		entry := `{"toType":"` + wide.Name() + `","fromType":"` + from.Name() + `"`
		if len(inside) > 0 {
			entry += `,"fieldPath":"` + strings.ToLower(strings.Join(inside, ".")) + `"`
		}
		entry += "}"
		if old, ok := f.Metadata.Get(KeyTypeChanges); ok {
			if before, found := strings.CutSuffix(strings.TrimSpace(old), "]"); found && strings.TrimSpace(before) != "[" {
				entry = before + "," + entry + "]"
				f.Metadata = f.Metadata.With(KeyTypeChanges, entry)
				return f, nil
			}
		}
		f.Metadata = f.Metadata.With(KeyTypeChanges, "["+entry+"]")
		return f, nil
	})
}

// Replace sets the schema of an overwrite. Columns that keep their name and type keep their ids and physical names; all
// others get new ones, since a physical name stands for one column for ever.
func (c *Change) Replace(next Schema) error {
	if mode := MappingModeOf(c.Metadata); mode != MappingNone {
		last := c.lastID()
		kept := adopt(c.Schema.Fields, next.Fields)
		next = Schema{Fields: mapFields(kept, func(f Field) Field { return c.name(f, &last, true) })}
		c.Metadata = c.Metadata.With(map[string]string{PropertyMaxColumnID: strconv.FormatInt(last, 10)})
	}
	c.Schema = next
	return CheckNames(c.Schema, MappingModeOf(c.Metadata))
}

// adopt gives new fields the mapping of old ones of the same name and type.
func adopt(old, next []Field) []Field {
	out := make([]Field, len(next))
	for i, f := range next {
		f.Metadata = f.Metadata.Without(func(k string) bool { return strings.HasPrefix(k, "delta.columnMapping.") })
		if at := findField(old, f.Name); at >= 0 {
			o := old[at]
			if o.Type.Kind == types.Struct && f.Type.Kind == types.Struct || types.Equal(o.Type.engine(), f.Type.engine()) {
				for _, key := range []string{KeyColumnID, KeyPhysicalName, KeyNestedIDs} {
					if raw, ok := o.Metadata.Get(key); ok {
						f.Metadata = f.Metadata.With(key, raw)
					}
				}
				f.Type = adoptType(o.Type, f.Type)
			}
		}
		out[i] = f
	}
	return out
}

func adoptType(old, next Type) Type {
	switch {
	case old.Kind != next.Kind:
	case next.Kind == types.Struct:
		next.Fields = adopt(old.Fields, next.Fields)
	case next.Kind == types.Array, next.Kind == types.Map:
		elem := adoptType(*old.Elem, *next.Elem)
		next.Elem = &elem
		if next.Key != nil {
			key := adoptType(*old.Key, *next.Key)
			next.Key = &key
		}
	}
	return next
}

func quotedNames(fields []Field) []string {
	names := namesOf(fields)
	for i, n := range names {
		names[i] = ident.Quote(n)
	}
	return names
}

func (c *Change) notFound(path []string) error {
	return sqlerr.DeltaColumnNotFound(strings.Join(path, "."), strings.Join(namesOf(c.Schema.Fields), ", "))
}

// editField changes the siblings of a field.
func (c *Change) editField(path []string, fn func(fields []Field, i int) ([]Field, error)) error {
	if len(path) == 0 {
		return c.notFound(path)
	}
	name := path[len(path)-1]
	return c.edit(path[:len(path)-1], func(fields []Field) ([]Field, error) {
		i := findField(fields, name)
		if i < 0 {
			return nil, c.notFound(path)
		}
		return fn(fields, i)
	}, name)
}

// edit changes the fields of the struct at a path; "element", "key" and "value" go into arrays and maps. name is the field
// in question, for errors.
func (c *Change) edit(parent []string, fn func([]Field) ([]Field, error), name string) error {
	root := Type{Kind: types.Struct, Fields: c.Schema.Fields}
	var into func(t Type, rest []string) (Type, error)
	into = func(t Type, rest []string) (Type, error) {
		if len(rest) == 0 {
			if t.Kind != types.Struct {
				return t, sqlerr.DeltaParentNotStruct(name, strings.Join(parent, "."))
			}
			fields, err := fn(t.Fields)
			t.Fields = fields
			return t, err
		}
		part := func(p *Type) (*Type, error) {
			changed, err := into(*p, rest[1:])
			return &changed, err
		}
		var err error
		switch {
		case t.Kind == types.Struct:
			i := findField(t.Fields, rest[0])
			if i < 0 {
				return t, c.notFound(append(slices.Clone(parent), name))
			}
			t.Fields = slices.Clone(t.Fields)
			t.Fields[i].Type, err = into(t.Fields[i].Type, rest[1:])
		case t.Kind == types.Array && strings.EqualFold(rest[0], partElement), t.Kind == types.Map && strings.EqualFold(rest[0], partValue):
			t.Elem, err = part(t.Elem)
		case t.Kind == types.Map && strings.EqualFold(rest[0], partKey):
			t.Key, err = part(t.Key)
		default:
			err = c.notFound(append(slices.Clone(parent), name))
		}
		return t, err
	}
	root, err := into(root, parent)
	if err == nil {
		c.Schema = Schema{Fields: root.Fields}
	}
	return err
}
