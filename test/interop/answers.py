"""When two answers are the same: columns by name and type, rows as a sequence or as a bag, errors by condition."""
import json
import math
import re
import struct


def differs(spark, tarn, ordered, message=False):
    """What differs, in a few words, or None."""
    e, f = spark.get("error"), tarn.get("error")
    if e or f:
        if not e:
            return f"Spark answers, tarn fails with {f['class']}: {f['message'][:300]}"
        if not f:
            return f"Spark fails with {e['class']}, tarn answers"
        if f["class"] in ("ENGINE_DIED", "NOT_JSON", "INTERNAL_ERROR"):
            return f"tarn: {f['class']}: {f['message'][:300]}"
        if unnamed(e["class"]):
            return None
        if e["class"] != f["class"]:
            return f"condition: Spark {e['class']}, tarn {f['class']}: {f['message'][:300]}"
        if e["sqlState"] and e["sqlState"] != f["sqlState"]:
            return f"SQLSTATE: Spark {e['sqlState']}, tarn {f['sqlState']}"
        return None
    a, b = spark["columns"], tarn["columns"]
    if [c["name"] for c in a] != [c["name"] for c in b]:
        return f"column names: Spark {[c['name'] for c in a]}, tarn {[c['name'] for c in b]}"
    if [c["type"] for c in a] != [c["type"] for c in b]:
        return f"column types: Spark {[c['type'] for c in a]}, tarn {[c['type'] for c in b]}"
    single = ["float" in c["type"] and "double" not in c["type"] for c in a]
    if not same_rows(spark["rows"], tarn["rows"], ordered, single):
        return f"rows: Spark {show(spark['rows'])}, tarn {show(tarn['rows'])}"
    return None


def unnamed(condition):
    """Whether Spark has no public condition here; Tarn names all of its own (DESIGN: which Spark)."""
    return condition.startswith("_LEGACY_ERROR") or not re.fullmatch(r"[A-Z0-9_]+(\.[A-Z0-9_]+)*", condition)


def show(rows):
    text = json.dumps(rows, ensure_ascii=False)
    return text if len(text) < 500 else text[:500] + f"… ({len(rows)} rows)"


def same_rows(a, b, ordered, single):
    if len(a) != len(b):
        return False
    if not ordered:
        a, b = sorted(a, key=order), sorted(b, key=order)
    return all(len(x) == len(y) and all(map(same, x, y, single)) for x, y in zip(a, b))


def order(row):
    """Sorts rows alike on both sides although the last digits of a sum may differ."""
    return json.dumps(rounded(row), sort_keys=True)


def rounded(v):
    if v is None or isinstance(v, (bool, int, str)):
        return v
    if isinstance(v, float):
        return f"{v:.6g}"
    if isinstance(v, list):
        return [rounded(x) for x in v]
    return {k: rounded(x) for k, x in v.items()}


def same(a, b, single=False):
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        if single:
            return struct.pack("f", a) == struct.pack("f", b)
        return a == b or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, single) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        # The order of a struct's fields is told by its type, that of a map means nothing.
        return a.keys() == b.keys() and all(same(a[k], b[k], single) for k in a)
    return type(a) is type(b) and a == b


def ordered(statement):
    """Whether the outermost query has an ORDER BY."""
    depth = 0
    for m in re.finditer(r"'(?:[^'\\]|\\.)*'|`[^`]*`|[()]|\bORDER\s+BY\b", statement, re.I):
        t = m.group()
        depth += (t == "(") - (t == ")")
        if depth == 0 and t[0] in "oO":
            return True
    return False
