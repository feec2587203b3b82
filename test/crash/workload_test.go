package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/lake"
)

// layout is how a table's files lie, as far as an independent reader has to know.
type layout int

const (
	inPlace  layout = iota // at the directories that the values name
	sealed                 // whole directories, to which the catalog points
	filesets               // wherever the catalog says
)

// table is one target of the workload: a table, or a path that is written to without one.
type table struct {
	name        string // as it stands in SQL; format.`path` for a path
	root        string // the directory that everything of it lies below
	format      string
	clauses     string // of CREATE TABLE, after the columns
	layout      layout
	partitioned bool
	registered  bool // partitions without rows exist
	managed     bool
	log         bool // external, with a partition log
	path        bool
	made        bool // by the CREATE TABLE AS SELECT under test: dropped again
	now         state
}

// state is what a table holds: its rows by partition spec ("" when it is unpartitioned), sorted. nil means that there is no
// such table.
type state map[string][]string

func (s state) clone() state {
	if s == nil {
		return nil
	}
	out := state{}
	for k, rows := range s {
		out[k] = slices.Clone(rows)
	}
	return out
}

// normal leaves out what no reader of such a table can see: partitions without rows, unless they are registered.
func (s state) normal(t *table) state {
	if s == nil {
		return nil
	}
	out := state{}
	for k, rows := range s {
		if len(rows) > 0 || t.registered && t.partitioned {
			out[k] = slices.Sorted(slices.Values(rows))
		}
	}
	return out
}

func (s state) equal(o state) bool {
	return (s == nil) == (o == nil) && maps.EqualFunc(s, o, slices.Equal[[]string])
}

// text shows a state to people: how many rows each statement has in each partition.
func (s state) text() string {
	if s == nil {
		return "no table"
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s)) {
		by := map[string]int{}
		for _, row := range s[k] {
			by[strings.SplitN(row, "/", 2)[0]]++
		}
		fmt.Fprintf(&b, "{%s %v}", k, by)
	}
	return b.String()
}

// part is one partition of the workload: d and p.
type part struct {
	d string
	p int
}

func (p part) spec() string {
	if p.d == "" {
		return ""
	}
	return fmt.Sprintf("d=%s/p=%d", p.d, p.p)
}

// value is the row that statement k writes as the i-th into a partition: every row tells where it comes from.
func (p part) value(k, i int) string { return fmt.Sprintf("s%d/%s/%d/%d", k, p.d, p.p, i) }

func (p part) values(k, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = p.value(k, i)
	}
	return out
}

// statement is one statement of the workload and what it means.
type statement struct {
	kind  string
	table *table
	conf  []string
	sql   string
	// apply is what it does to a table; it may change its argument.
	apply func(state) state
	// prepare makes the files that it needs.
	prepare func(t *testing.T)
	// fails is the condition that it ends with; "" for none.
	fails string
	// again tells that running it once more leads to the same state, whether or not the first run got through.
	again bool
	// keeps tells that no file that was there may go.
	keeps bool
}

// workload is a home directory with its tables and the model of what they hold.
type workload struct {
	dir, home string
	tables    []*table
	rnd       *rand.Rand
	k         int // number of the last statement
}

const (
	columns = "(v STRING, d STRING, p INT)"
	keys    = " PARTITIONED BY (d, p)"
	withLog = "'partitionMetadataEnabled'='true'"
)

