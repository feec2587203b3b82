#!/usr/bin/env python3
"""Asks tarn thousands of small statements whose answers Spark gave: one function, operator, cast or clause each.

A line of expressions.jsonl: {"id", "sql", "set": {conf: value}, "expect": {"type": [..], "rows": [..]} | {"error": condition}},
where "*" is any condition and {today} the day of the run in UTC. Rows are in order where the statement has an ORDER BY. --columns asks the same with the
literals moved into the columns of a one-row table (columns.py); columns.jsonl has Spark's answers where they differ then.

An exceptions file lists the ids that may disagree, each with its reason. One that disagrees and is not listed fails the
run, and so does one that is listed and agrees. --record OUT asks real Spark instead and writes its answers.
"""
import argparse
import collections
import datetime
import json
import os
import re
import sys
import tempfile

import columns
import engine
from values import cell_ok

HERE = os.path.dirname(os.path.abspath(__file__))
STATEMENTS = os.path.join(HERE, "expressions.jsonl")
COLUMNS = os.path.join(HERE, "columns.jsonl")
UNREADABLE = ("ValueError", "TypeError")  # PySpark has no value for what Spark answers: years before 1, lists as keys
DEAD = ("ENGINE_DIED", "NOT_JSON")


def judge(case, res):
    """Why the answer is not the expected one, or None."""
    expect, err = case["expect"], res.get("error")
    if "error" in expect:
        if not err:
            return f"wanted error {expect['error']}, got {short(res.get('rows'))}"
        want, got = expect["error"], str(err.get("class"))
        if want == "*" and got not in DEAD or related(want, got):
            return None
        return f"wanted error {want}, got {got}: {err.get('message', '')[:200]}"
    if err:
        return f"failed: {err.get('class')}: {err.get('message', '')[:200]}"
    types = [str(c.get("type")).lower() for c in res.get("columns", [])]
    if types != expect["type"]:
        return f"types: wanted {expect['type']}, got {types}"
    rows = res.get("rows", [])
    if len(rows) != len(expect["rows"]):
        return f"wanted {len(expect['rows'])} rows, got {len(rows)}"
    ordered = re.search(r"(?i)\border\s+by\b[^)]*$", case["sql"])
    if any(same_rows(want, rows, expect["type"], ordered) for want in today(expect["rows"])):
        return None
    return f"wanted {short(expect['rows'])}, got {short(rows)}"


TODAY = "{today}"


def today(rows):
    """The rows with the day for {today}: that of now or, when midnight has just passed, the one before."""
    text, now = json.dumps(rows), datetime.datetime.now(datetime.timezone.utc)
    days = {(now - datetime.timedelta(minutes=m)).date() for m in (0, 5)}
    return [json.loads(text.replace(TODAY, str(day))) for day in days] if TODAY in text else [rows]


def related(a, b):
    """A condition stands for its sub-conditions, either way."""
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")


def same_rows(want, got, types, ordered):
    def same(w, g):
        return len(w) == len(g) and all(cell_ok(x, y, t) for x, y, t in zip(w, g, types))

    if ordered:
        return all(same(w, g) for w, g in zip(want, got))
    left = list(got)
    for w in want:
        i = next((i for i, g in enumerate(left) if same(w, g)), None)
        if i is None:
            return False
        left.pop(i)
    return True


def short(v):
    return json.dumps(v, ensure_ascii=False)[:200]


def load(only):
    with open(STATEMENTS, encoding="utf8") as f:
        for line in f:
            case = json.loads(line)
            if re.search(only, f"{case['id']} {case['sql']}"):
                yield case


