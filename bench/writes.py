"""W1–W3, E1–E4, C2, C4: overwriting partitions, the commit alone, what readers see meanwhile, throughput, memory.

Peers are DuckDB's COPY, the job that people write by hand (COPY into a staging directory, then for each partition rmtree and
rename) and Spark's dynamic overwrite. None of the first two is durable when it ends, or can be undone.
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

import measure
import programs
from measure import Sample, timed

WRITTEN = "as written"
COLUMNS = "id BIGINT, x DOUBLE, name STRING, k INT"
DYNAMIC = "SET spark.sql.sources.partitionOverwriteMode=dynamic"
RMTREE, SPARK, COPY = "rmtree+rename loop", "Spark local[2]", "DuckDB COPY"
HERE = os.path.dirname(os.path.abspath(__file__))


class Source:
    """Two Parquet files of the same shape and other ids, so that an overwrite which did nothing is found out."""

    def __init__(self, directory, partitions, rows, wide=False):
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq
        self.directory, self.partitions, self.rows = directory, partitions, rows
        os.makedirs(directory)
        row = pa.array(range(rows), pa.int64())
        for g in (0, 1):
            ids = pc.add(row, g * 10**9)
            name = pc.binary_join_element_wise("name", pc.cast(pc.subtract(row, pc.multiply(pc.divide(row, 5000), 5000)), pa.string()), " ")
            k = pc.cast(pc.subtract(row, pc.multiply(pc.divide(row, partitions), partitions)), pa.int32())
            table = pa.table({"id": ids, "x": pc.divide(pc.cast(ids, pa.float64()), 8), "name": name, "k": k})
            pq.write_table(table, self.path(g), compression="zstd", row_group_size=1 << 17)

    def path(self, g):
        return f"{self.directory}/{g}.parquet"

    def truth(self, g):
        """count(*), sum(id), count(DISTINCT k)."""
        return self.rows, self.rows * (self.rows - 1) // 2 + self.rows * g * 10**9, self.partitions


def alternating(source, write, look):
    """A contender that writes the two files in turns; what it wrote is looked at off the clock."""
    turns = itertools.count()

    def call():
        g = next(turns) % 2
        sample = write(source.path(g))
        got = look()
        sample.result = WRITTEN if got == source.truth(g) else got
        return sample
    return call


def looker(files, hive=True):
    """What DuckDB, who knows no catalog, finds in files."""
    import duckdb
    reader = {"csv": "read_csv", "json": "read_json"}.get(files.rpartition(".")[2], "read_parquet")

    def look():
        return duckdb.sql(f"SELECT count(*), sum(id)::BIGINT, count(DISTINCT k) FROM {reader}('{files}', hive_partitioning={str(hive).lower()})").fetchone()
    return look


def connection():
    import duckdb
    return duckdb.connect(config={"threads": 2})


def asking(shell, table):
    return lambda: tuple(shell.rows(f"SELECT count(*), sum(id), count(DISTINCT k) FROM {table}")[1][0])


def overwrite(shell, table):
    return lambda path: shell.query(f"INSERT OVERWRITE {table} SELECT * FROM parquet.`{path}`")()


class Site:
    """Tables and trees of one number of partitions, and the contenders that overwrite them."""

    def __init__(self, b, n, name="write"):
        self.b, self.n = b, n
        self.dir, self.home = os.path.join(b.dir, f"{name}{n}"), b.home(f"{name}{n}")
        self.source = Source(os.path.join(self.dir, "source"), n, 2 * n)
        self.shell = programs.Shell(b.bin, self.home)
        self.shell.rows(DYNAMIC)
        self.shell.rows(f"CREATE TABLE main.default.managed ({COLUMNS}) USING parquet PARTITIONED BY (k)")
        for strategy in ("exchange", "union"):
            self.shell.rows(f"CREATE TABLE main.default.{strategy} ({COLUMNS}) USING parquet PARTITIONED BY (k) LOCATION '{self.tree(strategy)}' "
                            f"TBLPROPERTIES ('partitionMetadataEnabled'='true', 'tarn.inplace.strategy'='{strategy}')")

    def tree(self, name):
        return os.path.join(self.dir, name)

    def glob(self, name):
        return self.tree(name) + "/k=*/*.parquet"

    def managed(self):
        return alternating(self.source, overwrite(self.shell, "main.default.managed"), asking(self.shell, "main.default.managed"))

    def in_place(self, strategy):
        return alternating(self.source, overwrite(self.shell, f"main.default.{strategy}"), looker(self.glob(strategy)))

    def duckdb(self):
        con, root = connection(), self.tree("duckdb")

        def write(path):
            return timed(lambda: copy(con, path, root, "OVERWRITE true"))()
        return alternating(self.source, write, looker(self.glob("duckdb")))

    def by_hand(self, name="byhand"):
        """The whole job that people write: stage, then replace directory by directory."""
        con, root, staging = connection(), self.tree(name), self.tree(name + "-staging")
        os.makedirs(root)

        def write(path):
            def job():
                # The prober tells old files from new ones by their names.
                copy(con, path, staging, "OVERWRITE true, FILENAME_PATTERN 'data_{uuid}'")
                replace(staging, root)
            return timed(job)()
        return alternating(self.source, write, looker(self.glob(name)))

    def spark(self, spark):
        root = self.tree("spark")
        spark.sql(f"CREATE TABLE w{self.n} ({COLUMNS}) USING parquet PARTITIONED BY (k) LOCATION '{root}'")

        def write(path):
            start = time.perf_counter()
            spark.sql(f"INSERT OVERWRITE w{self.n} SELECT * FROM parquet.`{path}`")
            return Sample(time.perf_counter() - start, None)
        return alternating(self.source, write, looker(self.glob("spark")))

    def close(self):
        self.shell.close()
        shutil.rmtree(self.dir)


def copy(con, path, root, more):
    con.execute(f"COPY (SELECT * FROM read_parquet('{path}')) TO '{root}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (k), {more})")


def replace(staging, root):
    for name in os.listdir(staging):
        shutil.rmtree(f"{root}/{name}", ignore_errors=True)
        os.rename(f"{staging}/{name}", f"{root}/{name}")


def compare(b):
    """All comparisons but Spark's."""
    for n in b.write_sizes:
        if any(b.wants(x) for x in ("W1", "E4", "C2")):
            site = Site(b, n)
            managed = site.managed()
            if b.wants("W1"):
                contenders = {"tarn managed": managed, "tarn in place": site.in_place("exchange")}
                if "duckdb" in b.peers:
                    contenders |= {COPY: site.duckdb(), RMTREE: site.by_hand()}
                b.results.race("W1", "overwrite of all partitions, 2 rows each", n, contenders, WRITTEN)
            if b.wants("C2"):
                metadata(b, site, managed)
            if b.wants("E4") and n == min(b.write_sizes, key=lambda s: abs(s - 1000)):
                windows(b, site, {"tarn exchange": ("exchange", site.in_place("exchange")), "tarn union": ("union", site.in_place("union")),
                                  RMTREE: ("byhand2", site.by_hand("byhand2"))})
                for table, call in (("managed", managed), ("exchange", site.in_place("exchange")), ("union", site.in_place("union"))):
                    readers(b, site, table, call)
            site.close()
        commits(b, n)
    throughput(b)
    memory(b)


