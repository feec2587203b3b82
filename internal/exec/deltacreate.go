package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// createDelta is CREATE TABLE … USING delta over a log that is there: what the statement declares must be what the log says.
func (r *run) createDelta(ctx context.Context, n *ast.CreateTable, full ident.Name) (*Result, error) {
	if n.Buckets != nil {
		return nil, sqlerr.DeltaNoBuckets(full.Quoted()).At(n.Buckets.Span())
	}
	t := &catalog.Table{Securable: r.securable(full[2], n.Comment), Kind: catalog.External, Format: deltaFormat, Options: properties(n.Options)}
	loc, err := r.tableLocation(n, t)
	if err != nil {
		return nil, err
	}
	if loc == nil || n.Replace || n.Query != nil {
		return r.makeDelta(ctx, n, full, t, loc)
	}
	t.Location = loc.String()
	log, err := r.x.Deltas.Open(*loc)
	if err != nil {
		return nil, err
	}
	there, err := log.Exists(ctx)
	if err != nil {
		return nil, err
	}
	if !there {
		if err := r.mayBegin(ctx, n, full, *loc); err != nil {
			return nil, at(err, n.LocationAt)
		}
		return r.makeDelta(ctx, n, full, t, loc)
	}
	snap, err := log.Snapshot(ctx, delta.At{})
	if err != nil {
		return nil, err
	}
	if err := r.matchesLog(ctx, n, snap); err != nil {
		return nil, err
	}
	comment := t.Comment
	fromLog(t, snap)
	if n.Comment != nil {
		t.Comment = comment
	}
	return none(), r.writeTable(ctx, n, full, t)
}

// mayBegin refuses a location without a log for a table whose columns the statement does not name, when there is anything: its
// author takes that for a Delta table. Where nothing is, the table begins without columns, as in Delta: a write with schema evolution
// brings them.
func (r *run) mayBegin(ctx context.Context, n *ast.CreateTable, full ident.Name, loc storage.Location) error {
	if n.HasColumns {
		return nil
	}
	holds, err := r.holdsAnything(ctx, loc.String())
	if err == nil && holds {
		err = sqlerr.DeltaWithoutLog(full.Quoted(), loc.String(), loc.Join("_delta_log").String())
	}
	return err
}

// matchesLog compares what a statement declares with the log: columns with their comments, then the partitioning, then the properties.
func (r *run) matchesLog(ctx context.Context, n *ast.CreateTable, snap *delta.Snapshot) error {
	where := snap.Log.Root().String()
	declared, err := r.declared(ctx, "CREATE TABLE", n.Columns)
	if err != nil {
		return err
	}
	typed, err := r.declared(ctx, "CREATE TABLE", n.PartitionColumns)
	if err != nil {
		return err
	}
	if n.HasColumns {
		fields := append(slices.Clone(declared), typed...)
		for i, d := range append(slices.Clone(n.Columns), n.PartitionColumns...) {
			fields[i].NotNull, fields[i].Generated = d.NotNull, d.GeneratedText // which logs keep, unlike other tables
		}
		if diff := differences(fields, snap.Schema.Columns()); len(diff) > 0 {
			return sqlerr.DeltaSchemaMismatch(where, schemaText(fields), schemaText(snap.Schema.Columns()), strings.Join(diff, "; ")).At(n.Span())
		}
	}
	var names []string
	for _, p := range n.PartitionNames {
		names = append(names, p.Name)
	}
	for _, f := range typed {
		names = append(names, f.Name)
	}
	existing := deltaPartition(snap)
	if (n.HasColumns || len(names) > 0) && !slices.EqualFunc(names, existing, strings.EqualFold) {
		return sqlerr.DeltaPartitioningMismatch(where, strings.Join(names, ", "), strings.Join(existing, ", ")).At(n.Span())
	}
	if given := properties(n.Properties); len(given) > 0 {
		have := snap.Metadata.Configuration
		same := len(given) == len(have)
		for k, v := range given {
			same = same && have[k] == v
		}
		if !same {
			return sqlerr.DeltaPropertyMismatch(where, joinProperties(given), joinProperties(have)).At(n.Span())
		}
	}
	return nil
}

// differences says in words how declared columns differ from those of a log: names and order, types, nullability and comments count.
func differences(declared, existing []types.Field) []string {
	var out []string
	find := func(fields []types.Field, name string) *types.Field {
		for i := range fields {
			if strings.EqualFold(fields[i].Name, name) {
				return &fields[i]
			}
		}
		return nil
	}
	for _, e := range existing {
		d := find(declared, e.Name)
		switch {
		case d == nil:
			out = append(out, "the column "+e.Name+" is missing")
		case d.Name != e.Name:
			out = append(out, "the column "+e.Name+" is spelled "+d.Name)
		case d.Type.String() != e.Type.String():
			out = append(out, "the column "+e.Name+" is "+e.Type.SQL()+", not "+d.Type.SQL())
		case d.NotNull != e.NotNull:
			out = append(out, "the column "+e.Name+" differs in NOT NULL")
		case d.Comment != e.Comment || d.HasComment != e.HasComment:
			out = append(out, "the comment of the column "+e.Name+" differs")
		case d.Generated != e.Generated:
			out = append(out, "the column "+e.Name+" is not generated by the same expression")
		}
	}
	for _, d := range declared {
		if find(existing, d.Name) == nil {
			out = append(out, "the column "+d.Name+" is not in the table")
		}
	}
	return out
}

func schemaText(fields []types.Field) string { return types.StructOf(fields...).String() }
