package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/types"
)

// TestJSONStringsAtEveryPlace puts each byte that JSON escapes, and some that it does not, at each place of a longer string: the
// writer looks at several bytes at a time.
func TestJSONStringsAtEveryPlace(t *testing.T) {
	for _, special := range []string{"\"", "\\", "\n", "\x00", "\x1f", " ", "!", "#", "[", "]", "~", "\x7f", "é", "\u2028", "\xff"} {
		for at := range 20 {
			text := strings.Repeat("a", at) + special + strings.Repeat("z", 20-at)
			out, _ := answer(t, "json", columns(types.Of(types.String)), [][]types.Value{{text}}, nil)
			var got struct{ Rows [][]string }
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if want := strings.ToValidUTF8(text, "\uFFFD"); got.Rows[0][0] != want {
				t.Errorf("%q is written as %q", text, got.Rows[0][0])
			}
		}
	}
}
