// Package conf knows the configuration keys of a session: Spark's names with Spark's defaults, and Tarn's own. It owns
// their defaults and the check of their values; what a key does belongs to the package that reads it.
//
// It is pure and imports sqlerr and types alone.
package conf

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// The keys that Tarn acts on.
const (
	PartitionLog               = "spark.databricks.nonDelta.partitionLog.enabled"
	KeepSyncSource             = "spark.databricks.sync.command.disableSourceTableWrites"
	SyncManaged                = "spark.databricks.sync.command.enableManagedTable"
	OverwriteMode              = "spark.sql.sources.partitionOverwriteMode"
	MetadataOnly               = "spark.sql.optimizer.metadataOnly"
	TypeInference              = "spark.sql.sources.partitionColumnTypeInference.enabled"
	ValidatePartitionColumns   = "spark.sql.sources.validatePartitionColumns"
	IgnoreInvalidPartitions    = "spark.sql.files.ignoreInvalidPartitionPaths"
	IgnoreMissingFiles         = "spark.sql.files.ignoreMissingFiles"
	CaseSensitive              = "spark.sql.caseSensitive"
	RetentionCheck             = "spark.databricks.delta.retentionDurationCheck.enabled"
	AutoMerge                  = "spark.databricks.delta.schema.autoMerge.enabled"
	ANSI                       = "spark.sql.ansi.enabled"
	TimeZone                   = "spark.sql.session.timeZone"
	KeepSpecText               = "spark.sql.legacy.keepPartitionSpecAsStringLiteral"
	ParseNullSpecAsText        = "spark.sql.legacy.parseNullPartitionSpecAsStringLiteral"
	NegativeArrayInsert        = "spark.sql.legacy.negativeIndexInArrayInsert"
	KeepCommandSchema          = "spark.sql.legacy.keepCommandOutputSchema"
	DecimalLoss                = "spark.sql.decimalOperations.allowPrecisionLoss"
	LegacyInterval             = "spark.sql.legacy.interval.enabled"
	StoreAssignment            = "spark.sql.storeAssignmentPolicy"
	JavaCharsets               = "spark.sql.legacy.javaCharsets"
	CodingReplaces             = "spark.sql.legacy.codingErrorAction"
	DefaultSource              = "spark.sql.sources.default"
	ClientRuntime              = "tarn.client.runtimeVersion"
	RepairMaxDropFraction      = "tarn.repair.maxDropFraction"
	WarnUnregistered           = "tarn.query.warnUnregistered"
	VariableSubstitute         = "spark.sql.variable.substitute"
	StagingRoot                = "tarn.staging.root"
	TargetFileSize             = "tarn.write.targetFileSize"
	RowGroupSize               = "tarn.write.rowGroupSize"
	PublishRate                = "tarn.write.publishRate"
	ParquetCodec               = "spark.sql.parquet.compression.codec"
	GroupByOrdinal             = "spark.sql.groupByOrdinal"
	OrderByOrdinal             = "spark.sql.orderByOrdinal"
	GroupByAliases             = "spark.sql.groupByAliases"
	MapKeyDedup                = "spark.sql.mapKeyDedupPolicy"
	RegexColumns               = "spark.sql.parser.quotedRegexColumnNames"
	HavingAsWhere              = "spark.sql.legacy.parser.havingWithoutGroupByAsWhere"
	CTEPrecedence              = "spark.sql.legacy.ctePrecedencePolicy"
	RecursionLevels            = "spark.sql.cteRecursionLevelLimit"
	RecursionRows              = "spark.sql.cteRecursionRowLimit"
	CountWithoutArgs           = "spark.sql.legacy.allowParameterlessCount"
	CountTableStar             = "spark.sql.legacy.allowStarWithSingleTableIdentifierInCount"
	SetOpsPrecedence           = "spark.sql.legacy.setopsPrecedence.enabled"
	CurrentForView             = "spark.sql.legacy.useCurrentConfigsForView"
	timestampType              = "spark.sql.timestampType"
	defaultRepairMaxDropShare  = "0.5"
	defaultWarnUnregisteredVal = "true"
)

