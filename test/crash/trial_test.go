package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
)

// rig is a workload that runs: a shell that lives through the deaths of the others, and what was learnt.
type rig struct {
	*workload
	t     *testing.T
	shell *binary.Shell
	// txns are the last known states of transactions by name.
	txns map[string]transaction
	// dropped are directories of managed tables that were dropped, which VACUUM removes.
	dropped map[string]bool
	// slowest is how long a statement takes that is not killed.
	slowest time.Duration
	// what is being tried, for messages.
	what string
}

// transaction is a row of SHOW TRANSACTIONS.
type transaction struct{ target, state, since string }

// newRig makes a home and the tables. The directory stays when the test fails.
func newRig(t *testing.T, seed uint64) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "tarn-crash")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("everything is kept below %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	w := &workload{dir: dir, home: filepath.Join(dir, "home"), rnd: rand.New(rand.NewPCG(seed, 1))}
	r := &rig{workload: w, t: t, txns: map[string]transaction{}, dropped: map[string]bool{}, slowest: 250 * time.Millisecond}
	r.shell = binary.Start(t, w.home)
	for _, target := range w.targets() {
		w.tables = append(w.tables, target)
		target.now = state{}
		if !target.path {
			cols := columns
			if !target.partitioned {
				cols = "(v STRING)"
			}
			r.ok("CREATE TABLE " + target.name + " " + cols + target.clauses)
			target.root = r.location(target)
		}
		first := w.next(target, "append")
		r.ok(first.sql)
		target.now = first.apply(target.now).normal(target)
	}
	return r
}

func (r *rig) fatal(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s\n%s", r.what, fmt.Sprintf(format, args...))
}

// ok runs a statement in the shell that must succeed.
func (r *rig) ok(sql string) binary.Answer {
	r.t.Helper()
	a := r.shell.SQL(sql)
	if a.Error != nil {
		r.fatal("%s\n[%s] %s", sql, a.Error.Class, a.Error.Message)
	}
	return a
}

// location is the directory of a table, as DESCRIBE tells it.
func (r *rig) location(t *table) string {
	r.t.Helper()
	for _, row := range r.ok("DESCRIBE EXTENDED " + t.name).Rows {
		if row[0] == "Location" {
			return strings.TrimPrefix(fmt.Sprint(row[1]), "file:")
		}
	}
	r.fatal("DESCRIBE EXTENDED %s tells no location", t.name)
	return ""
}

// read is what a table holds, as Tarn answers it; nil when there is no such table.
func (r *rig) read(t *table) state {
	r.t.Helper()
	cols := "v"
	if t.partitioned {
		cols = "v, d, p"
	}
	a := r.shell.SQL("SELECT " + cols + " FROM " + t.name)
	if a.Error != nil {
		if a.Error.Class == "TABLE_OR_VIEW_NOT_FOUND" {
			return nil
		}
		r.fatal("SELECT %s FROM %s\n[%s] %s", cols, t.name, a.Error.Class, a.Error.Message)
	}
	out := state{}
	for _, row := range a.Rows {
		spec := ""
		if t.partitioned {
			spec = fmt.Sprintf("d=%v/p=%v", row[1], row[2])
		}
		out[spec] = append(out[spec], fmt.Sprint(row[0]))
	}
	if t.registered && t.partitioned {
		for _, row := range r.ok("SHOW PARTITIONS " + t.name).Rows {
			spec := fmt.Sprint(row[0])
			out[spec] = append(out[spec], []string{}...)
		}
	}
	out = out.normal(t)
	if t.partitioned && !t.registered && !t.path {
		// The partitions of a table that lists are the directories that hold files.
		var specs []string
		for _, row := range r.ok("SHOW PARTITIONS " + t.name).Rows {
			specs = append(specs, fmt.Sprint(row[0]))
		}
		if slices.Sort(specs); !slices.Equal(specs, slices.Sorted(maps.Keys(out))) {
			r.fatal("SHOW PARTITIONS %s lists %q, the rows are in %s", t.name, specs, out.text())
		}
	}
	return out
}

// cut says where a process dies: at the n-th passing of a named point, or after a while; the zero value never.
type cut struct {
	point string
	n     int
	after time.Duration
}

