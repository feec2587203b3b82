package delta

import "strings"

// IsAbsolutePath reports whether a path of the log names its file without the table's root: it has a scheme, or begins with a
// slash.
func IsAbsolutePath(raw string) bool { return strings.HasPrefix(raw, "/") || scheme(raw) != "" }

// scheme is the scheme of a URI with its colon, "" when there is none.
func scheme(raw string) string {
	for i := range len(raw) {
		switch c := raw[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return raw[:i+1]
		default:
			return ""
		}
	}
	return ""
}

// DecodePath takes the percent escapes of a path of the log away, once: what stands in the log is a URI, and a directory that
// itself holds Hive's escapes is escaped twice there. A percent sign without two digits stays, and so does a plus sign.
func DecodePath(raw string) string {
	first := strings.IndexByte(raw, '%')
	if first < 0 {
		return raw
	}
	out := append(make([]byte, 0, len(raw)), raw[:first]...)
	for i := first; i < len(raw); i++ {
		if raw[i] == '%' && i+2 < len(raw) {
			hi, lo := hexDigit(raw[i+1]), hexDigit(raw[i+2])
			if hi < 16 && lo < 16 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return string(out)
}

func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// EncodePath writes a file's path as the log holds it: of ASCII with the escapes of Java's URI, and everything else escaped,
// as RFC 2396 asks. Java leaves letters beyond ASCII as they are and delta-rs does not: it would name such a file in another
// way when it removes it, and the file would live on. An absolute path keeps its scheme and authority. It undoes DecodePath,
// but is never applied to what was read from a log: that text is kept.
func EncodePath(path string) string {
	const upper = "0123456789ABCDEF"
	s := scheme(path)
	// Without a scheme, a colon before the first slash would make one.
	colon := s == ""
	var out []byte
	start := 0
	for i := len(s); i < len(path); i++ {
		c := path[i]
		if c == '/' {
			colon = false
		}
		if uriPath[c] && (c != ':' || !colon) {
			continue
		}
		if out == nil {
			out = make([]byte, 0, len(path)+8)
		}
		out = append(append(out, path[start:i]...), '%', upper[c>>4], upper[c&15])
		start = i + 1
	}
	if out == nil {
		return path
	}
	return string(append(out, path[start:]...))
}

// uriPath are the bytes that stand for themselves in the path of a URI.
var uriPath = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-!.~'()*,;:$&+=@/") {
		t[c] = true
	}
	return t
}()

// ResolvePath is the location of a file of the log: root is the location of the table (such as file:/a b or s3://bucket/t,
// without escapes), and the result is a location of that form. An absolute path wins over the root; one without a scheme
// gets the root's.
func ResolvePath(root, raw string) string {
	path := DecodePath(raw)
	switch {
	case scheme(raw) != "":
		return plainFile(path)
	case strings.HasPrefix(path, "/") && strings.HasPrefix(raw, "/"):
		s := scheme(root)
		rest := root[len(s):]
		if after, ok := strings.CutPrefix(rest, "//"); ok {
			authority, _, _ := strings.Cut(after, "/")
			if authority != "" {
				s += "//" + authority
			}
		}
		return plainFile(s + path)
	}
	return strings.TrimRight(root, "/") + "/" + path
}

// plainFile writes the forms of a local file, file:///a and file://localhost/a, as file:/a.
func plainFile(location string) string {
	rest, ok := strings.CutPrefix(location, "file:")
	if !ok {
		return location
	}
	rest = strings.TrimPrefix(rest, "//localhost/")
	return "file:/" + strings.TrimLeft(rest, "/")
}
