package expr

import (
	"math"
	"slices"

	"github.com/tarnlake/tarn/internal/types"
)

// comparatorSQL sorts by a comparator: DuckDB, which sorts by values alone, compares each with each, and tarn_sort_order makes
// an order of that. The comparator is not called for fewer than two elements.
func comparatorSQL(c *HigherOrderText) string {
	a, x, i, y, j, s := c.Args[0], c.Fresh(), c.Fresh(), c.Fresh(), c.Fresh(), c.Fresh()
	order := "coalesce(" + c.Apply(0, x, y) + ", CAST(" + raise("COMPARATOR_RETURNS_NULL") + " AS INTEGER))"
	row := "list_transform(" + a + ", lambda " + y + ", " + j + ": CASE WHEN " + i + " <> " + j + " THEN CAST(" + order + " AS BIGINT) ELSE 0 END)"
	all := "flatten(list_transform(" + a + ", lambda " + x + ", " + i + ": " + row + "))"
	return "CASE WHEN len(" + a + ") < 2 THEN " + a + " ELSE list_transform(tarn_sort_order(" + all + "), lambda " + s + ": list_extract(" + a + ", " + s + ")) END"
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

// sortAsJava sorts stably. A comparator that is no order, such as one that finds NULL equal to everything, leaves few elements
// where java.util.Arrays.sort leaves them: there a first run is kept or reversed, and the rest put in by binary search. Of 32
// elements or more Java sorts runs of its own and merges them, which only such a comparator could tell from this.
func sortAsJava(order []int, compare func(i, j int) int) {
	if len(order) >= 32 {
		slices.SortStableFunc(order, compare)
		return
	}
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
