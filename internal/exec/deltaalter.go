package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/expr"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/migrate"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// deltaAlteration is one ALTER TABLE of a Delta table: a change of its metadata, in one commit.
type deltaAlteration struct {
	*run
	name   ast.Name
	target *deltaTarget
	edit   *protocol.Change
	wishes protocol.Wishes
	commit delta.Change
	// uncomment tells that the table's comment goes, and unlinked names the links that go: the catalog's copy would keep them else.
	uncomment bool
	unlinked  []string
}

// alterDelta runs those forms of ALTER TABLE that change what the log of a Delta table says; ok is false for other tables, and for
// forms that are the catalog's business.
func (r *run) alterDelta(ctx context.Context, name ast.Name, action ast.Action) (res *Result, ok bool, err error) {
	operation := ""
	switch action.(type) {
	case *ast.SetProperties:
		operation = "SET TBLPROPERTIES"
	case *ast.UnsetProperties:
		operation = "UNSET TBLPROPERTIES"
	case *ast.AddColumns:
		operation = "ADD COLUMNS"
	case *ast.RenameColumn:
		operation = "RENAME COLUMN"
	case *ast.DropColumns:
		operation = "DROP COLUMNS"
	case *ast.AlterColumns:
		operation = "CHANGE COLUMN"
	case *ast.AddConstraint:
		operation = "ADD CONSTRAINT"
	case *ast.DropConstraint:
		operation = "DROP CONSTRAINT"
	default:
		return nil, false, nil
	}
	t, ok, err := r.deltaTargetOf(ctx, name, "ALTER TABLE ... "+operation)
	if err != nil || !ok {
		return nil, ok, err
	}
	a := &deltaAlteration{run: r, name: name, target: t, edit: &protocol.Change{Metadata: t.snap.Metadata, Schema: t.snap.Schema, NewID: func() string { return string(catalog.NewID()) }}}
	var parameters []protocol.Parameter
	switch n := action.(type) {
	case *ast.SetProperties:
		parameters, err = a.setProperties(n)
	case *ast.UnsetProperties:
		parameters, err = a.unsetProperties(n)
	case *ast.AddColumns:
		parameters, err = a.addColumns(ctx, n)
	case *ast.RenameColumn:
		parameters, err = a.renameColumn(n)
	case *ast.DropColumns:
		parameters, err = a.dropColumns(n)
	case *ast.AlterColumns:
		parameters, err = a.alterColumns(ctx, n)
	case *ast.AddConstraint:
		parameters, err = a.addConstraint(ctx, n)
	case *ast.DropConstraint:
		parameters, err = a.dropConstraint(n)
	}
	if err != nil {
		return nil, true, at(err, action)
	}
	if parameters == nil {
		return none(), true, nil // there was nothing to do
	}
	return none(), true, at(a.save(ctx, operation, parameters), action)
}

// save commits the change.
func (a *deltaAlteration) save(ctx context.Context, operation string, parameters []protocol.Parameter) error {
	t := a.target
	m := a.edit.Result()
	p := t.snap.Protocol.Raise(a.wishes, m, a.edit.Schema)
	if err := protocol.CheckWrite(t.name, p, m, a.edit.Schema); err != nil {
		return err
	}
	old := t.snap.Protocol
	if protocol.Active(p, m, a.edit.Schema, protocol.FeatureRowTracking) && !protocol.Active(old, t.snap.Metadata, t.snap.Schema, protocol.FeatureRowTracking) && t.snap.NumFiles() > 0 {
		return sqlerr.Unsupported("DELTA_ROW_TRACKING_BACKFILL", "row tracking for a Delta table that has files, whose rows would need ids")
	}
	a.commit.Metadata = m
	if !p.Equal(old) {
		a.commit.Protocol = p
	}
	a.commit.Info = a.deltaInfo(operation, parameters, map[string]string{})
	if _, err := a.commitDelta(ctx, t, &a.commit); err != nil {
		return err
	}
	if !a.uncomment && len(a.unlinked) == 0 || t.table == nil {
		return nil
	}
	return a.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		entry, err := tx.TableByID(t.table.ID)
		if err != nil {
			return err
		}
		if a.uncomment {
			entry.Comment = ""
		}
		for _, k := range a.unlinked {
			delete(entry.Properties, k)
		}
		a.touch(&entry.Securable)
		return tx.UpdateTable(entry)
	})
}

// describe sets the table's comment.
func (a *deltaAlteration) describe(comment string) {
	m := *a.edit.Metadata
	m.Description = comment
	a.edit.Metadata = &m
	a.uncomment = comment == ""
}

