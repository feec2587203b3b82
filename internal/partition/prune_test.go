package partition_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// ids maps partition columns to column ids that do not equal their positions.
func ids(cols []partition.Column) []expr.ColumnID {
	out := make([]expr.ColumnID, len(cols))
	for i := range out {
		out[i] = expr.ColumnID(40 - i)
	}
	return out
}

func ref(cols []partition.Column, i int) expr.Expr {
	return &expr.Column{ID: ids(cols)[i], Name: cols[i].Name, T: cols[i].Type}
}

func lit(t types.Type, v types.Value) expr.Expr { return &expr.Literal{Value: v, T: t} }

func call(t interface{ Fatalf(string, ...any) }, name string, args ...expr.Expr) expr.Expr {
	e, err := expr.Resolve(name, args, expr.ResolveOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

func newYork(t interface{ Fatalf(string, ...any) }) *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return zone
}

// predicate draws a condition over partition columns.
func predicate(r *rapid.T, cols []partition.Column, depth int) expr.Expr {
	if depth > 0 {
		switch rapid.IntRange(0, 4).Draw(r, "node") {
		case 0:
			return call(r, "and", predicate(r, cols, depth-1), predicate(r, cols, depth-1))
		case 1:
			return call(r, "or", predicate(r, cols, depth-1), predicate(r, cols, depth-1))
		case 2:
			return call(r, "not", predicate(r, cols, depth-1))
		}
	}
	if len(cols) == 0 {
		return lit(of(types.Boolean), rapid.SampledFrom([]types.Value{true, false, nil}).Draw(r, "constant"))
	}
	c := rapid.IntRange(0, len(cols)-1).Draw(r, "column")
	t := cols[c].Type
	v := value(t).Draw(r, "constant")
	if t.Kind == types.Timestamp && v != nil {
		v = types.FromLocal(v.(int64), newYork(r))
	}
	op := rapid.SampledFrom([]string{"=", "!=", "<", "<=", ">", ">=", "<=>"}).Draw(r, "op")
	switch rapid.IntRange(0, 5).Draw(r, "leaf") {
	case 0:
		return call(r, rapid.SampledFrom([]string{"isnull", "isnotnull"}).Draw(r, "test"), ref(cols, c))
	case 1:
		return &expr.In{Arg: ref(cols, c), List: []expr.Expr{lit(t, v), lit(t, value(t).Draw(r, "constant2"))}}
	case 2: // another column of the same type
		other := slices.IndexFunc(cols[c+1:], func(o partition.Column) bool { return types.Equal(o.Type, t) })
		if other >= 0 {
			return call(r, op, ref(cols, c), ref(cols, c+1+other))
		}
	case 3:
		return call(r, op, lit(t, v), ref(cols, c))
	case 4: // 10 / n fails for n = 0
		if t.Kind == types.Int {
			return call(r, ">", call(r, "div", lit(of(types.Int), int64(10)), ref(cols, c)), lit(of(types.Int), int64(2)))
		}
	}
	return call(r, op, ref(cols, c), lit(t, v))
}

// Prune keeps exactly the rows for which a scan would find every conjunct true, and those at which evaluation may fail.
func TestPruneIsAFilter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cols := table().Draw(r, "table")
		if rapid.Bool().Draw(r, "ints") {
			for i := range cols {
				cols[i].Type = of(types.Int)
			}
		}
		s := partition.NewSet(cols)
		ch := &partition.Changes{}
		seen := map[string]bool{}
		for range rapid.IntRange(0, 90).Draw(r, "rows") {
			v := row(r, cols)
			if spec := partition.SpecText(cols, v); !seen[spec] {
				seen[spec] = true
				ch.Add(partition.AddEntry{Values: v})
			}
		}
		s, err := s.Apply(ch, 1)
		if err != nil {
			r.Fatal(err)
		}
		ctx := &expr.Context{Zone: newYork(r), ANSI: true}
		var conjuncts []expr.Expr
		for range rapid.IntRange(0, 2).Draw(r, "conjuncts") {
			conjuncts = append(conjuncts, predicate(r, cols, 3))
		}
		got, err := s.Prune(conjuncts, ids(cols), ctx)
		if err != nil {
			r.Fatal(err)
		}
		fails := false
		for i := range s.Len() {
			keep, failed := true, false
			for _, e := range conjuncts {
				v, err := expr.Eval(e, ctx, func(id expr.ColumnID) types.Value {
					c := slices.Index(ids(cols), id)
					v := s.Value(i, c)
					if cols[c].Type.Kind == types.Timestamp && v != nil {
						v = types.FromLocal(v.(int64), ctx.Zone)
					}
					return v
				})
				failed = failed || err != nil
				keep = keep && v == true
			}
			fails = fails || failed
			// A row at which something fails may go when something else excludes it, and may stay.
			if !failed && got.Contains(i) != keep || failed && keep && !got.Contains(i) {
				r.Fatalf("row %s: kept %v, want %v (%s)", s.Spec(i), got.Contains(i), keep, expr.Print(expr.And(conjuncts...)))
			}
		}
		where, err := s.Where(conjuncts, ids(cols), ctx)
		if err == nil && !fails {
			if diff := cmp.Diff(slices.Collect(got.Rows()), slices.Collect(where.Rows())); diff != "" {
				r.Fatalf("Where differs from Prune: %s", diff)
			}
		}
		if err != nil && !fails {
			r.Fatalf("Where: %v", err)
		}
	})
}

