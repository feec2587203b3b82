package plan

// OnceID names a part of a statement that is computed once.
type OnceID int

// Part is a query that is computed once, however many OnceRefs read it. It refers to no column outside of it.
type Part struct {
	ID    OnceID
	Query Node
}

// Once yields the rows of Input, in which OnceRefs read Parts. A part may read those before it. It stands at the root of a plan,
// if anywhere: a part that draws random numbers must have the same rows wherever it is read.
type Once struct {
	Parts []Part
	Input Node
}

// OnceRef yields the rows of a part; Out are its columns under other identities.
type OnceRef struct {
	Part OnceID
	Out  []Column
}

// Output implements Node.
func (n *Once) Output() []Column { return n.Input.Output() }

// Output implements Node.
func (n *OnceRef) Output() []Column { return n.Out }

// Inputs are the parts, then Input.
func (n *Once) Inputs() []Node {
	var in []Node
	for _, p := range n.Parts {
		in = append(in, p.Query)
	}
	return append(in, n.Input)
}

// WithInputs is n with other inputs, as many as Inputs gives.
func (n *Once) WithInputs(in []Node) *Once {
	c := &Once{Input: in[len(n.Parts)]}
	for i, p := range n.Parts {
		c.Parts = append(c.Parts, Part{ID: p.ID, Query: in[i]})
	}
	return c
}
