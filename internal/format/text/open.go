// Package text holds what the text formats (CSV, JSON) share: reading and writing a file through its codec and character set,
// cutting it into lines, the options both have, filling batches, and printing values. It imports the format port and what lies
// below it; only the text formats import it.
package text

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/storage"
)

// maxWindow bounds the memory that a zstd file may ask for.
const maxWindow = 512 << 20

// Open opens a file for reading its text: decompressed by its suffix (.gz .bz2 .deflate .zst .snappy .lz4, the last two in
// Hadoop's block format) or, without one, by its first bytes, and decoded from charset ("" is UTF-8) to UTF-8.
// Failures, also those of later reads, are *sqlerr.Error.
func Open(ctx context.Context, file storage.File, charset string) (io.ReadCloser, error) {
	raw, err := file.Open(ctx)
	if err != nil {
		return nil, Failure(file, err)
	}
	f := &stream{ctx: ctx, file: file, raw: raw}
	in := bufio.NewReaderSize(raw, 256<<10)
	f.r, err = f.decompress(in, file.Name())
	if err == nil {
		f.r, err = decode(f.r, charset)
	}
	if err != nil {
		f.Close()
		return nil, Failure(file, err)
	}
	return f, nil
}

// Failure turns what went wrong with a file into what the user sees.
func Failure(file storage.File, err error) error {
	return format.Failure(file, err, "its content is damaged or cut short ("+err.Error()+")")
}

type stream struct {
	ctx   context.Context // of the statement: readers have no place for one
	file  storage.File
	raw   io.ReadCloser
	r     io.Reader
	after func()
}

func (f *stream) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, Failure(f.file, err)
	}
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		err = Failure(f.file, err)
	}
	return n, err
}

func (f *stream) Close() error {
	if f.after != nil {
		f.after()
		f.after = nil
	}
	return f.raw.Close()
}

func (f *stream) decompress(in *bufio.Reader, name string) (io.Reader, error) {
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) == 0 {
		return in, nil
	}
	name = strings.ToLower(name)
	suffix := name[strings.LastIndexByte(name, '.')+1:]
	switch suffix {
	case "deflate":
		return zlib.NewReader(in)
	case "snappy":
		return newBlockReader(in, snappyBlock), nil
	case "lz4":
		if bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}) {
			return lz4.NewReader(in), nil
		}
		return newBlockReader(in, lz4Block), nil
	}
	switch {
	case suffix == "gz", bytes.HasPrefix(head, []byte{0x1f, 0x8b, 8}):
		return gzip.NewReader(in)
	case suffix == "bz2", suffix != "zst" && bytes.HasPrefix(head, []byte("BZh")) && len(head) > 3 && head[3] >= '1' && head[3] <= '9' && !plainText(in):
		return bzip2.NewReader(in), nil
	case suffix == "zst", suffix == "zstd", bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		f.after = z.Close
		return z, nil
	}
	return in, nil
}

// plainText tells a text that happens to begin with bzip2's mark from one that goes on as bzip2 does.
func plainText(in *bufio.Reader) bool {
	head, _ := in.Peek(10)
	return len(head) < 10 || !bytes.Equal(head[4:10], []byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59})
}
