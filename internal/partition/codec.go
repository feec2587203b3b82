package partition

import (
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/types"
)

// DefaultPartition is the directory text of NULL, and of the empty string, which Hive and Spark cannot tell from NULL on
// storage. It is never escaped.
const DefaultPartition = "__HIVE_DEFAULT_PARTITION__"

const upperHex = "0123456789ABCDEF"

// escaped reports whether Spark writes c as %XX in a directory name. The set is Hive's, not that of URLs: a space and
// everything from U+0080 up stay as they are.
func escaped(c byte) bool {
	switch c {
	case '"', '#', '%', '\'', '*', '/', ':', '=', '?', '\\', 0x7F, '{', '[', ']', '^':
		return true
	}
	return c >= 0x01 && c <= 0x1F
}

// EscapeValue writes a value's text as it stands in a directory name, as SHOW PARTITIONS prints it. The empty text
// is DefaultPartition.
func EscapeValue(s string) string {
	if s == "" {
		return DefaultPartition
	}
	return EscapeName(s)
}

// EscapeName writes a column's name as it stands in a directory name. Unescape undoes it.
func EscapeName(s string) string {
	for i := 0; i < len(s); i++ {
		if escaped(s[i]) {
			return string(appendEscaped(make([]byte, 0, len(s)+8), s))
		}
	}
	return s
}

func appendEscaped[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; escaped(c) {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// Unescape reads a directory name's text. Percent escapes stand for bytes, so that %C3%BC is ü; when the bytes are no
// valid UTF-8 each escape from 80 up stands for the character with that number, as Spark reads it. A '%' without two hex
// digits stays as it is.
func Unescape(s string) string {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); {
		if b, ok := escapeAt(s, i); ok {
			out = append(out, b)
			i += 3
			continue
		}
		out = append(out, s[i])
		i++
	}
	if utf8.Valid(out) || !utf8.ValidString(s) {
		return string(out)
	}
	var text strings.Builder
	for i := 0; i < len(s); {
		if b, ok := escapeAt(s, i); ok {
			text.WriteRune(rune(b))
			i += 3
			continue
		}
		text.WriteByte(s[i])
		i++
	}
	return text.String()
}

func escapeAt(s string, i int) (byte, bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return 0, false
	}
	hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
	return hi<<4 | lo, hi < 16 && lo < 16
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
	return 0xFF
}

// SplitSegment splits a directory name at its first '=' into the column's name and the value's text, both unescaped;
// raw is the value's text as on storage. ok is false for a name without '='.
func SplitSegment(dir string) (key, value, raw string, ok bool) {
	k, raw, ok := strings.Cut(dir, "=")
	if !ok {
		return "", "", "", false
	}
	return Unescape(k), Unescape(raw), raw, true
}

// Segment is the canonical directory name of a value: the declared spelling of the column, '=', and the value's text, both
// escaped.
func Segment(col Column, v types.Value) string {
	return string(appendSegment(nil, col, v))
}

func appendSegment(dst []byte, col Column, v types.Value) []byte {
	dst = append(appendEscaped(dst, col.Name), '=')
	if v = Canonical(col, v); v == nil {
		return append(dst, DefaultPartition...)
	}
	return appendValue(dst, col.Type, keyOf(col.Type, v))
}

// Ignored reports whether a file or directory of this name takes no part in discovery or reading: Spark's list (names that
// begin with '.', or with '_' unless a '=' follows; names that end with ._COPYING_ or .crc) and the $folder$ markers that
// old object-store drivers leave.
func Ignored(name string) bool {
	if name == "" {
		return true
	}
	switch name[0] {
	case '.':
		return true
	case '_':
		if strings.IndexByte(name, '=') < 0 {
			return true
		}
	}
	return strings.HasSuffix(name, "._COPYING_") || strings.HasSuffix(name, ".crc") ||
		strings.HasSuffix(name, "_$folder$")
}

// IsTemporary reports whether a directory of this name is the scratch space of a Hadoop job, in any letter case: all
// below it is ignored.
func IsTemporary(name string) bool { return strings.EqualFold(name, "_temporary") }
