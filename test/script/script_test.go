// Package script runs the transcripts of testdata/script: the binary as people call it, with its flags, files, answers and
// exit statuses.
package script

import (
	"bufio"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // for newer
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/lake"
)

func TestScripts(t *testing.T) {
	// The scripts call the binary by its name.
	dir := t.TempDir()
	if err := os.Symlink(binary.Path(t), filepath.Join(dir, "tarn")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(binary.Root(), "testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", dir+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("TARN_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status, "interrupt": interrupt, "parquet": parquet, "corrupt": corrupt, "newer": newer, "transaction": transaction,
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil // to whom no file is read-only
			}
			return false, errors.New("unknown condition " + name)
		},
	})
}

// status CODE command [args…] runs a command that must exit with a status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := code(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// code is the exit status as a shell tells it.
func code(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return 128 + int(w.Signal())
		}
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// interrupt command [args…] starts a command, sends it SIGINT once it has printed a line, and wants exit status 130 soon.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: interrupt command [args…]")
	}
	path, err := exec.LookPath(filepath.Join(strings.Split(ts.Getenv("PATH"), string(filepath.ListSeparator))[0], args[0]))
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "TARN_HOME=" + ts.Getenv("TARN_HOME"), "PATH=" + ts.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		ts.Fatalf("it printed nothing: %v", err)
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for {
		if _, err := lines.ReadString('\n'); err != nil {
			break
		}
	}
	if got := code(ts, cmd.Wait()); got != 130 {
		ts.Fatalf("exit status %d after SIGINT, not 130", got)
	}
}

// parquet PATH {…} makes a Parquet file.
func parquet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: parquet PATH '{…}'")
	}
	p := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(p), 0o755))
	ts.Check(lake.WriteParquet(p, args[1]))
}

// newer PATH KEY makes a catalog file one of a later format, which programs of this one's age may not use (KEY min_reader) or
// not change (min_writer).
func newer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: newer PATH min_reader|min_writer")
	}
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec("UPDATE meta SET value = '999' WHERE key = ?", args[1])
	ts.Check(err)
	_, err = db.Exec("PRAGMA user_version = 999")
	ts.Check(errors.Join(err, db.Close()))
}

// transaction NAME [WORD] keeps the transaction that the last command printed in an environment variable: the first one, or
// the first in a line that has the word.
func transaction(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: transaction NAME [WORD]")
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if len(args) == 2 && !strings.Contains(line, args[1]) {
			continue
		}
		if id := regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`).FindString(line); id != "" {
			ts.Setenv(args[0], id)
			return
		}
	}
	ts.Fatalf("no transaction was printed")
}

// corrupt PATH overwrites the beginning of a file.
func corrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: corrupt PATH")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte(strings.Repeat("not a database ", 300)), 0)
	ts.Check(errors.Join(err, f.Close()))
}
