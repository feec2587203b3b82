package expr

import (
	_ "embed" // for the table of biases
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tarnlake/tarn/internal/types"
)

// hllBiases are the numbers that Heule, Nunkesser and Hall published for HyperLogLog++ ("HyperLogLog in Practice",
// appendix): a line for each precision from 4 to 18 with the threshold of linear counting, raw estimates, and after a
// bar the bias of each.
//
//go:embed hllbias.txt
var hllBiases string

// hllTable is one line of hllBiases.
type hllTable struct {
	threshold   float64
	raw, biases []float64
}

var hllTables = sync.OnceValue(func() []hllTable {
	var out []hllTable
	for _, line := range strings.Split(strings.TrimSpace(hllBiases), "\n") {
		left, right, _ := strings.Cut(line, "|")
		numbers := floats(left)
		out = append(out, hllTable{numbers[0], numbers[1:], floats(right)})
	}
	return out
})

func floats(s string) []float64 {
	words := strings.Fields(s)
	out := make([]float64, len(words))
	for i, w := range words {
		out[i], _ = strconv.ParseFloat(w, 64)
	}
	return out
}

// Registers travel as register * hllRanks + rank.
const hllRanks = 64

// hllPrecision is how many bits of the hash choose a register, for a largest relative error.
func hllPrecision(relative float64) int {
	return int(math.Ceil(2 * math.Log2(1.106/relative)))
}

// approxCountSQL is approx_count_distinct: the different (register, rank) pairs of a group, which stay few, estimate how
// many different values there are.
func approxCountSQL(args []string, ts []types.Type, _ types.Type) string {
	p := "9"
	if len(args) > 1 {
		p = args[1]
	}
	return "coalesce(tarn_hll(list(DISTINCT " + hllSlotSQL(ts[0], p) + ")$N$W," + p + "),0)"
}

// hllSlotSQL is the register and rank of a value, NULL for NULL.
func hllSlotSQL(t types.Type, p string) string {
	switch number, width := jvmNumberSQL("$1", t); width {
	case 32:
		return "tarn_hll_word(" + number + "," + p + ")"
	case 64:
		return "tarn_hll_long(" + number + "," + p + ")"
	}
	switch t.Kind {
	case types.Double:
		return "tarn_hll_double($1," + p + ")"
	case types.String:
		return "tarn_hll_text($1," + p + ")"
	}
	return "CASE WHEN $1 IS NOT NULL THEN tarn_hll_hash(" + hashSQL("tarn_xxhash64")([]string{"$1"}, []types.Type{t}, types.Of(types.BigInt)) + "," + p + ") END"
}

func hllGoFunctions() []GoFunction {
	long, double, text, integer := types.Of(types.BigInt), types.Of(types.Double), types.Of(types.String), types.Of(types.Int)
	slot := func(name string, t types.Type, add func(h *hasher, v types.Value)) GoFunction {
		return GoFunction{name, []types.Type{t, integer}, integer, func(a []types.Value) (types.Value, error) {
			h := hasher{wide: true, seed: hashSeed}
			add(&h, a[0])
			return hllSlot(h.seed, int(intOf(a[1]))), nil
		}}
	}
	return []GoFunction{
		slot("tarn_hll_word", long, func(h *hasher, v types.Value) { h.word(intOf(v)) }),
		slot("tarn_hll_long", long, func(h *hasher, v types.Value) { h.long(intOf(v)) }),
		slot("tarn_hll_double", double, func(h *hasher, v types.Value) { h.value(v, types.Of(types.Double)) }),
		slot("tarn_hll_text", text, func(h *hasher, v types.Value) { h.value(v, types.Of(types.String)) }),
		{"tarn_hll_hash", []types.Type{long, integer}, integer, func(a []types.Value) (types.Value, error) {
			return hllSlot(uint64(intOf(a[0])), int(intOf(a[1]))), nil
		}},
		{"tarn_hll", []types.Type{types.ArrayOf(integer), integer}, long, func(a []types.Value) (types.Value, error) {
			p := int(intOf(a[1]))
			registers := make([]uint8, 1<<p)
			for _, v := range listOf(a[0]) {
				if v == nil {
					continue
				}
				n := intOf(v)
				registers[n/hllRanks] = max(registers[n/hllRanks], uint8(n%hllRanks))
			}
			return hllEstimate(registers, p), nil
		}},
	}
}

// hllSlot chooses the register by the first p bits of the hash; the rank is the place of the first set bit after them.
func hllSlot(hash uint64, p int) types.Value {
	rank := bits.LeadingZeros64(hash<<p|1<<(p-1)) + 1
	return int64(hash>>(64-p))*hllRanks + int64(rank)
}

// hllEstimate is the number of different values that left these registers.
func hllEstimate(registers []uint8, p int) int64 {
	m := float64(len(registers))
	sum, zeros := 0.0, 0.0
	for _, r := range registers {
		sum += 1 / float64(uint64(1)<<r)
		if r == 0 {
			zeros++
		}
	}
	raw := hllAlpha(p) * m * m / sum
	estimate := raw
	var table *hllTable
	if tables := hllTables(); p-4 < len(tables) {
		table = &tables[p-4]
	}
	if table != nil && estimate < 5*m {
		estimate -= table.bias(estimate)
	}
	if zeros > 0 {
		if linear := m * math.Log(m/zeros); raw <= 2.5*m || table != nil && linear <= table.threshold {
			estimate = linear
		}
	}
	return int64(math.Floor(estimate + 0.5))
}

func hllAlpha(p int) float64 {
	switch p {
	case 4:
		return 0.673
	case 5:
		return 0.697
	case 6:
		return 0.709
	}
	return 0.7213 / (1 + 1.079/float64(int(1)<<p))
}

// hllNeighbours is how many measured biases an estimate takes the mean of.
const hllNeighbours = 6

// bias is the mean of the biases that were measured nearest to an estimate.
func (t *hllTable) bias(estimate float64) float64 {
	far := func(i int) float64 { return math.Abs(estimate - t.raw[i]) }
	at, _ := slices.BinarySearch(t.raw, estimate)
	low := max(at-hllNeighbours+1, 0)
	high := min(low+hllNeighbours, len(t.raw))
	for high < len(t.raw) && far(high) < far(low) {
		low, high = low+1, high+1
	}
	sum := 0.0
	for _, b := range t.biases[low:high] {
		sum += b
	}
	return sum / float64(high-low)
}
