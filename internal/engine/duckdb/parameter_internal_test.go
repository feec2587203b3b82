package duckdb

import (
	"testing"

	"github.com/tarnlake/tarn/internal/types"
)

func TestUsedParameters(t *testing.T) {
	var all []parameter
	for _, v := range []string{"a", "b", "c"} {
		all = append(all, parameter{typ: types.Of(types.String), values: []types.Value{v}})
	}
	for _, c := range []struct{ text, want, kept string }{
		{"SELECT $1, $2, $3", "SELECT $1, $2, $3", "abc"},
		{"SELECT $3, $1, $2", "SELECT $3, $1, $2", "abc"},
		{"SELECT $3, '$1 it''s $2', \"$2\" FROM f($3)", "SELECT $1, '$1 it''s $2', \"$2\" FROM f($1)", "c"},
		{"SELECT $2, $1", "SELECT $1, $2", "ba"},
		{"SELECT 1", "SELECT 1", ""},
	} {
		text, kept := used(c.text, all)
		names := ""
		for _, p := range kept {
			names += p.values[0].(string)
		}
		if text != c.want || names != c.kept {
			t.Errorf("%s: %s with %s", c.text, text, names)
		}
	}
}
