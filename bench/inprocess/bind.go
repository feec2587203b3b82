package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/types"
)

// tables are relations that nothing stands behind: binding asks for their columns only.
type tables map[string]*bind.Relation

func (t tables) Relation(_ context.Context, name ident.Name, ns bind.Namespace) (*bind.Relation, error) {
	return t[ns.Schema+"."+ident.Fold(name[len(name)-1])], nil
}

func (tables) AsOf(context.Context, ident.Name, bind.Namespace, bind.TimeTravel) (*bind.Relation, error) {
	return nil, nil
}

func (tables) Near(context.Context, ident.Name, bind.Namespace) []ident.Name { return nil }

// bindTexts parses and binds the statements of a JSON file, {"tables": {"schema.name": [[column, type], …]}, "statements":
// {name: [schema, text]}}, and answers the quickest of some rounds for each.
func bindTexts(path string) (answer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Tables     map[string][][2]string
		Statements map[string][2]string
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return answer{}, err
	}
	known := tables{}
	for name, columns := range in.Tables {
		schema, table, _ := strings.Cut(name, ".")
		var fields []types.Field
		for _, c := range columns {
			typ, err := parser.ParseType(c[1])
			if err != nil {
				return answer{}, err
			}
			fields = append(fields, types.Field{Name: c[0], Type: typ})
		}
		known[name] = &bind.Relation{Name: ident.Name{"main", schema, table}, Scan: &plan.Relation{
			Table: &catalog.Table{Securable: catalog.Securable{Name: table}, Format: "parquet", Columns: fields}, Format: "parquet", Paths: []string{"file:/" + name}, Schema: fields,
		}}
	}
	a := answer{Count: len(in.Statements), Each: map[string]float64{}}
	for range 9 {
		for name, s := range in.Statements {
			start := time.Now()
			if err := bindText(s[1], s[0], known); err != nil {
				return answer{}, fmt.Errorf("%s: %w", name, err)
			}
			if took := time.Since(start).Seconds(); a.Each[name] == 0 || took < a.Each[name] {
				a.Each[name] = took
			}
		}
	}
	for _, s := range a.Each {
		a.Seconds += s
	}
	return a, nil
}

func bindText(text, schema string, known tables) error {
	s, err := parser.Parse(text)
	if err != nil {
		return err
	}
	q, ok := s.(*ast.Query)
	if !ok {
		return fmt.Errorf("a %T", s)
	}
	_, err = bind.Bind(context.Background(), q, bind.Env{
		Relations: known, Namespace: bind.Namespace{Catalog: "main", Schema: schema},
		Context: &expr.Context{ANSI: true, Zone: time.UTC, Now: time.Now(), User: "bench", Catalog: "main", Schema: schema},
	})
	return err
}
