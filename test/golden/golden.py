#!/usr/bin/env python3
"""Runs Spark's own SQL golden files and counts the statements that agree, file by file, against a floor.

Every file runs in a process of its own. floor.tsv has how many statements of a file agree at least; fewer is a failure,
and every statement that disagrees in that file is printed. --raise writes the counts of this run where they are higher.
"""
import argparse
import collections
import json
import os
import re
import sys
import tempfile
import time

import engine
from reading import bare
from source import SKIP, Source, group_of, preload, settings, statements
from verdict import golden_error, judge

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOR = os.path.join(HERE, "floor.tsv")
HEAD = "# Statements of each of Spark's golden files that agree, and how many there are. It only rises: make golden-floor.\n"


def translated(res):
    """The golden files know the catalog of registered partitions by its name in Spark."""
    if res.get("rows"):
        res["rows"] = [[v.replace("hive_metastore", "spark_catalog") if isinstance(v, str) else v for v in row] for row in res["rows"]]
    return res


def unjudged(name, index, statement):
    """Why the runner cannot judge a statement, or None."""
    lone = bare(statement.sql)
    if re.match(r"(?i)\s*explain\b", lone or "") and not golden_error(statement)[0]:
        return "plan text"
    if lone is None or ";" in lone.rstrip(";"):
        return "cannot be sent as one statement ended by a semicolon"
    return SKIP.get(name, {}).get(index)


def run_file(args, source, name):
    """The counts of a file, and (index, statement, why) of each that disagrees."""
    text = source.golden(name)
    n, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="golden-") as root:
        tarn = engine.Tarn(args.bin, root, "hive_metastore", args.timeout)
        try:
            for sql in preload(source, name, text, root):
                if "error" in (r := tarn.sql(sql)):
                    bad.append((-1, sql, f"{r['error']['class']}: {r['error']['message'][:200]}"))
            conf = settings(source, name)
            for k, v in conf:
                tarn.sql(f"SET {k}={v}")
            style = dict(conf).get("spark.sql.binaryOutputStyle", "UTF-8").upper()
            for i, st in enumerate(statements(text)):
                n["statements"] += 1
                if unjudged(name, i, st):
                    n["skipped"] += 1
                    continue
                res = translated(tarn.sql(st.sql))
                try:
                    why = judge(st, res, style)
                except Exception as e:  # noqa: BLE001 - an answer of a shape that the reader does not know
                    why = f"answer not understood: {type(e).__name__}: {e}: {str(res)[:200]}"
                n["disagree" if why else "agree"] += 1
                if why:
                    bad.append((i, st.sql, why))
        finally:
            tarn.close()
    return n, bad


def read_floor():
    floor = {}
    if os.path.exists(FLOOR):
        with open(FLOOR, encoding="utf8") as f:
            for line in f:
                if not line.startswith("#"):
                    name, agree, _ = line.rstrip("\n").split("\t")
                    floor[name] = int(agree)
    return floor


def write_floor(counts, floor):
    """Raises the floor of the files that ran; those of the group that did not keep theirs."""
    with open(FLOOR, "w", encoding="utf8") as f:
        f.write(HEAD)
        for name, (agree, judged) in sorted(counts.items()):
            f.write(f"{name}\t{max(agree, floor.get(name, 0))}\t{judged}\n")


def share(n):
    judged = n["statements"] - n["skipped"]
    return f"{n['agree']:6} of {judged:6} {100 * n['agree'] / judged if judged else 100:6.1f} %"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--jar", required=True, help="Maven's org.apache.spark:spark-sql_2.13:VERSION:jar:tests")
    ap.add_argument("--bin", required=True)
    ap.add_argument("--timeout", type=float, default=30, help="seconds a statement may take")
    ap.add_argument("--group", choices=["core", "stretch", "excluded", "unlisted", "all"], default="core")
    ap.add_argument("--only", default="", help="regular expression over the names of files")
    ap.add_argument("--list", action="store_true", help="print every statement that disagrees")
    ap.add_argument("--record", help="write each disagreement into this file, a line of JSON each")
    ap.add_argument("--raise", dest="higher", action="store_true", help="write the counts into floor.tsv where they are higher")
    args = ap.parse_args()
    args.bin = os.path.abspath(args.bin)
    source, floor, counts, low = Source(args.jar), read_floor(), {}, []
    record = open(args.record, "w", encoding="utf8") if args.record else None
    totals = collections.defaultdict(collections.Counter)
    for name in source.goldens():
        group, why = group_of(name)
        if not re.search(args.only, name) or args.group not in ("all", group):
            continue
        start = time.monotonic()
        n, bad = run_file(args, source, name)
        below = group == "core" and n["agree"] < floor.get(name, 0)
        if group == "core":
            counts[name] = (n["agree"], n["statements"] - n["skipped"])
        print(f"{name:70} {share(n)} {time.monotonic() - start:5.1f} s" + (f"  BELOW THE FLOOR OF {floor[name]}" if below else ""), flush=True)
        low += [name] if below else []
        for i, sql, reason in bad:
            if args.list or below:
                print(f"  {name} #{i}: {' '.join(sql.split())[:200]}\n      {reason}", flush=True)
            if record:
                record.write(json.dumps({"file": name, "index": i, "why": reason, "sql": sql}, ensure_ascii=False) + "\n")
        totals[group].update(n)
        totals[f"{group}: {why}"].update(n)
    for key in sorted(totals):
        print(f"{key:70} {share(totals[key])}")
    if args.higher and args.group in ("core", "all") and not args.only:
        write_floor(counts, floor)
    if record:
        record.close()
    if low:
        print(f"{len(low)} files below their floor: {', '.join(low)}")
    agree = sum(n for n, _ in counts.values())
    print(f"{agree} passed, {len(low)} failed")
    sys.exit(1 if low else 0)


if __name__ == "__main__":
    main()
