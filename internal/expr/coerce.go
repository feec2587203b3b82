package expr

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// CommonType is the least type that values of all the given types convert to implicitly under ANSI rules, as CASE,
// COALESCE, IN, UNION and VALUES need. ok is false when there is none. No types at all have the common type VOID.
func CommonType(ts ...types.Type) (common types.Type, ok bool) {
	// Text gives way to every other type, so it is met last: string, int, date must fail whatever the order.
	for pass := 0; pass < 2; pass++ {
		for _, t := range ts {
			if t.Kind.IsText() != (pass == 1) {
				continue
			}
			if common, ok = commonOf(common, t); !ok {
				return types.Type{}, false
			}
		}
	}
	return common, true
}

// CommonTypeIn is CommonType by the rules of a session; nil is one with ANSI rules. Without them text does not give way: it takes in
// numbers, dates, times and intervals, at any depth, though neither BOOLEAN nor BINARY (Spark's TypeCoercion.findWiderCommonType).
func CommonTypeIn(ctx *Context, ts ...types.Type) (common types.Type, ok bool) {
	if ctx == nil || ctx.ANSI {
		return CommonType(ts...)
	}
	for pass := 0; pass < 2; pass++ {
		for _, t := range ts {
			if holdsText(t) != (pass == 0) {
				continue
			}
			if common, ok = legacyCommonOf(common, t); !ok {
				return types.Type{}, false
			}
		}
	}
	return common, true
}

func legacyCommonOf(a, b types.Type) (types.Type, bool) {
	if b.Kind.IsText() {
		a, b = b, a
	}
	switch kb := b.Kind; {
	case a.Kind.IsText() && !kb.IsText() && kb != types.Void:
		taken := !kb.IsNested() && kb != types.Boolean && kb != types.Binary && kb != types.CalendarInterval && kb != types.Variant
		return types.Of(types.String), taken
	case a.Kind.IsNested() && kb.IsNested() && !types.Equal(a, b):
		return nestedOf(a, b, legacyCommonOf)
	}
	return commonOf(a, b)
}

// holdsText reports whether text is in a type, at any depth.
func holdsText(t types.Type) bool {
	switch t.Kind {
	case types.Array:
		return holdsText(*t.Elem)
	case types.Map:
		return holdsText(*t.Key) || holdsText(*t.Elem)
	case types.Struct:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsText(f.Type) })
	}
	return t.Kind.IsText()
}

func commonOf(a, b types.Type) (types.Type, bool) {
	ka, kb := a.Kind, b.Kind
	switch {
	case ka == types.Void:
		return plain(b), true
	case kb == types.Void:
		return plain(a), true
	case ka.IsText() && kb.IsText():
		return types.Of(types.String), true
	case ka.IsText():
		return withText(b)
	case kb.IsText():
		return withText(a)
	case types.Equal(a, b):
		return a, true
	case ka.IsNumeric() && kb.IsNumeric():
		return commonNumber(a, b), true
	case isTemporal(ka) && isTemporal(kb):
		if ka == types.Timestamp || kb == types.Timestamp {
			return types.Of(types.Timestamp), true
		}
		return types.Of(types.TimestampNTZ), true
	case ka == types.Time && kb == types.Time:
		return types.TimeOf(max(a.Precision, b.Precision)), true
	case ka == kb && (ka == types.YearMonthInterval || ka == types.DayTimeInterval):
		return types.Type{Kind: ka, Precision: min(a.Precision, b.Precision), Scale: max(a.Scale, b.Scale)}, true
	case ka.IsNested() && kb.IsNested():
		return nestedOf(a, b, commonOf)
	}
	return types.Type{}, false
}

// nestedOf is the type of two collections whose parts have the types that of gives; ok is false for collections of different
// kinds, and structs of different fields.
func nestedOf(a, b types.Type, of func(a, b types.Type) (types.Type, bool)) (common types.Type, ok bool) {
	switch {
	case a.Kind != b.Kind || len(a.Fields) != len(b.Fields):
		return types.Type{}, false
	case a.Kind == types.Array:
		e, ok := of(*a.Elem, *b.Elem)
		return types.ArrayOf(e), ok
	case a.Kind == types.Map:
		k, ok := of(*a.Key, *b.Key)
		v, ok2 := of(*a.Elem, *b.Elem)
		return types.MapOf(k, v), ok && ok2 && !types.MayNull(*a.Key, k) && !types.MayNull(*b.Key, k) // a key is never NULL
	}
	fields := make([]types.Field, len(a.Fields))
	for i, f := range a.Fields {
		t, ok := of(f.Type, b.Fields[i].Type)
		if !ok || !strings.EqualFold(f.Name, b.Fields[i].Name) {
			return types.Type{}, false
		}
		fields[i] = types.Field{Name: f.Name, Type: t}
	}
	return types.StructOf(fields...), true
}