func TestPruneFailures(t *testing.T) {
	cols := []partition.Column{col("n", of(types.Int)), col("s", of(types.String))}
	s := build(t, cols, []string{"0", "a"}, []string{"1", "b"}, []string{"9", "c"})
	ctx := &expr.Context{Zone: time.UTC, ANSI: true}
	fails := call(t, ">", call(t, "div", lit(of(types.Int), int64(10)), ref(cols, 0)), lit(of(types.Int), int64(5)))
	sel, err := s.Prune([]expr.Expr{fails}, ids(cols), ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1}, slices.Collect(sel.Rows())); diff != "" {
		t.Errorf("a failing row must stay: %s", diff)
	}
	if _, err := s.Where([]expr.Expr{fails}, ids(cols), ctx); !errors.Is(err, sqlerr.Condition("DIVIDE_BY_ZERO")) {
		t.Errorf("Where: %v", err)
	}
	// Another conjunct excludes the row at which it fails.
	notZero := call(t, "!=", ref(cols, 0), lit(of(types.Int), int64(0)))
	sel, err = s.Where([]expr.Expr{notZero, fails}, ids(cols), ctx)
	if err != nil || sel.Len() != 1 || !sel.Contains(1) {
		t.Errorf("Where: %v, %v", sel, err)
	}
	foreign := &expr.Column{ID: 99, T: of(types.Boolean)}
	if _, err := s.Prune([]expr.Expr{foreign}, ids(cols), ctx); err == nil {
		t.Error("a column of data was accepted")
	}
}

func TestMatch(t *testing.T) {
	cols := []partition.Column{col("n", of(types.Int)), col("s", of(types.String))}
	null := partition.DefaultPartition
	s := build(t, cols, []string{"1", "a"}, []string{"2", "a"}, []string{"10", "b"}, []string{null, "b"}, []string{"3", null})
	found := discover(t, cols, "n=01/s=a", "n=2/s=a", "n=10/s=b", "n="+null+"/s=b", "n=3/s="+null)
	for _, c := range []struct {
		ms   []partition.Matcher
		want []string
	}{
		{nil, []string{"n=1/s=a", "n=10/s=b", "n=2/s=a", "n=3/s=" + null, "n=" + null + "/s=b"}},
		{[]partition.Matcher{{Col: 1, Op: partition.Eq, Value: "a"}}, []string{"n=1/s=a", "n=2/s=a"}},
		{[]partition.Matcher{{Col: 0, Op: partition.Eq}}, []string{"n=" + null + "/s=b"}},
		{[]partition.Matcher{{Col: 0, Op: partition.Ne, Value: int64(2)}}, []string{"n=1/s=a", "n=10/s=b", "n=3/s=" + null}},
		{[]partition.Matcher{{Col: 0, Op: partition.Lt, Value: int64(3)}}, []string{"n=1/s=a", "n=2/s=a"}},
		{[]partition.Matcher{{Col: 0, Op: partition.Le, Value: int64(2)}}, []string{"n=1/s=a", "n=2/s=a"}},
		{[]partition.Matcher{{Col: 0, Op: partition.Gt, Value: int64(2)}, {Col: 1, Op: partition.Ge, Value: "b"}}, []string{"n=10/s=b"}},
		{[]partition.Matcher{{Col: 0, Op: partition.Ge, Value: int64(4)}, {Col: 0, Op: partition.Lt, Value: int64(10)}}, nil},
		{[]partition.Matcher{{Col: 0, Op: partition.Gt}}, nil},
		{[]partition.Matcher{{Col: 0, Op: partition.Eq, Value: int64(7)}}, nil},
	} {
		var got, leaves []string
		for i := range s.BySpec(s.Match(c.ms)) {
			got = append(got, s.Spec(i))
		}
		for i := range found.Match(c.ms).Rows() {
			leaves = append(leaves, found.Spec(i))
		}
		slices.Sort(leaves)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.ms, diff)
		}
		if diff := cmp.Diff(c.want, leaves); diff != "" {
			t.Errorf("leaves %v: %s", c.ms, diff)
		}
	}
}
