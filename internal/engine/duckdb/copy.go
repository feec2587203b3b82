package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// target is where a write puts its files: the caller's directory, and a link to it whose name DuckDB takes literally.
type target struct {
	dir, link string
}

// Write implements engine.Engine.
func (e *Engine) Write(ctx context.Context, w engine.Write) (*engine.Written, error) {
	if ctx.Err() != nil {
		return nil, sqlerr.Canceled()
	}
	s, err := newWriteState(e, w)
	if err != nil {
		return nil, err
	}
	var out *engine.Written
	guard := newEscort()
	if !guard.call(ctx, ctx, func() { out, err = s.run(ctx) }, s.tidy) {
		s.leave()
		return nil, sqlerr.Canceled()
	}
	guard.end()
	if told := s.partitions.told(); told != nil {
		return nil, told
	}
	return out, err
}

// leave gives up a write that is still going on: it is asked nothing more, and its database is not used again.
func (s *writeState) leave() {
	s.partitions.leave()
	if db := s.db.Load(); db != nil {
		db.markBroken()
	}
}

// tidy removes what a write that was left behind has put into its directory since then. The directory is the write's own.
func (s *writeState) tidy() { _ = os.RemoveAll(s.dir) }

// writeState is one write: its attempts share the numbers of partitions.
type writeState struct {
	engine     *Engine
	w          engine.Write
	dir        string         // absolute
	cols       []plan.Column  // of the root
	data       []plan.Column  // of the files
	fields     []types.Field  // of the files
	partition  []plan.Column  // dynamic partition columns
	partitions *partitioner   // nil without those
	encoder    format.Encoder // of a text format, else nil
	parquet    parquetOptions
	db         atomic.Pointer[database] // of the attempt that is going on
}

func newWriteState(e *Engine, w engine.Write) (*writeState, error) {
	s := &writeState{engine: e, w: w, cols: w.Root.Output()}
	var err error
	if s.dir, err = filepath.Abs(w.Dir); err != nil {
		return nil, sqlerr.WriteFailed(w.Dir, err)
	}
	for _, i := range w.Partition {
		if i < 0 || i >= len(s.cols) {
			return nil, internal("partition column %d of %d", i, len(s.cols))
		}
		s.partition = append(s.partition, s.cols[i])
	}
	for i, c := range s.cols {
		if slices.Contains(w.Partition, i) {
			continue
		}
		if len(s.data) == len(w.Names) {
			return nil, internal("%d names for more columns of files", len(w.Names))
		}
		f := types.Field{Name: w.Names[len(s.data)], Type: c.Type}
		if w.Stored != nil {
			f.Type = w.Stored[len(s.data)]
		}
		s.fields = append(s.fields, f)
		s.data = append(s.data, c)
	}
	if len(s.data) != len(w.Names) || len(s.data) == 0 {
		return nil, internal("%d names for %d columns of files", len(w.Names), len(s.data))
	}
	if len(s.partition) > 0 {
		s.partitions = newPartitioner(s.partition, w.Zone, w.NewPartition)
	}
	opts := format.Options(w.Options)
	if strings.EqualFold(w.Format, "parquet") {
		s.parquet, err = newParquetOptions(s.fields, opts)
		return s, err
	}
	writer := e.cfg.Writers[strings.ToLower(w.Format)]
	if writer == nil {
		return nil, sqlerr.Unsupported("FILE_FORMAT", "writing "+strings.ToUpper(w.Format)+" files")
	}
	s.encoder, err = writer.Encoder(s.fields, opts, format.Settings{Zone: w.Zone, ANSI: w.ANSI})
	return s, err
}

func (s *writeState) run(ctx context.Context) (*engine.Written, error) {
	if s.encoder != nil {
		return s.writeText(ctx)
	}
	return s.writeParquet(ctx)
}

// writeSession is one attempt of a write: a connection, and the query as SQL.
type writeSession struct {
	ctx   context.Context
	conn  *conn
	query *query
	// from is the query as an item of FROM with the columns w0, w1, …; only the first statement may have it.
	from string
	id   string // the number of the write
	dir  string // the path that stands for the write's directory
}

