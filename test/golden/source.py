"""Spark's golden files: which there are, what they want, and the tables and settings that they expect.

Nothing of them is kept here: they come out of the Maven artifact org.apache.spark:spark-sql_2.13:VERSION:jar:tests.
"""
import collections
import fnmatch
import os
import re
import zipfile

CORE = """
except except-all intersect-all union cross-join inner-join outer-join natural-join using-join join-lateral
join-empty-relation group-by group-by-alias group-by-all group-by-all-duckdb group-by-all-mosha group-by-filter
group-by-ordinal group-analytics grouping_set having count order-by order-by-alias order-by-all order-by-nulls-ordering
order-by-ordinal limit window window-with-aggregates qualify pivot unpivot
cte cte-nested cte-nonlegacy cte-command cte-with-multi-children-operators inline-table table-aliases selectExcept
subquery/subquery-in-from subquery/subquery-nested-data subquery/subquery-offset subquery/exists-subquery/*
subquery/in-subquery/* subquery/scalar-subquery/* subquery/negative-cases/*
cast try_cast literals null-handling null-propagation operators comparator bitwise predicate-functions binary
conditional-functions decimalArithmeticOperations math ceil-floor-with-scale-param comments parse-schema-string
parse-query-correctness double-quoted-identifiers subexp-elimination pred-pushdown non-excludable-rule
string-functions try-string-functions regexp-functions like-all like-any ilike ilike-all ilike-any mask-functions
url-functions csv-functions json-functions misc-functions sql-compatibility-functions named-function-arguments
date timestamp timestamp-ltz timestamp-ntz timezone interval extract datetime-formatting datetime-formatting-invalid
datetime-parsing datetime-parsing-invalid datetime-special try_datetime_functions current_database_catalog
array map struct higher-order-functions generators table-valued-functions try_element_at try_arithmetic
try_aggregates percentiles mode max-min-by-k linear-regression listagg
columnresolution columnresolution-negative columnresolution-views column-resolution-aggregate column-resolution-sort
query_regex_column tablesample-negative sql-on-files
describe describe-query describe-part-after-analyze describe-table-after-alter-table change-column charvarchar
show-create-table show-tables show-tblproperties show-views show_columns
postgreSQL/*
"""
STRETCH = {  # reason -> files: real Spark SQL, but not what most people write daily
    "pipe operators": "pipe-operators",
    "SQL scripting and dynamic SQL": "scripting/* execute-immediate identifier-clause",
    "SQL-defined functions and the function path": "sql-udf sql-udf-name-precedence sql-path",
    "session variables": "sql-session-variables session-variable-precedence",
    "collations": "collations-* listagg-collations view-with-default-collation",
    "variant": "variant-field-extractions variant/*",
    "XML": "xml-functions",
    "recursive CTE": "cte-recursion",
    "nearest-by join (new syntax)": "join-nearest-by",
    "TIME type and time buckets": "time time-bucket",
    "sketches: bit-exact serialized state": "hll kllquantiles thetasketch tuplesketch",
    "geospatial and vector functions": "st-functions vector-*",
    "ANSI mode off": "nonansi/*",
    "timestamp without zone as the default type": "timestampNTZ/*",
    "generated matrices of implicit casts": "typeCoercion/native/*",
    "analyzer corner cases": """*-resolution-edge-cases subquery/resolution-edge-cases runtime-replaceable-edge-cases
        type-coercion-edge-cases extract-value-nulltype-single-pass having-and-order-by-recursive-type-name-resolution
        name-precedence-in-order-by-and-having-with-conflicting-attributes metadata_column_resolution
        order-by-and-having-on-top-of-aggregate-with-join replacing-missing-expression-with-alias
        union-per-child-output-deduplication parameterless-function-name-precedence""",
    "views that follow their tables' schema": "view-schema-* view-conf",
    "reserved words and quoting switches": "keywords keywords-enforced double-quoted-identifiers-enabled",
}
EXCLUDED = {
    "test functions written in Scala or Python": "udf/* udaf/* udtf/*",
    "plan text of Spark's optimizer": "explain explain-aqe explain-cbo",
    "legacy switches": """*-legacy parse-query-correctness-old-behavior grouping_set_grand_total_disabled""",
    "the same file again as newer JVMs print doubles": "*.java21",
    "output styles of Spark's shell (Tarn's JSON has one: hex)": "binary_base64 binary_basic binary_hex binary_hex_discrete",
    "runs shell scripts": "transform",
    "needs JVM classes or plug-ins": "try_reflect to_from_avro",
    "bit-exact random number generator": "random",
}
# Statements that the runner cannot judge: file -> {index: why}. Counted as skipped.
CLASS, RAND, TESTJAR = "names a Java class", "needs Spark's random number generator to the bit", "names a class of Spark's test jar"
SKIP = {
    "cast": {37: CLASS, 38: CLASS},
    "describe": {2: TESTJAR, 35: TESTJAR, 62: TESTJAR},
    "group-by": {61: RAND},
    "grouping_set": {5: "rows tie on a key that is not in the output"},
    "group-by-ordinal": {13: RAND},
    "having": {15: "rows tie on a key that is not in the output"},
    "predicate-functions": {81: RAND, 87: RAND},
    "table-valued-functions": {19: RAND},
}


