package partition

// SpecKey is one key of a PARTITION (…) clause.
type SpecKey struct {
	Name string
	Op   Op
	// Text is the literal's text: the source text of an unquoted one, the content of a quoted one.
	Text string
	Null bool
}

// SpecOptions says what a statement accepts.
type SpecOptions struct {
	Table         string // quoted name for messages
	CaseSensitive bool
	// Partial allows some keys to be missing.
	Partial bool
}

// Spec is a resolved PARTITION clause.
type Spec struct {
	// Matchers has one element per key.
	Matchers []Matcher
	// Values holds the values when the spec is complete and only has '='; else nil.
	Values Values
}

// ResolveSpec resolves the names and values of a PARTITION clause.
func ResolveSpec(cols []Column, keys []SpecKey, opts SpecOptions) (*Spec, error) { return &Spec{}, nil }
