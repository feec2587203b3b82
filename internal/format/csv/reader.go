package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// HeaderMismatch is the class of the warning that a file's header differs from the table's columns.
const HeaderMismatch = "CSV_HEADER_MISMATCH"

// records yields the records of one file as fields.
type records struct {
	opts *options
	in   io.ReadCloser
	file storage.File

	lines  *text.Lines  // one line is one record
	window *text.Window // a record may hold line ends
	cut    *cutter
	raw    []byte // the text of the current record
}

func openRecords(ctx context.Context, file storage.File, o *options) (*records, error) {
	in, err := text.Open(ctx, file, o.charset)
	if err != nil {
		return nil, err
	}
	r := &records{opts: o, in: in, file: file, cut: newCutter(&o.dialect)}
	if !o.multiLine {
		r.lines = text.NewLines(in, o.lineSep)
		return r, nil
	}
	r.window = text.NewWindow(in)
	if err := r.chooseNewline(); err != nil {
		in.Close()
		return nil, err
	}
	return r, nil
}

func (r *records) close() error { return r.in.Close() }

// chooseNewline takes the line end from the option lineSep, else the first one in the file is that of all records.
func (r *records) chooseNewline() error {
	c := r.cut
	switch sep := r.opts.lineSep; {
	case sep == "\r\n":
		c.newline, c.crlf = '\n', true
		return nil
	case len(sep) == 1:
		c.newline = int(sep[0])
		return nil
	case sep != "":
		return sqlerr.LineSeparatorLength(sep)
	}
	c.newline, c.normalize = '\n', true
	for {
		b := r.window.Bytes()
		i := bytes.IndexAny(b, "\r\n")
		switch {
		case i >= 0 && b[i] == '\n', i < 0 && r.window.EOF():
			return nil
		case i >= 0 && (i+1 < len(b) || r.window.EOF()):
			if c.crlf = i+1 < len(b) && b[i+1] == '\n'; !c.crlf {
				c.newline = '\r'
			}
			return nil
		}
		if err := r.window.Fill(); err != nil {
			return text.Failure(r.file, err)
		}
	}
}

// next cuts the next record that is neither blank nor a comment into cut.fields, of which only the first most are
// needed when most ≥ 0. ok is false at the end.
func (r *records) next(most int) (ok bool, err error) {
	if r.window != nil {
		return r.nextInWindow(most)
	}
	line, ok, err := r.nextLine()
	if !ok || err != nil {
		return false, err
	}
	r.raw = line
	return true, r.failure(r.cut.line(line, most))
}

// nextLine returns the next line that is neither blank nor a comment.
func (r *records) nextLine() (line []byte, ok bool, err error) {
	for {
		line, ok, err = r.lines.Next()
		if err != nil {
			return nil, false, text.Failure(r.file, err)
		}
		if !ok {
			return nil, false, nil
		}
		if blank(line) || r.opts.comment != 0 && line[0] == r.opts.comment {
			continue
		}
		return line, true, nil
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c > ' ' {
			return false
		}
	}
	return true
}

func (r *records) nextInWindow(most int) (bool, error) {
	c := r.cut
	for {
		b := r.window.Bytes()
		skip, comment := 0, false
		for skip < len(b) {
			ch := b[skip]
			if c.trimLeft && ch <= ' ' && ch != c.sep[0] || ch == byte(c.newline) || c.crlf && ch == '\r' && skip+1 < len(b) && b[skip+1] == '\n' {
				skip++
				continue
			}
			if comment = c.comment != 0 && ch == c.comment; comment {
				n := bytes.IndexByte(b[skip:], byte(c.newline))
				if n < 0 {
					break
				}
				skip += n + 1
				continue
			}
			break
		}
		if skip == len(b) || comment && bytes.IndexByte(b[skip:], byte(c.newline)) < 0 {
			if r.window.EOF() {
				return false, nil
			}
			r.window.Consume(min(skip, len(b)))
			if err := r.window.Fill(); err != nil {
				return false, text.Failure(r.file, err)
			}
			continue
		}
		r.window.Consume(skip)
		b = r.window.Bytes()
		n, err := c.next(b, r.window.EOF(), most)
		if errors.Is(err, errNeedMore) {
			if err := r.window.Fill(); err != nil {
				return false, text.Failure(r.file, err)
			}
			continue
		}
		if err != nil {
			r.raw = b[:min(n, len(b))]
			return false, r.failure(err)
		}
		r.raw = bytes.TrimRight(b[:n], "\r\n")
		r.window.Consume(n)
		return true, nil
	}
}

// failure is what the user sees when a record breaks a limit.
func (r *records) failure(err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.MalformedCSV(r.file.Location().String(), text.Excerpt(r.raw), err.Error())
}

// reader is a format.BatchReader over one file.
type reader struct {
	*records
	settings format.Settings
	kinds    []types.Type
	missing  []types.Value // what columns are that a record lacks
	layout   layout
	cols     *text.Columns
	corrupt  int // among the wanted columns, -1 when not wanted
	// checkFields is set when a record with another number of fields than fields is malformed. Spark looks only when it
	// needs every column.
	checkFields bool
	done        bool
}