func (a *deltaAlteration) setProperties(n *ast.SetProperties) ([]protocol.Parameter, error) {
	given := properties(n.Properties)
	for k := range given {
		if strings.HasPrefix(strings.ToLower(k), constraintPrefix) {
			return nil, sqlerr.DeltaConstraintProperty(k)
		}
	}
	var err error
	if a.wishes, err = protocol.SplitProperties(given); err != nil {
		return nil, err
	}
	told := protocol.TextParameter("properties", propertiesJSON(given))
	set := map[string]string{}
	for k, v := range a.wishes.Properties {
		switch {
		case strings.EqualFold(k, "comment"):
			a.describe(v)
		case strings.EqualFold(k, protocol.PropertyMaxColumnID):
			return nil, sqlerr.PropertyFixed(protocol.PropertyMaxColumnID, "It counts the columns that the table ever had.")
		case strings.EqualFold(k, protocol.PropertyMappingMode):
			mode := protocol.MappingModeOf(&protocol.Metadata{Configuration: map[string]string{protocol.PropertyMappingMode: v}})
			if err := a.edit.MapColumns(mode, false); err != nil {
				return nil, err
			}
		default:
			set[k] = v
		}
	}
	a.edit.Metadata = a.edit.Metadata.With(set)
	if err := checkRetention(a.edit.Metadata, a.wishes.Properties); err != nil {
		return nil, err
	}
	if _, given := a.wishes.Properties[protocol.PropertyStatsColumns]; given {
		if err := protocol.CheckStatsColumns(a.edit.Metadata, a.edit.Schema); err != nil {
			return nil, err
		}
	}
	return []protocol.Parameter{told}, nil
}

// checkRetention refuses to have the log forget a removal before the file that it took out may be deleted: nothing would tell any more
// since when the file is not the table's. It looks only when a statement sets one of the two times.
func checkRetention(m *protocol.Metadata, given map[string]string) error {
	for k, v := range given {
		if (k == delta.PropertyLogRetention || k == delta.PropertyFileRetention) && delta.LogRetention(m) < delta.FileRetention(m) {
			return sqlerr.InvalidTableProperty(k, v, "such that "+delta.PropertyLogRetention+" is not shorter than "+delta.PropertyFileRetention)
		}
	}
	return nil
}

// unsetProperties takes properties away. As in Spark, one that is not set is passed over, with and without IF EXISTS.
func (a *deltaAlteration) unsetProperties(n *ast.UnsetProperties) ([]protocol.Parameter, error) {
	m := a.edit.Metadata
	for _, k := range n.Keys {
		if t := a.target.table; t != nil && migrate.IsLink(k) && t.Properties[k] != "" {
			a.unlinked = append(a.unlinked, k)
		}
		switch {
		case strings.EqualFold(k, "comment"):
			a.describe("")
			m = a.edit.Metadata
		case strings.HasPrefix(strings.ToLower(k), constraintPrefix):
			return nil, sqlerr.DeltaConstraintProperty(k)
		case k == protocol.PropertyMappingMode && protocol.MappingModeOf(m) != protocol.MappingNone:
			return nil, sqlerr.DeltaMappingMode(protocol.MappingModeOf(m).String(), protocol.MappingNone.String())
		case k == protocol.PropertyMaxColumnID:
			return nil, sqlerr.PropertyFixed(k, "It counts the columns that the table ever had.")
		}
		m = m.Without(k)
	}
	a.edit.Metadata = m
	return []protocol.Parameter{protocol.ListParameter("properties", n.Keys), protocol.BoolParameter("ifExists", n.IfExists)}, nil
}

// constraint finds a constraint by name, ignoring case: the property that holds it.
func (a *deltaAlteration) constraint(name string) (key string, ok bool) {
	for k := range a.edit.Metadata.Configuration {
		if strings.EqualFold(k, constraintPrefix+name) {
			return k, true
		}
	}
	return "", false
}

// addConstraint adds a CHECK constraint that all rows satisfy.
func (a *deltaAlteration) addConstraint(ctx context.Context, n *ast.AddConstraint) ([]protocol.Parameter, error) {
	t := a.target
	if key, ok := a.constraint(n.Name.Name); ok {
		return nil, sqlerr.DeltaConstraintExists(n.Name.Name, a.edit.Metadata.Configuration[key]).At(n.Name.Span())
	}
	var columns []plan.Column
	for i, f := range t.scan.Schema {
		columns = append(columns, plan.Column{ID: expr.ColumnID(i + 1), Name: f.Name, Type: f.Type})
	}
	// A constraint has no tables around it: what cannot be understood so could not be checked when rows are written.
	cond, err := bind.BindExpr(ctx, n.Check, columns, a.bindEnv(nil))
	if err != nil {
		return nil, err
	}
	if cond.Type().Kind != types.Boolean {
		return nil, sqlerr.DeltaCheckNotBoolean(n.Name.Name, n.Text).At(n.Check.Span())
	}
	hasQuery := false
	expr.Walk(cond, func(x expr.Expr) bool {
		if _, ok := x.(*expr.Subquery); ok {
			hasQuery = true
		}
		return true
	})
	if hasQuery {
		return nil, sqlerr.DeltaSubquery("CHECK constraint "+n.Name.Name, n.Text).At(n.Check.Span())
	}
	bad, err := a.countRows(ctx, "NOT coalesce(("+n.Text+"\n), FALSE)")
	if err != nil {
		return nil, err
	}
	if bad > 0 {
		return nil, sqlerr.DeltaNewCheckViolated(decimal(bad), t.name, n.Text).At(n.Check.Span())
	}
	a.edit.Metadata = a.edit.Metadata.With(map[string]string{constraintPrefix + strings.ToLower(n.Name.Name): n.Text})
	a.wishes.Features = append(a.wishes.Features, protocol.FeatureCheckConstraints)
	return []protocol.Parameter{protocol.TextParameter("name", n.Name.Name), protocol.TextParameter("expr", n.Text)}, nil
}

