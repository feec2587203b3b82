package delta

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TypeChange is one entry of a field's delta.typeChanges.
type TypeChange struct {
	From, To Type
	Path     string // of the part that changed, such as element or value.key; "" for the field itself
}

// TypeChanges are the changes that the field's metadata record, oldest first. The error is
// DELTA_PARSING_UNSUPPORTED_DATA_TYPE.
func (f Field) TypeChanges() ([]TypeChange, error) {
	raw, ok := f.Metadata.Get(KeyTypeChanges)
	if !ok {
		return nil, nil
	}
	var out []TypeChange
	p := &schemaParser{r: &jsonReader{text: raw}}
	p.r.array(func() {
		var c TypeChange
		p.r.object(func(key string) {
			switch key {
			case "fromType":
				c.From = p.dataType()
			case "toType":
				c.To = p.dataType()
			case "fieldPath":
				c.Path = p.r.strOr()
			default:
				p.r.skip()
			}
		})
		out = append(out, c)
	})
	if p.err != nil {
		return nil, p.err
	}
	if !p.r.ok() {
		return nil, sqlerr.DeltaUnsupportedType(raw)
	}
	return out, nil
}

// CanWiden reports whether old files with the one type can be read as the other: the changes that the protocol has.
func CanWiden(from, to Type) bool {
	whole := func(k types.Kind) bool { return k.IsIntegral() }
	switch {
	case from.Kind == to.Kind && from.Kind != types.Decimal:
		return true
	case from.Kind == types.Void:
		return true
	case whole(from.Kind) && whole(to.Kind):
		return from.Kind < to.Kind
	case from.Kind == types.Float && to.Kind == types.Double:
		return true
	case whole(from.Kind) && from.Kind != types.BigInt && to.Kind == types.Double:
		return true
	case from.Kind == types.Date && to.Kind == types.TimestampNTZ:
		return true
	case from.Kind == types.Decimal && to.Kind == types.Decimal:
		scale := to.Scale - from.Scale
		return scale >= 0 && to.Precision-from.Precision >= scale
	case whole(from.Kind) && to.Kind == types.Decimal:
		digits := 10
		if from.Kind == types.BigInt {
			digits = 20
		}
		return to.Precision-digits >= to.Scale
	}
	return false
}

// CheckTypeChanges refuses a table one of whose columns changed its type in a way that Tarn cannot read old files after.
// The error is DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA.
func CheckTypeChanges(s Schema) error {
	var err error
	var walk func(fields []Field, path string)
	var inside func(t *Type, path string)
	inside = func(t *Type, path string) {
		if t == nil {
			return
		}
		walk(t.Fields, path)
		inside(t.Key, path+".key")
		inside(t.Elem, path+".element")
	}
	walk = func(fields []Field, path string) {
		for i := range fields {
			f := &fields[i]
			name := strings.TrimPrefix(path+"."+f.Name, ".")
			changes, fault := f.TypeChanges()
			if err == nil {
				err = fault
			}
			for _, c := range changes {
				if err == nil && (c.From.Kind.IsNested() || c.To.Kind.IsNested() || !CanWiden(c.From, c.To)) {
					err = sqlerr.DeltaTypeChange(strings.TrimSuffix(name+"."+c.Path, "."), c.From.Name(), c.To.Name())
				}
			}
			inside(&f.Type, name)
		}
	}
	walk(s.Fields, "")
	return err
}
