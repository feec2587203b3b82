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
from delta_peers import Failed, Rust, tarn


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


def history(seed, root, engines, steps):
    """One history. Returns what is wrong, or None."""
    r = random.Random(seed)
    table = Table(r, os.path.join(root, f"h{seed}"), any(e.name == "delta-rs" for e in engines))
    told = [f"columns {[(c.name, c.kind, c.key) for c in table.columns]} {table.properties} {table.zone}"]
    try:
        first = r.choice(engines)
        told.append(f"{first.name}: create")
        first.create(table)
        for i in range(steps):
            engine = r.choice(engines)
            before = list(table.rows)
            kind, args = table.step(r, engine.steps)
            if hasattr(engine, "can") and not engine.can(kind, args):
                table.rows = before
                continue
            told.append(f"{engine.name}: {kind} {[shown(x) for x in args]}")
            engine.do(table, kind, args)
            if i == steps - 1 or r.randrange(3) == 0:
                for reader in engines:
                    wrong = differs(reader.name, table, reader.read(table), f"after step {i + 1}")
                    if wrong:
                        return "\n".join(told + [wrong])
    except Failed as e:
        return "\n".join(told + [str(e)])
    shutil.rmtree(table.path, ignore_errors=True)
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--histories", type=int, default=240)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--keep-going", type=int, default=5, help="how many failures are shown")
    o = p.parse_args()
    root = tempfile.mkdtemp(prefix="interop-delta-")
    began, wrong = time.time(), 0
    engines = [tarn(os.path.abspath(o.bin), os.path.join(root, "tarn")), Rust()]
    for n in range(o.histories):
        problem = history(o.seed * 1_000_000 + n, root, engines, o.steps)
        if problem:
            wrong += 1
            print(f"delta: history {o.seed * 1_000_000 + n}\n{problem}\n", flush=True)
            if wrong == o.keep_going:
                break
    engines[0].engine.close()
    print(f"delta: {n + 1} histories of Tarn and delta-rs, {wrong} differ, {time.time() - began:.0f} s")
    if not wrong:
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
