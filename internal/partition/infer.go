package partition

import "github.com/tarnlake/tarn/internal/types"

// InferOptions says how types are inferred from directory names.
type InferOptions struct {
	// Disabled makes every column STRING (spark.sql.sources.partitionColumnTypeInference.enabled=false).
	Disabled bool
	// NTZ makes timestamps TIMESTAMP_NTZ (spark.sql.timestampType).
	NTZ bool
}

// Infer is the type of a column whose directories carry these texts (unescaped, as SplitSegment gives them).
func Infer(texts []string, opts InferOptions) types.Type { return types.Of(types.String) }

// InferOne is the type that one text alone suggests; VOID for DefaultPartition.
func InferOne(text string, opts InferOptions) types.Type { return types.Of(types.String) }

// Widen is the type of a column of which some directories suggest a and others b.
func Widen(a, b types.Type) types.Type { return types.Of(types.String) }