// plain is the type of a computed value: CHAR and VARCHAR are STRING.
func plain(t types.Type) types.Type {
	if t.Kind.IsText() {
		return types.Of(types.String)
	}
	return t
}

// withText is the common type of text and t.
func withText(t types.Type) (types.Type, bool) {
	switch k := t.Kind; {
	case k.IsIntegral():
		return types.Of(types.BigInt), true
	case k.IsNumeric():
		return types.Of(types.Double), true
	case k.IsNested(), k == types.YearMonthInterval, k == types.DayTimeInterval, k == types.CalendarInterval, k == types.Variant:
		return types.Type{}, false
	}
	return t, true
}

func commonNumber(a, b types.Type) types.Type {
	ka, kb := a.Kind, b.Kind
	switch {
	case ka == kb && ka != types.Decimal:
		return a
	case ka.IsIntegral() && kb.IsIntegral():
		return types.Of(max(ka, kb))
	case ka == types.Decimal || kb == types.Decimal:
		if isFloating(ka) || isFloating(kb) {
			return types.Of(types.Double)
		}
		x, y := asDecimalType(a), asDecimalType(b)
		s := max(x.Scale, y.Scale)
		return boundedDecimal(max(x.Precision-x.Scale, y.Precision-y.Scale)+s, s)
	}
	return types.Of(types.Double) // an integer or a double with a float
}

func isFloating(k types.Kind) bool { return k == types.Float || k == types.Double }

// boundedDecimal keeps the whole digits when precision has to go.
func boundedDecimal(p, s int) types.Type {
	if p > types.MaxPrecision {
		return types.DecimalOf(types.MaxPrecision, max(0, s-(p-types.MaxPrecision)))
	}
	return types.DecimalOf(p, s)
}

// asDecimalType is the DECIMAL that holds every value of an integer type; a DECIMAL is itself.
func asDecimalType(t types.Type) types.Type {
	switch t.Kind {
	case types.TinyInt:
		return types.DecimalOf(3, 0)
	case types.SmallInt:
		return types.DecimalOf(5, 0)
	case types.Int:
		return types.DecimalOf(10, 0)
	case types.BigInt:
		return types.DecimalOf(20, 0)
	}
	return t
}

// literalDecimalType is asDecimalType, but an INT or BIGINT literal counts its own digits.
func literalDecimalType(e Expr) types.Type {
	t := e.Type()
	if l, ok := e.(*Literal); ok && l.Value != nil && (t.Kind == types.Int || t.Kind == types.BigInt) {
		n, _ := l.Value.(int64)
		return types.DecimalOf(types.DecOf(n).Digits(), 0)
	}
	return asDecimalType(t)
}

// implicit casts without asking; an argument of the type already stays.
func implicit(e Expr, to types.Type) Expr {
	from := e.Type()
	if types.Equal(from, to) || from.Kind.IsText() && to.Kind == types.String {
		return e
	}
	if l, ok := e.(*Literal); ok && l.Value == nil {
		return &Literal{T: to}
	}
	if isTime(from) && isTimestamp(to) {
		return timeOnToday(e, to)
	}
	return &Cast{Arg: e, T: to, Implicit: true}
}

// Coerce casts e to a type implicitly, where Spark's ANSI rules store or pass such a value without a CAST; otherwise
// the error is DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION.
func Coerce(e Expr, to types.Type) (Expr, error) {
	if !canCoerce(e.Type(), to) {
		return nil, types.ErrCannotCast(e.Type(), to, types.Try, Print(e))
	}
	return implicit(e, to), nil
}

func canCoerce(from, to types.Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == types.Void || types.Equal(from, to):
		return true
	case f.IsNested() || t.IsNested():
		if f != t {
			return false
		}
		switch f {
		case types.Array:
			return canCoerce(*from.Elem, *to.Elem)
		case types.Map:
			return canCoerce(*from.Key, *to.Key) && canCoerce(*from.Elem, *to.Elem)
		}
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !canCoerce(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	case f.IsText() || t.IsText():
		return types.CanCast(from, to, types.ANSI)
	case f.IsNumeric() && t.IsNumeric(), isTemporal(f) && isTemporal(t):
		return true
	}
	return f == t
}

// NewCast is an explicit CAST or TRY_CAST, or the error that the types have none.
func NewCast(e Expr, to types.Type, mode CastMode) (Expr, error) {
	if isTime(e.Type()) && isTimestamp(to) {
		return timeOnToday(e, to), nil
	}
	if !types.CanCast(e.Type(), to, mode) {
		return nil, types.ErrCannotCast(e.Type(), to, mode, Print(e))
	}
	return &Cast{Arg: e, T: withoutLengths(to), Mode: mode}, nil
}

