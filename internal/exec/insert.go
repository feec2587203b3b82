package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// insertion is an INSERT (or CTAS, COPY INTO, …) whose meaning is known and of which nothing has been done.
type insertion struct {
	operation string
	target    write.Target
	scope     write.Scope
	source    rowSource
	// static are the values of the PARTITION clause by level; a level without one is dynamic.
	static  []types.Value
	isFixed []bool
	format  string
	options map[string]string
	data    []types.Field
	// using are the levels that REPLACE USING compares, nil for none.
	using  []int
	create func(tx catalog.WriteTx) (*catalog.Table, error)
	// replaces tells that create replaces a table that is there.
	replaces bool
	loads    []catalog.Load
	// byPath tells of a write to a directory, of no table.
	byPath bool
	// silent writes answer without a row, as Spark's do.
	silent bool
}

// insert runs INSERT INTO and INSERT OVERWRITE in every form that names a table or a path.
func (r *run) insert(ctx context.Context, n *ast.Insert) (*Result, error) {
	if t, ok, err := r.deltaTargetOf(ctx, n.Table, insertOperation(n)); ok {
		if err != nil {
			return nil, err
		}
		return r.insertDelta(ctx, n, t)
	}
	in, done, err := r.planInsert(ctx, n)
	if err != nil {
		return nil, err
	}
	if done {
		nothing := write.Result{Nothing: true, Untouched: -1}
		if in.target.Registered {
			nothing.Untouched = int64(in.target.Set.Len())
		}
		return r.writeAnswer(nothing, in), nil
	}
	res, err := r.runInsertion(ctx, in)
	if n.ReplaceWhere != nil && errors.Is(err, sqlerr.Condition("REPLACE_WHERE_MISMATCH")) {
		err = at(err, n.ReplaceWhere)
	}
	return res, err
}

func insertOperation(n *ast.Insert) string {
	switch {
	case n.ReplaceWhere != nil:
		return "INSERT INTO ... REPLACE WHERE"
	case n.ReplaceUsing != nil:
		return "INSERT INTO ... REPLACE USING"
	case n.Overwrite:
		return "INSERT OVERWRITE"
	}
	return "INSERT INTO"
}

// planInsert resolves an INSERT. done means that IF NOT EXISTS found the partition.
func (r *run) planInsert(ctx context.Context, n *ast.Insert) (in *insertion, done bool, err error) {
	if err := noEvolution(n); err != nil {
		return nil, false, err
	}
	rel, err := r.readTable(ctx, n.Table, insertOperation(n))
	if err != nil {
		if byPath, pathErr := r.insertByPath(ctx, n); byPath != nil || pathErr != nil {
			return byPath, false, pathErr
		}
		return nil, false, err
	}
	if len(n.PartitionedBy) > 0 {
		return nil, false, sqlerr.Unsupported("TABLE_CLAUSE", "PARTITIONED BY in an INSERT into a table, whose partition columns are known").At(n.PartitionedBy[0].Span())
	}
	if err := writable(rel.place); err != nil {
		return nil, false, at(err, n.Table)
	}
	target, err := r.writeTarget(ctx, rel)
	if err != nil {
		return nil, false, at(err, n.Table)
	}
	in = &insertion{
		silent: silent(rel.place), operation: insertOperation(n), target: target, format: rel.table.Format, data: rel.table.DataColumns(),
		options: r.writerOptions(rel.table.Format, rel.table.Options, properties(n.Options)),
	}
	into := insertTarget(rel)
	// Names that do not resolve and types that do not fit are told first.
	in.source, err = begun(ctx, func(ctx context.Context) (*boundRows, error) {
		rels := newRelations(r)
		bound, err := bind.BindInsert(ctx, n, into, r.storeAssignment(), r.bindEnv(rels))
		return &boundRows{bound, rels}, err
	})
	if err != nil {
		return nil, false, err
	}
	if err := r.insertScope(ctx, n, rel, in); err != nil {
		return nil, false, err
	}
	if n.IfNotExists {
		in.scope.IfNotExists = true
		done, err = r.partitionExists(ctx, in)
	}
	return in, done, err
}

