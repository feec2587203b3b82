package crash

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
)

// The writers of TestProcesses and the partitions that each replaces or appends to. They overlap in partition 2.
var (
	dying    = writer{"a", []int{0, 1, 2}}
	living   = writer{"b", []int{2, 3}}
	appender = writer{"c", []int{4}}
)

// rowsEach is how many rows a statement of TestProcesses writes into each partition.
const rowsEach = 2

// writer is one of several processes that write to one table.
type writer struct {
	name  string
	parts []int
}

// sql writes the rows of one statement: each row tells the writer and the number of the statement.
func (w writer) sql(t *table, number int) string {
	var list []string
	for _, p := range w.parts {
		list = append(list, fmt.Sprintf("(%d)", p))
	}
	verb := "INSERT OVERWRITE "
	if w.name == appender.name {
		verb = "INSERT INTO "
	}
	return fmt.Sprintf("%s%s SELECT '%s/%d' AS v, 'x' AS d, y.p AS p FROM (VALUES %s) AS y(p) CROSS JOIN range(%d)", verb, t.name, w.name, number, strings.Join(list, ", "), rowsEach)
}

// seen is what a reader knows to have happened: the greatest number of each writer's statement.
type seen struct{ a, b, c int64 }

// check judges one answer: every partition holds whole statements, those that one statement writes agree, and nothing is older
// than what is known.
func check(answer binary.Answer, atLeast seen) (seen, error) {
	if answer.Error != nil {
		return seen{}, fmt.Errorf("[%s] %s", answer.Error.Class, answer.Error.Message)
	}
	rows := map[string]int{} // by partition, writer and number
	in := map[int][]string{} // by partition: whose rows
	for _, r := range answer.Rows {
		p, err := strconv.Atoi(fmt.Sprint(r[1]))
		if err != nil {
			return seen{}, err
		}
		key := fmt.Sprint(p, " ", r[0])
		if rows[key]++; rows[key] == 1 {
			in[p] = append(in[p], fmt.Sprint(r[0]))
		}
	}
	for key, n := range rows {
		if n != rowsEach {
			return seen{}, fmt.Errorf("%d rows of %s, not %d", n, key, rowsEach)
		}
	}
	for p := range 4 {
		if len(in[p]) != 1 {
			return seen{}, fmt.Errorf("partition %d holds the rows of %q, not of one statement", p, in[p])
		}
	}
	if in[0][0] != in[1][0] {
		return seen{}, fmt.Errorf("partitions 0 and 1 hold %s and %s, which are not of one statement", in[0][0], in[1][0])
	}
	if in[2][0] != in[0][0] && in[2][0] != in[3][0] {
		return seen{}, fmt.Errorf("partition 2 holds %s, the statements that write it wrote %s and %s last", in[2][0], in[0][0], in[3][0])
	}
	now := seen{a: number(in[0][0]), b: number(in[3][0]), c: int64(len(in[4])) - 1}
	if now.a < atLeast.a || now.b < atLeast.b || now.c < atLeast.c {
		return now, fmt.Errorf("the table holds %+v, after %+v was answered or read", now, atLeast)
	}
	return now, nil
}

func number(v string) int64 {
	_, text, _ := strings.Cut(v, "/")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// TestProcesses kills a writer again and again while another one writes some of the same partitions, a third one appends,
// others recover, and a reader looks: each answer is a whole state, and no state is older than one that was answered.
func TestProcesses(t *testing.T) {
	names := points(t)
	layouts, rounds := []string{"log_exchange", "sealed_parts"}, 12
	if *trials > 0 {
		layouts, rounds = []string{"listing_union", "listing_exchange", "log_union", "log_exchange", "log_sealed", "log_filesets", "hive_parts", "sealed_parts", "fileset_parts"}, max(12, *trials/20)
	}
	for i, name := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			together(t, name, names, *seed+uint64(i), rounds)
		})
	}
}

