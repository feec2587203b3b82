package partition

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/types"
)

// Kind is what a listing said a name is. A symbolic link has the kind of what it leads to.
type Kind uint8

// The kinds of directory entry.
const (
	Dir Kind = iota
	File
)

// Layout classifies the names found at each level of a table's tree. It is immutable.
type Layout struct {
	cols          []Column
	caseSensitive bool
}

// NewLayout makes the classifier of tables partitioned by cols. Unless caseSensitive, a directory may spell a
// column's name in any letter case.
func NewLayout(cols []Column, caseSensitive bool) *Layout {
	return &Layout{cols: cols, caseSensitive: caseSensitive}
}

// Classify says what a name at a level (0 for the children of the table's location) stands for.
//
//   - ok: a directory of this level's column.
//   - not ok, no reason: an ignored name, of which nothing is said.
//   - else the reason why it is no partition, and a detail in words that stand alone.
//
// A name with a wrong number of levels below it (TOO_SHALLOW) shows only in its listing: the caller reports that one with
// ShallowDetail.
func (l *Layout) Classify(level int, name string, kind Kind) (sp Spelling, ok bool, reason Reason, detail string) {
	if Ignored(name) || IsTemporary(name) {
		return Spelling{}, false, "", ""
	}
	if !utf8.ValidString(name) {
		return Spelling{}, false, BadName, "the name is not valid UTF-8"
	}
	if kind == File {
		return Spelling{}, false, TooShallow, l.fileDetail(level)
	}
	col := l.cols[level]
	key, text, raw, isSegment := SplitSegment(name)
	if !isSegment {
		return Spelling{}, false, NotAPartition, fmt.Sprintf("a directory of the form %s=value is expected here", EscapeName(col.Name))
	}
	if !l.sameName(key, col.Name) {
		return Spelling{}, false, WrongColumn, fmt.Sprintf("expected column %s at level %d, found %s", col.Name, level+1, key)
	}
	if raw == "" {
		return Spelling{}, false, EmptyValue, fmt.Sprintf("the name gives %s no value; NULL is %s", col.Name, DefaultPartition)
	}
	if !utf8.ValidString(text) {
		return Spelling{}, false, BadName, "the name's percent escapes are not valid UTF-8"
	}
	v, err := ParseValue(col, text)
	if err != nil {
		if col.Type.Kind == types.Timestamp && namesZone(text) {
			return Spelling{}, false, BadValue, fmt.Sprintf("%q names a time zone; column %s takes wall-clock time", text, col.Name)
		}
		return Spelling{}, false, BadValue, fmt.Sprintf("%q is no %s, the type of column %s", text, col.Type.SQL(), col.Name)
	}
	return Spelling{Dir: name, Value: v}, true, "", ""
}

func (l *Layout) sameName(a, b string) bool {
	return a == b || !l.caseSensitive && strings.EqualFold(a, b)
}

func (l *Layout) fileDetail(level int) string {
	return fmt.Sprintf("a file lies where directories %s=value are expected", EscapeName(l.cols[level].Name))
}

// ShallowDetail is the detail of a TOO_SHALLOW directory: one at a level above the last that holds no directory of the next
// level.
func (l *Layout) ShallowDetail(level int) string {
	if level+1 >= len(l.cols) {
		return "the directories end above the last partition column"
	}
	return fmt.Sprintf("no directory %s=value lies below it", EscapeName(l.cols[level+1].Name))
}
