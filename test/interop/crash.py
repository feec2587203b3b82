"""Kills tarn at points of its writes and reads the Parquet files with pyarrow after recovery.

    python crash.py --bin ../../bin/tarn

Readers that list directories (pyarrow.dataset here) must find what the table held before or after the statement; so must
readers that follow the locations of partitions in the catalog. make crash does the same thousands of times without pyarrow.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import pyarrow.dataset as ds

POINTS = ["begun", "staging", "prepared", "staged", "planned", "marker dropped", "directory made", "file published", "exchanging",
          "exchanged", "published", "flipping", "committed", "file retired", "retired", "marker staged", "marked"]

TABLES = {
    "listing_union": "LOCATION '{dir}/listing_union' TBLPROPERTIES ('tarn.inplace.strategy'='union')",
    "listing_exchange": "LOCATION '{dir}/listing_exchange' TBLPROPERTIES ('tarn.inplace.strategy'='exchange')",
    "sealed": "",
}


def run(binary, home, statement, crash=None):
    """Runs one statement; returns the exit status and the answers."""
    env = dict(os.environ)
    if crash:
        env["TARN_CRASH_AT"] = crash
    p = subprocess.run([binary, "sql", "--home", home, "--format", "json", "-e", statement], env=env, capture_output=True, text=True)
    return p.returncode, [json.loads(line) for line in p.stdout.splitlines()]


def rows(binary, home, name, root):
    """What pyarrow reads: directories of a listing table, the locations of the partitions of a sealed one."""
    if name != "sealed":
        t = ds.dataset(root, format="parquet", partitioning="hive").to_table().to_pydict()
        return sorted(zip(t["v"], t["p"]))
    out = []
    _, answers = run(binary, home, "SHOW PARTITIONS sealed")
    for (spec,) in answers[0]["rows"]:
        p = int(spec.removeprefix("p="))
        _, described = run(binary, home, f"DESCRIBE EXTENDED sealed PARTITION (p = {p})")
        at = next(r[1] for r in described[0]["rows"] if r[0] == "Location").removeprefix("file:")
        out += [(v, p) for v in ds.dataset(at, format="parquet").to_table().to_pydict()["v"]]
    return sorted(out)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--bin", required=True)
    binary = os.path.abspath(args.parse_args().bin)
    work = tempfile.mkdtemp(prefix="tarn-interop-crash")
    home, died, wrong = os.path.join(work, "home"), 0, 0
    for name, clauses in TABLES.items():
        status, _ = run(binary, home, f"CREATE TABLE {name} (v STRING, p INT) USING parquet PARTITIONED BY (p) " + clauses.format(dir=work))
        assert status == 0, name
        root = os.path.join(work, name)
        run(binary, home, f"INSERT INTO {name} VALUES ('first', 1), ('first', 2)")
        before = rows(binary, home, name, root)
        for n, point in enumerate(POINTS):
            status, answers = run(binary, home, f"INSERT OVERWRITE {name} VALUES ('s{n}', 1), ('s{n}', 2)", crash=point)
            subprocess.run([binary, "recover", "--home", home], check=True, capture_output=True)
            after, now = [(f"s{n}", 1), (f"s{n}", 2)], rows(binary, home, name, root)
            if now != after and (answers or now != before):
                wrong += 1
                print(f"crash: {name} at {point!r}: pyarrow reads {now}, before it was {before}")
            died += status != 0
            before = now
    shutil.rmtree(work)
    print(f"crash: {died} processes were killed, pyarrow read something else {wrong} times")
    sys.exit(wrong > 0 or died < 2 * len(POINTS))


if __name__ == "__main__":
    main()
