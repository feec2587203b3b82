package catalog

import (
	"slices"

	"github.com/tarnlake/tarn/internal/types"
)

// Function is a SQL function.
type Function struct {
	Securable
	SchemaID ID
	// Text is the statement that made it, from CREATE on; AtCatalog and AtSchema are the names that were current then.
	Text                string
	AtCatalog, AtSchema string
	// Returns are the columns of a table function; of a scalar function one field, whose name does not matter.
	Returns []types.Field
	Table   bool
	// ANSI is spark.sql.ansi.enabled when it was made, under which its body keeps its meaning.
	ANSI bool
}

// Clone copies f. The types of what it returns are shared: they are values that nobody changes.
func (f *Function) Clone() *Function {
	d := *f
	d.Returns = slices.Clone(f.Returns)
	return &d
}
