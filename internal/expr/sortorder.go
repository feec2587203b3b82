package expr

import (
	"math"
	"slices"

	"github.com/tarnlake/tarn/internal/types"
)

// fewElements is how many elements Java sorts by insertion alone: fewer than these.
const fewElements = 32

// comparatorSQL sorts by a comparator: DuckDB, which sorts by values alone, compares each with each. Of few elements
// tarn_sort_order makes an order of all that the comparator says. More are sorted by how many it puts before each, which takes
// no more memory than they do. The comparator is not called for fewer than two.
func comparatorSQL(c *HigherOrderText) string {
	a, x, i, y, j, s := c.Args[0], c.Fresh(), c.Fresh(), c.Fresh(), c.Fresh(), c.Fresh()
	order := func(l, r string) string {
		return "coalesce(" + c.Apply(0, l, r) + ", CAST(" + raise("COMPARATOR_RETURNS_NULL") + " AS INTEGER))"
	}
	row := "list_transform(" + a + ", lambda " + y + ", " + j + ": CASE WHEN " + i + " <> " + j + " THEN CAST(" + order(x, y) + " AS BIGINT) ELSE 0 END)"
	all := "flatten(list_transform(" + a + ", lambda " + x + ", " + i + ": " + row + "))"
	few := "list_transform(tarn_sort_order(" + all + "), lambda " + s + ": list_extract(" + a + ", " + s + "))"
	before := "len(list_filter(" + a + ", lambda " + y + ", " + j + ": CASE WHEN " + i + " <> " + j + " THEN " + order(y, x) + " < 0 ELSE false END))"
	counted := "list_transform(" + a + ", lambda " + x + ", " + i + ": {'k': " + before + ", 'i': " + i + ", 'v': " + x + "})"
	many := "list_transform(list_sort(" + counted + "), lambda " + s + ": struct_extract(" + s + ", 'v'))"
	return "CASE WHEN len(" + a + ") < 2 THEN " + a + " WHEN len(" + a + ") < " + itoa(fewElements) + " THEN " + few + " ELSE " + many + " END"
}

// sortOrderGoFunction takes what a comparator says of each two of n elements, n*n numbers, and gives the places of the
// elements, from 1, in their order.
func sortOrderGoFunction() GoFunction {
	longs := types.ArrayOf(types.Of(types.BigInt))
	return GoFunction{"tarn_sort_order", []types.Type{longs}, longs, func(a []types.Value) (types.Value, error) {
		said := listOf(a[0])
		n := int(math.Sqrt(float64(len(said))))
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		sortAsJava(order, func(i, j int) int { return int(intOf(said[i*n+j])) })
		out := make([]types.Value, n)
		for i, at := range order {
			out[i] = int64(at + 1)
		}
		return out, nil
	}}
}

// sortAsJava sorts few elements, stably. Where a comparator is no order, such as one that finds NULL equal to everything, it
// leaves them where java.util.Arrays.sort does: a first run is kept or reversed, and the rest is put in by binary search. Of
// more elements Java sorts runs and merges them, which only such a comparator could tell from another stable sort.
func sortAsJava(order []int, compare func(i, j int) int) {
	if len(order) < 2 {
		return
	}
	run := 2
	if compare(order[1], order[0]) < 0 {
		for run < len(order) && compare(order[run], order[run-1]) < 0 {
			run++
		}
		slices.Reverse(order[:run])
	} else {
		for run < len(order) && compare(order[run], order[run-1]) >= 0 {
			run++
		}
	}
	for ; run < len(order); run++ {
		pivot, left, right := order[run], 0, run
		for left < right {
			if mid := int(uint(left+right) >> 1); compare(pivot, order[mid]) < 0 {
				right = mid
			} else {
				left = mid + 1
			}
		}
		copy(order[left+1:run+1], order[left:run])
		order[left] = pivot
	}
}
