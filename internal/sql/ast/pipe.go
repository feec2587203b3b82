package ast

// PipeKind is the kind of a PipeOp.
type PipeKind uint8

// The operators of a Pipe, with the fields of PipeOp that each has.
const (
	PipeSelect    PipeKind = iota // Select, without FROM
	PipeExtend                    // Items
	PipeSet                       // Items, each with the column as its alias
	PipeDrop                      // Names
	PipeAs                        // Alias
	PipeWhere                     // Where
	PipeJoin                      // Join, whose left side is empty
	PipeSetOp                     // SetOp, whose left side is empty
	PipeTail                      // Tail: one of ORDER BY, LIMIT with OFFSET, and the like
	PipePivot                     // Pivot, whose input is empty
	PipeUnpivot                   // Unpivot, whose input is empty
	PipeSample                    // Sample
	PipeAggregate                 // Items, and Groups with their aliases
)

// Pipe is a query to which operators are applied one after another: Input |> op |> op.
type Pipe struct {
	At
	Input QueryBody
	Ops   []*PipeOp
}

// PipeOp is one operator of a Pipe.
type PipeOp struct {
	At
	Kind    PipeKind
	Select  *Select
	Items   []*SelectItem
	Groups  []*SelectItem
	Names   []Name
	Alias   Ident
	Where   Expr
	Join    *Join
	SetOp   *SetOp
	Tail    *Query
	Pivot   *Pivot
	Unpivot *Unpivot
	Sample  *Sample
}

func (*Pipe) isQueryBody()     {}
func (n *Pipe) String() string { return sqlText(n) }

func (n *PipeOp) String() string { return sqlText(n) }
