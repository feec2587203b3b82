package delta

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func TestSchemaKeepsItsText(t *testing.T) {
	const text = `{"type":"struct","fields":[` +
		`{"name":"a","type":"integer","nullable":false,"metadata":{"comment":"x","future": [1, {"k" :2}]}},` +
		`{"name":"d","type":"decimal(10,2)","nullable":true,"metadata":{}},` +
		`{"name":"c","type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"varchar(7)"}},` +
		`{"name":"l","type":{"type":"array","elementType":"string","containsNull":false},"nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"array<char(3)>"}},` +
		`{"name":"m","type":{"type":"map","keyType":"string","valueType":{"type":"struct","fields":[{"name":"x","type":"timestamp_ntz","nullable":true,"metadata":{"comment":"in"}}]},"valueContainsNull":true},"nullable":true,"metadata":{}},` +
		`{"name":"v","type":"void","nullable":true,"metadata":{}},{"name":"w","type":"variant","nullable":true,"metadata":{}}]}`
	s, err := ParseSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.JSON(); got != text {
		t.Errorf("got %s", got)
	}
	cols := s.Columns()
	want := "struct<a:int,d:decimal(10,2),c:varchar(7),l:array<char(3)>,m:map<string,struct<x:timestamp_ntz>>,v:void,w:variant>"
	if got := types.StructOf(cols...).String(); got != want || !cols[0].NotNull || cols[0].Comment != "x" || !cols[3].Type.NotNull {
		t.Errorf("%s %+v", got, cols[0])
	}
	if got := types.StructOf(SchemaOf(cols).Columns()...).SQL(); got != types.StructOf(cols...).SQL() {
		t.Errorf("%s", got)
	}
}

