package faulty_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/storage/storagetest"
)

// plain hides a driver's extra abilities.
type plain struct{ storage.Driver }

func onDisk(t *testing.T) storage.Driver {
	t.Helper()
	d, err := local.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Without faults nothing differs from the store that is wrapped.
func TestConforms(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) storage.Driver{
		"mem":     func(*testing.T) storage.Driver { return mem.New() },
		"local":   onDisk,
		"objects": func(*testing.T) storage.Driver { return plain{mem.New()} },
	} {
		t.Run(name, func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) storage.Driver { return faulty.New(open(t), nil).Driver() })
		})
	}
}

func TestHasTheAbilitiesOfWhatItWraps(t *testing.T) {
	disk := onDisk(t)
	for name, c := range map[string]struct {
		inner          storage.Driver
		moves, isLocal bool
	}{"mem": {mem.New(), true, false}, "local": {disk, true, true}, "objects": {plain{mem.New()}, false, false}} {
		b := bucket(t, faulty.New(c.inner, nil))
		if _, isLocal := b.LocalPath("x"); b.CanMove() != c.moves || b.CanRename() != c.moves || b.HasDirs() != c.moves || isLocal != c.isLocal {
			t.Errorf("%s: moves %v, renames %v, directories %v, local %v", name, b.CanMove(), b.CanRename(), b.HasDirs(), isLocal)
		}
	}
}

