package exec

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// failing are rows that end with an error at once, or, without one, have one batch.
type failing struct {
	engine.Rows
	err    error
	closed *int
}

func (f *failing) Next(context.Context) (*engine.Batch, error) { return &engine.Batch{}, f.err }

func (f *failing) Close() error {
	*f.closed++
	return nil
}

func gone(name string) error { return sqlerr.FileNotExist(name) }

// TestQueriesStartOver: as long as other files are gone each time, in the listing as in the reading; a file that stays away is
// reported, and any other error at once.
func TestQueriesStartOver(t *testing.T) {
	other := errors.New("other")
	for name, c := range map[string]struct {
		fails  func(n int) error // of start n, from 1; nil is none
		reads  func(n int) error
		starts int
		err    string
	}{
		"none":                 {starts: 1},
		"read once":            {reads: func(n int) error { return map[int]error{1: gone("f1")}[n] }, starts: 2},
		"writers are busy":     {fails: func(n int) error { return map[bool]error{true: gone(fmt.Sprint("f", n))}[n%2 == 0 && n < 12] }, reads: func(n int) error { return map[bool]error{true: gone(fmt.Sprint("f", n))}[n < 12] }, starts: 12},
		"a file is gone":       {reads: func(int) error { return gone("f") }, starts: 5, err: gone("f").Error()},
		"no end":               {reads: func(n int) error { return gone(fmt.Sprint("f", n)) }, starts: maxRestarts + 1, err: gone(fmt.Sprint("f", maxRestarts+1)).Error()},
		"another at the start": {fails: func(int) error { return other }, starts: 1, err: "other"},
		"another":              {reads: func(n int) error { return map[int]error{1: gone("f"), 2: other}[n] }, starts: 2, err: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			starts, opened, closed := 0, 0, 0
			rows := &restarting{start: func() (engine.Rows, error) {
				starts++
				if c.fails != nil {
					if err := c.fails(starts); err != nil {
						return nil, err
					}
				}
				opened++
				out := &failing{closed: &closed}
				if c.reads != nil {
					out.err = c.reads(starts)
				}
				return out, nil
			}}
			err := rows.begin()
			if err == nil {
				_, err = rows.Next(t.Context())
			}
			if got := fmt.Sprint(err); starts != c.starts || (c.err == "") != (err == nil) || err != nil && got != c.err {
				t.Errorf("%d starts, %v; want %d, %q", starts, err, c.starts, c.err)
			}
			if opened > 0 && closed != opened-1 {
				t.Errorf("%d of %d are closed; the last is the caller's", closed, opened)
			}
		})
	}
}
