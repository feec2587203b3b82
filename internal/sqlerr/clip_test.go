package sqlerr_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// A name of megabytes in a statement must not come back as megabytes of message.
func TestLongValuesAreClipped(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é", 1<<20), "x" + strings.Repeat("é", 1<<20)} {
		e := sqlerr.Syntax(name, "")
		if len(e.Message) > 5000 || len(e.Params[0].Value) > 5000 {
			t.Errorf("a message of %d bytes with a parameter of %d", len(e.Message), len(e.Params[0].Value))
		}
		if !utf8.ValidString(e.Message) {
			t.Error("the message is cut within a character")
		}
	}
	if e := sqlerr.Syntax(strings.Repeat("x", 4096), ""); !strings.Contains(e.Message, strings.Repeat("x", 4096)) {
		t.Error("a value of 4096 bytes is not whole")
	}
}
