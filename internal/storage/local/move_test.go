package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
)

// What a name says and what it points at are two things: moves and exchanges are of names.
func TestMovesOfLinks(t *testing.T) {
	d, ctx := open(t), context.Background()
	for _, err := range []error{
		os.MkdirAll(d.LocalPath("real"), 0o755),
		os.MkdirAll(d.LocalPath("other"), 0o755),
		os.WriteFile(d.LocalPath("real/f"), []byte("x"), 0o600),
		os.Symlink("real", d.LocalPath("link")),
		os.Symlink("nowhere", d.LocalPath("broken")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Exchange(ctx, "link", "other"); storage.KindOf(err) != storage.NotADirectory {
		t.Errorf("exchange of a link: %v", err)
	}
	if err := d.RemoveDir(ctx, "link"); storage.KindOf(err) != storage.NotADirectory {
		t.Errorf("removing a link: %v", err)
	}
	if err := d.Move(ctx, "real/f", "broken"); storage.KindOf(err) != storage.AlreadyExists {
		t.Errorf("move onto a broken link: %v", err)
	}
	if err := d.Move(ctx, "link", "moved"); err != nil {
		t.Errorf("move of a link: %v", err)
	}
	if to, err := os.Readlink(d.LocalPath("moved")); to != "real" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// Writers tidy up directories that are empty, and one that another has just made is.
func TestMakingWhileOthersRemove(t *testing.T) {
	d, ctx := open(t), context.Background()
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, dir := range []string{"a/b/c", "a/b", "a"} {
					if err := d.RemoveDir(ctx, dir+"/"); err != nil && storage.KindOf(err) != storage.NotEmpty {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for range 2000 {
		if err := d.EnsureDir(ctx, "a/b/c/"); err != nil {
			t.Error(err)
			break
		}
	}
	for range 20 { // each syncs
		if _, err := d.Put(ctx, "a/b/f", strings.NewReader("x"), storage.Condition{}); err != nil {
			t.Error(err)
			break
		}
		if err := d.Delete(ctx, "a/b/f"); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	group.Wait()
}

func TestMoveToAnotherFileSystem(t *testing.T) {
	const elsewhere = "/dev/shm"
	var here, there syscall.Stat_t
	d, ctx := open(t), context.Background()
	if syscall.Stat(d.LocalPath(""), &here) != nil || syscall.Stat(elsewhere, &there) != nil || here.Dev == there.Dev {
		t.Skip("THERE IS NO SECOND FILE SYSTEM at " + elsewhere + ": moves across file systems are not checked.")
	}
	target, err := os.MkdirTemp(elsewhere, "tarn")
	if err != nil {
		t.Skip("CANNOT WRITE TO " + elsewhere + ": moves across file systems are not checked.")
	}
	t.Cleanup(func() { _ = os.RemoveAll(target) })
	if err := os.Symlink(target, d.LocalPath("elsewhere")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a/", "elsewhere/b/"} {
		if err := d.EnsureDir(ctx, dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Move(ctx, "a", "elsewhere/a"); storage.KindOf(err) != storage.Unsupported {
		t.Errorf("move: %v", err)
	}
	if err := d.Exchange(ctx, "a", "elsewhere/b"); storage.KindOf(err) != storage.Unsupported {
		t.Errorf("exchange: %v", err)
	}
	if err := d.Sync(ctx, nil, []string{"", "elsewhere/", "elsewhere/b/"}); err != nil {
		t.Errorf("sync on both: %v", err)
	}
}

// A file that cannot be synced is reported, however many others there are.
func TestSyncReportsFailures(t *testing.T) {
	d, ctx := open(t), context.Background()
	bad := strings.Repeat("n", 300)
	for _, n := range []int{0, 1, 5, 500} {
		files := []string{bad}
		for i := range n {
			key := fmt.Sprintf("f%d", i)
			if err := os.WriteFile(filepath.Join(d.LocalPath(""), key), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, key)
		}
		if err := d.Sync(ctx, files[1:], []string{""}); err != nil {
			t.Errorf("sync of %d: %v", n, err)
		}
		// Of many, the whole file system is synced, which cannot hold a file of that name.
		if err := d.Sync(ctx, files, nil); n < 8 && storage.KindOf(err) != storage.NameTooLong {
			t.Errorf("sync of %d and a bad name: %v", n, err)
		}
		if err := d.Sync(ctx, nil, append(files, bad+"/")); storage.KindOf(err) != storage.NameTooLong {
			t.Errorf("sync of %d and a bad directory: %v", n, err)
		}
	}
}

// BenchmarkSync syncs what was just written: small files, ten to a directory.
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{1, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			for b.Loop() {
				b.StopTimer()
				d, err := local.OpenDir(b.TempDir())
				if err != nil {
					b.Fatal(err)
				}
				files, dirs := make([]string, n), []string{""}
				for i := range files {
					if i%10 == 0 {
						dirs = append(dirs, fmt.Sprintf("k=%d/", i/10))
						if err := d.EnsureDir(ctx, dirs[len(dirs)-1]); err != nil {
							b.Fatal(err)
						}
					}
					files[i] = fmt.Sprintf("k=%d/%d", i/10, i)
					if err := os.WriteFile(d.LocalPath(files[i]), make([]byte, 4096), 0o600); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				if err := d.Sync(ctx, files, dirs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestEnsureDirAgainstRemoval makes a directory while others remove those above it whenever they are empty.
func TestEnsureDirAgainstRemoval(t *testing.T) {
	d, err := local.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, dir := range []string{"a/b/c", "a/b", "a"} {
					if err := d.RemoveDir(context.Background(), dir); err != nil && storage.KindOf(err) != storage.NotEmpty {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 500 {
		if err := d.EnsureDir(context.Background(), "a/b/c"); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	group.Wait()
}
