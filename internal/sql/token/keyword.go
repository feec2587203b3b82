package token

// This file is long because it is two lists of every keyword, the constants and their spellings: apart, they would drift.

// Keyword is a word that the grammar knows. Nearly all of them are names too: see IsStrict.
type Keyword uint16

// The keywords, in alphabetical order. NoKeyword is the keyword of every other token.
const (
	NoKeyword Keyword = iota
	ADD
	AFTER
	ALL
	ALTER
	ALWAYS
	ANALYZE
	AND
	ANTI
	ANY
	APPLY
	ARCHIVE
	AS
	ASC
	AT
	AUTO
	BEGIN
	BETWEEN
	BINDING
	BOTH
	BUCKET
	BUCKETS
	BY
	CACHE
	CALL
	CASCADE
	CASE
	CAST
	CATALOG
	CATALOGS
	CHANGE
	CHECK
	CLEAR
	CLONE
	CLUSTER
	CLUSTERED
	CODEGEN
	COLLATE
	COLLATION
	COLLECTION
	COLUMN
	COLUMNS
	COMMENT
	COMMIT
	COMPACT
	COMPENSATION
	COMPUTE
	CONCATENATE
	CONNECTION
	CONNECTIONS
	CONSTRAINT
	CONVERT
	COPY
	COST
	CREATE
	CREDENTIAL
	CREDENTIALS
	CROSS
	CUBE
	CURRENT
	DATABASE
	DATABASES
	DATEADD
	DATEDIFF
	DATE_ADD
	DATE_DIFF
	DBFS
	DBPROPERTIES
	DECLARE
	DEEP
	DEFAULT
	DEFINED
	DEFINER
	DELETE
	DELIMITED
	DESC
	DESCRIBE
	DETAIL
	DIRECTORY
	DISTINCT
	DISTRIBUTE
	DIV
	DO
	DRIFT
	DROP
	DRY
	ELSE
	END
	ESCAPE
	ESCAPED
	EVOLUTION
	EXCEPT
	EXCHANGE
	EXCLUDE
	EXECUTE
	EXISTS
	EXPLAIN
	EXPORT
	EXTENDED
	EXTERNAL
	EXTRACT
	FALSE
	FETCH
	FIELDS
	FILEFORMAT
	FILTER
	FIRST
	FOLLOWING
	FOR
	FORCE
	FOREIGN
	FORMAT
	FORMATTED
	FROM
	FSCK
	FULL
	FUNCTION
	FUNCTIONS
	GENERATE
	GENERATED
	GLOBAL
	GRANT
	GRANTS
	GROUP
	GROUPING
	HAVING
	HISTORY
	IDENTIFIER
	IF
	IGNORE
	ILIKE
	IMMEDIATE
	IMPORT
	IN
	INCLUDE
	INDEX
	INDEXES
	INNER
	INPATH
	INPUTFORMAT
	INSERT
	INTERSECT
	INTERVAL
	INTO
	INVOKER
	IS
	ITEMS
	JOIN
	JSON
	KEY
	KEYS
	KILL
	LANGUAGE
	LAST
	LATERAL
	LEADING
	LEFT
	LEVEL
	LIKE
	LIMIT
	LINES
	LIST
	LOAD
	LOCAL
	LOCATION
	LOCATIONS
	LOCK
	MANAGED
	MAP
	MATERIALIZED
	MAX
	MERGE
	METADATA
	MINUS
	MSCK
	NAME
	NAMESPACE
	NAMESPACES
	NATURAL
	NEXT
	NO
	NONE
	NOSCAN
	NOT
	NULL
	NULLS
	OF
	OFFSET
	ON
	ONLY
	OPTIMIZE
	OPTION
	OPTIONS
	OR
	ORDER
	OUT
	OUTER
	OUTPUTFORMAT
	OVER
	OVERLAY
	OVERWRITE
	OWNER
	PARTITION
	PARTITIONED
	PARTITIONS
	PATH
	PERCENT
	PIVOT
	PLACING
	POLICY
	POSITION
	PRECEDING
	PREPARE
	PRIMARY
	PRINCIPALS
	PROCEDURE
	PROCEDURES
	PROPERTIES
	PROVIDER
	PROVIDERS
	PURGE
	QUALIFY
	QUERY
	RANGE
	RECIPIENT
	RECIPIENTS
	RECORDREADER
	RECORDWRITER
	RECOVER
	RECURSION
	RECURSIVE
	REDUCE
	REFERENCES
	REFRESH
	REGEXP
	RENAME
	REORG
	REPAIR
	REPEATABLE
	REPLACE
	RESET
	RESPECT
	RESTORE
	RESTRICT
	REVOKE
	RIGHT
	RLIKE
	ROLE
	ROLES
	ROLLBACK
	ROLLUP
	ROW
	ROWFORMAT
	ROWS
	RUN
	SCHEMA
	SCHEMAS
	SECURITY
	SELECT
	SEMI
	SEPARATED
	SERDE
	SERDEPROPERTIES
	SET
	SETMINUS
	SETS
	SHALLOW
	SHARE
	SHARES
	SHOW
	SKEWED
	SOME
	SORT
	SORTED
	START
	STATISTICS
	STORAGE
	STORED
	STRUCT
	SUBSTR
	SUBSTRING
	SYNC
	SYSTEM
	SYSTEM_TIME
	SYSTEM_VERSION
	TABLE
	TABLES
	TABLESAMPLE
	TARGET
	TBLPROPERTIES
	TEMP
	TEMPORARY
	TERMINATED
	THEN
	TIME
	TIMESTAMP
	TIMESTAMPADD
	TIMESTAMPDIFF
	TO
	TOUCH
	TRAILING
	TRANSACTION
	TRANSACTIONS
	TRANSFORM
	TRIM
	TRUE
	TRUNCATE
	TRY_CAST
	TYPE
	UNARCHIVE
	UNBOUNDED
	UNCACHE
	UNDROP
	UNION
	UNIQUE
	UNKNOWN
	UNLOCK
	UNPIVOT
	UNSET
	UPDATE
	URL
	USE
	USER
	USING
	VACUUM
	VALUES
	VAR
	VARIABLE
	VERSION
	VIEW
	VIEWS
	VOLUME
	VOLUMES
	WHEN
	WHERE
	WINDOW
	WITH
	WITHIN
	WITHOUT
	ZONE
	keywordCount
)

