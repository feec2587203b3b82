"""The two sides of the comparison: a tarn process and one Spark session.

Both answer a statement with the same dictionary: {"columns", "rows", "warnings"} or {"error"}, as `tarn sql --format
json` prints it (docs: one line per statement). Spark's values are brought into that form here, so that the comparison
itself knows nothing about engines.
"""
import datetime
import decimal
import json
import logging
import math
import os
import shutil
import subprocess
import tempfile
import threading
import zoneinfo


class Tarn:
    """One `tarn sql` process on a home of its own."""

    def __init__(self, binary, root, catalog, timeout):
        self.timeout = timeout
        self.catalog = catalog
        os.makedirs(root, exist_ok=True)
        self.errors = open(os.path.join(root, "stderr"), "wb")
        self.process = subprocess.Popen(
            [binary, "sql", "--home", os.path.join(root, "home"), "--format", "json", "--keep-going"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.sql(f"USE {catalog}.default")
        self.warehouse = ""
        for row in self.sql("DESCRIBE SCHEMA default").get("rows", []):
            if str(row[0]).lower() in ("location", "rootlocation"):
                self.warehouse = str(row[1]).removeprefix("file://").removeprefix("file:")

    def sql(self, text):
        """Runs one statement. A process that dies or stays silent is the error ENGINE_DIED."""
        timer = threading.Timer(self.timeout, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write((text.strip().rstrip(";") + "\n;\n").encode())
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if not line:
            return failure("ENGINE_DIED", None, f"no answer within {self.timeout} s")
        try:
            answer = json.loads(line)
        except ValueError:
            return failure("NOT_JSON", None, line.decode("utf8", "replace")[:300])
        if "error" in answer:
            answer.pop("rows", None)
            answer.pop("columns", None)
        return answer

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.errors.close()


class Spark:
    """One Spark session on two threads with a Hive metastore in Derby, in a directory that close removes. more are settings."""

    def __init__(self, timeout, more=None):
        from pyspark.sql import SparkSession
        logging.disable(logging.CRITICAL)  # PySpark prints every failing statement
        self.timeout = timeout
        self.base = tempfile.mkdtemp(prefix="interop-spark-")
        self.warehouse = os.path.join(self.base, "wh")
        self.catalog = "spark_catalog"
        builder = (
            SparkSession.builder.master("local[2]").appName("interop")
            .config("spark.sql.warehouse.dir", self.warehouse)
            .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.memory", "2g")
            .config("spark.sql.shuffle.partitions", "2")
            # Thousands of tiny statements: interpreting them is many times as fast as compiling them.
            .config("spark.sql.codegen.wholeStage", "false").config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.adaptive.enabled", "false").config("spark.sql.leafNodeDefaultParallelism", "1")
            .config("spark.sql.sources.parallelPartitionDiscovery.threshold", "10000")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.hadoop.javax.jdo.option.ConnectionURL",
                    f"jdbc:derby:;databaseName={self.base}/metastore;create=true")
            .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={self.base} -Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .enableHiveSupport())
        for key, setting in (more or {}).items():
            builder = builder.config(key, setting)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def reset(self, listing):
        """Makes the session as good as new. A listing table is one whose partitions the metastore does not keep."""
        s = self.session
        s.sql("USE default")
        for row in s.sql("SHOW VIEWS IN default").collect():
            s.sql(f"DROP VIEW IF EXISTS `{row.viewName}`")
        for row in s.sql("SHOW DATABASES").collect():
            if row[0] != "default":
                s.sql(f"DROP DATABASE IF EXISTS `{row[0]}` CASCADE")
        for row in s.sql("SHOW TABLES IN default").collect():
            s.sql(f"DROP TABLE IF EXISTS {'' if row.isTemporary else 'default.'}`{row.tableName}`")
        s.sql("RESET")
        s.catalog.clearCache()
        for name in os.listdir(self.warehouse) if os.path.isdir(self.warehouse) else []:
            shutil.rmtree(os.path.join(self.warehouse, name), ignore_errors=True)
        if listing:
            s.conf.set("spark.sql.hive.manageFilesourcePartitions", "false")

    def sql(self, text):
        timer = threading.Timer(self.timeout, self.session.sparkContext.cancelAllJobs)
        timer.start()
        try:
            frame = self.session.sql(text.strip().rstrip(";"))
            fields = frame.schema.fields
            columns = [{"name": f.name, "type": f.dataType.simpleString()} for f in fields]
            # Intervals have no Python value that keeps their unit: their text is what both engines print.
            if any("Interval" in type(f.dataType).__name__ for f in fields):
                names = [f"c{i}" for i in range(len(fields))]
                frame = frame.toDF(*names).selectExpr(*[
                    f"CAST({n} AS STRING) AS {n}" if "Interval" in type(f.dataType).__name__ else n
                    for n, f in zip(names, fields)])
            kinds = [f.dataType for f in frame.schema.fields]
            zone = zoneinfo.ZoneInfo(self.session.conf.get("spark.sql.session.timeZone"))
            rows = [[value(in_zone(v, k, zone), k) for v, k in zip(row, kinds)] for row in frame.collect()]
            return {"columns": columns, "rows": rows, "warnings": []}
        except Exception as e:  # noqa: BLE001 - whatever Spark raises is its answer
            condition = state = None
            try:
                condition = e.getCondition()
                state = e.getSqlState()
            except Exception:  # noqa: BLE001 - Python and Java exceptions without a condition
                pass
            return failure(condition or type(e).__name__, state, str(e)[:600])
        finally:
            timer.cancel()

    def close(self):
        self.session.stop()
        shutil.rmtree(self.base, ignore_errors=True)


def failure(condition, state, message):
    return {"error": {"class": condition, "sqlState": state, "message": message}}


def in_zone(v, kind, zone):
    """PySpark gives a TIMESTAMP in the zone of the process, which is UTC; tarn prints it in the session's."""
    if isinstance(v, datetime.datetime) and type(kind).__name__ == "TimestampType":
        return v.replace(tzinfo=datetime.timezone.utc).astimezone(zone)
    return v


def value(v, kind):
    """A value that PySpark collected, as `--format json` prints one of that type."""
    if v is None:
        return None
    name = type(kind).__name__
    if name == "StructType":
        return {f.name: value(x, f.dataType) for f, x in zip(kind.fields, v)}
    if name == "ArrayType":
        return [value(x, kind.elementType) for x in v]
    if name == "MapType":
        return {str(value(k, kind.keyType)): value(x, kind.valueType) for k, x in v.items()}
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, datetime.datetime):
        text = v.strftime("%H:%M:%S")
        if v.microsecond:
            text += f".{v.microsecond:06d}".rstrip("0")
        return f"{v.year:04d}-{v.month:02d}-{v.day:02d} {text}"
    if isinstance(v, datetime.date):
        return f"{v.year:04d}-{v.month:02d}-{v.day:02d}"
    if isinstance(v, (bytes, bytearray)):
        return v.hex()
    if isinstance(v, datetime.timedelta):
        raise ValueError("an interval inside of a collection has no text here")
    if isinstance(v, float) and not math.isfinite(v):
        return "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
    return v
