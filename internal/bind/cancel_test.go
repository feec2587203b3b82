package bind_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// ending is a lake that ends the statement while a name is looked up.
type ending struct {
	bind.Relations
	cancel context.CancelFunc
}

func (e ending) Relation(ctx context.Context, name ident.Name, ns bind.Namespace) (*bind.Relation, error) {
	e.cancel()
	return e.Relations.Relation(ctx, name, ns)
}

func TestCancelEndsBinding(t *testing.T) {
	env := fixture(t)
	want := sqlerr.Condition("OPERATION_CANCELED")

	// Between one name and the next: the second is not there, and nobody asks for it.
	ctx, cancel := context.WithCancel(t.Context())
	stopped := env
	stopped.Relations = ending{env.Relations, cancel}
	if _, err := bind.Bind(ctx, parse(t, "SELECT a + 1 FROM u WHERE nothing > 3"), stopped); !errors.Is(err, want) {
		t.Errorf("a canceled look-up of a name: %v", err)
	}

	// Functions of constants that would take hours.
	long := fmt.Sprintf("levenshtein(repeat('%s', 4000000), repeat('%s', 4000000))", "ab", "ba")
	for _, sql := range []string{
		"SELECT " + long,
		"SELECT 1 FROM u WHERE " + long + " > 3",
		"SELECT (SELECT " + long + ")",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := bind.Bind(ctx, parse(t, sql), env); !errors.Is(err, want) {
			t.Errorf("%s: %v", sql, err)
		}
		timer.Stop()
		cancel()
	}

	// A list that is long enough for the cancel to come in its middle.
	ctx, cancel = context.WithCancel(t.Context())
	stopped.Relations = ending{env.Relations, cancel}
	if _, err := bind.Bind(ctx, parse(t, "SELECT "+strings.Repeat("1 + 1, ", 10000)+"1 FROM u"), stopped); !errors.Is(err, want) {
		t.Errorf("a long list: %v", err)
	}
}
