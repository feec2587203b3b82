package expr

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// StorePolicy is spark.sql.storeAssignmentPolicy: which values a write may put into a column of another type.
type StorePolicy uint8

// The policies.
const (
	// StoreANSI takes what the SQL standard's assignment takes: numbers for numbers, dates and times for one another,
	// anything atomic for text. A number out of range fails the write.
	StoreANSI StorePolicy = iota
	// StoreStrict takes only types whose every value the column can hold.
	StoreStrict
	// StoreLegacy takes what CAST takes with spark.sql.ansi.enabled=false, and writes NULL for, or wraps around, what
	// does not fit.
	StoreLegacy
	// StoreCast takes whatever CAST takes under ANSI, as writes to Delta tables do unless the setting is another. No text names
	// it: it stands for StoreANSI there.
	StoreCast
)

// ParseStorePolicy reads the setting's value, without regard to case; anything else is StoreANSI, the default.
func ParseStorePolicy(text string) StorePolicy {
	switch strings.ToUpper(text) {
	case "STRICT":
		return StoreStrict
	case "LEGACY":
		return StoreLegacy
	}
	return StoreANSI
}

// StoreOptions is what an assignment to a column depends on besides the types.
type StoreOptions struct {
	// Table is the quoted name of the table, for messages.
	Table  string
	Policy StorePolicy
	// ByName pairs the fields of structs by name instead of by position, and CaseSensitive tells how names compare.
	ByName, CaseSensitive bool
	// Change tells that the value replaces one of a Delta table, or comes from a MERGE: a number that the column cannot hold is
	// DELTA_CAST_OVERFLOW_IN_TABLE_WRITE then.
	Change bool
}

// Store makes the value that a write puts into a column of type to from an expression: cast as the policy says, fields
// of structs in the column's order, CHAR padded with blanks, and blanks beyond the length of CHAR and VARCHAR cut off.
// column is the column's name.
//
// Types that do not fit are INCOMPATIBLE_DATA_FOR_TABLE.… (DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION and its like with
// StoreLegacy and StoreCast). Values that do not fit fail when they are computed, as CAST_OVERFLOW_IN_TABLE_INSERT or
// EXCEED_LIMIT_LENGTH.
func Store(e Expr, to types.Type, column string, o StoreOptions) (Expr, error) {
	from := e.Type()
	a, err := assign(from, to, ident.Quote(column), o)
	if err != nil {
		return nil, err
	}
	switch {
	case a.same():
		return e, nil
	case from.Kind == types.Void:
		if _, ok := e.(*Literal); ok {
			return &Literal{T: to}, nil
		}
		// It may be raise_error and never become a value.
		return &Cast{Arg: e, T: withoutLengths(to), Mode: CastANSI, Implicit: true}, nil
	case a.isCast():
		return &Cast{Arg: e, T: withoutLengths(to), Mode: a.mode, Implicit: true}, nil
	}
	fn := &Overload{
		Name: "store", Kind: Scalar,
		DuckFunc: func(args []string, _ []types.Type, _ types.Type) string { return a.sql(args[0]) },
		Eval: func(ctx *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return a.value(ctx, args[0])
		},
		Params: []Class{AnyValue, AnyValue}, Returns: to,
	}
	what := &Literal{Value: ident.Quote(column) + " " + to.SQL(), T: types.Of(types.String)}
	return &Call{Fn: fn, Args: []Expr{e, what}, T: to}, nil
}

// assignment is how a value of one type becomes that of another, level by level.
type assignment struct {
	from, to types.Type
	path     string // of the column, or of the place inside it: `s`.`a`, `arr`.`element`
	mode     CastMode
	change   bool // see StoreOptions
	// kids are the elements of an ARRAY, the keys and values of a MAP, or the fields of a STRUCT, which come from the
	// fields of the source that order lists.
	kids  []*assignment
	order []int
}

// assign plans an assignment, or says why the types do not fit.
func assign(from, to types.Type, path string, o StoreOptions) (*assignment, error) {
	a := &assignment{from: from, to: to, path: path, change: o.Change}
	if o.Policy == StoreLegacy {
		a.mode = CastLegacy
	}
	kid := func(from, to types.Type, name string) error {
		k, err := assign(from, to, path+"."+ident.Quote(name), o)
		a.kids = append(a.kids, k)
		return err
	}
	switch {
	case from.Kind == types.Array && to.Kind == types.Array:
		return a, kid(*from.Elem, *to.Elem, "element")
	case from.Kind == types.Map && to.Kind == types.Map:
		if err := kid(*from.Key, *to.Key, "key"); err != nil {
			return nil, err
		}
		return a, kid(*from.Elem, *to.Elem, "value")
	case from.Kind == types.Struct && to.Kind == types.Struct:
		var err error
		if a.order, err = pairFields(from, to, path, o); err != nil {
			return nil, err
		}
		for i, f := range to.Fields {
			if err := kid(from.Fields[a.order[i]].Type, f.Type, f.Name); err != nil {
				return nil, err
			}
		}
		return a, nil
	}
	if o.Policy == StoreLegacy {
		if !types.CanCast(from, to, types.Legacy) && !legacyNull(from, to) {
			return nil, types.ErrCannotCast(from, to, types.Legacy, path)
		}
		return a, nil
	}
	if o.Policy == StoreCast {
		if !types.Equal(from, to) && !types.CanCast(from, to, types.ANSI) {
			return nil, types.ErrCannotCast(from, to, types.ANSI, path)
		}
		return a, nil
	}
	if !types.Equal(from, to) && !canStore(from, to, o.Policy) {
		return nil, sqlerr.CannotSafelyCast(o.Table, path, from.SQL(), to.SQL())
	}
	return a, nil
}

