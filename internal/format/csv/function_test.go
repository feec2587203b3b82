package csv_test

import (
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format/csv"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		ddl, text string
		options   map[string]string
		want      string // as CAST AS STRING shows it, or a condition
	}{
		{"a INT, b STRING", "1,x", nil, "{1, x}"},
		{"a INT, b STRING", "1", nil, "{1, null}"},
		{"a INT, _corrupt_record STRING", "1,abc", nil, "{1, 1,abc}"},
		{"a STRING, b STRING", "a\nb", nil, "{a\nb, null}"},
		{"a STRING", `"a""b"`, nil, `{"a""b"}`},
		{"a INT, b INT", "1||2", map[string]string{"sep": "||"}, "{1, 2}"},
		{"t TIMESTAMP", "26/08/2015", map[string]string{"timestampFormat": "dd/MM/yyyy"}, "{2015-08-26 00:00:00}"},
		{"a INT", "x", map[string]string{"mode": "FAILFAST"}, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"},
		{"a ARRAY<INT>", "x", nil, "UNSUPPORTED_DATATYPE"},
	} {
		got := ""
		s, err := expr.ParseSchema(c.ddl)
		if err != nil {
			t.Fatal(err)
		}
		d, err := csv.Functions{}.Decoder(s, c.options, time.UTC)
		if err == nil {
			var v types.Value
			if v, err = d(c.text); err == nil {
				got = types.Format(s, v, time.UTC)
			}
		}
		if err != nil {
			got = string(sqlerr.As(err).Condition)
		}
		if got != c.want {
			t.Errorf("%q as %s: got %s, want %s", c.text, c.ddl, got, c.want)
		}
	}
}
