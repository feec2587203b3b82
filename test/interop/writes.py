"""The same writes by both engines: what the tables hold, which partitions there are, how their directories are called.

A script is a list of statements that runs in a session of its own, on a directory ${D} and a warehouse ${WH} of each
engine. After each statement that names a table, the table's rows, its partitions and the directories are compared; at the
end each engine reads what the other wrote.

  write:NAME:NN          the NN-th statement of a script: its error or answer, and what the tables look like after it
  write:NAME:spark-reads Spark reads the files of tarn's tables to the rows that tarn reads
  write:NAME:tarn-reads  tarn reads the files of Spark's tables to the rows that Spark reads
  …@main                 the same in a catalog of Unity's kind: rows and partitions; where files lie is tarn's matter there
"""
import base64
import collections
import hashlib
import json
import os
import re
import shutil

import answers
import cases
import engines

# A write answers with a row in tarn (ruling), so that only its error is compared.
WRITES = re.compile(r"(?i)\s*(INSERT|TRUNCATE|CREATE|REPLACE|DROP|ALTER|MSCK|SET|RESET|FROM|WITH\b.*\bINSERT\b|USE|CACHE|UNCACHE)\b", re.S)
TABLE = re.compile(r"(?i)\b(?:INTO(?:\s+TABLE)?|OVERWRITE(?:\s+TABLE)?|TRUNCATE\s+TABLE|CREATE\s+(?:EXTERNAL\s+)?TABLE(?:\s+IF\s+NOT\s+EXISTS)?"
                   r"|ALTER\s+TABLE|MSCK\s+REPAIR\s+TABLE|REPAIR\s+TABLE)\s+(?!LOCAL\b|DIRECTORY\b)((?:\w+\.)?(?:`[^`]+`|\w+))")


class Script:
    def __init__(self, name, statements):
        self.name, self.statements = name, statements

    def key(self):
        return "write " + json.dumps(self.statements)


def read_scripts(path):
    """The scripts of a file: `-- == name`, then statements that end in `;` at the end of a line. With formats after the name
    the script runs once for each, as ${FMT}."""
    name, formats, statements, lines = None, [], [], []

    def scripts():
        for f in formats or [""]:
            yield Script(name + ("." + f if f else ""), [s.replace("${FMT}", f) for s in statements])

    with open(path, encoding="utf8") as f:
        for line in f:
            if m := re.fullmatch(r"-- == ([a-z0-9-]+)((?: [a-z]+)*)\n", line):
                if name:
                    yield from scripts()
                name, formats, statements, lines = m[1], m[2].split(), [], []
            elif name and not (line.startswith("-- ") and not lines):
                lines.append(line)
                if line.rstrip().endswith(";"):
                    statements.append("".join(lines).strip().removesuffix(";"))
                    lines = []
    if name:
        yield from scripts()


def run(engine, script, place, trusted=False):
    """What an engine says to a script: a list of what can be compared, and its tables at the end with their files."""
    os.makedirs(place)
    steps, seen = [], {}
    for text in script.statements:
        text = text.replace("${D}", place).replace("${WH}", engine.warehouse)
        if cases.file_step(text):
            seen.clear()
            steps.append(None)
            continue
        answer = engine.sql(text)
        if "error" not in answer:
            seen.clear()
        step = {"answer": answer if "error" in answer or not WRITES.match(text) else {"columns": [], "rows": []}}
        if m := TABLE.search(text):
            # Of Spark it is taken for granted that a statement that fails leaves its table as it was.
            if not trusted or "error" not in answer or m[1] not in seen:
                seen[m[1]] = look(engine, m[1])
            step["name"], step["table"] = m[1], seen[m[1]]
        step["directories"] = directories(engine, place)
        steps.append(hidden(step, engine, place))
    return {"steps": steps, "tables": kept(engine, script, place)}


def hidden(step, engine, place):
    """The step with the engine's places under their common names."""
    text = json.dumps(step).replace(place, "${D}")
    return json.loads(text.replace(engine.warehouse, "${WH}") if engine.warehouse else text)


def look(engine, name):
    out = {"rows": engine.sql(f"SELECT * FROM {name}")}
    partitions = engine.sql(f"SHOW PARTITIONS {name}")
    # Of tables without partitions Spark has a condition without a name.
    if "error" not in partitions:
        out["partitions"] = sorted(r[0] for r in partitions["rows"])
    return out


