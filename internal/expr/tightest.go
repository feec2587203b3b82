package expr

import "github.com/tarnlake/tarn/internal/types"

// tightestOf is the type of two that holds the values of both, where the elements of collections and the sides of a
// comparison of collections must have one: unlike the common type it lets no text become something else, makes no DECIMAL
// wider than both are, and has FLOAT for an integer beside a FLOAT.
func tightestOf(a, b types.Type) (types.Type, bool) {
	ka, kb := a.Kind, b.Kind
	switch {
	case ka == types.Void:
		return plain(b), true
	case kb == types.Void:
		return plain(a), true
	case ka.IsText() && kb.IsText():
		return types.Of(types.String), true
	case ka.IsText() || kb.IsText():
		return types.Type{}, false
	case types.Equal(a, b):
		return a, true
	case ka == types.Decimal && kb.IsIntegral():
		return a, widerThan(a, b)
	case kb == types.Decimal && ka.IsIntegral():
		return b, widerThan(b, a)
	case ka == types.Decimal || kb == types.Decimal:
		return types.Type{}, false
	case ka.IsNested() || kb.IsNested():
		return nestedOf(a, b, tightestOf)
	case ka == types.Float && kb.IsIntegral() || kb == types.Float && ka.IsIntegral():
		return types.Of(types.Float), true
	}
	return commonOf(a, b)
}

// widerThan reports whether a DECIMAL holds every value of an integer type.
func widerThan(d, integer types.Type) bool {
	return d.Precision-d.Scale >= asDecimalType(integer).Precision
}
