package sqlerr

import (
	"strconv"
	"strings"
)

var ddlConditions = []row{
	{"AMBIGUOUS_LOCATION", "42704"},
	{"DUPLICATE_CLAUSES", "42614"},
	{"SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", "42K05"},
	{"CREATE_EXTERNAL_VOLUME_WITHOUT_LOCATION", "42601"},
	{"CREATE_VIEW_COLUMN_ARITY_MISMATCH", "21S01"},
	{"TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", "428EK"},
	{"CATALOG_NOT_FOUND", "42P08"},
	{"CATALOG_ALREADY_EXISTS", "42710"},
	{"CATALOG_NOT_EMPTY", "2BP01"},
	{"SCHEMA_NOT_FOUND", "42704"},
	{"SCHEMA_ALREADY_EXISTS", "42P06"},
	{"SCHEMA_NOT_EMPTY", "2BP01"},
	{"TABLE_OR_VIEW_ALREADY_EXISTS", "42P07"},
	{"TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", "42P07"},
	{"VIEW_NOT_FOUND", "42P01"},
	{"VOLUME_NOT_FOUND", "42704"},
	{"VOLUME_ALREADY_EXISTS", "42000"},
	{"EXTERNAL_LOCATION_NOT_FOUND", "42704"},
	{"EXTERNAL_LOCATION_ALREADY_EXISTS", "42710"},
	{"EXTERNAL_LOCATION_NOT_EMPTY", "2BP01"},
	{"EXPECT_PERMANENT_VIEW_NOT_TEMP", "42809"},
	{"EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809"},
	{"EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "42809"},
	{"EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", "42809"},
	{"EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", "42809"},
	{"RENAME_TEMP_VIEW_WITH_DATABASE", "42809"},
	{"WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"},
	{"IDENTIFIER_TOO_MANY_NAME_PARTS", "42601"},
	{"COLUMN_NOT_DEFINED_IN_TABLE", "42703"},
	{"COLUMN_ALREADY_EXISTS", "42711"},
	{"INVALID_DEFAULT_VALUE.DATA_TYPE", "42623"},
	{"INVALID_DEFAULT_VALUE.NOT_CONSTANT", "42623"},
	{"INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", "42623"},
	{"INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION", "42623"},
	{"INVALID_BUCKET_COUNT", "22003"},
	{"COLUMN_NOT_FOUND", "42703"},
	{"ALL_PARTITION_COLUMNS_NOT_ALLOWED", "KD005"},
	{"INVALID_PARTITION_COLUMN_DATA_TYPE", "0A000"},
	{"CREATE_EXTERNAL_TABLE_WITHOUT_LOCATION", "42601"},
	{"SPECIFY_PARTITION_IS_NOT_ALLOWED", "42601"},
	{"UNABLE_TO_INFER_SCHEMA", "42KD9"},
	{"INVALID_EMPTY_LOCATION", "42K05"},
	{"LOCATION_ALREADY_EXISTS", "42710"},
	{"CANNOT_ALTER_PARTITION_COLUMN", "428FR"},
	{"NOT_A_PARTITIONED_TABLE", "42809"},
	{"INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", "42601"},
	{"INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", "42601"},
	{"PARTITION_OUTSIDE_TABLE", "22023"},
	{"REPAIR_WOULD_DROP_MOST", "55000"},
	{"NOT_SUPPORTED_CHANGE_COLUMN", "0A000"},
	{"FORBIDDEN_OPERATION", "42809"},
	{"UNSUPPORTED_SHOW_CREATE_TABLE.ON_TEMPORARY_VIEW", "0A000"},
	{"DATA_SOURCE_NOT_FOUND", "42K02"},
	{"UNSUPPORTED_FEATURE.PARTITION_LOG_FORMAT", "0A000"},
	{"UNSUPPORTED_FEATURE.CLIENT_RUNTIME", "0A000"},
	{"INVALID_PROPERTY_KEY", "42602"},
	{"READ_ONLY_CATALOG", "25006"},
	{"CONCURRENT_WRITE_CONFLICT", "40001"},
	{"SNAPSHOT_EXPIRED", "55000"},
	{"STATIC_CATALOG", "42939"},
	{"CANNOT_RENAME_ACROSS_SCHEMA", "0AKD0"},
	{"INVALID_TEMP_OBJ_REFERENCE", "42K0F"},
}

// CatalogNotFound reports an unknown catalog; name is quoted.
func CatalogNotFound(name string) *Error {
	return newError("CATALOG_NOT_FOUND", []Param{{"catalogName", name}}, "There is no catalog %s. SHOW CATALOGS lists those there are.", name)
}

// CatalogAlreadyExists reports CREATE CATALOG of a taken name.
func CatalogAlreadyExists(name string) *Error {
	return newError("CATALOG_ALREADY_EXISTS", []Param{{"catalogName", name}}, "The catalog %s exists already. Use IF NOT EXISTS to keep it.", name)
}

// CatalogNotEmpty reports DROP CATALOG without CASCADE.
func CatalogNotEmpty(name string) *Error {
	return newError("CATALOG_NOT_EMPTY", []Param{{"catalogName", name}}, "The catalog %s still holds schemas. Drop them first, or use CASCADE.", name)
}

// SchemaNotFound reports an unknown schema; name is quoted, with its catalog.
func SchemaNotFound(name string) *Error {
	return newError("SCHEMA_NOT_FOUND", []Param{{"schemaName", name}}, "There is no schema %s. Check the name and the current catalog; SHOW SCHEMAS lists those there are.", name)
}

// SchemaAlreadyExists reports CREATE SCHEMA of a taken name.
func SchemaAlreadyExists(name string) *Error {
	return newError("SCHEMA_ALREADY_EXISTS", []Param{{"schemaName", name}}, "The schema %s exists already. Use IF NOT EXISTS to keep it.", name)
}

// SchemaNotEmpty reports DROP SCHEMA without CASCADE.
func SchemaNotEmpty(name string) *Error {
	return newError("SCHEMA_NOT_EMPTY", []Param{{"schemaName", name}}, "The schema %s still holds tables, views or volumes. Drop them first, or use CASCADE.", name)
}

// TableAlreadyExists reports CREATE of a taken name.
func TableAlreadyExists(name string) *Error {
	return newError("TABLE_OR_VIEW_ALREADY_EXISTS", []Param{{"relationName", name}}, "The table or view %s exists already. Use IF NOT EXISTS to keep it, OR REPLACE to replace it, or another name.", name)
}

// TempViewAlreadyExists reports CREATE TEMPORARY VIEW of a taken name.
func TempViewAlreadyExists(name string) *Error {
	return newError("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", []Param{{"relationName", name}}, "The temporary view %s exists already. Use OR REPLACE, or another name.", name)
}

// ViewNotFound reports an unknown view.
func ViewNotFound(name string) *Error {
	return newError("VIEW_NOT_FOUND", []Param{{"relationName", name}}, "There is no view %s. SHOW VIEWS lists those there are.", name)
}

// VolumeNotFound reports an unknown volume.
func VolumeNotFound(name string) *Error {
	return newError("VOLUME_NOT_FOUND", []Param{{"name", name}}, "There is no volume %s. SHOW VOLUMES lists those there are.", name)
}

// VolumeAlreadyExists reports CREATE VOLUME of a taken name.
func VolumeAlreadyExists(name string) *Error {
	return newError("VOLUME_ALREADY_EXISTS", []Param{{"relationName", name}}, "The volume %s exists already. Use IF NOT EXISTS to keep it.", name)
}

// ExternalLocationNotFound reports an unknown external location.
func ExternalLocationNotFound(name string) *Error {
	return newError("EXTERNAL_LOCATION_NOT_FOUND", []Param{{"name", name}}, "There is no external location %s. SHOW EXTERNAL LOCATIONS lists those there are.", name)
}

// ExternalLocationAlreadyExists reports CREATE EXTERNAL LOCATION of a taken name.
func ExternalLocationAlreadyExists(name string) *Error {
	return newError("EXTERNAL_LOCATION_ALREADY_EXISTS", []Param{{"name", name}}, "The external location %s exists already. Use IF NOT EXISTS to keep it.", name)
}

// ExternalLocationInUse reports DROP of an external location in use.
func ExternalLocationInUse(name, by string) *Error {
	return newError("EXTERNAL_LOCATION_NOT_EMPTY", []Param{{"name", name}, {"usedBy", by}}, "The external location %s still holds %s. Drop that first, or use FORCE.", name, by)
}

// alterViewDoes are the operations on tables that ALTER VIEW does on views.
var alterViewDoes = map[string]bool{
	"ALTER TABLE ... SET TBLPROPERTIES": true, "ALTER TABLE ... UNSET TBLPROPERTIES": true, "ALTER TABLE ... RENAME TO": true,
	"ALTER TABLE ... SET [SERDE|SERDEPROPERTIES]": true,
}

// ExpectTableNotView reports a statement about tables that names a view.
func ExpectTableNotView(view, operation string) *Error {
	if alterViewDoes[operation] {
		return newError("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", []Param{{"viewName", view}, {"operation", operation}}, "%s needs a table, but %s is a view. Use ALTER VIEW.", operation, view)
	}
	return newError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", []Param{{"viewName", view}, {"operation", operation}}, "%s needs a table, but %s is a view.", operation, view)
}

// ExpectPermanentView reports a statement that takes no temporary view.
func ExpectPermanentView(view, operation string) *Error {
	return newError("EXPECT_PERMANENT_VIEW_NOT_TEMP", []Param{{"operation", "'" + operation + "'"}, {"viewName", view}}, "%s needs a table or a view of a schema, but %s is a temporary view.", operation, view)
}

// RenameTempViewWithSchema reports ALTER VIEW … RENAME TO of a temporary view that would give it a schema.
func RenameTempViewWithSchema(from, to, schema string) *Error {
	return newError("RENAME_TEMP_VIEW_WITH_DATABASE", []Param{{"oldName", from}, {"newName", to}, {"databaseName", schema}}, "The temporary view %s cannot become %s: temporary views lie in no schema. Give the new name alone.", from, to)
}

// AnalyzeNotNoScan reports a word after COMPUTE STATISTICS that is none of those that may follow.
func AnalyzeNotNoScan(word string) *Error {
	return newError("INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN", []Param{{"ctx", word}}, "Only NOSCAN, FOR COLUMNS or FOR ALL COLUMNS may follow COMPUTE STATISTICS, not %s.", word)
}

// ExpectViewNotTable reports a statement about views that names a table, and that no statement does to tables.
func ExpectViewNotTable(table, operation string) *Error {
	return newError("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", []Param{{"tableName", table}, {"operation", operation}}, "%s needs a view, but %s is a table.", operation, table)
}

// UseAlterTable reports ALTER VIEW of a table.
func UseAlterTable(table, operation string) *Error {
	return newError("EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", []Param{{"tableName", table}, {"operation", operation}}, "%s needs a view, but %s is a table. Use ALTER TABLE.", operation, table)
}

// WrongCommand reports DROP TABLE of a view and the like.
func WrongCommand(operation, required, name, found, alternative string) *Error {
	return newError("WRONG_COMMAND_FOR_OBJECT_TYPE", []Param{{"operation", operation}, {"requiredType", required}, {"objectName", name}, {"foundType", found}, {"alternative", alternative}}, "%s needs a %s, but %s is a %s. Use %s instead.", operation, required, name, found, alternative)
}

// TooManyNameParts reports a name with too many parts.
func TooManyNameParts(name string, limit int) *Error {
	return newError("IDENTIFIER_TOO_MANY_NAME_PARTS", []Param{{"identifier", name}, {"limit", strconv.Itoa(limit)}}, "%s has more parts than a name can have here (%d: catalog, schema and name).", name, limit)
}

// ColumnNotDefined reports PARTITIONED BY of a column that the table lacks.
func ColumnNotDefined(colType, column, table string, have []string) *Error {
	return newError("COLUMN_NOT_DEFINED_IN_TABLE", []Param{{"colType", colType}, {"colName", column}, {"tableName", table}, {"tableCols", strings.Join(have, ", ")}}, "The %s column %s is not defined in table %s, whose columns are: %s.", colType, column, table, strings.Join(have, ", "))
}

// InvalidBucketCount reports INTO n BUCKETS with a number that is not from 1 to limit.
func InvalidBucketCount(n string, limit int) *Error {
	return newError("INVALID_BUCKET_COUNT", []Param{{"numBuckets", n}, {"bucketingMaxBuckets", strconv.Itoa(limit)}}, "A table has from 1 to %d buckets, not %s.", limit, n)
}

// InvalidDefault reports a DEFAULT that a column cannot have. why is the end of the condition: DATA_TYPE, NOT_CONSTANT,
// SUBQUERY_EXPRESSION or UNRESOLVED_EXPRESSION; because says it in words.
func InvalidDefault(why, statement, column, text, because string) *Error {
	return newError(Condition("INVALID_DEFAULT_VALUE."+why), []Param{{"statement", statement}, {"colName", column}, {"defaultValue", text}},
		"The column %s cannot have the default %s (%s): %s. A default is made of literals and functions of them.", column, text, statement, because)
}

// ColumnAlreadyExists reports a column that is named twice.
func ColumnAlreadyExists(column string) *Error {
	return newError("COLUMN_ALREADY_EXISTS", []Param{{"columnName", column}}, "The column %s appears twice. Give it another name, or leave it out.", column)
}

// ColumnNotFound reports an unknown column of a table.
func ColumnNotFound(column string) *Error {
	return newError("COLUMN_NOT_FOUND", []Param{{"colName", column}, {"caseSensitiveConfig", "\"spark.sql.caseSensitive\""}}, "There is no column %s. Check the spelling; SHOW COLUMNS lists those there are.", column)
}

// AllPartitionColumns reports a table of partition columns alone.
func AllPartitionColumns() *Error {
	return newError("ALL_PARTITION_COLUMNS_NOT_ALLOWED", nil, "A table needs at least one column that is no partition column.")
}

// InvalidPartitionColumnType reports a nested or interval partition column.
func InvalidPartitionColumnType(typeName string) *Error {
	return newError("INVALID_PARTITION_COLUMN_DATA_TYPE", []Param{{"type", typeName}}, "A partition column cannot be of type %s: directory names hold single values.", typeName)
}

// ExternalWithoutLocation reports EXTERNAL without LOCATION.
func ExternalWithoutLocation() *Error {
	return newError("CREATE_EXTERNAL_TABLE_WITHOUT_LOCATION", nil, "CREATE EXTERNAL TABLE needs a LOCATION: name the directory that holds the files.")
}

// SpecifyPartitionNotAllowed reports PARTITIONED BY with types and no column list.
func SpecifyPartitionNotAllowed() *Error {
	return newError("SPECIFY_PARTITION_IS_NOT_ALLOWED", nil, "PARTITIONED BY with types needs a list of columns. Name the columns, or give the partition columns without types.")
}

// PartitionColumnsMismatch reports PARTITIONED BY names that the directories contradict, in a table without a column list:
// Spark's condition for such a clause there, which Tarn raises only when the names are wrong.
func PartitionColumnsMismatch(wanted, found, location string) *Error {
	return newError("SPECIFY_PARTITION_IS_NOT_ALLOWED", []Param{{"declared", wanted}, {"found", found}, {"location", location}}, "PARTITIONED BY (%s) does not agree with the directories at %s, whose levels are (%s). Name those, or leave PARTITIONED BY out to take what is there.", wanted, location, found)
}

// UnableToInferSchema reports a table or path without files to infer from.
func UnableToInferSchema(format, place string) *Error {
	return newError("UNABLE_TO_INFER_SCHEMA", []Param{{"format", format}}, "No schema can be inferred for %s: there are no data files at %s. Give the columns in the statement.", format, place)
}

// EmptyLocation reports LOCATION ”.
func EmptyLocation() *Error {
	return newError("INVALID_EMPTY_LOCATION", []Param{{"location", ""}}, "The location is empty. Name a directory.")
}

// LocationAlreadyExists reports a managed table whose directory is taken.
func LocationAlreadyExists(name, location string) *Error {
	return newError("LOCATION_ALREADY_EXISTS", []Param{{"identifier", name}, {"location", location}}, "The managed table %s cannot be made: its directory %s holds files already. Move them away, or make an external table with LOCATION.", name, location)
}

// LocationNotEmpty reports CREATE TABLE … AS SELECT over files that are there already.
func LocationNotEmpty(name, location string) *Error {
	return newError("LOCATION_ALREADY_EXISTS", []Param{{"identifier", name}, {"location", location}}, "The table %s cannot be made from a query at %s, which holds files already: its rows would be mixed with theirs. Choose another LOCATION, or write CREATE OR REPLACE TABLE to replace what is there.", name, location)
}

// CannotAlterPartitionColumn reports ALTER COLUMN of a partition column.
func CannotAlterPartitionColumn(table, column string) *Error {
	return newError("CANNOT_ALTER_PARTITION_COLUMN", []Param{{"tableName", table}, {"columnName", column}}, "The partition column %[2]s of table %[1]s cannot be altered: its values are in the names of directories.", table, column)
}

// NotAPartitionedTable reports a partition statement about an unpartitioned table.
func NotAPartitionedTable(operation, table string) *Error {
	return newError("NOT_A_PARTITIONED_TABLE", []Param{{"operation", operation}, {"tableIdentWithDB", table}}, "%s needs a partitioned table, and %s is not partitioned.", operation, table)
}

// PartitionSchemaEmpty reports SHOW PARTITIONS of an unpartitioned table.
func PartitionSchemaEmpty(table string) *Error {
	return newError("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", []Param{{"name", table}}, "The table %s is not partitioned.", table)
}

// PartitionManagementUnsupported reports ALTER … PARTITION of a listing table.
func PartitionManagementUnsupported(table, operation string) *Error {
	return newError("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", []Param{{"name", table}}, "%[2]s cannot change the partitions of %[1]s: each query lists its directories, so there are no entries to change. To keep a partition log, run CREATE OR REPLACE TABLE with TBLPROPERTIES ('partitionMetadataEnabled'='true').", table, operation)
}

// PartitionOutsideTable reports a partition location outside its table.
func PartitionOutsideTable(location, table, root string) *Error {
	return newError("PARTITION_OUTSIDE_TABLE", []Param{{"location", location}, {"tableName", table}, {"tableLocation", root}}, "The location %s lies outside table %s, whose location is %s. Partitions of this catalog lie inside their table.", location, table, root)
}

// RepairWouldDropMost reports a repair that would empty a table.
func RepairWouldDropMost(table string, drops, known int, fraction string) *Error {
	return newError("REPAIR_WOULD_DROP_MOST", []Param{{"tableName", table}, {"drops", strconv.Itoa(drops)}, {"known", strconv.Itoa(known)}, {"maxDropFraction", fraction}}, "The repair of %s would drop %d of %d partitions, more than tarn.repair.maxDropFraction (%s) allows. Look with DRY RUN whether the storage is really there; add FORCE to drop them.", table, drops, known, fraction)
}

// RepairRootMissing reports a repair of a table whose root is missing.
func RepairRootMissing(table, location string, known int) *Error {
	return newError("REPAIR_WOULD_DROP_MOST", []Param{{"tableName", table}, {"location", location}, {"known", strconv.Itoa(known)}}, "The location %[2]s of %[1]s does not exist, so the repair would drop all %[3]d partitions. Is the storage mounted? Add FORCE to drop them.", table, location, known)
}

// NotSupportedChangeColumn reports a change of type that files do not allow.
func NotSupportedChangeColumn(table, from, fromType, to, toType string) *Error {
	return newError("NOT_SUPPORTED_CHANGE_COLUMN", []Param{{"table", table}, {"originName", from}, {"originType", fromType}, {"newName", to}, {"newType", toType}}, "The column %[2]s of %[1]s cannot change from %[3]s to %[5]s: files written before would no longer be read right.", table, from, fromType, to, toType)
}

// ForbiddenOperation reports a statement that this kind of object does not take.
func ForbiddenOperation(statement, objectType, name string) *Error {
	return newError("FORBIDDEN_OPERATION", []Param{{"statement", statement}, {"objectType", objectType}, {"objectName", name}}, "%s is not possible on the %s %s.", statement, objectType, name)
}

// ShowCreateTempView reports SHOW CREATE TABLE of a temporary view.
func ShowCreateTempView(name string) *Error {
	return newError("UNSUPPORTED_SHOW_CREATE_TABLE.ON_TEMPORARY_VIEW", []Param{{"tableName", name}}, "SHOW CREATE TABLE does not work for the temporary view %s.", name)
}

// DataSourceNotFound reports an unknown format.
func DataSourceNotFound(name string) *Error {
	return newError("DATA_SOURCE_NOT_FOUND", []Param{{"provider", name}}, "There is no format %s. Tarn reads parquet, csv and json.", name)
}

// PartitionLogFormat reports partitionMetadataEnabled where no log is possible.
func PartitionLogFormat(format string) *Error {
	return newError("UNSUPPORTED_FEATURE.PARTITION_LOG_FORMAT", []Param{{"format", format}}, "A partition log is not possible for a table of format %s that is not partitioned Parquet, ORC, CSV or JSON.", format)
}

// ClientRuntime reports use of a log table by an old client.
func ClientRuntime(table, version string) *Error {
	return newError("UNSUPPORTED_FEATURE.CLIENT_RUNTIME", []Param{{"tableName", table}, {"version", version}}, "The table %s keeps a partition log, which needs a runtime of 13.3 or later; this session declares %s (tarn.client.runtimeVersion). It may only DROP or CREATE OR REPLACE the table.", table, version)
}

// PropertyFixed reports SET TBLPROPERTIES of a property that cannot change.
func PropertyFixed(key, advice string) *Error {
	return newError("INVALID_PROPERTY_KEY", []Param{{"key", key}}, "The property %s is fixed when a table is made. %s", key, advice)
}

// ReadOnlyCatalog reports a change of a system schema.
func ReadOnlyCatalog(name string) *Error {
	return newError("READ_ONLY_CATALOG", []Param{{"name", name}}, "%s is read-only: it shows what the catalog holds.", name)
}

// ConcurrentConflict reports a change that lost every race.
func ConcurrentConflict(table string) *Error {
	return newError("CONCURRENT_WRITE_CONFLICT", []Param{{"tableName", table}}, "Somebody else changed %s at the same time, again and again. Run the statement once more.", table)
}

// VersionNotFound reports a version that a table does not have.
func VersionNotFound(table, version string) *Error {
	return newError("SNAPSHOT_EXPIRED", []Param{{"tableName", table}, {"version", version}}, "The table %s has no version %s. DESCRIBE HISTORY lists those there are.", table, version)
}

// PermanentObject reports DROP of a built-in catalog.
func PermanentObject(what, name string) *Error {
	return newError("STATIC_CATALOG", []Param{{"objectType", what}, {"objectName", name}}, "The %s %s comes with Tarn and cannot be dropped or changed so.", what, name)
}

// RenameAcrossSchemas reports RENAME TO another schema.
func RenameAcrossSchemas(kind string) *Error {
	return newError("CANNOT_RENAME_ACROSS_SCHEMA", []Param{{"type", kind}}, "The name cannot change so: a %s cannot be renamed into another schema or catalog.", kind)
}

// DuplicateLocation reports LOCATION beside the option path.
func DuplicateLocation() *Error {
	return newError("DUPLICATE_CLAUSES", []Param{{"clauseName", "LOCATION"}}, "LOCATION and the option path both name a place. Keep one of them.")
}

// ShowColumnsConflict reports SHOW COLUMNS of a name in one schema IN another.
func ShowColumnsConflict(a, b string) *Error {
	return newError("SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", []Param{{"namespaceA", a}, {"namespaceB", b}}, "SHOW COLUMNS names two schemas, %s and %s. Keep one of them.", a, b)
}

// ExternalVolumeWithoutLocation reports CREATE EXTERNAL VOLUME without LOCATION.
func ExternalVolumeWithoutLocation() *Error {
	return newError("CREATE_EXTERNAL_VOLUME_WITHOUT_LOCATION", nil, "CREATE EXTERNAL VOLUME needs a LOCATION: name the directory that it stands for.")
}

// ViewArityMismatch reports a column list of a view that is not as long as its query's.
func ViewArityMismatch(view string, names, columns int) *Error {
	c := Condition("CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS")
	if names < columns {
		c = "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
	}
	return newError(c, []Param{{"viewName", view}, {"viewColumns", strconv.Itoa(names)}, {"dataColumns", strconv.Itoa(columns)}}, "The view %s names %d columns, but its query has %d.", view, names, columns)
}

// TempViewQualified reports CREATE TEMPORARY VIEW with a schema.
func TempViewQualified(name string) *Error {
	return newError("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", []Param{{"actualName", name}}, "A temporary view has no schema: %s has too many parts.", name)
}

// NoTableAt reports a repair by directory where no table has that location.
func NoTableAt(location string) *Error {
	return newError("TABLE_OR_VIEW_NOT_FOUND", []Param{{"relationName", location}}, "No table of the catalog has the location %s. Make one with CREATE TABLE (tarn inspect prints it), or compare the directory with another engine's partitions: --known.", location)
}

// SeveralTablesAt reports a repair by directory that several tables share.
func SeveralTablesAt(location string, tables []string) *Error {
	return newError("AMBIGUOUS_LOCATION", []Param{{"location", location}, {"tables", strings.Join(tables, ", ")}}, "Several tables have the location %s: %s. Name the one to repair.", location, strings.Join(tables, ", "))
}

// TableOperation reports a change that tables of files do not take.
func TableOperation(table, operation string) *Error {
	return newError("UNSUPPORTED_FEATURE.TABLE_OPERATION", []Param{{"tableName", table}, {"operation", operation}}, "The table %s does not support %s: its files keep their columns. Make another table over the same location, or a view.", table, operation)
}