func (c cut) String() string {
	switch {
	case c.point != "":
		return fmt.Sprintf("TARN_CRASH_AT='%s:%d'", c.point, c.n)
	case c.after > 0:
		return "kill after " + c.after.String()
	}
	return "not killed"
}

// end is how a process ended.
type end struct {
	killed bool
	// answer is what it said before; nil when it said nothing.
	answer *binary.Answer
	out    string
}

// spawn runs the binary until it ends or is killed.
func (r *rig) spawn(c cut, args ...string) end {
	r.t.Helper()
	cmd := exec.Command(binary.Path(r.t), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if c.point != "" {
		cmd.Env = append(os.Environ(), fmt.Sprintf("TARN_CRASH_AT=%s:%d", c.point, c.n))
	}
	if err := cmd.Start(); err != nil {
		r.fatal("%v", err)
	}
	if c.after > 0 {
		timer := time.AfterFunc(c.after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	hung := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGABRT) })
	defer hung.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.fatal("%v", err)
	}
	e := end{out: out.String() + errs.String()}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		if status.Signal() != syscall.SIGKILL {
			r.fatal("tarn %s ended by %s:\n%s", strings.Join(args, " "), status.Signal(), e.out)
		}
		e.killed = true
	}
	if line, _, whole := strings.Cut(out.String(), "\n"); whole {
		var a binary.Answer
		if err := json.Unmarshal([]byte(line), &a); err == nil {
			e.answer = &a
		}
	}
	return e
}

func (r *rig) run(s *statement, c cut) end {
	r.t.Helper()
	if c == (cut{}) {
		return r.runHere(s)
	}
	args := []string{"sql", "--home", r.home, "--format", "json"}
	for _, kv := range s.conf {
		args = append(args, "--conf", kv)
	}
	began := time.Now()
	e := r.spawn(c, append(args, "-e", s.sql)...)
	if !e.killed {
		r.slowest = max(time.Since(began), min(r.slowest, 400*time.Millisecond))
		if e.answer == nil {
			r.fatal("no answer:\n%s", e.out)
		}
	}
	return e
}

// runHere runs a statement in the shell, for a trial in which nobody dies.
func (r *rig) runHere(s *statement) end {
	r.t.Helper()
	for _, kv := range s.conf {
		r.ok("SET " + kv)
	}
	a := r.shell.SQL(s.sql)
	for _, kv := range s.conf {
		name, _, _ := strings.Cut(kv, "=")
		r.ok("RESET " + name)
	}
	return end{answer: &a}
}

// recovery is how a trial recovers.
type recovery int

const (
	byCommand  recovery = iota
	byStart             // a new process does it first
	byMany              // several at once
	afterCrash          // recovery is killed, too
	recoveries
)

// trial runs one statement in a process that dies, recovers, and checks everything. It reports whether the process died.
func (r *rig) trial(s *statement, c cut, how recovery, other *statement, vacuum bool) bool {
	r.t.Helper()
	target := s.table
	r.what = fmt.Sprintf("%s: %s\n%s %s", target.name, s.kind, c, s.sql)
	if s.prepare != nil {
		s.prepare(r.t)
	}
	before := target.now
	after := s.apply(before.clone()).normal(target)
	trees := r.trees()
	marker := r.marker(target) // none of a table that is not there
	e := r.run(s, c)
	may := []state{before, after}
	switch {
	case e.answer != nil && e.answer.Error != nil:
		if e.answer.Error.Class != s.fails {
			r.fatal("[%s] %s", e.answer.Error.Class, e.answer.Error.Message)
		}
		may = []state{before}
	case e.answer != nil:
		if s.fails != "" {
			r.fatal("it did not fail with %s", s.fails)
		}
		may = []state{after}
	case s.fails != "":
		may = []state{before}
	}
	if e.killed {
		r.what += "\nbefore recovery"
		r.oneOf(may)(r.read(target))
		r.markerDropped(target, c)
		if other != nil {
			r.what += "\nmeanwhile " + other.sql
			a := r.shell.SQL(other.sql)
			switch {
			case a.Error == nil:
				for i := range may {
					may[i] = other.apply(may[i].clone()).normal(target)
				}
			case a.Error.Class != "CONCURRENT_WRITE_CONFLICT":
				r.fatal("[%s] %s", a.Error.Class, a.Error.Message)
			}
		}
		r.recover(how)
	}
	r.what += "\nafter recovery"
	r.settled()
	got := r.read(target)
	r.oneOf(may)(got)
	if s.again {
		r.ok(s.sql)
		r.settled()
		got = r.read(target)
		r.oneOf([]state{after})(got)
	}
	target.now = got
	if target.made && got == nil {
		r.nothingMade(target)
		return e.killed
	}
	if target.made {
		target.root = r.location(target)
	}
	now := r.trees()
	r.othersUntouched(target, trees, now)
	if other == nil && s.kind != "replace" && s.kind != "vacuum" && !target.made {
		r.partitionsUntouched(target, s, trees[target.root], now[target.root], before, got)
	}
	tr, err := readTree(target.root)
	if err != nil {
		r.fatal("%v", err)
	}
	r.noLeftovers(target, tr)
	r.independent(target, tr)
	r.markerTold(target, marker, before.equal(got))
	if (vacuum || target.made || s.kind == "vacuum") && !target.path {
		r.vacuumed(target)
	}
	if target.made {
		r.drop(target)
	}
	return e.killed
}

