package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// columnRef finds what a name means: a column in sight, a function without parentheses, an alias of the same select
// list, a column of an enclosing query, or a session variable, in this order; the parameters of lambdas come before all.
func (b *binder) columnRef(ref *ast.ColumnRef, es *exprScope) (expr.Expr, error) {
	parts := partNames(ref.Parts)
	if v := b.lambdaVariable(es.lambda, parts[0]); v != nil {
		return b.variableRef(ref, v, parts[1:])
	}
	found, rest := b.find(es.scope, parts)
	if es.names != nil {
		if x, err := es.names(ref, found, es.inAggregate); x != nil || err != nil {
			return x, err
		}
	}
	if len(found) > 0 {
		return b.reference(ref, found, rest, false)
	}
	if len(parts) == 1 {
		if f, ok := bareFunctions[strings.ToLower(parts[0])]; ok {
			b.texts[ref] = f + "()"
			return b.resolve(f, nil)
		}
	}
	if es.lateral != nil {
		if x, err := es.lateral(ref, es.inAggregate); x != nil || err != nil {
			return x, err
		}
	}
	// A sub-query sees the query around it and no further; only the parameters of a SQL function are in sight at any depth.
	for s := es.scope.parent; s != nil; s = s.parent {
		if s != es.scope.parent && !s.parameters {
			continue
		}
		if found, rest := b.find(s, parts); len(found) > 0 {
			return b.reference(ref, found, rest, true)
		}
	}
	if len(parts) == 1 && es.grouping != nil && strings.EqualFold(parts[0], "grouping__id") {
		// The name that Hive gave grouping_id().
		return es.grouping(&ast.Call{At: ref.At, Name: ast.Name{At: ref.At, Parts: []ast.Ident{{At: ref.At, Name: "grouping_id"}}}})
	}
	if x, err := b.variable(ref, es.frame); x != nil || err != nil {
		return x, err
	}
	near := es.near
	if near == nil {
		near = es.scope.columns
	}
	return nil, sqlerr.UnresolvedColumn(ident.Name(parts).Quoted(), suggest(parts, near))
}

// bareFunctions are the functions that are called without parentheses, and the function each stands for.
var bareFunctions = map[string]string{
	"current_date": "current_date", "current_timestamp": "current_timestamp",
	"current_user": "current_user", "user": "user", "session_user": "current_user",
}

// reference is a use of a found column, or of a field inside it.
func (b *binder) reference(ref *ast.ColumnRef, found []column, rest []string, outer bool) (expr.Expr, error) {
	parts := partNames(ref.Parts)
	if len(found) > 1 {
		var list []string
		for i := range found {
			list = append(list, found[i].quoted())
		}
		return nil, sqlerr.AmbiguousReference(ident.Name(parts).Quoted(), list)
	}
	c := found[0]
	var x expr.Expr = &expr.Column{ID: c.ID, Name: c.Name, T: c.Type, Outer: outer}
	shown := parts[len(parts)-1-len(rest)]
	for _, name := range rest {
		var err error
		if x, err = b.field(x, name, shown); err != nil {
			return nil, err
		}
		shown = fieldText(shown, name, x)
	}
	b.texts[ref] = shown
	return x, nil
}

// fieldText shows the field that x is, or the value of a key.
func fieldText(of, name string, x expr.Expr) string {
	if c, ok := x.(*expr.Call); ok && c.Fn.Name == "getitem" {
		return of + "[" + name + "]"
	}
	return of + "." + name
}

func partNames(parts []ast.Ident) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.Name
	}
	return out
}

// field takes a field of a STRUCT or of every STRUCT of an ARRAY, or the value of a key of a MAP. text shows x in messages.
func (b *binder) field(x expr.Expr, name, shown string) (expr.Expr, error) {
	t := x.Type()
	switch {
	case t.Kind == types.Void:
		return &expr.Literal{T: t}, nil // a NULL without a type has every field, and each is NULL
	case t.Kind == types.Map:
		return b.resolve("getitem", []expr.Expr{x, text(name)})
	case t.Kind == types.Array && t.Elem != nil && t.Elem.Kind == types.Struct:
		at, err := b.fieldOf(*t.Elem, name)
		if err != nil {
			return nil, err
		}
		return expr.EachField(x, at, name, b.newID()), nil
	case t.Kind == types.Array:
		return b.resolve("getitem", []expr.Expr{x, text(name)})
	case t.Kind != types.Struct:
		return nil, sqlerr.InvalidExtractBase(shown, t.SQL())
	}
	at, err := b.fieldOf(t, name)
	if err != nil {
		return nil, err
	}
	return &expr.GetField{Arg: x, Ordinal: at, Name: name, T: t.Fields[at].Type}, nil
}

// fieldOf is the place of the field of a STRUCT type that a name means.
func (b *binder) fieldOf(t types.Type, name string) (int, error) {
	at, count := -1, 0
	var have []string
	for i, f := range t.Fields {
		have = append(have, ident.Quote(f.Name))
		if b.same(f.Name, name) {
			count++
			at = i
		}
	}
	switch count {
	case 1:
		return at, nil
	case 0:
		return -1, sqlerr.FieldNotFound(ident.Quote(name), have)
	}
	return -1, sqlerr.AmbiguousFields(ident.Quote(name), count)
}