def ignored(name):
    return name.startswith(".") or name.startswith("_") and "=" not in name


def directories(engine, place):
    """The directories below an engine's places that a reader looks at, without those right below ${D}: whether the location
    of a table that has no rows exists is each engine's own matter."""
    out = []
    for top, as_ in ((place, "${D}"), (engine.warehouse, "${WH}")):
        for folder, below, _ in os.walk(top) if top else []:
            below[:] = sorted(b for b in below if not ignored(b))
            if folder != top and (as_ == "${WH}" or os.path.dirname(folder) != top):
                out.append(as_ + folder[len(top):])
    return sorted(out)


def kept(engine, script, place):
    """The tables at the end: how to declare them again, their rows, their files. Tables whose partitions lie elsewhere are left
    out: nobody finds these from the directory."""
    out = []
    elsewhere = {m[1].strip("`") for s in script.statements if (m := re.search(r"(?is)ALTER\s+TABLE\s+(\S+)\s.*\bLOCATION\b", s))}
    for row in engine.sql("SHOW TABLES IN default").get("rows", []):
        if row[2] or row[1] in elsewhere:
            continue
        name = f"default.`{row[1]}`"
        described = engine.sql(f"DESCRIBE EXTENDED {name}").get("rows", [])
        columns, parts, facts, section = [], [], {}, 0
        for field, kind, _ in described:
            if field.startswith("#") or not field:
                section = 1 if field == "# Partition Information" else 1 if field == "# col_name" else 2 if field else section
            elif section == 0:
                columns.append((field, kind))
            elif section == 1:
                parts.append(field)
            else:
                facts.setdefault(field, kind)
        path = re.sub("^file:(//)?", "", facts.get("Location", ""))
        if facts.get("Type") == "VIEW" or not os.path.isdir(path):
            continue
        made = next((s for s in script.statements if re.search(rf"(?i)\bTABLE\s+(IF\s+NOT\s+EXISTS\s+)?`?{re.escape(row[1])}`?\b", s)), "")
        options = re.search(r"""(?is)\bOPTIONS\s*(\((?:'[^']*'|"[^"]*"|[^'")])*\))""", made)
        names = [c for c, _ in columns]
        out.append({
            "name": row[1], "path": path, "format": facts.get("Provider", "parquet").lower(), "options": options[1] if options else "",
            "columns": ", ".join(f"`{c}` {t}" for c, t in columns), "parts": [p for p in parts if p in names],
            "rows": engine.sql(f"SELECT * FROM {name}"),
        })
    return out


def files(path):
    """The files that a reader sees below a directory, by relative path. The one place where tarn's managed directories of a
    catalog of Unity's kind would be looked into is not looked into: their layout is tarn's own."""
    out = {}
    for folder, below, names in os.walk(path):
        below[:] = sorted(b for b in below if not ignored(b))
        for n in sorted(names):
            if not ignored(n):
                with open(os.path.join(folder, n), "rb") as f:
                    out[os.path.relpath(os.path.join(folder, n), path)] = f.read()
    return out


def digest(tree):
    """Names of files are new each time; what they hold, where they lie and what the names end with is not."""
    h = hashlib.sha256()
    for item in sorted((os.path.dirname(p), os.path.basename(p).partition(".")[2], hashlib.sha256(b).hexdigest()) for p, b in tree.items()):
        h.update(repr(item).encode())
    return h.hexdigest()


def read_foreign(engine, table, path):
    """The rows that an engine finds in files of the other's."""
    by = f" PARTITIONED BY ({', '.join(f'`{p}`' for p in table['parts'])})" if table["parts"] else ""
    options = f" OPTIONS {table['options']}" if table["options"] else ""
    steps = [f"CREATE TABLE foreign_files ({table['columns']}) USING {table['format']}{options}{by} LOCATION '{path}'"]
    if by:
        steps.append("MSCK REPAIR TABLE foreign_files")
    try:
        for s in steps:
            if "error" in (answer := engine.sql(s)):
                return answer
        return engine.sql("SELECT * FROM foreign_files")
    finally:
        engine.sql("DROP TABLE IF EXISTS foreign_files")