func (r *rig) oneOf(may []state) func(state) {
	return func(got state) {
		r.t.Helper()
		for _, s := range may {
			if s.equal(got) {
				return
			}
		}
		text := "the table holds neither what it held before nor what it should hold now:\n" + got.text()
		for _, s := range may {
			text += "\nmay be:\n" + s.text()
		}
		r.fatal("%s", text)
	}
}

// recover lets other processes end what the dead one left.
func (r *rig) recover(how recovery) {
	r.t.Helper()
	command := []string{"recover", "--home", r.home}
	once := func() {
		r.t.Helper()
		if e := r.spawn(cut{}, command...); !strings.Contains(e.out, ", 0 left\n") {
			r.fatal("tarn recover:\n%s", e.out)
		}
	}
	switch how {
	case byStart:
		r.what += "\nrecovered by a new process"
		r.shell.Close()
		r.shell = binary.Start(r.t, r.home)
		r.ok("SELECT 1")
	case byMany:
		r.what += "\nrecovered by several processes at once"
		var cmds []*exec.Cmd
		for range 3 {
			cmd := exec.Command(binary.Path(r.t), command...)
			if err := cmd.Start(); err != nil {
				r.fatal("%v", err)
			}
			cmds = append(cmds, cmd)
		}
		for _, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				r.fatal("tarn recover, several at once: %v", err)
			}
		}
	case afterCrash:
		for range 1 + r.rnd.IntN(2) {
			c := cut{after: time.Duration(r.rnd.Int64N(int64(120 * time.Millisecond)))}
			if r.rnd.IntN(3) > 0 {
				c = cut{point: []string{"aborting", "undone", "file published", "published", "exchanged", "flipping", "committed", "file retired", "retired", "marked"}[r.rnd.IntN(10)], n: 1 + r.rnd.IntN(2)}
			}
			r.what += "\nrecovered by a process that is killed, too: " + c.String()
			r.spawn(c, command...)
		}
		once()
	default:
		once()
	}
}

// note keeps the states of transactions; SHOW TRANSACTIONS lists the most recent ones only.
func (r *rig) note() {
	r.t.Helper()
	for _, row := range r.ok("SHOW TRANSACTIONS").Rows {
		r.txns[fmt.Sprint(row[0])] = transaction{fmt.Sprint(row[1]), fmt.Sprint(row[2]), fmt.Sprint(row[3])}
	}
}

// settled checks that nothing is left to do.
func (r *rig) settled() {
	r.t.Helper()
	r.note()
	for id, txn := range r.txns {
		if txn.state != "DONE" && txn.state != "ABORTED" {
			r.fatal("transaction %s is %s", id, txn.state)
		}
	}
	const nothing = "0 unfinished writes, 0 pieces of work on directories to do, 0 left\n"
	if e := r.spawn(cut{}, "recover", "--home", r.home, "--dry-run"); e.out != nothing {
		r.fatal("tarn recover --dry-run:\n%s", e.out)
	}
}

// trees are all targets' directories by root.
func (r *rig) trees() map[string]tree {
	r.t.Helper()
	out := map[string]tree{}
	for _, t := range r.tables {
		tr, err := readTree(t.root)
		if err != nil {
			r.fatal("%v", err)
		}
		out[t.root] = tr
	}
	return out
}

