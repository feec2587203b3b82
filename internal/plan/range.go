package plan

// Range yields the numbers Start, Start+Step, … as long as they are below End (above it when Step is negative): the
// table-valued function range. Step is not 0. An overflow ends it.
type Range struct {
	Out              Column // BIGINT
	Start, End, Step int64
}

// Output implements Node.
func (n *Range) Output() []Column { return []Column{n.Out} }
