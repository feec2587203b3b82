package delta

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"strings"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Storage types of deletion vectors.
const (
	VectorRelative = "u"
	VectorAbsolute = "p"
	VectorInline   = "i"
)

// Rows is a set of row numbers, counted from 0 in the order of a data file. It is not changed once it is shared.
type Rows struct{ bits *roaring64.Bitmap }

// NewRows is a set of rows.
func NewRows(rows ...uint64) *Rows { return &Rows{roaring64.BitmapOf(rows...)} }

// Add puts rows into a set that its maker has not yet shared.
func (r *Rows) Add(rows ...uint64) { r.bits.AddMany(rows) }

// Union is the set of the rows of both; nil is the empty set.
func (r *Rows) Union(o *Rows) *Rows {
	switch {
	case o == nil && r == nil:
		return NewRows()
	case o == nil:
		return &Rows{r.bits.Clone()}
	case r == nil:
		return &Rows{o.bits.Clone()}
	}
	return &Rows{roaring64.Or(r.bits, o.bits)}
}

// Contains reports whether a row is in the set.
func (r *Rows) Contains(row uint64) bool { return r.bits.Contains(row) }

// Len is the number of rows.
func (r *Rows) Len() int64 { return int64(r.bits.GetCardinality()) }

// Max is the highest row; ok is false for the empty set.
func (r *Rows) Max() (row uint64, ok bool) {
	if r.bits.IsEmpty() {
		return 0, false
	}
	return r.bits.Maximum(), true
}

// All are the rows in ascending order.
func (r *Rows) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for it := r.bits.Iterator(); it.HasNext(); {
			if !yield(it.Next()) {
				return
			}
		}
	}
}

// vectorMagic begins the bytes of a set, vectorVersion a file of sets.
const (
	vectorMagic   = 1681511377
	vectorVersion = 1
)

// nativeMagic begins the bytes of a set in an older form, of which the protocol still shows a sample: 32-bit bitmaps one
// after the other, each with its length before it.
const nativeMagic = vectorMagic - 1

// encode writes the set as the protocol's bitmap: a magic number, and the portable form of 64-bit Roaring.
func (r *Rows) encode() ([]byte, error) {
	r.bits.RunOptimize()
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(nil, vectorMagic))
	if _, err := r.bits.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeRows reads the bytes of a set. place says where they were, for errors.
func decodeRows(place string, data []byte) (rows *Rows, err error) {
	// The library trusts the lengths inside of its bytes in places; a damaged file must not end the program.
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, sqlerr.DeltaVectorMalformed(place, "its bitmap is damaged", fmt.Errorf("%v", p))
		}
	}()
	if len(data) < 12 {
		return nil, sqlerr.DeltaVectorMalformed(place, "its bitmap is damaged", nil)
	}
	bits := roaring64.New()
	switch order := binary.ByteOrder(binary.LittleEndian); {
	case order.Uint32(data) == vectorMagic:
		// Every bitmap takes more than four bytes: a greater count is a lie that would cost memory.
		if n := binary.LittleEndian.Uint64(data[4:]); n > uint64(len(data))/4 {
			err = errBitmap
		} else {
			_, err = bits.ReadFrom(bytes.NewReader(data[4:]))
		}
	case order.Uint32(data) == nativeMagic:
		err = readNative(bits, order, data[4:])
	case binary.BigEndian.Uint32(data) == nativeMagic:
		err = readNative(bits, binary.BigEndian, data[4:])
	default:
		return nil, sqlerr.DeltaVectorMalformed(place, "it is in a form that the protocol does not have", nil)
	}
	if err == nil && !bits.IsEmpty() {
		// Containers whose values are not sorted would make the library panic later.
		if err = bits.Validate(); err == nil && bits.Maximum() > math.MaxInt64 {
			err = errBitmap
		}
	}
	if err != nil {
		return nil, sqlerr.DeltaVectorMalformed(place, "its bitmap is damaged", err)
	}
	return &Rows{bits}, nil
}

var errBitmap = errors.New("the bitmap is damaged")

// readNative reads the older form after its magic number, by writing it as the newer one.
func readNative(bits *roaring64.Bitmap, order binary.ByteOrder, data []byte) error {
	count := order.Uint32(data)
	data = data[4:]
	if uint64(count) > uint64(len(data))/4 {
		return errBitmap
	}
	portable := binary.LittleEndian.AppendUint64(nil, uint64(count))
	for high := range count {
		if len(data) < 4 {
			return errBitmap
		}
		size := uint64(order.Uint32(data))
		if size > uint64(len(data)-4) {
			return errBitmap
		}
		portable = binary.LittleEndian.AppendUint32(portable, high)
		portable = append(portable, data[4:4+size]...)
		data = data[4+size:]
	}
	_, err := bits.ReadFrom(bytes.NewReader(portable))
	return err
}

// IsInline reports whether the rows stand in the log itself.
func (d *DeletionVector) IsInline() bool { return d.StorageType == VectorInline }

