#!/usr/bin/env python3
"""TPC-DS and TPC-H in Spark's dialect over Parquet: makes the data, and asks all queries.

  tpc.py make DIR --sf 0.01          the data (needs duckdb, duckdb-extension-tpcds and duckdb-extension-tpch of one version)
  tpc.py run --jar J --bin TARN DIR  all queries, compared with tpc-sf0.01.json
  tpc.py record --jar J DIR OUT      real Spark's answers (needs pyspark)

The seven TPC-DS fact tables are directories by their date key (store_sales/ss_sold_date_sk=2451000/…): 6,200 partitions
at SF 0.01, with sales without a date in the default partition. Counts of rows and partitions are in manifest.json and are
checked first: a table that lost partitions fails at once instead of through forty wrong answers.

Answers compare without regard to order; integers, text and dates exactly, other numbers to 1e-6. Where a LIMIT cuts
through rows that tie on the ORDER BY, any of the tied rows will do: the recording holds them all.
"""
import argparse
import collections
import glob
import importlib
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time

import engine
from reading import bare
from source import Source

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERS = os.path.join(HERE, "tpc-sf0.01.json")
FACTS = {
    "store_sales": "ss_sold_date_sk", "store_returns": "sr_returned_date_sk", "catalog_sales": "cs_sold_date_sk",
    "catalog_returns": "cr_returned_date_sk", "web_sales": "ws_sold_date_sk", "web_returns": "wr_returned_date_sk",
    "inventory": "inv_date_sk",
}
RENAMED = {"c_last_review_date_sk": "c_last_review_date"}  # Spark's queries use the older name
FOLDERS = {"tpcds": ["tpcds/", "tpcds-v2.7.0/"], "tpch": ["tpch/"]}


def extension(con, name):
    """Loads the DuckDB extension that a wheel of PyPI carries."""
    folder = os.path.dirname(importlib.import_module(f"duckdb_extension_{name}").__file__)
    con.execute(f"LOAD '{glob.glob(folder + '/extensions/*/*.duckdb_extension')[0]}'")


def make(folder, sf, partitioned=True):
    import duckdb
    con = duckdb.connect()
    con.execute("SET threads = 2; SET memory_limit = '3GB'; SET preserve_insertion_order = false")
    manifest = {"sf": sf, "tables": {}}
    for db, generate in (("tpcds", "dsdgen"), ("tpch", "dbgen")):
        extension(con, db)
        con.execute(f"CREATE SCHEMA {db}; USE {db}; CALL {generate}(sf = {sf})")
        shutil.rmtree(os.path.join(folder, db), ignore_errors=True)
        for table, in con.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = ? ORDER BY 1", [db]).fetchall():
            manifest["tables"][f"{db}.{table}"] = write(con, db, table, os.path.join(folder, db, table), FACTS.get(table) if partitioned else None)
        con.execute(f"USE main; DROP SCHEMA {db} CASCADE")
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf8") as f:
        json.dump(manifest, f, indent=1)


def write(con, db, table, out, part):
    """Writes one table as Parquet, by partition if it has a column for that, and says what it is."""
    columns = [(c, "INTEGER" if t == "BIGINT" and db == "tpcds" else t) for c, t in con.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = ? AND table_name = ? ORDER BY column_index",
        [db, table]).fetchall()]
    select = ", ".join(f"{c}::{t} AS {RENAMED.get(c, c)}" for c, t in columns)
    os.makedirs(out)
    distinct = f"count(DISTINCT coalesce({part}, -1))" if part else "0"
    rows, parts = con.execute(f"SELECT count(*), {distinct} FROM {table}").fetchone()
    if part:
        con.execute(f"COPY (SELECT {select} FROM {table} ORDER BY {part}) TO '{out}' "
                    f"(FORMAT parquet, PARTITION_BY ({part}), FILENAME_PATTERN 'part-{{i}}', OVERWRITE_OR_IGNORE)")
    else:
        con.execute(f"COPY (SELECT {select} FROM {table}) TO '{out}/part-0.parquet' (FORMAT parquet)")
    types = {"VARCHAR": "STRING", "INTEGER": "INT"}
    return {"columns": [[RENAMED.get(c, c), types.get(t, t)] for c, t in columns], "partition": part, "rows": rows, "partitions": parts}


