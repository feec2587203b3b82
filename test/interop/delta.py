"""Compares Delta tables of Tarn with those of delta-rs and of Spark with Delta: `make interop`.

Random histories are done step by step, each step by a writer that chance picks; after steps and at the end every engine must
read what the model holds. A second part lets Tarn and delta-rs write to one table at the same time.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time

from delta_model import Table
from delta_peers import Failed, Rust, spark, tarn
from delta_race import race


def shown(x):
    if isinstance(x, tuple):
        return tuple(shown(v) for v in x)
    return x.name if hasattr(x, "name") else x


def differs(who, table, got, what):
    want = table.expected()
    if got == want:
        return None
    missing = [x for x in want if x not in got][:3]
    more = [x for x in got if x not in want][:3]
    return f"{who} reads {len(got)} rows {what}, the model holds {len(want)}\n  missing {missing}\n  more    {more}"


def history(seed, root, engines, steps, refusals):
    """One history. Returns what is wrong, or None."""
    r = random.Random(seed)
    rust = any(e.name == "delta-rs" for e in engines)
    table = Table(r, os.path.join(root, f"h{seed}"), rust)
    first = r.choice(engines)
    if not rust and first.name == "spark":
        table.features(r)
    if not rust:
        table.generated = r.randrange(3) == 0
    told = [f"columns {[(c.name, c.kind, c.key) for c in table.columns]} {table.properties} {table.zone}" + " generated" * table.generated]
    try:
        told.append(f"{first.name}: create")
        first.create(table)
        for i in range(steps):
            engine = r.choice(engines)
            rows, path, columns = list(table.rows), table.path, [c.kind for c in table.columns]
            kind, args = table.step(r, engine.steps)
            if rust and engine.name == "delta-rs" and not engine.can(kind, args):
                table.rows = rows
                continue
            told.append(f"{engine.name}: {kind} {[shown(x) for x in args]}")
            try:
                engine.do(table, kind, args)
            except Failed as e:
                if not e.refused:
                    raise
                # Nothing may have happened.
                table.rows, table.path = rows, path
                for c, was in zip(table.columns, columns):
                    c.kind = was
                why = str(e).partition("\n")[2][:160]
                refusals[why] = refusals.get(why, 0) + 1
                told.append(f"refused: {e}")
            if i == steps - 1 or r.randrange(3) == 0:
                for reader in engines:
                    wrong = differs(reader.name, table, reader.read(table), f"after step {i + 1}")
                    if wrong:
                        return "\n".join(told + [wrong])
    except Failed as e:
        return "\n".join(told + [str(e)])
    return None


def part(what, first, count, root, engines, o, least=0):
    """Histories of some engines: count of them, or, when they take too long, those that were done in time. Returns how many
    went wrong."""
    began, wrong, refusals, done = time.time(), 0, {}, 0
    for n in range(count):
        if n >= least > 0 and time.time() - began > o.seconds:
            break
        problem = history(first + n, root, engines, o.steps, refusals)
        done += 1
        if problem:
            wrong += 1
            print(f"delta: history {first + n}\n{problem}\n", flush=True)
            if wrong == o.shown:
                break
    for why, times in sorted(refusals.items()):
        print(f"delta: refused {times} times: {why}")
    print(f"delta: {done} histories of {what}, {wrong} differ, {time.time() - began:.0f} s", flush=True)
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--rust", type=int, default=400, help="histories of Tarn and delta-rs")
    p.add_argument("--spark", type=int, default=30, help="histories of Tarn and Spark")
    p.add_argument("--jars", help="the directory of Delta's jars for Spark")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--seconds", type=float, default=150, help="how long the histories with Spark may take, after the first few")
    p.add_argument("--shown", type=int, default=5, help="how many failures are shown")
    o = p.parse_args()
    root, first = tempfile.mkdtemp(prefix="interop-delta-"), o.seed * 1_000_000
    mine = tarn(os.path.abspath(o.bin), os.path.join(root, "tarn"))
    wrong = 0
    if o.rust:
        wrong += part("Tarn and delta-rs", first, o.rust, root, [mine, Rust()], o)
        problems, told = race(os.path.abspath(o.bin), root)
        print("\n".join(f"delta: {x}" for x in problems + [told] if x), flush=True)
        wrong += len(problems)
    if o.spark:
        peer = spark(o.jars)
        wrong += part("Tarn and Spark", first + 500_000, o.spark, root, [mine, peer], o, least=8)
        peer.engine.close()
    mine.engine.close()
    if not wrong:
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
