package parser

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// typeName reads a data type with its place.
func (p *parser) typeName() ast.TypeName {
	start := p.cur().Start
	t := p.dataType()
	return ast.TypeName{At: p.since(start), T: t}
}

// dataType reads a data type.
func (p *parser) dataType() types.Type {
	t := p.cur()
	if !isName(t) {
		p.syntax("Expected a data type.")
		return types.Type{}
	}
	if !p.enter() {
		return types.Type{}
	}
	defer p.leave()
	p.advance()
	word := p.upperText(t)
	if open := p.cur(); open.Kind == token.Less || open.Kind == token.NotEqual {
		switch word {
		case "ARRAY", "MAP", "STRUCT":
			return p.nestedType(word)
		}
	}
	if word == "INTERVAL" {
		return p.intervalType()
	}
	if word == "TIME" {
		return p.timeType(t)
	}
	kind, ok := simpleTypes[word]
	if !ok {
		return p.otherType(t, word)
	}
	if p.isKind(token.LParen) && p.peek(1).Kind == token.Integer {
		p.typeParams()
		p.fail(sqlerr.UnsupportedDatatype(quoteType(p.textSince(t))), p.spanSince(t))
	}
	if kind == types.String && p.is(token.COLLATE) {
		p.advance()
		if c := p.name(); p.err == nil && !strings.EqualFold(c.Parts[len(c.Parts)-1].Name, "UTF8_BINARY") {
			p.fail(sqlerr.Unsupported("COLLATION", "the collation "+c.String()), c.Span())
		}
	}
	return types.Of(kind)
}

// simpleTypes are the names of types without parameters.
var simpleTypes = map[string]types.Kind{
	"BOOLEAN": types.Boolean, "TINYINT": types.TinyInt, "BYTE": types.TinyInt, "SMALLINT": types.SmallInt,
	"SHORT": types.SmallInt, "INT": types.Int, "INTEGER": types.Int, "BIGINT": types.BigInt, "LONG": types.BigInt,
	"FLOAT": types.Float, "REAL": types.Float, "DOUBLE": types.Double, "DATE": types.Date,
	"TIMESTAMP": types.Timestamp, "TIMESTAMP_LTZ": types.Timestamp, "TIMESTAMP_NTZ": types.TimestampNTZ,
	"STRING": types.String, "BINARY": types.Binary, "VOID": types.Void, "VARIANT": types.Variant,
}

// otherType reads the types that take numbers, and reports those that do not exist.
func (p *parser) otherType(t token.Token, word string) types.Type {
	params := p.typeParams()
	switch word {
	case "DECIMAL", "DEC", "NUMERIC":
		switch len(params) {
		case 0:
			return types.DecimalOf(10, 0)
		case 1:
			return p.decimalType(t, params[0], 0)
		case 2:
			return p.decimalType(t, params[0], params[1])
		}
	case "CHAR", "CHARACTER", "VARCHAR":
		kind := types.Char
		if word == "VARCHAR" {
			kind = types.Varchar
		}
		if len(params) == 0 {
			p.fail(sqlerr.DatatypeMissingSize(quoteType(word)), tokenSpan(t))
			return types.Type{}
		}
		if len(params) == 1 && params[0] > 0 {
			return types.Type{Kind: kind, Precision: params[0]}
		}
	case "ARRAY", "MAP", "STRUCT":
		if len(params) == 0 {
			p.fail(sqlerr.IncompleteType(word, map[string]string{
				"ARRAY": "ARRAY<INT>", "MAP": "MAP<STRING, INT>", "STRUCT": "STRUCT<a: INT>",
			}[word]), tokenSpan(t))
			return types.Type{}
		}
	}
	if !isASCII(word) {
		p.fail(sqlerr.InvalidIdentifier(p.text(t)), tokenSpan(t))
		return types.Type{}
	}
	p.fail(sqlerr.UnsupportedDatatype(quoteType(p.textSince(t))), p.spanSince(t))
	return types.Type{}
}

// textSince is the source text from token t to the last one read.
func (p *parser) textSince(t token.Token) string {
	at := p.since(t.Start)
	return p.src[at.Start:at.Stop]
}

func (p *parser) spanSince(t token.Token) sqlerr.Span { return p.since(t.Start).Span() }

// quoteType shows a type as Spark's messages do.
func quoteType(text string) string { return `"` + strings.ToUpper(text) + `"` }