// words spells the keywords.
var words = [keywordCount]string{
	ADD:             "ADD",
	AFTER:           "AFTER",
	ALL:             "ALL",
	ALTER:           "ALTER",
	ALWAYS:          "ALWAYS",
	ANALYZE:         "ANALYZE",
	AND:             "AND",
	ANTI:            "ANTI",
	ANY:             "ANY",
	APPLY:           "APPLY",
	ARCHIVE:         "ARCHIVE",
	AS:              "AS",
	ASC:             "ASC",
	AT:              "AT",
	AUTO:            "AUTO",
	BEGIN:           "BEGIN",
	BETWEEN:         "BETWEEN",
	BINDING:         "BINDING",
	BOTH:            "BOTH",
	BUCKET:          "BUCKET",
	BUCKETS:         "BUCKETS",
	BY:              "BY",
	CACHE:           "CACHE",
	CALL:            "CALL",
	CASCADE:         "CASCADE",
	CASE:            "CASE",
	CAST:            "CAST",
	CATALOG:         "CATALOG",
	CATALOGS:        "CATALOGS",
	CHANGE:          "CHANGE",
	CHECK:           "CHECK",
	CLEAR:           "CLEAR",
	CLONE:           "CLONE",
	CLUSTER:         "CLUSTER",
	CLUSTERED:       "CLUSTERED",
	CODEGEN:         "CODEGEN",
	COLLATE:         "COLLATE",
	COLLATION:       "COLLATION",
	COLLECTION:      "COLLECTION",
	COLUMN:          "COLUMN",
	COLUMNS:         "COLUMNS",
	COMMENT:         "COMMENT",
	COMMIT:          "COMMIT",
	COMPACT:         "COMPACT",
	COMPENSATION:    "COMPENSATION",
	COMPUTE:         "COMPUTE",
	CONCATENATE:     "CONCATENATE",
	CONNECTION:      "CONNECTION",
	CONNECTIONS:     "CONNECTIONS",
	CONSTRAINT:      "CONSTRAINT",
	CONVERT:         "CONVERT",
	COPY:            "COPY",
	COST:            "COST",
	CREATE:          "CREATE",
	CREDENTIAL:      "CREDENTIAL",
	CREDENTIALS:     "CREDENTIALS",
	CROSS:           "CROSS",
	CUBE:            "CUBE",
	CURRENT:         "CURRENT",
	DATABASE:        "DATABASE",
	DATABASES:       "DATABASES",
	DATEADD:         "DATEADD",
	DATEDIFF:        "DATEDIFF",
	DATE_ADD:        "DATE_ADD",
	DATE_DIFF:       "DATE_DIFF",
	DBFS:            "DBFS",
	DBPROPERTIES:    "DBPROPERTIES",
	DECLARE:         "DECLARE",
	DEEP:            "DEEP",
	DEFAULT:         "DEFAULT",
	DEFINED:         "DEFINED",
	DEFINER:         "DEFINER",
	DELETE:          "DELETE",
	DELIMITED:       "DELIMITED",
	DESC:            "DESC",
	DESCRIBE:        "DESCRIBE",
	DETAIL:          "DETAIL",
	DIRECTORY:       "DIRECTORY",
	DISTINCT:        "DISTINCT",
	DISTRIBUTE:      "DISTRIBUTE",
	DIV:             "DIV",
	DO:              "DO",
	DRIFT:           "DRIFT",
	DROP:            "DROP",
	DRY:             "DRY",
	ELSE:            "ELSE",
	END:             "END",
	ESCAPE:          "ESCAPE",
	ESCAPED:         "ESCAPED",
	EVOLUTION:       "EVOLUTION",
	EXCEPT:          "EXCEPT",
	EXCHANGE:        "EXCHANGE",
	EXCLUDE:         "EXCLUDE",
	EXECUTE:         "EXECUTE",
	EXISTS:          "EXISTS",
	EXPLAIN:         "EXPLAIN",
	EXPORT:          "EXPORT",
	EXTENDED:        "EXTENDED",
	EXTERNAL:        "EXTERNAL",
	EXTRACT:         "EXTRACT",
	FALSE:           "FALSE",
	FETCH:           "FETCH",
	FIELDS:          "FIELDS",
	FILEFORMAT:      "FILEFORMAT",
	FILTER:          "FILTER",
	FIRST:           "FIRST",
	FOLLOWING:       "FOLLOWING",
	FOR:             "FOR",
	FORCE:           "FORCE",
	FOREIGN:         "FOREIGN",
	FORMAT:          "FORMAT",
	FORMATTED:       "FORMATTED",
	FROM:            "FROM",
	FSCK:            "FSCK",
	FULL:            "FULL",
	FUNCTION:        "FUNCTION",
	FUNCTIONS:       "FUNCTIONS",
	GENERATE:        "GENERATE",
	GENERATED:       "GENERATED",
	GLOBAL:          "GLOBAL",
	GRANT:           "GRANT",
	GRANTS:          "GRANTS",
	GROUP:           "GROUP",
	GROUPING:        "GROUPING",
	HAVING:          "HAVING",
	HISTORY:         "HISTORY",
	IDENTIFIER:      "IDENTIFIER",
	IF:              "IF",
	IGNORE:          "IGNORE",
	ILIKE:           "ILIKE",
	IMMEDIATE:       "IMMEDIATE",
	IMPORT:          "IMPORT",
	IN:              "IN",
	INCLUDE:         "INCLUDE",
	INDEX:           "INDEX",
	INDEXES:         "INDEXES",
	INNER:           "INNER",
	INPATH:          "INPATH",
	INPUTFORMAT:     "INPUTFORMAT",
	INSERT:          "INSERT",
	INTERSECT:       "INTERSECT",
	INTERVAL:        "INTERVAL",
	INTO:            "INTO",
	INVOKER:         "INVOKER",
	IS:              "IS",
	ITEMS:           "ITEMS",
	JOIN:            "JOIN",
	JSON:            "JSON",
	KEY:             "KEY",
	KEYS:            "KEYS",
	KILL:            "KILL",
	LANGUAGE:        "LANGUAGE",
	LAST:            "LAST",
	LATERAL:         "LATERAL",
	LEADING:         "LEADING",
	LEFT:            "LEFT",
	LEVEL:           "LEVEL",
	LIKE:            "LIKE",
	LIMIT:           "LIMIT",
	LINES:           "LINES",
	LIST:            "LIST",
	LOAD:            "LOAD",
	LOCAL:           "LOCAL",
	LOCATION:        "LOCATION",
	LOCATIONS:       "LOCATIONS",
	LOCK:            "LOCK",
	MANAGED:         "MANAGED",
	MAP:             "MAP",
	MATERIALIZED:    "MATERIALIZED",
	MAX:             "MAX",
	MERGE:           "MERGE",
	METADATA:        "METADATA",
	MINUS:           "MINUS",
	MSCK:            "MSCK",
	NAME:            "NAME",
	NAMESPACE:       "NAMESPACE",
	NAMESPACES:      "NAMESPACES",
	NATURAL:         "NATURAL",
	NEXT:            "NEXT",
	NO:              "NO",
	NONE:            "NONE",
	NOSCAN:          "NOSCAN",
	NOT:             "NOT",
	NULL:            "NULL",
	NULLS:           "NULLS",
	OF:              "OF",
	OFFSET:          "OFFSET",
	ON:              "ON",
	ONLY:            "ONLY",
	OPTIMIZE:        "OPTIMIZE",
	OPTION:          "OPTION",
	OPTIONS:         "OPTIONS",
	OR:              "OR",
	ORDER:           "ORDER",
	OUT:             "OUT",
	OUTER:           "OUTER",
	OUTPUTFORMAT:    "OUTPUTFORMAT",
	OVER:            "OVER",
	OVERLAY:         "OVERLAY",
	OVERWRITE:       "OVERWRITE",
	OWNER:           "OWNER",
	PARTITION:       "PARTITION",
	PARTITIONED:     "PARTITIONED",
	PARTITIONS:      "PARTITIONS",
	PATH:            "PATH",
	PERCENT:         "PERCENT",
	PIVOT:           "PIVOT",
	PLACING:         "PLACING",
	POLICY:          "POLICY",
	POSITION:        "POSITION",
	PRECEDING:       "PRECEDING",
	PREPARE:         "PREPARE",
	PRIMARY:         "PRIMARY",
	PRINCIPALS:      "PRINCIPALS",
	PROCEDURE:       "PROCEDURE",
	PROCEDURES:      "PROCEDURES",
	PROPERTIES:      "PROPERTIES",
	PROVIDER:        "PROVIDER",
	PROVIDERS:       "PROVIDERS",
	PURGE:           "PURGE",
	QUALIFY:         "QUALIFY",
	QUERY:           "QUERY",
	RANGE:           "RANGE",
	RECIPIENT:       "RECIPIENT",
	RECIPIENTS:      "RECIPIENTS",
	RECORDREADER:    "RECORDREADER",
	RECORDWRITER:    "RECORDWRITER",
	RECOVER:         "RECOVER",
	RECURSION:       "RECURSION",
	RECURSIVE:       "RECURSIVE",
	REDUCE:          "REDUCE",
	REFERENCES:      "REFERENCES",
	REFRESH:         "REFRESH",
	REGEXP:          "REGEXP",
	RENAME:          "RENAME",
	REORG:           "REORG",
	REPAIR:          "REPAIR",
	REPEATABLE:      "REPEATABLE",
	REPLACE:         "REPLACE",
	RESET:           "RESET",
	RESPECT:         "RESPECT",
	RESTORE:         "RESTORE",
	RESTRICT:        "RESTRICT",
	REVOKE:          "REVOKE",
	RIGHT:           "RIGHT",
	RLIKE:           "RLIKE",
	ROLE:            "ROLE",
	ROLES:           "ROLES",
	ROLLBACK:        "ROLLBACK",
	ROLLUP:          "ROLLUP",
	ROW:             "ROW",
	ROWFORMAT:       "ROWFORMAT",
	ROWS:            "ROWS",
	RUN:             "RUN",
	SCHEMA:          "SCHEMA",
	SCHEMAS:         "SCHEMAS",
	SECURITY:        "SECURITY",
	SELECT:          "SELECT",
	SEMI:            "SEMI",
	SEPARATED:       "SEPARATED",
	SERDE:           "SERDE",
	SERDEPROPERTIES: "SERDEPROPERTIES",
	SET:             "SET",
	SETMINUS:        "SETMINUS",
	SETS:            "SETS",
	SHALLOW:         "SHALLOW",
	SHARE:           "SHARE",
	SHARES:          "SHARES",
	SHOW:            "SHOW",
	SKEWED:          "SKEWED",
	SOME:            "SOME",
	SORT:            "SORT",
	SORTED:          "SORTED",
	START:           "START",
	STATISTICS:      "STATISTICS",
	STORAGE:         "STORAGE",
	STORED:          "STORED",
	STRUCT:          "STRUCT",
	SUBSTR:          "SUBSTR",
	SUBSTRING:       "SUBSTRING",
	SYNC:            "SYNC",
	SYSTEM:          "SYSTEM",
	SYSTEM_TIME:     "SYSTEM_TIME",
	SYSTEM_VERSION:  "SYSTEM_VERSION",
	TABLE:           "TABLE",
	TABLES:          "TABLES",
	TABLESAMPLE:     "TABLESAMPLE",
	TARGET:          "TARGET",
	TBLPROPERTIES:   "TBLPROPERTIES",
	TEMP:            "TEMP",
	TEMPORARY:       "TEMPORARY",
	TERMINATED:      "TERMINATED",
	THEN:            "THEN",
	TIME:            "TIME",
	TIMESTAMP:       "TIMESTAMP",
	TIMESTAMPADD:    "TIMESTAMPADD",
	TIMESTAMPDIFF:   "TIMESTAMPDIFF",
	TO:              "TO",
	TOUCH:           "TOUCH",
	TRAILING:        "TRAILING",
	TRANSACTION:     "TRANSACTION",
	TRANSACTIONS:    "TRANSACTIONS",
	TRANSFORM:       "TRANSFORM",
	TRIM:            "TRIM",
	TRUE:            "TRUE",
	TRUNCATE:        "TRUNCATE",
	TRY_CAST:        "TRY_CAST",
	TYPE:            "TYPE",
	UNARCHIVE:       "UNARCHIVE",
	UNBOUNDED:       "UNBOUNDED",
	UNCACHE:         "UNCACHE",
	UNDROP:          "UNDROP",
	UNION:           "UNION",
	UNIQUE:          "UNIQUE",
	UNKNOWN:         "UNKNOWN",
	UNLOCK:          "UNLOCK",
	UNPIVOT:         "UNPIVOT",
	UNSET:           "UNSET",
	UPDATE:          "UPDATE",
	URL:             "URL",
	USE:             "USE",
	USER:            "USER",
	USING:           "USING",
	VACUUM:          "VACUUM",
	VALUES:          "VALUES",
	VAR:             "VAR",
	VARIABLE:        "VARIABLE",
	VERSION:         "VERSION",
	VIEW:            "VIEW",
	VIEWS:           "VIEWS",
	VOLUME:          "VOLUME",
	VOLUMES:         "VOLUMES",
	WHEN:            "WHEN",
	WHERE:           "WHERE",
	WINDOW:          "WINDOW",
	WITH:            "WITH",
	WITHIN:          "WITHIN",
	WITHOUT:         "WITHOUT",
	ZONE:            "ZONE",
}

