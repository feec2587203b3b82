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
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// query binds a query, looks up the files of its scans, and starts the engine.
func (r *run) query(ctx context.Context, q *ast.Query) (*Result, error) {
	node, rels, err := r.bindQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	inputs, err := r.inputs(ctx, node, rels, nil)
	if err != nil {
		return nil, err
	}
	r.warnDrift(ctx, rels)
	c := r.context()
	rows, err := r.x.Engine.Query(ctx, engine.Query{
		Root: node, Inputs: inputs, Zone: c.Zone, ANSI: c.ANSI, Now: c.Now, User: c.User, Catalog: c.Catalog, Schema: c.Schema, MemoryLimit: r.x.Memory,
	})
	if err != nil {
		return nil, err
	}
	return &Result{Columns: shown(node.Output()), rows: rows}, nil
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
		NoMetadata: strings.EqualFold(metadata, "false"), Params: r.params(),
	}
	if rels != nil {
		env.Relations = rels
	} else {
		env.Relations = &relations{run: r}
	}
	return env
}

// params are the values of parameter markers: constants in the session, as SQL text.
func (r *run) params() map[string]expr.Expr {
	if len(r.s.Params) == 0 {
		return nil
	}
	out := map[string]expr.Expr{}
	for name, text := range r.s.Params {
		// A value that is no SQL constant is taken as text, so that --param name=paris needs no quotes.
		e, err := parser.ParseExpr(text)
		if err == nil {
			bound, berr := bind.BindExpr(context.Background(), e, nil, bind.Env{Context: r.context(), Relations: &relations{run: r}})
			if berr == nil {
				out[name] = bound
				continue
			}
		}
		out[name] = &expr.Literal{Value: text, T: types.Of(types.String)}
	}
	return out
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
