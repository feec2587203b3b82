package parquet

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	pqformat "github.com/parquet-go/parquet-go/format"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Statistics reads from the footer of a file that Tarn itself has written what its row groups tell of leaves, which are given
// by their paths and types: fn is called with each row group's number of rows and the ranges of the leaves in their order. A
// leaf that the file lacks is all NULL. Failures are *sqlerr.Error as those of ReadFooter.
func Statistics(ctx context.Context, in storage.File, paths [][]string, of []types.Type, fn func(rows int64, leaves []format.LeafRange)) error {
	r, err := in.OpenAt(ctx)
	if err != nil {
		return failure(in, err)
	}
	f, err := pq.OpenFile(r, r.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err == nil {
		index := map[string]int{}
		for i, p := range paths {
			index[strings.Join(p, "\x00")] = i
		}
		for _, g := range f.Metadata().RowGroups {
			leaves := make([]format.LeafRange, len(paths))
			for i := range leaves {
				leaves[i] = format.LeafRange{Known: true, Nulls: g.NumRows}
			}
			for k := range g.Columns {
				c := &g.Columns[k].MetaData
				if i, ok := index[strings.Join(c.PathInSchema, "\x00")]; ok {
					leaves[i] = leafRange(c, g.NumRows, of[i])
				}
			}
			fn(g.NumRows, leaves)
		}
	}
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return failure(in, err)
	}
	return nil
}

func leafRange(c *pqformat.ColumnMetaData, rows int64, t types.Type) format.LeafRange {
	out := format.LeafRange{Nulls: c.Statistics.NullCount}
	if out.Nulls == rows {
		out.Known = true
		return out
	}
	lo, loOK := statValue(c.Type, c.Statistics.MinValue, t)
	hi, hiOK := statValue(c.Type, c.Statistics.MaxValue, t)
	if loOK && hiOK {
		out.Min, out.Max, out.Known = lo, hi, true
	}
	return out
}

// statValue reads a value of a row group's statistics, which is plain-encoded. Absent bytes, which an empty text has as
// well, are no value.
func statValue(physical pqformat.Type, b []byte, t types.Type) (types.Value, bool) {
	if len(b) == 0 {
		return nil, false
	}
	switch {
	case physical == pqformat.Int32 && len(b) == 4:
		return statInteger(int64(int32(binary.LittleEndian.Uint32(b))), t)
	case physical == pqformat.Int64 && len(b) == 8:
		return statInteger(int64(binary.LittleEndian.Uint64(b)), t)
	case physical == pqformat.Float && len(b) == 4 && t.Kind == types.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case physical == pqformat.Double && len(b) == 8 && t.Kind == types.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	case physical == pqformat.ByteArray && t.Kind.IsText():
		return string(b), true
	case physical == pqformat.FixedLenByteArray && t.Kind == types.Decimal:
		n := new(big.Int).SetBytes(b)
		if b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return types.Dec{Unscaled: n, Scale: t.Scale}, true
	}
	return nil, false
}

func statInteger(n int64, t types.Type) (types.Value, bool) {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Date, types.Timestamp, types.TimestampNTZ:
		return n, true
	case types.Decimal:
		return types.NewDec(n, t.Scale), true
	}
	return nil, false
}
