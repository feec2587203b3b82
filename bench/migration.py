"""M1: `tarn migrate` of a hive_metastore of many tables, and again with nothing to do."""
import json
import os
import shutil

import logs
import programs
from measure import Row, ms

SCHEMAS = 10
KINDS = 4  # Parquet, Parquet with partitions, Delta, and a view


def compare(b):
    if not b.wants("M1"):
        return
    for n in b.migrate_sizes:
        root = os.path.join(b.dir, f"migrate{n}")
        try:
            measured(b, n, root)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def measured(b, n, root):
    """Each round migrates a copy of one home, first and again."""
    home = b.home(f"migrate{n}")
    programs.run([b.bin, "sql", "--home", home, "--format", "json", "-f", b.script(hive(n, root))], b.scratch)
    homes = [f"{home}-{i}" for i in range(min(b.results.rounds, 3))]
    for h in homes:
        shutil.copytree(home, h)
    for name, what, status in (("first", "migrate", "MIGRATED"), ("again", "migrate, nothing to do", "UP_TO_DATE")):
        row = Row("M1", f"tarn, {name}", n)
        for h in homes:
            s = programs.run([b.bin, "migrate", "hive_metastore", "--home", h, "--to", "main", "--views", "--format", "json"], b.scratch)
            got = [r[4] for r in json.loads(s.result)["rows"]]
            if got != [status] * n:
                b.results.invalid("M1", n, f"{name}: {len(got)} rows, of which {got.count(status)} are {status}")
                return
            row.times.append(s.seconds)
            row.cpu.append(s.cpu)
        b.results.rows.append(row)
        print(f"M1   {what:40} {n:>8} {'tarn':26} {ms(row.best())} {'':>12} {ms(min(row.cpu)):>12}  {1000 * row.best() / n:.2f} ms a table", flush=True)


def hive(n, root):
    """The statements that make the tables, with a file in each."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    os.makedirs(root)
    pq.write_table(pa.table({"id": pa.array(range(100), pa.int64())}), f"{root}/a.parquet")
    text = "".join(f"CREATE SCHEMA hive_metastore.s{i};\n" for i in range(SCHEMAS))
    for i in range(n):
        name, at = f"hive_metastore.s{i % SCHEMAS}.t{i}", f"{root}/t{i}"
        match i // SCHEMAS % KINDS:
            case 0:
                file(root, at)
                text += f"CREATE TABLE {name} (id BIGINT) USING parquet LOCATION '{at}';\n"
            case 1:
                for day in range(3):
                    file(root, f"{at}/dt=2024-01-0{day + 1}")
                text += f"CREATE TABLE {name} (id BIGINT, dt DATE) USING parquet PARTITIONED BY (dt) LOCATION '{at}';\nMSCK REPAIR TABLE {name} SYNC PARTITIONS;\n"
            case 2:
                logs.Log(at, logs.COMMITS)
                text += f"CREATE TABLE {name} USING delta LOCATION '{at}';\n"
            case 3:
                text += f"CREATE VIEW {name} AS SELECT id FROM hive_metastore.s{i % SCHEMAS}.t{i - SCHEMAS * 3};\n"
    return text


def file(root, directory):
    os.makedirs(directory)
    os.link(f"{root}/a.parquet", f"{directory}/a.parquet")