// insertTarget is a table as the binder of writes sees it.
func insertTarget(rel relation) bind.InsertTarget {
	return bind.InsertTarget{Name: rel.quoted(), Columns: rel.table.Columns, Keys: rel.table.Keys()}
}

// storeAssignment is the session's rule for values that take a column's type.
func (r *run) storeAssignment() expr.StorePolicy {
	return expr.ParseStorePolicy(r.s.Conf.Text(conf.StoreAssignment))
}

// deltaAssignment is that rule for Delta tables, which take what CAST takes unless the session says otherwise.
func (r *run) deltaAssignment() expr.StorePolicy {
	if p := r.storeAssignment(); p != expr.StoreANSI {
		return p
	}
	return expr.StoreCast
}

// insertScope resolves the PARTITION clause and what is replaced.
func (r *run) insertScope(ctx context.Context, n *ast.Insert, rel relation, in *insertion) error {
	cols := in.target.Columns
	in.static, in.isFixed = make([]types.Value, len(cols)), make([]bool, len(cols))
	if n.Spec != nil {
		fixed := &ast.PartitionSpec{At: n.Spec.At}
		for _, item := range n.Spec.Items {
			if item.Op != "" {
				fixed.Items = append(fixed.Items, item)
			}
		}
		if len(fixed.Items) > 0 {
			s, err := r.spec(ctx, rel, fixed, true)
			if err != nil {
				return err
			}
			for _, m := range s.Matchers {
				in.static[m.Col], in.isFixed[m.Col] = m.Value, true
				in.scope.Matchers = append(in.scope.Matchers, partition.Matcher{Col: m.Col, Op: partition.Eq, Value: m.Value})
			}
		}
	}
	whole := len(cols) > 0
	for _, f := range in.isFixed {
		whole = whole && f
	}
	if whole {
		in.scope.One = partition.Values(in.static)
	}
	dynamic, err := r.dynamic(n.Options)
	if err != nil {
		return err
	}
	switch {
	case n.ReplaceWhere != nil:
		return r.replaceWhere(ctx, n, rel, in)
	case n.ReplaceUsing != nil:
		return r.replaceUsing(n, rel, in)
	case !n.Overwrite:
		in.scope.Kind = write.Append
	case dynamic && len(cols) > 0 && !whole:
		in.scope.Kind = write.ReplaceWritten
	default:
		in.scope.Kind = write.ReplaceMatching
	}
	return nil
}

// partitionExists reports whether the partition that the statement names is there.
func (r *run) partitionExists(ctx context.Context, in *insertion) (bool, error) {
	if in.target.Registered {
		_, ok := in.target.Set.Find(in.scope.One)
		return ok, nil
	}
	// The directory may spell the values in another way than Tarn would (k=07), so it is looked for by value.
	cols := in.target.Columns
	found, err := scan.Discover(ctx, r.x.Stores, in.target.Root, cols, scan.DiscoverOptions{
		CaseSensitive: in.target.CaseSensitive,
		Prune: func(level int, v types.Value) bool {
			return partition.Segment(cols[level], v) == partition.Segment(cols[level], in.scope.One[level])
		},
	})
	if err != nil {
		return false, err
	}
	return found.Len() > 0, nil
}

// runInsertion stages the rows and commits them.
func (r *run) runInsertion(ctx context.Context, in *insertion) (*Result, error) {
	res, err := r.stageAndCommit(ctx, in)
	if err != nil {
		return nil, err
	}
	return r.writeAnswer(res, in), nil
}

