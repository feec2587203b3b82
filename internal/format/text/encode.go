package text

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Output is what the encoders of the text formats share: the character set and the codec of files. It is immutable and safe
// for concurrent use.
type Output struct {
	codec   string
	charset encoding.Encoding // nil for UTF-8
	mark    []byte            // the byte order mark that Java writes for the character set
}

// codecs are the values of the option compression, with the codec that each means. What each writes may follow another piece of
// the same codec in one file: the engine closes and continues files.
var codecs = map[string]string{
	"none": "", "uncompressed": "", "gzip": "gzip", "zstd": "zstd",
}

// NewOutput reads the options compression (or codec) and encoding (or charset); the error is a *sqlerr.Error.
func NewOutput(opts format.Options) (*Output, error) {
	o := &Output{}
	for _, name := range []string{"compression", "codec"} {
		v, ok := opts.Get(name)
		if !ok {
			continue
		}
		if o.codec, ok = codecs[strings.ToLower(v)]; !ok {
			return nil, sqlerr.CodecNotAvailable(v, []string{"none", "uncompressed", "gzip", "zstd"})
		}
		break
	}
	charset, err := Charset(opts)
	if err != nil || charset == "" {
		return o, err
	}
	switch strings.ToUpper(charset) {
	case "UTF-16", "UTF16", "UNICODE":
		o.mark, charset = []byte{0xfe, 0xff}, "UTF-16BE"
	case "UTF-32", "UTF32":
		charset = "UTF-32BE" // Java writes no mark here
	}
	o.charset = charsetOf(charset)
	return o, nil
}

// Mark is what a file begins with before anything else.
func (o *Output) Mark() []byte { return o.mark }

// Encode brings what follows the first n bytes of dst from UTF-8 to the character set. A character that the set lacks
// becomes a question mark.
func (o *Output) Encode(dst []byte, n int) []byte {
	if o.charset == nil {
		return dst
	}
	e := o.charset.NewEncoder()
	whole := dst[n:]
	if b, err := e.Bytes(whole); err == nil {
		return append(dst[:n], b...)
	}
	var out []byte
	for _, r := range string(whole) {
		b, err := e.Bytes([]byte(string(r)))
		if err != nil {
			b, _ = e.Bytes([]byte{'?'})
		}
		out = append(out, b...)
	}
	return append(dst[:n], out...)
}

// Compress implements the method of format.Encoder.
func (o *Output) Compress(w io.Writer) (io.WriteCloser, error) {
	switch o.codec {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "zstd":
		// One worker for each file: the engine has many files open, and its own threads fill them.
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	}
	return plainWriter{w}, nil
}

// Extension implements the method of format.Encoder.
func (o *Output) Extension() string {
	switch o.codec {
	case "gzip":
		return ".gz"
	case "zstd":
		return ".zst"
	}
	return ""
}

// plainWriter is no codec.
type plainWriter struct{ io.Writer }

// Close implements io.Closer.
func (plainWriter) Close() error { return nil }
