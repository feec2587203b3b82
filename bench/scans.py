"""C1 and D1–D7: aggregates of partition columns, pruned reads and full scans, against DuckDB, pyarrow and polars."""
import programs
from measure import timed


def compare(b, tree, table):
    wanted = [x for x in ("C1", "C1d", "D1", "D6", "D7") if b.wants(x)]
    if not wanted:
        return
    shell = programs.Shell(b.bin, b.home(f"scan{tree.n}"))
    shell.rows(f"CREATE TABLE hive_metastore.default.t {table} '{tree.root}'")
    shell.rows("MSCK REPAIR TABLE hive_metastore.default.t SYNC PARTITIONS")
    shell.rows(f"CREATE TABLE main.default.l {table} '{tree.root}'")
    registered, listing = "hive_metastore.default.t", "main.default.l"
    day, hour = tree.point
    tenth = max(tree.inner // 10, 1)
    queries = {
        "C1": ("max of a partition column", "max(dt)", "", (tree.days[-1],)),
        "C1d": ("count(DISTINCT) of a partition column", "count(DISTINCT dt)", "", (len(tree.days),)),
        "D1": ("one partition", "count(*), sum(id)", f"WHERE dt = DATE '{day}' AND h = {hour}", tree.sums(1)),
        "D7": ("a tenth of the partitions", "count(*), sum(id)", f"WHERE h < {tenth}", tree.sums(len(tree.days) * tenth)),
        "D6": ("full scan", "count(*), sum(id)", "", tree.sums(tree.n)),
    }
    for name in wanted:
        what, select, where, want = queries[name]
        contenders = {"tarn": shell.query(f"SELECT {select} FROM {registered} {where}"),
                      "tarn, listing table": shell.query(f"SELECT {select} FROM {listing} {where}")}
        if "duckdb" in b.peers:
            contenders |= duckdb(tree, name, select, where, want)
        if "pyarrow" in b.peers and name == "D1":
            contenders["pyarrow dataset"] = timed(lambda: arrow(tree))
        if "polars" in b.peers and name in ("C1", "C1d", "D1"):
            contenders["polars scan_parquet"] = timed(lambda name=name: polars(tree, name))
        b.results.race(name, what, tree.n, contenders, want)
    shell.close()


def duckdb(tree, name, select, where, want):
    import duckdb
    connection = duckdb.connect(config={"threads": 2})

    def ask(source):
        def call():
            row = connection.sql(f"SELECT {select} FROM {source} {where}").fetchone()
            return tuple(type(w)(v) for v, w in zip(row, want))
        return timed(call)

    glob = f"read_parquet('{tree.root}/*/*/*.parquet', hive_partitioning=true)"
    out = {"DuckDB glob": ask(glob)}
    if name == "D1":
        out["DuckDB given the file"] = ask(f"read_parquet('{tree.file}', hive_partitioning=true)")
    return out


def arrow(tree):
    import pyarrow as pa
    import pyarrow.dataset as ds
    day, hour = tree.point
    kinds = pa.schema([("dt", pa.string()), ("h", pa.int32())])
    data = ds.dataset(tree.root, format="parquet", partitioning=ds.partitioning(kinds, flavor="hive"))
    ids = data.to_table(columns=["id"], filter=(ds.field("dt") == day) & (ds.field("h") == hour))["id"]
    return len(ids), sum(ids.to_pylist())


def polars(tree, name):
    import datetime
    import polars as pl
    day, hour = tree.point
    frame = pl.scan_parquet(f"{tree.root}/*/*/*.parquet", hive_partitioning=True)
    if name == "C1":
        return (str(frame.select(pl.col("dt").max()).collect().item()),)
    if name == "C1d":
        return (frame.select(pl.col("dt").n_unique()).collect().item(),)
    frame = frame.filter((pl.col("dt") == datetime.date.fromisoformat(day)) & (pl.col("h") == hour))
    return frame.select(pl.len().alias("n"), pl.col("id").sum()).collect().row(0)
