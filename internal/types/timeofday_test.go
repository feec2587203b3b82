package types_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/types"
)

// TestParseTime checks the forms that Spark 4.3 casts to TIME.
func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"10:11": "10:11:00", " T1:2:3 ": "01:02:03", "10:11:12.": "10:11:12", "10:11:12.1234567": "10:11:12.123456", "12:00 AM": "00:00:00",
		"12:00:01AM": "00:00:01", "1:00:01.5 pm": "13:00:01.5", "23:59:59.999999": "23:59:59.999999",
		"": "", "10": "", "24:00": "", "10:60": "", "10:11:12Z": "", "13:00 PM": "", "0:00 AM": "", "011:00": "", "2020-01-01 10:11": "",
	} {
		n, ok := types.ParseTime(text)
		if got := types.FormatTime(n); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", text, got, ok, want)
		}
	}
}

// FuzzParseTime checks that a time stays within its day and prints as text that reads as the same time.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"10:11:12.5", "T1:2", "12:00 AM", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := types.ParseTime(s)
		if !ok {
			return
		}
		if n < 0 || n >= types.MicrosPerDay {
			t.Fatalf("%q is %d", s, n)
		}
		if again, ok := types.ParseTime(types.FormatTime(n)); !ok || again != n {
			t.Fatalf("%q prints as %q, which is %d", s, types.FormatTime(n), again)
		}
	})
}
