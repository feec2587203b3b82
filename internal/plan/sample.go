package plan

// Sample keeps each row of its input with a chance of Fraction, from 0 to 1: TABLESAMPLE. With Seeded, equal rows in equal
// order give equal samples for one Seed.
type Sample struct {
	Input    Node
	Fraction float64
	Seeded   bool
	Seed     int64
}

// Output implements Node.
func (n *Sample) Output() []Column { return n.Input.Output() }