// withoutLengths makes STRING of CHAR and VARCHAR, at any depth: a cast neither pads nor cuts.
func withoutLengths(t types.Type) types.Type {
	switch t.Kind {
	case types.Array:
		return types.ArrayOf(withoutLengths(*t.Elem))
	case types.Map:
		return types.MapOf(withoutLengths(*t.Key), withoutLengths(*t.Elem))
	case types.Struct:
		fields := append([]types.Field{}, t.Fields...)
		for i := range fields {
			fields[i].Type = withoutLengths(fields[i].Type)
		}
		return types.StructOf(fields...)
	}
	return plain(t)
}

// Unify casts all expressions to their common type under ANSI rules; ok is false when there is none.
func Unify(es ...Expr) (out []Expr, common types.Type, ok bool) { return UnifyIn(nil, es...) }

// UnifyIn is Unify by the rules of a session: see CommonTypeIn.
func UnifyIn(ctx *Context, es ...Expr) (out []Expr, common types.Type, ok bool) {
	ts := make([]types.Type, len(es))
	for i, e := range es {
		ts[i] = e.Type()
	}
	if common, ok = CommonTypeIn(ctx, ts...); !ok {
		return nil, common, false
	}
	out = make([]Expr, len(es))
	for i, e := range es {
		out[i] = implicit(e, common)
	}
	return out, common, true
}

// NewCase is CASE WHEN whens[i] THEN thens[i] … ELSE els END; els may be nil. The branches are cast to their common type by the
// rules of ctx.
func NewCase(ctx *Context, whens, thens []Expr, els Expr) (Expr, error) {
	conds := make([]Expr, len(whens))
	for i, w := range whens {
		if k := w.Type().Kind; k != types.Boolean && k != types.Void && !k.IsText() {
			return nil, sqlerr.UnexpectedInputType("CASE WHEN "+Print(w)+" THEN …", 2*i+1, `"BOOLEAN"`, Print(w), w.Type().SQL())
		}
		conds[i] = implicit(w, types.Of(types.Boolean))
	}
	all := append([]Expr{}, thens...)
	if els != nil {
		all = append(all, els)
	}
	out, common, ok := UnifyIn(ctx, all...)
	if !ok {
		return nil, sqlerr.DataDiffTypes("CASE … END", "casewhen", typeNames(all))
	}
	c := &Case{Whens: conds, Thens: out[:len(thens)], T: common}
	if els != nil {
		c.Else = out[len(out)-1]
	}
	return c, nil
}

// Cond is CASE WHEN when THEN then ELSE els END, of branches whose common type is that of ANSI rules.
func Cond(when, then, els Expr) (Expr, error) { return NewCase(nil, []Expr{when}, []Expr{then}, els) }

// NewIn is arg IN (list), cast to the common type of all by the rules of ctx.
func NewIn(ctx *Context, arg Expr, list []Expr) (Expr, error) {
	all := append([]Expr{arg}, list...)
	for i, e := range all {
		all[i] = charKey(e, all)
	}
	out, common, ok := UnifyIn(ctx, all...)
	if !ok {
		out, common, ok = alike(all)
	}
	if !ok {
		return nil, sqlerr.DataDiffTypes(Print(arg)+" IN (…)", "in", typeNames(all))
	}
	if !common.IsOrdered() {
		return nil, sqlerr.UnorderedType(Print(arg)+" IN (…)", "in", common.SQL())
	}
	return &In{Arg: out[0], List: out[1:]}, nil
}

// alike casts values to the type of the first where all types differ only in how fields of structs are called: these
// compare by position.
func alike(es []Expr) ([]Expr, types.Type, bool) {
	t := es[0].Type()
	out := make([]Expr, len(es))
	for i, e := range es {
		if !sameShape(t, e.Type()) {
			return nil, t, false
		}
		out[i] = implicit(e, t)
	}
	return out, t, true
}

// NewTuple is (a, b, …): a STRUCT with fields col1, col2, ….
func NewTuple(elems []Expr) *Tuple {
	fields := make([]types.Field, len(elems))
	for i, e := range elems {
		fields[i] = types.Field{Name: "col" + itoa(i+1), Type: e.Type()}
	}
	return &Tuple{Elems: elems, T: types.StructOf(fields...)}
}

func typeNames(es []Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = e.Type().SQL()
	}
	return out
}

// charKey makes a side of a comparison ignore trailing blanks where CHAR columns are compared with one another or with
// constants: these compare padded. With anything else a CHAR is the text that it is, blanks included.
func charKey(e Expr, sides []Expr) Expr {
	padded := false
	for _, s := range sides {
		_, column := s.(*Column)
		switch {
		case column && s.Type().Kind == types.Char:
			padded = true
		case column || !isConstant(s) || !s.Type().Kind.IsText() && s.Type().Kind != types.Void:
			return e
		}
	}
	if !padded || !e.Type().Kind.IsText() {
		return e
	}
	return &Call{Fn: registry["rtrim"][0], Args: []Expr{e}, T: types.Of(types.String)}
}
