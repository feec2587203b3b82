package ast

// CreateCatalog is CREATE CATALOG.
type CreateCatalog struct {
	At
	Name        Ident
	IfNotExists bool
	Comment     *string
	Location    *string // MANAGED LOCATION
	Properties  []Property
}

// DropCatalog is DROP CATALOG. RESTRICT is the default.
type DropCatalog struct {
	At
	Name     Ident
	IfExists bool
	Cascade  bool
}

// DescribeCatalog is DESCRIBE CATALOG.
type DescribeCatalog struct {
	At
	Name     Ident
	Extended bool
}

// AlterCatalog is ALTER CATALOG. Action is *SetOwner, *SetProperties or *UnsetProperties.
type AlterCatalog struct {
	At
	Name   Ident
	Action Action
}

// CreateSchema is CREATE SCHEMA, DATABASE or NAMESPACE.
type CreateSchema struct {
	At
	Name        Name
	IfNotExists bool
	Comment     *string
	Location    *string // LOCATION or MANAGED LOCATION
	Managed     bool    // MANAGED was written
	Properties  []Property
}

// DropSchema is DROP SCHEMA. RESTRICT is the default.
type DropSchema struct {
	At
	Name     Name
	IfExists bool
	Cascade  bool
}

// DescribeSchema is DESCRIBE SCHEMA.
type DescribeSchema struct {
	At
	Name     Name
	Extended bool
}

// AlterSchema is ALTER SCHEMA. Action is *SetProperties, *UnsetProperties, *SetOwner or *SetLocation.
type AlterSchema struct {
	At
	Name   Name
	Action Action
}

// Use is USE name and USE SCHEMA name: one part names a schema of the current catalog (or a catalog, if there is no
// such schema and SchemaOnly is false), two parts name catalog and schema.
type Use struct {
	At
	Name       Name
	SchemaOnly bool // USE SCHEMA, DATABASE or NAMESPACE
}

// UseCatalog is SET CATALOG name and USE CATALOG name.
type UseCatalog struct {
	At
	Name Name
}

// CreateVolume is CREATE [EXTERNAL] VOLUME.
type CreateVolume struct {
	At
	External    bool
	Name        Name
	IfNotExists bool
	Comment     *string
	Location    *string
}

// AlterVolume is ALTER VOLUME. Action is *RenameTo or *SetOwner.
type AlterVolume struct {
	At
	Name   Name
	Action Action
}

// DropVolume is DROP VOLUME.
type DropVolume struct {
	At
	Name     Name
	IfExists bool
}

// DescribeVolume is DESCRIBE VOLUME.
type DescribeVolume struct {
	At
	Name Name
}

// CreateExternalLocation is CREATE EXTERNAL LOCATION.
type CreateExternalLocation struct {
	At
	Name        Ident
	IfNotExists bool
	URL         string
	Credential  *Ident
	Comment     *string
}

// AlterExternalLocation is ALTER EXTERNAL LOCATION. Action is *RenameTo, *SetOwner, *SetURL or *SetCredential.
type AlterExternalLocation struct {
	At
	Name   Ident
	Action Action
}

// DropExternalLocation is DROP EXTERNAL LOCATION.
type DropExternalLocation struct {
	At
	Name     Ident
	IfExists bool
	Force    bool
}

// DescribeExternalLocation is DESCRIBE EXTERNAL LOCATION.
type DescribeExternalLocation struct {
	At
	Name Ident
}

// CommentOn is COMMENT ON {CATALOG | SCHEMA | TABLE | VOLUME | COLUMN} name IS …. Kind is the word in upper case
// (SCHEMA for DATABASE and NAMESPACE too). Comment is nil for NULL.
type CommentOn struct {
	At
	Kind    string
	Name    Name
	Comment *string
}
