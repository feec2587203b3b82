package bind

import (
	"errors"
	"unicode"

	"github.com/tarnlake/tarn/internal/expr/javaregex"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// several lists the columns that an element of a list stands for when it is a * or, under
// spark.sql.parser.quotedRegexColumnNames, a regular expression; ok is false for any other expression.
func (b *binder) several(e ast.Expr, es *exprScope) (items []starItem, ok bool, err error) {
	switch e := e.(type) {
	case *ast.Star:
		items, err = b.expandStar(e, es.scope)
		return items, true, err
	case *ast.ColumnRef:
		if b.isColumnRegex(e, es) {
			items, err = b.matchingColumns(e, es.scope)
			return items, true, err
		}
	}
	return nil, false, nil
}

// isColumnRegex reports whether a name of a select list is a regular expression, as Spark decides it: its last part is quoted
// and has a character that no plain name has. Names of other clauses, and names with more than one qualifier, never are.
func (b *binder) isColumnRegex(ref *ast.ColumnRef, es *exprScope) bool {
	if !b.env.RegexColumns || es.clause != projectClause || len(ref.Parts) > 2 {
		return false
	}
	last := ref.Parts[len(ref.Parts)-1]
	if !last.Quoted {
		return false
	}
	for _, r := range last.Name {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// matchingColumns are the columns in sight whose whole name a regular expression matches: none is no error.
func (b *binder) matchingColumns(ref *ast.ColumnRef, s *scope) ([]starItem, error) {
	pattern := ref.Parts[len(ref.Parts)-1].Name
	flags := ""
	if !b.env.CaseSensitive {
		flags = "(?i)"
	}
	// The pattern must be one by itself before it is put between parentheses.
	re, err := javaregex.Compile(flags + pattern)
	if err == nil {
		re, err = javaregex.Compile(flags + `\A(?:` + pattern + `)\z`)
	}
	if err != nil {
		var lacks *javaregex.UnsupportedError
		if errors.As(err, &lacks) {
			return nil, sqlerr.Unsupported("REGULAR_EXPRESSION", lacks.What+" in the regular expression '"+pattern+"'").At(ref.Span())
		}
		return nil, sqlerr.ColumnRegex(pattern).At(ref.Span())
	}
	cols := s.visible()
	if len(ref.Parts) == 2 {
		cols = nil
		for i := range s.columns {
			if c := s.columns[i]; b.qualifies(&c, []string{ref.Parts[0].Name}) {
				cols = append(cols, c)
			}
		}
	}
	var out []starItem
	for _, c := range cols {
		ok, err := re.Match(c.Name)
		if err != nil {
			return nil, sqlerr.Unsupported("REGULAR_EXPRESSION", "a regular expression that takes so many steps on a name").At(ref.Span())
		}
		if ok {
			out = append(out, starItem{name: c.Name, expr: columnRef(c.Column)})
		}
	}
	return out, nil
}
