"""delta-rs and Spark with Delta in a process of their own, for they need another Spark than the other peers.

`deltapeer.py rust` or `deltapeer.py spark JARS DIR` reads one request a line, {"do": name, "at": path, ...}, and answers each with
one line: {"seconds", "cpu", "result"} or {"error"}. Nothing is remembered of a table between requests but what `load` loaded.
"""
import glob
import json
import os
import sys
import time


class Rust:
    """delta-rs."""

    def __init__(self):
        self.tables = {}

    def cpu(self):
        return time.process_time()

    def prepare(self, do, at, **more):
        """What a request may have before its time is taken."""
        import deltalake
        if do in ("load", "checkpoint", "vacuum"):
            self.tables[at] = deltalake.DeltaTable(at)

    def open(self, at):
        import deltalake
        return self.sums(deltalake.DeltaTable(at))

    @staticmethod
    def sums(table):
        import pyarrow as pa
        import pyarrow.compute as pc
        actions = pa.table(table.get_add_actions())
        return actions.num_rows, pc.sum(actions.column("size_bytes")).as_py()

    def load(self, at):
        return self.tables[at].version()

    def update(self, at):
        self.tables[at].update_incremental()
        return self.tables[at].version()

    def rows(self, at):
        import deltalake
        return self.tables[at].count() if at in self.tables else deltalake.DeltaTable(at).count()

    def plan(self, at, day):
        return len(self.tables[at].file_uris(partition_filters=[("dt", "=", day)]))

    def checkpoint(self, at):
        self.tables[at].create_checkpoint()
        return self.tables[at].version()

    def vacuum(self, at):
        return len(self.tables[at].vacuum(retention_hours=168, dry_run=True, full=True))

    def drop(self, at):
        self.tables.pop(at, None)


class Spark:
    """Spark with Delta. A table's log is asked of Delta's own class, so that no query runs where none is needed."""

    def __init__(self, jars, directory):
        from pyspark.sql import SparkSession
        os.makedirs(directory, exist_ok=True)
        self.spark = (SparkSession.builder.master("local[2]").appName("bench")
                      .config("spark.jars", ",".join(glob.glob(f"{jars}/*.jar")))
                      .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
                      .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
                      .config("spark.sql.warehouse.dir", f"{directory}/wh").config("spark.ui.enabled", "false")
                      .config("spark.local.dir", directory).config("spark.ui.showConsoleProgress", "false")
                      .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
                      .config("spark.driver.memory", os.environ.get("SPARK_MEMORY", "4g")).config("spark.sql.shuffle.partitions", "2")
                      .config("spark.databricks.delta.snapshotPartitions", "2").getOrCreate())
        self.spark.sparkContext.setLogLevel("OFF")
        self.jvm = self.spark.sparkContext._jvm
        self.pid = int(self.jvm.java.lang.ProcessHandle.current().pid())

    def cpu(self):
        with open(f"/proc/{self.pid}/stat", encoding="utf8") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self, at):
        return self.jvm.org.apache.spark.sql.delta.DeltaLog.forTable(self.spark._jsparkSession, at)

    def forget(self):
        self.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def prepare(self, do, at, **more):
        if do in ("open", "load"):
            self.forget()
        if do == "checkpoint":
            self.log(at)

    def open(self, at):
        snapshot = self.log(at).unsafeVolatileSnapshot()
        return snapshot.numOfFiles(), snapshot.sizeInBytes()

    def load(self, at):
        return self.log(at).unsafeVolatileSnapshot().version()

    def update(self, at):
        log = self.log(at)
        return log.update(False, self.jvm.scala.Option.empty(), self.jvm.scala.Option.empty()).version()

    def rows(self, at):
        return self.spark.sql(f"SELECT count(*) FROM delta.`{at}`").collect()[0][0]

    def plan(self, at, day):
        return len(self.spark.sql(f"SELECT * FROM delta.`{at}` WHERE dt = DATE '{day}'").inputFiles())

    def checkpoint(self, at):
        log = self.log(at)
        log.checkpoint()
        return log.unsafeVolatileSnapshot().version()

    def clone(self, at, to):
        return list(self.spark.sql(f"CREATE OR REPLACE TABLE delta.`{to}` SHALLOW CLONE delta.`{at}`").collect()[0])

    def vacuum(self, at):
        return len(self.spark.sql(f"VACUUM delta.`{at}` DRY RUN").collect())

    def drop(self, at):
        self.forget()


def main():
    # What the engines print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf8")
    os.dup2(2, 1)
    engine = Rust() if sys.argv[1] == "rust" else Spark(*sys.argv[2:])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            engine.prepare(**request)
            do = getattr(engine, request.pop("do"))
            start, cpu = time.perf_counter(), engine.cpu()
            result = do(**request)
            answer = {"seconds": time.perf_counter() - start, "cpu": engine.cpu() - cpu, "result": result}
        except Exception as e:  # noqa: BLE001 - the driver says what failed
            answer = {"error": f"{type(e).__name__}: {str(e)[:500]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