# E1–E3: the commit alone.

def commits(b, n, spark=None):
    """Staging is written off the clock. E1 is pointer mode, E3 in place; E2 is what readers see of E1: one catalog transaction."""
    for race, what, modes in (("E1", "commit alone, pointer mode", ("sealed", "catalog")), ("E3", "commit alone, in place", ("exchange", "union"))):
        if not b.wants(race) and not (race == "E1" and b.wants("E2")):
            continue
        seen, contenders = {m: [] for m in modes}, {}
        base = os.path.join(b.dir, f"{race}-{n}{'s' if spark else ''}")
        for mode in modes:
            contenders[f"tarn {mode}"] = committer(b, mode, f"{base}-{mode}", n, seen[mode])
        contenders[RMTREE] = staged_by_hand(base + "-byhand", n)
        if spark:
            contenders[SPARK] = spark
        rows = b.results.race(race, what, n, contenders, n, slow=40 if spark else 12)
        if not rows or spark:
            continue
        for mode in modes:
            last = seen[mode][-1]
            b.results.note(race, f"tarn {mode}: " + ", ".join(f"{k} {v * 1000:.1f}" for k, v in last.items()) + " ms")
        if race == "E1" and b.wants("E2"):
            for mode in modes:
                b.results.times("E2", "the change that readers see", n, f"tarn {mode}", [s["committed"] for s in seen[mode][1:]])


