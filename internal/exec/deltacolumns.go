package exec

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// fieldAt finds a column or field; ok is false when there is none. "element", "key" and "value" go into arrays and maps.
func fieldAt(s protocol.Schema, path []string) (f protocol.Field, ok bool) {
	f, inside, ok := s.Part(path)
	return f, ok && len(inside) == 0
}

// columnAt is fieldAt for a name of the statement.
func (a *deltaAlteration) columnAt(n ast.Name) (protocol.Field, error) {
	f, ok := fieldAt(a.edit.Schema, n.Ident())
	if !ok {
		if err := a.fieldless(n.Ident()); err != nil {
			return f, at(err, n)
		}
		return f, sqlerr.UnresolvedColumn(n.Ident().Quoted(), fieldNames(a.edit.Schema.Columns())).At(n.Span())
	}
	return f, nil
}

// fieldless is the error for a path below something that has no fields, nil when there is a struct or nothing.
func (a *deltaAlteration) fieldless(path ident.Name) error {
	for n := 1; n < len(path); n++ {
		f, inside, ok := a.edit.Schema.Part(path[:n])
		if !ok {
			return nil
		}
		t := f.Type
		if len(inside) > 0 {
			t = inside[len(inside)-1]
		}
		_, _, found := a.edit.Schema.Part(path[:n+1])
		if t.Kind != types.Struct && (!found || n+1 == len(path)) {
			return sqlerr.InvalidFieldName(path[:n+1].Quoted(), path[:n].Quoted())
		}
	}
	return nil
}

// fieldJSON is a field as schemas have it.
func fieldJSON(f protocol.Field) string {
	text := protocol.Schema{Fields: []protocol.Field{f}}.JSON()
	return strings.TrimSuffix(text[strings.IndexByte(text, '[')+1:], "]}")
}

func placeAt(p *ast.ColumnPosition) (at protocol.Place, text string) {
	switch {
	case p == nil:
		return protocol.Place{}, ""
	case p.First:
		return protocol.Place{First: true}, `,"position":"first"`
	}
	return protocol.Place{After: p.After.Name}, `,"position":` + jsonText("after "+p.After.Name)
}

func (a *deltaAlteration) addColumns(ctx context.Context, n *ast.AddColumns) ([]protocol.Parameter, error) {
	var told []string
	for _, d := range n.Columns {
		switch {
		case d.Default != nil:
			return nil, sqlerr.DeltaAddWithDefault().At(d.Span())
		case d.NotNull:
			return nil, sqlerr.DeltaNotAllowed("NOT NULL in ALTER TABLE … ADD COLUMNS, since old rows hold NULL there").At(d.Span())
		}
		fields, err := a.declared(ctx, "ALTER TABLE", []*ast.ColumnDef{d})
		if err != nil {
			return nil, err
		}
		path := d.Path.Ident()
		if _, ok := fieldAt(a.edit.Schema, path); ok {
			return nil, sqlerr.FieldAlreadyExists("add", path.Quoted(), a.target.rel.table.Name).At(d.Span())
		}
		parent := path[:len(path)-1]
		if len(parent) > 0 {
			if _, ok := fieldAt(a.edit.Schema, parent); !ok && len(parent) == 1 {
				return nil, sqlerr.UnresolvedColumn(ident.Name(parent).Quoted(), fieldNames(a.edit.Schema.Columns())).At(d.Span())
			}
		}
		if err := a.fieldless(path); err != nil {
			return nil, at(err, d)
		}
		place, position := placeAt(d.Position)
		if err := a.edit.Add(parent, fields[0], place); err != nil {
			return nil, at(err, d)
		}
		f, _ := fieldAt(a.edit.Schema, path)
		if a.edit.Schema.HoldsUnwritableVoid() {
			return nil, sqlerr.Unsupported("DELTA_VOID_COLUMN", "VOID inside of an array or a map of a Delta table").At(d.Span())
		}
		f.Name = strings.Join(path, ".")
		told = append(told, `{"column":`+fieldJSON(f)+position+`}`)
	}
	return []protocol.Parameter{protocol.TextParameter("columns", "["+strings.Join(told, ",")+"]")}, nil
}

func (a *deltaAlteration) renameColumn(n *ast.RenameColumn) ([]protocol.Parameter, error) {
	path := n.From.Ident()
	if _, err := a.columnAt(n.From); err != nil {
		return nil, err
	}
	fresh := append(slices.Clone(path[:len(path)-1]), n.To.Name)
	if _, ok := fieldAt(a.edit.Schema, fresh); ok && !strings.EqualFold(n.To.Name, path[len(path)-1]) {
		return nil, sqlerr.FieldAlreadyExists("rename", ident.Name(fresh).Quoted(), a.target.rel.table.Name).At(n.To.Span())
	}
	if err := a.unused("rename", path, false); err != nil {
		return nil, err
	}
	if err := a.edit.Rename(path, n.To.Name); err != nil {
		return nil, err
	}
	return []protocol.Parameter{protocol.TextParameter("oldColumnPath", path.String()), protocol.TextParameter("newColumnPath", ident.Name(fresh).String())}, nil
}