func (r *run) stageAndCommit(ctx context.Context, in *insertion) (res write.Result, err error) {
	rows, err := in.source(ctx)
	if err != nil {
		return res, err
	}
	if in.scope.One != nil {
		if err := write.CheckNames(in.target.Columns, in.scope.One); err != nil {
			return res, err
		}
	}
	job, err := r.x.Writes.Begin(ctx, in.target, in.scope, r.commit(in.operation))
	if err != nil {
		return res, err
	}
	defer job.Abort(ctx)
	dir, err := job.Stage(ctx)
	if err != nil {
		return res, err
	}
	var written *engine.Written
	for restarts := (restarts{}); ; {
		written, err = r.stageRows(ctx, in, rows, dir, job)
		if !restarts.again(err) {
			break
		}
		if err = job.Restage(ctx); err != nil {
			break
		}
		if rows, err = in.source(ctx); err != nil {
			break
		}
	}
	if err != nil {
		return res, err
	}
	files := make([]write.File, len(written.Files))
	for i, f := range written.Files {
		name, err := filepath.Rel(dir, f.Path)
		if err != nil {
			return res, err
		}
		files[i] = write.File{Name: filepath.ToSlash(name), Suffix: in.suffix(), Values: in.values(f.Partition), Rows: f.Rows, Bytes: f.Bytes}
	}
	if in.using != nil && in.scope.Kind == write.ReplaceMatching {
		job.Select(in.sameUsing(files))
	}
	if in.create != nil {
		job.Creates(in.create)
	}
	if len(in.loads) > 0 {
		job.Loads(in.loads)
	}
	r.progress("committing")
	return r.commitJob(ctx, job, files)
}

// codecSuffixes are what codecs add to the names of files, as Hadoop and Parquet call them: text files are decompressed by it.
var codecSuffixes = map[string]string{
	"gzip": ".gz", "zstd": ".zst", "snappy": ".snappy", "lz4": ".lz4raw", "lz4_raw": ".lz4raw", "brotli": ".br",
}

// suffix is how the final names of files end: a text file's codec comes last, a Parquet file's before the format.
func (in *insertion) suffix() string {
	codec := ""
	if v, ok := optionIn(in.options, compressionOption); ok {
		codec = strings.ToLower(v)
	} else if v, ok := optionIn(in.options, "codec"); ok && in.format != "parquet" {
		codec = strings.ToLower(v)
	}
	if in.format != "parquet" {
		return "." + in.format + codecSuffixes[codec]
	}
	if codec == "zstd" {
		return ".zstd.parquet"
	}
	return codecSuffixes[codec] + ".parquet"
}

// commitJob commits staged files, and tells about tidying that is left: the write has happened all the same.
func (r *run) commitJob(ctx context.Context, job *write.Job, files []write.File) (write.Result, error) {
	res, err := job.Commit(ctx, files)
	if err == nil && res.Left != nil {
		r.s.Warn("WRITE_TIDYING_LEFT", "The write is committed. Putting the old files aside is not done yet, and will be done at the next start or by tarn recover: "+res.Left.Error(), map[string]string{"transaction": res.Txn})
	}
	return res, err
}

// values completes the dynamic values of a file with those of the PARTITION clause.
func (in *insertion) values(dynamic []types.Value) partition.Values {
	out := make(partition.Values, len(in.target.Columns))
	next := 0
	for i := range out {
		if in.isFixed[i] {
			out[i] = in.static[i]
			continue
		}
		out[i] = dynamic[next]
		next++
	}
	return partition.CanonicalValues(in.target.Columns, out)
}

// stageRows lets the engine write the rows.
func (r *run) stageRows(ctx context.Context, in *insertion, rows *boundRows, dir string, job *write.Job) (*engine.Written, error) {
	inputs, err := r.steadyInputs(ctx, rows.Root, rows.rels)
	if err != nil {
		return nil, err
	}
	r.warnDrift(ctx, rows.rels)
	out := rows.Root.Output()
	w := engine.Write{
		Query: r.engineQuery(rows.Root, inputs, "writing"), Format: in.format, Options: in.options, Dir: dir, Ordered: rows.Ordered,
		MaxFileBytes: r.s.Conf.Bytes(conf.TargetFileSize), RowGroupBytes: r.s.Conf.Bytes(conf.RowGroupSize),
		NewPartition: func(values []types.Value) error { return job.Check(in.values(values)) },
	}
	for _, f := range in.data {
		w.Names = append(w.Names, f.Name)
	}
	for i := len(in.data); i < len(out); i++ {
		w.Partition = append(w.Partition, i)
	}
	return r.x.Engine.Write(ctx, w)
}

