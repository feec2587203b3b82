package storage_test

import (
	"context"
	"io"
	"iter"
	"testing"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/storage/storagetest"
)

// plain hides a driver's extra abilities, so that the bucket must do without.
type plain struct{ d storage.Driver }

func (p plain) List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[storage.Object, error] {
	return p.d.List(ctx, prefix, after, flat)
}

func (p plain) Stat(ctx context.Context, key string) (storage.Object, error) {
	return p.d.Stat(ctx, key)
}

func (p plain) Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, storage.Object, error) {
	return p.d.Read(ctx, key, off, n)
}

func (p plain) Put(ctx context.Context, key string, body io.Reader, cond storage.Condition) (storage.Object, error) {
	return p.d.Put(ctx, key, body, cond)
}
func (p plain) Delete(ctx context.Context, keys ...string) error { return p.d.Delete(ctx, keys...) }
func (p plain) Close() error                                     { return p.d.Close() }

func TestBucketWithoutAbilities(t *testing.T) {
	b := storage.NewBucket(plain{mem.New()}, parse(t, "s3://b/"))
	if b.CanRename() {
		t.Error("it can rename")
	}
	if err := b.Rename(context.Background(), "a", "b"); storage.KindOf(err) != storage.Unsupported {
		t.Errorf("rename: %v", err)
	}
	if err := b.MakeDir(context.Background(), "a"); err != nil {
		t.Errorf("mkdir: %v", err)
	}
	if path, ok := b.LocalPath("a"); ok {
		t.Errorf("a local path %q", path)
	}
}

func TestStores(t *testing.T) {
	opened := 0
	stores := storage.NewStores(map[string]storage.Factory{"s3": func(root storage.Location) (storage.Driver, error) {
		opened++
		if root.String() != "s3://b/" {
			t.Errorf("opened %q", root)
		}
		return mem.New(), nil
	}})
	first, key, err := stores.Open(parse(t, "s3://b/x/y/"))
	if err != nil || key != "x/y" {
		t.Fatalf("%q, %v", key, err)
	}
	second, _, err := stores.Open(parse(t, "s3://b/z"))
	if err != nil || first != second || opened != 1 {
		t.Errorf("opened %d times, %v", opened, err)
	}
	if got := first.Location("x/y").String(); got != "s3://b/x/y" {
		t.Errorf("location %q", got)
	}
	for _, loc := range []storage.Location{parse(t, "gs://b/x"), {}} {
		if _, _, err := stores.Open(loc); storage.KindOf(err) != storage.Unsupported {
			t.Errorf("open %q: %v", loc, err)
		}
	}
	if err := stores.Close(); err != nil {
		t.Error(err)
	}
}

func TestFile(t *testing.T) {
	d := mem.New()
	d.Write("hello", "t/k=1/f.csv")
	b := storage.NewBucket(plain{d}, parse(t, "s3://b/"))
	o, err := b.Stat(context.Background(), "t/k=1/f.csv")
	if err != nil {
		t.Fatal(err)
	}
	f := storage.File{Bucket: b, Object: o}
	if f.Name() != "f.csv" || f.Location().String() != "s3://b/t/k=1/f.csv" {
		t.Errorf("%s at %s", f.Name(), f.Location())
	}
	r, err := f.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if string(data) != "hello" || err != nil || r.Close() != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestPlainDriverConforms(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storage.Driver { return plain{mem.New()} })
}
