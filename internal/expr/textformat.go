package expr

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TextFormat reads and writes single values as text of a file format: from_json, from_csv, to_csv and the like are made
// of it, so that functions and files have one dialect, one set of options and one way of treating what is malformed.
// The formats' adapters implement it. Options are Spark's, names in any case.
type TextFormat interface {
	// Decoder prepares to read texts as values of type t. The error is that of a type or an option.
	Decoder(t types.Type, options map[string]string, zone *time.Location) (Decoder, error)
	// Encoder prepares to write values of type t.
	Encoder(t types.Type, options map[string]string, zone *time.Location) (Encoder, error)
	// Infer is the type that a text has.
	Infer(text string, options map[string]string, zone *time.Location) (types.Type, error)
}

// Decoder reads a text; nil is NULL. It serves one goroutine.
type Decoder func(text string) (types.Value, error)

// Encoder writes a value that is not NULL; nil is NULL. It serves one goroutine.
type Encoder func(v types.Value) (types.Value, error)

// TextFormats are the formats that functions know.
type TextFormats struct{ JSON, CSV TextFormat }

func (f TextFormats) named(name string) TextFormat {
	if name == "csv" {
		return f.CSV
	}
	return f.JSON
}

// formatsOf are the formats of a session; without one there are none.
func formatsOf(ctx *Context) TextFormats {
	if ctx == nil {
		return TextFormats{}
	}
	return ctx.Formats
}

const errNoFormat = evalError("a function needs a text format that was not given")

// textFormatFunctions are the functions made of text formats. In DuckDB, from_… give JSON of exactly the schema's shape,
// which a cast then takes apart, and to_… take a value of any type with the name of its type.
func textFormatFunctions() []Overload {
	text := types.Of(types.String)
	var rows []Overload
	for _, format := range []string{"json", "csv"} {
		decode := func(ctx *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
			f := formatsOf(ctx).named(format)
			if f == nil {
				return nil, sqlerr.Internal(errNoFormat)
			}
			d, err := f.Decoder(t, readOptions(a[2]), zoneOf(ctx))
			if err != nil {
				return nil, err
			}
			return d(textOf(a[0]))
		}
		encode := func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			f := formatsOf(ctx).named(format)
			if f == nil {
				return nil, sqlerr.Internal(errNoFormat)
			}
			e, err := f.Encoder(ts[0], readOptions(a[1]), zoneOf(ctx))
			if err != nil {
				return nil, err
			}
			return e(a[0])
		}
		rows = append(rows,
			Overload{
				Name: "from_" + format, Params: []Class{PlainText, Text, AnyValue}, Optional: 1, Prepare: decodeArgs(format), Result: schemaType, Eval: decode,
				DuckFunc: func(args []string, _ []types.Type, t types.Type) string {
					return "CAST(CAST(tarn_from_" + format + "(" + args[0] + "," + DuckString(t.SQL()) + "," + args[2] + ",current_setting('TimeZone')) AS JSON) AS " + DuckType(t) + ")"
				},
			},
			Overload{
				Name: "to_" + format, Params: two(AnyValue), Optional: 1, Prepare: encodeArgs(format), Returns: text, Eval: encode,
				DuckFunc: func(args []string, ts []types.Type, _ types.Type) string {
					if options, ok := literalOf(args[1]); ok && format == "json" && options == "{}" && jsonInSQL(ts[0]) {
						return jsonSQL(wrapArg(args, 0), ts[0])
					}
					return "tarn_to_" + format + "(" + args[0] + "," + DuckString(withoutLengths(ts[0]).SQL()) + "," + args[1] + ",current_setting('TimeZone'))"
				},
			},
			Overload{
				Name: "schema_of_" + format, Params: []Class{PlainText, AnyValue}, Optional: 1, Prepare: schemaOfArgs(format),
				Rewrite: func(args []Expr) (Expr, error) { return args[0], nil },
			})
	}
	return rows
}

// decodeArgs are the text, the schema as the DDL of a type, and the options.
func decodeArgs(format string) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		to, _, ok := PlainText.fit(call.args[0].Type(), false)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, PlainText.String(), Print(call.args[0]), call.args[0].Type().SQL())
		}
		schema := call.args[1]
		text, null, ok := "", false, schema.Type().Kind.IsText()
		if ok {
			text, null, ok = constantText(schema)
		}
		if !ok || null {
			return nil, sqlerr.SchemaNotText(Print(schema))
		}
		t, err := ParseSchema(text)
		if err != nil {
			return nil, err
		}
		switch {
		case format == "json" && otherKeys(t):
			return nil, sqlerr.InvalidJSONMapKey(call.sql(), t.SQL())
		case format == "csv" && t.Kind != types.Struct:
			return nil, sqlerr.SchemaNotStruct(text, t.SQL())
		case !t.Kind.IsNested():
			return nil, sqlerr.InvalidJSONSchema(call.sql(), t.SQL())
		}
		options, err := optionsArg(call, 2)
		if err != nil {
			return nil, err
		}
		// Types and options that the format does not have are refused here, and not by the first row.
		if f := formatsOf(call.opts.Context).named(format); f != nil {
			if _, err := f.Decoder(t, options, zoneOf(call.opts.Context)); err != nil {
				return nil, err
			}
		}
		return []Expr{implicit(call.args[0], to), textLiteral(t.SQL()), textLiteral(writeOptions(options))}, nil
	}
}

// otherKeys reports a MAP, at any depth, whose keys are not text.
func otherKeys(t types.Type) bool {
	return t.Holds(func(p types.Type) bool { return p.Kind == types.Map && !p.Key.Kind.IsText() })
}

