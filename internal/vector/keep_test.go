package vector_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

func TestKeep(t *testing.T) {
	kinds := []types.Type{types.Of(types.BigInt), types.Of(types.String), types.Of(types.Boolean), types.Of(types.Double), types.ArrayOf(types.Of(types.Int))}
	b := vector.NewBatch(kinds)
	for i := range 5 {
		row := []types.Value{int64(i), string(rune('a' + i)), i%2 == 0, float64(i), []types.Value{int64(i)}}
		if i == 3 {
			row = make([]types.Value, len(kinds))
		}
		b.Append(row)
	}
	b.Cols = append(b.Cols, vector.ConstColumn(types.Of(types.Int), int64(7)))
	b.Keep([]bool{false, true, false, true, true})
	want := [][]types.Value{
		{int64(1), "b", false, float64(1), []types.Value{int64(1)}, int64(7)},
		{nil, nil, nil, nil, nil, int64(7)},
		{int64(4), "e", true, float64(4), []types.Value{int64(4)}, int64(7)},
	}
	var got [][]types.Value
	for i := range b.Len {
		var row []types.Value
		for k := range b.Cols {
			row = append(row, b.Cols[k].Value(i))
		}
		got = append(got, row)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}