def group_of(name):
    """The group of a golden file, and why it is there."""
    for group, table in (("excluded", EXCLUDED), ("stretch", STRETCH), ("core", {"core": CORE})):
        for reason, patterns in table.items():
            if any(fnmatch.fnmatchcase(name, p) for p in patterns.split()):
                return group, reason
    return "unlisted", "new in this Spark version: list it"


class Source:
    """Reads sql-tests/..., test-data/... and tpcds/... out of the jar of Spark's SQL tests."""

    def __init__(self, jar):
        z = zipfile.ZipFile(jar)
        self.names, self.read = z.namelist(), z.read

    def goldens(self):
        start = "sql-tests/results/"
        return sorted(re.sub(r"\.sql\.out", "", n[len(start) :]) for n in self.names if n.startswith(start) and ".sql.out" in n)

    def text(self, name):
        return self.read(name).decode("utf8")

    def golden(self, name):
        base, dot, java = name.partition(".java")
        return self.text(f"sql-tests/results/{base}.sql.out{dot}{java}")


Statement = collections.namedtuple("Statement", "sql schema output")


def statements(text):
    """The statements of a golden file with their schemas and outputs."""
    parts = re.split(r"-- !query.*\n", text)[1:]
    return [Statement(parts[i].strip(), parts[i + 1].strip(), parts[i + 2].rstrip()) for i in range(0, len(parts), 3)]


def settings(source, name):
    """What Spark's suite sets before the file: by folder, then the input's own --SET lines."""
    out = [("spark.sql.session.timeZone", "America/Los_Angeles"), ("spark.sql.ansi.enabled", str(not name.startswith("nonansi/")).lower())]
    if name.startswith("postgreSQL/"):
        out.append(("spark.sql.legacy.interval.enabled", "true"))
    if name.startswith("timestampNTZ/"):
        out.append(("spark.sql.timestampType", "TIMESTAMP_NTZ"))
    for line in source.text(f"sql-tests/inputs/{name.partition('.java')[0]}.sql").split("\n"):
        if line.startswith("--SET "):
            out += [tuple(x.strip() for x in kv.split("=", 1)) for kv in line[6:].split(",")]
    return out


ONEK = (
    "unique1 int, unique2 int, two int, four int, ten int, twenty int, hundred int, thousand int, twothousand int, "
    "fivethous int, tenthous int, odd int, even int, stringu1 string, stringu2 string, string4 string"
)
LITERAL = {
    "testdata": ("key, value", ", ".join(f"({i}, '{i}')" for i in range(1, 101))),
    "arraydata": ("arraycol, nestedarraycol", "(array(1, 2, 3), array(array(1, 2, 3))), (array(2, 3, 4), array(array(2, 3, 4)))"),
    "mapdata": ("mapcol", ", ".join("(map(%s))" % ", ".join(f"{k}, '{chr(96 + k)}{row}'" for k in range(1, 7 - row)) for row in range(1, 6))),
}
FROM_CSV = {"aggtest": ("agg.data", "a int, b float"), "onek": ("onek.data", ONEK), "tenk1": ("tenk.data", ONEK)}
PG_FUNCTIONS = [
    "CREATE TEMPORARY FUNCTION booleq(a BOOLEAN, b BOOLEAN) RETURNS BOOLEAN RETURN a = b",
    "CREATE TEMPORARY FUNCTION boolne(a BOOLEAN, b BOOLEAN) RETURNS BOOLEAN RETURN a != b",
    "CREATE TEMPORARY FUNCTION vol(s STRING) RETURNS STRING RETURN s",
]


def preload(source, name, text, root):
    """The SQL that makes just what the file names."""

    def mentions(t):
        return re.search(rf"\b{t}\b", text, re.I)

    for t, (cols, values) in LITERAL.items():
        if mentions(t):
            yield f"CREATE TABLE {t} USING parquet AS SELECT /*+ COALESCE(1) */ * FROM VALUES {values} AS v({cols})"
    for t, (file, cols) in FROM_CSV.items():
        if not mentions(t):
            continue
        d = os.path.join(root, "csv", t)
        os.makedirs(d)
        with open(os.path.join(d, file), "wb") as f:
            f.write(source.read("test-data/postgresql/" + file))
        yield f"CREATE TABLE {t}_csv ({cols}) USING csv OPTIONS (sep '\\t') LOCATION '{d}'"
        yield f"CREATE TABLE {t} USING parquet AS SELECT * FROM {t}_csv"
        yield f"DROP TABLE {t}_csv"
    if name.startswith("postgreSQL/"):
        yield from (f for f in PG_FUNCTIONS if mentions(re.search(r"FUNCTION (\w+)", f)[1]))
