package bind

import (
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// InsertTarget is what a query's rows are written to.
type InsertTarget struct {
	// Name is the quoted full name, for messages.
	Name string
	// Columns are all columns in the order in which a query's go to them by position. Keys are the places of the partition
	// columns among them, outermost level first.
	Columns []types.Field
	Keys    []int
	// Delta tells that the table is a Delta table: what does not go into it is told by Delta's conditions where it has its own.
	Delta bool
	// Fresh counts the last columns that the table is to get by the write: none of its rows has them yet.
	Fresh int
	// NotNull tells that NULL in a column, or a field of a struct, that is NOT NULL fails (DELTA_NOT_NULL_CONSTRAINT_VIOLATED), and
	// Checks are conditions that rows must satisfy (DELTA_VIOLATE_CONSTRAINT_WITH_VALUES).
	NotNull bool
	Checks  []Check
	// Generated are the columns that are computed from others.
	Generated []Generated
	// Static are the values of static partition columns by level, which Checks may ask for.
	Static []types.Value
}

// Into says how the columns of a query go to those of a target. Without Columns and ByName they go by position.
type Into struct {
	// Static tells of each partition column whether its value is known without the query. Nil is none.
	Static []bool
	// Columns are the columns that the query's go to, in its order. The target's others become NULL.
	Columns []ast.Ident
	// ByName pairs columns, and fields of structs, by name. Columns that the query lacks become NULL.
	ByName bool
	Policy expr.StorePolicy
}

// Insert is a bound write.
type Insert struct {
	// Root yields the rows as they are stored: all data columns of the target in order, then those partition columns that
	// are not static, in level order; each has the target column's name and type.
	Root plan.Node
	// Ordered tells that the query ends in ORDER BY, SORT BY or CLUSTER BY: the rows of a partition are to be written in
	// the order in which Root yields them.
	Ordered bool
	// Static tells of each partition column whether the PARTITION clause gives its value.
	Static []bool
}

// BindInsert binds the rows that an INSERT writes, and checks its clauses against the target. The values of the
// PARTITION clause are the caller's to resolve, with partition.ResolveSpec: BindInsert looks at their names alone. So is
// the predicate of REPLACE WHERE (see BindReplaceWhere), but rows that it does not hold for fail when they are computed,
// as REPLACE_WHERE_MISMATCH: a second run would not replace them.
//
// Errors, with Spark's names: PARTITIONS_NOT_FOUND for a key that is no partition column, INVALID_PARTITION_SPEC for
// missing keys and values below keys without one, COLUMN_ALREADY_EXISTS, UNRESOLVED_COLUMN and
// STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST of the column list, INSERT_COLUMN_ARITY_MISMATCH and
// INSERT_PARTITION_COLUMN_ARITY_MISMATCH, INCOMPATIBLE_DATA_FOR_TABLE for data that does not go into the columns,
// DEFAULT_PLACEMENT_INVALID, and those of the query. For Delta tables some have names of Delta's: NON_PARTITION_COLUMN for the
// first, DELTA_REPLACE_WHERE_MISMATCH, DELTA_INSERT_COLUMN_ARITY_MISMATCH for too few columns, DELTA_METADATA_MISMATCH for too many,
// and DELTA_INSERT_COLUMN_MISMATCH for none where NULL cannot be.
func BindInsert(ctx context.Context, n *ast.Insert, target InsertTarget, policy expr.StorePolicy, env Env) (*Insert, error) {
	b := newBinder(ctx, env)
	keys, err := b.insertKeys(n.Spec, target)
	if err != nil {
		return nil, err
	}
	w := insertion{b: b, target: target, into: Into{Static: keys.static, Columns: n.Columns, ByName: n.ByName, Policy: policy}}
	node, err := w.bind(n.Query)
	if err != nil {
		return nil, err
	}
	// As in Spark the number of columns is looked at before what the clause leaves out.
	if err := keys.complete(n.Spec, target); err != nil {
		return nil, err
	}
	if n.ReplaceWhere != nil {
		if node, err = b.requireReplaced(node, n, target); err != nil {
			return nil, err
		}
	}
	return w.finish(node, n.Query)
}

// BindQueryInto binds a query whose rows are written to a target. Its errors are those of BindInsert.
func BindQueryInto(ctx context.Context, q *ast.Query, target InsertTarget, into Into, env Env) (*Insert, error) {
	w := insertion{b: newBinder(ctx, env), target: target, into: into}
	node, err := w.bind(q)
	if err != nil {
		return nil, err
	}
	return w.finish(node, q)
}

// insertion is a write that is being bound.
type insertion struct {
	b      *binder
	target InsertTarget
	into   Into
}

// written are the positions of the target's columns that the rows have: all but the static ones.
func (w *insertion) written() []int {
	var out []int
	for i := range w.target.Columns {
		if !w.static(i) {
			out = append(out, i)
		}
	}
	return out
}

func (w *insertion) static(column int) bool {
	k := w.target.level(column)
	return k >= 0 && k < len(w.into.Static) && w.into.Static[k]
}

// level is the partition level of the column at a place, or -1.
func (t *InsertTarget) level(column int) int { return slices.Index(t.Keys, column) }

// partition are the partition columns, outermost first.
func (t *InsertTarget) partition() []types.Field {
	out := make([]types.Field, len(t.Keys))
	for i, k := range t.Keys {
		out[i] = t.Columns[k]
	}
	return out
}

// stored are the places of all columns in the order of Insert.Root: the data columns, then the partition columns.
func (t *InsertTarget) stored() []int {
	out := make([]int, 0, len(t.Columns))
	for i := range t.Columns {
		if t.level(i) < 0 {
			out = append(out, i)
		}
	}
	return append(out, t.Keys...)
}

// bind binds the query and puts what makes the target's columns of its own on top.
func (w *insertion) bind(q *ast.Query) (plan.Node, error) {
	b := w.b
	listed, err := w.listed()
	if err != nil {
		return nil, err
	}
	b.defaults = defaultsOf(q)
	byPlace := w.byPlace(listed)
	b.defaults.value = func(k int, _ *ast.DefaultLit, _ *exprScope) (expr.Expr, error) {
		if k >= len(byPlace) || byPlace[k].Default == "" {
			return nil, nil
		}
		return b.defaultOf(byPlace[k])
	}
	node, err := b.query(q, b.top())
	defaults := b.defaults
	b.defaults = nil
	if err != nil {
		return nil, err
	}
	from, err := w.pair(node.Output(), listed)
	if err != nil {
		return nil, at(err, q.Span())
	}
	data := node.Output()
	values := map[int]expr.Expr{}
	o := expr.StoreOptions{Table: w.target.Name, Policy: w.into.Policy, ByName: w.into.ByName, CaseSensitive: b.env.CaseSensitive}
	for i, c := range w.written() {
		f := w.target.Columns[c]
		k := from[i]
		var e expr.Expr
		if k < 0 || defaults.column(q.Body, k) {
			if _, ok := w.target.generatedAt(c); ok {
				values[c] = nil // is computed from the rest
				continue
			}
			if w.target.Delta && f.NotNull && f.Default == "" && k < 0 {
				return nil, sqlerr.DeltaInsertMissing(ident.Quote(f.Name)).At(q.Span())
			}
			if e, err = b.defaultOf(f); err != nil {
				return nil, err
			}
		} else if e, err = expr.Store(columnRef(data[k]), f.Type, f.Name, o); err != nil {
			return nil, at(err, columnSpan(q, k, len(data)))
		}
		values[c] = e
	}
	return b.storedRows(node, values, w.target)
}

// stored yields rows as files and directories have them: the values of the target's columns by place, in the order of
// Insert.Root, and checked. A column without a value is static; one whose value is nil is generated.
func (b *binder) storedRows(node plan.Node, values map[int]expr.Expr, target InsertTarget) (plan.Node, error) {
	out := &plan.Project{Input: node}
	var fields []types.Field
	var have, want []int
	for _, c := range target.stored() {
		if e, ok := values[c]; ok {
			f := target.Columns[c]
			fields, want = append(fields, f), append(want, c)
			if e == nil {
				continue
			}
			have = append(have, c)
			out.Out, out.Exprs = append(out.Out, b.newColumn(f.Name, f.Type)), append(out.Exprs, e)
		}
	}
	if len(have) < len(want) {
		var err error
		if out, err = b.withGenerated(out, have, want, target); err != nil {
			return nil, err
		}
	}
	return b.checked(out, fields, target)
}

// byPlace are the columns that those of the query go to by their place; nil when they go by name.
func (w *insertion) byPlace(listed []int) []types.Field {
	if w.into.ByName {
		return nil
	}
	if listed == nil {
		listed = w.written()
	}
	var out []types.Field
	for _, c := range listed {
		out = append(out, w.target.Columns[c])
	}
	return out
}

// listed are the positions of the columns in the column list.
func (w *insertion) listed() ([]int, error) {
	var out []int
	seen := map[int]bool{}
	for _, id := range w.into.Columns {
		c := w.b.fieldNamed(w.target.Columns, id.Name)
		switch {
		case c < 0:
			return nil, w.unknown(id)
		case seen[c]:
			return nil, sqlerr.ColumnAlreadyExists(ident.Quote(id.Name)).At(id.Span())
		case w.static(c):
			return nil, sqlerr.StaticPartitionInColumnList(ident.Quote(id.Name)).At(id.Span())
		}
		seen[c] = true
		out = append(out, c)
	}
	return out, nil
}

func (w *insertion) unknown(id ast.Ident) error { return unknownColumn(id, w.target.Columns) }

func unknownColumn(id ast.Ident, fields []types.Field) error {
	var near []column
	for _, f := range fields {
		near = append(near, column{Column: plan.Column{Name: f.Name}})
	}
	return sqlerr.UnresolvedColumn(ident.Quote(id.Name), suggest([]string{id.Name}, near)).At(id.Span())
}

// pair tells of each written column which of the query's columns it takes; -1 is none.
func (w *insertion) pair(data []plan.Column, listed []int) ([]int, error) {
	columns := w.written()
	from := make([]int, len(columns))
	switch {
	case listed != nil:
		if len(data) != len(listed) {
			return nil, sqlerr.InsertArity(w.target.Name, w.names(listed), dataNames(data))
		}
		place := map[int]int{}
		for i, c := range listed {
			place[c] = i + 1
		}
		for i, c := range columns {
			from[i] = place[c] - 1
		}
		return from, nil
	case w.into.ByName:
		return from, w.pairNames(data, columns, from)
	}
	if len(data) != len(columns) {
		return nil, w.arity(data)
	}
	for i := range from {
		from[i] = i
	}
	return from, nil
}

// pairNames fills from for a write by name.
func (w *insertion) pairNames(data []plan.Column, columns, from []int) error {
	if len(data) > len(columns) && !w.target.Delta {
		return w.arity(data)
	}
	taken := make([]bool, len(data))
	for i, c := range columns {
		name := w.target.Columns[c].Name
		from[i] = -1
		for j, d := range data {
			if !w.b.same(d.Name, name) {
				continue
			}
			if from[i] >= 0 {
				return sqlerr.AmbiguousDataColumn(w.target.Name, ident.Quote(name))
			}
			from[i], taken[j] = j, true
		}
	}
	var extra []string
	for j, t := range taken {
		if !t {
			extra = append(extra, ident.Quote(data[j].Name))
		}
	}
	if len(extra) > 0 && w.target.Delta {
		return sqlerr.DeltaExtraColumns(w.target.Name, extra)
	}
	if len(extra) > 0 {
		return sqlerr.ExtraColumns(w.target.Name, extra)
	}
	return nil
}

// arity is the error of a query that has not as many columns as are written.
func (w *insertion) arity(data []plan.Column) error {
	var all []int
	var static []string
	for i := range w.target.Columns {
		all = append(all, i)
		if w.static(i) {
			static = append(static, w.names([]int{i})...)
		}
	}
	columns := w.written()
	switch {
	case w.target.Delta && len(data) < len(columns):
		return sqlerr.DeltaInsertArity(w.target.Name, w.names(columns), dataNames(data))
	case w.target.Delta:
		return sqlerr.DeltaExtraColumns(w.target.Name, dataNames(data)[len(columns):])
	case static != nil:
		return sqlerr.InsertPartitionArity(w.target.Name, w.names(all), dataNames(data), static)
	}
	return sqlerr.InsertArity(w.target.Name, w.names(all), dataNames(data))
}

func (w *insertion) names(columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = ident.Quote(w.target.Columns[c].Name)
	}
	return out
}

