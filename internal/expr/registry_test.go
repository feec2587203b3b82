package expr_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TestTemplatesCallWhatExists looks for helpers in every template, macro and cast: each macro and Go function that is
// called must be defined.
func TestTemplatesCallWhatExists(t *testing.T) {
	defined := map[string]bool{}
	for _, f := range expr.GoFunctions(expr.TextFormats{JSON: noFormat{}, CSV: noFormat{}}) {
		if defined[f.Name] {
			t.Errorf("%s is defined twice", f.Name)
		}
		defined[f.Name] = true
	}
	defined[expr.DecimalOp], defined[expr.TryDecimalOp] = true, true
	head := regexp.MustCompile(`^CREATE OR REPLACE MACRO (\w+)\(`)
	texts := map[string]string{}
	for _, m := range expr.Macros() {
		name := head.FindStringSubmatch(m)
		if name == nil {
			t.Fatalf("no macro: %s", m)
		}
		if defined[name[1]] {
			t.Errorf("%s is defined twice", name[1])
		}
		defined[name[1]] = true
		texts[name[1]] = m
	}
	args := []string{"a", "b", "c", "d", "e", "f", "g"}
	argTypes := []types.Type{types.ArrayOf(types.Of(types.Double)), types.Of(types.Int), types.Of(types.Int), types.Of(types.Int), types.Of(types.Int), types.Of(types.Int), types.Of(types.Int)}
	for _, o := range expr.Overloads() {
		n := max(len(o.Params), 1)
		switch {
		case o.DuckFunc == nil:
			texts[o.Name] += " " + o.Duck
		case o.Kind == expr.Scalar:
			texts[o.Name] += " " + expr.CallSQL(o, args[:n], argTypes[:n], types.ArrayOf(types.Of(types.Double)))
		default:
			texts[o.Name] += " " + expr.AggregateSQL(o, args[:n], argTypes[:n], types.DecimalOf(38, 2), expr.AggregateClauses{})
		}
	}
	kinds := []types.Type{
		types.Of(types.Boolean), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Float), types.Of(types.Double), types.DecimalOf(10, 2),
		types.Of(types.String), types.Of(types.Binary), types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ),
		types.IntervalOf(types.FieldYear, types.FieldMonth), types.IntervalOf(types.FieldDay, types.FieldSecond),
	}
	for _, from := range kinds {
		for _, to := range kinds {
			for _, mode := range []expr.CastMode{expr.CastANSI, expr.CastTry, expr.CastLegacy} {
				if types.CanCast(from, to, mode) {
					texts["cast "+from.String()+" to "+to.String()] += " " + expr.CastSQL("a", from, to, mode)
				}
			}
		}
	}
	call := regexp.MustCompile(`\b((?:sp|tarn)_\w+)\(`)
	for name, text := range texts {
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			if !defined[m[1]] {
				t.Errorf("%s calls %s, which is not defined", name, m[1])
			}
		}
		if strings.Contains(text, "CREATE") && !strings.HasPrefix(text, "CREATE OR REPLACE MACRO "+name) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestErrorsRaisedInTemplatesComeBack(t *testing.T) {
	raised := regexp.MustCompile(`error\('(\[[A-Z_.]+\])`)
	seen := 0
	for _, o := range expr.Overloads() {
		for _, m := range raised.FindAllStringSubmatch(o.Duck, -1) {
			seen++
			if e := sqlerr.FromEngine("Invalid Input Error: " + m[1]); e == nil || e.SQLState() == "XX000" || e.Message == "" && e.Condition != "USER_RAISED_EXCEPTION" {
				t.Errorf("%s raises %s, which reads back as %v", o.Name, m[1], e)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no template raises an error")
	}
	e := sqlerr.InvalidArrayIndex("3", "2")
	if back := sqlerr.FromEngine("x: " + sqlerr.EngineText(e)); back == nil || back.Error() != e.Error() || cmp.Diff(back.Params, e.Params) != "" {
		t.Errorf("got %v, want %v", back, e)
	}
	if back := sqlerr.FromEngine("CAST_INVALID_INPUT without a mark"); back != nil {
		t.Errorf("read %v", back)
	}
}

func TestResolveErrors(t *testing.T) {
	num := func(k types.Kind) expr.Expr { return &expr.Column{ID: 1, Name: "n", T: types.Of(k)} }
	for _, c := range []struct {
		name string
		args []expr.Expr
		want string
	}{
		{"uper", []expr.Expr{num(types.String)}, "UNRESOLVED_ROUTINE"},
		{"upper", nil, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"},
		{"upper", []expr.Expr{&expr.Column{T: types.ArrayOf(types.Of(types.Int))}}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"=", []expr.Expr{num(types.Boolean), num(types.Int)}, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
		{"<", []expr.Expr{&expr.Column{T: types.MapOf(types.Of(types.Int), types.Of(types.Int))}, &expr.Column{T: types.MapOf(types.Of(types.Int), types.Of(types.Int))}}, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"},
		{"+", []expr.Expr{num(types.Boolean), num(types.Boolean)}, "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"},
		{"greatest", []expr.Expr{num(types.String), num(types.Int)}, "DATATYPE_MISMATCH.DATA_DIFF_TYPES"},
		{"array_contains", []expr.Expr{&expr.Column{T: types.ArrayOf(types.Of(types.Int))}, num(types.String)}, "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES"},
		{"getitem", []expr.Expr{&expr.Column{T: types.ArrayOf(types.Of(types.Int))}, num(types.Double)}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"date", []expr.Expr{num(types.Int)}, "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION"},
		{"sum", []expr.Expr{num(types.Boolean)}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"lag", []expr.Expr{num(types.Int), num(types.Int)}, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"},
	} {
		_, err := expr.Resolve(c.name, c.args, expr.ResolveOptions{})
		var e *sqlerr.Error
		if !errors.As(err, &e) || string(e.Condition) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := expr.Resolve("uper", nil, expr.ResolveOptions{}); !strings.Contains(err.Error(), "upper") {
		t.Errorf("no suggestion: %v", err)
	}
}

// TestResultTypes checks the types of arithmetic, of common types and of aggregates.
func TestResultTypes(t *testing.T) {
	col := func(ty types.Type) expr.Expr { return &expr.Column{ID: 1, Name: "c", T: ty} }
	one := &expr.Literal{Value: int64(1), T: types.Of(types.Int)}
	for _, c := range []struct {
		name string
		args []expr.Expr
		want string
	}{
		{"+", []expr.Expr{col(types.Of(types.TinyInt)), col(types.Of(types.TinyInt))}, "tinyint"},
		{"+", []expr.Expr{col(types.Of(types.Int)), col(types.Of(types.Float))}, "double"},
		{"+", []expr.Expr{col(types.Of(types.String)), col(types.Of(types.Int))}, "bigint"},
		{"/", []expr.Expr{col(types.Of(types.Int)), col(types.Of(types.Int))}, "double"},
		{"div", []expr.Expr{col(types.Of(types.Int)), col(types.Of(types.Int))}, "bigint"},
		{"+", []expr.Expr{one, col(types.DecimalOf(2, 1))}, "decimal(3,1)"},
		{"+", []expr.Expr{col(types.Of(types.Int)), col(types.DecimalOf(2, 1))}, "decimal(12,1)"},
		{"+", []expr.Expr{col(types.DecimalOf(38, 10)), col(types.DecimalOf(1, 0))}, "decimal(38,9)"},
		{"*", []expr.Expr{col(types.DecimalOf(38, 10)), col(types.DecimalOf(38, 10))}, "decimal(38,6)"},
		{"/", []expr.Expr{col(types.DecimalOf(10, 2)), col(types.DecimalOf(10, 2))}, "decimal(23,13)"},
		{"-", []expr.Expr{col(types.Of(types.Date)), col(types.Of(types.Date))}, "interval day"},
		{"-", []expr.Expr{col(types.Of(types.Timestamp)), col(types.Of(types.Date))}, "interval day to second"},
		{"+", []expr.Expr{col(types.Of(types.Date)), col(types.IntervalOf(types.FieldHour, types.FieldHour))}, "timestamp"},
		{"+", []expr.Expr{col(types.Of(types.Date)), col(types.Of(types.SmallInt))}, "date"},
		{"coalesce", []expr.Expr{one, col(types.DecimalOf(2, 1))}, "decimal(11,1)"},
		{"coalesce", []expr.Expr{one, col(types.Of(types.String))}, "bigint"},
		{"sum", []expr.Expr{col(types.Of(types.Int))}, "bigint"},
		{"sum", []expr.Expr{col(types.DecimalOf(10, 2))}, "decimal(20,2)"},
		{"avg", []expr.Expr{col(types.DecimalOf(10, 2))}, "decimal(14,6)"},
		{"avg", []expr.Expr{col(types.Of(types.Int))}, "double"},
		{"sum", []expr.Expr{&expr.Literal{}}, "double"},
		{"count", []expr.Expr{col(types.Of(types.Int)), col(types.Of(types.Date))}, "bigint"},
		{"collect_list", []expr.Expr{col(types.Of(types.Date))}, "array<date>"},
		{"max", []expr.Expr{col(types.Of(types.Date))}, "date"},
		{"row_number", nil, "int"},
		{"lag", []expr.Expr{col(types.Of(types.Date))}, "date"},
	} {
		e, err := expr.Resolve(c.name, c.args, expr.ResolveOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if e.Type().String() != c.want {
			t.Errorf("%s: got %s, want %s", expr.Print(e), e.Type(), c.want)
		}
	}
	if _, ok := expr.CommonType(types.Of(types.String), types.Of(types.Int), types.Of(types.Date)); ok {
		t.Error("text must not hide that int and date have no common type")
	}
}

// noFormat stands for the formats that adapters bring.
type noFormat struct{ expr.TextFormat }
