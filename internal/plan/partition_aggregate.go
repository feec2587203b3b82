package plan

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// PartitionAggregate computes a query over partition columns alone from what is known about partitions, without
// reading rows. The rule that makes it has checked that the answer is the same.
//
// Input is a tree of Project, Filter, Aggregate, Distinct and the like over Source, which stands for the scan that the
// query had: it has one row per partition of Scan that is not empty, holding the scan's partition columns and the
// partition's number of rows. Whoever runs the plan fills Source.Rows, and gives the engine Running in place of this
// node; Scan.Prune says which partitions matter.
//
// Aggregates over data columns are answered in the same way where statistics tell what they ask: see Facts.
type PartitionAggregate struct {
	Input  Node
	Scan   *Scan     // Out are the partition columns needed, in the order of Source.Out
	Source *Supplied // Out is Scan.Out, then Rows, then a column for each of Facts
	Rows   Column    // BIGINT, ≥ 1
	// NeedRows tells that the number of rows is used; else it is enough to know that a partition is not empty, and any
	// positive number will do.
	NeedRows bool
	// Extreme is not nil for a query that is nothing but one max or min of a partition column: partitions may then be
	// looked at from the top (or bottom) of that column's order until one is not empty.
	Extreme *Extreme
	// Facts are what the aggregates need to know of data columns, by partition. They are there only if every file tells them
	// exactly: else whoever fills Source sets Read.
	Facts []Fact
	// Original is the query as it would run without this rule. It has the same output.
	Original Node
	// Read tells that Original runs: its files have to be read for the answer.
	Read bool
	// Label says in EXPLAIN what is computed, such as max(dt).
	Label string
}

// Extreme is the largest or smallest value of one partition column over the partitions that are not empty. Rows whose
// value is NULL do not take part.
type Extreme struct {
	Column Column // of Scan.Out
	Field  int    // index into Scan.Relation.Schema
	Min    bool   // else max
}

// FactKind is what a Fact tells.
type FactKind uint8

// What can be known of a data column without reading it.
const (
	FactValues FactKind = iota // how many rows have a value that is not NULL, a BIGINT
	FactMin                    // the smallest value, NULL when no row has one
	FactMax                    // the largest value, NULL when no row has one
)

// Fact is something to know of a data column of the scan.
type Fact struct {
	Field int // index into Scan.Relation.Schema
	Kind  FactKind
}

// Running is the tree that computes the answer.
func (n *PartitionAggregate) Running() Node {
	if n.Read {
		return n.Original
	}
	return n.Input
}

// Output implements Node.
func (n *PartitionAggregate) Output() []Column { return n.Input.Output() }

// BigIntColumn is a BIGINT column.
func BigIntColumn(id expr.ColumnID, name string) Column {
	return Column{ID: id, Name: name, Type: types.Of(types.BigInt)}
}