// String is the keyword in upper case.
func (k Keyword) String() string {
	if k >= keywordCount {
		return ""
	}
	return words[k]
}

// IsStrict reports whether the keyword cannot be an alias of a relation without AS, because it could begin what
// follows a relation (Spark's strictNonReserved list). Every keyword may name anything where no clause can begin.
func (k Keyword) IsStrict() bool {
	switch k {
	case ANTI, CROSS, EXCEPT, FULL, INNER, INTERSECT, JOIN, LATERAL, LEFT, MINUS, NATURAL, ON, RIGHT, SEMI, SETMINUS,
		UNION, USING:
		return true
	}
	return false
}

const (
	tableBits = 11
	tableSize = 1 << tableBits
	maxWord   = 16
)

// table finds keywords by the hash of their upper-case letters, with linear probing. It is filled once and never
// changes.
var table = func() (t [tableSize]Keyword) {
	for k := Keyword(1); k < keywordCount; k++ {
		h := hash(words[k])
		for t[h] != NoKeyword {
			h = (h + 1) % tableSize
		}
		t[h] = k
	}
	return t
}()

// hash folds ASCII letters to upper case on the way.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(upper(s[i]))) * 16777619
	}
	return (h ^ h>>15) % tableSize
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// Lookup returns the keyword that s spells in any case, or NoKeyword.
func Lookup(s string) Keyword {
	if len(s) < 2 || len(s) > maxWord {
		return NoKeyword
	}
	for h := hash(s); table[h] != NoKeyword; h = (h + 1) % tableSize {
		if equalFold(words[table[h]], s) {
			return table[h]
		}
	}
	return NoKeyword
}

// equalFold compares an upper-case word with s.
func equalFold(word, s string) bool {
	if len(word) != len(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if word[i] != upper(s[i]) {
			return false
		}
	}
	return true
}
