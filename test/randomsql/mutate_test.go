package randomsql_test

import (
	"testing"

	"github.com/tarnlake/tarn/test/randomsql"
)

// TestWhole: what leaves a quote or comment open, or ends in the middle, would take the next statement's answer.
func TestWhole(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT 'a;b', \"c'd\", `e;f` -- g;'\n, 1 /* ; ' */": true,
		"SELECT 'it\\'s', r'x'":                              true,
		"SELECT 7 / 2, 3 * 4":                                true,
		"SELECT 7 /*) 2":                                     false,
		"SELECT 7 /* /* */ 2":                                false,
		"SELECT 1; SELECT 2":                                 false,
		"SELECT 'a":                                          false,
		"SELECT \"a":                                         false,
		"SELECT `a":                                          false,
		"SELECT r'a\\'":                                      false,
		"SELECT 1 -- a\\":                                    false,
	} {
		if got := randomsql.Whole(sql); got != want {
			t.Errorf("Whole(%q) = %v", sql, got)
		}
	}
}

// TestGenerator: a seed gives the same statements each time.
func TestGenerator(t *testing.T) {
	functions, corpus := []string{"abs", "upper"}, []string{"SELECT substring('a,b', length('(x)'), 2)", "SELECT transform(array(1, 2), (x, i) -> x + i)"}
	a, b := randomsql.New(7, functions, corpus), randomsql.New(7, functions, corpus)
	for range 2000 {
		if x, y := a.Statement(), b.Statement(); x != y {
			t.Fatalf("%q is not %q", x, y)
		}
	}
}
