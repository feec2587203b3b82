package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/bind"
)

// boundRows are the rows that a write writes: the data columns of the target, then its dynamic partition columns.
type boundRows struct {
	*bind.Insert
	rels *relations
}

// rowSource binds the rows that a write writes. Each call binds them anew, over what the relations hold then, for a statement
// that starts over.
type rowSource func(ctx context.Context) (*boundRows, error)

// begun binds a first time. What that found is what the source yields first: a statement runs what it was planned by.
func begun(ctx context.Context, source rowSource) (rowSource, error) {
	first, err := source(ctx)
	if err != nil {
		return nil, err
	}
	return first.then(source), nil
}

// then is a source that yields these rows first, and those of another source afterwards.
func (b *boundRows) then(source rowSource) rowSource {
	return func(ctx context.Context) (*boundRows, error) {
		if first := b; first != nil {
			b = nil
			return first, nil
		}
		return source(ctx)
	}
}
