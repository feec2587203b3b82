package parser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/types"
)

// gen draws trees that the parser can give.
type gen struct{ t *rapid.T }

func (g gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g gen) coin() bool { return g.pick(2) == 0 }

func (g gen) ident() ast.Ident {
	if g.pick(4) == 0 {
		return ast.Ident{Name: rapid.SampledFrom([]string{"a b", "x`y", "select", "1", "", "größe", "a.b"}).Draw(g.t, "quoted"), Quoted: true}
	}
	return ast.Ident{Name: rapid.SampledFrom([]string{"a", "b", "col_1", "order", "1x", "Left", "values"}).Draw(g.t, "name")}
}

func (g gen) text() string {
	return rapid.StringOf(rapid.SampledFrom([]rune("a'\\\"`%_\n\té;-"))).Draw(g.t, "text")
}

func list[T any](g gen, least, most int, one func() T) []T {
	var out []T
	for range least + g.pick(most-least+1) {
		out = append(out, one())
	}
	return out
}

func (g gen) leaf() ast.Expr {
	switch g.pick(9) {
	case 0:
		return &ast.NullLit{}
	case 1:
		return &ast.BoolLit{Value: g.coin()}
	case 2:
		return &ast.StringLit{Value: g.text()}
	case 3:
		v := int64(g.pick(2000) - 1000)
		return &ast.NumberLit{Text: fmt.Sprint(v), Type: types.Of(types.Int), Value: v}
	case 4:
		return &ast.Param{Name: "p"}
	case 5:
		return &ast.TypedLit{Kind: "DATE", Text: g.text()}
	case 6:
		return &ast.BinaryLit{Value: types.Bytes(g.text())}
	case 7:
		return &ast.IntervalLit{Parts: []ast.IntervalPart{{Value: "1", Unit: "DAY"}, {Value: "-2", Unit: "HOUR"}}}
	}
	return &ast.ColumnRef{Parts: list(g, 1, 3, g.ident)}
}

func (g gen) expr(depth int) ast.Expr {
	if depth == 0 {
		return g.leaf()
	}
	sub := func() ast.Expr { return g.expr(depth - 1 - g.pick(depth)) }
	switch g.pick(22) {
	case 0:
		return &ast.Logical{Or: g.coin(), Args: list(g, 2, 4, sub)}
	case 1:
		return &ast.Not{X: sub()}
	case 2, 3, 4:
		op := rapid.SampledFrom(strings.Fields("= <=> <> < <= > >= + - * / % DIV || & | ^ << >> >>>")).Draw(g.t, "op")
		return &ast.Binary{Op: op, L: sub(), R: sub()}
	case 5:
		return g.unary(sub())
	case 6:
		return &ast.IsNull{X: sub(), Not: g.coin()}
	case 7:
		return &ast.IsBool{X: sub(), Truth: rapid.SampledFrom([]string{"TRUE", "FALSE", "UNKNOWN"}).Draw(g.t, "truth"), Not: g.coin()}
	case 8:
		return &ast.IsDistinct{L: sub(), R: sub(), Not: g.coin()}
	case 9:
		return &ast.Between{X: sub(), Lo: sub(), Hi: sub(), Not: g.coin()}
	case 10:
		return &ast.In{X: sub(), List: list(g, 1, 3, sub), Not: g.coin()}
	case 11:
		return &ast.InQuery{X: sub(), Query: g.query(depth - 1), Not: g.coin()}
	case 12:
		return &ast.Like{Op: rapid.SampledFrom([]string{"LIKE", "ILIKE", "RLIKE"}).Draw(g.t, "like"), X: sub(), Pattern: sub(), Not: g.coin()}
	case 13:
		return &ast.LikeQuantified{Op: "LIKE", All: g.coin(), X: sub(), Patterns: list(g, 1, 2, sub), Not: g.coin()}
	case 14:
		return &ast.Subquery{Query: g.query(depth - 1)}
	case 15:
		return &ast.Exists{Query: g.query(depth - 1)}
	case 16:
		return &ast.Row{Elems: list(g, 2, 3, func() ast.Arg { return ast.Arg{Expr: sub()} })}
	case 17:
		return g.call(sub)
	case 18:
		c := &ast.Case{Whens: list(g, 1, 2, func() ast.When { return ast.When{Cond: sub(), Result: sub()} })}
		if g.coin() {
			c.Operand = sub()
		}
		if g.coin() {
			c.Else = sub()
		}
		return c
	case 19:
		return &ast.Cast{X: sub(), Try: g.coin(), Type: ast.TypeName{T: g.dataType(2)}}
	case 20:
		return &ast.Subscript{X: sub(), Index: sub()}
	}
	return &ast.Field{X: sub(), Name: g.ident()}
}

