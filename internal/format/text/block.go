package text

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
)

// maxBlock bounds what one block of a file may ask for: Hadoop writes 256 KiB.
const maxBlock = 64 << 20

var errBlock = errors.New("not in Hadoop's block format")

func snappyBlock(dst, src []byte) ([]byte, error) {
	if n, err := snappy.DecodedLen(src); err != nil || n > len(dst) {
		return nil, errBlock
	}
	return snappy.Decode(dst, src)
}

func lz4Block(dst, src []byte) ([]byte, error) {
	n, err := lz4.UncompressBlock(src, dst)
	return dst[:max(n, 0)], err
}

// blockReader reads Hadoop's BlockCompressorStream: blocks of a big-endian length of plain bytes, then one or more
// chunks, each a big-endian length and as many compressed bytes, until the block's plain bytes are complete.
type blockReader struct {
	r       io.Reader
	decode  func(dst, src []byte) ([]byte, error)
	left    int // plain bytes of the block still to come
	src     []byte
	dst     []byte
	pending []byte
}

func newBlockReader(r io.Reader, decode func(dst, src []byte) ([]byte, error)) *blockReader {
	return &blockReader{r: r, decode: decode}
}

func (b *blockReader) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

func (b *blockReader) length(atStart bool) (int, error) {
	var n [4]byte
	if _, err := io.ReadFull(b.r, n[:]); err != nil {
		if err == io.EOF && !atStart {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	v := binary.BigEndian.Uint32(n[:])
	if v > maxBlock {
		return 0, errBlock
	}
	return int(v), nil
}

func (b *blockReader) fill() (err error) {
	for b.left == 0 {
		if b.left, err = b.length(true); err != nil {
			return err
		}
	}
	n, err := b.length(false)
	if err != nil {
		return err
	}
	b.src = grow(b.src, n)
	if _, err := io.ReadFull(b.r, b.src); err != nil {
		return io.ErrUnexpectedEOF
	}
	b.dst = grow(b.dst, b.left)
	out, err := b.decode(b.dst, b.src)
	if err != nil {
		return err
	}
	if len(out) > b.left || len(out) == 0 && n > 0 && b.left > 0 && len(b.src) > 16 {
		return errBlock
	}
	b.left -= len(out)
	b.pending = out
	return nil
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