// attempt gives body a session. A failed attempt leaves nothing running.
func (s *writeState) attempt(ctx context.Context, body func(x *writeSession) error) error {
	c, err := s.engine.acquire(s.w.MemoryLimit)
	if err != nil {
		return err
	}
	s.db.Store(c.db)
	q := newQuery(ctx, s.w.Query, c.db)
	id := c.db.writes.add(&rowWrite{
		query: q, partitions: s.partitions, partition: s.partition, encoder: s.encoder, data: s.data,
		// Where lines may go to different files, each must be a value of its own: DuckDB cuts vectors anew.
		joined: s.partitions == nil && s.w.MaxFileBytes <= 0,
	})
	clean := false
	defer func() {
		c.db.put(c, clean)
		c.db.writes.remove(id)
		q.close()
	}()
	text, err := q.emit(s.w.Root)
	if err == nil {
		err = q.link(s.dir)
	}
	if err != nil {
		clean = true
		return err
	}
	if q.q.Opened != nil {
		q.q.Opened(q.files)
	}
	var from strings.Builder
	from.WriteString("(" + text + ") AS w(")
	for i := range s.cols {
		if i > 0 {
			from.WriteByte(',')
		}
		from.WriteString("w" + strconv.Itoa(i))
	}
	from.WriteByte(')')
	// The connection is not used again: it has settings of this write, or its temporary tables.
	return body(&writeSession{ctx: ctx, conn: c, query: q, from: from.String(), id: strconv.FormatInt(id, 10), dir: q.target.link})
}

// run executes a statement whose result begins with the columns cols, and hands each the batches of it.
func (x *writeSession) run(text string, cols []plan.Column, each func(b *engine.Batch) error) error {
	r := &rows{ctx: x.ctx, conn: x.conn, query: x.query, cols: cols, borrowed: true}
	r.stop = context.AfterFunc(x.ctx, r.interrupt)
	defer r.shut(false)
	if err := r.run(text); err != nil {
		return err
	}
	x.query.parameters = nil // they belong to the query's text, which is done with
	for {
		b, err := r.Next(x.ctx)
		if err == nil && b != nil && each != nil {
			err = each(b)
		}
		if err != nil || b == nil {
			return err
		}
	}
}

// partitionText calls the function that numbers the partition of a row.
func (s *writeState) partitionText(id string) string {
	var b strings.Builder
	b.WriteString(partitionFunction + "(" + id)
	for _, i := range s.w.Partition {
		b.WriteString(",w" + strconv.Itoa(i))
	}
	return b.String() + ")"
}

// dataIndexes are the indexes of the columns of files among those of the root.
func (s *writeState) dataIndexes() []int {
	var out []int
	for i := range s.cols {
		if !slices.Contains(s.w.Partition, i) {
			out = append(out, i)
		}
	}
	return out
}

// rescannable reports whether the query can be run a second time: a Go source hands out each of its rows once.
func (s *writeState) rescannable() bool {
	for _, in := range s.w.Inputs {
		if in.Source != nil {
			return false
		}
	}
	return true
}

// values are the partition values of a number; nil without dynamic partition columns.
func (s *writeState) values(id int) []types.Value {
	if s.partitions == nil {
		return nil
	}
	s.partitions.mu.RLock()
	defer s.partitions.mu.RUnlock()
	return s.partitions.values[id]
}

// link makes the link by which DuckDB knows the directory of a write.
func (s *query) link(dir string) error {
	if s.links == nil {
		s.links = &links{}
	}
	link, err := s.links.add(s.db.dir, dir)
	s.target = target{dir: dir, link: link}
	return err
}

// writeFailure is the error of a file that could not be written, or nil for a text that tells of something else.
func (s *query) writeFailure(text string) *sqlerr.Error {
	if s == nil || s.target.link == "" || !strings.Contains(text, s.target.link) {
		return nil
	}
	cause := errors.New(text)
	if strings.Contains(text, syscall.ENOSPC.Error()) || strings.Contains(text, "No space left on device") {
		return sqlerr.WriteNoSpace(s.target.dir, cause)
	}
	e := sqlerr.WriteFailed(s.target.dir, errors.New(systemWords(text)))
	e.Cause = cause
	return e
}

// systemWords finds what the operating system said in a message of DuckDB; its own words are not for users.
func systemWords(text string) string {
	for _, no := range []syscall.Errno{
		syscall.EACCES, syscall.EPERM, syscall.ENOENT, syscall.EROFS, syscall.EDQUOT, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE,
		syscall.EIO, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG,
	} {
		if strings.Contains(strings.ToLower(text), no.Error()) {
			return no.Error()
		}
	}
	return "the system refused"
}

// fileError is the error of a file that Go writes.
func (s *writeState) fileError(err error) error {
	var known *sqlerr.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return sqlerr.WriteNoSpace(s.dir, err)
	}
	cause := err
	var path *os.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	e := sqlerr.WriteFailed(s.dir, cause)
	e.Cause = err
	return e
}
