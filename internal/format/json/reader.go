package json

import (
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// maxDocument bounds a file that is read whole, with the option multiLine.
const maxDocument = 2 << 30

// records yields the records of one file: its lines, or the whole of it.
type records struct {
	file  storage.File
	in    io.ReadCloser
	lines *text.Lines // nil with the option multiLine
	done  bool
}

func openRecords(ctx context.Context, file storage.File, o *options) (*records, error) {
	in, err := text.Open(ctx, file, o.charset)
	if err != nil {
		return nil, err
	}
	r := &records{file: file, in: in}
	if !o.multiLine {
		r.lines = text.NewLines(in, o.lineSep)
	}
	return r, nil
}

func (r *records) next() (record []byte, ok bool, err error) {
	if r.lines != nil {
		record, ok, err = r.lines.Next()
	} else if !r.done {
		r.done, ok = true, true
		record, err = io.ReadAll(io.LimitReader(r.in, maxDocument+1))
		if err == nil && len(record) > maxDocument {
			err = errors.New("with the option multiLine a file may have at most 2 GiB")
		}
	}
	if err != nil {
		return nil, false, text.Failure(r.file, err)
	}
	return record, ok, nil
}

func (r *records) close() error { return r.in.Close() }

// reader is a format.BatchReader over one file.
type reader struct {
	*records
	conv    converter
	kinds   []types.Type
	root    *shape // the wanted columns that have members in the file
	corrupt int    // among the wanted columns, -1 when not wanted
	cols    *text.Columns
	set     []bool        // which columns of the current row have a value
	met     []bool        // columns that the record has, whatever became of the value
	missing []types.Value // what columns are that a record lacks

	record []byte
	// inArray is set while the elements of a record's array are being read, each of them a row.
	inArray bool
	// malformed is set when some element of the array is not of the schema: all its rows then are malformed.
	malformed bool
}

// Open implements format.Reader. Members match columns by their exact names, as in Spark.
func (Reader) Open(ctx context.Context, file storage.File, schema []types.Field, want []int, opts format.Options, s format.Settings) (format.BatchReader, error) {
	o, err := parseOptions(opts, s.Zone)
	if err != nil {
		return nil, err
	}
	_, corrupt, err := text.Corrupt(opts, schema, want, s.CaseSensitive)
	if err != nil {
		return nil, err
	}
	r := &reader{corrupt: corrupt, root: &shape{index: map[string]int{}}}
	r.conv = converter{scanner: scanner{dialect: &o.dialect}, opts: o}
	for i, w := range want {
		f := schema[w]
		if err := checkTypes(f.Name, f.Type, false); err != nil {
			return nil, err
		}
		r.kinds = append(r.kinds, f.Type)
		r.missing = append(r.missing, f.Missing)
		r.root.members = append(r.root.members, member{f.Name, newShape(f.Type)})
		if i != corrupt {
			r.root.index[f.Name] = i
		}
	}
	if corrupt >= 0 {
		r.root.members[corrupt].name = "\x00" // no member is read into it
	}
	r.cols = text.NewColumns(r.kinds)
	r.set, r.met = make([]bool, len(want)), make([]bool, len(want))
	r.records, err = openRecords(ctx, file, o)
	return r, err
}

// Close implements format.BatchReader.
func (r *reader) Close() error { return r.close() }

// Next implements format.BatchReader.
func (r *reader) Next(ctx context.Context) (*vector.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, text.Failure(r.file, err)
	}
	r.cols.Reset()
	for !r.cols.Full() {
		if r.inArray {
			if err := r.element(); err != nil {
				return nil, err
			}
			continue
		}
		record, ok, err := r.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := r.begin(record); err != nil {
			return nil, err
		}
	}
	return r.cols.Take(), nil
}