def manifest_of(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf8") as f:
        return json.load(f)


def ddl(folder):
    """The statements that declare the tables."""
    folder = os.path.abspath(folder)
    for db in FOLDERS:
        yield f"CREATE SCHEMA IF NOT EXISTS {db}"
    for name, t in manifest_of(folder)["tables"].items():
        columns = ", ".join(f"{c} {kind}" for c, kind in t["columns"])
        by = f" PARTITIONED BY ({t['partition']})" if t["partition"] else ""
        yield f"CREATE TABLE {name} ({columns}) USING parquet{by} LOCATION '{os.path.join(folder, *name.split('.'))}'"
        if by:
            yield f"MSCK REPAIR TABLE {name}"


def declare(side, folder):
    """Declares the tables and checks their rows and partitions."""
    for s in ddl(folder):
        if "error" in (r := side.sql(s)):
            sys.exit(f"failed: {s[:120]}\n  {r['error']}")
    for name, t in manifest_of(folder)["tables"].items():
        got = side.sql(f"SELECT count(*) FROM {name}").get("rows")
        if got != [[t["rows"]]]:
            sys.exit(f"{name}: {t['rows']} rows wanted, got {got}")
        if t["partition"] and len(side.sql(f"SHOW PARTITIONS {name}").get("rows", [])) != t["partitions"]:
            sys.exit(f"{name}: {t['partitions']} partitions wanted")


Query = collections.namedtuple("Query", "id db sql")


def queries(source, only=""):
    """The queries of all three sets, in the order of their numbers."""
    for db, folders in FOLDERS.items():
        names = [n for n in source.names if any(re.fullmatch(f + r"q\w+\.sql", n) for f in folders)]
        for n in sorted(names, key=lambda n: (n.rsplit("/", 1)[0], int(re.search(r"q(\d+)", n)[1]), n)):
            if re.search(only, n[:-4]):
                yield Query(n[:-4], db, source.text(n).strip().rstrip(";"))


LIMIT = re.compile(r"(?is)\s*\blimit\s+(\d+)\s*$")


def without_limit(sql):
    """The statement without its outermost LIMIT, and the limit or None."""
    m = LIMIT.search(sql) if LIMIT.search((bare(sql) or "").rstrip()) else None
    return (sql[:m.start()], int(m[1])) if m else (sql, None)


def sort_key(cell):
    """Near-equal numbers must sort alike, so numbers are rounded well above the tolerance."""
    if cell is None or isinstance(cell, bool):
        return 0, 0, str(cell)
    try:
        return 1, float(f"{float(cell):.4g}"), ""
    except (TypeError, ValueError):
        return 2, 0, str(cell)


def same(want, got):
    if want is None or got is None:
        return want is None and got is None
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(same, want, got))
    if str(want) == str(got):
        return True
    try:
        x, y = float(want), float(got)
    except (TypeError, ValueError):
        return False
    if isinstance(want, int) and isinstance(got, int):
        return False
    return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-9)


def pair_off(want, got):
    """Rows of want that no row of got equals, and the other way round."""
    buckets = collections.defaultdict(list)
    for r in got:
        buckets[tuple(map(sort_key, r))].append(r)
    left = []
    for w in want:
        bucket = buckets.get(tuple(map(sort_key, w)), [])
        hit = next((i for i, g in enumerate(bucket) if same(w, g)), None)
        if hit is None:
            left.append(w)
        else:
            bucket.pop(hit)
    rest, missing = [g for b in buckets.values() for g in b], []
    for w in left:  # numbers that rounded apart
        hit = next((i for i, g in enumerate(rest) if same(w, g)), None)
        if hit is None:
            missing.append(w)
        else:
            rest.pop(hit)
    return missing, rest


