"""Lists a table's tree in a loop, as a reader without a catalog does, while somebody overwrites it: `prober.py ROOT`.

It notes the files of each partition, prints "ready", looks until standard input ends, and prints JSON: the sweeps it made,
their seconds, and the seconds of those in which one partition showed old files beside new ones or none at all ("within"), and
in which some partitions were old and others were not ("across"). A sweep takes time, so seconds are those of whole sweeps.
"""
import json
import os
import select
import sys
import time


def partitions(root):
    """The names of data files by the partition's directory."""
    out = {}
    with os.scandir(root) as level:
        for d in level:
            if "=" in d.name:
                out[d.name] = files(d.path)
    return out


def files(path):
    try:
        with os.scandir(path) as level:
            return frozenset(e.name for e in level if e.name[0] not in "._")
    except FileNotFoundError:
        return frozenset()


def state(before, now):
    kept, come = before & now, now - before
    if kept == before and not come:
        return "old"
    return "new" if come and not kept else "torn"


def main():
    root = sys.argv[1]
    before = partitions(root)
    out = {"sweeps": 0, "seconds": 0.0, "within": 0.0, "across": 0.0}
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        start = time.perf_counter()
        states = {state(old, files(f"{root}/{name}")) for name, old in before.items()}
        took = time.perf_counter() - start
        out["sweeps"] += 1
        out["seconds"] += took
        out["within"] += took if "torn" in states else 0
        out["across"] += took if len(states) > 1 or "torn" in states else 0
    out["end"] = sorted(states)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
