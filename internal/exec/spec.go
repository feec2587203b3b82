package exec

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// specOps are the comparisons that partition specs resolve themselves; others are bound as expressions.
var specOps = map[string]partition.Op{
	"=": partition.Eq, "<=>": partition.Eq, "<>": partition.Ne, "<": partition.Lt, "<=": partition.Le, ">": partition.Gt, ">=": partition.Ge,
}

// spec resolves a PARTITION clause of a table. partial allows keys to be left out.
func (r *run) spec(ctx context.Context, rel relation, n *ast.PartitionSpec, partial bool) (*partition.Spec, error) {
	var keys []partition.SpecKey
	for _, item := range n.Items {
		op, ok := specOps[item.Op]
		if !ok {
			continue
		}
		k, err := r.specKey(ctx, item, op)
		if err != nil {
			return nil, at(err, item)
		}
		keys = append(keys, k)
	}
	s, err := partition.ResolveSpec(partitionColumns(rel.table), keys, partition.SpecOptions{
		Table: rel.quoted(), CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive), Partial: partial, Lenient: strings.EqualFold(r.s.Conf.Text(conf.StoreAssignment), "LEGACY"), Zone: r.s.Conf.Location(),
	})
	return s, at(err, n)
}

func (r *run) specKey(ctx context.Context, item *ast.PartitionItem, op partition.Op) (partition.SpecKey, error) {
	k := partition.SpecKey{Name: item.Name.Name, Op: op}
	c := item.Value()
	if c == nil {
		return k, nil
	}
	k.Text, k.Null = c.Text, c.Null
	if k.Null && r.s.Conf.Bool(conf.ParseNullSpecAsText) {
		k.Text, k.Null = "null", false
	}
	if r.keepsText(c) {
		return k, nil
	}
	e, err := bind.BindExpr(ctx, c.Expr, nil, r.bindEnv(nil))
	if err != nil {
		return k, err
	}
	if lit, ok := e.(*expr.Literal); ok && lit.Value != nil {
		k.Text = types.Format(lit.T, lit.Value, r.s.Conf.Location())
	}
	return k, nil
}

// keepsText reports whether a literal's text, and not its value, is the partition value. Strings and bytes are their text. With
// keepPartitionSpecAsStringLiteral as it is by default, so are numbers of digits alone, which is what 05 is about; a
// suffix or an exponent is no part of a value (5L is 5) unless the session asks for Spark's old rule by name.
func (r *run) keepsText(c *ast.Constant) bool {
	switch e := c.Expr.(type) {
	case *ast.NumberLit:
		if !r.s.Conf.Bool(conf.KeepSpecText) {
			return false
		}
		return r.s.Conf.IsSet(conf.KeepSpecText) || strings.Trim(e.Text, "-.0123456789") == ""
	case *ast.BoolLit, *ast.TypedLit, *ast.IntervalLit:
		return false
	}
	return true
}

// matching selects the partitions of set that a spec with any comparisons means.
func (r *run) matching(ctx context.Context, rel relation, set *partition.Set, n *ast.PartitionSpec) (*partition.Selection, error) {
	var texts []string
	for _, item := range n.Items {
		if _, ok := specOps[item.Op]; !ok {
			texts = append(texts, "("+item.String()+")")
		}
	}
	plain := len(n.Items) - len(texts)
	sel := set.All()
	if plain > 0 {
		s, err := r.spec(ctx, rel, n, true)
		if err != nil {
			return nil, err
		}
		sel = set.Match(s.Matchers)
	}
	if len(texts) == 0 {
		return sel, nil
	}
	e, err := parser.ParseExpr(strings.Join(texts, " AND "))
	if err != nil {
		return nil, at(err, n)
	}
	conjuncts, ids, err := r.predicate(ctx, rel, e)
	if err != nil {
		return nil, at(err, n)
	}
	more, err := set.Where(conjuncts, ids, r.context())
	if err != nil {
		return nil, at(err, n)
	}
	return sel.And(more), nil
}

// predicate binds a condition over a table's partition columns.
func (r *run) predicate(ctx context.Context, rel relation, e ast.Expr) ([]expr.Expr, []expr.ColumnID, error) {
	cols := make([]plan.Column, len(rel.table.Partition))
	ids := make([]expr.ColumnID, len(cols))
	for i, f := range rel.table.PartitionColumns() {
		ids[i] = expr.ColumnID(i + 1)
		cols[i] = plan.Column{ID: ids[i], Name: f.Name, Type: f.Type}
	}
	bound, err := bind.BindExpr(ctx, e, cols, r.bindEnv(nil))
	if err != nil {
		return nil, nil, err
	}
	if k := bound.Type().Kind; k != types.Boolean && k != types.Void {
		return nil, nil, sqlerr.FilterNotBoolean(e.String(), bound.Type().SQL()).At(e.Span())
	}
	if !expr.CanEval(bound) {
		// A sub-query, or a function that is random or that only the engine has.
		return nil, nil, sqlerr.Unsupported("PARTITION_PREDICATE", "a condition on partitions that is not made of partition columns, constants and plain functions").At(e.Span())
	}
	return expr.Conjuncts(bound), ids, nil
}

// missing is PARTITIONS_NOT_FOUND for specs as the user wrote them.
func specText(n *ast.PartitionSpec) string {
	var out []string
	for _, item := range n.Items {
		value := "null"
		if c := item.Value(); c != nil && !c.Null {
			value = c.Text
		}
		op := item.Op
		if op == "" {
			op = "="
		}
		out = append(out, ident.Quote(item.Name.Name)+" "+op+" "+value)
	}
	return "PARTITION (" + strings.Join(out, ", ") + ")"
}

// twoPart is a table's name as Spark's errors about partitions show it: schema and table.
func twoPart(rel relation) string { return ident.Name{rel.schema.Name, rel.table.Name}.Quoted() }

// currentSet is the partition set of a log table inside a transaction.
func currentSet(tx catalog.ReadTx, rel relation) (*partition.Set, error) {
	return tx.Partitions(rel.table.ID, 0)
}
