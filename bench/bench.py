#!/usr/bin/env python3
"""The benchmark's driver; run.sh sets it up and has the knobs. The ids are those of the project's performance goals.

Contenders of one comparison take turns in one run. Every answer is checked: a wrong one makes the comparison void, and
a void comparison fails the run. Times are minima and medians; "peer/tarn" is the ratio of minima.
"""
import argparse
import importlib.util
import os
import re
import shutil
import sys
import tempfile

import correctness
import delta
import limits
import measure
import migration
import programs
import queries
import repair
import scans
import sparkpeer
import trees
import writes


class Bench:
    """What all comparisons share."""

    def __init__(self, args):
        env = os.environ.get
        self.bin, self.inprocess_bin = os.path.abspath(args.bin), args.inprocess
        self.sizes = sorted(int(s) for s in env("SIZES", "1000 10000 100000").split())
        self.spark_sizes = [int(s) for s in env("SPARK_SIZES", " ".join(str(s) for s in self.sizes if s <= 10000)).split()]
        self.write_sizes = sorted(int(s) for s in env("WRITE_SIZES", "100 1000 10000").split())
        self.write_rows = int(env("WRITE_ROWS", "10000000"))
        self.delta_sizes = sorted(int(s) for s in env("DELTA_SIZES", "10000 100000 1000000").split())
        self.delta_spark_sizes = [int(s) for s in env("DELTA_SPARK_SIZES", " ".join(str(s) for s in self.delta_sizes if s <= 100000)).split()]
        self.migrate_sizes = sorted(int(s) for s in env("MIGRATE_SIZES", "100 1000").split())
        self.windows = {}  # E4: the worst window of each writer, for the comparison with Spark's
        self.only = re.compile(env("ONLY", ""))
        self.results = measure.Results(int(env("ROUNDS", "7")))
        self.dir = tempfile.mkdtemp(prefix="tarn-bench-", dir=env("BENCH_DIR") or None)
        self.scratch = os.path.join(self.dir, "output")
        self.peers = self.available(env("PEERS", "bfs find duckdb pyarrow polars spark delta-rs delta-spark").split())
        self.inprocess = programs.InProcess(self.inprocess_bin)

    def available(self, wanted):
        modules = {"duckdb": "duckdb", "pyarrow": "pyarrow", "polars": "polars", "spark": "pyspark"}
        have = set()
        for p in wanted:
            if p.startswith("delta-"):
                # These have a Python of their own, which run.sh makes.
                ready = os.environ.get("DELTA_PYTHON") and (p == "delta-rs" or os.environ.get("DELTA_JARS"))
                have |= {p} if ready else set()
                if not ready:
                    print(f"MISSING PEER: {p} (left out)")
                continue
            found = importlib.util.find_spec(modules[p]) if p in modules else shutil.which(p)
            if p == "spark" and not shutil.which("java"):
                found = None
            if found:
                have.add(p)
            else:
                print(f"MISSING PEER: {p} (left out)")
        return have

    def wants(self, name):
        return self.only.match(name) is not None

    def home(self, name):
        return os.path.join(self.dir, "homes", name)

    def script(self, text):
        path = os.path.join(self.dir, "script.sql")
        with open(path, "w", encoding="utf8") as f:
            f.write(text)
        return path

    def close(self):
        self.inprocess.close()
        shutil.rmtree(self.dir, ignore_errors=True)


TREES = ("A1", "A2", "A2p", "A4", "A7", "A9", "B11", "B12", "C1", "C1d", "C3", "D1", "D3")  # what looks at trees of partitions
TABLE = "(id BIGINT, x DOUBLE, name STRING, dt DATE, h INT) USING parquet PARTITIONED BY (dt, h) LOCATION"


def startup(b):
    if not b.wants("S"):
        return
    home = b.home("start")
    programs.run([b.bin, "sql", "--home", home, "-e", "SELECT 1"], b.scratch)

    def process(*argv):
        def call():
            s = programs.run(list(argv), b.scratch)
            return measure.Sample(s.seconds, bool(s.result) or argv[0] == "true", s.cpu)
        return call

    b.results.race("S1", "start: tarn version", 0, {"tarn": process(b.bin, "version"), "true": process("true")}, True)
    b.results.race("S2", "start: tarn sql -e 'SELECT 1'", 0, {"tarn": process(b.bin, "sql", "--home", home, "-e", "SELECT 1")}, True)
    b.results.race("S3", "start: tarn sql -e 'SHOW TABLES'", 0,
                   {"tarn": process(b.bin, "sql", "--home", home, "--format", "json", "-e", "SHOW TABLES")}, True)


def prune(b):
    if not b.wants("B2"):
        return
    for n in (10_000, 100_000, 1_000_000):
        a = b.inprocess.ask(f"prune {n}")
        for name, seconds in sorted(a["each"].items()):
            b.results.fact("B2", f"prune: {name}", n, seconds * 1e6, "µs", "goal at 1M: any 1000, leading 20")


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--inprocess", required=True)
    b = Bench(ap.parse_args())
    try:
        print(f"sizes {b.sizes}, {b.results.rounds} rounds, {os.cpu_count()} processors, load {measure.load():.1f}, peers: {' '.join(sorted(b.peers))}\n")
        measure.head()
        startup(b)
        prune(b)
        made = []
        for n in b.sizes if any(b.wants(x) for x in TREES) else []:
            tree = trees.Tree(os.path.join(b.dir, f"tree{n}"), n)
            made.append(tree)
            repair.compare(b, tree, TABLE, largest=n == b.sizes[-1])
            scans.compare(b, tree, TABLE)
        correctness.compare(b)
        queries.compare(b)
        limits.compare(b)
        writes.compare(b)
        delta.compare(b)
        migration.compare(b)
        if "spark" in b.peers and b.spark_sizes:
            sparkpeer.compare(b, [t for t in made if t.n in b.spark_sizes], TABLE)
            writes.spark(b, sparkpeer.session)
        b.results.growth()
        if b.results.goals:
            print(f"\ngoals: {sum(g[3] for g in b.results.goals)} of {len(b.results.goals)} met")
            for race, peer, size, met, ratio, goal in b.results.goals:
                if not met:
                    print(f"MISSED {race} at {size}: {peer} takes {ratio:.2f}x, the goal is {goal:g}x")
        print(f"\nload at the end {measure.load():.1f}" + (": other work ran here, trust ratios of one row only" if measure.load() > 2 * os.cpu_count() else ""))
        for v in b.results.void:
            print(f"VOID {v}")
        sys.exit(1 if b.results.void else 0)
    finally:
        b.close()


if __name__ == "__main__":
    main()
