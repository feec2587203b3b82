"""F1–F10: the logs of Delta tables, opened, brought up to date, planned with, cloned and checkpointed, against delta-rs,
against DuckDB where it reads the same bytes without reconciling them, and against Spark with Delta.

The tables have no data files: a query that asked for one would fail, and its race be void.
"""
import json
import os
import shutil
import subprocess

import logs
import programs
from measure import Sample, timed

SLOW = 25.0
WEEK = 7 * 24 * 3600
STRAY = 100  # old files that no version names


class Peer:
    """A process of deltapeer.py."""

    def __init__(self, *argv):
        here = os.path.dirname(os.path.abspath(__file__))
        self.process = subprocess.Popen([os.environ["DELTA_PYTHON"], f"{here}/deltapeer.py", *argv], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, do, at, **more):
        self.process.stdin.write(json.dumps({"do": do, "at": at, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the peer ended"}
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def call(self, do, at, shape=lambda result: result, **more):
        """A contender: what the engine answers, by its own clock."""
        def call():
            a = self.ask(do, at, **more)
            return Sample(a["seconds"], shape(a["result"]), a["cpu"])
        return call

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


def compare(b):
    if not any(b.wants(id) for id in RACES):
        return
    rust = Peer("rust") if "delta-rs" in b.peers else None
    spark = Peer("spark", os.environ["DELTA_JARS"], os.path.join(b.dir, "delta-spark")) if "delta-spark" in b.peers else None
    try:
        for n in b.delta_sizes:
            d = Comparison(b, n, {"delta-rs": rust, "Spark local[2]": spark if n in b.delta_spark_sizes else None})
            try:
                d.run()
            finally:
                d.close()
    finally:
        for p in (rust, spark):
            if p:
                p.close()


class Comparison:
    """All races over tables of one size."""

    def __init__(self, b, n, peers):
        self.b, self.n, self.results = b, n, b.results
        self.peers = {name: p for name, p in peers.items() if p}
        self.dir = os.path.join(b.dir, f"delta{n}")
        self.shell = programs.Shell(b.bin, b.home(f"delta{n}"))

    def run(self):
        self.json = logs.Log(f"{self.dir}/json", self.n)
        self.full = self.json.copy(f"{self.dir}/full")
        # Of a writer that is none of Tarn's, where there is one.
        if "delta-rs" in self.peers:
            self.peers["delta-rs"].ask("checkpoint", self.full.root)
        else:
            self.b.inprocess.ask(f"delta checkpoint {self.full.root}")
        self.full.forget()
        for id, race in RACES.items():
            if self.b.wants(id):
                race(self, id)

    def close(self):
        self.shell.close()
        for table in os.listdir(self.dir):
            self.drop(f"{self.dir}/{table}")
        shutil.rmtree(self.dir)

    def drop(self, root):
        """Lets everybody forget a table."""
        self.b.inprocess.ask(f"delta close {root}")
        for p in self.peers.values():
            p.ask("drop", root) if self.alive(p) else None

    @staticmethod
    def alive(peer):
        return peer.process.poll() is None

    def mine(self, mode, table):
        """A contender: Tarn's package by itself, which answers with the table's files and bytes."""
        def call():
            a = self.b.inprocess.ask(f"delta {mode} {table.root}")
            return Sample(a["seconds"], (a["count"], int(a["sum"])), a["cpu"])
        return call

    def against(self, do, table, **more):
        return {name: p.call(do, table.root, shape=lambda r: tuple(r) if isinstance(r, list) else r, **more) for name, p in self.peers.items()}

    def duckdb(self, text):
        """DuckDB over the same bytes, each read once: nothing is reconciled."""
        if "duckdb" not in self.b.peers:
            return {}
        import duckdb
        con = duckdb.connect(config={"threads": os.cpu_count()})
        return {"DuckDB (bytes only)": timed(lambda: con.sql(text).fetchone())}

    def open(self, id):
        """F1: nothing is remembered; the path and size of each file, which DuckDB reads too."""
        paths = self.duckdb(f"SELECT count(add.path), sum(add.size)::BIGINT FROM (SELECT add FROM read_parquet('{self.full.checkpoint}') "
                            "WHERE add.path IS NOT NULL AND length(add.path) > 0 AND (add.stats IS NULL OR length(add.stats) > 0))")
        self.results.race(id, "open, checkpoint", self.n, {"tarn (in process)": self.mine("open", self.full), **self.against("open", self.full), **paths},
                          self.full.answer, SLOW)

    def replay(self, id):
        """F3: JSON commits alone."""
        text = self.duckdb("SELECT count(add.path), sum(add.size)::BIGINT FROM read_json('" + self.json.root + "/_delta_log/*.json', format='newline_delimited', "
                           "columns={add: 'STRUCT(path VARCHAR, partitionValues MAP(VARCHAR, VARCHAR), size BIGINT, modificationTime BIGINT, stats VARCHAR)'}) "
                           "WHERE add.path IS NOT NULL AND length(add.stats) > 0")
        self.results.race(id, f"open, {logs.COMMITS} JSON commits", self.n,
                          {"tarn (in process)": self.mine("open", self.json), **self.against("open", self.json), **text}, self.json.answer, SLOW)

    def tail(self, id):
        """F4: a checkpoint and many small commits after it."""
        table = self.full.copy(f"{self.dir}/tail")
        for _ in range(logs.TAIL):
            table.commit(1)
        self.results.race(id, f"open, checkpoint and {logs.TAIL} commits", self.n,
                          {"tarn (in process)": self.mine("open", table), **self.against("open", table)}, table.answer, SLOW)

    def update(self, id):
        """F5: one commit came since the last look. Everybody has a log of his own, which grows before each look."""
        def grown(table, look):
            def call():
                table.commit(1)
                s = look()
                return Sample(s.seconds, s.result in (table.answer, table.version), s.cpu)
            return call

        own = {name: self.full.copy(f"{self.dir}/update-{i}") for i, name in enumerate(["tarn (in process)", *self.peers])}
        contenders = {}
        for name, table in own.items():
            if name in self.peers:
                self.peers[name].ask("load", table.root)
                contenders[name] = grown(table, self.peers[name].call("update", table.root))
            else:
                self.b.inprocess.ask(f"delta update {table.root}")
                contenders[name] = grown(table, self.mine("update", table))
        self.results.race(id, "one more commit", self.n, contenders, True, SLOW)
        for table in own.values():
            self.drop(table.root)

    def memory(self, id):
        a = self.b.inprocess.ask(f"delta bytes {self.full.root}")
        self.results.fact(id, "resident bytes per file, opened", self.n, a["bytes"] / a["count"], "B", "statistics and paths included")

    def clone(self, id):
        """F7: a shallow clone; of DuckDB, the checkpoint with other paths, which is the least a clone must write."""
        def tarn():
            seconds, rows = self.shell.rows(f"CREATE OR REPLACE TABLE hive_metastore.default.c{next(numbers)} SHALLOW CLONE delta.`{self.full.root}`")
            return Sample(seconds, tuple(rows[0]), self.shell.cpu)

        numbers, copies = iter(range(1000)), iter(range(1000))
        want = (self.full.bytes, self.full.files, 0, 0, 0, 0)
        contenders = {"tarn": tarn}
        if spark := self.peers.get("Spark local[2]"):
            contenders["Spark local[2]"] = lambda: spark.call("clone", self.full.root, tuple, to=f"{self.dir}/clone{next(copies)}")()
        if "duckdb" in self.b.peers:
            import duckdb
            con = duckdb.connect(config={"threads": os.cpu_count()})
            text = (f"COPY (SELECT * REPLACE (CASE WHEN add.path IS NOT NULL THEN struct_update(add, path := '{self.full.root}/' || add.path) END AS add) "
                    f"FROM read_parquet('{self.full.checkpoint}')) TO '{self.dir}/rewritten.parquet' (FORMAT parquet)")

            def rewrite():
                s = timed(lambda: con.sql(text))()
                s.result = want
                return s
            contenders["DuckDB (bytes only)"] = rewrite
        self.results.race(id, "shallow clone", self.n, contenders, want, SLOW)
        # VACUUM would look into every clone.
        for _, name, *_ in self.shell.rows("SHOW TABLES IN hive_metastore.default")[1]:
            self.shell.rows(f"DROP TABLE hive_metastore.default.{name}")

    def checkpoint(self, id):
        """F10: a checkpoint of a table that is loaded; Spark's and delta-rs's must give the same table when Tarn opens them."""
        own = {name: self.json.copy(f"{self.dir}/checkpoint-{i}") for i, name in enumerate(["tarn (in process)", *self.peers])}

        def checked(table, write):
            def call():
                # One that is there would not be written again.
                for path in (table.checkpoint, f"{table.root}/_delta_log/_last_checkpoint"):
                    if os.path.exists(path):
                        os.remove(path)
                s = write()
                if not os.path.exists(table.checkpoint):
                    raise RuntimeError("no checkpoint was written")
                a = self.b.inprocess.ask(f"delta open {table.root}")
                s.result = (a["count"], int(a["sum"]))
                return s
            return call

        self.results.race(id, "checkpoint", self.n, {name: checked(t, self.peers[name].call("checkpoint", t.root) if name in self.peers else self.mine("checkpoint", t))
                                                     for name, t in own.items()}, self.json.answer, SLOW)
        if first := next(iter(self.peers.values()), None):
            try:
                if tuple(first.ask("open", own["tarn (in process)"].root)["result"]) != self.json.answer:
                    self.results.invalid(id, self.n, "a peer reads another table from Tarn's checkpoint")
            except RuntimeError as e:
                self.results.invalid(id, self.n, f"a peer cannot read Tarn's checkpoint: {e}")
        for table in own.values():
            self.drop(table.root)

    def count(self, id):
        """F11: count(*) of a table that was asked before; only statistics can tell."""
        for p in self.peers.values():
            p.ask("load", self.full.root)
        self.results.race(id, "count(*)", self.n, {"tarn": self.shell.query(f"SELECT count(*) FROM delta.`{self.full.root}`", lambda rows: rows[0][0]),
                                                   **self.against("rows", self.full)}, self.full.files * logs.ROWS, SLOW)

    def plan(self, id):
        """F12: which files a partition has, or how many rows."""
        day, files = self.full.day
        for p in self.peers.values():
            p.ask("load", self.full.root)
        self.results.race(id, "files of a partition", self.n,
                          {"tarn": self.shell.query(f"SELECT count(*) FROM delta.`{self.full.root}` WHERE dt = DATE '{day}'", lambda rows: rows[0][0] / logs.ROWS),
                           **self.against("plan", self.full, day=day)}, files, SLOW)

    def sync(self, id):
        """F13: the catalog's copy is compared with the log, which is read anew."""
        name = "hive_metastore.default.synced"
        self.shell.rows(f"CREATE TABLE {name} USING delta LOCATION '{self.full.root}'")
        self.shell.rows(f"MSCK REPAIR TABLE {name} SYNC METADATA")
        self.results.race(id, "SYNC METADATA, nothing to do", self.n, {"tarn": self.shell.query(f"MSCK REPAIR TABLE {name} SYNC METADATA", list)}, [], SLOW)

    def vacuum(self, id):
        """F14: the files that VACUUM would delete."""
        for i in range(STRAY):
            path = f"{self.full.root}/dt={self.full.days[i % len(self.full.days)]}/stray-{i}.parquet"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass
            os.utime(path, (0, self.full.now / 1000 - 2 * WEEK))
        self.results.race(id, f"VACUUM DRY RUN, {STRAY} stray files", self.n,
                          {"tarn": self.shell.query(f"VACUUM delta.`{self.full.root}` DRY RUN", len), **self.against("vacuum", self.full)}, STRAY, SLOW)


RACES = {"F1": Comparison.open, "F3": Comparison.replay, "F4": Comparison.tail, "F5": Comparison.update, "F6": Comparison.memory, "F7": Comparison.clone,
         "F10": Comparison.checkpoint, "F11": Comparison.count, "F12": Comparison.plan, "F13": Comparison.sync, "F14": Comparison.vacuum}
