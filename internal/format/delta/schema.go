package delta

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Schema is a table's schema as the log holds it: the types, and each field's metadata byte for byte, since a schema that is
// written again must keep what its writer does not know.
type Schema struct{ Fields []Field }

// Field is one column, or one field of a struct.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Metadata Properties
}

// Type is a data type whose struct fields have metadata.
type Type struct {
	Kind             types.Kind // never CHAR or VARCHAR: those are STRING with a key in the field's metadata
	Precision, Scale int
	Key              *Type // of a map
	Elem             *Type // of an array, or a map's values
	ContainsNull     bool  // of an array's elements or a map's values
	Fields           []Field
}

// Metadata keys of fields that have a meaning here.
const (
	KeyComment        = "comment"
	KeyPhysicalName   = "delta.columnMapping.physicalName"
	KeyColumnID       = "delta.columnMapping.id"
	KeyNestedIDs      = "delta.columnMapping.nested.ids"
	KeyInvariants     = "delta.invariants"
	KeyGeneration     = "delta.generationExpression"
	KeyTypeChanges    = "delta.typeChanges"
	KeyCurrentDefault = "CURRENT_DEFAULT"
	KeyCharVarchar    = "__CHAR_VARCHAR_TYPE_STRING"
	KeyIdentityStart  = "delta.identity.start"
)

// ParseSchema reads a schemaString; the empty text is a schema without columns. The error is DELTA_PARSING_UNSUPPORTED_DATA_TYPE for a type that Tarn does not know,
// and a plain one for text that is no schema.
func ParseSchema(text string) (Schema, error) {
	if text == "" {
		// Old tables begin without a schema.
		return Schema{}, nil
	}
	p := &schemaParser{r: &jsonReader{text: text}}
	t := p.dataType()
	p.r.end()
	switch {
	case p.err != nil:
		return Schema{}, p.err
	case !p.r.ok():
		return Schema{}, malformed("the schema cannot be read: " + p.r.fault)
	case t.Kind != types.Struct:
		return Schema{}, malformed("the schema is no struct")
	}
	return Schema{Fields: t.Fields}, nil
}

type schemaParser struct {
	r   *jsonReader
	err error
}

func (p *schemaParser) unsupported(name string) {
	if p.err == nil && p.r.ok() {
		p.err = sqlerr.DeltaUnsupportedType(name)
	}
}

func (p *schemaParser) dataType() Type {
	if p.r.peek() == '"' {
		return p.primitive(p.r.str())
	}
	// The members come in any order, and the kind decides which ones count.
	var kind string
	var fields []Field
	var elem, key, value *Type
	containsNull := true
	if p.r.peek() != '{' {
		p.r.fail("a type is wanted")
	}
	p.r.object(func(name string) {
		switch name {
		case "type":
			kind = p.r.strOr()
		case "fields":
			fields = []Field{}
			p.r.array(func() { fields = append(fields, p.field()) })
		case "elementType":
			t := p.dataType()
			elem = &t
		case "keyType":
			t := p.dataType()
			key = &t
		case "valueType", "sqlType":
			if p.r.null() {
				return
			}
			t := p.dataType()
			value = &t
		case "containsNull", "valueContainsNull":
			containsNull = p.r.truth()
		default:
			p.r.skip()
		}
	})
	switch {
	case kind == "struct" && fields != nil:
		return Type{Kind: types.Struct, Fields: fields}
	case kind == "array" && elem != nil:
		return Type{Kind: types.Array, Elem: elem, ContainsNull: containsNull}
	case kind == "map" && key != nil && value != nil:
		return Type{Kind: types.Map, Key: key, Elem: value, ContainsNull: containsNull}
	case kind == "udt" && value != nil:
		return *value
	}
	p.unsupported(kind)
	return Type{}
}

func (p *schemaParser) field() Field {
	f := Field{Nullable: true, Metadata: "{}"}
	typed := false
	p.r.object(func(name string) {
		switch name {
		case "name":
			f.Name = p.r.str()
		case "type":
			f.Type = p.dataType()
			typed = true
		case "nullable":
			f.Nullable = p.r.truth()
		case "metadata":
			if p.r.null() {
				return
			}
			if p.r.peek() != '{' {
				p.r.fail("an object is wanted")
			}
			f.Metadata = Properties(p.r.raw())
		default:
			p.r.skip()
		}
	})
	if !typed {
		p.r.fail("a field has no type")
	}
	return f
}

// primitives are the names of types in a schema that have no parameters.
var primitives = map[string]types.Kind{
	"string": types.String, "long": types.BigInt, "integer": types.Int, "short": types.SmallInt, "byte": types.TinyInt,
	"float": types.Float, "double": types.Double, "boolean": types.Boolean, "binary": types.Binary, "date": types.Date,
	"timestamp": types.Timestamp, "timestamp_ntz": types.TimestampNTZ, "variant": types.Variant, "void": types.Void, "null": types.Void,
}