// pairFields tells for each field of the target which field of the source it takes.
func pairFields(from, to types.Type, path string, o StoreOptions) ([]int, error) {
	order := make([]int, len(to.Fields))
	if !o.ByName {
		for i := range order {
			order[i] = i
		}
		switch n, m := len(from.Fields), len(to.Fields); {
		case n < m && o.Policy == StoreCast:
			return nil, sqlerr.DeltaInsertStructArity(o.Table, path, m, n)
		case n > m && o.Policy == StoreCast:
			return nil, sqlerr.DeltaExtraColumns(o.Table, fieldNames(from.Fields[m:]))
		case n > m:
			return nil, sqlerr.ExtraStructFields(o.Table, path, fieldNames(from.Fields[m:]))
		case n < m:
			return nil, sqlerr.MissingStructFields(o.Table, path, fieldNames(to.Fields[n:]))
		}
		return order, nil
	}
	taken := make([]bool, len(from.Fields))
	for i, f := range to.Fields {
		order[i] = -1
		for j, g := range from.Fields {
			if g.Name != f.Name && (o.CaseSensitive || !ident.Equal(g.Name, f.Name)) {
				continue
			}
			if order[i] >= 0 {
				return nil, sqlerr.AmbiguousDataColumn(o.Table, path+"."+ident.Quote(f.Name))
			}
			order[i], taken[j] = j, true
		}
		if order[i] < 0 && o.Policy == StoreCast && o.Change {
			return nil, sqlerr.DeltaStructMismatch(path, from.SQL(), to.SQL())
		}
		if order[i] < 0 {
			return nil, sqlerr.CannotFindData(o.Table, path+"."+ident.Quote(f.Name))
		}
	}
	var extra []types.Field
	for j, t := range taken {
		if !t {
			extra = append(extra, from.Fields[j])
		}
	}
	switch {
	case len(extra) > 0 && o.Policy == StoreCast && !o.Change:
		return nil, sqlerr.DeltaExtraColumns(o.Table, fieldNames(extra))
	case len(extra) > 0 && o.Policy == StoreCast:
		return nil, sqlerr.DeltaStructMismatch(path, from.SQL(), to.SQL())
	case len(extra) > 0:
		return nil, sqlerr.ExtraStructFields(o.Table, path, fieldNames(extra))
	}
	return order, nil
}

func fieldNames(fields []types.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = ident.Quote(f.Name)
	}
	return out
}

// legacyNull are the casts that StoreLegacy allows and that give NULL for every value.
func legacyNull(from, to types.Type) bool {
	return from.Kind == types.Date && (to.Kind.IsNumeric() || to.Kind == types.Boolean)
}

// canStore tells whether StoreANSI or StoreStrict lets one atomic type into another.
func canStore(from, to types.Type, policy StorePolicy) bool {
	if policy == StoreStrict {
		return canWiden(from, to)
	}
	f, t := from.Kind, to.Kind
	switch {
	case f == types.Void, f.IsNumeric() && t.IsNumeric(), isTemporal(f) && isTemporal(t):
		return true
	case t.IsText():
		return !f.IsNested() && f != types.Variant && f != types.CalendarInterval
	}
	return f == t && !f.IsNested()
}

// CanWiden tells whether a value of one type may stand for one of another without a CAST that could fail: Spark's up-casts, part by part
// in arrays, maps and structs.
func CanWiden(from, to types.Type) bool {
	switch {
	case from.Kind == types.Void || types.Equal(from, to):
		return true
	case from.Kind != to.Kind || !from.Kind.IsNested():
		return canWiden(from, to)
	case from.Kind == types.Array:
		return CanWiden(*from.Elem, *to.Elem)
	case from.Kind == types.Map:
		return CanWiden(*from.Key, *to.Key) && CanWiden(*from.Elem, *to.Elem)
	}
	return slices.EqualFunc(from.Fields, to.Fields, func(a, b types.Field) bool { return a.Name == b.Name && CanWiden(a.Type, b.Type) })
}

// canWiden tells whether every value of an atomic type has its equal in another, as Spark's up-casts have it: they
// also hold that seconds and timestamps are each other's, and that a float is near enough to any integer.
func canWiden(from, to types.Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == types.Void:
		return false
	case t.IsText():
		return !f.IsNested() && f != types.Variant && f != types.CalendarInterval
	case f == types.Decimal && t == types.Decimal:
		return from.Scale <= to.Scale && from.Precision-from.Scale <= to.Precision-to.Scale
	case f == types.Decimal && t.IsIntegral():
		return from.Scale == 0 && from.Precision < asDecimalType(to).Precision
	case f.IsIntegral() && t == types.Decimal:
		return to.Precision-to.Scale >= asDecimalType(from).Precision
	case f.IsNumeric() && t.IsNumeric():
		return f != types.Decimal && t != types.Decimal && f <= t
	case isTemporal(f) && t == types.Timestamp, isTemporal(f) && t == types.TimestampNTZ:
		return true
	case f == types.BigInt && t == types.Timestamp, f == types.Timestamp && t == types.BigInt:
		return true
	}
	return f == t && !f.IsNested()
}
