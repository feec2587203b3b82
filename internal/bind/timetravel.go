package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// timeTravel evaluates VERSION AS OF or TIMESTAMP AS OF.
func (b *binder) timeTravel(n *ast.AsOf) (TimeTravel, error) {
	if n.Timestamp == nil {
		return TimeTravel{Version: n.Version}, nil
	}
	text := autoName(n.Timestamp)
	bound, err := b.standalone(n.Timestamp, nil)
	if err != nil {
		return TimeTravel{}, err
	}
	if volatile(bound) {
		return TimeTravel{}, sqlerr.TimeTravelExpression("NON_DETERMINISTIC", text)
	}
	if !expr.CanEval(bound) {
		return TimeTravel{}, sqlerr.TimeTravelExpression("UNEVALUABLE", text)
	}
	// A text that is no time is NULL here, in ANSI mode too, and NULL is refused.
	cast, err := expr.NewCast(bound, types.Of(types.Timestamp), expr.CastTry)
	if err != nil {
		return TimeTravel{}, sqlerr.TimeTravelExpression("INPUT", text)
	}
	v, err := expr.Eval(cast, b.env.Context, nil)
	if err != nil {
		return TimeTravel{}, err
	}
	micros, ok := v.(int64)
	if !ok {
		return TimeTravel{}, sqlerr.TimeTravelExpression("INPUT", text)
	}
	return TimeTravel{Micros: &micros}, nil
}

// BindTimeTravel evaluates VERSION AS OF or TIMESTAMP AS OF outside a query.
func BindTimeTravel(ctx context.Context, n *ast.AsOf, env Env) (TimeTravel, error) {
	travel, err := newBinder(ctx, env).timeTravel(n)
	return travel, at(err, n.Span())
}
