"""Q1–Q5: what Tarn adds to a query. Parsing and binding against sqlglot; TPC-H and TPC-DS against DuckDB, with the same
files and the same queries in DuckDB's SQL, and against Spark; writing a big answer to CSV and JSON lines against DuckDB.

Goals compare processor time, which other load on the machine leaves alone.
"""
import json
import math
import os
import subprocess
import sys
import time

import programs

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "golden")
SUM_GOAL = 1 / 1.10  # DuckDB's time over Tarn's: binding and answering may cost a tenth
SPARK_GOAL = 5


class Suite:
    """The queries, the tables and the data of both benchmarks."""

    def __init__(self, b):
        sys.path.insert(0, GOLDEN)
        import source
        import tpc
        sf = os.environ.get("TPC_SF", "1")
        run = os.path.join(GOLDEN, "run.sh")
        self.data = subprocess.run([run, "data", sf, "--plain"], check=True, capture_output=True, text=True).stdout.strip()
        jar = subprocess.run([run, "jar"], check=True, capture_output=True, text=True).stdout.strip()
        self.tables = tpc.manifest_of(self.data)["tables"]
        self.ddl = list(tpc.ddl(self.data))
        self.queries = [q for q in tpc.queries(source.Source(jar)) if not q.id.startswith("tpcds-v")]
        self.sf = float(sf)

    def duckdb(self):
        """DuckDB over the same files, and each query in its SQL or None where sqlglot cannot say it."""
        import duckdb
        con = duckdb.connect(config={"threads": os.cpu_count()})
        for name in self.tables:
            schema, table = name.split(".")
            con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            con.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{self.data}/{schema}/{table}/*.parquet')")
        return con


def compare(b):
    if not any(b.wants(f"Q{i}") for i in range(1, 6)):
        return
    suite = Suite(b)
    if b.wants("Q1"):
        parse_and_bind(b, suite)
    if "duckdb" in b.peers and (b.wants("Q2") or b.wants("Q3")):
        against_duckdb(b, suite)
    if "duckdb" in b.peers and b.wants("Q4"):
        output(b, suite)
    if "spark" in b.peers and b.wants("Q5"):
        against_spark(b, suite)


def parse_and_bind(b, suite):
    """Q1: each text of TPC-DS, the quickest of some rounds; sqlglot's equal is parse_one and qualify."""
    texts = {q.id: (q.db, q.sql) for q in suite.queries if q.db == "tpcds"}
    path = os.path.join(b.dir, "statements.json")
    with open(path, "w", encoding="utf8") as f:
        json.dump({"tables": {n: t["columns"] for n, t in suite.tables.items()}, "statements": texts}, f)
    mine = b.inprocess.ask(f"bind {path}")["each"]
    worst = max(mine, key=mine.get)
    b.results.fact("Q1", "parse and bind TPC-DS, mean of a text", len(mine), 1e6 * sum(mine.values()) / len(mine), "µs", f"worst {worst}: {1e6 * mine[worst]:.0f} µs")
    try:
        import sqlglot
        from sqlglot.optimizer.qualify import qualify
    except ImportError:
        b.results.note("Q1", "needs sqlglot: left out")
        return
    schema = {name.split(".")[1]: dict(t["columns"]) for name, t in suite.tables.items() if name.startswith("tpcds.")}
    peer = {}
    for name, (_, sql) in texts.items():
        start = time.perf_counter()
        try:
            qualify(sqlglot.parse_one(sql, read="spark"), schema=schema, dialect="spark")
        except sqlglot.errors.SqlglotError:
            continue
        peer[name] = time.perf_counter() - start
    both = set(peer) & set(mine)
    b.results.fact("Q1", "sqlglot: parse and qualify", len(peer), 1e6 * sum(peer.values()) / len(peer), "µs", f"{len(mine) - len(peer)} texts fail")
    b.results.goal("Q1", "sqlglot over tarn, sum", len(both), sum(peer[n] for n in both) / sum(mine[n] for n in both), 10)


def opened(b, suite, name):
    shell = programs.Shell(b.bin, b.home(name))
    for s in suite.ddl:
        shell.rows(s.replace("CREATE TABLE ", "CREATE TABLE hive_metastore.").replace("CREATE SCHEMA IF NOT EXISTS ", "CREATE SCHEMA IF NOT EXISTS hive_metastore."))
    return shell


def against_duckdb(b, suite):
    """Q2, Q3: the sums of the cheapest rounds, and the queries that add the most. A query's own time has the clock's grain."""
    import sqlglot
    con, shell = suite.duckdb(), opened(b, suite, "tpc")
    for race, db in (("Q2", "tpch"), ("Q3", "tpcds")):
        if not b.wants(race):
            continue
        shell.rows(f"USE hive_metastore.{db}")
        con.execute(f"USE {db}")
        rows, left_out = [], []
        for q in (q for q in suite.queries if q.db == db):
            try:
                other = sqlglot.transpile(q.sql, read="spark", write="duckdb")[0]
                want = con.execute(other).fetchall()
            except Exception:  # noqa: BLE001 - not a query of DuckDB's
                left_out.append(q.id)
                continue
            if (why := unlike(want, shell.rows(q.sql)[1], "limit" in q.sql.lower())) is not None:
                b.results.invalid(race, suite.sf, f"{q.id}: {why}")
                continue
            mine, theirs = [], []
            for _ in range(max(2, b.results.rounds // 2)):
                shell.rows(q.sql)
                mine.append(shell.cpu)
                start = time.process_time()
                con.execute(other).fetchall()
                theirs.append(time.process_time() - start)
            rows.append((q.id, min(mine), min(theirs)))
        tarn, duck = sum(r[1] for r in rows), sum(r[2] for r in rows)
        b.results.fact(race, f"{db}: tarn, sum of {len(rows)} queries", suite.sf, tarn, "s")
        b.results.fact(race, f"{db}: DuckDB", suite.sf, duck, "s", f"{len(left_out)} left out: {' '.join(left_out)}" if left_out else "")
        b.results.goal(race, f"{db}: DuckDB over tarn", suite.sf, duck / tarn, SUM_GOAL)
        for name, mine, theirs in sorted(rows, key=lambda r: r[2] - r[1])[:8]:
            b.results.fact(race, f"adds most: {name}", suite.sf, mine / max(theirs, 1e-3), "x tarn/duckdb", f"{mine:.3f} s, {theirs:.3f} s")
    shell.close()
    con.close()


def unlike(want, got, limited):
    """Why two answers differ beyond what two dialects may differ in: the last digits, and the rows that a LIMIT keeps."""
    if len(want) != len(got):
        return f"{len(got)} rows, DuckDB has {len(want)}"
    if limited:
        return None
    a, b = sorted(map(key, want)), sorted(map(key, got))
    for x, y in zip(a, b):
        if x != y:
            return f"{y}, DuckDB has {x}"
    return None


def key(row):
    return tuple(spelled(v) for v in row)


def spelled(v):
    if v is None or isinstance(v, bool):
        return str(v)
    try:
        x = float(v)
        return f"{x:.4g}" if math.isfinite(x) else str(x)
    except (TypeError, ValueError):
        return str(v)


def against_spark(b, suite):
    """Q5: TPC-H once by real Spark, with compiled queries, after one query that warms it up."""
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
             .config("spark.sql.shuffle.partitions", "4").config("spark.sql.warehouse.dir", os.path.join(b.dir, "warehouse")).getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    shell = opened(b, suite, "spark")
    for s in suite.ddl:
        if "tpch" in s:
            spark.sql(s)
    spark.sql("USE tpch")
    shell.rows("USE hive_metastore.tpch")
    queries = [q for q in suite.queries if q.db == "tpch"]
    spark.sql(queries[0].sql).collect()
    machine = spark.sparkContext._gateway.proc.pid
    tarn = theirs = 0
    for q in queries:
        start = programs.ticks(machine)
        want = spark.sql(q.sql).collect()
        theirs += programs.ticks(machine) - start
        got = shell.rows(q.sql)[1]
        tarn += shell.cpu
        if len(want) != len(got):
            b.results.invalid("Q5", suite.sf, f"{q.id}: {len(got)} rows, Spark has {len(want)}")
    b.results.fact("Q5", "tpch: tarn", suite.sf, tarn, "s")
    b.results.fact("Q5", "tpch: Spark local[2]", suite.sf, theirs, "s")
    b.results.goal("Q5", "tpch: Spark over tarn", suite.sf, theirs / tarn, SPARK_GOAL)
    shell.close()
    spark.stop()


def output(b, suite):
    """Q4: the whole of lineitem as the CSV that a query prints, and as a directory of JSON lines."""
    con = suite.duckdb()
    opened(b, suite, "output").close()
    out, select = os.path.join(b.dir, "answer"), "SELECT * FROM hive_metastore.tpch.lineitem"
    tarn = [b.bin, "sql", "--home", b.home("output"), "--format", "csv", "-e"]
    rows = suite.tables["tpch.lineitem"]["rows"]
    for kind, text, written, option in (("CSV", select, out, "FORMAT csv, HEADER"),
                                        ("JSON lines", f"INSERT OVERWRITE DIRECTORY '{out}.dir' USING json {select}", out + ".dir", "FORMAT json")):
        mine, theirs = [], []
        for _ in range(max(2, b.results.rounds // 2)):
            mine.append(programs.run([*tarn, text], out, read=False).cpu)
            start = time.process_time()
            con.execute(f"COPY (SELECT * FROM tpch.lineitem) TO '{out}.duck' ({option})")
            theirs.append(time.process_time() - start)
        for path in (written, out + ".duck"):
            if (n := lines(path) - (kind == "CSV")) != rows:
                b.results.invalid("Q4", suite.sf, f"{path}: {n} rows, not {rows}")
        b.results.fact("Q4", f"lineitem to {kind}: tarn", suite.sf, min(mine), "s")
        b.results.fact("Q4", f"lineitem to {kind}: DuckDB COPY", suite.sf, min(theirs), "s")
        b.results.goal("Q4", f"{kind}: DuckDB over tarn", suite.sf, min(theirs) / min(mine), 0.5)
    con.close()


def lines(path):
    """The lines of a file, or of the files of a directory."""
    if os.path.isdir(path):
        return sum(lines(os.path.join(path, n)) for n in os.listdir(path) if n.startswith("part"))
    with open(path, "rb") as f:
        return sum(part.count(b"\n") for part in iter(lambda: f.read(1 << 20), b""))
