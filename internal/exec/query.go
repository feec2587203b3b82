package exec

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// query binds a query, looks up the files of its scans, and starts the engine.
func (r *run) query(ctx context.Context, q *ast.Query) (*Result, error) {
	start := func() (engine.Rows, error) {
		node, rels, err := r.bindQuery(ctx, q)
		if err != nil {
			return nil, err
		}
		inputs, err := r.steadyInputs(ctx, node, rels)
		if err != nil {
			return nil, err
		}
		r.warnDrift(ctx, rels)
		return r.x.Engine.Query(ctx, r.engineQuery(node, inputs, "running"))
	}
	rows := &restarting{start: start}
	if err := rows.begin(); err != nil {
		return nil, err
	}
	return &Result{Columns: shown(rows.Columns()), rows: rows}, nil
}

// maxLooks is how often the files of a statement are looked up while writers keep committing.
const maxLooks = 20

// steadyInputs finds the files of every scan, all as of one version of each table: when a write to one of them moved on while
// directories were being listed, it looks again.
func (r *run) steadyInputs(ctx context.Context, node plan.Node, rels *relations) (map[*plan.Scan]engine.Input, error) {
	for look := 0; ; look++ {
		inputs, err := r.inputs(ctx, node, rels, nil)
		if err != nil && !vanished(err) {
			return nil, err
		}
		steady, lookErr := rels.refresh(ctx)
		if lookErr != nil {
			return nil, lookErr
		}
		if steady || look == maxLooks {
			return inputs, err
		}
	}
}

// shown are the columns of an answer: CHAR and VARCHAR are types of tables, and STRING in what a query yields.
func shown(cols []plan.Column) []plan.Column {
	out := make([]plan.Column, len(cols))
	for i, c := range cols {
		if c.Type.Kind.IsText() {
			c.Type = types.Of(types.String)
		}
		out[i] = c
	}
	return out
}

// bindEnv is what binding needs of the session.
func (r *run) bindEnv(rels *relations) bind.Env {
	metadata, _ := r.s.Conf.Get(conf.MetadataOnly)
	env := bind.Env{
		Context: r.context(), CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive), Namespace: bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema},
		NoMetadata: strings.EqualFold(metadata, "false"),
	}
	r.dialect(&env)
	if rels == nil {
		rels = &relations{run: r}
	}
	env.Relations, env.Routines = rels, rels
	return env
}

// dialect sets what the session's settings say about the meaning of queries.
func (r *run) dialect(env *bind.Env) {
	c := r.s.Conf
	env.NoGroupByOrdinal, env.NoOrderByOrdinal, env.NoGroupByAlias = !c.Bool(conf.GroupByOrdinal), !c.Bool(conf.OrderByOrdinal), !c.Bool(conf.GroupByAliases)
	env.HavingAsWhere, env.SetOpsInOrder = c.Bool(conf.HavingAsWhere), c.Bool(conf.SetOpsPrecedence)
	env.RegexColumns = c.Bool(conf.RegexColumns)
	env.CountWithoutArgs, env.CountTableStar = c.Bool(conf.CountWithoutArgs), c.Bool(conf.CountTableStar)
	env.CTEPrecedence = strings.ToUpper(c.Text(conf.CTEPrecedence))
	env.RecursionLevels, env.RecursionRows = c.Int(conf.RecursionLevels), c.Int(conf.RecursionRows)
}

// bindQuery turns a query into a plan and returns what its names turned out to mean.
func (r *run) bindQuery(ctx context.Context, q *ast.Query) (plan.Node, *relations, error) {
	rels := newRelations(r)
	node, err := bind.Bind(ctx, q, r.bindEnv(rels))
	if err != nil {
		return nil, nil, err
	}
	return node, rels, nil
}

// scanSettings are what reading files needs of the session.
func (r *run) scanSettings() scan.Settings {
	c := r.s.Conf
	return scan.Settings{
		Context: r.context(), CaseSensitive: c.Bool(conf.CaseSensitive), Warn: r.s.Warn,
		InferTypes: c.Bool(conf.TypeInference), Validate: c.Bool(conf.ValidatePartitionColumns),
		IgnoreInvalid: c.Bool(conf.IgnoreInvalidPartitions), IgnoreMissing: c.Bool(conf.IgnoreMissingFiles),
	}
}

// inputs finds the files of every scan in a plan, and the rows of every PartitionAggregate. told, when not nil, is
// told what each of them came to, for EXPLAIN.
func (r *run) inputs(ctx context.Context, node plan.Node, rels *relations, told func(n plan.Node, note string)) (map[*plan.Scan]engine.Input, error) {
	inputs := map[*plan.Scan]engine.Input{}
	r.progress("looking up files")
	fast := r.s.Conf.IsSet(conf.MetadataOnly) && r.s.Conf.Bool(conf.MetadataOnly)
	err := plan.Walk(node, func(n plan.Node) error {
		switch n := n.(type) {
		case *plan.Scan:
			src, err := rels.source(n.Relation)
			if err != nil {
				return err
			}
			in, found, err := r.x.Scans.Resolve(ctx, n, src, r.scanSettings())
			if err != nil {
				return err
			}
			inputs[n] = in
			if told != nil {
				told(n, found.String())
			}
		case *plan.PartitionAggregate:
			src, err := rels.source(n.Scan.Relation)
			if err != nil {
				return err
			}
			found, err := r.x.Scans.Summarize(ctx, n, src, fast, r.scanSettings())
			if err != nil {
				return err
			}
			if fast && !n.NeedRows {
				r.s.Warn("METADATA_ONLY", conf.MetadataOnly+" is true: the answer comes from the list of partitions, empty ones included.", nil)
			}
			if told != nil {
				told(n, found.String())
			}
		}
		return nil
	})
	return inputs, err
}

// constant evaluates an expression without columns, cast to a type.
func (r *run) constant(ctx context.Context, e ast.Expr, to types.Type) (types.Value, error) {
	bound, err := bind.BindExpr(ctx, e, nil, r.bindEnv(nil))
	if err != nil {
		return nil, err
	}
	if bound, err = expr.NewCast(bound, to, expr.CastANSI); err != nil {
		return nil, at(err, e)
	}
	if !expr.CanEval(bound) {
		return nil, sqlerr.Unsupported("STATEMENT", "an expression that is no constant here").At(e.Span())
	}
	v, err := expr.Eval(bound, r.context(), func(expr.ColumnID) types.Value { return nil })
	return v, at(err, e)
}

func (r *run) constantInt(ctx context.Context, e ast.Expr) (int, error) {
	v, err := r.constant(ctx, e, types.Of(types.Int))
	n, _ := v.(int64)
	return int(n), err
}
