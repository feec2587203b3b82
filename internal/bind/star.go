package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
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
	var names []string
	s := &scope{columns: cols}
	for _, n := range star.Except {
		parts := n.Ident()
		names = append(names, parts.String())
		match := -1
		if len(cols) > 0 {
			found, rest := b.find(s, parts)
			if len(rest) > 0 {
				return nil, sqlerr.Unsupported("EXCEPT_NESTED", "a struct's field in * EXCEPT").At(star.Span())
			}
			if len(found) > 0 {
				for i := range cols {
					if cols[i].ID == found[0].ID {
						match = i
					}
				}
			}
		} else if len(parts) == 1 {
			for i := range out {
				if b.same(out[i].name, parts[0]) {
					match = i
				}
			}
		}
		if match < 0 {
			return nil, sqlerr.UnresolvedColumn(parts.Quoted(), suggest(parts, cols)).At(star.Span())
		}
		if drop[match] {
			for _, m := range star.Except[len(names):] {
				names = append(names, m.Ident().String())
			}
			return nil, sqlerr.ExceptOverlap(names).At(star.Span())
		}
		drop[match] = true
	}
	var kept []starItem
	for i := range out {
		if !drop[i] {
			kept = append(kept, out[i])
		}
	}
	return kept, nil
}
