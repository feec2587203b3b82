"""Makes the small Delta tables of testdata/delta with Spark and Delta Lake.

    pip install pyspark==4.2.0; python3 make.py OUT

The tables hold what a reader must know: deletion vectors, column mapping by name and by id, widened types, partition values of
every type, V2 checkpoints, in-commit timestamps. Data files have names of their own at each run.
"""

import os
import shutil
import sys

from pyspark.sql import SparkSession

OUT = os.path.abspath(sys.argv[1])
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1").config("spark.sql.session.timeZone", "UTC")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.jars.ivy", os.environ.get("IVY", os.path.expanduser("~/.ivy2")))
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def table(name, *statements):
    where = f"{OUT}/{name}"
    shutil.rmtree(where, ignore_errors=True)
    for s in statements:
        spark.sql(s.replace("$T", f"delta.`{where}`"))
    for directory, _, files in os.walk(where):  # Hadoop's checksums of its local files
        for f in files:
            if f.startswith(".") and f.endswith(".crc"):
                os.remove(os.path.join(directory, f))
    print(name, flush=True)


table(
    "vectors",
    "CREATE TABLE $T (id BIGINT, s STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true')",
    "INSERT INTO $T SELECT /*+ COALESCE(1) */ id, CASE WHEN id = 7 THEN 'bad' ELSE CAST(id AS STRING) END FROM range(0, 3000, 1, 1)",
    "DELETE FROM $T WHERE id % 10 = 7",
    "DELETE FROM $T WHERE id = 2999",
)
table(
    "mapped",
    "CREATE TABLE $T (a INT, s STRUCT<x: INT, y: STRING>, p STRING, l ARRAY<STRUCT<v: INT>>) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode'='name')",
    "INSERT INTO $T SELECT 1, named_struct('x', 10, 'y', 'one'), 'k', array(named_struct('v', 100))",
    "ALTER TABLE $T RENAME COLUMN a TO b",
    "ALTER TABLE $T RENAME COLUMN s.x TO z",
    "ALTER TABLE $T RENAME COLUMN p TO q",
    "ALTER TABLE $T ADD COLUMN (a STRING, s.w INT)",
    "INSERT INTO $T (b, s, q, l, a) SELECT 2, named_struct('z', 20, 'y', 'two', 'w', 22), NULL, NULL, 'new'",
)
table(
    "mapped_by_id",
    "CREATE TABLE $T (a INT, m MAP<STRING, STRUCT<x: INT>>) USING delta TBLPROPERTIES ('delta.columnMapping.mode'='id', 'delta.minReaderVersion'='2', 'delta.minWriterVersion'='5')",
    "INSERT INTO $T SELECT 1, map('k', named_struct('x', 5))",
    "ALTER TABLE $T RENAME COLUMN a TO b",
    "ALTER TABLE $T DROP COLUMN b",
    "ALTER TABLE $T ADD COLUMN b STRING",
    "INSERT INTO $T (m, b) SELECT NULL, 'b'",
)
table(
    "widened",
    "CREATE TABLE $T (i SMALLINT, f FLOAT, d DECIMAL(4, 2), t DATE) USING delta TBLPROPERTIES ('delta.enableTypeWidening'='true', 'delta.feature.timestampNtz'='supported')",
    "INSERT INTO $T VALUES (1, 1.5, 1.25, DATE '2024-01-01')",
    "ALTER TABLE $T ALTER COLUMN i TYPE BIGINT",
    "ALTER TABLE $T ALTER COLUMN f TYPE DOUBLE",
    "ALTER TABLE $T ALTER COLUMN d TYPE DECIMAL(12, 4)",
    "ALTER TABLE $T ALTER COLUMN t TYPE TIMESTAMP_NTZ",
    "INSERT INTO $T VALUES (3000000000, 2.5, 12345678.1234, TIMESTAMP_NTZ '2024-06-01 10:20:30.5')",
)
table(
    "partitioned",
    "CREATE TABLE $T (id INT, d DATE, ts TIMESTAMP, n DECIMAL(5, 2), s STRING, b BOOLEAN) USING delta PARTITIONED BY (d, ts, n, s, b)",
    "INSERT INTO $T VALUES (1, DATE '2024-01-01', TIMESTAMP '2024-01-01 10:20:30.5', 1.5, 'a b', true), (2, NULL, NULL, NULL, NULL, NULL), (3, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999', -1, 'c%d/e=f', false)",
)
table(
    "checkpointed",
    "CREATE TABLE $T (id INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointPolicy'='v2', 'delta.checkpointInterval'='3', 'delta.enableInCommitTimestamps'='true', 'delta.checkpoint.writeStatsAsStruct'='true', 'delta.checkpoint.writeStatsAsJson'='false')",
    *[f"INSERT INTO $T VALUES ({i}, {i % 2})" for i in range(5)],
)
spark.stop()