func (a *deltaAlteration) dropColumns(n *ast.DropColumns) ([]protocol.Parameter, error) {
	var told []string
	for _, c := range n.Columns {
		path := c.Ident()
		if _, ok := fieldAt(a.edit.Schema, path); !ok {
			if n.IfExists {
				continue
			}
			if _, inside, ok := a.edit.Schema.Part(path); ok && len(inside) > 0 {
				return nil, sqlerr.DeltaDropPart(path.Quoted()).At(c.Span())
			}
			_, err := a.columnAt(c)
			return nil, err
		}
		if protocol.MappingModeOf(a.edit.Metadata) != protocol.MappingNone {
			if err := a.unused("drop", path, false); err != nil {
				return nil, at(err, c)
			}
			if err := a.unclustered(path); err != nil {
				return nil, at(err, c)
			}
		}
		if err := a.edit.Drop(path); err != nil {
			return nil, at(err, c)
		}
		told = append(told, path.String())
	}
	if len(told) == 0 {
		return nil, nil
	}
	if rest := a.edit.Schema.Fields; len(rest) <= len(a.edit.Metadata.PartitionColumns) {
		return nil, sqlerr.DeltaNotAllowed("tables without data columns: the last of them cannot be dropped")
	}
	return []protocol.Parameter{protocol.ListParameter("columns", told)}, nil
}

// unclustered refuses to drop a column that the table's files are clustered by.
func (a *deltaAlteration) unclustered(path []string) error {
	d := a.target.snap.Domain("delta.clustering")
	if d == nil {
		return nil
	}
	f, _ := fieldAt(a.edit.Schema, path)
	if strings.Contains(d.Configuration, jsonText(f.PhysicalName(protocol.MappingModeOf(a.edit.Metadata)))) {
		return sqlerr.Unsupported("DELTA_CLUSTERING_COLUMN", "dropping the column "+strings.Join(path, ".")+", which the table is clustered by")
	}
	return nil
}

func (a *deltaAlteration) alterColumns(ctx context.Context, n *ast.AlterColumns) ([]protocol.Parameter, error) {
	var told []string
	for _, c := range n.Changes {
		text, err := a.alterColumn(ctx, c)
		if err != nil {
			return nil, at(err, c)
		}
		told = append(told, text)
	}
	if len(told) == 1 {
		return []protocol.Parameter{protocol.TextParameter("column", told[0])}, nil
	}
	return []protocol.Parameter{protocol.TextParameter("columns", "["+strings.Join(told, ",")+"]")}, nil
}

// alterColumn changes one column, and gives it as it is now.
func (a *deltaAlteration) alterColumn(ctx context.Context, c *ast.ColumnChange) (string, error) {
	path := c.Column.Ident()
	if _, inside, ok := a.edit.Schema.Part(path); ok && len(inside) > 0 {
		return a.alterPart(c, inside)
	}
	old, err := a.columnAt(c.Column)
	if err != nil {
		return "", err
	}
	if c.Type != nil {
		if err := a.retype(path, old, c.Type.T); err != nil {
			return "", err
		}
	}
	if c.NotNull != nil && *c.NotNull && old.Nullable {
		if err := a.noNulls(ctx, path); err != nil {
			return "", err
		}
	}
	var fallback types.Field
	if c.Default != nil {
		if len(path) > 1 {
			return "", sqlerr.Unsupported("TABLE_CLAUSE", "DEFAULT of a field of a struct")
		}
		if !a.target.snap.Protocol.Supports(protocol.FeatureColumnDefaults) {
			return "", sqlerr.DeltaDefaultsOff("ALTER TABLE")
		}
		fallback = a.edit.Schema.Columns()[a.edit.Schema.Find(path[0])]
		if err := a.setDefault(ctx, "ALTER TABLE", &fallback, c.Default, c.DefaultText, false); err != nil {
			return "", err
		}
	}
	err = a.edit.Field(path, func(f protocol.Field) (protocol.Field, error) {
		if c.Comment != nil {
			f.Metadata = f.Metadata.WithText(protocol.KeyComment, *c.Comment)
		}
		if c.NotNull != nil {
			f.Nullable = !*c.NotNull
		}
		if c.Default != nil {
			f.Metadata = f.Metadata.WithText(protocol.KeyCurrentDefault, fallback.Default)
		}
		if c.DropDefault {
			f.Metadata = f.Metadata.Without(func(k string) bool { return k == protocol.KeyCurrentDefault })
		}
		return f, nil
	})
	if err != nil {
		return "", err
	}
	place, position := placeAt(c.Position)
	if c.Position != nil {
		if !c.Position.First && strings.EqualFold(c.Position.After.Name, path[len(path)-1]) {
			return "", sqlerr.UnresolvedColumn(ident.Quote(c.Position.After.Name), nil)
		}
		if err := a.edit.Move(path, place); err != nil {
			return "", err
		}
	}
	if c.NewName != nil && c.NewName.Name != path[len(path)-1] {
		if _, err := a.renameColumn(&ast.RenameColumn{At: c.At, From: c.Column, To: *c.NewName}); err != nil {
			return "", err
		}
		path = append(slices.Clone(path[:len(path)-1]), c.NewName.Name)
	}
	f, _ := fieldAt(a.edit.Schema, path)
	f.Name = path.String()
	return strings.TrimSuffix(fieldJSON(f), "}") + position + "}", nil
}

