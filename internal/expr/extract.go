package expr

import "github.com/tarnlake/tarn/internal/types"

// foldExtract takes a field, an element or the value of a key straight from the STRUCT, ARRAY or MAP that is made for nothing
// else. What is not taken is not evaluated, so that it does not fail, as in Spark (its SimplifyExtractValueOps); what consists of
// constants alone is made all the same. It returns x when there is nothing to take.
func foldExtract(x Expr) Expr {
	switch n := x.(type) {
	case *GetField:
		if made := madeBy(n.Arg, "struct"); made != nil && n.Ordinal < len(made.Args) {
			return sameType(made.Args[n.Ordinal], x)
		}
	case *Call:
		if n.Fn.Name != "getitem" && n.Fn.Name != "get" {
			return x
		}
		if made := madeBy(n.Args[0], "array"); made != nil {
			if l, ok := n.Args[1].(*Literal); ok && l.Value != nil && intOf(l.Value) >= 0 && intOf(l.Value) < int64(len(made.Args)) {
				return sameType(made.Args[intOf(l.Value)], x)
			}
		}
		if made := madeBy(n.Args[0], "map"); made != nil {
			return foldLookup(made, n.Args[1], x)
		}
	}
	return x
}

// madeBy is the call of a constructor with columns in it.
func madeBy(e Expr, constructor string) *Call {
	c, ok := e.(*Call)
	if !ok || c.Fn.Name != constructor {
		return nil
	}
	varies := false
	Walk(c, func(e Expr) bool {
		switch e.(type) {
		case *Column, *Subquery, *Variable:
			varies = true
		}
		return !varies
	})
	if !varies {
		return nil
	}
	return c
}

// foldLookup finds a key among those that a map would be made of: the first one that equals it.
func foldLookup(made *Call, key, x Expr) Expr {
	switch key.(type) {
	case *Literal, *Column:
	default:
		if len(made.Args) > 2 {
			return x // it would be evaluated for each of them
		}
	}
	c := &Case{T: x.Type()}
	for i := 0; i+1 < len(made.Args); i += 2 {
		equal, err := Resolve("=", []Expr{made.Args[i], key}, ResolveOptions{})
		if err != nil || sameType(made.Args[i+1], x) == x {
			return x
		}
		c.Whens, c.Thens = append(c.Whens, equal), append(c.Thens, made.Args[i+1])
	}
	return c
}

// sameType is part, if it has the type of the whole expression x that it stands for, else x.
func sameType(part, x Expr) Expr {
	if !types.Equal(part.Type(), x.Type()) {
		return x
	}
	return part
}
