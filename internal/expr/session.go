package expr

import "github.com/tarnlake/tarn/internal/types"

// sessionFunctions answer about the session. They are constants of a statement without words in DuckDB: Fold makes
// literals of them, and the engine does so with those that are left.
func sessionFunctions() []Overload {
	text := types.Of(types.String)
	answer := func(name string, f func(*Context) string) Overload {
		return Overload{Name: name, Returns: text, Eval: func(ctx *Context, _ []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return f(ctx), nil
		}}
	}
	return []Overload{
		answer("current_user", func(c *Context) string { return c.User }),
		answer("current_catalog", func(c *Context) string { return c.Catalog }),
		answer("current_schema", func(c *Context) string { return c.Schema }),
		answer("current_timezone", func(c *Context) string { return zoneOf(c).String() }),
		answer("version", func(*Context) string { return "4.3.0 Tarn" }),
		{Name: "spark_partition_id", Returns: types.Of(types.Int), Volatile: true, Duck: "0"},
		// Rows are numbered as they come, in one partition. The binder sees to it that this stands in a SELECT list.
		{Name: "monotonically_increasing_id", Returns: types.Of(types.BigInt), Volatile: true, Duck: "row_number() OVER ()-1"},
		// What Spark says where no file is read; the engine refuses them where one is.
		{Name: "input_file_name", Returns: text, Volatile: true, Duck: "''"},
		{Name: "input_file_block_start", Returns: types.Of(types.BigInt), Volatile: true, Duck: "CAST(-1 AS BIGINT)"},
		{Name: "input_file_block_length", Returns: types.Of(types.BigInt), Volatile: true, Duck: "CAST(-1 AS BIGINT)"},
	}
}

// aliases maps second names of functions to the first.
func aliases() map[string]string {
	return map[string]string{
		"ucase": "upper", "lcase": "lower", "char_length": "length", "character_length": "length", "len": "length",
		"sha": "sha1", "positive": "pos", "negative": "neg", "printf": "format_string",
		"user": "current_user", "session_user": "current_user", "current_database": "current_schema",
	}
}
