package expr

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// same reports whether a value is stored as it is.
func (a *assignment) same() bool {
	switch {
	case a.limited():
		return false
	case len(a.kids) == 0:
		return types.Equal(a.from, a.to) || a.from.Kind.IsText() && a.to.Kind.IsText()
	}
	for i, k := range a.kids {
		if !k.same() || a.order != nil && (a.order[i] != i || DuckFieldName(a.from, i) != DuckFieldName(a.to, i)) {
			return false
		}
	}
	return true
}

// limited reports whether the length of text is checked: CHAR and VARCHAR have one. A column of the same type may hold
// what is longer when another program wrote its files.
func (a *assignment) limited() bool {
	return len(a.kids) == 0 && (a.to.Kind == types.Char || a.to.Kind == types.Varchar)
}

// isCast reports whether an ordinary cast does all there is to do.
func (a *assignment) isCast() bool {
	return len(a.kids) == 0 && !a.limited() && !a.mayOverflow() && !(a.mode == CastLegacy && legacyNull(a.from, a.to))
}

// mayOverflow reports whether a number may be out of the column's range, which is then reported as such.
func (a *assignment) mayOverflow() bool {
	return a.mode == CastANSI && a.from.Kind.IsNumeric() && (a.to.Kind.IsIntegral() || a.to.Kind == types.Decimal) && !canWiden(a.from, a.to)
}

// overflow is the error of a number that the column cannot hold.
func (a *assignment) overflow() *sqlerr.Error {
	if a.change {
		return sqlerr.DeltaCastOverflow(a.from.SQL(), a.to.SQL(), a.path)
	}
	return sqlerr.CastOverflowInInsert(a.from.SQL(), a.to.SQL(), a.path)
}

// sql is the engine's text for the assignment of arg.
func (a *assignment) sql(arg string) string {
	x := wrapArg([]string{arg}, 0)
	switch a.to.Kind {
	case types.Array:
		if len(a.kids) > 0 {
			v := lambdaVar(x)
			return "list_transform(" + x + ", lambda " + v + ": " + a.kids[0].sql(v) + ")"
		}
	case types.Map:
		if len(a.kids) > 0 {
			v := lambdaVar(x)
			return "CASE WHEN " + x + " IS NOT NULL THEN MAP(list_transform(map_keys(" + x + "), lambda " + v + ": " + a.kids[0].sql(v) +
				"), list_transform(map_values(" + x + "), lambda " + v + ": " + a.kids[1].sql(v) + ")) END"
		}
	case types.Struct:
		if a.order != nil {
			parts := make([]string, len(a.kids))
			for i, k := range a.kids {
				field := "struct_extract(" + x + ", " + DuckString(DuckFieldName(a.from, a.order[i])) + ")"
				parts[i] = DuckIdent(DuckFieldName(a.to, i)) + ": " + k.sql(field)
			}
			return "CASE WHEN " + x + " IS NOT NULL THEN {" + strings.Join(parts, ", ") + "} END"
		}
	}
	s := a.leafSQL(x)
	switch a.to.Kind {
	case types.Char:
		return "sp_char(" + s + "," + strconv.Itoa(a.to.Precision) + ")"
	case types.Varchar:
		return "sp_varchar(" + s + "," + strconv.Itoa(a.to.Precision) + ")"
	}
	return s
}

func (a *assignment) leafSQL(x string) string {
	to := plain(a.to)
	switch {
	case a.mode == CastLegacy && legacyNull(a.from, to):
		return "CAST(NULL AS " + DuckType(to) + ")"
	case !a.mayOverflow():
		return CastSQL(x, a.from, to, a.mode)
	}
	skip := x + " IS NULL"
	if to.Kind == types.Decimal && isFloating(a.from.Kind) {
		skip += " OR NOT isfinite(" + x + ")" // no decimal, and no error either
	}
	bad := raise(string(a.overflow().Condition), DuckString(a.from.SQL()), DuckString(a.to.SQL()), DuckString(a.path))
	return "CASE WHEN " + skip + " THEN NULL ELSE coalesce(" + CastSQL(x, a.from, to, CastTry) + "," + bad + ") END"
}

// value computes the assignment in Go.
func (a *assignment) value(ctx *Context, v types.Value) (types.Value, error) {
	if v == nil {
		return nil, nil
	}
	switch {
	case a.order != nil:
		fields, _ := v.([]types.Value)
		out := make([]types.Value, len(a.kids))
		for i, k := range a.kids {
			var err error
			if out[i], err = k.value(ctx, fields[a.order[i]]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case len(a.kids) == 1:
		elems, _ := v.([]types.Value)
		out := make([]types.Value, len(elems))
		for i, e := range elems {
			var err error
			if out[i], err = a.kids[0].value(ctx, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case len(a.kids) == 2:
		entries, _ := v.([]types.MapEntry)
		out := make([]types.MapEntry, len(entries))
		for i, e := range entries {
			var err error
			if out[i].Key, err = a.kids[0].value(ctx, e.Key); err != nil {
				return nil, err
			}
			if out[i].Value, err = a.kids[1].value(ctx, e.Value); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return a.leafValue(ctx, v)
}

func (a *assignment) leafValue(ctx *Context, v types.Value) (types.Value, error) {
	if a.mode == CastLegacy && legacyNull(a.from, a.to) {
		return nil, nil
	}
	if a.from.Kind.IsText() && a.to.Kind.IsText() {
		return a.fit(v)
	}
	r, err := types.Cast(v, a.from, plain(a.to), types.CastOptions{Zone: ctx.Zone, Mode: a.mode})
	if err != nil {
		overflow := errors.Is(err, sqlerr.Condition("CAST_OVERFLOW")) || errors.Is(err, sqlerr.Condition("NUMERIC_VALUE_OUT_OF_RANGE"))
		if overflow && a.mayOverflow() {
			return nil, a.overflow()
		}
		return nil, err
	}
	return a.fit(r)
}

// fit gives text the length that CHAR asks for, and checks that of CHAR and VARCHAR.
func (a *assignment) fit(v types.Value) (types.Value, error) {
	s, ok := v.(string)
	if !ok || !a.limited() {
		return v, nil
	}
	limit := a.to.Precision
	switch n := utf8.RuneCountInString(s); {
	case n > limit:
		runes := []rune(s)
		if strings.Trim(string(runes[limit:]), " ") != "" {
			return nil, sqlerr.CharLengthExceeded(limit)
		}
		return string(runes[:limit]), nil
	case a.to.Kind == types.Char:
		return s + strings.Repeat(" ", limit-n), nil
	}
	return s, nil
}
