package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/storage"
)

// moveChecks are for what a commit needs of a store. Stores that lack it must say so.
var moveChecks = map[string]func(t *testing.T, b *storage.Bucket){
	"moving":                    moving,
	"moving by identity":        movingByIdentity,
	"movers at once":            moversAtOnce,
	"deleting by identity":      deletingByIdentity,
	"exchanging":                exchanging,
	"a probe for exchanges":     probing,
	"empty directories":         emptyDirs,
	"syncing":                   syncing,
	"moves and a canceled call": canceledMoves,
}

func stat(t *testing.T, b *storage.Bucket, key string) storage.Object {
	t.Helper()
	o, err := b.Stat(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// listed is an object as a listing tells it, which may say less than Stat.
func listed(t *testing.T, b *storage.Bucket, key string) storage.Object {
	t.Helper()
	for o, err := range b.List(context.Background(), key, "", true) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Key == key {
			return o
		}
	}
	t.Fatalf("%s is not listed", key)
	return storage.Object{}
}

func wantTree(t *testing.T, b *storage.Bucket, want ...string) {
	t.Helper()
	ctx := context.Background()
	var got []string
	for o, err := range b.List(ctx, "", "", true) {
		if err != nil {
			t.Fatal(err)
		}
		data, _, err := b.ReadAll(ctx, o.Key)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Key+"="+string(data))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
}

func moving(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	if !b.CanMove() {
		wantKind(t, "move", b.Move(ctx, "a", "b"), storage.Unsupported)
		return
	}
	put(t, b, "1", "a/1")
	put(t, b, "2", "a/2", "c/3")
	before := stat(t, b, "a/1")
	if err := b.Move(ctx, "a/1", "c/1"); err != nil {
		t.Errorf("move of a file: %v", err)
	}
	if after := stat(t, b, "c/1"); !storage.Same(before, after) {
		t.Errorf("a move changed what it moved: %+v became %+v", before, after)
	}
	for what, c := range map[string]struct {
		src, dst string
		want     storage.Kind
	}{
		"onto a file":                {"a/2", "c/3", storage.AlreadyExists},
		"onto a directory":           {"a/2", "c", storage.AlreadyExists},
		"of a directory onto one":    {"a", "c", storage.AlreadyExists},
		"of a directory onto a file": {"a", "c/3", storage.AlreadyExists},
		"of nothing":                 {"none", "d", storage.NotFound},
		"of nothing in nothing":      {"none/x", "d", storage.NotFound},
		"of nothing onto a file":     {"none", "c/3", storage.NotFound},
		"to no directory":            {"a/2", "none/2", storage.NotFound},
		"to below a file":            {"a/2", "c/3/2", storage.NotADirectory},
		"from below a file":          {"c/3/2", "d", storage.NotADirectory},
		"into itself":                {"a", "a/b", storage.BadLocation},
	} {
		wantKind(t, "move "+what, b.Move(ctx, c.src, c.dst), c.want)
	}
	if err := b.Move(ctx, "a", "c/a"); err != nil {
		t.Errorf("move of a directory: %v", err)
	}
	wantTree(t, b, "c/1=1", "c/3=2", "c/a/2=2")
	if there, err := b.Exists(ctx, "a/"); there || err != nil {
		t.Errorf("the directory is still there (%v)", err)
	}
}

func movingByIdentity(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	if !b.CanMove() {
		put(t, b, "1", "f")
		outcome, err := b.MoveFile(ctx, "f", "g", stat(t, b, "f"))
		wantKind(t, "move", err, storage.Unsupported)
		if outcome != storage.Failed {
			t.Errorf("the outcome is %s", outcome)
		}
		return
	}
	put(t, b, "mine", "from/f", "from/g")
	put(t, b, "late", "from/h", "to/taken") // of the same size
	for what, look := range map[string]func(*testing.T, *storage.Bucket, string) storage.Object{"listing": listed, "stat": stat} {
		f, g := look(t, b, "from/f"), look(t, b, "from/g")
		for _, c := range []struct {
			src, dst string
			want     storage.Object
			outcome  storage.Outcome
		}{
			{"from/f", "to/f", f, storage.Done},
			{"from/f", "to/f", f, storage.AlreadyDone},
			{"from/h", "to/f", f, storage.AlreadyDone}, // something else took the place of f since
			{"from/g", "to/f", g, storage.Conflict},
			{"from/g", "to/taken", g, storage.Conflict},
			{"from/g", "to", g, storage.Conflict}, // a directory
			{"from/h", "to/h", g, storage.Conflict},
			{"from", "to/h", g, storage.Conflict},
			{"none", "to/none", g, storage.SourceGone},
			{"none/at/all", "nor/here", g, storage.SourceGone},
			{"to/f", "from/f", f, storage.Done}, // back
		} {
			outcome, err := b.MoveFile(ctx, c.src, c.dst, c.want)
			if outcome != c.outcome || err != nil {
				t.Errorf("%s: move %s to %s: %s, %v, want %s", what, c.src, c.dst, outcome, err, c.outcome)
			}
		}
		outcome, err := b.MoveFile(ctx, "from/f", "none/f", f)
		wantKind(t, "move to no directory", err, storage.NotFound)
		if outcome != storage.Failed {
			t.Errorf("the outcome is %s", outcome)
		}
	}
	wantTree(t, b, "from/f=mine", "from/g=mine", "from/h=late", "to/taken=late")
}

// moversAtOnce moves the same files from several goroutines, as processes that recover one commit do: one makes each move, and
// the others see that it was made.
func moversAtOnce(t *testing.T, b *storage.Bucket) {
	if !b.CanMove() {
		return // movingByIdentity checks that it says so
	}
	const files, movers = 100, 4
	ctx := context.Background()
	want := make([]storage.Object, files)
	for i := range want {
		put(t, b, "x", fmt.Sprintf("from/%d", i))
		want[i] = stat(t, b, fmt.Sprintf("from/%d", i))
	}
	if err := b.EnsureDir(ctx, "to"); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	count := map[storage.Outcome]int{}
	var group sync.WaitGroup
	for range movers {
		group.Go(func() {
			for i, o := range want {
				outcome, err := b.MoveFile(ctx, o.Key, fmt.Sprintf("to/%d", i), o)
				if err != nil {
					t.Errorf("move of %s: %v", o.Key, err)
				}
				mu.Lock()
				count[outcome]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(map[storage.Outcome]int{storage.Done: files, storage.AlreadyDone: files * (movers - 1)}, count); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func deletingByIdentity(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "old", "d/f", "d/g", "d/h")
	for what, look := range map[string]func(*testing.T, *storage.Bucket, string) storage.Object{"listing": listed, "stat": stat} {
		put(t, b, "old", "d/f")
		f, g := look(t, b, "d/f"), look(t, b, "d/g")
		gone, below, dir := f, f, f
		gone.Key, below.Key, dir.Key = "d/none", "d/g/below", "d"
		renamed := f
		renamed.Key = "d/h"
		put(t, b, "new", "d/g")
		for _, c := range []struct {
			name    string
			want    storage.Object
			outcome storage.Outcome
		}{
			{"what is there", f, storage.Done},
			{"what was deleted", f, storage.AlreadyDone},
			{"what never was", gone, storage.AlreadyDone},
			{"below a file", below, storage.AlreadyDone},
			{"a directory", dir, storage.Conflict},
			{"what was replaced", g, storage.Conflict},
			{"another object", renamed, storage.Conflict},
			{"an object of no identity", storage.Object{Key: "d/h", Size: 3}, storage.Conflict},
		} {
			outcome, err := b.DeleteIf(ctx, c.want)
			if outcome != c.outcome || err != nil {
				t.Errorf("%s: delete %s: %s, %v, want %s", what, c.name, outcome, err, c.outcome)
			}
		}
		wantTree(t, b, "d/g=new", "d/h=old")
	}
}

func exchanging(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "1", "t/k=1/a", "t/k=1/sub/b")
	put(t, b, "2", "w/new/c", "w/file")
	if err := b.EnsureDir(ctx, "w/empty"); err != nil {
		t.Fatal(err)
	}
	if !b.CanMove() {
		wantKind(t, "exchange", b.Exchange(ctx, "t/k=1", "w/new"), storage.Unsupported)
		return
	}
	if can, err := b.CanExchange(ctx, "t/"); err != nil {
		t.Fatal(err)
	} else if !can {
		wantKind(t, "exchange", b.Exchange(ctx, "t/k=1", "w/new"), storage.Unsupported)
		return
	}
	for what, c := range map[string]struct {
		a, b string
		want storage.Kind
	}{
		"with nothing":   {"t/k=1", "w/none", storage.NotFound},
		"of nothing":     {"w/none", "t/k=1", storage.NotFound},
		"with a file":    {"t/k=1", "w/file", storage.NotADirectory},
		"below a file":   {"t/k=1", "w/file/x", storage.NotADirectory},
		"with its child": {"t/k=1", "t/k=1/sub", storage.BadLocation},
		"with itself":    {"t/k=1", "t/k=1/", storage.BadLocation},
	} {
		wantKind(t, "exchange "+what, b.Exchange(ctx, c.a, c.b), c.want)
	}
	wantTree(t, b, "t/k=1/a=1", "t/k=1/sub/b=1", "w/file=2", "w/new/c=2")
	if err := b.Exchange(ctx, "t/k=1", "w/new"); err != nil {
		t.Fatal(err)
	}
	wantTree(t, b, "t/k=1/c=2", "w/file=2", "w/new/a=1", "w/new/sub/b=1")
	if err := b.Exchange(ctx, "t/k=1/", "w/empty/"); err != nil {
		t.Fatal(err)
	}
	wantTree(t, b, "w/empty/c=2", "w/file=2", "w/new/a=1", "w/new/sub/b=1")
	if there, err := b.Exists(ctx, "t/k=1/"); !there || err != nil {
		t.Errorf("the empty directory did not take the place (%v)", err)
	}
}

func probing(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "1", "t/k=1/a")
	for _, dir := range []string{"t/", "t", "t/k=1/", ""} {
		can, err := b.CanExchange(ctx, dir)
		if err != nil || can && !b.CanMove() {
			t.Errorf("exchange in %q: %v, %v", dir, can, err)
		}
		var names []string
		if err := b.ReadDir(ctx, "t/", false, func(e *storage.Entry) error { names = append(names, string(e.Name)); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"k=1"}, names); diff != "" {
			t.Errorf("the probe left something behind: %s", diff)
		}
	}
	if b.CanMove() {
		_, err := b.CanExchange(ctx, "none/")
		wantKind(t, "a probe in no directory", err, storage.NotFound)
	}
}

func emptyDirs(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "x", "d/file", "full/f")
	for range 2 { // existing ones are fine
		for _, dir := range []string{"d/a/b", "d/c/"} {
			if err := b.EnsureDir(ctx, dir); err != nil {
				t.Errorf("ensure %s: %v", dir, err)
			}
		}
	}
	if !b.CanMove() { // directories may not exist at all
		if err := b.RemoveDir(ctx, "full"); err != nil {
			t.Errorf("remove: %v", err)
		}
		wantTree(t, b, "d/file=x", "full/f=x")
		return
	}
	wantKind(t, "a directory where a file is", b.EnsureDir(ctx, "d/file"), storage.NotADirectory)
	wantKind(t, "a directory below a file", b.EnsureDir(ctx, "d/file/x/y"), storage.NotADirectory)
	for _, dir := range []string{"d/", "d/a/", "d/a/b/", "d/c/"} {
		if there, err := b.Exists(ctx, dir); !there || err != nil {
			t.Errorf("%s: %v, %v", dir, there, err)
		}
	}
	wantKind(t, "removing one with a directory in it", b.RemoveDir(ctx, "d/a"), storage.NotEmpty)
	wantKind(t, "removing one with a file in it", b.RemoveDir(ctx, "full/"), storage.NotEmpty)
	wantKind(t, "removing a file", b.RemoveDir(ctx, "d/file"), storage.NotADirectory)
	wantKind(t, "removing the root", b.RemoveDir(ctx, ""), storage.BadLocation)
	for range 2 { // missing ones are fine
		for _, dir := range []string{"d/a/b", "d/a/", "d/c/", "none", "none/at/all", "d/file/x"} {
			if err := b.RemoveDir(ctx, dir); err != nil {
				t.Errorf("remove %s: %v", dir, err)
			}
		}
	}
	if there, err := b.Exists(ctx, "d/a/"); there || err != nil {
		t.Errorf("the directory is still there (%v)", err)
	}
	wantTree(t, b, "d/file=x", "full/f=x")
}

func syncing(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	files := []string{"none", "none/at/all", "t/k=0/f/below"}
	dirs := []string{"", "t/", "none/", "none/at/all/", "t/k=0/f/below/"}
	for i := range 20 {
		dir := fmt.Sprintf("t/k=%d/", i)
		put(t, b, "x", dir+"f")
		files, dirs = append(files, dir+"f"), append(dirs, dir)
	}
	for _, n := range []int{0, 1, 4, len(files)} {
		if err := b.Sync(ctx, files[:n], dirs[:n]); err != nil {
			t.Errorf("sync of %d files and directories: %v", n, err)
		}
	}
}

func canceledMoves(t *testing.T, b *storage.Bucket) {
	if !b.CanMove() {
		return // nothing could be canceled
	}
	put(t, b, "x", "a/1", "b/1")
	o := stat(t, b, "a/1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, moveErr := b.MoveFile(ctx, "a/1", "a/2", o)
	_, deleteErr := b.DeleteIf(ctx, o)
	_, probeErr := b.CanExchange(ctx, "a/")
	for what, err := range map[string]error{
		"move": b.Move(ctx, "a/1", "a/2"), "move by identity": moveErr, "delete by identity": deleteErr, "probe": probeErr,
		"exchange": b.Exchange(ctx, "a", "b"), "ensure": b.EnsureDir(ctx, "c"), "remove": b.RemoveDir(ctx, "c"), "sync": b.Sync(ctx, []string{"a/1"}, nil),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", what, err)
		}
	}
	wantTree(t, b, strings.Fields("a/1=x b/1=x")...)
}
