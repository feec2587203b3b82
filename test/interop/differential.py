#!/usr/bin/env python3
"""Asks real Spark and tarn the same statements and prints every difference; run.sh sets it up.

  case:ID        the black-box cases that need only tables, partitions and queries: the statement under test
  hand:NAME      statements.sql, over tables whose partitions a repair registered (hive_metastore)
  gen:NNN        statements of the seeded generator, over the same tables
  lang:NNN       those of the one that makes all of the language
  …@main         the same over tables that list their partitions (main); Spark's answer is the same
  write:…        scripts of writes (writes.py): writes.sql and those of a seeded generator
  sweep:…        calls of all functions with values that hurt (sweep.py), in main
  part:genNNN    scripts of partition statements and foreign changes on storage, in hive_metastore

exceptions.tsv names what may differ and why. An exception that no longer differs is a failure, so that the list
stays true. Exit status 0 when every statement agrees.
"""
import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time

import answers
import cases
import engines
import generator
import language
import partgen
import sweep
import tables
import writegen
import writes

HERE = os.path.dirname(os.path.abspath(__file__))


class Stopped(BaseException):
    """The time of the run is up. No answer of an engine, so no Exception."""


class Oracle:
    """Spark's answers, asked for once each; with a file, also kept for the next run."""

    def __init__(self, path, timeout):
        self.path, self.timeout = path, timeout
        self.known, self.engine, self.ready, self.saved = {}, None, False, time.monotonic()
        if path and os.path.exists(path):
            with open(path, encoding="utf8") as f:
                self.known = json.load(f)

    def spark(self):
        if self.engine is None:
            self.engine = engines.Spark(self.timeout)
            print(f"Spark {self.engine.session.version}", flush=True)
        return self.engine

    def answer(self, key, ask):
        if key not in self.known:
            self.known[key] = ask(self.spark())
            if self.path and time.monotonic() > self.saved + 30:
                self.save()
        return self.known[key]

    def save(self):
        with open(self.path + ".new", "w", encoding="utf8") as f:
            json.dump(self.known, f)
        os.replace(self.path + ".new", self.path)
        self.saved = time.monotonic()

    def close(self):
        if self.path:
            self.save()
        if self.engine:
            try:
                self.engine.close()
            except Exception as e:  # noqa: BLE001 - a session that was interrupted may not answer; its JVM ends with this process
                print(f"Spark did not stop cleanly: {type(e).__name__}")


class Report:
    def __init__(self, exceptions, verbose):
        self.exceptions, self.verbose = exceptions, verbose
        self.passed = self.failed = self.excused = 0
        self.used, self.met = set(), set()

    def add(self, name, statement, why):
        rule = next((i for i, (pattern, _) in enumerate(self.exceptions) if re.fullmatch(pattern, name)), None)
        if rule is not None:
            self.met.add(rule)
        if why is None:
            self.passed += 1
            return
        if rule is not None:
            self.used.add(rule)
            self.excused += 1
            self.passed += 1
            if self.verbose:
                print(f"excused {name}: {self.exceptions[rule][1]}\n    {why}", flush=True)
            return
        self.failed += 1
        print(f"DIFFERS {name}\n    {statement}\n    {why}", flush=True)

    def stale(self):
        for i in sorted(self.met - self.used):
            self.failed += 1
            print(f"STALE exception {self.exceptions[i][0]}: nothing differs any more ({self.exceptions[i][1]})")


