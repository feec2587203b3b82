package expr_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// TestDecimalDigits compares the arithmetic in words with that of whole numbers of any size.
func TestDecimalDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() *big.Int {
		v := new(big.Int).SetUint64(r.Uint64())
		v.Mul(v, new(big.Int).SetUint64(r.Uint64())).Mod(v, types.Pow10(1+r.IntN(38)))
		switch r.IntN(8) {
		case 0:
			v.SetInt64(int64(r.IntN(7)))
		case 1:
			v.Sub(types.Pow10(r.IntN(38)), big.NewInt(1))
		}
		if r.IntN(2) == 0 {
			v.Neg(v)
		}
		return v
	}
	words := func(v *big.Int) expr.Int128 {
		low := new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0)))
		return expr.Int128{Hi: new(big.Int).Rsh(v, 64).Int64(), Lo: low.Uint64()}
	}
	whole := func(x expr.Int128) *big.Int {
		v := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
		return v.Add(v, new(big.Int).SetUint64(x.Lo))
	}
	answers := 0
	for range 50_000 {
		x, y := number(), number()
		sx, sy, scale := r.IntN(20), r.IntN(20), r.IntN(30)
		precision := scale + 1 + r.IntN(38-scale)
		op := []string{"/", "*"}[r.IntN(2)]
		if op == "*" && r.IntN(2) == 0 {
			scale = min(sx+sy, 38)
			precision = max(precision, scale)
		}
		got, err := expr.DecimalDigits(op, words(x), sx, words(y), sy, precision, scale)
		if y.Sign() == 0 && op == "/" {
			if err == nil {
				t.Fatalf("%v / 0 = %v", x, whole(got))
			}
			continue
		}
		var want types.Dec
		if op == "*" {
			want = types.Dec{Unscaled: new(big.Int).Mul(x, y), Scale: sx + sy}.Rescale(scale)
		} else {
			n, d := new(big.Int).Mul(x, types.Pow10(scale+sy)), new(big.Int).Mul(y, types.Pow10(sx))
			want = types.Dec{Unscaled: types.RoundQuo(n, d), Scale: scale}
		}
		fits := want.Unscaled.CmpAbs(types.Pow10(precision)) < 0
		if fits != (err == nil) || fits && whole(got).Cmp(want.Unscaled) != 0 {
			t.Fatalf("%ve-%d %s %ve-%d as DECIMAL(%d,%d): %v, %v, want %v", x, sx, op, y, sy, precision, scale, whole(got), err, want.Unscaled)
		}
		if fits {
			answers++
		}
	}
	if answers < 5_000 {
		t.Errorf("%d answers only", answers)
	}
}