// Open implements format.Reader.
func (Reader) Open(ctx context.Context, file storage.File, schema []types.Field, want []int, opts format.Options, s format.Settings) (format.BatchReader, error) {
	o, err := parseOptions(opts, s.Zone)
	if err != nil {
		return nil, err
	}
	if err := checkTypes(schema); err != nil {
		return nil, err
	}
	inSchema, inWant, err := text.Corrupt(opts, schema, want, s.CaseSensitive)
	if err != nil {
		return nil, err
	}
	recs, err := openRecords(ctx, file, o)
	if err != nil {
		return nil, err
	}
	r := &reader{records: recs, settings: s, corrupt: inWant}
	for _, w := range want {
		r.kinds = append(r.kinds, schema[w].Type)
		r.missing = append(r.missing, schema[w].Missing)
	}
	r.cols = text.NewColumns(r.kinds)
	r.checkFields = inSchema >= 0 || len(want) == len(schema)
	if err := r.arrange(schema, want, inSchema); err != nil {
		recs.close()
		return nil, err
	}
	return r, nil
}

// arrange reads the header, when there is one, and decides which field belongs to which column.
func (r *reader) arrange(schema []types.Field, want []int, corrupt int) error {
	r.layout = byPosition(schema, want, corrupt)
	if !r.opts.header {
		return nil
	}
	ok, err := r.next(-1)
	if err != nil {
		return err
	}
	if !ok {
		r.done = true
		return nil
	}
	names := r.opts.columnNames(r.cut.fields, r.settings.CaseSensitive)
	l, d, known := byName(names, schema, want, corrupt, r.settings.CaseSensitive)
	if len(d.missing) == 0 && len(d.extra) == 0 {
		r.layout = l
		return nil
	}
	location := r.file.Location().String()
	if !r.opts.enforceSchema && (len(d.missing) > 0 || len(names) != r.layout.fields) {
		return sqlerr.ReadFile(location, "its header ("+strings.Join(names, ", ")+") is not the table's columns, and the option enforceSchema is false", nil)
	}
	how := "columns are matched by name"
	if known {
		r.layout = l
	} else {
		how = "no column has a name of the header, so they are matched by position"
	}
	if r.settings.Warn != nil {
		message := fmt.Sprintf("The header of %s is not the table's columns; %s.", location, how)
		if known && len(d.missing) > 0 {
			message += fmt.Sprintf(" Missing, read as NULL: %s.", strings.Join(d.missing, ", "))
		}
		if known && len(d.extra) > 0 {
			message += fmt.Sprintf(" Not in the table: %s.", strings.Join(d.extra, ", "))
		}
		r.settings.Warn(HeaderMismatch, message, map[string]string{
			"path": location, "missing": strings.Join(d.missing, ","), "extra": strings.Join(d.extra, ","),
		})
	}
	return nil
}

// Close implements format.BatchReader.
func (r *reader) Close() error { return r.close() }

// Next implements format.BatchReader.
func (r *reader) Next(ctx context.Context) (*vector.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, text.Failure(r.file, err)
	}
	r.cols.Reset()
	most := r.layout.last
	if r.checkFields {
		most = -1
	}
	counting := len(r.kinds) == 0
	for !r.done && !r.cols.Full() {
		var ok bool
		var err error
		if counting && r.lines != nil {
			_, ok, err = r.nextLine()
		} else {
			ok, err = r.next(most)
		}
		switch {
		case err != nil:
			return nil, r.refused(err)
		case !ok:
			r.done = true
		case counting:
			r.cols.Commit()
		default:
			if err := r.row(); err != nil {
				return nil, err
			}
		}
	}
	return r.cols.Take(), nil
}

// refused is the error of a record that cannot be cut: at reading it is the file's, as in Spark.
func (r *reader) refused(err error) error {
	var known *sqlerr.Error
	if errors.As(err, &known) && known.Condition == "MALFORMED_CSV_RECORD" {
		return sqlerr.ReadFile(r.file.Location().String(), "a record is malformed: "+text.Excerpt(r.raw), known)
	}
	return err
}

// row converts the current record.
func (r *reader) row() error {
	fields := r.cut.fields
	bad := r.checkFields && len(fields) != r.layout.fields
	for i, at := range r.layout.at {
		if at < 0 || at >= len(fields) {
			if i == r.corrupt {
				r.cols.Null(i)
			} else {
				r.cols.Value(i, r.missing[i])
			}
			continue
		}
		b, ok := r.opts.text(fields[at])
		if !ok {
			r.cols.Null(i)
			continue
		}
		if !r.convert(i, r.kinds[i], b) {
			r.cols.Null(i)
			bad = true
		}
	}
	if bad {
		switch r.opts.mode {
		case text.DropMalformed:
			return nil
		case text.FailFast:
			return sqlerr.ReadFile(r.file.Location().String(),
				"the option mode is FAILFAST and a record is malformed: "+text.Excerpt(r.raw), sqlerr.MalformedRecord(r.file.Location().String(), text.Excerpt(r.raw)))
		}
		if r.corrupt >= 0 {
			r.cols.Text(r.corrupt, clean(r.raw))
		}
	}
	r.cols.Commit()
	return nil
}
