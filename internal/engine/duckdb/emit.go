package duckdb

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
)

// columnName is how a column is called in emitted SQL. Columns have no names in a plan, and identities are unique in a
// statement, so no reference is ever ambiguous and an outer column needs no qualifier.
// Negative identities are this package's own.
func columnName(id expr.ColumnID) string {
	if id < 0 {
		return "h" + strconv.Itoa(int(-id))
	}
	return "c" + strconv.Itoa(int(id))
}

// quote is a SQL string literal. The text has no NUL.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// block is one SELECT under construction. Operators are added to it while SQL's order of evaluation allows; else
// the block becomes the FROM of the next. The fewer SELECTs, the less DuckDB has to bind.
type block struct {
	list   string // SELECT list; "" is all columns of from
	from   string // "" for a SELECT without FROM
	joined bool   // from is a join: it needs a SELECT around it to be the right side of another
	where  []string
	group  string
	having string
	order  string
	limit  string
	offset string
	unique bool   // SELECT DISTINCT
	set    string // a complete set operation; the other fields but order, limit and offset are empty
}

// plain reports whether the block is only a FROM.
func (b *block) plain() bool {
	return b.list == "" && len(b.where) == 0 && b.group == "" && b.having == "" && b.order == "" && b.limit == "" &&
		b.offset == "" && !b.unique && b.set == ""
}

// text is the block as a SELECT statement.
func (b *block) text() string {
	var s strings.Builder
	switch {
	case b.set != "":
		s.WriteString(b.set)
	default:
		s.WriteString("SELECT ")
		if b.unique {
			s.WriteString("DISTINCT ")
		}
		switch {
		case b.list != "":
			s.WriteString(b.list)
		case b.from == "":
			s.WriteString("1")
		default:
			s.WriteString("*")
		}
		if b.from != "" {
			s.WriteString(" FROM " + b.from)
		}
		if len(b.where) > 0 {
			s.WriteString(" WHERE " + strings.Join(b.where, " AND "))
		}
	}
	clause := func(word, what string) {
		if what != "" {
			s.WriteString(word + what)
		}
	}
	clause(" GROUP BY ", b.group)
	clause(" HAVING ", b.having)
	clause(" ORDER BY ", b.order)
	clause(" LIMIT ", b.limit)
	clause(" OFFSET ", b.offset)
	return s.String()
}

// source is the block as an item of FROM.
func (b *block) source() string {
	if b.plain() && b.from != "" {
		return b.from
	}
	return "(" + b.text() + ")"
}

// operand is the block as one side of a join or a lateral item.
func (b *block) operand() string {
	if b.joined || strings.HasPrefix(b.from, "(VALUES") {
		return "(" + b.text() + ")"
	}
	return b.source()
}

// wrap starts a new block over b.
func (b *block) wrap() *block { return &block{from: b.source(), joined: b.plain() && b.joined} }

// emit is the whole statement for a plan: its columns in order.
func (s *query) emit(root plan.Node) (string, error) {
	if err := s.findShared(root); err != nil {
		return "", err
	}
	b, err := s.listed(root)
	if err != nil {
		return "", err
	}
	return s.definitions() + b.text(), nil
}

// listed is a node as a block whose SELECT list is the node's columns in order.
func (s *query) listed(n plan.Node) (*block, error) {
	b, err := s.node(n)
	if err != nil {
		return nil, err
	}
	if b.list == "" || b.set != "" {
		if b.set != "" {
			return b, nil // set operations yield exactly their columns
		}
		b.list = names(n.Output())
	}
	return b, nil
}

// names lists columns for a SELECT. A SELECT needs at least one, and nothing refers to it when the node has none.
func names(cols []plan.Column) string {
	if len(cols) == 0 {
		return "1"
	}
	var s strings.Builder
	for i, c := range cols {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(columnName(c.ID))
	}
	return s.String()
}

// node emits one operator and what is below it.
func (s *query) node(n plan.Node) (*block, error) {
	if s.shared != nil {
		if _, ok := s.shared.keys[n]; ok {
			return s.sharedNode(n)
		}
	}
	return s.operator(n)
}

func (s *query) operator(n plan.Node) (*block, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return s.scan(n)
	case *plan.OneRow:
		return &block{}, nil
	case *plan.Values:
		return s.valuesNode(n)
	case *plan.PartitionAggregate:
		// The caller has filled its source, or found that the rows are to be read.
		return s.node(n.Running())
	case *plan.Range:
		return s.numbers(n), nil
	case *plan.Supplied:
		return s.fixed(n.Out, n.Rows), nil
	case *plan.Filter:
		return s.filter(n)
	case *plan.Project:
		return s.project(n)
	case *plan.Aggregate:
		return s.aggregate(n)
	case *plan.Windows:
		return s.windows(n)
	case *plan.Join:
		return s.join(n)
	case *plan.Sort:
		return s.sort(n)
	case *plan.Limit:
		return s.limit(n)
	case *plan.Distinct:
		return s.distinct(n)
	case *plan.SetOp:
		return s.setOp(n)
	case *plan.Unnest:
		return s.unnest(n)
	case *plan.Sample:
		return s.sample(n)
	case *plan.Recursion:
		return s.recursion(n)
	case *plan.RecursionRef:
		return s.ownRows(n), nil
	case *plan.Once:
		return s.once(n)
	case *plan.OnceRef:
		return s.partRows(n)
	}
	return nil, internal("the engine has no word for a %T", n)
}
