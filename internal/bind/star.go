package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// expandStar lists what *, t.* or s.* (the fields of a struct) stands for, without what EXCEPT takes out.
func (b *binder) expandStar(star *ast.Star, s *scope) ([]starItem, error) {
	if q := partNames(star.Qualifier); len(q) > 0 && !b.starIn(s, q) {
		// The relation may be one of the query around, as in LATERAL (SELECT t.*).
		if s.parent != nil && b.starIn(s.parent, q) {
			items, err := b.expandStar(star, s.parent)
			for i := range items {
				items[i].expr = outerColumns(items[i].expr)
			}
			return items, err
		}
	}
	var cols []column
	var out []starItem
	qualifier := partNames(star.Qualifier)
	if len(qualifier) == 0 {
		cols = s.visible()
	} else {
		// The hidden side of a USING column belongs to its relation, and comes first.
		for _, hidden := range []bool{true, false} {
			for i := range s.columns {
				if c := s.columns[i]; c.hidden == hidden && b.qualifies(&c, qualifier) {
					cols = append(cols, c)
				}
			}
		}
	}
	if len(cols) == 0 && len(qualifier) > 0 {
		found, rest := b.find(s, qualifier)
		if len(found) == 0 {
			return nil, sqlerr.CannotResolveStar(ident.Name(qualifier).Quoted(), quotedNames(s.columns)).At(star.Span())
		}
		x, err := b.reference(&ast.ColumnRef{At: star.At, Parts: star.Qualifier}, found, rest, false)
		if err != nil {
			return nil, at(err, star.Span())
		}
		fields := x.Type().Fields
		if len(fields) == 0 {
			return nil, sqlerr.CannotResolveStar(ident.Name(qualifier).Quoted(), quotedNames(s.columns)).At(star.Span())
		}
		for i, f := range fields {
			out = append(out, starItem{name: f.Name, expr: &expr.GetField{Arg: x, Ordinal: i, Name: f.Name, T: f.Type}})
		}
	}
	for _, c := range cols {
		out = append(out, starItem{name: c.Name, expr: columnRef(c.Column)})
	}
	if len(star.Except) == 0 {
		return out, nil
	}
	return b.starExcept(star, out, cols)
}

// starIn reports whether a qualifier of * names a relation of the scope, or a column with fields.
func (b *binder) starIn(s *scope, qualifier []string) bool {
	for i := range s.columns {
		if b.qualifies(&s.columns[i], qualifier) {
			return true
		}
	}
	found, _ := b.find(s, qualifier)
	return len(found) > 0
}

// outerColumns is an expression over an enclosing query's columns as its sub-query sees it.
func outerColumns(e expr.Expr) expr.Expr {
	return expr.Transform(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok && !c.Outer {
			outer := *c
			outer.Outer = true
			return &outer
		}
		return x
	})
}

func (b *binder) starExcept(star *ast.Star, out []starItem, cols []column) ([]starItem, error) {
	drop := map[int]bool{}
	fields := map[int][][]string{}
	var names []string
	s := &scope{columns: cols}
	for _, n := range star.Except {
		parts := n.Ident()
		names = append(names, parts.String())
		match, path := -1, []string(nil)
		if len(cols) > 0 {
			found, rest := b.find(s, parts)
			if len(found) > 0 {
				for i := range cols {
					if cols[i].ID == found[0].ID {
						match, path = i, rest
					}
				}
			}
		} else {
			for i := range out {
				if b.same(out[i].name, parts[0]) {
					match, path = i, parts[1:]
				}
			}
		}
		if match < 0 {
			return nil, sqlerr.UnresolvedColumn(parts.Quoted(), suggest(parts, cols)).At(star.Span())
		}
		if drop[match] || len(fields[match]) > 0 && len(path) == 0 || b.covers(fields[match], path) {
			for _, m := range star.Except[len(names):] {
				names = append(names, m.Ident().String())
			}
			return nil, sqlerr.ExceptOverlap(names).At(star.Span())
		}
		if len(path) > 0 {
			fields[match] = append(fields[match], path)
			continue
		}
		drop[match] = true
	}
	var kept []starItem
	for i := range out {
		if drop[i] {
			continue
		}
		if paths := fields[i]; len(paths) > 0 {
			x, err := b.withoutFields(out[i].expr, paths)
			if err != nil {
				return nil, at(err, star.Span())
			}
			out[i].expr = x
		}
		kept = append(kept, out[i])
	}
	return kept, nil
}

// covers reports a path of fields that is, begins, or goes on one of those given.
func (b *binder) covers(paths [][]string, path []string) bool {
	for _, p := range paths {
		same := true
		for i := range min(len(p), len(path)) {
			same = same && b.same(p[i], path[i])
		}
		if same {
			return true
		}
	}
	return false
}

// withoutFields is a STRUCT without some of its fields, each given by its path. NULL stays NULL.
func (b *binder) withoutFields(x expr.Expr, paths [][]string) (expr.Expr, error) {
	t := x.Type()
	if t.Kind != types.Struct {
		return nil, sqlerr.UnresolvedColumn(ident.Name(paths[0]).Quoted(), nil)
	}
	used := 0
	var args []expr.Expr
	for i, f := range t.Fields {
		var below [][]string
		gone := false
		for _, p := range paths {
			if !b.same(p[0], f.Name) {
				continue
			}
			used++
			if gone = len(p) == 1; !gone {
				below = append(below, p[1:])
			}
		}
		if gone {
			continue
		}
		var value expr.Expr = &expr.GetField{Arg: x, Ordinal: i, Name: f.Name, T: f.Type}
		if len(below) > 0 {
			var err error
			if value, err = b.withoutFields(value, below); err != nil {
				return nil, err
			}
		}
		args = append(args, text(f.Name), value)
	}
	switch {
	case used < len(paths):
		var have []string
		for _, f := range t.Fields {
			have = append(have, ident.Quote(f.Name))
		}
		return nil, sqlerr.FieldNotFound(ident.Quote(b.missingField(t, paths)), have)
	case len(args) == 0:
		return nil, sqlerr.Unsupported("EXCEPT_ALL_FIELDS", "* EXCEPT of every field of a struct")
	}
	out, err := b.resolve("named_struct", args)
	if err != nil {
		return nil, err
	}
	null, err := b.resolve("isnull", []expr.Expr{x})
	if err != nil {
		return nil, err
	}
	return expr.NewCase(nil, []expr.Expr{null}, []expr.Expr{&expr.Literal{T: types.Of(types.Void)}}, out)
}

// missingField is the first name of the paths that is no field of a STRUCT.
func (b *binder) missingField(t types.Type, paths [][]string) string {
	for _, p := range paths {
		found := false
		for _, f := range t.Fields {
			found = found || b.same(f.Name, p[0])
		}
		if !found {
			return p[0]
		}
	}
	return paths[0][0]
}