// othersUntouched checks that no other table's directory has changed.
func (r *rig) othersUntouched(target *table, before, now map[string]tree) {
	r.t.Helper()
	for _, t := range r.tables {
		if t.root != target.root && !maps.Equal(before[t.root].files, now[t.root].files) {
			r.fatal("files of %s have changed", t.name)
		}
	}
}

// partitionsUntouched checks that the files of partitions that the statement is not about are the same as before, and, for
// statements that replace nothing, that every file is.
func (r *rig) partitionsUntouched(target *table, s *statement, before, now tree, was, is state) {
	r.t.Helper()
	for rel, f := range before.files {
		if !isData(rel) {
			continue
		}
		spec := specOf(rel)
		if (s.keeps || target.partitioned && slices.Equal(was[spec], is[spec])) && now.files[rel] != f {
			r.fatal("the file %s has changed or is gone", filepath.Join(target.root, rel))
		}
	}
	for rel := range now.files {
		spec := specOf(rel)
		if _, old := before.files[rel]; !old && target.partitioned && isData(rel) && slices.Equal(was[spec], is[spec]) {
			r.fatal("the file %s is new in a partition that was not written to", filepath.Join(target.root, rel))
		}
	}
}

// noLeftovers checks that whatever carries the name of a transaction is of one that committed, and that nothing is staged.
func (r *rig) noLeftovers(target *table, tr tree) {
	r.t.Helper()
	for _, rel := range append(slices.Clone(tr.dirs), slices.Sorted(maps.Keys(tr.files))...) {
		for _, txn := range txnIn.FindAllString(rel, -1) {
			if r.txns[txn].state != "DONE" {
				r.fatal("%s is left of transaction %s, which is %q", filepath.Join(target.root, rel), txn, r.txns[txn].state)
			}
		}
		if strings.Contains(rel, "_tarn/wip") {
			r.fatal("%s is left", filepath.Join(target.root, rel))
		}
	}
	if target.layout != inPlace {
		return
	}
	for _, d := range tr.empty() {
		_, known := target.now[d]
		if d != "." && !hidden(d) && !(target.registered && known) {
			r.fatal("the directory %s is left empty", filepath.Join(target.root, d))
		}
	}
}

// independent reads the table's files without Tarn, as its readers are told to.
func (r *rig) independent(target *table, tr tree) {
	r.t.Helper()
	switch {
	case target.layout == inPlace:
		got, err := rowsIn(target, target.root, tr.visible())
		if err != nil {
			r.fatal("%v", err)
		}
		r.sameRows(target, got, "a reader of directories")
	case target.layout == sealed && target.partitioned:
		got := state{}
		for spec := range target.now {
			at := r.partitionLocation(target, spec)
			part, err := readTree(at)
			if err != nil {
				r.fatal("%v", err)
			}
			for _, rel := range part.all() {
				rows, err := readRows(filepath.Join(at, rel), target.format)
				if err != nil {
					r.fatal("%s: %v", filepath.Join(at, rel), err)
				}
				got[spec] = append(got[spec], rows...)
			}
		}
		r.sameRows(target, got, "a reader that follows the locations of partitions")
	}
}

// sameRows compares what an independent reader found with what Tarn answers; partitions without rows have no files.
func (r *rig) sameRows(target *table, got state, who string) {
	r.t.Helper()
	plain := *target
	plain.registered = false
	if want, got := target.now.normal(&plain), got.normal(&plain); !want.equal(got) {
		r.fatal("%s sees\n%s\nTarn answers\n%s", who, got.text(), want.text())
	}
}

// partitionLocation is the directory of a partition, as DESCRIBE tells it.
func (r *rig) partitionLocation(target *table, spec string) string {
	r.t.Helper()
	d, p, _ := strings.Cut(spec, "/")
	inside := false
	for _, row := range r.ok(fmt.Sprintf("DESCRIBE EXTENDED %s PARTITION (d = '%s', p = %s)", target.name, strings.TrimPrefix(d, "d="), strings.TrimPrefix(p, "p="))).Rows {
		switch {
		case row[0] == "# Detailed Partition Information":
			inside = true
		case row[0] == "Location" && inside:
			return strings.TrimPrefix(fmt.Sprint(row[1]), "file:")
		}
	}
	r.fatal("no location of partition %s", spec)
	return ""
}

