package catalog

import (
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// MaxNameLength is how many characters a name may have (Unity Catalog's limit).
const MaxNameLength = 255

// Names of the catalogs that a new store holds, and the one alias.
const (
	MainCatalog   = "main"
	HiveCatalog   = "hive_metastore"
	SystemCatalog = "system"
	// SparkCatalog is another name of HiveCatalog: what Spark calls its session catalog.
	SparkCatalog  = "spark_catalog"
	DefaultSchema = "default"
	// InformationSchema is readable in every catalog and stored in none, so nothing may be created under its name.
	InformationSchema = "information_schema"
)

// FoldCatalog is the form under which stores look up the name of a catalog: folded, with the alias resolved.
func FoldCatalog(name string) string {
	f := ident.Fold(name)
	if f == SparkCatalog {
		return HiveCatalog
	}
	return f
}

// ValidateName checks the name of something that is to be created. what is the word for it that messages use (catalog,
// schema, table, view, volume, external location).
//
// Under Unity's rules a name has 1 to 255 characters and no period, space, slash, control character or DEL (Databricks'
// rule), so that full names and directory names stay readable. Under Hive's rules a name is letters, digits and
// underscores (Spark's rule for its session catalog). The failure is INVALID_SCHEMA_OR_RELATION_NAME.
func ValidateName(rules Rules, what, name string) error {
	switch {
	case name == "":
		return sqlerr.InvalidObjectName(what, name, "it is empty")
	case !utf8.ValidString(name):
		return sqlerr.InvalidObjectName(what, name, "it is not valid UTF-8")
	case utf8.RuneCountInString(name) > MaxNameLength:
		return sqlerr.InvalidObjectName(what, name, "it has more than 255 characters")
	}
	for _, r := range name {
		if rules == HiveRules {
			if r != '_' && !isLetterOrDigit(r) {
				return sqlerr.InvalidObjectName(what, name, "names in this catalog have only letters, digits and underscores")
			}
			continue
		}
		switch {
		case r < 0x20 || r == 0x7f:
			return sqlerr.InvalidObjectName(what, name, "it has a control character")
		case r == '.' || r == ' ' || r == '/':
			return sqlerr.InvalidObjectName(what, name, "it has a period, a space or a slash")
		}
	}
	if what == "schema" && strings.EqualFold(name, InformationSchema) {
		return sqlerr.InvalidObjectName(what, name, "it is reserved")
	}
	return nil
}

func isLetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