def read_exceptions(path):
    with open(path, encoding="utf8") as f:
        return dict(line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#"))


def prune(path, stale):
    with open(path, encoding="utf8") as f:
        lines = [line for line in f if line.split("\t")[0] not in stale]
    with open(path, "w", encoding="utf8") as f:
        f.writelines(lines)


def ask(side, case):
    """The statement's answer under its settings."""
    for k, v in case.get("set", {}).items():
        side.sql(f"SET {k}={v}")
    res = side.sql(case["sql"])
    for k in case.get("set", {}):
        side.sql(f"SET {k}=UTC" if k.endswith("timeZone") else f"RESET {k}")
    return res


class Tarns:
    """tarn processes, one after the other: a death counts against its statement only."""

    def __init__(self, args, root):
        self.args, self.root, self.n, self.engine = args, root, 0, None

    def ask(self, case):
        if self.engine is None:
            self.n += 1
            self.engine = engine.Tarn(self.args.bin, os.path.join(self.root, str(self.n)), "main", self.args.timeout)
            self.engine.sql("SET spark.sql.session.timeZone=UTC")
        res = ask(self.engine, case)
        if res.get("error", {}).get("class") in DEAD:
            self.close()
        return res

    def close(self):
        if self.engine is not None:
            self.engine.close()
            self.engine = None


def cases(args):
    """What to ask: over columns without those that Spark answers for constants only (null in columns.jsonl)."""
    differ = {}
    with open(COLUMNS, encoding="utf8") as f:
        for line in f:
            answer = json.loads(line)
            differ[answer["id"]] = answer["expect"]
    for case in load(args.only):
        if args.columns:
            case["sql"] = columns.moved(case["sql"])
            case["expect"] = differ.get(case["id"], case["expect"])
            if case["sql"] is None or case["expect"] is None:
                continue
        yield case


def run(args):
    exceptions = read_exceptions(args.exceptions) if args.exceptions else {}
    n, stale = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="expressions-") as root:
        tarns = Tarns(args, root)
        for case in cases(args):
            why = judge(case, tarns.ask(case))
            listed = exceptions.get(case["id"])
            n["asked"] += 1
            n["agree"] += why is None
            n["excused"] += why is not None and listed is not None
            if why is not None and listed is None:
                n["failed"] += 1
                print(f"DISAGREES {case['id']} {case['sql'][:300]}\n      {why}", flush=True)
            elif why is None and listed is not None and args.prune:
                stale.append(case["id"])
            elif why is None and listed is not None:
                n["failed"] += 1
                print(f"STALE exception {case['id']}: it agrees now ({listed})", flush=True)
        tarns.close()
    if stale:
        prune(args.exceptions, stale)
    rate = 100 * n["agree"] / max(n["asked"], 1)
    print(f"{n['agree']} of {n['asked']} statements agree{' over columns' if args.columns else ''}, {rate:.2f} %; {n['excused']} listed in exceptions")
    if rate < args.least:
        n["failed"] += 1
        print(f"less than {args.least} %")
    print(f"{n['agree']} passed, {n['failed']} failed")
    return 1 if n["failed"] else 0


def over_columns(expect, res):
    """Spark's answer as columns.jsonl has it: null where it takes constants only, any condition where it names none."""
    if "error" not in expect:
        return expect
    if re.search("NON_FOLDABLE|Cannot evaluate expression", res["error"]["class"] + res["error"]["message"]):
        return None
    return expect if re.fullmatch(r"[A-Z0-9_.]+", expect["error"]) else {"error": "*"}


def record(args):
    """Asks Spark; over columns it writes only the answers that differ from the ones over literals."""
    spark = engine.Spark(args.timeout)
    spark.reset(listing=False)
    with open(args.record, "w", encoding="utf8") as out:
        for case in load(args.only):
            if args.columns:
                case["sql"] = columns.moved(case["sql"])
                if case["sql"] is None:
                    continue
            res = ask(spark, case)
            if "error" in res:
                expect = {"error": res["error"]["class"]}
            else:
                expect = {"type": [c["type"].lower() for c in res["columns"]], "rows": res["rows"]}
                if TODAY in json.dumps(case["expect"]) and judge(case, res) is None:
                    expect["rows"] = case["expect"]["rows"]
            if not args.columns:
                out.write(json.dumps({**case, "expect": expect}, ensure_ascii=False) + "\n")
            elif judge(case, res) is not None and expect.get("error") not in UNREADABLE:
                out.write(json.dumps({"id": case["id"], "expect": over_columns(expect, res)}, ensure_ascii=False) + "\n")
    spark.close()
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", help="the tarn binary")
    ap.add_argument("--only", default="", help="regular expression over ids and statements")
    ap.add_argument("--columns", action="store_true", help="literals become columns")
    ap.add_argument("--exceptions", help="ids that may disagree, a tab, the reason")
    ap.add_argument("--prune", action="store_true", help="take the ids that agree out of the exceptions")
    ap.add_argument("--least", type=float, default=0, help="per cent that must agree")
    ap.add_argument("--timeout", type=float, default=30, help="seconds a statement may take")
    ap.add_argument("--record", help="ask real Spark (pyspark) and write its answers into this file")
    args = ap.parse_args()
    os.environ["TZ"] = "UTC"
    if args.record:
        sys.exit(record(args))
    args.bin = os.path.abspath(args.bin)
    sys.exit(run(args))


if __name__ == "__main__":
    main()