// kind says how a key's value is checked.
type kind uint8

const (
	text kind = iota
	boolean
	fraction
	zone
	choice
	version
	number
	size
)

// Key is one known configuration key.
type Key struct {
	Name    string
	Default string // "" with Unset for none
	Unset   bool
	Doc     string
	// Inert keys are Spark's, accepted for compatibility, and do nothing here.
	Inert bool
	// Fixed keys are Spark's, and change answers: a session may set them to their default alone, since nothing else is built.
	Fixed   bool
	kind    kind
	choices []string
}

// keys is sorted by name.
var keys = func() []Key {
	ks := []Key{
		{Name: PartitionLog, Default: "false", kind: boolean, Doc: "New external partitioned tables keep a partition log: only registered partitions count."},
		{Name: KeepSyncSource, Default: "false", kind: boolean, Doc: "SYNC writes nothing to the source table: what was synchronised before is told by the name of the target alone."},
		{Name: SyncManaged, Default: "false", kind: boolean, Doc: "SYNC takes managed tables also without AS EXTERNAL."},
		{Name: OverwriteMode, Default: "STATIC", kind: choice, choices: []string{"STATIC", "DYNAMIC"}, Doc: "Whether INSERT OVERWRITE replaces all matching partitions (STATIC) or those it writes (DYNAMIC)."},
		{Name: MetadataOnly, Unset: true, Default: "false", kind: boolean, Doc: "Unset: partition-only aggregates are answered exactly; true: from the partition list alone, empty partitions included; false: always by reading files."},
		{Name: TypeInference, Default: "true", kind: boolean, Doc: "Infer the types of partition columns from directory names; otherwise they are STRING."},
		{Name: ValidatePartitionColumns, Default: "true", kind: boolean, Doc: "A directory value that does not cast to the declared type is an error; otherwise it reads as NULL."},
		{Name: IgnoreInvalidPartitions, Default: "false", kind: boolean, Doc: "Skip directories that do not fit the partition layout instead of failing."},
		{Name: IgnoreMissingFiles, Default: "false", kind: boolean, Doc: "Read what is left when a file disappears during a query."},
		{Name: RetentionCheck, Default: "true", kind: boolean, Doc: "Whether VACUUM refuses to delete files of a Delta table before the time for which the table keeps them."},
		{Name: AutoMerge, Default: "false", kind: boolean, Doc: "Whether INSERT and MERGE add columns that a Delta table lacks, as WITH SCHEMA EVOLUTION does."},
		{Name: CurrentForView, Default: "false", kind: boolean, Doc: "Permanent views follow the settings of the session that reads them instead of those under which they were made."},
		{Name: CaseSensitive, Default: "false", kind: boolean, Doc: "Whether names compare with case."},
		{Name: ANSI, Default: "true", kind: boolean, Doc: "ANSI rules: a value that does not cast, an overflow and a division by zero are errors."},
		{Name: TimeZone, Default: "UTC", kind: zone, Doc: "The session's time zone."},
		{Name: NegativeArrayInsert, Default: "false", kind: boolean, Doc: "array_insert at -1 puts the element before the last one instead of behind it."},
		{Name: KeepSpecText, Default: "true", kind: boolean, Doc: "Keep the text of an unquoted literal in a PARTITION clause (05 stays 05 for a STRING column)."},
		{Name: ParseNullSpecAsText, Default: "false", kind: boolean, Doc: "Read NULL in a PARTITION clause as the text null."},
		{Name: KeepCommandSchema, Default: "false", kind: boolean, Doc: "Name the first column of SHOW TABLES database instead of namespace."},
		{Name: DecimalLoss, Default: "true", kind: boolean, Doc: "Results of decimal arithmetic give up digits of the fraction rather than overflow."},
		{Name: LegacyInterval, Default: "false", kind: boolean, Doc: "Interval literals and differences of dates and timestamps are calendar intervals (months, days, microseconds)."},
		{Name: StoreAssignment, Default: "ANSI", kind: choice, choices: []string{"ANSI", "LEGACY", "STRICT"}, Doc: "Which casts a value may take into a column."},
		{Name: JavaCharsets, Default: "false", kind: boolean, Doc: "encode and decode take the names of more encodings: aliases such as latin1, and windows-1252."},
		{Name: CodingReplaces, Default: "false", kind: boolean, Doc: "encode writes ? for a character that the encoding lacks, and decode U+FFFD for bytes that are none, instead of failing."},
		{Name: timestampType, Default: "TIMESTAMP_LTZ", kind: choice, choices: []string{"TIMESTAMP_LTZ"}, Doc: "What TIMESTAMP means. TIMESTAMP_NTZ is refused, since it is not built."},
		{Name: DefaultSource, Default: "parquet", kind: text, Doc: "The format of CREATE TABLE without USING."},
		{Name: VariableSubstitute, Default: "true", kind: boolean, Doc: "Replace ${name} in SQL text with the value of that key."},
		{Name: StagingRoot, Unset: true, kind: text, Doc: "Where writes stage their files until they commit, instead of below the table; on the same file system as the table."},
		{Name: TargetFileSize, Default: "1g", kind: size, Doc: "How large a file that a write makes may get before the next is begun; 0 for no bound."},
		{Name: RowGroupSize, Default: "0", kind: size, Doc: "How large a row group of a Parquet file may get; 0 for the engine's default of 122,880 rows."},
		{Name: PublishRate, Default: "0", kind: size, Doc: "How many files a second a commit puts in place at most; 0 for no bound. For stores that throttle."},
		{Name: GroupByOrdinal, Default: "true", kind: boolean, Doc: "A number in GROUP BY is the position of a column of the select list."},
		{Name: OrderByOrdinal, Default: "true", kind: boolean, Doc: "A number in ORDER BY is the position of a column of the select list."},
		{Name: GroupByAliases, Default: "true", kind: boolean, Doc: "GROUP BY may use names of the select list."},
		{Name: MapKeyDedup, Default: "EXCEPTION", kind: choice, choices: []string{"EXCEPTION", "LAST_WIN"}, Doc: "What happens to a key that comes several times when a map is made: an error (EXCEPTION), or its last value counts (LAST_WIN)."},
		{Name: RegexColumns, Default: "false", kind: boolean, Doc: "A quoted name of a select list that is no plain name is a regular expression: it stands for all columns whose names it matches."},
		{Name: HavingAsWhere, Default: "false", kind: boolean, Doc: "HAVING without GROUP BY filters rows, as WHERE does, instead of the one group of all rows."},
		{Name: CTEPrecedence, Default: "CORRECTED", kind: choice, choices: []string{"CORRECTED", "EXCEPTION", "LEGACY"}, Doc: "What a name means that both an outer and a nested WITH define: the inner one (CORRECTED), an error (EXCEPTION), the outer one (LEGACY)."},
		{Name: RecursionLevels, Default: "100", kind: number, Doc: "How many steps a recursive common table expression may take; -1 for no bound. MAX RECURSION LEVEL beats it."},
		{Name: RecursionRows, Default: "1000000", kind: number, Doc: "How many rows the steps of a recursive common table expression may make; -1 for no bound."},
		{Name: CountWithoutArgs, Default: "false", kind: boolean, Doc: "Allow count(), which counts nothing and is 0."},
		{Name: CountTableStar, Default: "false", kind: boolean, Doc: "Allow count(t.*), which counts the rows of t without a NULL."},
		{Name: SetOpsPrecedence, Default: "false", kind: boolean, Doc: "Evaluate set operations from left to right; otherwise INTERSECT binds tighter."},
		{Name: ParquetCodec, Default: "zstd", kind: choice, choices: []string{"ZSTD", "SNAPPY", "GZIP", "LZ4", "LZ4_RAW", "BROTLI", "NONE", "UNCOMPRESSED"}, Doc: "The compression of new Parquet files. The option compression of a table or statement beats it."},
		{Name: ClientRuntime, Unset: true, kind: version, Doc: "The runtime version that the client declares; below 13.3, tables with a partition log may only be dropped or replaced."},
		{Name: RepairMaxDropFraction, Default: defaultRepairMaxDropShare, kind: fraction, Doc: "MSCK … DROP and SYNC refuse to drop more than this share of a table's entries without FORCE."},
		{Name: WarnUnregistered, Default: defaultWarnUnregisteredVal, kind: boolean, Doc: "Queries of a table with a partition log warn when its root holds directories that the log does not know."},
	}
	inert := func(def string, names ...string) {
		for _, n := range names {
			ks = append(ks, Key{Name: n, Default: def, Inert: true})
		}
	}
	inert("true", "spark.sql.hive.manageFilesourcePartitions", "spark.sql.hive.metastorePartitionPruning", "spark.sql.hive.gatherFastStats",
		"spark.sql.adaptive.enabled", "spark.sql.cbo.enabled", "spark.sql.statistics.size.autoUpdate.enabled", "spark.sql.orc.filterPushdown",
		"spark.sql.parquet.filterPushdown", "spark.sql.parquet.enableVectorizedReader", "hive.exec.dynamic.partition", "hive.msck.path.validation")
	inert("false", "spark.sql.legacy.v1IdentifierNoCatalog", "spark.sql.legacy.useV1Command", "spark.sql.truncateTable.ignorePermissionAcl.enabled",
		"spark.sql.hive.dropPartitionByName.enabled", "spark.sql.parquet.aggregatePushdown", "spark.sql.orc.aggregatePushdown",
		"spark.sql.legacy.skipTypeValidationOnAlterPartition")
	inert("100", "spark.sql.addPartitionInBatch.size")
	inert("200", "spark.sql.shuffle.partitions")
	inert("32", "spark.sql.sources.parallelPartitionDiscovery.threshold")
	inert("10000", "spark.sql.sources.parallelPartitionDiscovery.parallelism")
	inert("10485760", "spark.sql.autoBroadcastJoinThreshold")
	inert("262144000", "spark.sql.hive.filesourcePartitionFileCacheSize")
	inert("134217728", "spark.sql.files.maxPartitionBytes")
	inert("avro,csv,json,kafka,orc,parquet,text", "spark.sql.sources.useV1SourceList")
	inert("strict", "hive.exec.dynamic.partition.mode")
	ks = append(ks, fixedKeys()...)
	slices.SortFunc(ks, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return ks
}()

// Keys lists the known keys, sorted by name.
func Keys() []Key { return keys }

// Find returns the known key of that name. Names compare with case, as Spark's do.
func Find(name string) (Key, bool) {
	i := sort.Search(len(keys), func(i int) bool { return keys[i].Name >= name })
	if i < len(keys) && keys[i].Name == name {
		return keys[i], true
	}
	return Key{}, false
}

// static are Spark's keys that no session can set: those of the SQL layer, then whole families of the core.
var static = map[string]bool{
	"spark.sql.globalTempDatabase": true, "spark.sql.warehouse.dir": true, "spark.sql.catalogImplementation": true, "spark.sql.extensions": true,
	"spark.sql.queryExecutionListeners": true, "spark.sql.streaming.streamingQueryListeners": true, "spark.sql.hive.metastore.version": true,
	"spark.sql.hive.metastore.jars": true, "spark.sql.filesourceTableRelationCacheSize": true, "spark.sql.sources.schemaStringLengthThreshold": true,
	"spark.sql.ui.retainedExecutions": true, "spark.sql.hive.thriftServer.singleSession": true, "spark.sql.cache.serializer": true,
	"spark.sql.event.truncate.length": true, "spark.sql.legacy.sessionInitWithConfigDefaults": true,
}

var coreFamilies = []string{"spark.driver.", "spark.executor.", "spark.master", "spark.app.", "spark.jars", "spark.submit.", "spark.memory.", "spark.shuffle.service."}

// Check reports whether name may be set to value in a session: nil, or the error of the SET statement.
func Check(name, value string) error {
	if static[name] {
		return sqlerr.CannotModifyStaticConfig(name)
	}
	for _, p := range coreFamilies {
		if strings.HasPrefix(name, p) {
			return sqlerr.CannotModifyConfig(name)
		}
	}
	k, ok := Find(name)
	if !ok {
		if strings.HasPrefix(name, "tarn.") {
			return sqlerr.UnknownConfig(name, ownNames())
		}
		return nil
	}
	if k.Fixed && !strings.EqualFold(strings.TrimSpace(value), k.Default) {
		return sqlerr.Unsupported("SETTING", name+" = "+value)
	}
	bad := func(want string) error { return sqlerr.InvalidConfigValue(name, value, want) }
	switch k.kind {
	case boolean:
		if _, ok := parseBool(value); !ok {
			return sqlerr.ConfigNotBoolean(name, value)
		}
	case fraction:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return bad("a number from 0 to 1")
		}
	case zone:
		if _, err := Zone(value); err != nil {
			return sqlerr.InvalidTimeZone(name, value)
		}
	case choice:
		if !slices.Contains(k.choices, strings.ToUpper(value)) {
			return sqlerr.ConfigOutOfOptions(name, value, k.choices)
		}
	case size:
		if _, ok := ParseSize(value); !ok {
			return bad("a number of bytes, such as 134217728, 128m or 1g")
		}
	case number:
		if _, err := strconv.ParseInt(value, 10, 32); err != nil {
			return sqlerr.ConfigType(name, value, "int")
		}
	case version:
		if _, ok := ParseVersion(value); !ok {
			return bad("a version such as 13.3")
		}
	}
	return nil
}

