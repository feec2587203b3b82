package storage

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Location is the absolute URI of a file or directory: a scheme, an authority (bucket, host; empty for local files) and a
// path. The text is raw, as Spark's path text is: "%20" is three characters of a name, never a space. The zero Location
// is no location. Locations of different spelling may be the same place: compare with Equal.
type Location struct {
	scheme    string // lower case
	authority string
	path      string // "/" or "/a/b": starts with '/', no empty, "." or ".." segment, no '/' at the end
}

// ParseLocation reads a location as users write them: a URI ("file:/x", "file:///x", "s3://bucket/x"), an absolute path
// of this machine, or a path relative to base, which must itself be absolute. Duplicate and trailing slashes, "." and ".."
// are normalised away, by their text alone. Failures are of kind BadLocation.
func ParseLocation(text, base string) (Location, error) {
	if text == "" {
		return Location{}, badLocation(text, "it is empty")
	}
	if strings.IndexByte(text, 0) >= 0 {
		return Location{}, badLocation(text, "it holds a NUL byte")
	}
	scheme, rest, ok := splitScheme(text)
	if !ok {
		if text[0] == '/' {
			return Location{scheme: "file", path: cleanPath(text)}, nil
		}
		return parseRelative(text, base)
	}
	if rest == "" || rest[0] != '/' {
		return Location{}, badLocation(text, "a slash must follow the scheme")
	}
	loc := Location{scheme: scheme, path: rest}
	if after, found := strings.CutPrefix(rest, "//"); found {
		loc.authority, loc.path, _ = strings.Cut(after, "/")
	}
	loc.path = cleanPath(loc.path)
	switch {
	case scheme == "file" && loc.authority == "localhost":
		loc.authority = ""
	case scheme == "file" && loc.authority != "":
		return Location{}, badLocation(text, "a file location has no host: write file:/path")
	case loc.authority == "" && needsAuthority(scheme):
		return Location{}, badLocation(text, "the bucket is missing")
	}
	return loc, nil
}

func parseRelative(text, base string) (Location, error) {
	if base == "" {
		return Location{}, badLocation(text, "it is relative, and there is nothing it could be relative to")
	}
	loc, err := ParseLocation(base, "")
	if err != nil {
		return Location{}, err
	}
	loc.path = cleanPath(loc.path + "/" + text)
	return loc, nil
}

// splitScheme cuts "scheme:rest" when text begins with a scheme as RFC 3986 spells it. A colon later on (as in the
// directory name "ts=2024-01-01 00:00:00") is part of a path.
func splitScheme(text string) (scheme, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		c := text[i] | 0x20
		switch {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= text[i] && text[i] <= '9' || text[i] == '+' || text[i] == '-' || text[i] == '.'):
		case i > 0 && text[i] == ':':
			return strings.ToLower(text[:i]), text[i+1:], true
		default:
			return "", "", false
		}
	}
	return "", "", false
}

func needsAuthority(scheme string) bool {
	switch scheme {
	case "s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs":
		return true
	}
	return false
}

