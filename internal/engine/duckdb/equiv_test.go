package duckdb_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format/csv"
	"github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// The tests of this file prove that expr's evaluation in Go, which prunes partitions and folds constants, means what
// the emitted SQL means in DuckDB: both run on the same values and have to agree, in errors too.

// pool are the types that arguments are taken from.
var pool = []types.Type{
	tBool, types.Of(types.TinyInt), types.Of(types.SmallInt), tInt, tBig, types.Of(types.Float), tDouble,
	types.DecimalOf(5, 2), types.DecimalOf(18, 6), types.DecimalOf(38, 10), tStr, types.Of(types.Binary), tDate,
	types.Of(types.Timestamp), types.Of(types.TimestampNTZ), types.IntervalOf(types.FieldYear, types.FieldMonth),
	types.IntervalOf(types.FieldDay, types.FieldSecond), types.ArrayOf(tInt), types.ArrayOf(tStr), types.MapOf(tStr, tInt),
}

var texts = []string{
	"", " ", "a", "abc", "ABC", "aBc dEf", "ünï", "日本語", "a%b_c", "x,y,,z", "0", "1", "-1", " 12 ", "1.5", "1e3", "007", "true", "f", "2024-02-29", "2024-1-5",
	"2024-02-30", "2024-05-01 12:30:00", "2024-05-01T12:30:00.123456Z", "12:30", "99999999999999999999", "NaN", "Infinity", "-0", "yyyy-MM-dd",
	"year", "MONTH", "day", "UTF-8", "a.*c", "([a-c]+)", "\x00", "it's", "\\", "Monday", "America/New_York", "INTERVAL '1' DAY", "q\"q", "  both  ", "ffff",
	"0x1F", "+5", "1_000", "127", "-128", "128", "32768", "2147483648", "0.1", "1E-7",
}

func sample(r *rand.Rand, t types.Type) types.Value {
	if r.IntN(8) == 0 {
		return nil
	}
	pick := func(vs ...int64) int64 { return vs[r.IntN(len(vs))] }
	switch t.Kind {
	case types.Boolean:
		return r.IntN(2) == 0
	case types.TinyInt:
		return pick(0, 1, -1, 2, 7, math.MaxInt8, math.MinInt8)
	case types.SmallInt:
		return pick(0, 1, -1, 3, 100, math.MaxInt16, math.MinInt16)
	case types.Int:
		return pick(0, 1, -1, 2, 3, 5, 12, 2024, -7, 1000, math.MaxInt32, math.MinInt32)
	case types.BigInt:
		return pick(0, 1, -1, 2, 10, 1700000000, 1234567890123, math.MaxInt32, math.MaxInt64, math.MinInt64)
	case types.Float:
		return float64([]float32{0, 1, -1.5, 0.1, 1e10, 3.4e38, float32(math.NaN()), float32(math.Inf(1)), 16777216}[r.IntN(9)])
	case types.Double:
		return []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2.5, -2.5, 1.005, 0.1, 100, 1e7, 1e-7, 1e15, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), 12345.678}[r.IntN(18)]
	case types.Decimal:
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision)), nil)
		n := new(big.Int)
		switch r.IntN(5) {
		case 0:
			n.SetInt64(int64(r.IntN(3) - 1))
		case 1:
			n.Sub(limit, big.NewInt(1))
		case 2:
			n.SetInt64(15).Mul(n, types.Pow10(t.Scale)).Quo(n, big.NewInt(10))
		default:
			n.SetUint64(r.Uint64()).Mod(n, limit)
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		return types.Dec{Unscaled: n, Scale: t.Scale}
	case types.String:
		return texts[r.IntN(len(texts))]
	case types.Binary:
		return types.Bytes([]string{"", "a", "abc", "\x00\x01", "\xff\xfe", "ünï"}[r.IntN(6)])
	case types.Date:
		return pick(0, -1, 1, 18321, 19782, 19783, 10957, -25567, 20000, 11016)
	case types.Timestamp, types.TimestampNTZ:
		return pick(0, -1, 1, 1714566600123456, 1709164800000000, -315236927100000, 951782400000000, 1636273800000000, 1700000000000000)
	case types.YearMonthInterval:
		return pick(0, 1, -1, 12, 14, -25)
	case types.DayTimeInterval:
		return pick(0, 1, -1, 86_400_000_000, 3_600_000_000, -90_061_500_000, 1_500_000)
	case types.Array:
		out := make([]types.Value, r.IntN(5))
		for i := range out {
			out[i] = sample(r, *t.Elem)
		}
		return out
	case types.Map:
		out := []types.MapEntry{}
		for _, k := range []string{"a", "b", "abc"}[:r.IntN(4)] {
			out = append(out, types.MapEntry{Key: k, Value: sample(r, *t.Elem)})
		}
		return out
	}
	return nil
}

