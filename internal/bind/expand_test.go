package bind_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/bind"
)

// TestExpansionIsBounded: a chain of definitions that each name the one before twice is refused, not planned.
func TestExpansionIsBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("WITH c0 AS (SELECT 1 AS x)")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&text, ", c%d AS (SELECT a.x FROM c%d a JOIN c%d b ON a.x = b.x)", i, i-1, i-1)
	}
	_, err := bind.Bind(context.Background(), parse(t, text.String()+" SELECT * FROM c40"), fixture(t))
	if err == nil || asError(t, err).Condition != "FAILED_TO_PARSE_TOO_COMPLEX" {
		t.Fatal(err)
	}
}
