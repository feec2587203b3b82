package json_test

import (
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// TestWritesNested compares nested values with what Spark 4.3 wrote of the same row. testdata/written.jsonl of package text has
// the values that are not nested.
func TestWritesNested(t *testing.T) {
	str, num, double := types.Of(types.String), types.Of(types.Int), types.Of(types.Double)
	f := func(name string, ty types.Type) types.Field { return types.Field{Name: name, Type: ty} }
	inner := types.StructOf(f("y", types.DecimalOf(3, 2)), f("z", num))
	fields := []types.Field{
		f("a", types.StructOf(f("x", types.ArrayOf(inner)), f("m", types.MapOf(str, types.ArrayOf(double))))),
		f("b", types.MapOf(num, types.Of(types.Date))),
		f("c", types.ArrayOf(types.Of(types.Timestamp))),
		f("d", types.StructOf(f("e", num))),
		f("f", types.ArrayOf(types.Of(types.Binary))),
		f("g", types.MapOf(str, str)),
		f("h", types.StructOf(f("a b", str))),
		f("i", types.ArrayOf(types.ArrayOf(num))),
		f("j", types.MapOf(num, num)),
	}
	type list = []types.Value
	nan, _ := types.ParseDouble("NaN")
	row := list{
		list{list{list{types.NewDec(150, 2), nil}, nil}, []types.MapEntry{{Key: "k", Value: list{nan, 1.0}}, {Key: "l"}}},
		[]types.MapEntry{{Key: int64(1), Value: int64(19782)}, {Key: int64(2)}},
		list{int64(1714566600123456), nil},
		list{nil},
		list{types.Bytes("\x00\xff"), types.Bytes("")},
		[]types.MapEntry{{Key: `"`, Value: "\n"}},
		list{"é"},
		list{nil, list{}},
		nil,
	}
	ts := make([]types.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	b := vector.NewBatch(ts)
	b.Append(row)
	for _, c := range []struct {
		opts format.Options
		want string
	}{
		{nil, `{"a":{"x":[{"y":1.50},null],"m":{"k":["NaN",1.0],"l":null}},"b":{"1":"2024-02-29","2":null},"c":["2024-05-01T12:30:00.123Z",null],` +
			`"d":{},"f":["AP8=",""],"g":{"\"":"\n"},"h":{"a b":"é"},"i":[null,[]]}` + "\n"},
		{
			format.Options{"ignorenullfields": "false", "dateFormat": "yyyy", "timestampFormat": "HH"},
			`{"a":{"x":[{"y":1.50,"z":null},null],"m":{"k":["NaN",1.0],"l":null}},"b":{"1":"2024","2":null},"c":["12",null],` +
				`"d":{"e":null},"f":["AP8=",""],"g":{"\"":"\n"},"h":{"a b":"é"},"i":[null,[]],"j":null}` + "\n",
		},
	} {
		e, err := json.Writer{}.Encoder(fields, c.opts, format.Settings{Zone: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.Append(e.Head(), b, 0)); got != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.opts, got, c.want)
		}
	}
}