def committer(b, mode, directory, n, seen):
    def call():
        a = b.inprocess.ask(f"commit {mode} {directory} {n}")
        seen.append({k: a["each"][k] for k in ("prepared", "staged", "planned", "published", "committed", "retired", "marked", "done")})
        return Sample(a["seconds"], a["count"], a["cpu"])
    return call


def staged_by_hand(root, n):
    """The loop alone, over directories with a tiny file each."""
    def fill(base):
        for k in range(n):
            os.makedirs(f"{base}/k={k}")
            with open(f"{base}/k={k}/0.parquet", "w", encoding="utf8") as f:
                f.write("26 bytes, as tarn's are   ")
    fill(root + "/table")

    def call():
        fill(root + "/staging")
        sample = timed(lambda: replace(root + "/staging", root + "/table"))()
        sample.result = len(os.listdir(root + "/table"))
        return sample
    return call


# E4: what readers see while a writer works.

def windows(b, site, writers):
    """For how long a reader who lists the tree sees no state that anybody wrote: the worst of some overwrites."""
    for name, (tree, call) in writers.items():
        worst = {"within": 0.0, "across": 0.0, "sweeps": 0}
        for turn in range(1 + min(3, b.results.rounds)):
            prober = turn and subprocess.Popen([sys.executable, os.path.join(HERE, "prober.py"), site.tree(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            if prober:
                prober.stdout.readline()
            sample = call()
            if sample.result != WRITTEN:
                b.results.invalid("E4", site.n, f"{name} left {measure.short(sample.result)}")
            if prober:
                out = json.loads(prober.communicate("end")[0].splitlines()[-1])
                if out["end"] != ["new"]:
                    b.results.invalid("E4", site.n, f"{name}: the tree is {out['end']} at the end")
                worst = {k: max(worst[k], out[k]) for k in worst}
        note = f"{name}; {worst['sweeps']} sweeps"
        b.results.fact("E4", "a partition torn or missing", site.n, worst["within"] * 1000, "ms", note)
        b.results.fact("E4", "partitions of two states", site.n, worst["across"] * 1000, "ms", note)
        b.windows[name] = worst["across"]


def readers(b, site, table, call):
    """A SELECT of tarn's own must see the state before or the one after."""
    shell = programs.Shell(b.bin, site.home)
    truths, looks, wrong, ended = {site.source.truth(0), site.source.truth(1)}, 0, [], threading.Event()

    def read():
        nonlocal looks
        look = asking(shell, f"main.default.{table}")
        while not ended.is_set():
            try:
                got = look()
            except Exception as e:  # noqa: BLE001 - it is what the reader saw
                got = str(e)
            looks += 1
            if got not in truths:
                wrong.append(got)

    call()
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(min(3, b.results.rounds)):
        call()
    ended.set()
    reader.join()
    shell.close()
    b.results.fact("E4", f"SELECTs of the {table} table that saw a mix", site.n, len(wrong), f"of {looks}", "goal 0")
    if wrong:
        b.results.invalid("E4", site.n, f"a SELECT of {table} saw {measure.short(wrong[0])}")


# C2, C4: answers from the catalog.

def metadata(b, site, write):
    """Aggregates of a table whose files the catalog knows, one file a partition."""
    write()
    rows = site.shell.rows("SELECT count(*) FROM main.default.managed")[1][0][0]
    for name, select, want in (("C2", "count(*)", (rows,)), ("C4", "max(k)", (site.n - 1,))):
        contenders = {"tarn": site.shell.query(f"SELECT {select} FROM main.default.managed")}
        if "duckdb" in b.peers:
            if not os.path.isdir(site.tree("duckdb")):
                copy(connection(), site.source.path(0), site.tree("duckdb"), "OVERWRITE true")
            con = connection()
            contenders["DuckDB glob"] = timed(lambda select=select: con.sql(f"SELECT {select} FROM read_parquet('{site.glob('duckdb')}', hive_partitioning=true)").fetchone())
        b.results.race(name, f"{select} of a recorded table", site.n, contenders, want)
    if not shutil.which("strace"):
        print("C2   needs strace to count files that are opened: left out")
        return
    trace = os.path.join(b.dir, "trace")
    text = "SELECT count(*) FROM main.default.managed; SELECT max(k) FROM main.default.managed"
    programs.run(["strace", "-f", "-qq", "-o", trace, "-e", "trace=open,openat,openat2", b.bin, "sql", "--home", site.home, "-e", text], b.scratch)
    with open(trace, encoding="utf8", errors="replace") as f:
        opened = [line for line in f if re.search(r"\.parquet|/k=", line)]
    b.results.fact("C2", "files and directories opened", site.n, len(opened), "", "goal 0")
    if opened:
        b.results.invalid("C2", site.n, f"opened {opened[0].strip()}")


# W2: throughput.

def throughput(b):
    if not b.wants("W2") or "duckdb" not in b.peers:
        return
    rows = b.write_rows
    base = os.path.join(b.dir, "throughput")
    source = Source(os.path.join(base, "source"), 64, rows)
    shell = programs.Shell(b.bin, b.home("throughput"))
    shell.rows(DYNAMIC)
    for what, form, partitioned in (("parquet, one file", "parquet", False), ("parquet, 64 partitions", "parquet", True), ("csv", "csv", False), ("json", "json", False)):
        table = f"main.default.{form}{64 if partitioned else ''}"
        root = os.path.join(base, table)
        more = " PARTITIONED BY (k)" if partitioned else ""
        header = " OPTIONS (header 'true')" if form == "csv" else ""
        shell.rows(f"CREATE TABLE {table} ({COLUMNS}) USING {form}{header}{more}")
        tarn = alternating(source, overwrite(shell, table), asking(shell, table))
        tarn()
        group = row_group(b, shell, table) if form == "parquet" else ""
        contenders = {"tarn": tarn, COPY: plain_copy(source, root + "/a", form, partitioned, group), "DuckDB COPY, then sync": plain_copy(source, root + "/b", form, partitioned, group, True)}
        b.results.race("W2", f"insert, {what}", rows, contenders, WRITTEN, slow=60)
        shell.rows(f"DROP TABLE {table}")
        shutil.rmtree(root)
    shell.close()
    shutil.rmtree(base)


def row_group(b, shell, table):
    """DuckDB's COPY is told to make row groups as large as tarn's are."""
    import pyarrow.parquet as pq
    location = next(r[1] for r in shell.rows(f"DESCRIBE TABLE EXTENDED {table}")[1] if r[0] == "Location").removeprefix("file:")
    newest = max((os.path.join(d, f) for d, _, names in os.walk(location) for f in names if f.endswith(".parquet")), key=os.path.getmtime)
    groups = pq.ParquetFile(newest).metadata
    return f", ROW_GROUP_SIZE {max(groups.row_group(i).num_rows for i in range(groups.num_row_groups))}"


def plain_copy(source, root, form, partitioned, group, sync=False):
    os.makedirs(root)
    con = connection()
    target = root if partitioned else f"{root}/a.{form}"
    more = {"parquet": ", COMPRESSION zstd", "csv": ", HEADER true"}.get(form, "") + group + (", PARTITION_BY (k), OVERWRITE true" if partitioned else "")

    def write(path):
        def job():
            con.execute(f"COPY (SELECT * FROM read_parquet('{path}')) TO '{target}' (FORMAT {form}{more})")
            if sync:
                for directory, _, names in os.walk(root):
                    for name in names:
                        with open(os.path.join(directory, name), "rb") as f:
                            os.fsync(f.fileno())
        return timed(job)()
    return alternating(source, write, looker(f"{root}/k=*/*.{form}" if partitioned else target, hive=partitioned))


# W3: memory.

def memory(b):
    """Many partitions with little memory: peak resident bytes of the process, and whether it got through."""
    if not b.wants("W3"):
        return
    rows = b.write_rows * 3 // 10
    partitions = min(10_000, max(rows // 300, 1))
    base, limit = os.path.join(b.dir, "memory"), "500MB"
    source = Source(os.path.join(base, "source"), partitions, rows)
    home = b.home("memory")
    programs.run([b.bin, "sql", "--home", home, "-e", f"CREATE TABLE main.default.t ({COLUMNS}) USING parquet PARTITIONED BY (k)"], b.scratch)
    shell = programs.Shell(b.bin, home)
    peaks(b, "tarn", rows, [b.bin, "sql", "--home", home, "--memory", limit, "-e", f"INSERT INTO main.default.t SELECT * FROM parquet.`{source.path(0)}`"],
          asking(shell, "main.default.t"), source.truth(0))
    shell.close()
    if "duckdb" in b.peers:
        root = os.path.join(base, "tree")
        program = (f"import duckdb; duckdb.connect(config={{'threads': 2, 'memory_limit': '{limit}', 'temp_directory': '{base}/spill'}}).execute("
                   f"\"COPY (SELECT * FROM read_parquet('{source.path(0)}')) TO '{root}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (k))\")")
        peaks(b, COPY, rows, [sys.executable, "-c", program], looker(root + "/k=*/*.parquet"), source.truth(0))
    shutil.rmtree(base)


def peaks(b, who, rows, argv, look, truth):
    # The peak of a process begins with that of the one which started it, so a small one has to.
    small = "import resource, subprocess, sys; code = subprocess.call(sys.argv[2:]); open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(code)"
    told = b.scratch + ".peak"
    start = time.perf_counter()
    with open(b.scratch, "wb") as out:
        code = subprocess.call([sys.executable, "-c", small, told, *argv], stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    with open(told, encoding="utf8") as f:
        peak = int(f.read()) * 1024
    if code != 0:
        with open(b.scratch, encoding="utf8", errors="replace") as f:
            text = f.read()
        why = next((line for line in text.splitlines() if "Error:" in line or line.startswith("[")), text)
        outcome = f"{who} failed after {seconds:.1f} s: {why[:150]}"
    else:
        got = look()
        outcome = f"{who}, {seconds:.1f} s" + ("" if got == truth else f"; WRONG {got}")
    if who == "tarn" and not outcome.endswith(" s"):
        b.results.invalid("W3", rows, outcome)
    b.results.fact("W3", "peak RSS of an INSERT, memory 500 MB", rows, peak / 1e6, "MB", outcome)


# Spark, last: a JVM disturbs its neighbours.

def spark(b, session):
    if not any(b.wants(x) for x in ("W1", "E1", "E3", "E4")):
        return
    logs = os.path.join(b.dir, "eventlog")
    os.makedirs(logs)
    s = session(b, "writes", {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file:{logs}", "spark.eventLog.rolling.enabled": "false",
                              "spark.eventLog.compress": "false", "spark.sql.sources.partitionOverwriteMode": "dynamic"})
    for n in [n for n in b.write_sizes if n <= 1000 and n in b.spark_sizes]:
        site = Site(b, n, "spark")
        write = site.spark(s)
        if b.wants("W1"):
            b.results.race("W1", "overwrite of all partitions, 2 rows each", n, {"tarn managed": site.managed(), "tarn in place": site.in_place("exchange"), SPARK: write}, WRITTEN, slow=90)

        def commit(write=write, n=n):
            sample = write()
            return Sample(commit_seconds(logs), n if sample.result == WRITTEN else sample.result)

        commits(b, n, commit)
        if b.wants("E4") and n == max(x for x in b.write_sizes if x <= 1000):
            windows(b, site, {SPARK: ("spark", write)})
            for name in ("tarn exchange", "tarn union"):
                if n == 1000 and b.windows.get(name):
                    b.results.goal("E4", f"{SPARK} against {name}", n, b.windows[SPARK] / b.windows[name], 10)
        site.close()
    s.stop()


def commit_seconds(logs):
    """From the last task's end to the end of the statement, by the event log: what Spark's driver needs to commit."""
    path = max((os.path.join(logs, f) for f in os.listdir(logs)), key=os.path.getmtime)
    task = end = None
    for attempt in range(50):
        last, seconds = None, None
        with open(path, encoding="utf8") as f:
            for line in f:
                if '"SparkListenerTaskEnd"' in line:
                    last = json.loads(line)["Task Info"]["Finish Time"]
                elif "SparkListenerSQLExecutionEnd" in line and last:
                    seconds, last = (json.loads(line)["time"] - last) / 1000, None
        if seconds is not None and last is None:
            return seconds
        time.sleep(0.1)
    raise RuntimeError("Spark's event log has no statement with tasks")
