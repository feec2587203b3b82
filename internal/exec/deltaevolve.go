package exec

import (
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// evolveInsert adds the columns of the query of an INSERT WITH SCHEMA EVOLUTION that the table lacks: by their names, or, when the
// INSERT goes by place, those behind the table's last column.
func (in *deltaInsertion) evolveInsert(ctx context.Context) error {
	n := in.stmt
	if n.Columns != nil || !n.Evolve && !in.s.Conf.Bool(conf.AutoMerge) {
		return nil
	}
	made, err := bind.BindCreateAs(ctx, n.Query, nil, in.target.name, in.bindEnv(in.target.rels))
	if err != nil {
		return nil //nolint:nilerr // binding the INSERT finds it again, and says it of the whole statement
	}
	fresh := made.Columns
	if !n.ByName {
		written := len(in.into.Columns)
		for _, fixed := range in.fixed {
			if fixed {
				written--
			}
		}
		fresh = fresh[min(written, len(fresh)):]
	}
	return at(in.evolve(in.target, &in.into, fresh), n.Query)
}

// evolveMerge adds the columns of the source of a MERGE WITH SCHEMA EVOLUTION that the table lacks and a clause writes.
func (p *changing) evolveMerge(ctx context.Context, n *ast.Merge) error {
	if !n.Evolve {
		return nil
	}
	fields, err := bind.MergeSource(ctx, n, p.bindEnv(p.target.rels))
	if err != nil {
		return err
	}
	var fresh []types.Field
	for _, f := range fields {
		if slices.ContainsFunc(n.Clauses, func(c *ast.MergeClause) bool { return writes(c, f.Name) }) {
			fresh = append(fresh, f)
		}
	}
	return at(p.evolve(p.target, &p.into, fresh), n.Source)
}

// evolveCopy adds the columns of the files of a COPY INTO with mergeSchema, or of its SELECT, that the table lacks. Rows that match the
// table's columns by their places, or those that the statement names, bring none.
func (r *run) evolveCopy(ctx context.Context, n *ast.CopyInto, t *deltaTarget, into *bind.InsertTarget, format string, paths []string) error {
	rels := newRelations(r)
	query, how, err := r.copiedRows(ctx, n, rels, *into, format, paths)
	if err != nil || !how.ByName {
		return err
	}
	made, err := bind.BindCreateAs(ctx, query, nil, t.name, r.bindEnv(rels))
	if err != nil {
		return at(err, n)
	}
	return at(r.evolve(t, into, made.Columns), n)
}

// writes reports whether a clause of MERGE writes the column of a name.
func writes(c *ast.MergeClause, name string) bool {
	if c.Star {
		return true
	}
	is := func(n ast.Name) bool {
		parts := n.Ident()
		return ident.Equal(parts[len(parts)-1], name)
	}
	return slices.ContainsFunc(c.Set, func(a ast.Assignment) bool { return is(a.Column) }) || slices.ContainsFunc(c.Columns, is)
}

// evolve adds those columns that the table lacks to what is written, and to the table with the statement's commit.
func (r *run) evolve(t *deltaTarget, into *bind.InsertTarget, columns []types.Field) error {
	edit := &protocol.Change{Metadata: t.snap.Metadata, Schema: t.snap.Schema, NewID: func() string { return string(catalog.NewID()) }}
	for _, f := range columns {
		known := slices.ContainsFunc(into.Columns, func(c types.Field) bool { return r.sameColumn(c.Name, f.Name) })
		if known || f.Type.Kind == types.Void {
			continue
		}
		f = types.Field{Name: f.Name, Type: f.Type}
		if err := edit.Add(nil, f, protocol.Place{}); err != nil {
			return err
		}
		into.Columns = append(slices.Clip(into.Columns), f)
		into.Fresh++
	}
	if into.Fresh == 0 {
		return nil
	}
	m := edit.Result()
	p := t.snap.Protocol.Raise(protocol.Wishes{}, m, edit.Schema)
	if err := protocol.CheckWrite(t.name, p, m, edit.Schema); err != nil {
		return err
	}
	t.evolved = &deltaEvolution{metadata: m, schema: edit.Schema}
	if !p.Equal(t.snap.Protocol) {
		t.evolved.protocol = p
	}
	return nil
}

// deltaEvolution is what a table becomes by the statement that writes it.
type deltaEvolution struct {
	metadata *protocol.Metadata
	schema   protocol.Schema
	protocol *protocol.Protocol // nil when it stays
}

// rows are rows that are written to the table, as it becomes.
func (t *deltaTarget) rows() deltaRows {
	if t.evolved != nil {
		return deltaRows{schema: t.evolved.schema, metadata: t.evolved.metadata, rels: t.rels}
	}
	return deltaRows{schema: t.snap.Schema, metadata: t.snap.Metadata, rels: t.rels}
}

// evolveBy notes in a commit what the table becomes.
func (t *deltaTarget) evolveBy(c *delta.Change) {
	if t.evolved != nil {
		c.Metadata, c.Protocol = t.evolved.metadata, t.evolved.protocol
	}
}

// noEvolution refuses WITH SCHEMA EVOLUTION for a table that is no Delta table.
func noEvolution(n *ast.Insert) error {
	if !n.Evolve {
		return nil
	}
	return sqlerr.Unsupported("SCHEMA_EVOLUTION", "INSERT WITH SCHEMA EVOLUTION into a table that is not a Delta table").At(n.Table.Span())
}
