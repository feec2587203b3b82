package exec

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// likeSource is the table that another is made like.
func (r *run) likeSource(ctx context.Context, n *ast.CreateTableLike) (relation, error) {
	rel, err := r.readTable(ctx, n.Source, "CREATE TABLE … LIKE")
	if isNotFound(err) && n.Source.Computed == nil && isDeltaPath(n.Source.Ident()) {
		return r.deltaByPath(ctx, n.Source)
	}
	if err != nil {
		return rel, err
	}
	return r.withLog(ctx, rel)
}

// createDeltaLike is CREATE TABLE … LIKE that makes a Delta table: what SHOW CREATE TABLE says of the source, under another name and
// in another place. From a Delta table come the comment and the properties too, as Delta has it; those that the statement
// gives win.
func (r *run) createDeltaLike(ctx context.Context, n *ast.CreateTableLike, src relation) (*Result, error) {
	given, t := properties(n.Properties), src.table.Clone()
	if t.Format == deltaFormat {
		snap, err := r.deltaSnapshot(ctx, t)
		if err != nil {
			return nil, err
		}
		if protocol.Active(snap.Protocol, snap.Metadata, snap.Schema, protocol.FeatureIdentityColumns) {
			return nil, sqlerr.Unsupported("TABLE_FORMAT", "CREATE TABLE … LIKE of a Delta table with the feature "+protocol.FeatureIdentityColumns).At(n.Source.Span())
		}
		all := maps.Clone(snap.Metadata.Configuration)
		maps.DeleteFunc(all, func(k, _ string) bool { return protocol.OwnProperty(k) })
		if all == nil {
			all = map[string]string{}
		}
		if protocol.Active(snap.Protocol, snap.Metadata, snap.Schema, protocol.FeatureColumnDefaults) {
			all["delta.feature."+protocol.FeatureColumnDefaults] = "supported"
		}
		// The case of letters does not matter in Delta's own names: what is given must not stand beside the source's.
		for k := range given {
			maps.DeleteFunc(all, func(old, _ string) bool { return strings.HasPrefix(old, "delta.") && strings.EqualFold(old, k) })
		}
		maps.Copy(all, given)
		given = all
	} else {
		t.Comment = ""
	}
	t.Name, t.Format, t.Kind, t.Location, t.Options, t.Properties = "t", deltaFormat, catalog.Managed, "", nil, given
	// The name does not matter here, and a table by its path has none.
	parsed, err := parser.ParseStatement(createText(relation{place: place{catalog: &catalog.Catalog{Securable: catalog.Securable{Name: "c"}, Rules: catalog.HiveRules}, schema: &catalog.Schema{Securable: catalog.Securable{Name: "s"}}}, table: t}))
	if err != nil {
		return nil, err
	}
	create, ok := parsed.Statement.(*ast.CreateTable)
	if !ok {
		return nil, sqlerr.Internal(errors.New("SHOW CREATE TABLE says something else"))
	}
	create.At, create.Name, create.IfNotExists, create.External, create.Location, create.LocationAt = n.At, n.Name, n.IfNotExists, n.External, n.Location, n.At
	res, err := r.createTable(ctx, create)
	if e := (*sqlerr.Error)(nil); errors.As(err, &e) {
		placed := *e
		placed.Span = n.Span() // places in the text that was made mean nothing to the user
		return nil, &placed
	}
	return res, err
}
