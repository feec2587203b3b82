package delta

import "strings"

// MappingMode says how the columns of data files are found.
type MappingMode uint8

// The modes of column mapping.
const (
	MappingNone MappingMode = iota // by display name
	MappingName                    // by physical name
	MappingID                      // by the field id of Parquet
)

// Properties of a table that column mapping keeps.
const (
	PropertyMappingMode = "delta.columnMapping.mode"
	PropertyMaxColumnID = "delta.columnMapping.maxColumnId"
)

// MappingModeOf is the table's mode; an unknown word is none.
func MappingModeOf(m *Metadata) MappingMode {
	switch strings.ToLower(m.Configuration[PropertyMappingMode]) {
	case "name":
		return MappingName
	case "id":
		return MappingID
	}
	return MappingNone
}

// String is the mode's word in the property.
func (m MappingMode) String() string { return [...]string{"none", "name", "id"}[m] }

// PhysicalName is the field's name in data files, statistics and partition values.
func (f Field) PhysicalName(mode MappingMode) string {
	if mode != MappingNone {
		if name, ok := f.Metadata.Text(KeyPhysicalName); ok && name != "" {
			return name
		}
	}
	return f.Name
}

// ColumnID is the field's id in data files; ok is false when it has none.
func (f Field) ColumnID() (id int64, ok bool) { return f.Metadata.Long(KeyColumnID) }
