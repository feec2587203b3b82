"""The engines of the comparison of Delta tables: Tarn, Spark with Delta, and delta-rs.

Each does the steps of a history (delta_model.py) and reads a table as the model's expected() tells it.
"""
import decimal
import os

import engines
from delta_model import number, sql_step, text


class Failed(Exception):
    """What an engine says instead of an answer; refused when it says that it does not do this at all."""

    refused = False


class Sql:
    """An engine that takes Spark's SQL."""

    steps = ["append", "append", "overwrite", "dynamic", "delete", "update", "merge"]

    def __init__(self, name, engine):
        self.name, self.engine, self.zone = name, engine, None

    def run(self, statement):
        answer = self.engine.sql(statement)
        if "error" in answer:
            e = Failed(f"{self.name}: {statement}\n{answer['error']}")
            e.refused = self.name == "tarn" and str(answer["error"]["class"]).startswith(("UNSUPPORTED_FEATURE", "DELTA_UNSUPPORTED"))
            raise e
        return answer

    def session(self, table):
        if self.zone != table.zone:
            self.run(f"SET spark.sql.session.timeZone = {table.zone}")
            self.zone = table.zone

    def create(self, table):
        self.session(table)
        made = f"made_by_{self.name}"
        for statement in sql_step(table, "create", (), made) + [f"DROP TABLE {made}"]:
            self.run(statement)

    def do(self, table, kind, args):
        self.session(table)
        for statement in sql_step(table, kind, args, f"delta.`{table.path}`"):
            self.run(statement)

    def read(self, table, version=None):
        self.session(table)
        names = ", ".join(f"`{c.name}`" for c in table.read)
        at = "" if version is None else f" VERSION AS OF {version}"
        answer = self.run(f"SELECT {names} FROM delta.`{table.path}`{at}")
        return sorted(repr([plain(v, c) for v, c in zip(row, table.read)]) for row in answer["rows"])


def plain(v, column):
    """Numbers of FLOAT and DOUBLE columns are floats, whole or not; of decimals PySpark may give more zeros than the scale has; maps
    have no order."""
    if v is not None and column.kind.startswith("MAP"):
        return text(v, column, "UTC")
    if v is not None and column.kind.startswith("DECIMAL"):
        return text(decimal.Decimal(v).normalize(decimal.Context(prec=38)), column, "UTC")
    return number(v, column.kind) if v is not None and column.kind in ("FLOAT", "DOUBLE") else v


class Rust:
    """delta-rs, by its Python package."""

    name = "delta-rs"
    steps = ["append", "append", "overwrite", "delete", "update", "merge", "checkpoint", "compact"]

    def schema(self, table):
        import pyarrow as pa
        kinds = {"TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64(), "FLOAT": pa.float32(), "DOUBLE": pa.float64(),
                 "BOOLEAN": pa.bool_(), "DECIMAL(9,2)": pa.decimal128(9, 2), "DECIMAL(38,10)": pa.decimal128(38, 10), "STRING": pa.string(),
                 "BINARY": pa.binary(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us", "UTC"), "TIMESTAMP_NTZ": pa.timestamp("us"),
                 "ARRAY<INT>": pa.list_(pa.int32()), "STRUCT<a: INT, b: STRING>": pa.struct([("a", pa.int32()), ("b", pa.string())]),
                 "MAP<STRING, INT>": pa.map_(pa.string(), pa.int32())}
        return pa.schema([pa.field(c.name, kinds[c.kind]) for c in table.columns])

    def data(self, table, rows):
        import pyarrow as pa
        schema = self.schema(table)
        values = [[list(v.items()) if c.kind.startswith("MAP") and v is not None else v for v in (row[i] for row in rows)] for i, c in enumerate(table.columns)]
        return pa.Table.from_arrays([pa.array(v, f.type) for v, f in zip(values, schema)], schema=schema)

    def create(self, table):
        import deltalake
        deltalake.write_deltalake(table.path, self.data(table, []), partition_by=[c.name for c in table.keys] or None, configuration=table.properties or None)

    def condition(self, condition):
        c, op, v = condition
        if op == "is null":
            return f'"{c.name}" is null'
        return f'"{c.name}" {op} {self.literal(v, c)}'

    def literal(self, v, column):
        kind = column.kind
        if v is None:
            return "NULL"
        if isinstance(v, str):
            return "'" + v.replace("'", "''") + "'"
        if isinstance(v, bool):
            return str(v).lower()
        if kind == "DATE":
            return f"DATE '{v}'"
        if kind == "TIMESTAMP":
            return f"arrow_cast('{v.strftime('%Y-%m-%dT%H:%M:%S.%fZ')}', 'Timestamp(Microsecond, Some(\"UTC\"))')"
        if kind == "TIMESTAMP_NTZ":
            return f"arrow_cast('{v.strftime('%Y-%m-%dT%H:%M:%S.%f')}', 'Timestamp(Microsecond, None)')"
        if kind.startswith("DECIMAL"):
            return f"arrow_cast('{v:f}', 'Decimal128{kind.removeprefix('DECIMAL').replace(',', ', ')}')"
        return format(v, 'f') if isinstance(v, float) else str(v)

    def can(self, kind, args):
        """Whether a step can be said in DataFusion's SQL."""
        if kind == "update":
            return args[1].kind not in ("BINARY", "TINYINT", "SMALLINT", "FLOAT") and not args[1].kind.startswith(("ARRAY", "STRUCT", "MAP"))
        return True

    def do(self, table, kind, args):
        import deltalake
        try:
            t = deltalake.DeltaTable(table.path)
            if kind in ("append", "overwrite"):
                deltalake.write_deltalake(t, self.data(table, args[0]), mode=kind)
            elif kind == "delete":
                t.delete(self.condition(args[0]))
            elif kind == "update":
                t.update(updates={f'"{args[1].name}"': self.literal(args[2], args[1])}, predicate=self.condition(args[0]))
            elif kind == "merge":
                (t.merge(self.data(table, args[0]), "t.id = s.id", source_alias="s", target_alias="t")
                 .when_matched_update_all().when_not_matched_insert_all().execute())
            elif kind == "checkpoint":
                t.create_checkpoint()
            elif kind == "compact":
                t.optimize.compact()
            else:
                raise ValueError(kind)
        except Exception as e:  # noqa: BLE001 - whatever delta-rs raises is its answer
            raise Failed(f"{self.name}: {kind} {args}: {e}") from e

    def read(self, table, version=None):
        import deltalake
        import pyarrow as pa
        try:
            t = deltalake.DeltaTable(table.path, version=version)
            got = pa.table(deltalake.QueryBuilder().register("t", t).execute("select * from t"))
        except Exception as e:  # noqa: BLE001
            raise Failed(f"{self.name}: read: {e}") from e
        columns = [got.column(c.name).to_pylist() for c in table.columns]
        return sorted(repr([text(v, c, table.zone) for v, c in zip(row, table.columns)]) for row in zip(*columns))


def spark(jars):
    """Spark 4.2 with Delta, from a directory of jars."""
    more = {
        "spark.jars": ",".join(os.path.join(jars, j) for j in sorted(os.listdir(jars))),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    peer = Sql("spark", engines.Spark(120, more))
    peer.steps = Sql.steps + ["optimize", "clone", "widen"]
    return peer


def tarn(binary, root, timeout=60):
    return Sql("tarn", engines.Tarn(binary, root, "hive_metastore", timeout))
