// Package binary finds the tarn binary under test and talks to it the way a client does: statements on standard input,
// one JSON line back for each.
package binary

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/unprivileged"
)

var (
	once  sync.Once
	built string
	fault error
)

// Path is the binary named by TARN_BIN, or one built for this test run.
func Path(t testing.TB) string {
	t.Helper()
	once.Do(func() {
		if p := os.Getenv("TARN_BIN"); p != "" {
			built, fault = filepath.Abs(p)
			if fault == nil {
				_, fault = os.Stat(built)
			}
			return
		}
		dir, err := os.MkdirTemp("", "tarn-bin")
		if err != nil {
			fault = err
			return
		}
		built = filepath.Join(dir, "tarn")
		cmd := exec.Command("go", "build", "-o", built, "./cmd/tarn")
		cmd.Dir = Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			fault = fmt.Errorf("build tarn: %w\n%s", err, out)
		}
	})
	if fault != nil {
		t.Fatal(fault)
	}
	return built
}

// Root is the repository's directory.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Answer is what the binary says to one statement.
type Answer struct {
	Columns  []struct{ Name, Type string }
	Rows     [][]any
	Warnings []struct {
		Class, Message string
		Parameters     map[string]string
	}
	Error *Failure
}

// Failure is the error of a statement.
type Failure struct {
	Class      string
	SQLState   string `json:"sqlState"`
	Message    string
	Parameters map[string]string
	Position   *struct{ Line, Column, Offset int }
}

// Shell is one `tarn sql --format json` process.
type Shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *strings.Builder
}

// Start runs a shell on a home directory.
func Start(t testing.TB, home string, args ...string) *Shell {
	t.Helper()
	return StartIn(t, "", home, args...)
}

// StartIn is Start with a working directory, "" for that of the test.
func StartIn(t testing.TB, dir, home string, args ...string) *Shell {
	t.Helper()
	return start(t, exec.Command(Path(t), shellArgs(home, args)...), dir)
}

// StartUnprivileged is StartIn for a process that permissions bind, even when the tests run as root.
func StartUnprivileged(t testing.TB, dir, home string, args ...string) *Shell {
	t.Helper()
	cmd := exec.Command(unprivileged.Copy(t, Path(t), unprivileged.Dir(t)), shellArgs(home, args)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged.Credential()}
	return start(t, cmd, dir)
}

func shellArgs(home string, more []string) []string {
	return append([]string{"sql", "--home", home, "--format", "json", "--keep-going"}, more...)
}

func start(t testing.TB, cmd *exec.Cmd, dir string) *Shell {
	t.Helper()
	s := &Shell{cmd: cmd, err: &strings.Builder{}}
	s.cmd.Stderr, s.cmd.Dir = s.err, dir
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// SQL runs one statement. A process that dies or says nothing for a minute is an Answer with the error ENGINE_DIED.
func (s *Shell) SQL(text string) Answer {
	timer := time.AfterFunc(time.Minute, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	dead := func(err error) Answer {
		return Answer{Error: &Failure{Class: "ENGINE_DIED", Message: fmt.Sprintf("%v; stderr: %s", err, s.err.String())}}
	}
	text = strings.TrimRight(strings.TrimSpace(text), ";")
	if last := text[strings.LastIndexByte(text, '\n')+1:]; strings.Contains(last, "--") {
		text += "\n" // or the semicolon would be part of a comment
	}
	if _, err := io.WriteString(s.in, text+";\n"); err != nil {
		return dead(err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return dead(err)
	}
	var a Answer
	dec := json.NewDecoder(strings.NewReader(string(line)))
	dec.UseNumber()
	if err := dec.Decode(&a); err != nil {
		return Answer{Error: &Failure{Class: "NOT_JSON", Message: string(line)}}
	}
	return a
}

// Close ends the process.
func (s *Shell) Close() {
	_ = s.in.Close()
	done := make(chan struct{})
	go func() { _ = s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
	}
}
