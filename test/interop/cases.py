"""The black-box cases of test/cases/testdata, asked of both engines.

Each engine has a directory ${D} and a warehouse ${WH} of its own; their names are put back into the answers before
these are compared. What a case leaves open (a pattern, "any row") is left open here too.
"""
import copy
import datetime
import decimal
import gzip
import json
import os
import re
import shutil

import answers


def load(directory, files):
    """The cases that need nothing beyond tables, partitions and queries."""
    for name in files:
        with open(os.path.join(directory, name + ".jsonl"), encoding="utf8") as f:
            for line in f:
                if line.strip():
                    case = json.loads(line)
                    if not case["needs"]:
                        yield case


def logged(case):
    """Whether the case asks for a partition log: then Spark's metastore keeps the partitions."""
    text = " ".join(case["setup"] + [case["run"]])
    return "partitionMetadataEnabled" in text or "partitionLog" in text


def ask(engine, case, directory):
    """The engine's answer to the statement under test, with the engine's places named as in the case."""
    os.makedirs(directory)

    def sub(s):
        return s.replace("${D}", directory).replace("${WH}", engine.warehouse).replace("${CAT}", engine.catalog)

    try:
        for step in case["setup"]:
            step = sub(step)
            if file_step(step):
                continue
            text = re.sub(r"^(SQL|TRY) ", "", step)
            answer = engine.sql(text)
            if "error" in answer and not step.startswith("TRY "):
                return {"error": {"class": "SETUP_FAILED", "sqlState": None,
                                  "message": f"{text[:200]}: {answer['error']['class']}: {answer['error']['message'][:200]}"}}
        if case.get("pre_fail"):
            engine.sql(sub(case["pre_fail"]))
        answer = engine.sql(sub(case["run"]))
        text = json.dumps(answer).replace(directory, "${D}")
        if engine.warehouse:
            text = text.replace(engine.warehouse, "${WH}")
        return json.loads(text.replace(f'"{engine.catalog}"', '"${CAT}"').replace(f"{engine.catalog}.", "${CAT}."))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def differs(case, spark, tarn):
    """What differs, or None. A case that states a pattern holds when both answers fit it."""
    expect = case["expect"]
    for answer, who in ((spark, "Spark"), (tarn, "tarn")):
        if answer.get("error", {}).get("class") == "SETUP_FAILED":
            return f"{who}: set-up failed: {answer['error']['message']}"
    if "error" in spark and "error" in tarn and "error" in expect:
        names = [expect["error"], *expect.get("error_alt", [])]
        if spark["error"]["class"] in names and tarn["error"]["class"] in names:
            return None
    loose = set(expect) & {"error_like", "warns", "row_count", "subsequence"} or "<any>" in json.dumps(expect) \
        or "<re:" in json.dumps(expect)
    if loose and fits(expect, spark) and fits(expect, tarn):
        return None
    spark, tarn = copy.deepcopy(spark), copy.deepcopy(tarn)
    return answers.differs(spark, tarn, answers.ordered(case["run"]) or bool(expect.get("ordered")))


def fits(expect, answer):
    error = answer.get("error")
    if "error_like" in expect:
        return bool(error and re.search(expect["error_like"], f"{error['class']} {error['message']}", re.I | re.S))
    if error or "error" in expect:
        return bool(error) and "error" in expect
    rows = answer["rows"]
    if "row_count" in expect and len(rows) != expect["row_count"]:
        return False
    want = expect.get("rows")
    if want is None:
        return True
    if expect.get("subsequence"):
        left = iter(rows)
        return all(any(row_fits(w, g) for g in left) for w in want)
    if len(want) != len(rows):
        return False
    if expect.get("ordered"):
        return all(map(row_fits, want, rows))
    left = list(rows)
    for w in want:
        hit = next((g for g in left if row_fits(w, g)), None)
        if hit is None:
            return False
        left.remove(hit)
    return True


def row_fits(want, got):
    return len(want) == len(got) and all(map(cell_fits, want, got))


def cell_fits(want, got):
    if want == "<any>":
        return True
    if isinstance(want, str) and want.startswith("<re:"):
        return re.search(want[4:-1], str(got), re.S) is not None
    return answers.same(want, got) or (want is not None and str(want) == str(got))


def file_step(step):
    """Does a step that is no statement; false when it is one."""
    verb, _, rest = step.partition(" ")
    path, _, text = rest.partition(" <<")
    path = path.strip()
    if verb not in ("MKDIR", "RM", "RMDIR", "TOUCH", "WRITE", "GZIP", "PARQUET", "SYMLINK"):
        return False
    if verb == "SYMLINK":
        path, target = (p.strip() for p in rest.split(" -> "))
    if verb == "MKDIR":
        os.makedirs(path, exist_ok=True)
        return True
    if verb in ("RM", "RMDIR"):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)
        return True
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if verb == "SYMLINK":
        os.symlink(target, path)
    elif verb == "TOUCH":
        open(path, "ab").close()
    elif verb == "PARQUET":
        parquet(path, json.loads(text))
    else:
        with (gzip.open if verb == "GZIP" else open)(path, "wb") as f:
            f.write(text.encode())
    return True


def parquet(path, spec):
    """Writes {"columns": {name: Spark type}, "rows": [[…]]}; DATE, TIMESTAMP (UTC) and DECIMAL are given as text."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    columns = {}
    for i, (name, kind) in enumerate(spec["columns"].items()):
        arrow, read = arrow_type(kind)
        columns[name] = pa.array([None if r[i] is None else read(r[i]) for r in spec["rows"]], arrow)
    pq.write_table(pa.table(columns), path)


def arrow_type(kind):
    import pyarrow as pa
    kind = kind.strip().lower()
    if m := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind):
        return pa.decimal128(int(m[1]), int(m[2])), decimal.Decimal
    if m := re.fullmatch(r"array<(.+)>", kind):
        element, read = arrow_type(m[1])
        return pa.list_(element), lambda v: [None if x is None else read(x) for x in v]
    return {
        "boolean": (pa.bool_(), bool), "tinyint": (pa.int8(), int), "smallint": (pa.int16(), int),
        "int": (pa.int32(), int), "bigint": (pa.int64(), int), "float": (pa.float32(), float),
        "double": (pa.float64(), float), "string": (pa.string(), str), "binary": (pa.binary(), bytes.fromhex),
        "date": (pa.date32(), datetime.date.fromisoformat),
        "timestamp": (pa.timestamp("us", tz="UTC"),
                      lambda v: datetime.datetime.fromisoformat(v).replace(tzinfo=datetime.timezone.utc)),
    }[kind]
