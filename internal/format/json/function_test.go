package json_test

import (
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func schema(t testing.TB, ddl string) types.Type {
	t.Helper()
	s, err := expr.ParseSchema(ddl)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFunctionsDecode(t *testing.T) {
	for _, c := range []struct {
		ddl, text string
		options   map[string]string
		want      string // as CAST AS STRING shows it, or a condition
	}{
		{"a INT, b ARRAY<STRING>", `{"a":1,"b":["x",2],"a":3}`, nil, "{3, [x, 2]}"},
		{"a INT", `{"a":"1"}`, nil, "{null}"},
		{"a INT", `{"a":1} rest`, nil, "{1}"},
		{"a INT", `[{"a":1}]`, nil, "{null}"},
		{"a INT", "  ", nil, "null"},
		{"a INT, _corrupt_record STRING", `{bad`, nil, "{null, {bad}"},
		{"a INT, c STRING", `{"a":"x"}`, map[string]string{"columnNameOfCorruptRecord": "c"}, `{null, {"a":"x"}}`},
		{"ARRAY<INT>", `[1,"x"]`, nil, "null"},
		{"ARRAY<STRUCT<a: INT>>", `{"a":1}`, nil, "[{1}]"},
		{"a STRING", `{"a": { "x" : 1.50 , "y":"\u00e9"}}`, nil, `{{"x":1.5,"y":"é"}}`},
		{"a INT", `{a:1}`, map[string]string{"allowUnquotedFieldNames": "true"}, "{1}"},
		{"t DATE", `{"t":"26/08/2015"}`, map[string]string{"dateFormat": "dd/MM/yyyy"}, "{2015-08-26}"},
		{"a INT", `{"a":"x"}`, map[string]string{"mode": "FAILFAST"}, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"},
		{"a INT", `{}`, map[string]string{"mode": "DROPMALFORMED"}, "PARSE_MODE_UNSUPPORTED"},
	} {
		got := ""
		s := schema(t, c.ddl)
		d, err := json.Functions{}.Decoder(s, c.options, time.UTC)
		if err == nil {
			var v types.Value
			if v, err = d(c.text); err == nil {
				got = types.Format(s, v, time.UTC)
			}
		}
		if err != nil {
			got = string(sqlerr.As(err).Condition)
		}
		if got != c.want {
			t.Errorf("%s as %s: got %s, want %s", c.text, c.ddl, got, c.want)
		}
	}
}

func TestFunctionsEncode(t *testing.T) {
	s := schema(t, "a DOUBLE, b STRING, c MAP<STRING, STRING>, d ARRAY<INT>")
	v := []types.Value{1.0, nil, []types.MapEntry{{Key: "k", Value: "é\""}}, []types.Value{int64(1), nil}}
	for _, c := range []struct {
		options map[string]string
		want    string
	}{
		{nil, `{"a":1.0,"c":{"k":"é\""},"d":[1,null]}`},
		{map[string]string{"ignoreNullFields": "false"}, `{"a":1.0,"b":null,"c":{"k":"é\""},"d":[1,null]}`},
		{map[string]string{"pretty": "true"}, "{\n  \"a\" : 1.0,\n  \"c\" : {\n    \"k\" : \"é\\\"\"\n  },\n  \"d\" : [ 1, null ]\n}"},
		{map[string]string{"writeNonAsciiCharacterAsCodePoint": "true"}, `{"a":1.0,"c":{"k":"\u00E9\""},"d":[1,null]}`},
	} {
		e, err := json.Functions{}.Encoder(s, c.options, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e(v); err != nil || got != c.want {
			t.Errorf("%v: got %v %v, want %s", c.options, got, err, c.want)
		}
	}
}

// FuzzFunctions looks for texts that crash a reader, and for what does not read back as it was written.
func FuzzFunctions(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[{"c":{"k":1e400}}]}`, `[`, `{"a":`, `"\ud83d"`, `{"b":[{"c":null}]}`} {
		f.Add(text)
	}
	s := schema(f, "a INT, b ARRAY<STRUCT<c: MAP<STRING, DOUBLE>>>, d STRING, _corrupt_record STRING")
	decode, err := json.Functions{}.Decoder(s, nil, time.UTC)
	if err != nil {
		f.Fatal(err)
	}
	encode, err := json.Functions{}.Encoder(s, nil, time.UTC)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := decode(text)
		if err != nil || v == nil {
			return
		}
		fields := v.([]types.Value)
		fields[3] = nil
		before := types.Format(s, v, time.UTC)
		written, err := encode(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(written.(string))
		if err != nil || types.Format(s, again, time.UTC) != before {
			t.Errorf("%s: %s reads back as %s (%v)", text, before, types.Format(s, again, time.UTC), err)
		}
		if _, err := (json.Functions{}).Infer(text, nil, time.UTC); err != nil && sqlerr.As(err).Condition == "INTERNAL_ERROR" {
			t.Error(err)
		}
	})
}
