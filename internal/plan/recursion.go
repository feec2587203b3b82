package plan

// LoopID names a Recursion within a statement.
type LoopID int

// Recursion yields the rows of Anchor, then those of Step over the rows before, again and again until a step yields none.
// Step refers to the rows before by RecursionRef; its columns have the types of Out, as Anchor's have.
type Recursion struct {
	ID           LoopID
	Anchor, Step Node
	Out          []Column
	// Levels is how many steps may yield rows: a row of step number Levels fails the query. Rows bounds the rows made:
	// reaching it fails. Negative is no bound.
	Levels, Rows int64
	// Limit, unless negative, is how many rows are asked for: no step begins once there are as many, and Rows does not count.
	Limit int64
}

// RecursionRef yields the rows that the step before made, inside Step of a Recursion.
type RecursionRef struct {
	Loop LoopID
	Out  []Column
}

// Output implements Node.
func (n *Recursion) Output() []Column { return n.Out }

// Output implements Node.
func (n *RecursionRef) Output() []Column { return n.Out }

// RefersTo reports whether a plan reads the rows of a loop.
func RefersTo(n Node, loop LoopID) bool {
	found := false
	_ = Walk(n, func(n Node) error {
		r, ok := n.(*RecursionRef)
		found = found || ok && r.Loop == loop
		return nil
	})
	return found
}

// OpenLoop reports whether a plan reads the rows of a loop that is not in it as a whole.
func OpenLoop(n Node) bool {
	refs, loops := map[LoopID]bool{}, map[LoopID]bool{}
	_ = Walk(n, func(n Node) error {
		switch n := n.(type) {
		case *RecursionRef:
			refs[n.Loop] = true
		case *Recursion:
			loops[n.ID] = true
		}
		return nil
	})
	for id := range refs {
		if !loops[id] {
			return true
		}
	}
	return false
}