// targets are the tables of a workload, one of each layout.
func (w *workload) targets() []*table {
	at := func(name string) string { return filepath.Join(w.dir, "lake", name) }
	external := func(name, format, properties string, partitioned bool) *table {
		t := &table{name: "main.default." + name, root: at(name), format: format, partitioned: partitioned, clauses: " USING " + format}
		if partitioned {
			t.clauses += keys
		}
		t.clauses += " LOCATION '" + t.root + "'"
		if properties != "" {
			t.clauses += " TBLPROPERTIES (" + properties + ")"
		}
		t.log = strings.Contains(properties, withLog)
		t.registered = t.log
		return t
	}
	managed := func(name, format, properties string, partitioned bool) *table {
		t := &table{name: name, format: format, partitioned: partitioned, clauses: " USING " + format, managed: true, registered: true}
		if partitioned {
			t.clauses += keys
		}
		if properties != "" {
			t.clauses += " TBLPROPERTIES (" + properties + ")"
		}
		return t
	}
	byPath := func(name, format string, partitioned bool) *table {
		return &table{name: format + ".`" + at(name) + "`", root: at(name), format: format, partitioned: partitioned, path: true}
	}
	laid := func(l layout, t *table) *table {
		t.layout = l
		return t
	}
	return []*table{
		external("listing_union", "csv", "'tarn.inplace.strategy'='union'", true),
		external("listing_exchange", "parquet", "'tarn.inplace.strategy'='exchange'", true),
		external("listing_plain", "json", "", false),
		external("log_union", "parquet", withLog+", 'tarn.inplace.strategy'='union'", true),
		external("log_exchange", "csv", withLog+", 'tarn.inplace.strategy'='exchange'", true),
		laid(sealed, external("log_sealed", "parquet", withLog+", 'tarn.readers'='location'", true)),
		laid(filesets, external("log_filesets", "json", withLog+", 'tarn.readers'='catalog'", true)),
		managed("hive_metastore.default.hive_parts", "parquet", "", true),
		managed("hive_metastore.default.hive_plain", "csv", "", false),
		laid(sealed, managed("main.default.sealed_parts", "parquet", "", true)),
		laid(sealed, managed("main.default.sealed_plain", "json", "", false)),
		laid(filesets, managed("main.default.fileset_parts", "csv", "'tarn.readers'='catalog'", true)),
		laid(filesets, managed("main.default.fileset_plain", "parquet", "'tarn.readers'='catalog'", false)),
		byPath("path_parts", "json", true),
		byPath("path_plain", "parquet", false),
	}
}

// kinds are the kinds of statement that a table takes.
func (t *table) kinds() []string {
	out := []string{"append", "overwrite", "fail"}
	if t.partitioned {
		out = append(out, "dynamic", "rewrite", "nothing")
	}
	if t.path {
		return out
	}
	out = append(out, "copy", "replace", "vacuum", "create")
	if t.managed {
		out = append(out, "truncate")
	}
	if !t.partitioned {
		return out
	}
	out = append(out, "static", "prefix", "where")
	if t.registered {
		out = append(out, "drop")
		if t.managed {
			out = append(out, "truncate some")
		}
		if t.layout == inPlace {
			out = append(out, "repair")
		}
	}
	return out
}

// query writes n rows to each of the parts.
func (w *workload) query(t *table, parts []part, n int, value string) string {
	if !t.partitioned {
		return fmt.Sprintf("SELECT concat('s%d//0/', %s) AS v FROM range(%d)", w.k, value, n)
	}
	var list []string
	for _, p := range parts {
		list = append(list, fmt.Sprintf("('%s', %d)", p.d, p.p))
	}
	return fmt.Sprintf("SELECT concat('s%d/', x.d, '/', CAST(x.p AS STRING), '/', %s) AS v, x.d AS d, x.p AS p FROM (VALUES %s) AS x(d, p) CROSS JOIN range(%d)", w.k, value, strings.Join(list, ", "), n)
}

// pick chooses some partitions.
func (w *workload) pick(t *table) []part {
	if !t.partitioned {
		return []part{{}}
	}
	var all []part
	for _, d := range []string{"a", "b", "c"} {
		for p := range 3 {
			all = append(all, part{d, p + 1})
		}
	}
	w.rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+w.rnd.IntN(4)]
}