func (p *schemaParser) primitive(name string) Type {
	if k, ok := primitives[name]; ok {
		return Type{Kind: k}
	}
	base, args, hasArgs := strings.Cut(name, "(")
	base = strings.TrimSpace(base)
	if base == "decimal" && !hasArgs {
		return Type{Kind: types.Decimal, Precision: 10}
	}
	args, closed := strings.CutSuffix(strings.TrimSpace(args), ")")
	if !hasArgs || !closed {
		p.unsupported(name)
		return Type{}
	}
	switch base {
	case "decimal":
		a, b, _ := strings.Cut(args, ",")
		precision, err1 := strconv.Atoi(strings.TrimSpace(a))
		scale, err2 := strconv.Atoi(strings.TrimSpace(b))
		if err1 == nil && err2 == nil && precision > 0 && precision <= types.MaxPrecision && scale >= 0 && scale <= precision {
			return Type{Kind: types.Decimal, Precision: precision, Scale: scale}
		}
	case "char", "varchar":
		if n, err := strconv.Atoi(strings.TrimSpace(args)); err == nil && n > 0 {
			return Type{Kind: types.String}
		}
	}
	p.unsupported(name)
	return Type{}
}

// JSON is the schemaString, with the members in Spark's order.
func (s Schema) JSON() string {
	w := &jsonWriter{}
	Type{Kind: types.Struct, Fields: s.Fields}.write(w)
	return string(w.buf)
}

func (t Type) write(w *jsonWriter) {
	switch t.Kind {
	case types.Struct:
		w.open('{')
		w.member("type", "struct")
		w.key("fields")
		w.open('[')
		for _, f := range t.Fields {
			w.open('{')
			w.member("name", f.Name)
			w.key("type")
			f.Type.write(w)
			w.truth("nullable", f.Nullable)
			w.key("metadata")
			w.raw(string(f.Metadata.orEmpty()))
			w.close('}')
		}
		w.close(']')
		w.close('}')
	case types.Array:
		w.open('{')
		w.member("type", "array")
		w.key("elementType")
		t.Elem.write(w)
		w.truth("containsNull", t.ContainsNull)
		w.close('}')
	case types.Map:
		w.open('{')
		w.member("type", "map")
		w.key("keyType")
		t.Key.write(w)
		w.key("valueType")
		t.Elem.write(w)
		w.truth("valueContainsNull", t.ContainsNull)
		w.close('}')
	default:
		w.str(t.Name())
	}
}

// Name is the name of a type without parts as a schema writes it, and the word for one with parts.
func (t Type) Name() string {
	switch t.Kind {
	case types.Decimal:
		return "decimal(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case types.BigInt:
		return "long"
	case types.Int:
		return "integer"
	case types.SmallInt:
		return "short"
	case types.TinyInt:
		return "byte"
	case types.Char, types.Varchar:
		return "string"
	case types.Struct:
		return "struct"
	case types.Array:
		return "array"
	case types.Map:
		return "map"
	}
	return types.Of(t.Kind).String()
}

// unknownTypes are the columns, with their types, that a schema in a log cannot have: nobody could read the table any more.
func (s Schema) unknownTypes() []string {
	var out []string
	var unknown func(t *Type) bool
	unknown = func(t *Type) bool {
		if t == nil {
			return false
		}
		switch t.Kind {
		case types.Struct:
			return slices.ContainsFunc(t.Fields, func(f Field) bool { return unknown(&f.Type) })
		case types.Array, types.Map:
			return unknown(t.Key) || unknown(t.Elem)
		case types.Decimal, types.Char, types.Varchar:
			return false
		}
		for _, k := range primitives {
			if k == t.Kind {
				return false
			}
		}
		return true
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; unknown(&f.Type) {
			out = append(out, f.Name+": "+f.column().Type.SQL())
		}
	}
	return out
}

// Find is the index of a column by name, ignoring case; -1 when there is none.
func (s Schema) Find(name string) int { return findField(s.Fields, name) }

func findField(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	for i := range fields {
		if strings.EqualFold(fields[i].Name, name) {
			return i
		}
	}
	return -1
}

// Columns are the schema's columns as the engine knows them.
func (s Schema) Columns() []types.Field {
	out := make([]types.Field, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = f.column()
	}
	return out
}

func (f Field) column() types.Field {
	t := f.Type.engine()
	if text, ok := f.Metadata.Text(KeyCharVarchar); ok {
		if full, rest, ok := overlayChars(t, text); ok && rest == "" {
			t = full
		}
	}
	out := types.Field{Name: f.Name, Type: t, NotNull: !f.Nullable}
	out.Comment, out.HasComment = f.Metadata.Text(KeyComment)
	out.Default, _ = f.Metadata.Text(KeyCurrentDefault)
	out.Generated, _ = f.Metadata.Text(KeyGeneration)
	return out
}