func ownNames() []string {
	var out []string
	for _, k := range keys {
		if strings.HasPrefix(k.Name, "tarn.") {
			out = append(out, k.Name)
		}
	}
	return out
}

func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// ParseSize reads a size in bytes as Spark writes them: a number, alone or with b, k, m, g or t (also kb, mb, …) for powers
// of 1024.
func ParseSize(s string) (int64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > 1 && s[len(s)-1] == 'b' && s[len(s)-2] > '9' {
		s = s[:len(s)-1]
	}
	shift := 0
	if s != "" {
		if i := strings.IndexByte("bkmgt", s[len(s)-1]); i >= 0 {
			shift, s = 10*i, s[:len(s)-1]
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, false
	}
	return n << shift, true
}

// ParseVersion reads the major and minor number of a version such as 13.3, 13.3.x-scala2.12 or 13.
func ParseVersion(s string) ([2]int, bool) {
	parts := strings.SplitN(strings.TrimSpace(s), ".", 3)
	var v [2]int
	for i := 0; i < len(parts) && i < 2; i++ {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// Zone resolves a time zone as Spark names them: a region (America/New_York), UTC, Z, or an offset (+02:00, UTC+2).
func Zone(s string) (*time.Location, error) {
	if loc, ok := types.ParseZone(s); ok {
		return loc, nil
	}
	return nil, errBadZone
}

const errBadZone = badZone("not a time zone")

type badZone string

func (e badZone) Error() string { return string(e) }

// CheckReset reports whether name may be reset in a session.
func CheckReset(name string) error {
	if static[name] {
		return sqlerr.CannotModifyStaticConfig(name)
	}
	return nil
}
