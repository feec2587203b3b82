package ast

// RepairMode says which changes a repair makes.
type RepairMode uint8

// The modes. RepairDefault is a statement without a clause, which means ADD.
const (
	RepairDefault RepairMode = iota
	RepairAdd
	RepairDrop
	RepairSync
	RepairSyncMetadata
)

// Repair is [MSCK] REPAIR TABLE t [PARTITION (…) | WHERE …] [ADD | DROP | SYNC PARTITIONS | SYNC METADATA] [DRY RUN]
// [FORCE]. At most one of Spec and Where is set; Spec may be partial.
type Repair struct {
	At
	Table  Name
	Spec   *PartitionSpec
	Where  Expr
	Mode   RepairMode
	DryRun bool
	Force  bool
}

// Sync is SYNC {SCHEMA | TABLE} target [AS EXTERNAL] FROM source [SET OWNER principal] [DRY RUN].
type Sync struct {
	At
	Schema     bool // both names are schemas, else tables
	Target     Name
	AsExternal bool
	Source     Name
	Owner      *Ident
	DryRun     bool
}

// Restore is RESTORE [TABLE] t TO VERSION | TIMESTAMP AS OF ….
type Restore struct {
	At
	Table Name
	AsOf  *AsOf
}

// RefreshTable is REFRESH [TABLE] t.
type RefreshTable struct {
	At
	Table Name
}

// Cache is CACHE [LAZY] TABLE t [OPTIONS (…)] [AS query], UNCACHE TABLE [IF EXISTS] t or CLEAR CACHE. Verb is the first word in
// upper case; Table is zero for CLEAR. Text is the source text of Query.
type Cache struct {
	At
	Verb     string
	Table    Name
	Lazy     bool
	IfExists bool
	Options  []Property
	Query    *Query
	Text     string
}

// RefreshPath is REFRESH 'path' or REFRESH path.
type RefreshPath struct {
	At
	Path string
}

// Truncate is TRUNCATE TABLE t [PARTITION (…)].
type Truncate struct {
	At
	Table Name
	Spec  *PartitionSpec
}

// Analyze is ANALYZE TABLE t [PARTITION (…)] COMPUTE STATISTICS …, and ANALYZE TABLES [IN ns] COMPUTE STATISTICS.
type Analyze struct {
	At
	Table      Name // zero for ANALYZE TABLES
	In         Name
	Spec       *PartitionSpec
	NoScan     bool
	AllColumns bool
	Columns    []Ident
}

// MultiInsert is FROM … INSERT … SELECT … INSERT … SELECT …: each of Inserts is an Insert or an InsertDirectory, with the
// FROM clause in its query. Text is the statement as it was written.
type MultiInsert struct {
	At
	Inserts []Statement
	Text    string
}

// Insert is every form of INSERT that writes a table, or a directory named as format.`path`. At most one of ReplaceWhere
// and ReplaceUsing is set, and Overwrite is false then. PartitionedBy is for a path, whose directories it names.
type Insert struct {
	At
	Overwrite     bool
	Evolve        bool // WITH SCHEMA EVOLUTION
	Table         Name
	Options       []Property // WITH (k = v)
	PartitionedBy []Ident
	Spec          *PartitionSpec
	IfNotExists   bool
	ByName        bool
	Columns       []Ident
	ReplaceWhere  Expr
	ReplaceUsing  []Ident
	Query         *Query
}

// CopyInto is COPY INTO t [BY POSITION | (a, b)] FROM source FILEFORMAT = f [FILES = (…) | PATTERN = 'glob']
// [FORMAT_OPTIONS (…)] [COPY_OPTIONS (…)].
//
// The source is 'path', or (SELECT items FROM 'path'); Items is nil without SELECT, which means every column. Format
// is the name in FILEFORMAT, or that of a source written format.`path`. At most one of Files and Pattern is set.
type CopyInto struct {
	At
	Table         Name
	ByPosition    bool
	Columns       []Ident
	Items         []*SelectItem
	Path          string
	PathAt        At
	Format        Ident
	Files         []string
	Pattern       *string
	FormatOptions []Property
	CopyOptions   []Property
}

// Vacuum is VACUUM t [RETAIN n HOURS] [DRY RUN], or VACUUM SCHEMA s …; exactly one of Table and Schema is set. Hours is
// the number as written, digits with or without a fraction; "" when there is none.
type Vacuum struct {
	At
	Table  Name
	Schema Name
	Hours  string
	DryRun bool
}

// InsertDirectory is INSERT OVERWRITE [LOCAL] DIRECTORY ['path'] [USING f] [OPTIONS (…)] query.
type InsertDirectory struct {
	At
	Local     bool
	Path      *string
	Using     *Ident
	Options   []Property
	RowFormat *RowFormat
	StoredAs  *StoredAs
	Query     *Query
}

// Explain is EXPLAIN [EXTENDED | FORMATTED | CODEGEN | COST] statement. Mode is the word in upper case, or "".
type Explain struct {
	At
	Mode      string
	Statement Statement
}

// ExplainPath is EXPLAIN PATH 'uri'.
type ExplainPath struct {
	At
	URI string
}

// Set is SET. Keyless forms: List is SET and SET -v. With a key, HasValue tells SET k = v from SET k. Value is the raw
// text to the end of the statement, trimmed.
type Set struct {
	At
	List     bool
	Verbose  bool // SET -v
	Key      string
	Value    string
	HasValue bool
}

// SetTimeZone is SET TIME ZONE LOCAL | 'zone' | INTERVAL …. Exactly one of Local, Zone and Interval is set.
type SetTimeZone struct {
	At
	Local    bool
	Zone     string
	Interval *IntervalLit
}

// Reset is RESET [k]; Key is "" for all.
type Reset struct {
	At
	Key string
}

// Unsupported is a statement that Tarn recognises by its first words but lacks. What names it, such as
// "GRANT" or "CREATE FUNCTION"; the rest of the statement was not looked at. Text is the whole source text.
type Unsupported struct {
	At
	What string
	Text string
}
