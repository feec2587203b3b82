package exec

import (
	"regexp"
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
)

// like matches a name against the pattern of a SHOW statement, as Spark does: alternatives between |, each a regular
// expression over the whole name without regard to case, in which * means any text. An alternative that is no regular
// expression matches nothing.
func like(p *ast.Pattern, name string) bool {
	if p == nil {
		return true
	}
	for alt := range strings.SplitSeq(strings.TrimSpace(p.Text), "|") {
		re, err := regexp.Compile("(?is)^(?:" + strings.ReplaceAll(alt, "*", ".*") + ")$")
		if err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}