func (g gen) unary(x ast.Expr) ast.Expr {
	op := rapid.SampledFrom([]string{"-", "+", "~"}).Draw(g.t, "sign")
	return &ast.Unary{Op: op, X: x}
}

func (g gen) call(sub func() ast.Expr) ast.Expr {
	c := &ast.Call{Name: ast.Name{Parts: []ast.Ident{{Name: rapid.SampledFrom([]string{"f", "count", "substring", "trim", "if"}).Draw(g.t, "function")}}}}
	c.Args = list(g, 0, 3, func() ast.Arg { return ast.Arg{Expr: sub()} })
	if len(c.Args) > 0 {
		c.Distinct = g.coin()
	}
	switch g.pick(4) {
	case 0:
		c.Filter = sub()
	case 1:
		c.Over = &ast.WindowSpec{PartitionBy: list(g, 0, 2, sub), OrderBy: list(g, 0, 2, g.sort(sub))}
	case 2:
		c.Args = append(c.Args, ast.Arg{Expr: &ast.Lambda{Params: []ast.Ident{{Name: "x"}, {Name: "y"}}, Body: sub()}})
	}
	return c
}

func (g gen) sort(sub func() ast.Expr) func() *ast.SortItem {
	return func() *ast.SortItem {
		s := &ast.SortItem{Expr: sub(), Desc: g.coin()}
		if g.coin() {
			first := g.coin()
			s.NullsFirst = &first
		}
		return s
	}
}

func (g gen) dataType(depth int) types.Type {
	if depth == 0 || g.coin() {
		return rapid.SampledFrom([]types.Type{
			types.Of(types.Int), types.Of(types.String), types.DecimalOf(10, 2), types.Of(types.Void),
			{Kind: types.Varchar, Precision: 5},
			{Kind: types.DayTimeInterval, Precision: types.FieldDay, Scale: types.FieldSecond},
			{Kind: types.YearMonthInterval, Precision: types.FieldYear, Scale: types.FieldYear},
			types.Of(types.TimestampNTZ),
		}).Draw(g.t, "type")
	}
	switch g.pick(3) {
	case 0:
		return types.ArrayOf(g.dataType(depth - 1))
	case 1:
		return types.MapOf(g.dataType(depth-1), g.dataType(depth-1))
	}
	return types.StructOf(list(g, 1, 2, func() types.Field {
		f := types.Field{Name: g.ident().Name, Type: g.dataType(depth - 1), NotNull: g.coin()}
		if f.Name == "" {
			f.Name = "z"
		}
		if g.coin() {
			f.Comment, f.HasComment = g.text(), true
		}
		return f
	})...)
}

func (g gen) query(depth int) *ast.Query {
	if depth < 0 {
		depth = 0
	}
	sub := func() ast.Expr { return g.expr(depth) }
	q := &ast.Query{Body: g.body(depth)}
	if g.coin() {
		q.OrderBy = list(g, 1, 2, g.sort(sub))
	}
	if g.coin() {
		q.Limit = sub()
	}
	return q
}

