package sqlerr

import (
	"strconv"
	"strings"
)

var catalogConditions = []row{
	{"LOCATION_OVERLAP", "42710"},
	{"INVALID_SCHEMA_OR_RELATION_NAME", "42602"},
	{"CATALOG_VERSION_UNSUPPORTED", "55000"},
	{"CATALOG_UNUSABLE", "58030"},
	{"CATALOG_UNUSABLE.LOCKED", "55P03"},
	{"CATALOG_UNUSABLE.NO_SPACE", "53100"},
	{"CATALOG_UNUSABLE.READ_ONLY", "25006"},
}

// LocationOverlap reports that what (table, volume, external location, managed storage) may not take a location
// because of another thing, given by the same words, its full name and its location.
func LocationOverlap(what, location, otherWhat, otherName, otherLocation string) *Error {
	return newError("LOCATION_OVERLAP",
		[]Param{{"location", location}, {"otherType", otherWhat}, {"otherName", otherName}, {"otherLocation", otherLocation}},
		"The location %s of the %s overlaps with the %s %s at %s. Choose a location that is neither inside nor above it.",
		location, what, otherWhat, otherName, otherLocation)
}

// InvalidObjectName reports a name that nothing may be created under. why completes "cannot be used because …".
func InvalidObjectName(what, name, why string) *Error {
	quoted := "`" + strings.ReplaceAll(name, "`", "``") + "`"
	return newError("INVALID_SCHEMA_OR_RELATION_NAME", []Param{{"name", quoted}, {"objectType", what}},
		"%s cannot be used as the name of a %s: %s.", quoted, what, why)
}

// CatalogVersionUnsupported reports a catalog whose format is newer than this Tarn reads.
func CatalogVersionUnsupported(path string, format, supported int) *Error {
	return newError("CATALOG_VERSION_UNSUPPORTED",
		[]Param{{"path", path}, {"version", strconv.Itoa(format)}, {"supported", strconv.Itoa(supported)}},
		"The catalog %s has format %d, and this Tarn reads formats up to %d. Use a newer Tarn.", path, format, supported)
}

// CatalogCorrupt reports a damaged catalog file.
func CatalogCorrupt(path string, cause error) *Error {
	return unusable("CORRUPT", path, cause, "The catalog %s is damaged. Restore it from a copy; Tarn has not changed it.")
}

// CatalogNotRecognized reports that the file in the catalog's place is something else.
func CatalogNotRecognized(path string, cause error) *Error {
	return unusable("NOT_A_CATALOG", path, cause, "The file %s is not a Tarn catalog. Move it away, or choose another home with --home.")
}

// CatalogReadOnly reports a write to a catalog that cannot be written.
func CatalogReadOnly(path string, cause error) *Error {
	return unusable("READ_ONLY", path, cause, "The catalog %s cannot be written: its file, directory or disk is read-only for this user. Give write permission, or choose another home with --home.")
}

// CatalogLocked reports that another process kept the catalog locked for longer than a statement waits.
func CatalogLocked(path string, cause error) *Error {
	return unusable("LOCKED", path, cause, "Another process keeps the catalog %s locked. Nothing was changed; try again when it has finished.")
}

// CatalogNoSpace reports a full disk.
func CatalogNoSpace(path string, cause error) *Error {
	return unusable("NO_SPACE", path, cause, "The disk that holds the catalog %s is full. Nothing was changed; free some space and try again.")
}

// CatalogNotCreatable reports that the catalog, or its directory, cannot be made or opened.
func CatalogNotCreatable(path string, cause error) *Error {
	e := unusable("NOT_CREATABLE", path, cause, "The catalog %s cannot be opened or created.")
	e.Message += " The system said: " + describe(cause) + ". Choose another home with --home."
	return e
}

func unusable(sub Condition, path string, cause error, format string) *Error {
	e := newError("CATALOG_UNUSABLE."+sub, []Param{{"path", path}}, format, path)
	e.Cause = cause
	return e
}
