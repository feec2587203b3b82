package parser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// A chain of queries that the engine could not plan in reasonable memory is refused before it gets there.
func TestChainOfQueriesIsBounded(t *testing.T) {
	if _, err := parser.Parse("SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 3000)); err != nil {
		t.Error(err)
	}
	_, err := parser.Parse("SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 20000))
	if !errors.Is(err, sqlerr.Condition("FAILED_TO_PARSE_TOO_COMPLEX")) {
		t.Errorf("got %v", err)
	}
}
