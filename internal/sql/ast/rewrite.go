package ast

import (
	"reflect"
	"strings"
)

// Rewrite visits every name and expression below n, children before their parents. name may change a name in its place;
// expr gives what stands in the place of an expression. Both may be nil.
func Rewrite(n Node, name func(*Name) error, expr func(Expr) (Expr, error)) error {
	return (&rewriter{name, expr}).value(reflect.ValueOf(n))
}

type rewriter struct {
	name func(*Name) error
	expr func(Expr) (Expr, error)
}

var (
	exprType    = reflect.TypeFor[Expr]()
	nodeType    = reflect.TypeFor[Node]()
	nameType    = reflect.TypeFor[Name]()
	packagePath = nameType.PkgPath()
)

// value goes through a value that may hold nodes. Nodes are found by their types, so that a new kind of node needs no
// line here.
func (r *rewriter) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !strings.HasPrefix(v.Type().Elem().PkgPath(), packagePath) {
			return nil
		}
		return r.value(v.Elem())
	case reflect.Interface:
		if v.IsNil() || !v.Type().Implements(nodeType) {
			return nil
		}
		if err := r.value(v.Elem()); err != nil {
			return err
		}
		if v.Type() != exprType || r.expr == nil {
			return nil
		}
		e, err := r.expr(v.Interface().(Expr))
		if err == nil && e != nil {
			v.Set(reflect.ValueOf(e))
		}
		return err
	case reflect.Slice:
		for i := range v.Len() {
			if err := r.value(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if v.Type().PkgPath() != packagePath {
			return nil
		}
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := r.value(v.Field(i)); err != nil {
				return err
			}
		}
		if v.Type() == nameType && r.name != nil {
			return r.name(v.Addr().Interface().(*Name))
		}
	}
	return nil
}
