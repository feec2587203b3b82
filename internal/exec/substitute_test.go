package exec

import (
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/session"
)

func TestVariablesAreReplaced(t *testing.T) {
	s := session.New(map[string]string{"day": "2024-01-01", "nested": "${day}!", "loop": "${loop}x"}, "me", "/")
	for text, want := range map[string]string{
		"SELECT '${day}', '${hiveconf:day}'": "SELECT '2024-01-01', '2024-01-01'",
		"${nested}":                          "2024-01-01!",
		"'${nosuch}y'":                       "'y'",
		"${env:HOME} $day {day} ${}":         "${env:HOME} $day {day} ${}",
	} {
		if got := substitute(s, text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if got := substitute(s, "${loop}"); !strings.HasSuffix(got, "x") {
		t.Errorf("a loop ends: %q", got)
	}
	s.Conf.Set(conf.VariableSubstitute, "false")
	if got := substitute(s, "${day}"); got != "${day}" {
		t.Errorf("switched off: %q", got)
	}
}