// alterPart changes what an array or a map is made of: its type alone, since a schema keeps comments and defaults for fields only. It
// gives the part as it is now.
func (a *deltaAlteration) alterPart(c *ast.ColumnChange, inside []protocol.Type) (string, error) {
	path := c.Column.Ident()
	if c.Comment != nil {
		return "", sqlerr.DeltaCommentOnPart(path.Quoted())
	}
	if c.Type == nil {
		return "", sqlerr.Unsupported("TABLE_CLAUSE", "a default, a name, NOT NULL or a place for "+path.Quoted()+", a part of an array or a map")
	}
	part := protocol.Field{Name: path.String(), Type: inside[len(inside)-1], Nullable: true, Metadata: "{}"}
	if err := a.retype(path, part, c.Type.T); err != nil {
		return "", err
	}
	_, inside, _ = a.edit.Schema.Part(path)
	part.Type = inside[len(inside)-1]
	return fieldJSON(part), nil
}

// retype changes a column's type: VARCHAR by its bound alone, others when the table widens types.
func (a *deltaAlteration) retype(path ident.Name, old protocol.Field, to types.Type) error {
	one := protocol.SchemaOf([]types.Field{{Name: old.Name, Type: to}}).Fields[0]
	was := (protocol.Schema{Fields: []protocol.Field{old}}).Columns()[0].Type
	if types.Equal(was, to) {
		return nil
	}
	refuse := func(advice string) error {
		return sqlerr.DeltaChangeColumn(path.Quoted(), was.SQL(), to.SQL(), advice)
	}
	if err := a.unused("change the type of", path, true); err != nil {
		return err
	}
	if was.Kind.IsText() && to.Kind.IsText() {
		// The bound of a text is in the metadata of the column; one for a part of it would be a type of the whole.
		if _, ok := fieldAt(a.edit.Schema, path); !ok || !widens(was, to) {
			return refuse("")
		}
		return a.edit.Field(path, func(f protocol.Field) (protocol.Field, error) {
			f.Metadata = f.Metadata.Without(func(k string) bool { return k == protocol.KeyCharVarchar })
			if raw, ok := one.Metadata.Get(protocol.KeyCharVarchar); ok {
				f.Metadata = f.Metadata.With(protocol.KeyCharVarchar, raw)
			}
			return f, nil
		})
	}
	if old.Type.Kind.IsNested() || one.Type.Kind.IsNested() || !protocol.CanWiden(old.Type, one.Type) {
		return refuse("")
	}
	if old.Type.Kind != types.Void && !protocol.Active(a.target.snap.Protocol, a.edit.Metadata, a.edit.Schema, protocol.FeatureTypeWidening) {
		return refuse(" SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true') makes it possible.")
	}
	return a.edit.Widen(path, to)
}

// noNulls looks whether a column may become NOT NULL.
func (a *deltaAlteration) noNulls(ctx context.Context, path ident.Name) error {
	if len(path) > 1 {
		return sqlerr.Unsupported("TABLE_CLAUSE", "SET NOT NULL of a field of a struct")
	}
	n, err := a.countRows(ctx, path.Quoted()+" IS NULL")
	if err == nil && n > 0 {
		err = sqlerr.DeltaNewNotNullViolated(decimal(n), a.target.name, path.Quoted())
	}
	return err
}

// jsonText is a text as JSON has it.
func jsonText(s string) string {
	return protocol.TextParameter("", s).JSON
}