// inexact names functions that the two sides compute by other means (Go's math package, the C library): their last
// digits may differ. So do Java's from both.
var inexact = regexp.MustCompile(`^(exp|expm1|log|ln|log10|log2|log1p|pow|power|sqrt|cbrt|a?(sin|cos|tan)h?|atan2|cot|sec|csc|hypot|degrees|radians)$`)

// same compares values of the function name.
func same(name string, t types.Type, a, b types.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if t.Kind == types.Double || t.Kind == types.Float {
		x, y := a.(float64), b.(float64)
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			return true
		}
		return inexact.MatchString(name) && math.Abs(x-y) <= 1e-13*math.Max(math.Abs(x), math.Abs(y))
	}
	switch t.Kind {
	case types.Array, types.Struct, types.Map:
		return types.Format(t, a, nil) == types.Format(t, b, nil)
	}
	return types.Compare(t, a, b) == 0
}

// trial is one expression over columns c0, c1, … and rows for them.
type trial struct {
	name string
	e    expr.Expr
	cols []plan.Column
	rows [][]types.Value
	ctx  *expr.Context
	// home is the zone of the engine's connection, where it is not that of ctx, in which e is computed.
	home *time.Location
}

// contexts are sessions in a zone without and one with summer time.
func contexts(t *testing.T) []*expr.Context {
	t.Helper()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	utc := baseContext
	local := baseContext
	local.Zone = newYork
	return []*expr.Context{&utc, &local}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

var baseContext = expr.Context{
	Zone: time.UTC, ANSI: true, Now: time.Unix(1714566600, 0).UTC(), User: "me", Catalog: "main", Schema: "default",
	Formats: expr.TextFormats{JSON: json.Functions{}, CSV: csv.Functions{}},
}

func (tr *trial) query(rows [][]types.Value) engine.Query {
	out := plan.Column{ID: 900, Name: "r", Type: tr.e.Type()}
	e, zone := tr.e, tr.ctx.Zone
	if tr.home != nil {
		e, zone = expr.InZone(e, zone), tr.home
	}
	return engine.Query{
		Root: &plan.Project{Input: &plan.Supplied{Out: tr.cols, Rows: rows}, Out: []plan.Column{out}, Exprs: []expr.Expr{e}},
		Zone: zone, ANSI: true, Now: tr.ctx.Now, User: tr.ctx.User, Catalog: tr.ctx.Catalog, Schema: tr.ctx.Schema,
	}
}

func (tr *trial) eval(row []types.Value) (types.Value, error) {
	return expr.Eval(tr.e, tr.ctx, func(id expr.ColumnID) types.Value { return row[id-1] })
}

func (tr *trial) show(row []types.Value) string {
	var parts []string
	for i, c := range tr.cols {
		parts = append(parts, types.FormatLiteral(c.Type, row[i], nil)+":"+c.Type.String())
	}
	return short(tr.ctx.Zone.String() + " " + tr.name + "(" + strings.Join(parts, ", ") + ")")
}

// short keeps a failing test's log readable.
func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// run compares both sides and returns what differs.
func (tr *trial) run(t *testing.T, e *duckdb.Engine) (diffs []string) {
	t.Helper()
	var good, bad [][]types.Value
	var want []types.Value
	var errs []error
	for _, r := range tr.rows {
		v, err := tr.eval(r)
		if err != nil {
			bad, errs = append(bad, r), append(errs, err)
			continue
		}
		good, want = append(good, r), append(want, v)
	}
	check := func(r []types.Value, want types.Value) {
		got, err := all(t.Context(), e, tr.query([][]types.Value{r}))
		switch {
		case err != nil:
			diffs = append(diffs, fmt.Sprintf("%s: Go %s, engine %v (%v)", tr.show(r), short(types.FormatLiteral(tr.e.Type(), want, nil)), err, errors.Unwrap(err)))
		case !same(tr.name, tr.e.Type(), want, got[0][0]):
			diffs = append(diffs, fmt.Sprintf("%s: Go %s, engine %s", tr.show(r), short(types.FormatLiteral(tr.e.Type(), want, nil)), short(types.FormatLiteral(tr.e.Type(), got[0][0], nil))))
		}
	}
	got, err := all(t.Context(), e, tr.query(good))
	if err != nil || len(got) != len(good) {
		for i, r := range good {
			check(r, want[i])
		}
	} else {
		for i, r := range got {
			if !same(tr.name, tr.e.Type(), want[i], r[0]) {
				check(good[i], want[i])
			}
		}
	}
	seen := map[string]bool{}
	for i, r := range bad {
		var ge *sqlerr.Error
		if !errors.As(errs[i], &ge) {
			diffs = append(diffs, fmt.Sprintf("%s: Go fails without a condition: %v", tr.show(r), errs[i]))
			continue
		}
		if seen[string(ge.Condition)] {
			continue // one row of each condition costs one query
		}
		seen[string(ge.Condition)] = true
		got, err := all(t.Context(), e, tr.query([][]types.Value{r}))
		if err == nil {
			diffs = append(diffs, fmt.Sprintf("%s: Go raises %s, engine %s", tr.show(r), ge.Condition, short(types.FormatLiteral(tr.e.Type(), got[0][0], nil))))
		} else if c := condition(err); c != string(ge.Condition) {
			diffs = append(diffs, fmt.Sprintf("%s: Go raises %s, engine %s (%v)", tr.show(r), ge.Condition, c, errors.Unwrap(err)))
		}
	}
	return diffs
}

func columns(ts []types.Type) ([]plan.Column, []expr.Expr) {
	var cols []plan.Column
	var args []expr.Expr
	for i, t := range ts {
		c := plan.Column{ID: expr.ColumnID(i + 1), Name: fmt.Sprintf("c%d", i), Type: t}
		cols = append(cols, c)
		args = append(args, ref(c))
	}
	return cols, args
}

// grows names functions whose result is as long as an argument says.
var grows = regexp.MustCompile(`^(lpad|rpad|repeat|space|array_repeat|sequence)$`)

func rowsOf(r *rand.Rand, name string, ts []types.Type, n int) [][]types.Value {
	out := make([][]types.Value, n)
	for i := range out {
		for _, t := range ts {
			v := sample(r, t)
			if k, ok := v.(int64); ok && grows.MatchString(name) {
				v = k % 100
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// candidates are types that a parameter of a class takes without being turned into something else.
func candidates(c expr.Class) []types.Type {
	var out []types.Type
	for _, t := range pool {
		k := t.Kind
		var fits bool
		switch c {
		case expr.BooleanOnly:
			fits = k == types.Boolean
		case expr.IntNumber, expr.SmallCount:
			fits = k == types.Int || k == types.TinyInt
		case expr.LongNumber, expr.Integral:
			fits = k.IsIntegral()
		case expr.Numeric, expr.DoubleNumber, expr.DecimalNumber:
			fits = k.IsNumeric()
		case expr.Text, expr.TextOnly, expr.TextOrBinary, expr.StrictText:
			fits = k.IsText()
		case expr.BinaryOnly:
			fits = k == types.Binary
		case expr.DateOnly, expr.Instant, expr.Temporal, expr.LocalTime:
			fits = k == types.Date || k == types.Timestamp || k == types.TimestampNTZ
		case expr.AnyArray, expr.ArrayOrMap:
			fits = k == types.Array
		case expr.TextArray:
			fits = k == types.Array && t.Elem.Kind.IsText()
		case expr.AnyMap:
			fits = k == types.Map
		case expr.DayTime:
			fits = k == types.DayTimeInterval
		case expr.YearMonth:
			fits = k == types.YearMonthInterval
		default:
			fits = true
		}
		if fits {
			out = append(out, t)
		}
	}
	return out
}

func TestFunctionsMeanTheSame(t *testing.T) {
	e := open(t)
	functions, compared := 0, 0
	tokyo := zone(t, "Asia/Tokyo")
	sessions := contexts(t)
	for _, o := range expr.Overloads() {
		if o.Eval == nil || o.Volatile || o.Kind != expr.Scalar {
			continue
		}
		// What is tried of one function does not depend on which others there are.
		name := fnv.New64a()
		name.Write([]byte(o.Name))
		r := rand.New(rand.NewPCG(name.Sum64(), 2))
		tried := 0
		for attempt := 0; attempt < 12 && tried < 3; attempt++ {
			session := sessions[attempt%2]
			n := len(o.Params)
			if o.Optional > 0 {
				n -= r.IntN(o.Optional + 1)
			}
			if o.Variadic && n > 0 {
				n += r.IntN(2)
			}
			var ts []types.Type
			same := types.Type{}
			for i := range n {
				class := o.Params[min(i, len(o.Params)-1)]
				c := candidates(class)
				ty := c[r.IntN(len(c))]
				if class == expr.Common {
					if same.Kind == types.Void {
						same = ty
					}
					ty = same
				}
				ts = append(ts, ty)
			}
			cols, args := columns(ts)
			ex, err := expr.Resolve(o.Name, args, expr.ResolveOptions{Context: session})
			if err != nil || !expr.CanEval(ex) {
				continue
			}
			tried++
			tr := &trial{name: o.Name, e: ex, cols: cols, rows: rowsOf(r, o.Name, ts, 60), ctx: session}
			report(t, o.Name, tr.run(t, e))
			if o.Name != "current_timezone" { // of the session, wherever it is asked
				tr.home = tokyo
				report(t, o.Name, tr.run(t, e))
			}
			compared += len(tr.rows)
		}
		if tried > 0 {
			functions++
		}
	}
	t.Logf("%d overloads, %d rows", functions, compared)
}

func TestCastsMeanTheSame(t *testing.T) {
	e := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, from := range pool {
		for _, to := range pool {
			for _, mode := range []expr.CastMode{expr.CastANSI, expr.CastTry, expr.CastLegacy} {
				cols, args := columns([]types.Type{from})
				ex, err := expr.NewCast(args[0], to, mode)
				if err != nil || !expr.CanEval(ex) {
					continue
				}
				name := fmt.Sprintf("cast[%d as %s]", mode, to.String())
				for _, session := range contexts(t) {
					tr := &trial{name: name, e: ex, cols: cols, rows: rowsOf(r, "cast", []types.Type{from}, 30), ctx: session}
					report(t, "cast", tr.run(t, e))
					tr.home = zone(t, "Asia/Tokyo")
					report(t, "cast", tr.run(t, e))
					if !zonal(from) && !zonal(to) {
						break
					}
				}
			}
		}
	}
}

// zonal reports whether casts of a type may depend on the session's zone.
func zonal(t types.Type) bool {
	return t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ || t.Kind == types.Date
}

// exceptions are the differences that are known: a pattern of the function's name, one of the difference, and why it
// stays.
var exceptions = []struct{ name, diff, why string }{
	{`.*`, `NULL:.*: Go NULL, engine \[`, "an operand that is NULL decides before Spark looks at the next; the engine casts all operands first"},
	{`[-+]|date_.*|dateadd|.*_days|add_months`, `Date out of range|Overflow in`, "DuckDB's dates end before Spark's"},
	{`\*|/|timestampadd`, `INTERVAL_ARITHMETIC_OVERFLOW.*engine ARITHMETIC_OVERFLOW`, "the engine's intervals are integers, whose overflow has the integers' name"},
	{`timestamp_(micros|millis|seconds)`, `Go TIMESTAMP.*(?i:out of range)`, "DuckDB's times end before 64 bits of microseconds do"},
	{`cast`, `as (string|(var)?char\(\d\))\]\(X'FFFE'`, "DuckDB's text is UTF-8: other bytes become U+FFFD"},
	{`cast`, `as (timestamp|timestamp_ntz|interval.*)\].*(out of range|Out of Range|engine NULL)`, "beyond 64 bits of microseconds"},
}

// report fails the test for differences that no exception explains; a few of each are enough to read.
func report(t *testing.T, name string, diffs []string) {
	t.Helper()
	shown := 0
	for _, d := range diffs {
		if exception(name, d) == "" && shown < 5 {
			t.Error(d)
			shown++
		}
	}
}

// exception is the reason why a difference is known and harmless, or "".
func exception(name, diff string) string {
	for _, x := range exceptions {
		if ok, _ := regexp.MatchString("^(?:"+x.name+")$", name); !ok {
			continue
		}
		if ok, _ := regexp.MatchString("(?s)"+x.diff, diff); ok {
			return x.why
		}
	}
	return ""
}
