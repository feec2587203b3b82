"""A1–A3, A7, A9, B11, B12: finding partitions and repairing a new table, against programs that only list."""
import contextlib
import json
import os
import sqlite3

import programs
from measure import Sample


def compare(b, tree, table, largest):
    n, root, results = tree.n, tree.root, b.results
    depth = [root, "-mindepth", "2", "-maxdepth", "2", "-type", "d"]
    listers = {p: programs.lister([p, *depth], root, b.scratch) for p in ("bfs", "find") if p in b.peers}
    if b.wants("A1"):
        contenders = {"tarn (in process)": b.inprocess.walk(f"discover {root}", tree.partitions), **listers,
                      "Go WalkDir (in process)": b.inprocess.walk(f"walkdir {root}", tree.partitions)}
        results.race("A1", "discovery only", n, contenders, tree.partitions)
    if b.wants("A2") or b.wants("A7"):
        whole(b, tree, table, listers)
        warm(b, tree, table, listers)
    if b.wants("A9") or b.wants("B11") or b.wants("B12"):
        sizes(b, tree, table, largest)


def declare(b, home, tree, table, names):
    script = b.script("".join(f"CREATE TABLE hive_metastore.default.{x} {table} '{tree.root}';\n" for x in names))
    programs.run([b.bin, "sql", "--home", home, "--format", "json", "-f", script], b.scratch)


def added(rows):
    """The partitions that a repair says it added, or what else it said."""
    if any(r[0] != "add" for r in rows):
        return next(r for r in rows if r[0] != "add")
    return frozenset(r[1] for r in rows)


def whole(b, tree, table, listers):
    """Each round is a process that repairs a table nobody repaired before."""
    home = b.home(f"whole{tree.n}")
    names = [f"t{i}" for i in range(b.results.rounds + 1)]
    declare(b, home, tree, table, names)
    left = iter(names)

    def sync():
        script = b.script(f"MSCK REPAIR TABLE hive_metastore.default.{next(left)} SYNC PARTITIONS;")
        s = programs.run([b.bin, "sql", "--home", home, "--format", "json", "-f", script], b.scratch)
        return Sample(s.seconds, added(json.loads(s.result)["rows"]), s.cpu)

    b.results.race("A2p", "durable MSCK SYNC, whole process", tree.n, {"tarn sql -f": sync, **listers}, tree.partitions)


def warm(b, tree, table, listers):
    """The same inside one running process, and once more with nothing to do."""
    home = b.home(f"warm{tree.n}")
    names = [f"t{i}" for i in range(b.results.rounds + 1)]
    declare(b, home, tree, table, names)
    shell = programs.Shell(b.bin, home)
    left = iter(names)

    def sync():
        return shell.query(f"MSCK REPAIR TABLE hive_metastore.default.{next(left)} SYNC PARTITIONS", added)()

    walk = b.inprocess.walk(f"walkdir {tree.root}", tree.partitions)
    add = b.results.race("A2", "durable MSCK SYNC, tarn already runs", tree.n, {"tarn": sync, **listers, "Go WalkDir (in process)": walk}, tree.partitions)
    _, rows = shell.rows(f"SHOW PARTITIONS hive_metastore.default.{names[-1]}")
    if add and frozenset(r[0] for r in rows) != tree.partitions:
        b.results.invalid("A2", tree.n, "SHOW PARTITIONS differs from the tree after the repair")
    if b.wants("A7"):
        again = shell.query(f"MSCK REPAIR TABLE hive_metastore.default.{names[-1]} SYNC PARTITIONS", added)
        no_op = b.results.race("A7", "MSCK SYNC with nothing to do", tree.n, {"tarn": again}, frozenset())
        if add and no_op:
            b.results.fact("A7", "no-op SYNC / ADD", tree.n, no_op["tarn"].best() / add["tarn"].best(), "x", "goal 1.5")
    shell.close()


def sizes(b, tree, table, largest):
    home = b.home(f"size{tree.n}")
    declare(b, home, tree, table, ["t"])
    shell = programs.Shell(b.bin, home)
    shell.rows("SELECT 1")
    idle = shell.peak()
    _, rows = shell.rows("MSCK REPAIR TABLE hive_metastore.default.t SYNC PARTITIONS")
    peak = shell.peak()
    shell.close()
    if added(rows) != tree.partitions:
        b.results.invalid("B11", tree.n, "the repair did not add all partitions")
        return
    if b.wants("A9") and largest:
        b.results.fact("A9", "peak RSS of a process that repaired", tree.n, peak / 1e6, "MB", f"{idle / 1e6:.0f} MB after SELECT 1")
    if b.wants("B11"):
        b.results.fact("B11", "bytes per partition in catalog.db", tree.n, stored(home) / tree.n, "B", "HMS 678")
    if b.wants("B12"):
        a = b.inprocess.ask(f"bytes {tree.root}")
        b.results.fact("B12", "resident bytes per partition", tree.n, a["bytes"] / a["count"], "B", "goal 16")


def stored(home):
    """Bytes of the segments; the pages of a small file say nothing."""
    with contextlib.closing(sqlite3.connect(os.path.join(home, "catalog.db"))) as db:
        return db.execute("SELECT sum(length(bytes) + length(first) + length(zones)) FROM segments JOIN segment_data USING (id)").fetchone()[0]
