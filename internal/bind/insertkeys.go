package bind

import (
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// insertKeys are the keys of an INSERT's PARTITION clause: of each partition column whether the clause names it, and
// whether it gives it a value. Without a clause every partition column is the query's.
type insertKeys struct{ given, static []bool }

// insertKeys finds the partition columns that a PARTITION clause names.
func (b *binder) insertKeys(spec *ast.PartitionSpec, target InsertTarget) (insertKeys, error) {
	k := insertKeys{given: make([]bool, len(target.Keys)), static: make([]bool, len(target.Keys))}
	if spec == nil {
		return k, nil
	}
	columns := target.partition()
	for _, it := range spec.Items {
		c := b.fieldNamed(columns, it.Name.Name)
		if c < 0 && target.Delta {
			return k, sqlerr.NonPartitionColumn(ident.Quote(it.Name.Name), target.Name).At(it.Span())
		}
		if c < 0 {
			names := make([]string, len(columns))
			for i := range columns {
				names[i] = ident.Quote(columns[i].Name)
			}
			return k, sqlerr.NoPartitionColumn(ident.Quote(it.Name.Name), target.Name, names).At(it.Span())
		}
		if k.given[c] {
			return k, sqlerr.ColumnAlreadyExists(ident.Quote(columns[c].Name)).At(it.Span())
		}
		k.given[c], k.static[c] = true, it.Op != ""
	}
	return k, nil
}

// complete checks that a clause names all partition columns, and gives values to the upper ones: the directories of the
// rows lie below those of the values then.
func (k insertKeys) complete(spec *ast.PartitionSpec, target InsertTarget) error {
	if spec == nil {
		return nil
	}
	var all, keys []string
	dynamic := ""
	var order error
	for c, f := range target.partition() {
		name := ident.Quote(f.Name)
		all = append(all, name)
		if k.given[c] {
			keys = append(keys, name)
		}
		switch {
		case !k.static[c]:
			dynamic = name
		case dynamic != "" && order == nil:
			order = sqlerr.StaticAfterDynamic(name, dynamic, columnNames(target))
		}
	}
	if len(keys) < len(all) {
		return sqlerr.InsertPartitionsMissing(target.Name, keys, all).At(spec.Span())
	}
	return at(order, spec.Span())
}

func columnNames(target InsertTarget) []string {
	var out []string
	for _, f := range target.partition() {
		out = append(out, ident.Quote(f.Name))
	}
	return out
}