// Location is the file of a deletion vector that is not inline; root is as in ResolvePath.
func (d *DeletionVector) Location(root string) (string, error) {
	switch d.StorageType {
	case VectorAbsolute:
		return ResolvePath(root, d.PathOrInline), nil
	case VectorRelative:
		const digits = 20
		at := len(d.PathOrInline) - digits
		if at >= 0 {
			if id, ok := decodeZ85(d.PathOrInline[at:]); ok {
				path := vectorName(id)
				if prefix := d.PathOrInline[:at]; prefix != "" {
					path = prefix + "/" + path
				}
				return strings.TrimRight(root, "/") + "/" + path, nil
			}
		}
		return "", sqlerr.DeltaVectorMalformed(d.PathOrInline, "its name in the log cannot be read", nil)
	}
	return "", sqlerr.DeltaVectorMalformed(d.PathOrInline, "it is of the unknown kind "+d.StorageType, nil)
}

func vectorName(id []byte) string { return "deletion_vector_" + uuidText(id) + ".bin" }

func uuidText(id []byte) string {
	h := hex.EncodeToString(id)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Range is the part of the file that holds the deletion vector, its length and checksum included.
func (d *DeletionVector) Range() (offset, length int64) {
	if d.Offset != nil {
		offset = int64(*d.Offset)
	}
	return offset, int64(d.SizeInBytes) + 8
}

// Inline reads a deletion vector that stands in the log. The errors are those of Read.
func (d *DeletionVector) Inline() (*Rows, error) {
	data, ok := decodeZ85(d.PathOrInline)
	if !ok {
		return nil, sqlerr.DeltaVectorMalformed("in the log", "its text cannot be read", nil)
	}
	// The text is padded to a multiple of four bytes.
	if int(d.SizeInBytes) > len(data) || d.SizeInBytes < 0 || len(data)-int(d.SizeInBytes) > 3 {
		return nil, sqlerr.DeltaVectorSize("in the log")
	}
	return d.checked("in the log", data[:d.SizeInBytes])
}

// Read reads a deletion vector from the bytes of its Range. place names the file for errors: DELTA_DELETION_VECTOR_….
func (d *DeletionVector) Read(place string, data []byte) (*Rows, error) {
	if int64(len(data)) != int64(d.SizeInBytes)+8 || d.SizeInBytes < 0 || binary.BigEndian.Uint32(data) != uint32(d.SizeInBytes) {
		return nil, sqlerr.DeltaVectorSize(place)
	}
	body := data[4 : 4+d.SizeInBytes]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(data[4+d.SizeInBytes:]) {
		return nil, sqlerr.DeltaVectorChecksum(place)
	}
	return d.checked(place, body)
}

func (d *DeletionVector) checked(place string, body []byte) (*Rows, error) {
	rows, err := decodeRows(place, body)
	if err != nil {
		return nil, err
	}
	if rows.Len() != d.Cardinality {
		return nil, sqlerr.DeltaVectorCardinality(place, d.Cardinality, rows.Len())
	}
	return rows, nil
}

// Absolute is the descriptor that names the same rows from another table: an inline one as it is, others by their absolute
// location.
func (d *DeletionVector) Absolute(root string) (*DeletionVector, error) {
	if d == nil || d.IsInline() || d.StorageType == VectorAbsolute {
		return d, nil
	}
	location, err := d.Location(root)
	if err != nil {
		return nil, err
	}
	out := *d
	out.StorageType, out.PathOrInline = VectorAbsolute, EncodePath(location)
	return &out, nil
}

// InlineVector is the descriptor of rows that stand in the log itself: for few of them.
func InlineVector(rows *Rows) (*DeletionVector, error) {
	data, err := rows.encode()
	if err != nil {
		return nil, err
	}
	return &DeletionVector{StorageType: VectorInline, PathOrInline: encodeZ85(data), SizeInBytes: int32(len(data)), Cardinality: rows.Len()}, nil
}

// VectorFile collects deletion vectors for one file below the table's root.
type VectorFile struct {
	id   [16]byte
	data []byte
}

// NewVectorFile begins a file; id is a fresh UUID, whose bytes make the name.
func NewVectorFile(id [16]byte) *VectorFile { return &VectorFile{id: id, data: []byte{vectorVersion}} }

// Add appends the rows of one data file and gives what its add says of them.
func (f *VectorFile) Add(rows *Rows) (*DeletionVector, error) {
	body, err := rows.encode()
	if err != nil {
		return nil, err
	}
	if len(f.data)+len(body)+8 > math.MaxInt32 {
		return nil, fmt.Errorf("a file of deletion vectors would pass %d bytes", math.MaxInt32)
	}
	offset := int32(len(f.data))
	f.data = binary.BigEndian.AppendUint32(f.data, uint32(len(body)))
	f.data = append(f.data, body...)
	f.data = binary.BigEndian.AppendUint32(f.data, crc32.ChecksumIEEE(body))
	return &DeletionVector{StorageType: VectorRelative, PathOrInline: encodeZ85(f.id[:]), Offset: &offset, SizeInBytes: int32(len(body)), Cardinality: rows.Len()}, nil
}

// Name is the file's name below the table's root.
func (f *VectorFile) Name() string { return vectorName(f.id[:]) }

// Bytes is the content.
func (f *VectorFile) Bytes() []byte { return f.data }
