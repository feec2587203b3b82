package sqlerr_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

var conditionName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)?$`)

// TestEveryConditionHasItsState reads the constructors and asks for the SQLSTATE of what each raises: a condition that is in no
// family's table would be reported as an internal error.
func TestEveryConditionHasItsState(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "newError" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			name, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			found++
			if state := sqlerr.StateOf(sqlerr.Condition(name)); !conditionName.MatchString(name) || len(state) != 5 || state == "XX000" && name != "INTERNAL_ERROR" {
				t.Errorf("%s: %s has the SQLSTATE %q", f.Name(), name, state)
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d constructors were found", found)
	}
}

func TestErrorsAreAskedForByClass(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", sqlerr.UnresolvedColumn("x", []string{"y"}))
	for condition, want := range map[sqlerr.Condition]bool{"UNRESOLVED_COLUMN": true, "UNRESOLVED_COLUMN.WITH_SUGGESTION": true, "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION": false, "UNRESOLVED": false} {
		if got := errors.Is(err, condition); got != want {
			t.Errorf("is %s: %t", condition, got)
		}
	}
	e := sqlerr.As(err)
	if e.SQLState() != "42703" || !strings.HasPrefix(e.Error(), "[UNRESOLVED_COLUMN.WITH_SUGGESTION] ") || !strings.HasSuffix(e.Error(), " SQLSTATE: 42703") {
		t.Errorf("%v", e)
	}
	if at := e.At(sqlerr.Span{Start: 3, End: 4}).At(sqlerr.Span{Start: 9, End: 9}); at.Span.Start != 3 || e.Span.Start != 0 {
		t.Errorf("an error keeps its first place, and a copy gets it: %v %v", at.Span, e.Span)
	}
	if other := sqlerr.As(errors.New("boom")); other.Condition != "INTERNAL_ERROR" || other.SQLState() != "XX000" {
		t.Errorf("%v", other)
	}
	if sqlerr.As(nil) != nil {
		t.Error("no error is none")
	}
}