// parts are the partitions that the table has.
func (t *table) parts() []part {
	var out []part
	for _, spec := range slices.Sorted(maps.Keys(t.now)) {
		var p part
		if _, err := fmt.Sscanf(spec, "d=%1s/p=%d", &p.d, &p.p); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func add(parts []part, k, n int) func(state) state {
	return func(s state) state {
		for _, p := range parts {
			s[p.spec()] = append(s[p.spec()], p.values(k, n)...)
		}
		return s
	}
}

func put(parts []part, k, n int) func(state) state {
	return func(s state) state {
		for _, p := range parts {
			s[p.spec()] = p.values(k, n)
		}
		return s
	}
}

// without removes the partitions of one d, "" for all.
func without(d string, then func(state) state) func(state) state {
	return func(s state) state {
		for k := range s {
			if d == "" || strings.HasPrefix(k, "d="+d+"/") {
				delete(s, k)
			}
		}
		return then(s)
	}
}

func same(s state) state { return s }

// next makes the next statement of a kind.
func (w *workload) next(t *table, kind string) *statement {
	w.k++
	k, n, parts := w.k, 1+w.rnd.IntN(4), w.pick(t)
	if kind == "rewrite" && len(t.now) > 0 {
		parts = t.parts()
	}
	if w.rnd.IntN(12) == 0 {
		n = 2000
	}
	d := parts[0].d
	const id = "CAST(id AS STRING)"
	by, select3 := "", w.query(t, parts, n, id)
	if t.path && t.partitioned {
		by = keys
	}
	s := &statement{kind: kind, table: t, apply: same}
	ofPrefix := func() []part {
		var out []part
		for _, p := range parts {
			if p.d == d {
				out = append(out, p)
			}
		}
		return out
	}
	switch kind {
	case "append":
		s.sql, s.apply, s.keeps = "INSERT INTO "+t.name+by+" "+select3, add(parts, k, n), true
	case "overwrite":
		s.sql, s.apply = "INSERT OVERWRITE "+t.name+by+" "+select3, without("", put(parts, k, n))
	case "dynamic", "rewrite":
		s.conf = []string{"spark.sql.sources.partitionOverwriteMode=dynamic"}
		s.sql, s.apply = "INSERT OVERWRITE "+t.name+by+" "+select3, put(parts, k, n)
	case "nothing":
		s.conf = []string{"spark.sql.sources.partitionOverwriteMode=dynamic"}
		s.sql, s.keeps = "INSERT OVERWRITE "+t.name+by+" "+select3+" WHERE id < 0", true
	case "fail":
		bad := fmt.Sprintf("CASE WHEN id < %d THEN %s ELSE raise_error('on purpose') END", n-1, id)
		s.sql, s.fails, s.keeps = "INSERT OVERWRITE "+t.name+by+" "+w.query(t, parts, n, bad), "USER_RAISED_EXCEPTION", true
	case "static":
		one := parts[:1]
		s.sql = fmt.Sprintf("INSERT OVERWRITE %s PARTITION (d = '%s', p = %d) SELECT y.v FROM (%s) AS y", t.name, d, one[0].p, w.query(t, one, n, id))
		s.apply = put(one, k, n)
	case "prefix":
		some := ofPrefix()
		s.sql = fmt.Sprintf("INSERT OVERWRITE %s PARTITION (d = '%s', p) SELECT y.v, y.p FROM (%s) AS y", t.name, d, w.query(t, some, n, id))
		s.apply = without(d, put(some, k, n))
	case "where":
		some := ofPrefix()
		s.sql = fmt.Sprintf("INSERT INTO %s REPLACE WHERE d = '%s' %s", t.name, d, w.query(t, some, n, id))
		s.apply = without(d, put(some, k, n))
	case "copy":
		dir := filepath.Join(w.dir, "source", fmt.Sprint(k))
		s.prepare = func(tt *testing.T) { w.writeSource(tt, t, dir, parts, n) }
		s.sql = fmt.Sprintf("COPY INTO %s FROM '%s' FILEFORMAT = CSV FORMAT_OPTIONS ('header'='true', 'inferSchema'='true')", t.name, dir)
		s.apply, s.again, s.keeps = add(parts, k, n), true, true
	case "replace":
		s.sql, s.apply = "CREATE OR REPLACE TABLE "+t.name+t.clauses+" AS "+select3, without("", put(parts, k, n))
	case "create":
		s.table = w.another(t)
		s.sql = "CREATE TABLE " + s.table.name + s.table.clauses + " AS " + select3
		s.apply = func(state) state { return put(parts, k, n)(state{}) }
	case "vacuum":
		s.sql, s.again = "VACUUM "+t.name+" RETAIN 0 HOURS", true
	case "truncate":
		s.sql, s.apply = "TRUNCATE TABLE "+t.name, func(s state) state {
			for k := range s {
				s[k] = nil
			}
			return s
		}
	case "truncate some":
		s.sql, s.apply = "TRUNCATE TABLE "+t.name+" PARTITION (d = '"+d+"')", func(s state) state {
			for k := range s {
				if strings.HasPrefix(k, "d="+d+"/") {
					s[k] = nil
				}
			}
			return s
		}
	case "drop":
		how := "DELETE FILES"
		if t.managed {
			how = "PURGE"
		}
		s.sql, s.apply = fmt.Sprintf("ALTER TABLE %s DROP IF EXISTS PARTITION (d = '%s') %s", t.name, d, how), without(d, same)
	case "repair":
		foreign := part{"z", k}
		s.prepare = func(tt *testing.T) { writeForeign(tt, t, foreign, k, n) }
		s.sql, s.apply, s.again, s.keeps = "MSCK REPAIR TABLE "+t.name+" ADD PARTITIONS", put([]part{foreign}, k, n), true, true
	}
	return s
}

// repairs is a repair that has nothing to do: what a dead process has made is not there, and what it has not finished is.
func (w *workload) repairs(t *table) *statement {
	return &statement{kind: "repair", table: t, sql: "MSCK REPAIR TABLE " + t.name + " SYNC PARTITIONS", apply: same}
}

// another is a table like t that does not exist yet.
func (w *workload) another(t *table) *table {
	made := *t
	made.name, made.now, made.made = fmt.Sprintf("%s_made%d", t.name, w.k), nil, true
	made.root = "" // where the files of a managed table go is known when there is one
	if !t.managed {
		made.root = fmt.Sprintf("%s_made%d", t.root, w.k)
		made.clauses = strings.Replace(t.clauses, "'"+t.root+"'", "'"+made.root+"'", 1)
	}
	return &made
}

// writeSource makes the file that COPY INTO loads.
func (w *workload) writeSource(t *testing.T, target *table, dir string, parts []part, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("v")
	if target.partitioned {
		b.WriteString(",d,p")
	}
	b.WriteByte('\n')
	for _, p := range parts {
		for _, v := range p.values(w.k, n) {
			b.WriteString(v)
			if target.partitioned {
				fmt.Fprintf(&b, ",%s,%d", p.d, p.p)
			}
			b.WriteByte('\n')
		}
	}
	if err := lake.Write(filepath.Join(dir, "f.csv"), b.String()); err != nil {
		t.Fatal(err)
	}
}

// writeForeign makes the directory of a partition that nobody registered, with a file that Tarn did not write.
func writeForeign(t *testing.T, target *table, p part, k, n int) {
	t.Helper()
	path := filepath.Join(target.root, p.spec(), "foreign."+target.format)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	rows := p.values(k, n)
	var err error
	switch target.format {
	case "parquet":
		for i, r := range rows {
			rows[i] = fmt.Sprintf("[%q]", r)
		}
		err = lake.WriteParquet(path, `{"columns": {"v": "string"}, "rows": [`+strings.Join(rows, ",")+`]}`)
	case "json":
		for i, r := range rows {
			rows[i] = fmt.Sprintf("{\"v\":%q}", r)
		}
		err = lake.Write(path, strings.Join(rows, "\n")+"\n")
	default:
		err = lake.Write(path, strings.Join(rows, "\n")+"\n")
	}
	if err != nil {
		t.Fatal(err)
	}
}
