package delta

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// What a page may claim. The library makes room for a page's bytes and values before it looks at them, so a damaged header
// would ask for gigabytes. A page is a megabyte by the habit of writers, and texts that repeat shrink by a thousand.
const (
	smallPage    = 16 << 20 // bytes: what any page may hold, however few it is compressed to
	maxShrinking = 1 << 10
	// maxEmpty bounds the values in a byte of the file: NULLs take next to nothing, but each row of a checkpoint has an action.
	maxEmpty, fewValues = 64, 1 << 16
)

// pageHeader is what checkPages wants of a header (parquet.thrift, PageHeader).
type pageHeader struct {
	uncompressed, compressed, values int64
}

// checkPages walks over the headers of a column's pages: each must fit in the file, and claim no more than it can hold.
func checkPages(r io.ReaderAt, size int64, m *format.ColumnMetaData) error {
	at := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		at = min(at, m.DictionaryPageOffset)
	}
	if m.NumValues > fewValues && m.NumValues/maxEmpty > size {
		return errFooter
	}
	buffer := make([]byte, 1<<10)
	for end := at + m.TotalCompressedSize; at < end; {
		h, n, err := readPageHeader(r, at, size, &buffer)
		if err != nil {
			return err
		}
		at += n
		switch {
		case h.compressed < 0 || h.compressed > size-at, h.values < 0 || h.values > m.NumValues+1,
			h.uncompressed < 0 || h.uncompressed > max(smallPage, maxShrinking*h.compressed):
			return errPages
		}
		at += h.compressed
	}
	return nil
}

// readPageHeader reads the header at a place and tells how long it is. buffer grows when statistics make a header long.
func readPageHeader(r io.ReaderAt, at, size int64, buffer *[]byte) (pageHeader, int64, error) {
	for {
		data := (*buffer)[:min(int64(len(*buffer)), size-at)]
		if n, err := r.ReadAt(data, at); err != nil && (!errors.Is(err, io.EOF) || n < len(data)) {
			return pageHeader{}, 0, err
		}
		w := compactWalk{data: data}
		var h pageHeader
		w.fields(0, func(id int64, kind byte) bool {
			switch {
			case id == 2 && kind == compactInt32:
				h.uncompressed = w.zigzag()
			case id == 3 && kind == compactInt32:
				h.compressed = w.zigzag()
			case (id == 5 || id == 7 || id == 8) && kind == compactStruct: // a page of data, a dictionary, a page of data of version 2
				w.fields(1, func(id int64, kind byte) bool {
					if id == 1 && kind == compactInt32 {
						h.values = w.zigzag()
						return true
					}
					return false
				})
			default:
				return false
			}
			return true
		})
		if !w.bad {
			return h, int64(len(data) - len(w.data)), nil
		}
		if int64(len(data)) == size-at || len(data) >= smallPage {
			return pageHeader{}, 0, errPages
		}
		*buffer = make([]byte, 4*len(*buffer))
	}
}
