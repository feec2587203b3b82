package expr

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// percentileGoFunction is the percentile of values that count several times each: writing each so often would not fit
// into memory.
func percentileGoFunction() GoFunction {
	doubles := types.ArrayOf(types.Of(types.Double))
	return GoFunction{
		"tarn_percentile",
		[]types.Type{doubles, types.ArrayOf(types.Of(types.BigInt)), doubles},
		doubles,
		func(a []types.Value) (types.Value, error) {
			steps, err := countSteps(listOf(a[0]), listOf(a[1]))
			if err != nil || len(steps) == 0 {
				return nil, err
			}
			out := []types.Value{}
			for _, p := range listOf(a[2]) {
				out = append(out, percentileOf(steps, floatOf(p)))
			}
			return out, nil
		},
	}
}

// countStep is a value and how many values there are up to it.
type countStep struct {
	value float64
	upTo  int64
}

// countSteps sorts values, each with its count; values that count zero times drop out.
func countSteps(values, counts []types.Value) ([]countStep, error) {
	var steps []countStep
	for i, v := range values {
		if i >= len(counts) || v == nil {
			break
		}
		n := intOf(counts[i])
		if n < 0 {
			return nil, sqlerr.NegativeFrequency(itoa(int(n)))
		}
		if n > 0 {
			steps = append(steps, countStep{floatOf(v), n})
		}
	}
	slices.SortFunc(steps, func(x, y countStep) int {
		switch {
		case x.value != x.value:
			return cmp.Compare(1, btoi(y.value != y.value))
		case y.value != y.value:
			return -1
		}
		return cmp.Compare(x.value, y.value)
	})
	total := int64(0)
	for i := range steps {
		total += steps[i].upTo
		steps[i].upTo = total
	}
	return steps, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// percentileOf interpolates between the two values around the place.
func percentileOf(steps []countStep, p float64) float64 {
	at := func(place int64) float64 {
		i, _ := slices.BinarySearchFunc(steps, place+1, func(s countStep, n int64) int { return cmp.Compare(s.upTo, n) })
		return steps[min(i, len(steps)-1)].value
	}
	place := float64(steps[len(steps)-1].upTo-1) * p
	low, high := math.Floor(place), math.Ceil(place)
	below, above := at(int64(low)), at(int64(high))
	if low == high || below == above {
		return below
	}
	return below + (place-low)*(above-below)
}
