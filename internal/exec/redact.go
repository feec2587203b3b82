package exec

import "regexp"

// secretNames find properties whose values nobody is shown: Spark's spark.redaction.regex, and spark.sql.redaction.options.regex
// for addresses, which may hold passwords.
var secretNames = regexp.MustCompile(`(?i)secret|password|token|access[.]?key|url`)

const redacted = "*********(redacted)"

// redact hides the values of properties that tell secrets by their name or themselves.
func redact(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		if secretNames.MatchString(k) || secretNames.MatchString(v) {
			v = redacted
		}
		out[k] = v
	}
	return out
}