func (t Type) engine() types.Type {
	switch t.Kind {
	case types.Struct:
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.column()
		}
		return types.StructOf(fields...)
	case types.Array:
		out := types.ArrayOf(t.Elem.engine())
		out.NotNull = !t.ContainsNull
		return out
	case types.Map:
		out := types.MapOf(t.Key.engine(), t.Elem.engine())
		out.NotNull = !t.ContainsNull
		return out
	}
	return types.Type{Kind: t.Kind, Precision: t.Precision, Scale: t.Scale}
}

// overlayChars puts CHAR and VARCHAR where a type's text, Spark's simple string, has them and t has STRING. rest is what follows.
func overlayChars(t types.Type, text string) (out types.Type, rest string, ok bool) {
	cut := func(prefix string) bool {
		after, found := strings.CutPrefix(text, prefix)
		if found {
			text = after
		}
		return found
	}
	switch t.Kind {
	case types.String:
		for _, k := range []types.Kind{types.Varchar, types.Char} {
			if cut(kindWord(k) + "(") {
				digits, after, found := strings.Cut(text, ")")
				n, err := strconv.Atoi(digits)
				return types.Type{Kind: k, Precision: n}, after, found && err == nil && n > 0
			}
		}
		return t, text, cut("string")
	case types.Array:
		if !cut("array<") {
			return t, text, false
		}
		elem, after, ok := overlayChars(*t.Elem, text)
		t.Elem, text = &elem, after
		ok = ok && cut(">")
		return t, text, ok
	case types.Map:
		if !cut("map<") {
			return t, text, false
		}
		key, after, ok := overlayChars(*t.Key, text)
		t.Key, text = &key, after
		if !ok || !cut(",") {
			return t, text, false
		}
		elem, after, ok := overlayChars(*t.Elem, text)
		t.Elem, text = &elem, after
		ok = ok && cut(">")
		return t, text, ok
	case types.Struct:
		if !cut("struct<") {
			return t, text, false
		}
		fields := append([]types.Field(nil), t.Fields...)
		for i := range fields {
			if i > 0 && !cut(",") || !cut(fields[i].Name+":") && !cut(types.QuoteIfNeeded(fields[i].Name)+":") {
				return t, text, false
			}
			ft, after, ok := overlayChars(fields[i].Type, text)
			if !ok {
				return t, text, false
			}
			fields[i].Type, text = ft, after
		}
		t.Fields = fields
		ok := cut(">")
		return t, text, ok
	}
	ok = cut(t.String())
	return t, text, ok
}

func kindWord(k types.Kind) string {
	if k == types.Char {
		return "char"
	}
	return "varchar"
}

// SchemaOf makes a schema of columns: comments, defaults, what computes a column, and the lengths of CHAR and VARCHAR become metadata.
func SchemaOf(columns []types.Field) Schema {
	fields := make([]Field, len(columns))
	for i, c := range columns {
		fields[i] = fieldOf(c)
	}
	return Schema{Fields: fields}
}

func fieldOf(c types.Field) Field {
	f := Field{Name: c.Name, Type: TypeOf(c.Type), Nullable: !c.NotNull, Metadata: "{}"}
	if c.HasComment || c.Comment != "" {
		f.Metadata = f.Metadata.WithText(KeyComment, c.Comment)
	}
	if hasChars(c.Type) {
		f.Metadata = f.Metadata.WithText(KeyCharVarchar, c.Type.String())
	}
	if c.Default != "" {
		f.Metadata = f.Metadata.WithText(KeyCurrentDefault, c.Default)
	}
	if c.Generated != "" {
		f.Metadata = f.Metadata.WithText(KeyGeneration, c.Generated)
	}
	return f
}

// hasChars reports whether a type is or holds CHAR or VARCHAR outside of structs, whose fields have metadata of their own.
func hasChars(t types.Type) bool {
	switch t.Kind {
	case types.Char, types.Varchar:
		return true
	case types.Array:
		return hasChars(*t.Elem)
	case types.Map:
		return hasChars(*t.Key) || hasChars(*t.Elem)
	}
	return false
}

// TypeOf makes a schema's type of one of the engine.
func TypeOf(t types.Type) Type {
	switch t.Kind {
	case types.Char, types.Varchar:
		return Type{Kind: types.String}
	case types.Array:
		elem := TypeOf(*t.Elem)
		return Type{Kind: types.Array, Elem: &elem, ContainsNull: !t.NotNull}
	case types.Map:
		key, elem := TypeOf(*t.Key), TypeOf(*t.Elem)
		return Type{Kind: types.Map, Key: &key, Elem: &elem, ContainsNull: !t.NotNull}
	case types.Struct:
		fields := make([]Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = fieldOf(f)
		}
		return Type{Kind: types.Struct, Fields: fields}
	}
	return Type{Kind: t.Kind, Precision: t.Precision, Scale: t.Scale}
}