func (p *parser) decimalType(t token.Token, precision, scale int) types.Type {
	if precision > maxPrecision {
		p.fail(sqlerr.DecimalPrecision(strconv.Itoa(precision), strconv.Itoa(maxPrecision)), p.spanSince(t))
	}
	if scale > precision {
		p.fail(sqlerr.DecimalScale(strconv.Itoa(scale), strconv.Itoa(precision)), p.spanSince(t))
	}
	if precision < 1 {
		p.fail(sqlerr.UnsupportedDatatype(quoteType(p.textSince(t))), p.spanSince(t))
		return types.DecimalOf(10, 0)
	}
	return types.DecimalOf(precision, scale)
}

// timeType reads what follows TIME in a type: a precision, and WITHOUT TIME ZONE.
func (p *parser) timeType(t token.Token) types.Type {
	precision := types.MaxTimePrecision
	if p.isKind(token.LParen) {
		params := p.typeParams()
		if p.err != nil {
			return types.Type{}
		}
		if len(params) != 1 || params[0] > types.MaxTimePrecision {
			p.fail(sqlerr.UnsupportedTimePrecision(p.textSince(t)), p.spanSince(t))
			return types.Type{}
		}
		precision = params[0]
	}
	if p.wordsCome("WITHOUT", "TIME", "ZONE") {
		p.advance()
		p.advance()
		p.advance()
	}
	return types.TimeOf(precision)
}

// wordsCome reports whether the next tokens are these words, in any case.
func (p *parser) wordsCome(words ...string) bool {
	for i, w := range words {
		if t := p.peek(i); t.Kind != token.Word || !strings.EqualFold(p.text(t), w) {
			return false
		}
	}
	return true
}

// typeParams reads (n) or (n, m), if it comes next.
func (p *parser) typeParams() []int {
	if !p.isKind(token.LParen) {
		return nil
	}
	p.advance()
	var out []int
	for {
		t := p.cur()
		if t.Kind != token.Integer {
			p.syntax("Expected a number.")
			return out
		}
		p.advance()
		n, err := strconv.Atoi(p.text(t))
		if err != nil {
			n = 1 << 30
		}
		out = append(out, n)
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	return out
}

func (p *parser) nestedType(word string) types.Type {
	if p.acceptKind(token.NotEqual) { // STRUCT<>
		if word != "STRUCT" {
			p.i--
			p.syntax("Expected a data type.")
		}
		return types.StructOf()
	}
	p.advance()
	var out types.Type
	switch word {
	case "ARRAY":
		out = types.ArrayOf(p.dataType())
	case "MAP":
		key := p.dataType()
		p.expectKind(token.Comma, ",")
		out = types.MapOf(key, p.dataType())
	default:
		out = types.StructOf()
		if !p.isKind(token.Greater) {
			out.Fields = append(out.Fields, p.structField())
			for p.acceptKind(token.Comma) {
				out.Fields = append(out.Fields, p.structField())
			}
		}
	}
	p.expectKind(token.Greater, ">")
	return out
}

func (p *parser) structField() types.Field {
	f := types.Field{Name: p.ident().Name}
	p.acceptKind(token.Colon)
	f.Type = p.dataType()
	f.NotNull = p.acceptSeq(token.NOT, token.NULL)
	if p.accept(token.COMMENT) {
		f.Comment = p.stringValue()
		f.HasComment = true
	}
	return f
}

// intervalFields are the fields of interval types by name.
var intervalFields = map[string]int{
	"YEAR": types.FieldYear, "MONTH": types.FieldMonth, "DAY": types.FieldDay, "HOUR": types.FieldHour,
	"MINUTE": types.FieldMinute, "SECOND": types.FieldSecond,
}

// intervalType reads what follows INTERVAL in a type.
func (p *parser) intervalType() types.Type {
	start, ok := intervalFields[p.upperText(p.cur())]
	if !ok || !p.isKind(token.Word) {
		return types.Of(types.CalendarInterval)
	}
	p.advance()
	end := start
	if p.is(token.TO) {
		to, ok := intervalFields[p.upperText(p.peek(1))]
		if !ok || to <= start || (start <= types.FieldMonth) != (to <= types.FieldMonth) {
			p.syntax("An interval goes from a field to a smaller one, YEAR TO MONTH or within DAY TO SECOND.")
			return types.Type{}
		}
		end = to
		p.advance()
		p.advance()
	}
	kind := types.DayTimeInterval
	if start <= types.FieldMonth {
		kind = types.YearMonthInterval
	}
	return types.Type{Kind: kind, Precision: start, Scale: end}
}