func (g gen) body(depth int) ast.QueryBody {
	if depth > 0 && g.coin() {
		op := &ast.SetOp{Kind: ast.SetKind(g.pick(3)), All: g.coin(), L: g.body(depth - 1), R: g.body(depth - 1)}
		if r, ok := op.R.(*ast.SetOp); ok && !(op.Kind != ast.Intersect && r.Kind == ast.Intersect) {
			op.R = &ast.Query{Body: r} // only parentheses make a chain lean to the right
		}
		if l, ok := op.L.(*ast.SetOp); ok && op.Kind == ast.Intersect && l.Kind != ast.Intersect {
			op.L = &ast.Query{Body: l}
		}
		return op
	}
	sub := func() ast.Expr { return g.expr(depth) }
	s := &ast.Select{Distinct: g.coin()}
	s.Items = list(g, 1, 2, func() *ast.SelectItem { return &ast.SelectItem{Expr: sub(), Aliases: []ast.Ident{g.ident()}} })
	if g.coin() {
		s.From = list(g, 1, 2, func() ast.Relation { return g.relation(depth) })
		s.Where = sub()
	}
	return s
}

func (g gen) alias() *ast.TableAlias { return &ast.TableAlias{Name: ast.Ident{Name: "t"}} }

func (g gen) relation(depth int) ast.Relation {
	if depth == 0 {
		return &ast.TableRef{Name: ast.Name{Parts: []ast.Ident{{Name: "c"}, g.ident()}}, Alias: g.alias()}
	}
	switch g.pick(3) {
	case 0:
		return &ast.SubqueryRef{Query: g.query(depth - 1), Alias: g.alias()}
	case 1:
		return &ast.FunctionRef{Call: &ast.Call{Name: ast.Name{Parts: []ast.Ident{{Name: "range"}}}, Args: []ast.Arg{{Expr: g.expr(depth - 1)}}}, Alias: g.alias()}
	}
	j := &ast.Join{Kind: ast.JoinKind(g.pick(7)), L: g.relation(depth - 1), R: g.relation(depth - 1)}
	if r, ok := j.R.(*ast.Join); ok {
		j.R = &ast.ParenRef{Input: r}
	}
	if j.Kind != ast.CrossJoin {
		j.On = g.expr(depth - 1)
	}
	return j
}

// TestPrintedTreesParse: any tree prints as SQL that parses to that tree.
func TestPrintedTreesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := gen{t}
		var want ast.Expr
		if g.coin() {
			want = g.expr(3)
		} else {
			want = &ast.Subquery{Query: g.query(2)}
		}
		text := want.String()
		got, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := cmp.Diff(want, got, sameTree); d != "" {
			t.Fatalf("%s (-want +got):\n%s", text, d)
		}
	})
}

// TestTypes: every type prints as DDL that parses to that type.
func TestTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := gen{t}.dataType(3)
		got, err := parser.ParseType(want.SQL())
		if err != nil {
			t.Fatalf("%s: %v", want.SQL(), err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s (-want +got):\n%s", want.SQL(), d)
		}
	})
	for text, want := range map[string]types.Type{
		"LONG": types.Of(types.BigInt), "integer": types.Of(types.Int), "dec": types.DecimalOf(10, 0), "NUMERIC(5)": types.DecimalOf(5, 0),
		"real": types.Of(types.Float), "byte": types.Of(types.TinyInt), "short": types.Of(types.SmallInt), "timestamp_ltz": types.Of(types.Timestamp),
		"CHARACTER(3)": {Kind: types.Char, Precision: 3}, "interval": types.Of(types.CalendarInterval), "struct<>": types.StructOf(),
		"INTERVAL YEAR TO MONTH":                  {Kind: types.YearMonthInterval, Precision: types.FieldYear, Scale: types.FieldMonth},
		"INTERVAL HOUR":                           {Kind: types.DayTimeInterval, Precision: types.FieldHour, Scale: types.FieldHour},
		"STRUCT<a: INT, b STRING COMMENT 'x'>":    types.StructOf(types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "b", Type: types.Of(types.String), Comment: "x", HasComment: true}),
		"map<string,array<array<struct<x:int>>>>": types.MapOf(types.Of(types.String), types.ArrayOf(types.ArrayOf(types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int)})))),
		"string collate utf8_binary":              types.Of(types.String),
	} {
		got, err := parser.ParseType(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}
