package session

import (
	"sort"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/types"
)

// Variable is a session variable: DECLARE makes it, SET VARIABLE changes its value.
type Variable struct {
	Name    string // as declared
	Type    types.Type
	Value   types.Value
	Default string // SQL text of what SET VARIABLE v = DEFAULT gives; "" for NULL
}

// Variable returns the variable of a name, or nil.
func (s *Session) Variable(name string) *Variable { return s.variables[ident.Fold(name)] }

// PutVariable adds or replaces a variable.
func (s *Session) PutVariable(v *Variable) { s.variables[ident.Fold(v.Name)] = v }

// DropVariable removes a variable.
func (s *Session) DropVariable(v *Variable) { delete(s.variables, ident.Fold(v.Name)) }

// Function is a temporary SQL function.
type Function struct {
	Name string
	// Text is the statement that made it, from CREATE on.
	Text string
	// Catalog and Schema are the names that were current then.
	Catalog, Schema string
	// Returns is the type of a scalar function, Columns are those of a table function.
	Returns types.Type
	Columns []types.Field
	// Table functions return rows. ANSI is spark.sql.ansi.enabled when it was made.
	Table, ANSI bool
	// Settings are those under which it was made, which its body keeps.
	Settings map[string]string
}

// Function returns the temporary function of a name, or nil.
func (s *Session) Function(name string) *Function { return s.functions[ident.Fold(name)] }

// PutFunction adds or replaces a temporary function.
func (s *Session) PutFunction(f *Function) { s.functions[ident.Fold(f.Name)] = f }

// DropFunction removes a temporary function.
func (s *Session) DropFunction(f *Function) { delete(s.functions, ident.Fold(f.Name)) }

// Functions lists the temporary functions by name.
func (s *Session) Functions() []*Function {
	var out []*Function
	for _, f := range s.functions {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return ident.Fold(out[i].Name) < ident.Fold(out[j].Name) })
	return out
}