// encodeArgs are the value and the options.
func encodeArgs(format string) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		x := call.args[0]
		t := x.Type()
		switch {
		case t.Kind == types.Void:
			x = &Literal{T: types.StructOf()}
		case format == "csv" && t.Kind != types.Struct:
			return nil, sqlerr.UnsupportedInputType(call.sql(), t.SQL())
		case !t.Kind.IsNested():
			return nil, sqlerr.InvalidJSONSchema(call.sql(), t.SQL())
		}
		options, err := optionsArg(call, 1)
		if err != nil {
			return nil, err
		}
		if f := formatsOf(call.opts.Context).named(format); f != nil {
			if _, err := f.Encoder(x.Type(), options, zoneOf(call.opts.Context)); err != nil {
				return nil, err
			}
		}
		return []Expr{x, textLiteral(writeOptions(options))}, nil
	}
}

// schemaOfArgs makes the answer of schema_of_…, whose text is a constant.
func schemaOfArgs(format string) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		x := call.args[0]
		if k := x.Type().Kind; !k.IsText() && k != types.Void {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Text.String(), Print(x), x.Type().SQL())
		}
		text, null, ok := constantText(x)
		switch {
		case !ok:
			return nil, sqlerr.NonFoldableInput(call.sql(), format, "STRING", Print(x))
		case null:
			return nil, sqlerr.UnexpectedNull(call.sql(), format)
		}
		options, err := optionsArg(call, 1)
		if err != nil {
			return nil, err
		}
		f := formatsOf(call.opts.Context).named(format)
		if f == nil {
			return nil, sqlerr.Internal(errNoFormat)
		}
		t, err := f.Infer(text, options, zoneOf(call.opts.Context))
		if err != nil {
			return nil, err
		}
		return []Expr{textLiteral(t.SQL())}, nil
	}
}

// optionsArg folds the options, a call of map() with constant texts. Without them there are none.
func optionsArg(call *callSite, i int) (map[string]string, error) {
	out := map[string]string{}
	if i >= len(call.args) {
		return out, nil
	}
	m := call.args[i]
	t := m.Type()
	if t.Kind != types.Map {
		return nil, sqlerr.OptionsNotMap()
	}
	if !t.Key.Kind.IsText() || !t.Elem.Kind.IsText() {
		return nil, sqlerr.OptionsNotText(t.SQL())
	}
	l, ok := Fold(m, &Context{ANSI: true}).(*Literal)
	if !ok || l.Value == nil {
		return nil, sqlerr.OptionsNotMap()
	}
	for _, e := range entriesOf(l.Value) {
		if e.Value != nil {
			out[textOf(e.Key)] = textOf(e.Value)
		}
	}
	return out, nil
}

// writeOptions are options as one text, in the order of their names.
func writeOptions(options map[string]string) string {
	b, err := json.Marshal(options)
	if err != nil {
		return "{}"
	}
	return string(b)
}

func readOptions(v types.Value) map[string]string {
	out := map[string]string{}
	if json.Unmarshal([]byte(textOf(v)), &out) != nil {
		return nil
	}
	return out
}

// prepared keeps what was made of constant arguments (a type, options and a zone) for any number of goroutines: each
// takes one, uses it, and gives it back.
type prepared[V any] struct {
	pools *cache[*sync.Pool]
	make  func(t types.Type, options map[string]string, zone *time.Location) (V, error)
}

func newPrepared[V any](f func(t types.Type, options map[string]string, zone *time.Location) (V, error)) *prepared[V] {
	return &prepared[V]{make: f, pools: newCache(func(string) (*sync.Pool, error) { return &sync.Pool{}, nil })}
}

func (p *prepared[V]) with(ddl, options, zone string, use func(V) (types.Value, error)) (types.Value, error) {
	pool, err := p.pools.get(ddl + "\x00" + options + "\x00" + zone)
	if err != nil {
		return nil, err
	}
	v, ok := pool.Get().(V)
	if !ok {
		t, err := ParseSchema(ddl)
		if err != nil {
			return nil, err
		}
		z, known := types.ParseZone(zone)
		if !known {
			return nil, sqlerr.InvalidTimezone(zone)
		}
		if v, err = p.make(t, readOptions(options), z); err != nil {
			return nil, err
		}
	}
	out, err := use(v)
	pool.Put(v)
	return out, err
}

// decoding is a Decoder with the type that it gives.
type decoding struct {
	decode Decoder
	t      types.Type
}

// textFormatGoFunctions are what the templates above call: the text or value, the DDL of the type, the options and the
// zone.
func textFormatGoFunctions(formats TextFormats) []GoFunction {
	text := types.Of(types.String)
	var list []GoFunction
	for _, name := range []string{"json", "csv"} {
		f := formats.named(name)
		if f == nil {
			continue
		}
		decoders := newPrepared(func(t types.Type, options map[string]string, zone *time.Location) (decoding, error) {
			d, err := f.Decoder(t, options, zone)
			return decoding{d, t}, err
		})
		encoders := newPrepared(f.Encoder)
		list = append(list,
			GoFunction{"tarn_from_" + name, []types.Type{text, text, text, text}, text, func(a []types.Value) (types.Value, error) {
				return decoders.with(textOf(a[1]), textOf(a[2]), textOf(a[3]), func(d decoding) (types.Value, error) {
					v, err := d.decode(textOf(a[0]))
					if v == nil || err != nil {
						return nil, err
					}
					return shapedJSON(v, d.t), nil
				})
			}},
			GoFunction{"tarn_to_" + name, []types.Type{{}, text, text, text}, text, func(a []types.Value) (types.Value, error) {
				return encoders.with(textOf(a[1]), textOf(a[2]), textOf(a[3]), func(e Encoder) (types.Value, error) { return e(a[0]) })
			}})
	}
	return list
}