def read_exceptions(path):
    out = []
    with open(path, encoding="utf8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                pattern, reason = line.rstrip("\n").split("\t")
                out.append((pattern, reason))
    return out


def read_statements(path):
    """The named statements of a file."""
    name, lines = None, []
    with open(path, encoding="utf8") as f:
        for line in f:
            if m := re.fullmatch(r"-- ([a-z0-9-]+)\n", line):
                name, lines = m[1], []
            elif name:
                lines.append(line.strip())
                if line.rstrip().endswith(";"):
                    yield f"hand:{name}", " ".join(lines).rstrip(";")
                    name = None


def run_cases(oracle, args, report, root, wanted):
    for n, case in enumerate(cases.load(args.cases, ("spark", "field", "parquet"))):
        name = "case:" + case["id"]
        if not wanted(name):
            continue
        places = [os.path.join(root, f"{who}{n}") for who in ("s", "t")]

        def ask(spark, case=case, place=places[0]):
            spark.reset(listing=case["catalog"] == "main" and not cases.logged(case))
            return cases.ask(spark, case, os.path.join(place, "d"))

        s = oracle.answer(json.dumps(case), ask)
        tarn = engines.Tarn(args.bin, places[1], case["catalog"], args.timeout)
        try:
            t = cases.ask(tarn, case, os.path.join(places[1], "d"))
        finally:
            tarn.close()
        report.add(name, case["run"], cases.differs(case, s, t))


def declare(engine, data, registered):
    for text in tables.declare(data, registered):
        if "error" in (answer := engine.sql(text)):
            raise SystemExit(f"{type(engine).__name__}: {text}: {answer['error']}")


def run_statements(oracle, args, report, root, wanted):
    data = os.path.join(root, "lake")
    tables.write(data, args.seed)
    sides = {"": engines.Tarn(args.bin, os.path.join(root, "registered"), "hive_metastore", args.timeout),
             "@main": engines.Tarn(args.bin, os.path.join(root, "listing"), "main", args.timeout)}
    declare(sides[""], data, True)
    declare(sides["@main"], data, False)
    made = generator.Generator(args.seed)
    statements = list(read_statements(os.path.join(HERE, "statements.sql")))
    statements += [(f"gen:{i:03d}", made.statement()) for i in range(args.generated)]
    wide = language.Language(args.seed)
    statements += [(f"lang:{i:03d}", wide.statement()) for i in range(args.language)]
    print(f"{len(statements)} statements over three tables, seed {args.seed}", flush=True)
    for name, text in statements:
        if not wanted(name):
            continue

        def ask(spark, text=text.replace("${D}", data)):
            if not oracle.ready:
                spark.reset(listing=False)
                declare(spark, data, True)
                oracle.ready = True
            return spark.sql(text)

        expected = oracle.answer(f"{args.seed} {text}", ask)
        text = text.replace("${D}", data)
        for suffix, tarn in sides.items():
            got = tarn.sql(text)
            report.add(name + suffix, text, answers.differs(expected, got, answers.ordered(text)))
            if got.get("error", {}).get("class") == "ENGINE_DIED":
                tarn.close()
                sides[suffix] = engines.Tarn(args.bin, os.path.join(root, f"again{name}{suffix}"), tarn.catalog, args.timeout)
                declare(sides[suffix], data, suffix == "")
    for tarn in sides.values():
        tarn.close()


def run_writes(oracle, args, report, root, wanted):
    scripts = list(writes.read_scripts(os.path.join(HERE, "writes.sql")))
    scripts += [writes.Script(f"gen{i:03d}", writegen.Generator(args.seed, i).script()) for i in range(args.written)]
    scripts = [s for s in scripts if wanted(f"write:{s.name}:")]
    print(f"{sum(len(s.statements) for s in scripts)} statements in {len(scripts)} scripts of writes", flush=True)
    for s in scripts:
        writes.compare(oracle, args, report, root, s)


def run_partitions(oracle, args, report, root, wanted):
    scripts = [writes.Script(f"gen{i:03d}", partgen.Generator(args.seed, i).script()) for i in range(args.partitions)]
    scripts = [s for s in scripts if wanted(f"part:{s.name}:")]
    print(f"{sum(len(s.statements) for s in scripts)} statements in {len(scripts)} scripts of partitions", flush=True)
    for s in scripts:
        writes.compare(oracle, args, report, root, s, "part", (("", "hive_metastore"),), foreign=False)


def run_sweep(oracle, args, report, root, wanted):
    tarn = engines.Tarn(args.bin, os.path.join(root, "sweep"), "main", args.timeout)
    known = {r[0] for r in tarn.sql("SHOW FUNCTIONS")["rows"]}
    calls = oracle.answer(f"examples {len(known)}", lambda spark: sweep.examples(spark, known))
    made = untold = 0
    for name, text in sweep.statements(args.seed, calls, args.sweep):
        if not wanted("sweep:" + name):
            continue
        made += 1
        expected = oracle.answer(f"sweep {text}", lambda spark, text=text: spark.sql(text))
        if expected.get("error", {}).get("class") in sweep.UNTOLD:
            untold += 1
            continue
        report.add("sweep:" + name, text, sweep.differs(expected, tarn.sql(text)))
    print(f"{made} calls of functions, {untold} of which Spark does not tell", flush=True)
    tarn.close()


def main():
    ap = argparse.ArgumentParser(description="Compare tarn with real Spark.")
    ap.add_argument("--bin", required=True, help="the tarn binary")
    ap.add_argument("--cases", default=os.path.join(HERE, "..", "cases", "testdata"))
    ap.add_argument("--only", default="", help="regular expression: only statements with such a name")
    ap.add_argument("--seed", type=int, default=20260)
    ap.add_argument("--generated", type=int, default=140)
    ap.add_argument("--language", type=int, default=260, help="statements of the generator that makes all of the language")
    ap.add_argument("--written", type=int, default=30, help="scripts of writes that the generator makes")
    ap.add_argument("--partitions", type=int, default=40, help="scripts of partition statements that the generator makes")
    ap.add_argument("--sweep", type=int, default=2, help="of each call of a function so many, with values that hurt")
    ap.add_argument("--timeout", type=float, default=60, help="seconds a statement may take")
    ap.add_argument("--answers", help="keep Spark's answers in this file and take them from it when they are there")
    ap.add_argument("--verbose", action="store_true", help="print excused differences too")
    args = ap.parse_args()
    args.bin = os.path.abspath(args.bin)
    os.environ["TZ"] = "UTC"  # PySpark gives timestamps in the process's zone
    time.tzset()

    def wanted(name):
        return re.search(args.only, name) is not None

    def stop(*_):
        raise Stopped

    signal.signal(signal.SIGTERM, stop)
    report = Report(read_exceptions(os.path.join(HERE, "exceptions.tsv")), args.verbose)
    start = time.monotonic()
    oracle = Oracle(args.answers, args.timeout)
    try:
        with tempfile.TemporaryDirectory(prefix="interop-") as root:
            run_writes(oracle, args, report, root, wanted)
            print(f"writes done after {time.monotonic() - start:.0f} s", flush=True)
            run_partitions(oracle, args, report, root, wanted)
            print(f"partitions done after {time.monotonic() - start:.0f} s", flush=True)
            run_sweep(oracle, args, report, root, wanted)
            print(f"sweep done after {time.monotonic() - start:.0f} s", flush=True)
            run_statements(oracle, args, report, root, wanted)
            print(f"statements done after {time.monotonic() - start:.0f} s", flush=True)
            run_cases(oracle, args, report, root, wanted)
        report.stale()
    except Stopped:
        report.failed += 1
        print("STOPPED: the time of the run is up (INTEROP_TIMEOUT)")
    finally:
        oracle.close()
    print(f"{report.excused} differences excused by exceptions.tsv; {time.monotonic() - start:.0f} s")
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
