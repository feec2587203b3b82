//go:build unix

package liveness_test

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tarnlake/tarn/internal/liveness"
)

// childDir tells a run of this test's program to be the process that others ask about.
const childDir = "TARN_TEST_LIVENESS_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// child says its name and lives until its input ends.
func child(dir string) error {
	p, err := liveness.Open(dir)
	if err != nil {
		return err
	}
	name, err := p.Name()
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString(name + "\n"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err // without Close: a process that just ends
}

type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	name  string
}

func start(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // mostly ended by then
	name, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &process{cmd: cmd, stdin: stdin, name: strings.TrimSpace(name)}
}

func open(t *testing.T, dir string) *liveness.Process {
	t.Helper()
	p, err := liveness.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

func name(t *testing.T, p *liveness.Process) string {
	t.Helper()
	n, err := p.Name()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func wantAlive(t *testing.T, what string, p *liveness.Process, name string, want bool) {
	t.Helper()
	if got, err := p.Alive(name); got != want || err != nil {
		t.Errorf("%s: alive %v, %v, want %v", what, got, err, want)
	}
}

func lockFiles(t *testing.T, dir string) []string {
	t.Helper()
	children, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, c := range children {
		names = append(names, c.Name())
	}
	return names
}

func TestAKilledProcessIsDead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	asks := open(t, dir)
	for _, end := range []string{"killed", "ends"} {
		c := start(t, dir)
		wantAlive(t, "running", asks, c.name, true)
		if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		wantAlive(t, "stopped", asks, c.name, true)
		if end == "ends" {
			if err := errors.Join(c.cmd.Process.Signal(syscall.SIGCONT), c.stdin.Close()); err != nil {
				t.Fatal(err)
			}
		} else if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.cmd.Wait() // a killed process fails
		for range 2 {
			wantAlive(t, end, asks, c.name, false)
		}
		if left := lockFiles(t, dir); len(left) != 0 {
			t.Errorf("%s: left behind: %v", end, left)
		}
	}
}

func TestNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	a, b := open(t, dir), open(t, dir)
	wantAlive(t, "one that never was", a, "host-1-"+strings.Repeat("A", 26), false)
	if left := lockFiles(t, dir); len(left) != 0 {
		t.Errorf("made before it was asked for: %v", left)
	}
	if first := name(t, a); first != name(t, a) || first == name(t, b) {
		t.Errorf("the names are %s and %s", name(t, a), name(t, b))
	}
	if !strings.Contains(name(t, a), "-"+strconv.Itoa(os.Getpid())+"-") {
		t.Errorf("the name %s does not tell the process", name(t, a))
	}
	for _, p := range []*liveness.Process{a, b} {
		wantAlive(t, "a", p, name(t, a), true)
		wantAlive(t, "b", p, name(t, b), true)
	}
	gone := name(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*liveness.Process{a, b} {
		wantAlive(t, "a closed one", p, gone, false)
	}
	if _, err := b.Name(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the name of a closed one: %v", err)
	}
	if left := lockFiles(t, dir); len(left) != 1 {
		t.Errorf("the files are %v", left)
	}
	for _, bad := range []string{"", "host", "host-1-", "host-1-short", name(t, a) + "A", "h-1-" + strings.Repeat("a", 26), "h-1-../" + strings.Repeat("A", 23), strings.Repeat("A", 26)} {
		if alive, err := a.Alive(bad); alive || err == nil {
			t.Errorf("%q: %v, %v", bad, alive, err)
		}
	}
	if _, err := liveness.Open("run"); err == nil {
		t.Error("a relative directory was taken")
	}
}

// The first use sweeps what the dead left, and nothing else.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	dead, living := start(t, dir), start(t, dir)
	if err := dead.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.cmd.Wait() // a killed process fails
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	own := name(t, p)
	var want []string
	for _, n := range []string{living.name, own} {
		want = append(want, n[strings.LastIndexByte(n, '-')+1:]+".lock")
	}
	left := lockFiles(t, dir)
	if len(left) != 3 || !strings.Contains(strings.Join(left, " "), want[0]) || !strings.Contains(strings.Join(left, " "), want[1]) {
		t.Errorf("the files are %v, want %v and notes", left, want)
	}
	wantAlive(t, "the other", p, living.name, true)
}

// Many that start, ask and sweep at once never take a living one for dead, nor one that asks for a living one.
func TestAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	killed := start(t, dir)
	asks := open(t, dir)
	wantAlive(t, "running", asks, killed.name, true)
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.cmd.Wait() // a killed process fails
	const many = 40
	names := make(chan string, many)
	var group sync.WaitGroup
	for range many {
		group.Go(func() {
			p := open(t, dir)
			n, err := p.Name()
			if err != nil {
				t.Errorf("name: %v", err)
				return
			}
			names <- n
			wantAlive(t, "the killed one", p, killed.name, false)
			wantAlive(t, "one that just began", asks, n, true)
		})
	}
	group.Wait()
	close(names)
	for n := range names {
		wantAlive(t, "one of many", asks, n, true)
	}
	if left := lockFiles(t, dir); len(left) != many {
		t.Errorf("%d files of %d processes", len(left), many)
	}
}

// A name is read from the catalog, and leads to a file: whatever it is, it leads to none outside of the directory.
func FuzzAlive(f *testing.F) {
	f.Add("host-1-ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	f.Add("a-b-1-../../../../../../../etc/passwd")
	f.Add("--")
	dir := f.TempDir()
	p, err := liveness.Open(filepath.Join(dir, "run"))
	if err != nil {
		f.Fatal(err)
	}
	outside := filepath.Join(dir, strings.Repeat("A", 26)+".lock")
	f.Fuzz(func(t *testing.T, name string) {
		if err := os.WriteFile(outside, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if alive, _ := p.Alive(name); alive {
			t.Errorf("%q lives", name)
		}
		if _, err := os.Stat(outside); err != nil { // a free lock's file would have been removed
			t.Errorf("%q led out of the directory: %v", name, err)
		}
	})
}