// begin reads a record that is an object, and the start of one that is an array.
func (r *reader) begin(record []byte) error {
	r.record = record
	c := &r.conv
	c.reset(record)
	first := c.peek()
	switch {
	case c.pos == len(record):
		return nil // blank
	case !utf8.Valid(record):
		return r.commit(errSyntax, true)
	case first == '{':
		bad, err := r.row()
		return r.commit(err, bad)
	case first != '[':
		return r.commit(errSyntax, true)
	}
	// An array is good only as a whole, so it is looked through before its first row is given away.
	start := c.pos
	empty, err := c.open(']')
	r.malformed = false
	look := r.corrupt >= 0 || c.opts.mode != text.Permissive
	for more := !empty; more && err == nil; {
		if c.peek() != '{' {
			err = errSyntax
			break
		}
		if look {
			var bad bool
			bad, err = r.row()
			r.malformed = r.malformed || bad
		} else {
			err = c.skip()
		}
		c.scratch = c.scratch[:0]
		if err == nil {
			more, err = c.more(']')
		}
	}
	if err != nil {
		return r.commit(err, true)
	}
	if r.malformed && c.opts.mode != text.Permissive {
		return r.commit(nil, true)
	}
	c.reset(record)
	c.pos = start
	empty, err = c.open(']')
	r.inArray = !empty
	return err
}

// element reads the next element of an array that is known to be well formed.
func (r *reader) element() error {
	c := &r.conv
	c.scratch = c.scratch[:0]
	_, err := r.row()
	if err == nil {
		r.inArray, err = c.more(']')
	}
	if err != nil {
		return sqlerr.Internal(err)
	}
	if r.malformed && r.corrupt >= 0 {
		r.cols.Text(r.corrupt, r.record)
	}
	r.cols.Commit()
	return nil
}

// commit ends a row: err is why the record is no JSON, bad tells that some value is not of its column's type.
func (r *reader) commit(err error, bad bool) error {
	if err == nil && !bad {
		r.cols.Commit()
		return nil
	}
	switch r.conv.opts.mode {
	case text.DropMalformed:
		return nil
	case text.FailFast:
		location := r.file.Location().String()
		return sqlerr.ReadFile(location, "the option mode is FAILFAST and a record is malformed: "+text.Excerpt(r.record),
			sqlerr.MalformedRecord(location, text.Excerpt(r.record)))
	}
	if err != nil {
		for i := range r.kinds {
			r.cols.Null(i)
		}
	}
	if r.corrupt >= 0 {
		b := r.record
		if !utf8.Valid(b) {
			b = []byte(types.ReplaceInvalid(string(b)))
		}
		r.cols.Text(r.corrupt, b)
	}
	r.cols.Commit()
	return nil
}

// row reads the object at pos into the current row; bad tells that some value is not of its column's type.
func (r *reader) row() (bad bool, err error) {
	c := &r.conv
	clear(r.set)
	clear(r.met)
	c.peek()
	empty, err := c.open('}')
	guess := 0
	for more := !empty; more && err == nil; {
		var name []byte
		if name, err = c.name(); err != nil {
			break
		}
		i := r.root.find(name, guess)
		if i < 0 {
			err = c.skip()
		} else {
			guess = i + 1
			r.met[i] = true
			var o outcome
			o, err = r.column(i)
			bad = bad || o != good
		}
		if err == nil {
			more, err = c.more('}')
		}
	}
	c.depth--
	for i, set := range r.set {
		switch {
		case set:
		case r.met[i] || i == r.corrupt:
			r.cols.Null(i)
		default:
			r.cols.Value(i, r.missing[i])
		}
	}
	return bad, err
}

// column reads a value into column i.
func (r *reader) column(i int) (outcome, error) {
	t := r.kinds[i]
	if t.Kind.IsNested() {
		v, o, err := r.conv.value(r.root.members[i].shape)
		if err == nil && o != failed {
			r.cols.Value(i, v)
			r.set[i] = true
		}
		return o, err
	}
	v, o, err := r.conv.scalar(t)
	if err != nil || o == failed {
		return o, err
	}
	r.set[i] = true
	switch {
	case v.null:
		r.cols.Null(i)
	case t.Kind == types.Boolean:
		r.cols.Bool(i, v.b)
	case t.Kind == types.Float, t.Kind == types.Double:
		r.cols.Float(i, v.f)
	case v.any != nil:
		r.cols.Value(i, v.any)
	case t.Kind.IsText(), t.Kind == types.Binary:
		r.cols.Text(i, v.bytes)
	default:
		r.cols.Int(i, v.n)
	}
	return good, nil
}
