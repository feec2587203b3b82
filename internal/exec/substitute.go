package exec

import (
	"regexp"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/session"
)

// variable is a reference that Spark replaces in SQL text before it is parsed: ${name}, ${spark:name} and the like.
var variable = regexp.MustCompile(`\$\{(?:(\w+?):)?(\S+?)\}`)

// maxSubstitutions bounds values that hold references themselves.
const maxSubstitutions = 100

// substitute replaces references to settings, anywhere in the text, strings included (spark.sql.variable.substitute). A
// name that is not set reads as nothing, as in Spark. References with another prefix, such as env, stay as they are.
func substitute(s *session.Session, text string) string {
	if !s.Conf.Bool(conf.VariableSubstitute) {
		return text
	}
	for range maxSubstitutions {
		next := variable.ReplaceAllStringFunc(text, func(ref string) string {
			m := variable.FindStringSubmatch(ref)
			switch m[1] {
			case "", "spark", "sparkconf", "hivevar", "hiveconf":
				if v, ok := s.Conf.Get("hivevar:" + m[2]); ok {
					return v
				}
				v, _ := s.Conf.Get(m[2])
				return v
			}
			return ref
		})
		if next == text {
			break
		}
		text = next
	}
	return text
}
