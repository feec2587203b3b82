package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
)

func TestSame(t *testing.T) {
	at := time.Unix(1, 5)
	full := storage.Object{Key: "a", Size: 3, ModTime: at, ETag: "e", ID: storage.Identity{Device: 1, Number: 2}}
	with := func(change func(*storage.Object)) storage.Object {
		o := full
		change(&o)
		return o
	}
	for what, c := range map[string]struct {
		o    storage.Object
		want bool
	}{
		"itself":                      {full, true},
		"another key":                 {with(func(o *storage.Object) { o.Key = "b" }), true},
		"another device":              {with(func(o *storage.Object) { o.ID.Device = 9 }), true},
		"another size":                {with(func(o *storage.Object) { o.Size = 4 }), false},
		"another ETag":                {with(func(o *storage.Object) { o.ETag = "f" }), false},
		"ETag alone":                  {storage.Object{Size: 3, ETag: "e"}, true},
		"number and time":             {with(func(o *storage.Object) { o.ETag = "" }), true},
		"time in another zone":        {with(func(o *storage.Object) { o.ETag, o.ModTime = "", at.UTC() }), true},
		"number of another time":      {with(func(o *storage.Object) { o.ETag, o.ModTime = "", at.Add(1) }), false},
		"another number":              {with(func(o *storage.Object) { o.ETag, o.ID.Number = "", 3 }), false},
		"neither number nor ETag":     {with(func(o *storage.Object) { o.ETag, o.ID = "", storage.Identity{} }), false},
		"a directory":                 {with(func(o *storage.Object) { o.IsPrefix = true }), false},
		"time, with a number of none": {storage.Object{Size: 3, ModTime: at}, false},
	} {
		if got := storage.Same(full, c.o); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
		if got := storage.Same(c.o, full); got != c.want {
			t.Errorf("%s, turned around: %v", what, got)
		}
	}
	nothing := storage.Object{Size: 3, ModTime: at}
	if storage.Same(nothing, nothing) {
		t.Error("two objects without identity are the same")
	}
}

// liar says that it exchanges, and does not.
type liar struct{ *mem.Driver }

func (liar) Exchange(context.Context, string, string) error { return nil }

// device gives directories of a store a device, and counts the exchanges.
type device struct {
	*mem.Driver
	number    uint64
	exchanges int
	err       error
}

func (d *device) Stat(ctx context.Context, key string) (storage.Object, error) {
	o, err := d.Driver.Stat(ctx, key)
	o.ID = storage.Identity{Device: d.number, Number: 1}
	return o, err
}

func (d *device) Exchange(ctx context.Context, a, b string) error {
	d.exchanges++
	if d.err != nil {
		return d.err
	}
	return d.Driver.Exchange(ctx, a, b)
}

func TestCanExchange(t *testing.T) {
	ctx := context.Background()
	lies := mem.New()
	if can, err := storage.NewBucket(liar{lies}, parse(t, "s3://b/")).CanExchange(ctx, ""); can || err != nil {
		t.Errorf("a store that lies: %v, %v", can, err)
	}
	d := &device{Driver: mem.New(), number: 1, err: errors.New("the network is gone")}
	d.Write("x", "a/f", "b/f")
	b := storage.NewBucket(d, parse(t, "s3://b/"))
	if can, err := b.CanExchange(ctx, "a/"); can || err == nil {
		t.Errorf("a store that cannot say: %v, %v", can, err)
	}
	d.err = nil
	for _, c := range []struct {
		number uint64
		err    storage.Kind // of Exchange, when set
		want   bool
		tried  int
	}{
		{1, 0, true, 2},
		{1, storage.Unsupported, true, 2}, // remembered
		{2, storage.Unsupported, false, 3},
		{2, 0, false, 3},
		{1, storage.Unsupported, true, 3},
	} {
		d.number, d.err = c.number, nil
		if c.err != 0 {
			d.err = &storage.Error{Op: "exchange", Where: "x", Kind: c.err, Err: errors.New("no")}
		}
		for _, dir := range []string{"a", "b/"} {
			if can, err := b.CanExchange(ctx, dir); can != c.want || err != nil {
				t.Errorf("%+v in %q: %v, %v", c, dir, can, err)
			}
		}
		if d.exchanges != c.tried {
			t.Errorf("%+v: tried %d times", c, d.exchanges)
		}
	}
}
