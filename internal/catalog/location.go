package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/storage"
)

// family maps schemes to the one under which the places of their service compare. storage.Location.Equal has the same
// rule; a test holds the two together.
var family = map[string]string{"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}

// LocationKey is the form of a location under which places compare: two locations are the same place when their keys
// are equal, and a lies below b when a's key begins with b's key and a slash. It has no trailing slash; schemes that name
// the same service are one. The key of "" is "". A text that is no location is its own key, less trailing slashes.
func LocationKey(location string) string {
	l, err := storage.ParseLocation(location, "")
	if err != nil {
		return strings.TrimRight(location, "/")
	}
	scheme := l.Scheme()
	if to, ok := family[scheme]; ok {
		scheme = to
	}
	path := strings.TrimRight(l.Path(), "/")
	if l.Authority() == "" {
		return scheme + ":" + path
	}
	return scheme + "://" + strings.ToLower(l.Authority()) + path
}

// Ancestors lists the keys of the places that contain key, outermost first, and key itself last.
func Ancestors(key string) []string {
	var out []string
	for i := 0; i < len(key); i++ {
		if key[i] == '/' && i > 0 && key[i-1] != '/' {
			out = append(out, key[:i])
		}
	}
	return append(out, key)
}

// Contains reports whether inner is outer or lies below it, comparing path segments: /a contains /a/b and not /ab.
func Contains(outer, inner string) bool {
	o, i := LocationKey(outer), LocationKey(inner)
	return strings.HasPrefix(i, o) && (len(i) == len(o) || i[len(o)] == '/')
}

// Join appends one directory name to a location.
func Join(location, name string) string { return strings.TrimRight(location, "/") + "/" + name }

// CatalogLocation is the managed storage of a new catalog when CREATE CATALOG names no place: below the warehouse, as
// SchemaLocation names directories.
func CatalogLocation(warehouse, name string, id ID) string {
	return SchemaLocation(&Catalog{Location: warehouse}, name, id)
}

// SchemaLocation is where the managed tables of a new schema go when CREATE SCHEMA names no place: below the catalog's
// location, under the schema's name. A name with characters that do not belong into a path is shortened to those that
// do, and then carries the first eight digits of the schema's id so that two such schemas do not share a directory.
func SchemaLocation(c *Catalog, name string, id ID) string {
	dir := directoryName(name)
	if dir != ident.Fold(name) {
		dir += "-" + id.short()
	}
	return Join(c.Location, dir)
}

// ManagedLocation is the directory of a managed table or volume. In a catalog under Unity's rules it carries the first
// eight digits of the id, so that a name can be dropped and made again while the old files wait for VACUUM, and RENAME
// moves nothing. Under Hive's rules it is the folded name, as Spark makes it.
func ManagedLocation(rules Rules, s *Schema, name string, id ID) string {
	if rules == HiveRules {
		return Join(s.Location, ident.Fold(name))
	}
	return Join(s.Location, directoryName(name)+"-"+id.short())
}

// maxDirectoryName leaves room for "-" and eight digits within the 255 bytes that file systems allow.
const maxDirectoryName = 200

// directoryName is the folded name with everything but letters, digits, '_' and '-' replaced by '_': percent signs,
// quotes and question marks would mean something in a URI.
func directoryName(name string) string {
	var b strings.Builder
	for _, r := range ident.Fold(name) {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = '_'
		}
		if b.Len()+utf8.RuneLen(r) > maxDirectoryName {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
