package delta

import (
	"testing"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
)

func TestIntervals(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"interval 30 days": 30 * day, "1 week 2 hours": 7*day + 2*time.Hour, "interval 0 hours": 0, "'2' days": 2 * day,
		"interval 1000000 days": longest, "interval 2147483647 weeks": longest, "interval 70000 days 70000 days": longest,
		"interval -1 days": 7 * day, "interval 1 month": 7 * day, "days": 7 * day, "": 7 * day,
	} {
		m := &protocol.Metadata{Configuration: map[string]string{"delta.deletedFileRetentionDuration": text}}
		if got := FileRetention(m); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestExpired: what is cleaned away is the beginning of the log, so that no gap is left.
func TestExpired(t *testing.T) {
	for _, c := range []struct {
		times []int64
		want  int64
	}{
		{[]int64{1, 2, 3, 9, 10}, 2}, {[]int64{6, 7}, -1}, {[]int64{9, 1, 2, 3}, -1}, {[]int64{1, 9, 2, 3}, 0}, {[]int64{5, 5, 4}, 2}, {nil, -1},
	} {
		all := &listing{commits: map[int64]entry{}}
		for v, at := range c.times {
			all.commits[int64(v)] = entry{LogFile: protocol.LogFile{Modified: at}}
		}
		if got := all.expired(5); got != c.want {
			t.Errorf("%v: %d, want %d", c.times, got, c.want)
		}
	}
}