def differs(answer, res):
    """Why an answer is not the recorded one, or None."""
    if "error" in answer:
        got = res["error"].get("class") if "error" in res else f"{len(res['rows'])} rows"
        return None if got == answer["error"] else f"wanted error {answer['error']}, got {got}"
    if "error" in res:
        return f"{res['error'].get('class')}: {res['error'].get('message', '')[:200]}"
    if len(res["rows"]) != len(answer["rows"]):
        return f"wanted {len(answer['rows'])} rows, got {len(res['rows'])}"
    missing, extra = pair_off(answer["rows"], res["rows"])
    if extra:  # rows that the LIMIT might as well have kept
        _, extra = pair_off(answer.get("tied", []), extra)
    if extra:
        return f"wanted {json.dumps(missing[0])[:200]}, got {json.dumps(extra[0])[:200]} ({len(extra)} such rows)"
    return None


def run(args):
    with open(ANSWERS, encoding="utf8") as f:
        recorded = json.load(f)
    if (sf := manifest_of(args.dir)["sf"]) != recorded["sf"]:
        sys.exit(f"the data is of SF {sf}, the answers are for SF {recorded['sf']}")
    passed = failed = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tpc-") as root:
        tarn = engine.Tarn(args.bin, root, "hive_metastore", args.timeout)
        declare(tarn, args.dir)
        print(f"tables declared in {time.monotonic() - start:.1f} s", flush=True)
        for q in queries(Source(args.jar), args.only):
            tarn.sql(f"USE {q.db}")
            begin = time.monotonic()
            why = differs(recorded["answers"][q.id], tarn.sql(q.sql))
            passed, failed = passed + (why is None), failed + (why is not None)
            if why or args.list:
                print(f"{'DIFFERS' if why else 'agrees'} {q.id:22} {time.monotonic() - begin:8.2f} s  {why or ''}", flush=True)
        tarn.close()
    print(f"{passed} of {passed + failed} queries agree, {time.monotonic() - start:.1f} s")
    if not args.only and passed + failed != len(recorded["answers"]):
        failed += 1
        print(f"{len(recorded['answers'])} answers are recorded")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def record(args):
    spark = engine.Spark(args.timeout)
    spark.reset(listing=False)
    declare(spark, args.dir)
    answers = {}
    for q in queries(Source(args.jar), args.only):
        spark.sql(f"USE {q.db}")
        res = spark.sql(q.sql)
        if "error" in res:  # an answer too: at small scales, q90 divides by zero
            answers[q.id] = {"error": res["error"]["class"]}
            continue
        answer = {"columns": res["columns"], "rows": res["rows"]}
        whole, limit = without_limit(q.sql)
        if limit is not None and len(res["rows"]) == limit:
            answer["tied"] = pair_off(res["rows"], spark.sql(f"{whole}\nLIMIT {limit * 5}")["rows"])[1]
        answers[q.id] = answer
        print(f"{q.id:22} {len(res['rows']):5} rows", flush=True)
    spark.close()
    with open(args.out, "w", encoding="utf8") as f:
        json.dump({"sf": manifest_of(args.dir)["sf"], "answers": answers}, f, ensure_ascii=False, separators=(",", ":"))
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="command", required=True)
    p = sub.add_parser("make")
    p.add_argument("dir")
    p.add_argument("--sf", type=float, default=0.01)
    p.add_argument("--plain", action="store_true", help="no partitions: one file a table")
    for name in ("run", "record"):
        p = sub.add_parser(name)
        p.add_argument("--jar", required=True)
        p.add_argument("dir")
        p.add_argument("--only", default="", help="regular expression over the names of queries")
        p.add_argument("--timeout", type=float, default=300)
    p.add_argument("out")
    p = sub.choices["run"]
    p.add_argument("--bin", required=True)
    p.add_argument("--list", action="store_true", help="print the time of every query")
    args = ap.parse_args()
    if args.command == "make":
        make(args.dir, args.sf, not args.plain)
        return
    sys.exit(run(args) if args.command == "run" else record(args))


if __name__ == "__main__":
    main()