func dataNames(data []plan.Column) []string {
	out := make([]string, len(data))
	for i, c := range data {
		out[i] = ident.Quote(c.Name)
	}
	return out
}

func (w *insertion) finish(node plan.Node, q *ast.Query) (*Insert, error) {
	root, err := w.b.rewrite(node)
	if err != nil {
		return nil, err
	}
	static := make([]bool, len(w.target.Keys))
	copy(static, w.into.Static)
	return &Insert{Root: root, Ordered: endsOrdered(q), Static: static}, nil
}

// fieldNamed is the position of the column of a name, or -1.
func (b *binder) fieldNamed(fields []types.Field, name string) int {
	for i, f := range fields {
		if b.same(f.Name, name) {
			return i
		}
	}
	return -1
}

// endsOrdered reports whether a query's own rows come in an order. That of a sub-query below it is no promise.
func endsOrdered(q *ast.Query) bool {
	if len(ordering(q)) > 0 {
		return true
	}
	inner, ok := q.Body.(*ast.Query)
	return ok && endsOrdered(inner)
}

// columnSpan is the place of what the k-th of n columns of a query is computed by: an item of its select list, a value
// of its only row, else the query.
func columnSpan(q *ast.Query, k, n int) sqlerr.Span {
	switch body := q.Body.(type) {
	case *ast.Select:
		if len(body.Items) == n {
			return body.Items[k].Expr.Span()
		}
	case *ast.Values:
		if len(body.Rows) == 1 && k < len(body.Rows[0]) {
			return body.Rows[0][k].Span()
		}
	case *ast.Query:
		return columnSpan(body, k, n)
	}
	return q.Span()
}
