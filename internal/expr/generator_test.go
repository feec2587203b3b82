package expr

import (
	"errors"
	"slices"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		function string
		names    []string
		want     []int
		err      sqlerr.Condition
	}{
		{"mask", []string{""}, []int{0}, ""},
		{"mask", []string{"", "LOWERCHAR", "upperChar"}, []int{0, 2, 1}, ""},
		{"mask", []string{"digitChar", "str"}, []int{1, -1, -1, 0}, ""},
		{"abs", []string{"", ""}, []int{0, 1}, ""},
		{"abs", []string{"x"}, nil, "NAMED_PARAMETERS_NOT_SUPPORTED"},
		{"mask", []string{"upperChar"}, nil, "REQUIRED_PARAMETER_NOT_FOUND"},
		{"mask", nil, nil, "REQUIRED_PARAMETER_NOT_FOUND"},
		{"mask", []string{"str", ""}, nil, "UNEXPECTED_POSITIONAL_ARGUMENT"},
		{"mask", []string{"", "str"}, nil, "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"},
		{"mask", []string{"", "upperChar", "upperChar"}, nil, "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE"},
		{"mask", []string{"", "color"}, nil, "UNRECOGNIZED_PARAMETER_NAME"},
		{"mask", make([]string, 6), nil, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"},
	} {
		got, err := Arrange(c.function, c.names)
		if c.err != "" {
			if !errors.Is(err, c.err) {
				t.Errorf("Arrange(%s, %q): %v, want %s", c.function, c.names, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Arrange(%s, %q) = %v, %v, want %v", c.function, c.names, got, err, c.want)
		}
	}
}

func TestStack(t *testing.T) {
	num := func(n int64) Expr { return &Literal{Value: n, T: types.Of(types.Int)} }
	null := &Literal{T: types.Of(types.Void)}
	g, err := ResolveGenerator("STACK", []Expr{num(2), null, num(5), num(6)}, ResolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Rows) != 2 || len(g.Fields) != 2 || g.Fields[0].Name != "col0" || g.Fields[0].Type.Kind != types.Int {
		t.Fatalf("2 rows of 2 columns are wanted: %+v", g)
	}
	for i, row := range g.Rows {
		for j, cell := range row {
			if cell.Type().Kind != types.Int {
				t.Errorf("the cell %d, %d is %s", i, j, cell.Type())
			}
		}
	}
	// The last cell is filled up with NULL.
	if v, err := Eval(g.Rows[1][1], &Context{ANSI: true}, nil); v != nil || err != nil {
		t.Errorf("the cell without a value is %v, %v", v, err)
	}
	if _, err := ResolveGenerator("stack", []Expr{num(2)}, ResolveOptions{}); !errors.Is(err, sqlerr.Condition("WRONG_NUM_ARGS.WITHOUT_SUGGESTION")) {
		t.Errorf("stack without values: %v", err)
	}
	if _, err := ResolveGenerator("stack", []Expr{num(0), num(1)}, ResolveOptions{}); !errors.Is(err, sqlerr.Condition("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE")) {
		t.Errorf("stack of no rows: %v", err)
	}
}

func TestJSONMemberOf(t *testing.T) {
	for _, c := range []struct {
		text, key string
		want      types.Value
	}{
		{`{"a":1,"a":2}`, "a", "2"},
		{`{"a":1,"a":null}`, "a", "1"},
		{`{"a":{"b":[1, 2.50]}}`, "a", `{"b":[1,2.5]}`},
		{`{"a":"x"} rest`, "a", "x"},
		{`{"a":"x", "b"`, "a", nil},
		{`["a"]`, "a", nil},
		{`{"A":1}`, "a", nil},
		{``, "a", nil},
	} {
		if got := jsonMemberOf(c.text, c.key); got != c.want {
			t.Errorf("member %s of %s: %v, want %v", c.key, c.text, got, c.want)
		}
	}
}
