package sqlstore_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/catalogtest"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
)

// The test binary started with childFile set is a process that adds partitions to a table of that file.
const (
	childFile   = "SQLSTORE_TEST_FILE"
	childTable  = "SQLSTORE_TEST_TABLE"
	childWriter = "SQLSTORE_TEST_WRITER"
	childCount  = "SQLSTORE_TEST_COUNT"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(path string) error {
	writer, err := strconv.Atoi(os.Getenv(childWriter))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Getenv(childCount))
	if err != nil {
		return err
	}
	s, err := sqlstore.Open(ctx, path, sqlstore.Options{Actor: fmt.Sprint("process ", writer)})
	if err != nil {
		return err
	}
	defer s.Close()
	return catalogtest.AddPartitions(ctx, s, catalog.ID(os.Getenv(childTable)), writer, n)
}

func start(t *testing.T, path string, table catalog.ID, writer, n int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childFile+"="+path, childTable+"="+string(table),
		childWriter+"="+strconv.Itoa(writer), childCount+"="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestProcesses has processes commit to one table at the same time: no commit is lost, none is doubled.
func TestProcesses(t *testing.T) {
	path := file(t)
	s := open(t, path, sqlstore.Options{})
	table := logTable(t, s)
	const processes, each = 3, 15
	var running []*exec.Cmd
	for i := range processes {
		running = append(running, start(t, path, table.ID, i, each))
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	catalogtest.CheckPartitions(t, s, table.ID, processes, each)
}

// TestKilledProcess kills a process while it commits: what is there afterwards is a number of whole commits.
func TestKilledProcess(t *testing.T) {
	path := file(t)
	s := open(t, path, sqlstore.Options{})
	table := logTable(t, s)
	cmd := start(t, path, table.ID, 0, 1_000_000)
	deadline := time.Now().Add(10 * time.Second)
	commits := 0
	for commits < 20 && time.Now().Before(deadline) {
		if err := s.Read(ctx, func(tx catalog.ReadTx) error {
			rows, err := tx.History(table.ID, 0)
			commits = len(rows)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if commits < 20 {
		t.Fatalf("the process made %d commits", commits)
	}
	again := open(t, path, sqlstore.Options{})
	if err := again.Read(ctx, func(tx catalog.ReadTx) error {
		rows, err := tx.History(table.ID, 0)
		commits = len(rows)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	catalogtest.CheckPartitions(t, again, table.ID, 1, commits)
	if err := catalogtest.AddPartitions(ctx, again, table.ID, 1, 1); err != nil {
		t.Errorf("a commit after the kill: %v", err)
	}
}
