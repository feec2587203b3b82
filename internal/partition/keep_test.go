package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKeepOnlyIsKeep: leaving out unused codes by the rows gives what leaving them out by the dictionary does.
func TestKeepOnlyIsKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := domain{form: numForm}
		for i := range rapid.IntRange(1, 60).Draw(t, "values") {
			d.nums = append(d.nums, int64(3*i))
		}
		column := rapid.SliceOfN(rapid.Uint32Range(0, uint32(d.size()-1)), 0, 30).Draw(t, "column")
		used, _ := usage(column, d.size())
		want, remap := d.keep(used)
		got, recoded := d.keepOnly(column)
		if !got.equal(&want) || !slices.Equal(recoded, remapped(column, remap)) {
			t.Fatalf("%v %v, want %v %v", got, recoded, want, remapped(column, remap))
		}
	})
}
