package plan

import "github.com/tarnlake/tarn/internal/expr"

// Unnest makes of each row of its input one row for each element of the lists, in their order: the output is the
// input's columns, then Position, then the elements. All lists of a row have one length; a NULL list has none. A row without
// elements is dropped, or with Outer kept once, with NULLs.
type Unnest struct {
	Input    Node
	Lists    []expr.Expr // ARRAYs, at least one
	Out      []Column    // the elements: Out[i] of Lists[i]
	Position *Column     // INT, counted from 0; nil when not asked for
	Outer    bool
}

// Output implements Node.
func (n *Unnest) Output() []Column {
	out := append([]Column(nil), n.Input.Output()...)
	if n.Position != nil {
		out = append(out, *n.Position)
	}
	return append(out, n.Out...)
}
