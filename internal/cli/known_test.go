package cli

import "testing"

func TestKnownColumns(t *testing.T) {
	for _, c := range []struct {
		spec string
		want int // columns, 0 for an error
	}{
		{"dt=2021-01-01", 1},
		{"year=2021/month=01", 2},
		{"a=b=c", 1},
		{"=", 0},
		{"=x", 0},
		{"dt=1/", 0},
		{"dt=1//hh=2", 0},
	} {
		cols, err := knownColumns([]string{c.spec}, "")
		if (err != nil) != (c.want == 0) || len(cols) != c.want {
			t.Errorf("%s: %d columns, error %v", c.spec, len(cols), err)
		}
	}
}
