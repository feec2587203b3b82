package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxPage bounds the plain size of one page.
const maxPage = 1 << 30

var errCodec = errors.New("a compressed page is damaged")

// codecNames are the codecs by their code.
var codecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// decompress returns the size bytes that src stands for. Nothing is allocated that src could not stand for.
func decompress(codec int8, src []byte, size int) ([]byte, error) {
	if size < 0 || size > maxPage {
		return nil, errCodec
	}
	if size == 0 {
		return nil, nil
	}
	switch codec {
	case codecNone:
		if len(src) < size {
			return nil, errCodec
		}
		return src[:size], nil
	case codecSnappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != size || n > 32*len(src)+64 {
			return nil, errCodec
		}
		return snappy.Decode(nil, src)
	case codecGzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, err
		}
		return readExactly(r, size)
	case codecBrotli:
		return readExactly(brotli.NewReader(bytes.NewReader(src)), size)
	case codecZstd:
		r, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return readExactly(r, size)
	case codecLZ4Raw:
		return lz4Block(src, size)
	case codecLZ4Hadoop:
		if out, ok := hadoopLZ4(src, size); ok {
			return out, nil
		}
		return lz4Block(src, size) // some writers left the framing out
	}
	return nil, fmt.Errorf("the codec %s is not supported", codecName(codec))
}

func codecName(codec int8) string {
	if codec >= 0 && int(codec) < len(codecNames) {
		return codecNames[codec]
	}
	return fmt.Sprintf("unknown codec %d", codec)
}

// readExactly reads size bytes; the buffer grows with what comes, not with what is claimed.
func readExactly(r io.Reader, size int) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(min(size, 1<<20))
	n, err := io.CopyN(&out, r, int64(size))
	if n == int64(size) {
		return out.Bytes(), nil
	}
	if err == nil || err == io.EOF {
		err = errCodec
	}
	return nil, err
}

func lz4Block(src []byte, size int) ([]byte, error) {
	if size > 255*len(src)+64 {
		return nil, errCodec
	}
	dst := make([]byte, size)
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil || n != size {
		return nil, errCodec
	}
	return dst, nil
}

// hadoopLZ4 reads blocks of a big-endian plain length, a big-endian compressed length and an LZ4 block.
func hadoopLZ4(src []byte, size int) ([]byte, bool) {
	if size > 255*len(src)+64 {
		return nil, false
	}
	out := make([]byte, 0, size)
	for len(src) > 0 {
		if len(src) < 8 {
			return nil, false
		}
		plain, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(packed) > uint64(len(src)) || uint64(plain) > uint64(size-len(out)) {
			return nil, false
		}
		n, err := lz4.UncompressBlock(src[:packed], out[len(out):len(out)+int(plain)])
		if err != nil || n != int(plain) {
			return nil, false
		}
		out = out[:len(out)+n]
		src = src[packed:]
	}
	return out, len(out) == size
}