func TestSchemaFaults(t *testing.T) {
	for text, unsupported := range map[string]bool{
		`"string"`: false, `{}`: true, `{"type":"struct","fields":[{"name":"a"}]}`: false,
		`{"type":"struct","fields":[{"name":"g","type":"geometry","nullable":true,"metadata":{}}]}`: true,
		`{"type":"struct","fields":[{"name":"g","type":"decimal(39,0)","metadata":{}}]}`:            true,
		`{"type":"array","elementType":"string","containsNull":true}`:                               false,
	} {
		_, err := ParseSchema(text)
		if err == nil || errors.Is(err, sqlerr.Condition("DELTA_PARSING_UNSUPPORTED_DATA_TYPE")) != unsupported {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestProperties(t *testing.T) {
	p := Properties(`{ "a": 1 , "b":"x\"y" }`)
	for _, c := range []struct{ got, want Properties }{
		{p.With("a", "2"), `{ "a":2 , "b":"x\"y" }`},
		{p.WithLong("c", 3), `{ "a": 1 , "b":"x\"y" ,"c":3}`},
		{Properties("").WithText("k", "v"), `{"k":"v"}`},
		{p.Without(func(k string) bool { return k == "a" }), `{"b":"x\"y"}`},
		{p.Without(func(string) bool { return false }), p},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if s, ok := p.Text("b"); s != `x"y` || !ok {
		t.Error(s)
	}
	if _, ok := p.Text("a"); ok {
		t.Error("a is no text")
	}
}

func TestPartitionValues(t *testing.T) {
	paris, _ := time.LoadLocation("Europe/Paris")
	for _, c := range []struct {
		t    types.Type
		text string
		want string // as the log would write it; "" is NULL and "!" an error
	}{
		{types.Of(types.String), "", ""},
		{types.Of(types.String), "a/b%c", "a/b%c"},
		{types.Of(types.Int), "007", "7"},
		{types.Of(types.TinyInt), "128", "!"},
		{types.Of(types.Boolean), "true", "true"},
		{types.Of(types.Double), "1.0E10", "1.0E10"},
		{types.Of(types.Float), "0.1", "0.1"},
		{types.DecimalOf(5, 2), "1.5", "1.50"},
		{types.DecimalOf(5, 2), "12345", "!"},
		{types.Of(types.Date), "2024-02-29", "2024-02-29"},
		{types.Of(types.Date), "2024-02-30", "!"},
		{types.Of(types.Timestamp), "2024-07-01 00:00:00", "2024-06-30T22:00:00.000000Z"},
		{types.Of(types.Timestamp), "2024-07-01T00:00:00.123456Z", "2024-07-01T00:00:00.123456Z"},
		{types.Of(types.Timestamp), "1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000Z"},
		{types.Of(types.TimestampNTZ), "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999"},
		{types.Of(types.Binary), "\u0001\u0002", "\u0001\u0002"},
		{types.ArrayOf(types.Of(types.Int)), "x", "!"},
	} {
		v, err := ParsePartitionValue("p", c.t, c.text, paris)
		got := FormatPartitionValue(c.t, v)
		if err != nil {
			got = "!"
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q (%v)", c.t, c.text, got, c.want, err)
		}
	}
	if got := PartitionDir([]string{"a", "b c"}, []string{"10:00", ""}); got != "a=10%3A00/b c=__HIVE_DEFAULT_PARTITION__" {
		t.Error(got)
	}
}

func TestProtocolGate(t *testing.T) {
	m, s := &Metadata{Configuration: map[string]string{}}, Schema{}
	list := func(reader, writer []string) *Protocol {
		return &Protocol{MinReader: 3, MinWriter: 7, ReaderFeatures: reader, WriterFeatures: writer}
	}
	for _, c := range []struct {
		p           *Protocol
		read, write string
	}{
		{&Protocol{MinReader: 1, MinWriter: 2}, "", ""},
		{&Protocol{MinReader: 2, MinWriter: 6}, "", ""},
		{&Protocol{MinReader: 4, MinWriter: 7}, "DELTA_INVALID_PROTOCOL_VERSION", "DELTA_INVALID_PROTOCOL_VERSION"},
		{&Protocol{MinReader: 3, MinWriter: 5}, "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE", "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"},
		{list([]string{"deletionVectors"}, []string{"deletionVectors", "appendOnly"}), "", ""},
		{list([]string{"zebra", "geospatial"}, []string{"zebra", "geospatial"}), "DELTA_UNSUPPORTED_FEATURES_FOR_READ", "DELTA_UNSUPPORTED_FEATURES_FOR_READ"},
		{list(nil, []string{"futureWriter"}), "", "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
		{&Protocol{MinReader: 2, MinWriter: 7, WriterFeatures: []string{"columnMapping"}}, "", ""},
	} {
		for which, pair := range map[string][2]any{"read": {CheckRead("t", c.p), c.read}, "write": {CheckWrite("t", c.p, m, s), c.write}} {
			err, _ := pair[0].(error)
			want := pair[1].(string)
			if want == "" && err != nil || want != "" && !errors.Is(err, sqlerr.Condition(want)) {
				t.Errorf("%+v %s: %v, want %s", c.p, which, err, want)
			}
		}
	}
	used := &Metadata{Configuration: map[string]string{"delta.enableChangeDataFeed": "true"}}
	if err := CheckWrite("t", &Protocol{MinReader: 1, MinWriter: 4}, used, s); !errors.Is(err, sqlerr.Condition("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")) {
		t.Errorf("a change data feed would have gaps: %v", err)
	}
}

func TestProtocolUpgrade(t *testing.T) {
	for _, c := range []struct {
		from   *Protocol
		names  []string
		r, w   int
		reader []string
		writer []string
	}{
		{&Protocol{MinReader: 1, MinWriter: 2}, []string{"appendOnly"}, 1, 2, nil, nil},
		{&Protocol{MinReader: 1, MinWriter: 2}, []string{"checkConstraints"}, 1, 3, nil, nil},
		{&Protocol{MinReader: 1, MinWriter: 2}, []string{"changeDataFeed"}, 1, 7, nil, []string{"appendOnly", "changeDataFeed", "invariants"}},
		{&Protocol{MinReader: 1, MinWriter: 2}, []string{"columnMapping"}, 2, 7, nil, []string{"appendOnly", "columnMapping", "invariants"}},
		{&Protocol{MinReader: 1, MinWriter: 4}, []string{"columnMapping"}, 2, 5, nil, nil},
		{&Protocol{MinReader: 2, MinWriter: 5}, []string{"deletionVectors"}, 3, 7, []string{"columnMapping", "deletionVectors"}, []string{"appendOnly", "changeDataFeed", "checkConstraints", "columnMapping", "deletionVectors", "generatedColumns", "invariants"}},
		{&Protocol{MinReader: 1, MinWriter: 2}, []string{"clustering"}, 1, 7, nil, []string{"appendOnly", "clustering", "domainMetadata", "invariants"}},
	} {
		p := c.from.With(c.names...)
		if p.MinReader != c.r || p.MinWriter != c.w || !slices.Equal(p.ReaderFeatures, c.reader) || !slices.Equal(p.WriterFeatures, c.writer) {
			t.Errorf("%+v with %v: %+v", c.from, c.names, p)
		}
	}
}
