"""Tarn and delta-rs write to one table at the same time.

Each writer appends rows of its own and deletes some of them again, and gives way when the other's commit cannot live together with
its own. In the end every engine reads what the writers were told to be committed, and every version has one creator.
"""
import glob
import json
import os
import random
import subprocess
import sys
import threading

from delta_model import Column, Table
from delta_peers import Failed, Rust, tarn

ROUNDS = 40


def table(path):
    t = Table(random.Random(0), path, True)
    t.columns, t.properties, t.zone = [Column("id", "BIGINT"), Column("v", "STRING"), Column("p", "INT", True)], {"delta.checkpointInterval": "7"}, "UTC"
    return t


def write(engine, t, first, rounds):
    """Appends and deletes; returns the ids that are there, how many commits were made, and how many gave way."""
    there, commits, gave_way = set(), 0, 0
    for i in range(rounds):
        row = first + i
        steps = [("append", ([[row, engine.name, row % 3]],))]
        if i % 4 == 3:
            steps.append(("delete", ((t.columns[0], "=", row - 2),)))
        for kind, args in steps:
            try:
                engine.do(t, kind, args)
            except Failed as e:
                if not any(word in str(e) for word in ("CONCURRENT", "ommit failed", "onflict", "oncurrent", "already exists")):
                    raise
                gave_way += 1
                continue
            if kind == "append":
                there.add(row)
                commits += 1
            elif row - 2 in there:
                there.discard(row - 2)
                commits += 1
    return sorted(there), commits, gave_way


def race(binary, root):
    """Returns what is wrong, and a line about the race."""
    path = os.path.join(root, "race")
    t = table(path)
    engines = [tarn(binary, os.path.join(root, f"race{i}")) for i in range(2)]
    engines[0].create(t)
    for e in engines:
        e.do(t, "append", ([[-1, "first", 0]],))
    results, threads = {}, []

    def run(name, what):
        try:
            results[name] = what()
        except Exception as e:  # noqa: BLE001 - told below
            results[name] = e

    def other():
        p = subprocess.run([sys.executable, __file__, path], capture_output=True, text=True, timeout=120)
        if p.returncode:
            raise Failed(p.stderr[-2000:])
        return json.loads(p.stdout)

    for i, e in enumerate(engines):
        threads.append(threading.Thread(target=run, args=(f"tarn {i}", lambda e=e, i=i: write(e, t, 1000 * (i + 1), ROUNDS))))
    threads.append(threading.Thread(target=run, args=("delta-rs", other)))
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    wrong = [f"{name}: {result}" for name, result in results.items() if isinstance(result, Exception)]
    if wrong:
        return wrong, ""
    want = [-1, -1] + sorted(i for there, _, _ in results.values() for i in there)
    for reader in engines + [Rust()]:
        got = sorted(int(eval(row)[0]) for row in reader.read(t))  # noqa: S307 - the text of a list that read made
        if got != want:
            wrong.append(f"{reader.name} reads the ids {got}, committed are {want}")
    logs = sorted(glob.glob(os.path.join(path, "_delta_log", "*.json")))
    commits = sum(c for _, c, _ in results.values())
    for version, log in enumerate(logs):
        infos = [json.loads(line)["commitInfo"] for line in open(log, encoding="utf8") if line.startswith('{"commitInfo"')]
        if os.path.basename(log) != f"{version:020d}.json" or len(infos) != 1:
            wrong.append(f"{log}: it is version {version} and has {len(infos)} creators")
    if len(logs) != commits + 3:
        wrong.append(f"{len(logs)} versions are there, {commits + 3} were committed")
    for e in engines:
        e.engine.close()
    return wrong, f"{commits} commits by two Tarns and delta-rs, {sum(g for _, _, g in results.values())} gave way"


if __name__ == "__main__":
    print(json.dumps(write(Rust(), table(sys.argv[1]), 9000, ROUNDS)))
