package sqlerr

import "strconv"

// The reasons why a table cannot be upgraded have Databricks' names; RECORDED_FILES and PARTITION_OUTSIDE_TABLE are Tarn's.
var upgradeConditions = []row{
	{"UPGRADE_NOT_SUPPORTED", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.BUCKETED_TABLE", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.DBFS_ROOT_LOCATION", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.HIVE_SERDE", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.MISSING_FILE_SCHEME", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.NOT_EXTERNAL", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.PARTITION_OUTSIDE_TABLE", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.RECORDED_FILES", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.UNSUPPORTED_DBFS_LOC", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.UNSUPPORTED_FILE_SCHEME", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.UNSUPPORTED_PROVIDER", "0AKUC"},
	{"UPGRADE_NOT_SUPPORTED.UNSUPPORTED_TABLE_TYPE", "0AKUC"},
	{"OPERATION_REQUIRES_UNITY_CATALOG", "0AKUD"},
	{"OPERATION_REQUIRES_HIVE_METASTORE", "0AKUC"},
}

// notUpgraded is the sentence that all of them begin with.
const notUpgraded = "Table %s is not eligible for an upgrade to a Unity-style catalog. Reason: "

// UpgradeBucketed reports a table that is CLUSTERED BY … INTO n BUCKETS; name is quoted, as in all of these.
func UpgradeBucketed(name string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.BUCKETED_TABLE", []Param{{"tableName", name}},
		notUpgraded+"Bucketed table. Copy it with CREATE TABLE … AS SELECT.", name)
}

// UpgradeDBFSRoot reports files in storage of the workspace itself.
func UpgradeDBFSRoot(name, location string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.DBFS_ROOT_LOCATION", []Param{{"tableName", name}, {"location", location}},
		notUpgraded+"Table located on the DBFS root, at %s. Copy it with CREATE TABLE … CLONE, or AS SELECT.", name, location)
}

// UpgradeHiveSerde reports a table that a Hive serde reads.
func UpgradeHiveSerde(name string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.HIVE_SERDE", []Param{{"tableName", name}},
		notUpgraded+"Hive SerDe table. Create it with USING the format of its files, or copy it with CREATE TABLE … AS SELECT.", name)
}

// UpgradeNoScheme reports a location without a scheme.
func UpgradeNoScheme(name, location string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.MISSING_FILE_SCHEME", []Param{{"tableName", name}, {"location", location}},
		notUpgraded+"Missing file system scheme in the location '%s'. Set it anew with ALTER TABLE … SET LOCATION.", name, location)
}

// UpgradeNotExternal reports a managed table without AS EXTERNAL.
func UpgradeNotExternal(name string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.NOT_EXTERNAL", []Param{{"tableName", name}},
		notUpgraded+"Not an external table. Say AS EXTERNAL to register its files where they are, or copy it.", name)
}

// UpgradePartitionOutside reports partitions whose directories lie outside the table's: a Unity-style catalog takes none.
// first is the location of one of them.
func UpgradePartitionOutside(name string, count int, first, root string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.PARTITION_OUTSIDE_TABLE", []Param{{"tableName", name}, {"partitions", strconv.Itoa(count)}, {"location", first}},
		notUpgraded+"Partitions outside the table: %d of them, such as %s, are not below %s. Move them there, or copy the table with CREATE TABLE … AS SELECT.", name, count, first, root)
}

// UpgradeRecorded reports a table whose files only its own catalog entry knows.
func UpgradeRecorded(name string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.RECORDED_FILES", []Param{{"tableName", name}},
		notUpgraded+"Recorded files: the catalog names the files of its partitions (tarn.readers), so that a second table over its directories would read others. Copy it with CREATE TABLE … AS SELECT.", name)
}

// UpgradeUnmounted reports a DBFS location that no mount covers.
func UpgradeUnmounted(name, location string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.UNSUPPORTED_DBFS_LOC", []Param{{"tableName", name}, {"location", location}},
		notUpgraded+"Unsupported DBFS location %s. No mount covers it: name its place in [mounts] of tarn.toml, and give the table its location anew.", name, location)
}

// UpgradeFileScheme reports a location in a store that Unity-style catalogs do not take.
func UpgradeFileScheme(name, scheme string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.UNSUPPORTED_FILE_SCHEME", []Param{{"tableName", name}, {"scheme", scheme}},
		notUpgraded+"Unsupported file system scheme %s.", name, scheme)
}

// UpgradeProvider reports a format that cannot be upgraded in place.
func UpgradeProvider(name, provider string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.UNSUPPORTED_PROVIDER", []Param{{"tableName", name}, {"provider", provider}},
		notUpgraded+"Unsupported table provider: %s. Copy it with CREATE TABLE … AS SELECT.", name, provider)
}

// UpgradeTableType reports a view, or another thing that is no table.
func UpgradeTableType(name, tableType string) *Error {
	return newError("UPGRADE_NOT_SUPPORTED.UNSUPPORTED_TABLE_TYPE", []Param{{"tableName", name}, {"tableType", tableType}},
		notUpgraded+"Unsupported table type: %s. Create it anew with CREATE VIEW; tarn migrate --views does that.", name, tableType)
}

// RequiresUnity reports a statement whose target is not in a Unity-style catalog; name is the catalog's, quoted.
func RequiresUnity(operation, name string) *Error {
	return newError("OPERATION_REQUIRES_UNITY_CATALOG", []Param{{"operation", operation}, {"catalogName", name}},
		"%s needs a target in a Unity-style catalog, and %s is none.", operation, name)
}

// RequiresHive reports a statement whose source is not in hive_metastore.
func RequiresHive(operation, name string) *Error {
	return newError("OPERATION_REQUIRES_HIVE_METASTORE", []Param{{"operation", operation}, {"catalogName", name}},
		"%s needs a source in hive_metastore; the catalog %s follows other rules.", operation, name)
}