def put(tree, path):
    for name, text in tree.items():
        at = os.path.join(path, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "wb") as f:
            f.write(base64.b64decode(text))


def ask_spark(spark, script, place):
    """Spark's answer to a script; the files come along, so that tarn can read them in a later run too."""
    spark.reset(listing=False)
    try:
        out = run(spark, script, place, trusted=True)
        for t in out["tables"]:
            t["files"] = {p: base64.b64encode(b).decode() for p, b in files(t["path"]).items()}
        return out
    finally:
        shutil.rmtree(place, ignore_errors=True)


def compare(oracle, args, report, root, script, kind="write", catalogs=(("", "hive_metastore"), ("@main", "main")), foreign=True):
    """Runs a script on both sides, on tarn's in each of the catalogs. Spark's part comes from the oracle. With foreign each
    engine reads the other's files too."""
    name = f"{kind}:{script.name}"
    base = os.path.join(root, re.sub(r"\W", "_", script.name))
    expected = oracle.answer(script.key(), lambda spark: ask_spark(spark, script, os.path.join(base + "-spark", "d")))
    for suffix, catalog in catalogs:
        place = base + "-tarn-" + catalog
        tarn = engines.Tarn(args.bin, place, catalog, args.timeout)
        try:
            got = run(tarn, script, os.path.join(place, "d"))
            known = {}
            for i, text in enumerate(script.statements):
                if (s := expected["steps"][i]) is not None:
                    report.add(f"{name}:{i + 1:02d}{suffix}", text, step_differs(text, s, got["steps"][i], suffix == "", known))
            if foreign and suffix == "":
                cross(oracle, report, tarn, name, expected["tables"], got["tables"], place)
        finally:
            tarn.close()
            shutil.rmtree(place, ignore_errors=True)


def step_differs(text, spark, tarn, compare_directories, known):
    """What differs after a statement that did not differ before it: known holds what did."""
    if why := answers.differs(spark["answer"], tarn["answer"], answers.ordered(text)):
        if "table" in spark:
            state_differs(spark, tarn, compare_directories, known)
        return why
    return state_differs(spark, tarn, compare_directories, known)


def state_differs(spark, tarn, compare_directories, known):
    found = []
    if "table" in spark:
        name, a, b = spark["name"], spark["table"], tarn["table"]
        found.append((name + " rows", rows_differ(a["rows"], b["rows"])))
        found.append((name + " partitions", sets_differ(a.get("partitions", []), b.get("partitions", []))))
    if compare_directories:
        found.append(("directories", sets_differ(spark["directories"], tarn["directories"])))
    out = []
    for what, why in found:
        if why and why != known.get(what):
            out.append(f"{what} after it: {why}")
        known[what] = why
    return "; ".join(out) or None


def rows_differ(spark, tarn):
    why = answers.differs(spark, tarn, False)
    if why and why.startswith("rows"):
        return sets_differ([answers.order(r) for r in spark["rows"]], [answers.order(r) for r in tarn["rows"]]) or why
    return why


def sets_differ(spark, tarn):
    a, b = collections.Counter(spark), collections.Counter(tarn)
    if a == b:
        return None
    return f"only Spark {sorted((a - b).elements())}, only tarn {sorted((b - a).elements())}"


def cross(oracle, report, tarn, name, spark_tables, tarn_tables, place):
    problems, fresh = [], []
    for t in tarn_tables:
        tree = files(t["path"])
        key = json.dumps(["foreign", t["columns"], t["format"], t["options"], t["parts"], digest(tree)])

        def ask(spark, t=t):
            if not fresh:
                spark.reset(listing=False)
                fresh.append(True)
            return read_foreign(spark, t, t["path"])

        if why := rows_differ(oracle.answer(key, ask), t["rows"]):
            problems.append(f"table {t['name']}: {why}")
    report.add(f"{name}:spark-reads", "the files of tarn's tables", "; ".join(problems) or None)
    problems = []
    for i, t in enumerate(spark_tables):
        path = os.path.join(place, f"foreign{i}")
        os.makedirs(path)
        put(t["files"], path)
        if why := rows_differ(t["rows"], read_foreign(tarn, t, path)):
            problems.append(f"table {t['name']}: {why}")
    report.add(f"{name}:tarn-reads", "the files of Spark's tables", "; ".join(problems) or None)