func (a *deltaAlteration) dropConstraint(n *ast.DropConstraint) ([]protocol.Parameter, error) {
	key, ok := a.constraint(n.Name.Name)
	switch {
	case !ok && n.IfExists:
		return nil, nil
	case !ok:
		return nil, sqlerr.DeltaConstraintMissing(n.Name.Name, a.target.name).At(n.Name.Span())
	}
	text := a.edit.Metadata.Configuration[key]
	a.edit.Metadata = a.edit.Metadata.Without(key)
	return []protocol.Parameter{protocol.TextParameter("name", n.Name.Name), protocol.TextParameter("expr", text), protocol.BoolParameter("existed", true)}, nil
}

// countRows counts the table's rows that a condition holds for. The commit rests on what was looked at, so that rows which others
// add meanwhile are not passed over.
func (a *deltaAlteration) countRows(ctx context.Context, condition string) (int64, error) {
	t := a.target
	where, err := parser.ParseExpr(condition)
	if err != nil {
		return 0, err
	}
	into, err := t.into()
	if err != nil {
		return 0, err
	}
	found, err := bind.BindDelete(ctx, &ast.Delete{At: a.name.At, Table: a.name, Where: where}, into, a.bindEnv(t.rels))
	if err != nil {
		return 0, err
	}
	t.source.Confined = nil
	counts, err := (&deltaChange{run: a.run, target: t, into: into, commit: &a.commit}).find(ctx, found)
	var n int64
	for _, c := range counts {
		n += c.deleted
	}
	a.commit.Reads.WholeTable = true
	return n, err
}

// mentions reports whether an expression names a column, a part of it or what it is a part of. Expressions that cannot be read are
// taken to.
func mentions(sql string, path []string) bool {
	e, err := parser.ParseExpr(sql)
	if err != nil {
		return true
	}
	hit := false
	look := func(x ast.Expr) (ast.Expr, error) {
		if c, ok := x.(*ast.ColumnRef); ok {
			same := true
			for i := range min(len(path), len(c.Parts)) {
				same = same && strings.EqualFold(path[i], c.Parts[i].Name)
			}
			hit = hit || same
		}
		return x, nil
	}
	x, _ := look(e)
	if err := ast.Rewrite(x, nil, look); err != nil {
		return true
	}
	return hit
}

// unused refuses to change a column that constraints or generated columns are made of; with itself, one that is generated, too.
func (a *deltaAlteration) unused(operation string, path []string, itself bool) error {
	checks, err := checksOf(&protocol.State{Metadata: a.edit.Metadata, Schema: a.edit.Schema})
	if err != nil {
		return err
	}
	var using, generated []string
	for _, c := range checks {
		if mentions(c.SQL, path) {
			using = append(using, c.Name+": "+c.SQL)
		}
	}
	for _, f := range a.edit.Schema.Fields {
		if text, ok := f.Metadata.Text(protocol.KeyGeneration); ok && (mentions(text, path) || itself && strings.EqualFold(f.Name, path[0])) {
			generated = append(generated, f.Name+": "+text)
		}
	}
	switch {
	case len(using) > 0:
		return sqlerr.DeltaConstraintUses(operation, strings.Join(path, "."), strings.Join(using, ", "))
	case len(generated) > 0:
		return sqlerr.DeltaGeneratedUses(operation, strings.Join(path, "."), strings.Join(generated, ", "))
	}
	return nil
}

// deltaAtLocation checks that a Delta table may be pointed at a location: there must be a Delta table with the same columns. It gives what the
// table is there.
func (r *run) deltaAtLocation(ctx context.Context, rel relation, loc storage.Location) (*delta.Snapshot, error) {
	log, err := r.existingLog(ctx, loc.String())
	if err != nil {
		return nil, err
	}
	snap, err := log.Snapshot(ctx, delta.At{})
	if err != nil {
		return nil, err
	}
	now, err := r.withLog(ctx, rel)
	if err != nil {
		return nil, err
	}
	have, want := schemaText(snap.Schema.Columns()), schemaText(now.table.Columns)
	if have != want || !slices.Equal(deltaPartition(snap), now.table.Partition) {
		return nil, sqlerr.DeltaSetLocationSchema(want, have)
	}
	return snap, nil
}