// cleanPath normalises a path to "/a/b".
func cleanPath(p string) string {
	if isClean(p) {
		return p
	}
	segments := strings.Split(p, "/")
	out := segments[:0]
	for _, s := range segments {
		switch s {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

func isClean(p string) bool {
	if p == "/" {
		return true
	}
	return len(p) > 1 && p[0] == '/' && p[len(p)-1] != '/' && !strings.Contains(p, "//") &&
		!strings.Contains(p+"/", "/./") && !strings.Contains(p+"/", "/../")
}

func badLocation(text, why string) error {
	return &Error{Op: "parse", Where: text, Kind: BadLocation, Err: errors.New(why)}
}

// String is the text form that Tarn stores and shows: "file:/path" or "scheme://authority/path".
func (l Location) String() string {
	switch {
	case l.scheme == "":
		return ""
	case l.authority == "":
		return l.scheme + ":" + l.path
	default:
		return l.scheme + "://" + l.authority + l.path
	}
}

// IsZero reports whether l is no location.
func (l Location) IsZero() bool { return l.scheme == "" }

// Scheme is the part before the colon, in lower case.
func (l Location) Scheme() string { return l.scheme }

// Authority is the bucket or host, as it was written; empty for local files.
func (l Location) Authority() string { return l.authority }

// Path is the path, which starts with '/' and ends with it only when it is the root.
func (l Location) Path() string { return l.path }

// Root is the root of l's store: what keys count from.
func (l Location) Root() Location {
	l.path = "/"
	return l
}

// Key is the name of l in the bucket of its store: the path without its first slash, "" for the root.
func (l Location) Key() string {
	if l.path == "" {
		return ""
	}
	return l.path[1:]
}

// DirKey is the key under which a Driver lists l as a directory: "" for the root, else ending with '/'.
func (l Location) DirKey() string {
	if k := l.Key(); k != "" {
		return k + "/"
	}
	return ""
}

// Name is the last segment of the path, "" for the root.
func (l Location) Name() string { return l.path[strings.LastIndexByte(l.path, '/')+1:] }

// Parent is the directory that holds l; the root is its own parent.
func (l Location) Parent() Location {
	i := strings.LastIndexByte(l.path, '/')
	if i <= 0 {
		return l.Root()
	}
	l.path = l.path[:i]
	return l
}

// Join is the location of rel below l. rel is taken by its text: names and '/', without "." or "..".
func (l Location) Join(rel string) Location {
	rel = strings.Trim(rel, "/")
	switch {
	case rel == "":
	case l.path == "/":
		l.path += rel
	default:
		l.path += "/" + rel
	}
	return l
}

// Rel is the path of child below l, "" when they are the same place, and whether child lies there at all.
func (l Location) Rel(child Location) (string, bool) {
	if !l.SameStore(child) {
		return "", false
	}
	if l.path == "/" {
		return child.path[1:], true
	}
	rest, ok := strings.CutPrefix(child.path, l.path)
	switch {
	case !ok:
		return "", false
	case rest == "":
		return "", true
	case rest[0] == '/':
		return rest[1:], true
	default: // /a/bc is not below /a/b
		return "", false
	}
}

// Contains reports whether other is l or lies below it, by path segments.
func (l Location) Contains(other Location) bool {
	_, ok := l.Rel(other)
	return ok
}

// Overlaps reports whether one of the two contains the other.
func (l Location) Overlaps(other Location) bool { return l.Contains(other) || other.Contains(l) }

// Equal reports whether l and other are the same place.
func (l Location) Equal(other Location) bool { return l.SameStore(other) && l.path == other.path }

// SameStore reports whether l and other lie in one store: schemes that name the same service (s3, s3a, s3n; abfs,
// abfss; wasb, wasbs) and authorities that differ in case only are one.
func (l Location) SameStore(other Location) bool {
	return family(l.scheme) == family(other.scheme) && strings.EqualFold(l.authority, other.authority)
}

func family(scheme string) string {
	switch scheme {
	case "s3a", "s3n":
		return "s3"
	case "abfs":
		return "abfss"
	case "wasb":
		return "wasbs"
	}
	return scheme
}

// JavaURI is the location as java.net.URI prints it, which is what Spark shows of files: what no URI may hold is escaped, and
// letters beyond ASCII stay. A local file has an empty authority: file:///data/a%20b.csv.
func (l Location) JavaURI() string {
	var b strings.Builder
	b.WriteString(l.scheme + "://" + l.authority)
	for _, r := range l.path {
		switch {
		case r < utf8.RuneSelf && strings.ContainsRune("_-!.~'()*,;:$&+=@/", r), r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9',
			r >= utf8.RuneSelf && r != utf8.RuneError && !unicode.IsControl(r) && !unicode.Is(unicode.Z, r):
			b.WriteRune(r)
		default:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String()
}