func together(t *testing.T, name string, names []string, seed uint64, rounds int) {
	r := newRig(t, seed)
	r.what = name
	var target *table
	for _, x := range r.tables {
		if strings.HasSuffix(x.name, "."+name) {
			target = x
		}
	}
	r.ok("INSERT OVERWRITE " + target.name + " SELECT v, d, p FROM " + target.name + " WHERE false")
	r.ok("SET spark.sql.sources.partitionOverwriteMode=dynamic")
	r.ok(dying.sql(target, 0))
	r.ok(living.sql(target, 0))
	r.ok(appender.sql(target, 0))

	var answered struct{ a, b, c atomic.Int64 }
	var done atomic.Bool
	var group sync.WaitGroup
	loop := func(w writer, last *atomic.Int64, pause time.Duration) {
		shell := binary.Start(t, r.home, "--conf", "spark.sql.sources.partitionOverwriteMode=dynamic")
		group.Go(func() {
			for n := 1; !done.Load(); {
				a := shell.SQL(w.sql(target, n))
				switch {
				case a.Error == nil:
					last.Store(int64(n))
					n++
				case a.Error.Class != "CONCURRENT_WRITE_CONFLICT":
					t.Errorf("writer %s: [%s] %s", w.name, a.Error.Class, a.Error.Message)
					return
				}
				time.Sleep(pause)
			}
		})
	}
	loop(living, &answered.b, 300*time.Millisecond) // or the dying one, which starts anew each time, would never be first
	loop(appender, &answered.c, 40*time.Millisecond)
	const read = "SELECT v, p FROM "
	reads := 0
	reader := binary.Start(t, r.home)
	group.Go(func() {
		known := seen{}
		for !done.Load() {
			atLeast := seen{max(known.a, answered.a.Load()), max(known.b, answered.b.Load()), max(known.c, answered.c.Load())}
			now, err := check(reader.SQL(read+target.name), atLeast)
			if err != nil {
				t.Errorf("reader: %v", err)
				return
			}
			known = now
			reads++
		}
	})
	group.Go(func() {
		for !done.Load() {
			if e := r.spawn(cut{}, "recover", "--home", r.home); !strings.Contains(e.out, ", 0 left\n") {
				t.Errorf("tarn recover:\n%s", e.out)
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	choice := rand.New(rand.NewPCG(seed, 3))
	killed, conflicts := 0, 0
	for n := 1; n <= rounds && !t.Failed(); n++ {
		c := cut{after: time.Duration(choice.Int64N(int64(300 * time.Millisecond)))}
		if choice.IntN(3) > 0 {
			c = cut{point: names[choice.IntN(len(names))], n: 1 + choice.IntN(3)}
		}
		e := r.spawn(c, "sql", "--home", r.home, "--format", "json", "--conf", "spark.sql.sources.partitionOverwriteMode=dynamic", "-e", dying.sql(target, n))
		switch {
		case e.killed:
			killed++
		case e.answer == nil:
			t.Errorf("writer a ends without an answer:\n%s", e.out)
		case e.answer.Error == nil:
		case e.answer.Error.Class == "CONCURRENT_WRITE_CONFLICT":
			conflicts++
		default:
			t.Errorf("writer a: [%s] %s", e.answer.Error.Class, e.answer.Error.Message)
		}
		if e.answer != nil && e.answer.Error == nil {
			answered.a.Store(int64(n))
		}
		r.note()
	}
	done.Store(true)
	group.Wait()
	if t.Failed() {
		return
	}
	r.recover(byMany)
	r.settled()
	now, err := check(r.ok(read+target.name), seen{answered.a.Load(), answered.b.Load(), answered.c.Load()})
	if err != nil {
		r.fatal("at the end: %v", err)
	}
	t.Logf("%d of %d writers were killed, %d gave way to another; %d reads; %+v", killed, rounds, conflicts, reads, now)
	if target.layout == inPlace {
		sameAsDirectories(t, r, target)
	}
}

// sameAsDirectories compares what Tarn answers with what lies in the directories.
func sameAsDirectories(t *testing.T, r *rig, target *table) {
	t.Helper()
	tr, err := readTree(target.root)
	if err != nil {
		t.Fatal(err)
	}
	r.noLeftovers(&table{name: target.name, root: target.root, layout: filesets}, tr)
	want, got := map[string]int{}, map[string]int{}
	for _, row := range r.ok("SELECT v, p FROM " + target.name).Rows {
		want[fmt.Sprint(row[0], " ", row[1])]++
	}
	for _, rel := range tr.visible() {
		rows, err := readColumn(target.root+"/"+rel, target.format)
		if err != nil {
			t.Fatal(err)
		}
		_, p, _ := strings.Cut(specOf(rel), "/p=")
		for _, v := range rows {
			got[v+" "+p]++
		}
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("directories hold %v, Tarn answers %v", got, want)
	}
}
