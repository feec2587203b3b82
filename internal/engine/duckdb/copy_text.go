package duckdb

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

const (
	// textBuffer is how many bytes a partition gathers before they go to its file, and textBuffers how many all
	// partitions of a write may hold together.
	textBuffer, textBuffers = 256 << 10, 64 << 20
	// textSettings let DuckDB's threads run ahead of the writing of files. While it waits for them DuckDB computes the progress
	// of the query all the time, on the processor that they could use; nobody asks for it here.
	textSettings = "SET streaming_buffer_size='16MB';SET enable_progress_bar=false"
	// textOpen is how many files of a write are open at a time.
	textOpen = 64
)

// writeText writes the files of a text format. DuckDB's threads make the lines, this goroutine puts them into files in the
// order in which they come, which is the query's.
func (s *writeState) writeText(ctx context.Context) (*engine.Written, error) {
	cols := []plan.Column{{ID: 1, Name: "line", Type: types.Of(types.Binary)}}
	if s.partitions != nil {
		cols = append(cols, plan.Column{ID: 2, Name: "k", Type: types.Of(types.Int)})
	}
	files := &textFiles{dir: s.dir, ext: "." + strings.ToLower(s.w.Format) + s.encoder.Extension(), encoder: s.encoder, limit: s.w.MaxFileBytes}
	err := s.attempt(ctx, func(x *writeSession) error {
		if err := x.conn.exec(textSettings); err != nil {
			return translate(err.Error(), nil)
		}
		var line strings.Builder
		line.WriteString("SELECT " + lineFunction + "(" + x.id)
		for _, i := range s.dataIndexes() {
			line.WriteString(",w" + strconv.Itoa(i))
		}
		line.WriteString(") AS line")
		if s.partitions != nil {
			line.WriteString("," + s.partitionText(x.id) + " AS k")
		}
		return x.run(line.String()+" FROM "+x.from, cols, func(b *engine.Batch) error {
			for i, line := range b.Cols[0].Str[:b.Len] {
				k := 0
				if s.partitions != nil {
					k = int(b.Cols[1].Int[i])
				}
				if err := files.add(k, line); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil {
		err = files.finish()
	}
	if err != nil {
		files.abandon()
		return nil, s.fileError(err)
	}
	out := &engine.Written{}
	for k, p := range files.parts {
		for _, f := range p.files {
			f.Partition = s.values(k)
			out.Rows += f.Rows
			out.Files = append(out.Files, f)
		}
	}
	return out, nil
}

// textFiles are the files of a write, by the number of the partition. Few are open at a time, and what is not in a file
// yet is bounded. A file that was closed is continued by a further member of its codec, which readers take as one.
type textFiles struct {
	dir, ext string
	encoder  format.Encoder
	limit    int64 // bytes of a file from which the next is begun; 0 is none
	parts    []*textPart
	open     []*textPart // in the order of opening
	held     int         // bytes in buffers
	idle     []resetter  // codecs to use again: a new one costs more than a small file
	names    int
}

// textPart is one partition.
type textPart struct {
	buf   []byte
	rows  int64 // in buf
	files []engine.WrittenFile
	file  *os.File // nil while none is open
	out   *bufio.Writer
	codec io.WriteCloser
	full  bool // the last of files is complete
}

// resetter is a codec that can begin anew on another writer.
type resetter interface {
	io.WriteCloser
	Reset(w io.Writer)
}

func (t *textFiles) add(k int, line string) error {
	for k >= len(t.parts) {
		t.parts = append(t.parts, nil)
	}
	p := t.parts[k]
	if p == nil {
		p = &textPart{}
		t.parts[k] = p
	}
	p.buf = append(p.buf, line...)
	p.rows++
	t.held += len(line)
	if len(p.buf) >= textBuffer {
		return t.flush(p)
	}
	if t.held >= textBuffers {
		return t.flushAll()
	}
	return nil
}

func (t *textFiles) flushAll() error {
	for _, p := range t.parts {
		if p == nil || len(p.buf) == 0 {
			continue
		}
		if err := t.flush(p); err != nil {
			return err
		}
		p.buf = nil
	}
	return nil
}

// flush brings a partition's buffer into its file.
func (t *textFiles) flush(p *textPart) error {
	if p.file == nil {
		if err := t.openFile(p); err != nil {
			return err
		}
	}
	f := &p.files[len(p.files)-1]
	if _, err := p.codec.Write(p.buf); err != nil {
		return err
	}
	f.Rows += p.rows
	t.held -= len(p.buf)
	p.buf, p.rows = p.buf[:0], 0
	if t.limit > 0 {
		if err := p.out.Flush(); err != nil {
			return err
		}
		at, err := p.file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if at >= t.limit {
			p.full = true
			return t.closeFile(p)
		}
	}
	return nil
}

// openFile opens the file that a partition goes on with.
func (t *textFiles) openFile(p *textPart) error {
	if len(t.open) >= textOpen {
		if err := t.closeFile(t.open[0]); err != nil {
			return err
		}
	}
	fresh := len(p.files) == 0 || p.full
	if fresh {
		p.files = append(p.files, engine.WrittenFile{Path: filepath.Join(t.dir, strconv.Itoa(t.names)+t.ext)})
		t.names++
		p.full = false
	}
	file, err := os.OpenFile(p.files[len(p.files)-1].Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	p.file, p.out = file, bufio.NewWriterSize(file, 64<<10)
	t.open = append(t.open, p)
	if n := len(t.idle); n > 0 {
		codec := t.idle[n-1]
		t.idle = t.idle[:n-1]
		codec.Reset(p.out)
		p.codec = codec
	} else if p.codec, err = t.encoder.Compress(p.out); err != nil {
		return err
	}
	if fresh {
		_, err = p.codec.Write(t.encoder.Head())
	}
	return err
}

// closeFile completes what is open of a partition's file.
func (t *textFiles) closeFile(p *textPart) error {
	err := errors.Join(p.codec.Close(), p.out.Flush())
	if err == nil {
		var info os.FileInfo
		if info, err = p.file.Stat(); err == nil {
			p.files[len(p.files)-1].Bytes = info.Size()
		}
	}
	if codec, ok := p.codec.(resetter); ok && err == nil {
		t.idle = append(t.idle, codec)
	}
	err = errors.Join(err, p.file.Close())
	p.file, p.out, p.codec = nil, nil, nil
	t.open = slices.DeleteFunc(t.open, func(o *textPart) bool { return o == p })
	return err
}

// finish completes all files.
func (t *textFiles) finish() error {
	if err := t.flushAll(); err != nil {
		return err
	}
	for len(t.open) > 0 {
		if err := t.closeFile(t.open[0]); err != nil {
			return err
		}
	}
	return nil
}

// abandon closes what is open after a failure.
func (t *textFiles) abandon() {
	for _, p := range t.open {
		_ = p.file.Close()
	}
	t.open = nil
}
