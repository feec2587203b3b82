package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

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

// soughtElement is an array and what is looked for in it, cast to a common type. An array, and for array_contains an
// element, that is a NULL without a type is refused.
func soughtElement(call *callSite) ([]Expr, error) {
	if call.args[0].Type().Kind == types.Void || call.args[1].Type().Kind == types.Void && call.name == "array_contains" {
		return nil, sqlerr.NullType(call.sql(), call.name)
	}
	return removedElement(call)
}

// removedElement is the same with a NULL allowed for the element. Only array_contains takes any common type of numbers;
// for the others one of the two types must hold the values of the other. Text and numbers never mix.
func removedElement(call *callSite) ([]Expr, error) {
	a, e := call.args[0], call.args[1]
	if a.Type().Kind != types.Array {
		return nil, sqlerr.CollectionDiffTypes("ARRAY", call.sql(), call.name, a.Type().SQL(), e.Type().SQL())
	}
	common := tightestOf
	if call.name == "array_contains" {
		common = elementType
	}
	t, ok := common(*a.Type().Elem, e.Type())
	if !ok {
		return nil, sqlerr.CollectionDiffTypes("ARRAY", call.sql(), call.name, a.Type().SQL(), e.Type().SQL())
	}
	if !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	return []Expr{implicit(a, types.ArrayOf(t)), implicit(e, t)}, nil
}

// elementType is the common type without letting text become something else.
func elementType(a, b types.Type) (types.Type, bool) {
	if a.Kind.IsText() != b.Kind.IsText() && a.Kind != types.Void && b.Kind != types.Void {
		return types.Type{}, false
	}
	return commonOf(a, b)
}

// addedElement is an array and an element for it: one of the two types must hold the values of the other.
func addedElement(call *callSite) ([]Expr, error) {
	a, e := call.args[0], call.args[1]
	if a.Type().Kind != types.Array {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, AnyArray.String(), Print(a), a.Type().SQL())
	}
	t, ok := tightestOf(*a.Type().Elem, e.Type())
	if !ok {
		return nil, sqlerr.CollectionDiffTypes("ARRAY", call.sql(), call.name, a.Type().SQL(), e.Type().SQL())
	}
	return []Expr{implicit(a, types.ArrayOf(t)), implicit(e, t)}, nil
}
