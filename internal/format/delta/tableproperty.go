package delta

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// propertyKind says which texts a property of tables takes.
type propertyKind uint8

const (
	textProperty propertyKind = iota
	boolProperty
	countProperty // a whole number above 0
	indexProperty // a whole number from -1
	spanProperty  // an interval without months and years
	isolationProperty
	policyProperty
	mappingProperty
)

// tableProperties are the properties delta.… of tables, by the part behind the prefix: those of Delta, and those that Databricks has
// besides and that ask nothing of a writer.
var tableProperties = map[string]propertyKind{
	"appendOnly": boolProperty, "autoOptimize": boolProperty, "autoOptimize.autoCompact": textProperty, "autoOptimize.optimizeWrite": boolProperty,
	"castIcebergTimeType": boolProperty, "checkpoint.writeStatsAsJson": boolProperty, "checkpoint.writeStatsAsStruct": boolProperty,
	"checkpointInterval": countProperty, "checkpointPolicy": policyProperty, "checkpointRetentionDuration": spanProperty,
	"columnMapping.maxColumnId": textProperty, "columnMapping.mode": mappingProperty, "compatibility.symlinkFormatManifest.enabled": boolProperty,
	"dataSkippingNumIndexedCols": indexProperty, "dataSkippingStatsColumns": textProperty, "deletedFileRetentionDuration": spanProperty,
	"enableChangeDataCapture": boolProperty, "enableChangeDataFeed": boolProperty, "enableDeletionVectors": boolProperty,
	"enableExpiredLogCleanup": boolProperty, "enableFullRetentionRollback": boolProperty, "enableIcebergCompatV1": boolProperty,
	"enableIcebergCompatV2": boolProperty, "enableIcebergCompatV3": boolProperty, "enableIcebergWriterCompatV1": boolProperty,
	"enableInCommitTimestamps": boolProperty, "enableRowTracking": boolProperty, "enableTypeWidening": boolProperty,
	"enableVariantShredding": boolProperty, "inCommitTimestampEnablementTimestamp": textProperty, "inCommitTimestampEnablementVersion": textProperty,
	"isolationLevel": isolationProperty, "logRetentionDuration": spanProperty, "parquet.compression.codec": textProperty,
	"parquet.format.version": textProperty, "randomizeFilePrefixes": boolProperty, "randomPrefixLength": countProperty,
	"requireCheckpointProtectionBeforeVersion": textProperty, "rowTrackingSuspended": boolProperty, "sampleRetentionDuration": spanProperty,
	"setTransactionRetentionDuration": spanProperty, "targetFileSize": textProperty, "tuneFileSizesForRewrites": boolProperty,
	"universalFormat.enabledFormats": textProperty,
}

// openProperties begin the names of properties that nobody has a list of.
var openProperties = []string{"constraints.", "universalformat.config.", "workloadbasedcolumns.", "rowtracking.", "coordinatedcommits.", "liquid."}

// checkProperty gives the name of a property of a statement as Delta spells it, whatever the case of its letters. Properties of other
// prefixes are anybody's. The errors are DELTA_UNKNOWN_CONFIGURATION, and for a value DELTA_INVALID_INTERVAL,
// DELTA_INVALID_ISOLATION_LEVEL and INVALID_TABLE_PROPERTY.
func checkProperty(name, value string) (string, error) {
	const prefix = "delta."
	lower := strings.ToLower(name)
	if !strings.HasPrefix(lower, prefix) {
		return name, nil
	}
	for _, p := range openProperties {
		if strings.HasPrefix(lower[len(prefix):], p) {
			return name, nil
		}
	}
	for known, kind := range tableProperties {
		if strings.EqualFold(known, name[len(prefix):]) {
			return prefix + known, kind.check(prefix+known, value)
		}
	}
	return "", sqlerr.DeltaUnknownProperty(name)
}

func (k propertyKind) check(name, value string) error {
	want := ""
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	switch k {
	case boolProperty:
		if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
			want = "true or false"
		}
	case countProperty:
		if err != nil || n < 1 {
			want = "a whole number above 0"
		}
	case indexProperty:
		if err != nil || n < -1 {
			want = "a whole number from -1"
		}
	case policyProperty:
		if !strings.EqualFold(value, "classic") && !strings.EqualFold(value, "v2") {
			want = "classic or v2"
		}
	case mappingProperty:
		mode := MappingModeOf(&Metadata{Configuration: map[string]string{PropertyMappingMode: value}})
		if !strings.EqualFold(value, mode.String()) {
			want = "none, name or id"
		}
	case isolationProperty:
		for _, level := range []Isolation{Serializable, WriteSerializable, SnapshotIsolation} {
			if strings.EqualFold(value, level.String()) {
				return nil
			}
		}
		return sqlerr.DeltaIsolation(value)
	case spanProperty:
		if !isSpan(value) {
			return sqlerr.DeltaInterval(name, value)
		}
	}
	if want != "" {
		return sqlerr.InvalidTableProperty(name, value, want)
	}
	return nil
}

// isSpan reports whether a text is an interval such as 'interval 1 week 2 days', without months and years.
func isSpan(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	if len(words) > 0 && words[0] == "interval" {
		words = words[1:]
	}
	for i, w := range words {
		if i%2 == 0 {
			if _, err := strconv.ParseInt(strings.Trim(w, "'"), 10, 32); err != nil {
				return false
			}
			continue
		}
		switch strings.TrimSuffix(strings.Trim(w, "'"), "s") {
		case "week", "day", "hour", "minute", "second", "millisecond", "microsecond":
		default:
			return false
		}
	}
	return len(words) > 0 && len(words)%2 == 0
}

// OwnProperty reports a property in which the log of one table keeps what holds for it alone, so that a table that is made after its
// image must not get it.
func OwnProperty(name string) bool {
	switch name {
	case PropertyMaxColumnID, "delta.inCommitTimestampEnablementVersion", "delta.inCommitTimestampEnablementTimestamp",
		"delta.rowTracking.materializedRowIdColumnName", "delta.rowTracking.materializedRowCommitVersionColumnName":
		return true
	}
	return false
}
