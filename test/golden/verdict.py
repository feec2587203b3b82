"""Whether an answer is the one of a golden file.

A statement agrees when its rows, as Spark's shell writes them, are the golden lines: in order where it has an outermost
ORDER BY (rows that tie on the keys may swap), else in any order; doubles to 1e-12, since sums may add up in another
order. Where the golden file has an error, its condition must be the same, and any will do where it names none.
"""
import json
import math
import re

from reading import bare, order_keys
from shell import lines_of, parse_type

MASK = "[not included in comparison]"
EXPR_ID = re.compile(r"#\d+")  # the suite masks these everywhere, in data too


def mask(text):
    """The text without what the suite does not compare: places, times, owners."""
    text = re.sub(r"\b(Location|Created By|Created Time|Last Access)\b.*", r"\1", text)
    text = re.sub(r"Partition Statistics\t.*", "Partition Statistics", text)
    text = re.sub(r'"owner[^"]*":"[^"]*",?', "", text)
    text = re.sub(
        r'"(location|created_by|created_time|last_access|partition_statistics|transient_lastDdlTime)'
        r'(?: \[not included in comparison\])?":\s*"[^"]*"',
        r'"\1"',
        text,
    )
    return re.sub(
        r"file:[^\s,'\"]*", "file:", re.sub(r"transient_lastDdlTime=[^,\s)\]]*(?: included in comparison\])?", "transient_lastDdlTime", text)
    )


NUMBER = re.compile(r"-?\d+\.\d+(?:E-?\d+)?")


def close(a, b, tolerance):
    """Whether two lines agree but for the last digits of their numbers."""
    return (
        a == b
        or NUMBER.sub("#", a) == NUMBER.sub("#", b)
        and all(math.isclose(float(x), float(y), rel_tol=tolerance) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))
    )


def golden_error(st):
    """(is an error, its class or None)"""
    if st.schema != "struct<>" or not re.match(r"[a-z]\w*(\.\w+)+(\$\w+)?(\n|$)", st.output):
        return False, None
    try:
        body = json.loads(st.output.partition("\n")[2])
    except ValueError:
        return True, None
    return True, body.get("errorClass") or body.get("condition")


def names_of(schema):
    return [n.lower() for n, _ in parse_type(schema)[1]] if parse_type(schema)[0] == "struct" else []


def judge(st, res, style):
    """None if the answer is the golden one, else why not."""
    failed, cls = golden_error(st)
    err = res.get("error")
    if err and err.get("class") in ("ENGINE_DIED", "NOT_JSON"):
        return f"{err['class']}: {err.get('message', '')}"
    if failed:
        if not err:
            return f"wanted error {cls}, got {len(res['rows'])} rows"
        return None if cls in (None, err.get("class")) else f"wanted error {cls}, got {err.get('class')}: {err.get('message', '')[:150]}"
    if err:
        return f"failed: {err.get('class')}: {err.get('message', '')[:200]}"
    text = bare(st.sql) or ""
    got, want, types = lines_of(text.strip(), res, style), st.output, " ".join(c["type"] for c in res["columns"])
    describe = DESCRIBE.match(text)
    keys = order_keys(text, names_of(st.schema))
    if keys == [] and not describe:
        got.sort(key=lambda s: s.encode("utf-16-be"))
    got, want = ([EXPR_ID.sub("#x", x) for x in side.rstrip().split("\n")] for side in ("\n".join(got), want))
    if MASK in st.output:
        got, want = ([mask(x) for x in side if not x.startswith("Owner")] for side in (got, want))
    if describe:
        got, want = ([re.sub(r" *(\t|$) *", r"\1", x).strip() for x in side] for side in (got, want))
    tolerance = 1e-6 if "float" in types else 1e-12 if "double" in types else 0

    def same(g, w):
        return len(g) == len(w) and all(close(x, y, tolerance) for x, y in zip(g, w))

    if same(got, want):
        return None
    if same(sorted(got), sorted(want)):
        if keys == [] and not describe:
            return None

        def column(side):
            return [[x.split("\t")[k] for k in keys] for x in side]

        return None if keys and column(got) == column(want) else "order: wanted %s, got %s" % (show(want), show(got))
    return f"wanted {show(want)}, got {show(got)}"


# what Spark's suite takes as sorted already; other DESCRIBE statements it sorts
DESCRIBE = re.compile(r"(?i)\s*desc(ribe)?\s+(?!(function|database|schema|namespace|catalog)\b)")


def show(lines):
    text = " ⏎ ".join(lines)
    return text if len(text) < 240 else text[:240] + "…"
