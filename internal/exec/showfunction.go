package exec

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// showFunctions lists the built-in functions by their names, the temporary ones by theirs, and those of a schema by their full
// names.
func (r *run) showFunctions(ctx context.Context, n *ast.ShowFunctions) (*Result, error) {
	var names []string
	add := func(name, shown string) {
		if like(n.Like, name) {
			names = append(names, shown)
		}
	}
	if n.Scope != "USER" {
		for _, name := range expr.Functions() {
			add(name, name)
		}
	}
	if n.Scope != "SYSTEM" {
		for _, f := range r.s.Functions() {
			add(f.Name, ident.Fold(f.Name))
		}
		catalogName, schema, err := r.schemaOrCurrent(n.In)
		if err != nil {
			return nil, err
		}
		err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			p, err := findSchema(tx, catalogName, schema)
			if err != nil {
				return at(err, n.In)
			}
			fs, err := tx.Functions(p.schema.ID)
			for _, f := range fs {
				add(f.Name, strings.Join(p.name(ident.Fold(f.Name)), "."))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(names)
	var rows [][]types.Value
	for i, name := range names {
		if i == 0 || name != names[i-1] {
			rows = append(rows, []types.Value{name})
		}
	}
	return table(stringColumns("function"), rows), nil
}

func (r *run) describeFunction(ctx context.Context, n *ast.DescribeFunction) (*Result, error) {
	name := n.Name.Ident()
	cols := stringColumns("function_desc")
	var lines []string
	if doc, ok := expr.DocOf(builtinName(name)); ok {
		lines = []string{"Function: " + doc.Name, "Usage: " + doc.Usage}
		if n.Extended {
			lines = append(lines, "Extended Usage:\n"+doc.Extended())
		}
	} else {
		found, err := r.findFunction(ctx, name, bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema}, true)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, sqlerr.UnresolvedRoutine(name.String(), nil).At(n.Name.Span())
		}
		lines = found.describe(n.Extended)
	}
	var rows [][]types.Value
	for _, l := range lines {
		rows = append(rows, []types.Value{l})
	}
	return table(cols, rows), nil
}

// builtinName is the name of a built-in function, which may be qualified with system.builtin.
func builtinName(name ident.Name) string {
	if n := len(name); n > 1 && ident.Equal(name[n-2], "builtin") && (n == 2 || n == 3 && ident.Equal(name[0], "system")) {
		return ident.Fold(name.Last())
	} else if n > 1 {
		return ""
	}
	return ident.Fold(name[0])
}

// describe is what a SQL function looks like from outside; extended adds what is inside.
func (f *routine) describe(extended bool) []string {
	width := 10
	if extended {
		width = 15
	}
	line := func(label, text string) string { return label + strings.Repeat(" ", max(0, width-len(label))) + text }
	var out []string
	add := func(label, text string) { out = append(out, line(label, text)) }
	block := func(label string, fields []string) {
		for i, x := range fields {
			if i > 0 {
				label = ""
			}
			add(label, x)
		}
		if len(fields) == 0 {
			add(label, "()")
		}
	}
	add("Function:", strings.Join(f.fn.Name, "."))
	add("Type:", map[bool]string{true: "TABLE", false: "SCALAR"}[f.fn.Table])
	var input []string
	for _, p := range f.def.Params {
		text := ident.QuoteIfNeeded(p.Name().Name) + " " + p.Type.T.SQL()
		if p.Default != nil && extended {
			text += " DEFAULT " + p.DefaultText
		}
		if extended && p.Comment != nil {
			text += " '" + *p.Comment + "'"
		}
		input = append(input, text)
	}
	block("Input:", input)
	if f.fn.Table {
		var columns []string
		for _, c := range f.fn.Columns {
			columns = append(columns, ident.QuoteIfNeeded(c.Name)+" "+c.Type.SQL())
		}
		block("Returns:", columns)
	} else {
		add("Returns:", f.fn.Returns.SQL())
	}
	if !extended {
		return out
	}
	if f.def.Comment != nil {
		add("Comment:", *f.def.Comment)
	}
	if d := f.def.Deterministic; d != nil {
		add("Deterministic:", fmt.Sprint(*d))
	}
	if f.def.DataAccess != "" {
		add("Data Access:", f.def.DataAccess)
	}
	if f.stored != nil {
		add("Owner:", f.stored.Owner)
		add("Create Time:", f.stored.CreatedAt.UTC().Format("Mon Jan 02 15:04:05 UTC 2006"))
	}
	add("Configs:", conf.ANSI+"="+fmt.Sprint(f.fn.ANSI))
	add("Body:", f.def.BodyText)
	return out
}