func bucket(t testing.TB, s *faulty.Store) *storage.Bucket {
	t.Helper()
	root, err := storage.ParseLocation("test:/", "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return storage.NewBucket(d, root)
}

func drain(seq iter.Seq2[storage.Object, error]) (n int, err error) {
	for _, err := range seq {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// operations are one of each kind, on a store that holds a/f, b/g and the empty directory c.
var operations = map[string]func(b *storage.Bucket) error{
	"list": func(b *storage.Bucket) error {
		_, err := drain(b.List(context.Background(), "a/", "", true))
		return err
	},
	"readdir": func(b *storage.Bucket) error {
		return b.ReadDir(context.Background(), "a/", true, func(*storage.Entry) error { return nil })
	},
	"stat": func(b *storage.Bucket) error { _, err := b.Stat(context.Background(), "a/f"); return err },
	"read": func(b *storage.Bucket) error { _, _, err := b.ReadAll(context.Background(), "a/f"); return err },
	"open": func(b *storage.Bucket) error {
		r, err := b.OpenAt(context.Background(), "a/f")
		if err != nil {
			return err
		}
		return r.Close()
	},
	"put": func(b *storage.Bucket) error {
		_, err := b.Put(context.Background(), "a/new", strings.NewReader("x"), storage.Condition{})
		return err
	},
	"delete":    func(b *storage.Bucket) error { return b.Delete(context.Background(), "a/f") },
	"rename":    func(b *storage.Bucket) error { return b.Rename(context.Background(), "a/f", "d/f") },
	"mkdir":     func(b *storage.Bucket) error { return b.MakeDir(context.Background(), "d") },
	"move":      func(b *storage.Bucket) error { return b.Move(context.Background(), "a/f", "b/f") },
	"exchange":  func(b *storage.Bucket) error { return b.Exchange(context.Background(), "a", "b") },
	"ensuredir": func(b *storage.Bucket) error { return b.EnsureDir(context.Background(), "d") },
	"rmdir":     func(b *storage.Bucket) error { return b.RemoveDir(context.Background(), "c") },
	"sync":      func(b *storage.Bucket) error { return b.Sync(context.Background(), []string{"a/f"}, []string{"a/"}) },
}

// tree is all that a store holds.
func tree(t testing.TB, d storage.Driver) string {
	t.Helper()
	var out []string
	var walk func(dir string)
	walk = func(dir string) {
		for o, err := range d.List(context.Background(), dir, "", false) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, o.Key)
			if o.IsPrefix {
				walk(o.Key)
			}
		}
	}
	walk("")
	return strings.Join(out, " ")
}

func TestFaults(t *testing.T) {
	for op, run := range operations {
		for _, fault := range []faulty.Fault{faulty.None, faulty.FailBefore, faulty.FailAfter, faulty.CrashBefore, faulty.CrashAfter} {
			t.Run(op+" "+fault.String(), func(t *testing.T) {
				fill := func() *mem.Driver {
					d := mem.New()
					d.Write("x", "a/f", "b/g", "c/")
					return d
				}
				untouched, applied := fill(), fill()
				if err := run(bucket(t, faulty.New(applied, nil))); err != nil {
					t.Fatal(err)
				}
				inner := fill()
				s := faulty.New(inner, faulty.At(map[int]faulty.Fault{1: fault}))
				err := run(bucket(t, s))
				want, cause, crashes := tree(t, applied), error(nil), false
				switch fault {
				case faulty.FailBefore:
					want, cause = tree(t, untouched), faulty.ErrInjected
				case faulty.FailAfter:
					cause = faulty.ErrInjected
				case faulty.CrashBefore:
					want, cause, crashes = tree(t, untouched), faulty.ErrCrashed, true
				case faulty.CrashAfter:
					cause, crashes = faulty.ErrCrashed, true
				}
				if !errors.Is(err, cause) || cause != nil && storage.KindOf(err) != storage.Other {
					t.Errorf("the error is %v, want %v", err, cause)
				}
				if got := tree(t, inner); got != want {
					t.Errorf("the store holds %q, want %q", got, want)
				}
				if s.Crashed() != crashes {
					t.Errorf("crashed: %v", s.Crashed())
				}
				trace := s.Trace()
				if len(trace) != 1 || trace[0].Name != op || trace[0].Number != 1 || trace[0].Fault != fault {
					t.Errorf("the trace is %v", trace)
				}
				for later, run := range operations {
					if err := run(bucket(t, s)); crashes && !errors.Is(err, faulty.ErrCrashed) {
						t.Errorf("%s after the crash: %v", later, err)
					}
				}
				if got := tree(t, inner); crashes && got != want {
					t.Errorf("the store changed after the crash: %q", got)
				}
			})
		}
	}
}

func TestListingBreaksOff(t *testing.T) {
	d := mem.New()
	d.Write("x", "a/1", "a/2")
	n, err := drain(bucket(t, faulty.New(d, faulty.At(map[int]faulty.Fault{1: faulty.FailAfter}))).List(context.Background(), "a/", "", true))
	if n != 2 || !errors.Is(err, faulty.ErrInjected) {
		t.Errorf("%d entries, %v", n, err)
	}
	for range bucket(t, faulty.New(d, faulty.At(map[int]faulty.Fault{1: faulty.FailAfter}))).List(context.Background(), "a/", "", true) {
		break // a consumer that stops does not hear of the failure
	}
}

func TestSeed(t *testing.T) {
	faults := func(seed uint64) (all []faulty.Fault) {
		plan := faulty.Seeded(seed, 0.3, faulty.FailBefore, faulty.FailAfter)
		for n := range 1000 {
			all = append(all, plan("stat", "x", n+1))
		}
		return all
	}
	if diff := cmp.Diff(faults(7), faults(7)); diff != "" {
		t.Errorf("one seed, two plans: %s", diff)
	}
	if cmp.Equal(faults(7), faults(8)) {
		t.Error("two seeds, one plan")
	}
	count := map[faulty.Fault]int{}
	for _, f := range faults(7) {
		count[f]++
	}
	if count[faulty.None] < 600 || count[faulty.FailBefore] < 100 || count[faulty.FailAfter] < 100 || len(count) != 3 {
		t.Errorf("of 1,000 operations: %v", count)
	}
}

func TestTrace(t *testing.T) {
	s := faulty.New(mem.New(), func(op, key string, n int) faulty.Fault {
		if op == "move" && key == "a" && n == 2 {
			return faulty.FailAfter
		}
		return faulty.None
	})
	b := bucket(t, s)
	if err := b.Sync(context.Background(), []string{"f"}, []string{"d/"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Move(context.Background(), "a", "b"); !errors.Is(err, faulty.ErrInjected) {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(s.Trace()), "[1 sync f d/ 2 move a b [fail after]]"; got != want {
		t.Errorf("the trace is %s, want %s", got, want)
	}
}

// TestMovesEndUnderFaults moves and deletes by identity while operations fail before and after they are applied, and the process
// crashes and starts again: repeated until it does not fail, each move is made once, and what belongs to others stays.
func TestMovesEndUnderFaults(t *testing.T) {
	for name, open := range map[string]func() storage.Driver{
		"mem":   func() storage.Driver { return mem.New() },
		"local": func() storage.Driver { return onDisk(t) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				ctx := context.Background()
				inner := open()
				under := storage.NewBucket(inner, storage.Location{})
				put := func(key, content string) storage.Object {
					o, err := under.Put(ctx, key, strings.NewReader(content), storage.Condition{})
					if err != nil {
						rt.Fatal(err)
					}
					return o
				}
				type file struct {
					o                storage.Object
					dst              string
					taken, isForeign bool // another object is at dst, or at the key of o
					deletes          bool
				}
				var files []*file
				for i := range rapid.IntRange(1, 4).Draw(rt, "files") {
					f := &file{dst: fmt.Sprintf("to/%d", i)}
					f.o = put(fmt.Sprintf("from/%d", i), "mine")
					if f.taken = rapid.Bool().Draw(rt, "taken"); f.taken {
						put(f.dst, "else")
					}
					if f.isForeign = rapid.Bool().Draw(rt, "foreign"); f.isForeign {
						put(f.o.Key, "else")
					}
					f.deletes = rapid.Bool().Draw(rt, "deletes")
					files = append(files, f)
				}
				if err := under.EnsureDir(ctx, "to"); err != nil {
					rt.Fatal(err)
				}
				seed := rapid.Uint64().Draw(rt, "seed")
				for i, f := range files {
					var outcome storage.Outcome
					for try := range uint64(1000) {
						// Each try is a process of its own.
						s := faulty.New(inner, faulty.Seeded(seed+try+uint64(i)<<20, 0.4, faulty.FailBefore, faulty.FailAfter, faulty.CrashBefore, faulty.CrashAfter))
						b := storage.NewBucket(s.Driver(), storage.Location{})
						var err error
						if f.deletes {
							outcome, err = b.DeleteIf(ctx, f.o)
						} else {
							outcome, err = b.MoveFile(ctx, f.o.Key, f.dst, f.o)
						}
						if (err == nil) == (outcome == storage.Failed) {
							rt.Fatalf("%s with the error %v\n%v", outcome, err, s.Trace())
						}
						if err == nil {
							break
						}
					}
					isConflict := f.isForeign || f.taken && !f.deletes
					if isConflict != (outcome == storage.Conflict) || outcome == storage.Failed || outcome == storage.SourceGone {
						rt.Fatalf("file %d (%+v) ended in %s", i, f, outcome)
					}
					want := map[string]string{}
					if f.taken {
						want[f.dst] = "else"
					}
					switch {
					case f.isForeign:
						want[f.o.Key] = "else"
					case isConflict:
						want[f.o.Key] = "mine"
					case !f.deletes:
						want[f.dst] = "mine"
					}
					got := map[string]string{}
					for _, key := range []string{f.o.Key, f.dst} {
						if r, _, err := under.Read(ctx, key, 0, -1); err == nil {
							data, err := io.ReadAll(r)
							if err := errors.Join(err, r.Close()); err != nil {
								rt.Fatal(err)
							}
							got[key] = string(data)
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						rt.Fatalf("file %d (%+v): %s", i, f, diff)
					}
				}
			})
		})
	}
}
