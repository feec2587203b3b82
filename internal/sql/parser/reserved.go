package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// reservedTable and reservedNamespace are the keys that no list of properties may have, exactly as they are spelled here, and what
// to write in their place. They are those of Spark 4.3 (TableCatalog and SupportsNamespaces), without comment, which Spark takes.
var (
	reservedTable = map[string]string{
		"provider": useUsing, "location": useLocation, "owner": ownerIsSet, "external": "use CREATE EXTERNAL TABLE", "collation": useCollation,
		"is_managed_location": removeIt, "table_type": removeIt,
	}
	reservedNamespace = map[string]string{"location": useLocation, "owner": ownerIsSet, "collation": useCollation}
)

const (
	useUsing     = "use the USING clause to specify it"
	useLocation  = "use the LOCATION clause to specify it"
	useCollation = "use the DEFAULT COLLATION clause to specify it"
	ownerIsSet   = "it is set to the current user, and ALTER … OWNER TO changes it"
	removeIt     = "remove it from the list"
)

// tableProperties reads the properties, or options, of a table.
func (p *parser) tableProperties() []ast.Property {
	props := p.properties()
	p.unreservedTable(&ast.SetProperties{Properties: props})
	return props
}

// namespaceProperties reads the properties of a schema.
func (p *parser) namespaceProperties() []ast.Property {
	props := p.properties()
	p.unreservedNamespace(&ast.SetProperties{Properties: props})
	return props
}

func (p *parser) unreservedTable(a ast.Action) {
	p.unreserved(a, reservedTable, sqlerr.ReservedTableProperty)
}

func (p *parser) unreservedNamespace(a ast.Action) {
	p.unreserved(a, reservedNamespace, sqlerr.ReservedNamespaceProperty)
}

// unreserved fails when an action sets or unsets a reserved key.
func (p *parser) unreserved(a ast.Action, reserved map[string]string, report func(key, instead string) *sqlerr.Error) {
	switch a := a.(type) {
	case *ast.SetProperties:
		for _, pr := range a.Properties {
			if instead, ok := reserved[pr.Key]; ok {
				p.fail(report(pr.Key, instead), pr.Span())
				return
			}
		}
	case *ast.UnsetProperties:
		for _, key := range a.Keys {
			if instead, ok := reserved[key]; ok {
				p.fail(report(key, instead), a.Span())
				return
			}
		}
	}
}