// engineQuery is a plan with what the engine needs to know of the session. doing says in a word what it is for.
func (r *run) engineQuery(root plan.Node, inputs map[*plan.Scan]engine.Input, doing string) engine.Query {
	c := r.context()
	return engine.Query{
		Root: root, Inputs: inputs, Zone: c.Zone, ANSI: c.ANSI, Now: c.Now, User: c.User, Catalog: c.Catalog, Schema: c.Schema, MemoryLimit: r.x.Memory,
		Started: func(percent func() float64) { r.working(doing, percent) },
	}
}

// silent reports whether writes to a table answer without a row: scripts that were made for Hive's tables expect none.
func silent(p place) bool { return p.catalog.Rules == catalog.HiveRules }

// writeAnswer is the row that a write answers with.
func (r *run) writeAnswer(res write.Result, in *insertion) *Result {
	untouched := res.Untouched
	if in.target.NewRoot {
		untouched = 0
	}
	return r.writtenRow(res, reach(res, in), untouched, in.silent)
}

// writtenRow tells what a write came to; told is its reach in words, untouched counts partitions, below 0 when nobody counted. A
// silent write has no row and warns when partitions went that its rows do not name.
func (r *run) writtenRow(res write.Result, told string, untouched int64, silent bool) *Result {
	if silent {
		if res.Removed > 0 {
			r.s.Warn("WRITE_REACH", told, map[string]string{
				"rows": strconv.FormatInt(res.Rows, 10), "files": strconv.FormatInt(res.Files, 10), "bytes": strconv.FormatInt(res.Bytes, 10),
				"partitionsAdded": strconv.FormatInt(res.Added, 10), "partitionsReplaced": strconv.FormatInt(res.Replaced, 10),
				"partitionsRemoved": strconv.FormatInt(res.Removed, 10),
			})
		}
		return none()
	}
	cols := []plan.Column{
		longColumn("rows"), longColumn("files"), longColumn("bytes"), longColumn("partitions_added"), longColumn("partitions_replaced"),
		longColumn("partitions_removed"), longColumn("partitions_untouched"), stringColumns("reach")[0],
	}
	var left types.Value
	if untouched >= 0 {
		left = untouched
	}
	return table(cols, [][]types.Value{{res.Rows, res.Files, res.Bytes, res.Added, res.Replaced, res.Removed, left, told}})
}

func longColumn(name string) plan.Column {
	return plan.Column{Name: name, Type: types.Of(types.BigInt)}
}

// reach says in words how far a write went.
func reach(res write.Result, in *insertion) string {
	if res.Nothing {
		return "nothing to do"
	}
	partitioned := len(in.target.Columns) > 0
	switch in.scope.Kind {
	case write.Append:
		if in.replaces {
			return "replaced the whole table"
		}
		return fmt.Sprintf("added %s", counted(res.Rows, "row"))
	case write.Empty, write.Remove:
		if !partitioned {
			return "emptied the table"
		}
		return fmt.Sprintf("emptied %s", counted(res.Replaced+res.Removed, "partition"))
	}
	switch {
	case !partitioned && in.byPath:
		return "replaced the whole directory"
	case !partitioned:
		return "replaced the whole table"
	}
	text := fmt.Sprintf("replaced %d", res.Replaced)
	if res.Untouched >= 0 {
		text += fmt.Sprintf(" of %d", res.Replaced+res.Removed+res.Untouched)
	}
	text += " partitions"
	if res.Removed > 0 {
		text += fmt.Sprintf(", removed %d", res.Removed)
	}
	if res.Added > 0 {
		text += fmt.Sprintf(", added %d", res.Added)
	}
	return text
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
