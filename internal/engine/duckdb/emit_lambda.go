package duckdb

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// fresh is a name that nothing else in the statement has. Columns begin with c and h, bound arguments with r.
func (s *query) fresh() string {
	s.lambdas++
	return "v" + strconv.Itoa(s.lambdas)
}

// higherOrder emits a function that takes lambdas. Its arguments stand in the text by marks first: one that the text
// repeats is bound to a name, so that it is written, and evaluated, once.
func (s *query) higherOrder(c *expr.Call) (string, error) {
	h := c.Fn.HigherOrder
	text := &expr.HigherOrderText{Types: typesOf(c.Args), Result: c.T, Fresh: s.fresh}
	lambdas := make([]*expr.Lambda, len(h.Functions))
	isFunction := map[int]bool{}
	for i, place := range h.Functions {
		l, ok := c.Args[place].(*expr.Lambda)
		if !ok {
			return "", internal("the function %s has a %T for a lambda", c.Fn.Name, c.Args[place])
		}
		lambdas[i], isFunction[place] = l, true
		text.Params = append(text.Params, len(l.Params))
	}
	args := make([]string, len(c.Args))
	text.Args = make([]string, len(c.Args))
	for i, a := range c.Args {
		if isFunction[i] {
			continue
		}
		var err error
		if args[i], err = s.expr(a); err != nil {
			return "", err
		}
		text.Args[i] = "\x00" + s.fresh() + "\x00" // no constant of the statement is emitted with a NUL
	}
	carried, restore := s.carryOuter(c, lambdas)
	defer restore()
	var failed error
	within := make([]map[expr.ColumnID]string, len(lambdas))
	text.Apply = func(i int, values ...string) string {
		l := lambdas[i]
		for k, p := range l.Params {
			if k < len(values) {
				s.variables[p.ID] = values[k]
			}
		}
		defer s.say(within[i])()
		body, err := s.branch(l.Body, l.Body.Type())
		if err != nil && failed == nil {
			failed = err
		}
		return body
	}
	text.Carry = func(i int, row string) (values, nulls string) {
		inside := map[expr.ColumnID]string{}
		for _, f := range s.freeOf(lambdas[i]) {
			name := "k" + columnName(f.id)
			values += ", '" + name + "': " + f.text
			nulls += ", '" + name + "': " + castTo("NULL", f.t)
			inside[f.id] = "struct_extract(" + row + ", '" + name + "')"
		}
		within[i] = inside
		return values, nulls
	}
	text.Raises = func(i int) bool { return raises(lambdas[i].Body) }
	out := h.Duck(text)
	if failed != nil {
		return "", failed
	}
	fields := carried.fields
	for i, mark := range text.Args {
		if mark == "" {
			continue
		}
		value := args[i]
		if carried.all || len(value) > 24 && strings.Count(out, mark) > 1 {
			name := "a" + strconv.Itoa(i+1)
			fields = append(fields, "'"+name+"':"+value)
			value = "struct_extract(" + carried.row + ",'" + name + "')"
		}
		out = strings.ReplaceAll(out, mark, value)
	}
	if len(fields) > 0 {
		out = "list_transform([{" + strings.Join(fields, ",") + "}],lambda " + carried.row + ":" + out + ")[1]"
	}
	return shaped("("+out+")", c.T), nil
}

// freeName is a column or variable that a lambda uses and does not define.
type freeName struct {
	id   expr.ColumnID
	text string
	t    types.Type
}

func (s *query) freeOf(l *expr.Lambda) []freeName {
	known := map[expr.ColumnID]bool{}
	var out []freeName
	add := func(id expr.ColumnID, t types.Type) {
		if known[id] {
			return
		}
		known[id] = true
		text, ok := s.variables[id]
		if !ok {
			text = columnName(id)
		}
		out = append(out, freeName{id, text, t})
	}
	expr.Walk(l, func(x expr.Expr) bool {
		switch n := x.(type) {
		case *expr.Lambda:
			for _, p := range n.Params {
				known[p.ID] = true
			}
		case *expr.Column:
			add(n.ID, n.T)
		case *expr.Variable:
			add(n.ID, n.T)
		}
		return true
	})
	return out
}

// say makes names be said in another way until what it returns is called.
func (s *query) say(texts map[expr.ColumnID]string) func() {
	before := make(map[expr.ColumnID]string, len(texts))
	for id, text := range texts {
		if old, ok := s.variables[id]; ok {
			before[id] = old
		}
		s.variables[id] = text
	}
	return func() {
		for id := range texts {
			if old, ok := before[id]; ok {
				s.variables[id] = old
			} else {
				delete(s.variables, id)
			}
		}
	}
}

// carriedColumns are columns that a call uses, as fields of a row.
type carriedColumns struct {
	row    string
	all    bool // the call's arguments are to be fields too
	fields []string
}

// carryOuter makes the columns that the lambdas of a call use fields of a row outside of the lambdas, where the call
// refers to an enclosing query: in DuckDB a lambda sees either the columns of its own query or those of one around it.
// restore ends that.
func (s *query) carryOuter(c *expr.Call, lambdas []*expr.Lambda) (carried carriedColumns, restore func()) {
	carried.row = s.fresh()
	if s.variables == nil {
		s.variables = map[expr.ColumnID]string{}
	}
	if !s.usesOuter(c) {
		return carried, func() {}
	}
	carried.all = true
	texts := map[expr.ColumnID]string{}
	for _, l := range lambdas {
		for _, f := range s.freeOf(l) {
			if _, ok := texts[f.id]; !ok {
				name := "k" + columnName(f.id)
				carried.fields = append(carried.fields, "'"+name+"':"+f.text)
				texts[f.id] = "struct_extract(" + carried.row + ",'" + name + "')"
			}
		}
	}
	return carried, s.say(texts)
}

// usesOuter reports whether an expression refers to a column of an enclosing query, by that column itself.
func (s *query) usesOuter(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok && c.Outer {
			_, carried := s.variables[c.ID]
			found = found || !carried
		}
		return !found
	})
	return found
}
