"""Reads public Delta tables with Tarn and compares the answers.

    python3 run.py TARN DIR…

Each DIR is searched for tables (directories with a _delta_log) and for archives NAME.tar.zst, which are unpacked first.
What is compared with:
  - a directory `expected` beside the table (delta-kernel-rs, kernel/tests/golden_data): the same rows, as a multiset;
  - errors.tsv beside this script: tables that must fail, by the condition with which they must;
  - else the table must be readable, count(*) must agree with the number of rows read, and a copy of each table that
    occurs in more than one DIR must give the same rows.
The tables are those of the public repositories delta-io/delta (connectors/golden-tables, kernel/kernel-defaults,
spark/src/test/resources/delta), delta-io/delta-kernel-rs (kernel/tests) and delta-io/delta-rs (crates/test/tests/data).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def unpack(root, into):
    for archive in sorted(root.rglob("*.tar.zst")):
        out = into / archive.name.removesuffix(".tar.zst")
        out.mkdir(parents=True, exist_ok=True)
        data = subprocess.run(["zstd", "-dcq", str(archive)], stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "x", "-C", str(out)], input=data, check=True)


def tables(root):
    for log in sorted(root.rglob("_delta_log")):
        if log.is_dir():
            yield log.parent


class Tarn:
    """One process that answers statement after statement."""

    def __init__(self, binary, home):
        self.process = subprocess.Popen(
            [binary, "sql", "--home", home, "--format", "json", "--keep-going", "--conf", "spark.sql.session.timeZone=UTC"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, sql):
        self.process.stdin.write((sql.replace("\n", " ") + ";\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            return {"error": {"class": "PROCESS_ENDED", "message": sql}}
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def rows(answer):
    return sorted(json.dumps(r, sort_keys=True) for r in answer["rows"])


def quoted(path):
    return "`" + str(path).replace("`", "``") + "`"


def name_of(table):
    return table.parent.name if table.name == "delta" else table.name


# Partition values without a zone are those of the session that wrote them.
ZONES = {"data-reader-partition-values": "America/Los_Angeles"}


def judge(tarn, table, errors, seen):
    name = name_of(table)
    tarn.ask("SET spark.sql.session.timeZone = " + ZONES.get(name, "UTC"))
    # A table name means one table, but the same name may be another one elsewhere: the parent tells them apart.
    want = errors.get(table.parent.name + "/" + table.name) or errors.get(name)
    got = tarn.ask("SELECT * FROM delta." + quoted(table))
    if want:
        have = got.get("error", {}).get("class", "an answer")
        return None if have == want else "must fail with %s, gave %s" % (want, have)
    if "error" in got:
        return "%s: %s" % (got["error"]["class"], got["error"]["message"][:200])
    count = tarn.ask("SELECT count(*) FROM delta." + quoted(table))
    if "error" in count or count["rows"] != [[len(got["rows"])]]:
        return "count(*) gives %s of %d rows" % (count.get("rows", count.get("error")), len(got["rows"]))
    expected = table.parent / "expected"
    if table.name == "delta" and expected.is_dir():
        answer = tarn.ask("SELECT * FROM parquet." + quoted(expected))
        if "error" in answer:
            return "the expected answer cannot be read: " + answer["error"]["class"]
        if sorted(c["name"].lower() for c in answer["columns"]) != sorted(c["name"].lower() for c in got["columns"]):
            return "columns %s, expected %s" % ([c["name"] for c in got["columns"]], [c["name"] for c in answer["columns"]])
        order = [[c["name"].lower() for c in answer["columns"]].index(c["name"].lower()) for c in got["columns"]]
        answer["rows"] = [[r[i] for i in order] for r in answer["rows"]]
        a, b = rows(got), rows(answer)
        if a != b:
            only = [r for r in a if r not in b][:2], [r for r in b if r not in a][:2]
            return "%d rows, expected %d; only here %s, only expected %s" % (len(a), len(b), *only)
        return None
    key = (name, json.dumps(got["columns"]))
    mine = rows(got)
    if seen.setdefault(key, mine) != mine:
        return "rows differ from those of a table of the same name"
    return None


def main():
    binary, roots = sys.argv[1], [pathlib.Path(d).resolve() for d in sys.argv[2:]]
    errors = {}
    for line in (HERE / "errors.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, condition = line.split("\t")[:2]
            errors[name] = condition
    seen, bad, total, compared = {}, 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for i, root in enumerate(roots):
            unpack(root, scratch / "unpacked" / str(i))
        tarn = Tarn(binary, str(scratch / "home"))
        for root in roots + [scratch / "unpacked"]:
            for table in tables(root):
                total += 1
                compared += (table.parent / "expected").is_dir() and table.name == "delta"
                try:
                    problem = judge(tarn, table, errors, seen)
                except (ValueError, KeyError, IndexError) as e:
                    problem = "the answer cannot be read: %r" % e
                if problem:
                    bad += 1
                    print("%s: %s" % (table.relative_to(scratch) if scratch in table.parents else table, problem))
        tarn.close()
    print("%d tables read, %d of them against expected rows; %d disagree" % (total, compared, bad))
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
