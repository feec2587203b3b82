package scan_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// An option that Tarn would leave out at the price of other rows is refused; one that nobody knows is named.
func TestOptionsThatAreNotKnown(t *testing.T) {
	var sc scan.Scanner
	for _, name := range []string{"pathGlobFilter", "MODIFIEDAFTER", "modifiedBefore"} {
		if err := sc.CheckOptions("parquet", map[string]string{name: "x"}); !errors.Is(err, sqlerr.Condition("UNSUPPORTED_FEATURE.OPTION")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		format string
		opts   map[string]string
		want   []string
	}{
		{"csv", map[string]string{"Header": "true", "heder": "true", "SEP": ";", "allowComments": "true"}, []string{"allowComments", "heder"}},
		{"json", map[string]string{"allowComments": "true", "header": "true"}, []string{"header"}},
		{"parquet", map[string]string{"mergeSchema": "true", "parquet.block.size": "1", "sep": ";"}, []string{"sep"}},
	} {
		if diff := cmp.Diff(c.want, sc.UnknownOptions(c.format, c.opts)); diff != "" {
			t.Errorf("%s: %s", c.format, diff)
		}
	}
}
