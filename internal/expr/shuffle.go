package expr

import (
	"github.com/tarnlake/tarn/internal/types"
)

// shuffleFunctions put an array into a random order. With a seed the order is that of Spark for the first row of a
// partition; each row starts anew, so that rows do not depend on who computes them.
func shuffleFunctions() []Overload {
	return []Overload{
		{
			Name: "shuffle", Params: one(AnyArray), Result: typeOfFirst, Volatile: true,
			Duck: "list_transform(list_sort(list_transform($1, lambda x_: {'r': random(), 'v': x_}), 'ASC', 'NULLS LAST'), lambda s_: struct_extract(s_, 'v'))",
		},
		{
			Name: "shuffle", Params: []Class{AnyArray, LongNumber}, Result: typeOfFirst,
			Duck: "list_select($1, tarn_shuffle_order(len($1), $2))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				l := listOf(a[0])
				out := make([]types.Value, len(l))
				for i, k := range shuffleOrder(len(l), intOf(a[1])) {
					out[i] = l[k]
				}
				return out, nil
			},
		},
	}
}

func shuffleGoFunction() GoFunction {
	long := types.Of(types.BigInt)
	return GoFunction{"tarn_shuffle_order", []types.Type{long, long}, types.ArrayOf(long), func(a []types.Value) (types.Value, error) {
		order := shuffleOrder(int(intOf(a[0])), intOf(a[1]))
		out := make([]types.Value, len(order))
		for i, k := range order {
			out[i] = int64(k) + 1
		}
		return out, nil
	}}
}

// shuffleOrder is an order of the numbers below n, drawn from a Mersenne twister as Spark draws it.
func shuffleOrder(n int, seed int64) []int {
	out := make([]int, n)
	if n == 0 {
		return out
	}
	random := newTwister(seed)
	for i := range out {
		j := random.below(int32(i + 1))
		if int(j) != i {
			out[i] = out[j]
		}
		out[j] = i
	}
	return out
}

// twister is the generator MT19937 of Matsumoto and Nishimura.
type twister struct {
	state [624]uint32
	next  int
}

// newTwister seeds a generator with the two halves of a number, the higher one first.
func newTwister(seed int64) *twister {
	key := [2]uint32{uint32(uint64(seed) >> 32), uint32(seed)}
	t := &twister{next: 624}
	s := &t.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i, j := 1, 0
	step := func(add uint32, factor uint32) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*factor) + add
		if i++; i == len(s) {
			s[0], i = s[len(s)-1], 1
		}
	}
	for range len(s) {
		step(key[j]+uint32(j), 1664525)
		j = (j + 1) % len(key)
	}
	for range len(s) - 1 {
		step(-uint32(i), 1566083941)
	}
	s[0] = 1 << 31
	return t
}

// draw is the next 32 bits.
func (t *twister) draw() uint32 {
	s := &t.state
	if t.next == len(s) {
		for i := range s {
			y := s[i]&(1<<31) | s[(i+1)%len(s)]&(1<<31-1)
			s[i] = s[(i+397)%len(s)] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.next = 0
	}
	y := s[t.next]
	t.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below is a number from 0 to n-1, every one as likely as the others.
func (t *twister) below(n int32) int32 {
	if n&-n == n {
		return int32(int64(n) * int64(t.draw()>>1) >> 31)
	}
	for {
		bits := int32(t.draw() >> 1)
		if v := bits % n; bits-v+(n-1) >= 0 {
			return v
		}
	}
}