// vacuumed deletes all that is not needed, and checks that what is left is exactly what the table holds, wherever it lies.
func (r *rig) vacuumed(target *table) {
	r.t.Helper()
	vacuum := "VACUUM " + target.name + " RETAIN 0 HOURS"
	r.what += "\nafter " + vacuum
	r.ok(vacuum)
	if a := r.ok(vacuum); len(a.Rows) > 0 {
		r.fatal("a second time it finds %v", a.Rows)
	}
	r.oneOf([]state{target.now})(r.read(target))
	tr, err := readTree(target.root)
	if err != nil {
		r.fatal("%v", err)
	}
	got, err := rowsIn(target, target.root, tr.all())
	if err != nil {
		r.fatal("%v", err)
	}
	r.sameRows(target, got, "who reads all files that are left")
	for _, d := range tr.dirs {
		if target.layout == inPlace && strings.HasPrefix(d, "_tarn") {
			r.fatal("the directory %s is left", filepath.Join(target.root, d))
		}
	}
	for _, d := range tr.empty() {
		if rows, ok := target.now[specOf(d)]; d != "." && !(ok && len(rows) == 0) && target.partitioned {
			r.fatal("the directory %s is left empty", filepath.Join(target.root, d))
		}
	}
}

// marker is the content of _SUCCESS, "" when there is none.
func (r *rig) marker(target *table) string {
	if target.root == "" {
		return ""
	}
	data, err := os.ReadFile(filepath.Join(target.root, "_SUCCESS"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.fatal("%v", err)
	}
	return string(data)
}

// markerDropped checks that there is no marker while files change.
func (r *rig) markerDropped(target *table, c cut) {
	r.t.Helper()
	switch c.point {
	case "marker dropped", "directory made", "file published", "exchanging", "exchanged", "published", "flipping", "committed", "file retired", "retired":
		if r.marker(target) != "" {
			r.fatal("the marker %s is there", filepath.Join(target.root, "_SUCCESS"))
		}
	}
}

// markerTold checks that the marker is the one of the last write that was done; a write that was not leaves the one before.
func (r *rig) markerTold(target *table, was string, unchanged bool) {
	r.t.Helper()
	text := r.marker(target)
	if target.layout != inPlace {
		if text != "" {
			r.fatal("there is a marker")
		}
		return
	}
	if unchanged && was == text && text != "" {
		return
	}
	var m struct {
		JobID   string `json:"jobId"`
		Success bool
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil || !m.Success {
		r.fatal("the marker is %q: %v", text, err)
	}
	last, since := "", ""
	r.note()
	for id, txn := range r.txns {
		if r.sameTarget(target, txn.target) && txn.state == "DONE" && (txn.since > since || txn.since == since && id > last) {
			last, since = id, txn.since
		}
	}
	if m.JobID != last {
		r.fatal("the marker is of transaction %s, the last one is %s", m.JobID, last)
	}
}

// sameTarget reports whether a transaction's name of what it writes to means the target.
func (r *rig) sameTarget(target *table, name string) bool {
	if target.path {
		return strings.TrimPrefix(name, target.format+".`file:") == target.root+"`"
	}
	return strings.ReplaceAll(name, "`", "") == target.name
}

// nothingMade checks that a CREATE TABLE AS SELECT that did not happen leaves no directory.
func (r *rig) nothingMade(target *table) {
	r.t.Helper()
	if !target.managed {
		if _, err := os.Lstat(target.root); !errors.Is(err, fs.ErrNotExist) {
			r.fatal("the directory %s is left", target.root)
		}
		return
	}
	known := map[string]bool{}
	for _, t := range r.tables {
		known[t.root] = true
	}
	found, err := filepath.Glob(filepath.Join(r.home, "warehouse", "*", "*", "*"))
	if err != nil {
		r.fatal("%v", err)
	}
	for _, d := range found {
		if !known[d] && !r.dropped[d] {
			r.fatal("the directory %s is left", d)
		}
	}
}

// drop drops a table that a trial made.
func (r *rig) drop(target *table) {
	r.t.Helper()
	r.ok("DROP TABLE " + target.name)
	if target.managed {
		r.dropped[target.root] = true
		return
	}
	if err := os.RemoveAll(target.root); err != nil {
		r.fatal("%v", err)
	}
}
