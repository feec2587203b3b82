"""C5: what partition-only aggregates must not get wrong, against a full scan of the very files by DuckDB."""
import os

import programs

COLUMNS = "(id BIGINT, dt INT) USING parquet PARTITIONED BY (dt) LOCATION"
QUERIES = ("max(dt)", "min(dt)", "count(*)", "count(dt)", "count(DISTINCT dt)", "max(dt), sum(id)")


def compare(b):
    if not b.wants("C5"):
        return
    if "duckdb" not in b.peers:
        print("C5   needs DuckDB: left out")
        return
    checked = wrong = 0
    for name, (setup, drift) in situations().items():
        root = os.path.join(b.dir, "c5", name)
        os.makedirs(root)
        setup(root)
        shell = programs.Shell(b.bin, b.home(f"c5{name}"))
        for table in ("hive_metastore.default.t", "main.default.t"):
            shell.rows(f"CREATE TABLE {table} {COLUMNS} '{root}'")
        shell.rows("MSCK REPAIR TABLE hive_metastore.default.t SYNC PARTITIONS")
        drift(root)
        for select in QUERIES:
            want = scan(root, select)
            for table in ("hive_metastore.default.t", "main.default.t"):
                checked += 1
                got = tuple(shell.rows(f"SELECT {select} FROM {table}")[1][0])
                if got != want:
                    wrong += 1
                    b.results.invalid("C5", 0, f"{name}: SELECT {select} FROM {table} is {got}, a scan says {want}")
        shell.close()
    b.results.fact("C5", "partition-only aggregates equal to a scan", 0, checked - wrong, f"of {checked}")


def situations():
    def nothing(root):
        pass

    def plain(root):
        for dt in (1, 2, 3):
            write(root, dt, 4)

    def empty_directory(root):
        plain(root)
        os.makedirs(f"{root}/dt=9")

    def no_rows(root):
        plain(root)
        write(root, 9, 0)

    def null(root):
        plain(root)
        write(root, "__HIVE_DEFAULT_PARTITION__", 4)

    def all_empty(root):
        write(root, 1, 0)
        os.makedirs(f"{root}/dt=2")

    return {
        "plain": (plain, nothing), "empty_directory_at_the_maximum": (empty_directory, nothing),
        "file_without_rows_at_the_maximum": (no_rows, nothing), "null_partition": (null, nothing), "all_empty": (all_empty, nothing),
        "file_dropped_after_the_repair": (plain, lambda root: os.remove(f"{root}/dt=3/a.parquet")),
        "file_emptied_after_the_repair": (plain, lambda root: write(root, 3, 0)),
        "file_added_after_the_repair": (empty_directory, lambda root: write(root, 9, 2)),
    }


def write(root, dt, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq
    os.makedirs(f"{root}/dt={dt}", exist_ok=True)
    pq.write_table(pa.table({"id": pa.array(range(rows), pa.int64())}), f"{root}/dt={dt}/a.parquet")


def scan(root, select):
    """The answer over rows that are really there."""
    import duckdb
    import pyarrow.parquet as pq
    rows = []
    for directory, _, files in os.walk(root):
        value = directory.rpartition("dt=")[2]
        for f in files:
            dt = "NULL" if value.startswith("__") else value
            rows += [f"({i}::BIGINT, {dt}::INT)" for i in pq.read_table(os.path.join(directory, f), partitioning=None)["id"].to_pylist()]
    source = f"(VALUES {', '.join(rows)}) t(id, dt)" if rows else "(SELECT 0::BIGINT AS id, 0::INT AS dt WHERE false) t"
    return tuple(None if v is None else int(v) for v in duckdb.sql(f"SELECT {select} FROM {source}").fetchone())
