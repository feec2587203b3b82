package write

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tarnlake/tarn/internal/catalog"
)

// A plan is stored as lines of JSON in a zstd frame, so that neither writing nor reading one holds it in memory twice. The first
// line is the format's number and all but the parts; the others are as the fields of planLine say, in the order of the parts. A
// list of retired files is stored alike, without parts.
//
// planFormat is the number of this form. A plan of another number is not carried out.
const planFormat = 1

// planLine is a line after the first; one field is set.
type planLine struct {
	Part *part   `json:"part,omitempty"` // begins a part
	New  []added `json:"new,omitempty"`  // files of the part begun last
	Old  []old   `json:"old,omitempty"`  // files that go, of the part begun last; before any part those of the plan
	Dir  string  `json:"dir,omitempty"`  // the directory of Old

	Loads []catalog.Load `json:"loads,omitempty"` // of the plan
}

// lineFiles is how many files a line has at most.
const lineFiles = 1000

// maxLine bounds a line in bytes, and maxPlan all of them: a million files take about 100 MB.
const (
	maxLine = 16 << 20
	maxPlan = 4 << 30
)

type planHead struct {
	Format int `json:"format"`
	*plan
}

// lineWriter writes lines of JSON into a zstd frame. The first failure ends it.
type lineWriter struct {
	out  bytes.Buffer
	zstd *zstd.Encoder
	json *json.Encoder
	err  error
}

func newLineWriter() *lineWriter {
	w := &lineWriter{}
	if w.zstd, w.err = zstd.NewWriter(&w.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20)); w.err == nil {
		w.json = json.NewEncoder(w.zstd)
	}
	return w
}

func (w *lineWriter) line(v any) {
	if w.err == nil {
		w.err = w.json.Encode(v)
	}
}

func (w *lineWriter) olds(files []old) {
	for len(files) > 0 {
		n := 1
		for n < len(files) && n < lineFiles && files[n].Dir == files[0].Dir {
			n++
		}
		w.line(planLine{Old: files[:n], Dir: files[0].Dir})
		files = files[n:]
	}
}

func (w *lineWriter) bytes() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	if err := w.zstd.Close(); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

func encodePlan(p *plan) ([]byte, error) {
	w := newLineWriter()
	w.line(planHead{planFormat, p})
	for loads := range slices.Chunk(p.Loads, lineFiles) {
		w.line(planLine{Loads: loads})
	}
	w.olds(p.Old)
	for i := range p.Parts {
		part := &p.Parts[i]
		w.line(planLine{Part: part})
		for files := range slices.Chunk(part.New, lineFiles) {
			w.line(planLine{New: files})
		}
		w.olds(part.Old)
	}
	return w.bytes()
}

// lineReader reads what lineWriter wrote.
type lineReader struct {
	zstd  *zstd.Decoder
	lines *bufio.Scanner
}

func newLineReader(data []byte) (*lineReader, error) {
	d, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlan))
	if err != nil {
		return nil, err
	}
	s := bufio.NewScanner(io.LimitReader(d, maxPlan))
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	return &lineReader{zstd: d, lines: s}, nil
}

// next is the next line, nil at the end.
func (r *lineReader) next() ([]byte, error) {
	if r.lines.Scan() {
		return r.lines.Bytes(), nil
	}
	return nil, r.lines.Err()
}

func (r *lineReader) close() { r.zstd.Close() }

func unreadable(err error) error { return fmt.Errorf("the plan cannot be read: %w", err) }

// decodePlan reads a plan.
func decodePlan(data []byte) (*plan, error) { return readPlan(data, true) }

// decodeReach reads a plan without its new files, which are most of it: readers ask only for what is going to be elsewhere.
func decodeReach(data []byte) (*plan, error) { return readPlan(data, false) }

var newLine = []byte(`{"new":`)

func readPlan(data []byte, files bool) (*plan, error) {
	r, err := newLineReader(data)
	if err != nil {
		return nil, unreadable(err)
	}
	defer r.close()
	first, err := r.next()
	if err != nil {
		return nil, unreadable(err)
	}
	p := &plan{}
	head := planHead{plan: p}
	if err := json.Unmarshal(first, &head); err != nil {
		return nil, unreadable(err)
	}
	if head.plan == nil { // null takes it away
		return nil, unreadable(errors.New("its first line is empty"))
	}
	if head.Format != planFormat {
		return nil, fmt.Errorf("the plan has form %d, this version knows %d", head.Format, planFormat)
	}
	var in *part
	for {
		text, err := r.next()
		if err != nil {
			return nil, unreadable(err)
		}
		if text == nil {
			return p, nil
		}
		if !files && bytes.HasPrefix(text, newLine) {
			continue
		}
		var l planLine
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, unreadable(err)
		}
		if l.Part != nil {
			p.Parts = append(p.Parts, *l.Part)
			in = &p.Parts[len(p.Parts)-1]
		}
		if len(l.New) > 0 {
			if in == nil {
				return nil, unreadable(errors.New("files come before the first part"))
			}
			for i := range l.New {
				if x := l.New[i].Suffix; x < 0 || x >= len(p.Suffixes) {
					return nil, unreadable(errors.New("a file has a suffix that the plan does not have"))
				}
			}
			in.New = append(in.New, l.New...)
		}
		p.Loads = append(p.Loads, l.Loads...)
		l.place()
		if in != nil {
			in.Old = append(in.Old, l.Old...)
		} else {
			p.Old = append(p.Old, l.Old...)
		}
	}
}

// place gives the old files of a line their directory.
func (l *planLine) place() {
	for i := range l.Old {
		l.Old[i].Dir = l.Dir
	}
}

// encodeRetired stores a list of files that go.
func encodeRetired(files func(yield func(old) bool)) ([]byte, error) {
	w := newLineWriter()
	var batch []old
	for f := range files {
		if len(batch) == lineFiles || len(batch) > 0 && batch[0].Dir != f.Dir {
			w.olds(batch)
			batch = batch[:0]
		}
		batch = append(batch, f)
	}
	w.olds(batch)
	return w.bytes()
}

// decodeRetired reads such a list, batch by batch, until use fails.
func decodeRetired(data []byte, use func(files []old) error) error {
	if len(data) == 0 {
		return nil
	}
	r, err := newLineReader(data)
	if err != nil {
		return fmt.Errorf("the list of retired files cannot be read: %w", err)
	}
	defer r.close()
	for {
		text, err := r.next()
		if text == nil && err == nil {
			return nil
		}
		var l planLine
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err != nil {
			return fmt.Errorf("the list of retired files cannot be read: %w", err)
		}
		l.Dir = strings.Clone(l.Dir)
		l.place()
		if err := use(l.Old); err != nil {
			return err
		}
	}
}
