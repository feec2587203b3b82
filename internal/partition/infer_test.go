package partition_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// As Spark 4.3 infers them, but for 5d, 1D and 0x1p3, which are numbers to Java and text to people.
func TestInferOne(t *testing.T) {
	for text, want := range map[string]string{
		"1": "int", "01": "int", "+5": "int", "-0": "int", "-7": "int", "2147483648": "bigint", "-2147483649": "bigint",
		"9223372036854775808": "decimal(19,0)", "123456789012345678901234567890123456789": "double",
		"1e3": "decimal(4,0)", "1E2": "decimal(3,0)", "1.": "decimal(1,0)", "1.5": "double", ".5": "double",
		"1e-3": "double", "NaN": "double", "nan": "string", "Infinity": "double", "-Infinity": "double", "inf": "string",
		"+-1": "string", "1e+-3": "string", "1e": "string", ".": "string", "-": "string", "--Infinity": "string",
		"0x1p3": "string", "1d": "string", "5f": "string", "1D": "string",
		" 7": "double", "7 ": "double", " 1.5": "double", "1 5": "string",
		"2024-01-01": "date", "2024-1-1": "string", "2024-01": "string", "2024": "int", "2018-01-01-04": "string",
		"2021-01-01T00": "string", "2021-01-01T00%3A00%3A00": "string", "2024-01-01 00": "string",
		"2024-01-01 10%3A11%3A12": "timestamp", "2024-01-01 10:11:12": "timestamp", "2024-01-01 10:11:12.5": "timestamp",
		"2024-01-01 10:11:12.25": "string", "2024-01-01 10:11": "string", "2024-13-01": "string", "2024-02-30": "string",
		"2024-01-01 25:00:00": "string", "2024-01-01 1:02:03": "string", "true": "string", "%31": "string", "a": "string",
		"12:30": "string", "0001-01-01": "date", "10000-01-01": "string", "-2024-01-01": "date", "2024-01-01 ": "string",
		"1_000": "string", "00000000000000000000001": "int", "10000000000000000000000e10": "decimal(33,0)", "1e40": "double",
		"2024-01-01Z": "string", "2024-01-01 00:00:00Z": "string", "12345678901234567890.0": "double", "100e-2": "double",
		"2024-03-10 02:30:00": "timestamp", partition.DefaultPartition: "void", "": "string", "1e99999999999": "double",
	} {
		if got := partition.InferOne(text, partition.InferOptions{}).String(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := partition.InferOne("2024-01-01 10:11:12", partition.InferOptions{NTZ: true}); got.Kind != types.TimestampNTZ {
		t.Errorf("NTZ: %s", got)
	}
}

func TestInfer(t *testing.T) {
	null := partition.DefaultPartition
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"1", "2147483648"}, "bigint"},
		{[]string{"1", "9223372036854775808"}, "decimal(19,0)"},
		{[]string{"1", "1.5"}, "double"},
		{[]string{"2147483648", "1.5"}, "string"},
		{[]string{"9223372036854775808", "1.5"}, "string"},
		{[]string{"2024-01-01", "2024-01-01 10:11:12"}, "timestamp"},
		{[]string{"1", "2024-01-01"}, "string"},
		{[]string{"1", "a"}, "string"},
		{[]string{"1", null}, "int"},
		{[]string{null, "2024-01-01", null}, "date"},
		{[]string{"9223372036854775808", "99999999999999999999999999"}, "decimal(26,0)"},
		{[]string{"1e3", "7"}, "decimal(10,0)"},
		{[]string{"1e3", "2147483648"}, "decimal(20,0)"},
		{[]string{"1.5", "NaN"}, "double"},
		{[]string{"1", "2147483648", "1.5"}, "string"},
		{[]string{"1.5", "1", "2147483648"}, "string"},
		{[]string{null}, "string"},
		{nil, "string"},
	} {
		if got := partition.Infer(c.texts, partition.InferOptions{}).String(); got != c.want {
			t.Errorf("%q is %s, want %s", c.texts, got, c.want)
		}
	}
	if got := partition.Infer([]string{"1"}, partition.InferOptions{Disabled: true}); got.Kind != types.String {
		t.Errorf("disabled: %s", got)
	}
}

func FuzzInfer(f *testing.F) {
	for _, s := range []string{"1", "1e3", "2024-01-01", "2024-01-01 10%3A11%3A12.5", "NaN", " 7", "5d", "+", "1e-999999"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := partition.InferOne(a, partition.InferOptions{}), partition.InferOne(b, partition.InferOptions{})
		w := partition.Widen(x, y)
		if !types.Equal(w, partition.Widen(y, x)) {
			t.Fatalf("widening %s and %s depends on the order", x, y)
		}
		// What was inferred from a text must read it.
		if _, err := partition.ParseValue(col("k", partition.Settle(w)), partition.Unescape(a)); err != nil {
			t.Fatalf("%q was inferred as %s: %v", a, w, err)
		}
	})
}
