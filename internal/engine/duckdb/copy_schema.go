package duckdb

import (
	"encoding/json"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// schemaKey is the key of a Parquet file's metadata under which Spark keeps the schema: it tells the types that Parquet has
// no word for, such as intervals, CHAR and VARCHAR.
const schemaKey = "org.apache.spark.sql.parquet.row.metadata"

// versionKey names the version of Spark that wrote a file. Readers take from it that dates and timestamps are of the proleptic
// Gregorian calendar, as they are since 3.0; without it Spark 3 refuses those before 1900.
const versionKey = "org.apache.spark.version"

// textTypeKey is the metadata of a field that is CHAR or VARCHAR, or holds such: its type, which the schema says as STRING.
const textTypeKey = "__CHAR_VARCHAR_TYPE_STRING"

// parquetMetadata are the keys and values of a file's metadata.
func parquetMetadata(fields []types.Field) [][2]string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // types have angle brackets
	if err := e.Encode(schemaOf(fields, true)); err != nil {
		return [][2]string{{versionKey, "4.0.0"}} // readers then take the file's own types
	}
	return [][2]string{{versionKey, "4.0.0"}, {schemaKey, strings.TrimSpace(text.String())}}
}

type schemaJSON struct {
	Type   string      `json:"type"`
	Fields []fieldJSON `json:"fields"`
}

type fieldJSON struct {
	Name     string            `json:"name"`
	Type     any               `json:"type"`
	Nullable bool              `json:"nullable"`
	Metadata map[string]string `json:"metadata"`
}

type arrayJSON struct {
	Type     string `json:"type"`
	Element  any    `json:"elementType"`
	Nullable bool   `json:"containsNull"`
}

type mapJSON struct {
	Type     string `json:"type"`
	Key      any    `json:"keyType"`
	Value    any    `json:"valueType"`
	Nullable bool   `json:"valueContainsNull"`
}

// schemaOf is a schema as Spark writes it in JSON. Of the columns themselves, top, the true text types are noted.
func schemaOf(fields []types.Field, top bool) schemaJSON {
	s := schemaJSON{Type: "struct", Fields: []fieldJSON{}}
	for _, f := range fields {
		j := fieldJSON{Name: f.Name, Type: typeOf(f.Type), Nullable: true, Metadata: map[string]string{}}
		if top && f.Type.HasLength() {
			j.Metadata[textTypeKey] = f.Type.String()
		}
		s.Fields = append(s.Fields, j)
	}
	return s
}

func typeOf(t types.Type) any {
	switch t.Kind {
	case types.TinyInt:
		return "byte"
	case types.SmallInt:
		return "short"
	case types.Int:
		return "integer"
	case types.BigInt:
		return "long"
	case types.Char, types.Varchar:
		return "string"
	case types.Array:
		return arrayJSON{"array", typeOf(*t.Elem), true}
	case types.Map:
		return mapJSON{"map", typeOf(*t.Key), typeOf(*t.Elem), true}
	case types.Struct:
		return schemaOf(t.Fields, false)
	}
	return t.String()
}
