"""A JSON answer as Spark's shell writes it: the form that golden files are in."""
import base64
import decimal
import json
import math
import re
import struct

FIELD = re.compile(
    r"`((?:[^`]|``)*)`:|(.*?):\s*(?=(?:array|map|struct)<|(?:boolean|tinyint|smallint|int|bigint|float|double|decimal|"
    r"string|char|varchar|binary|date|time|timestamp|timestamp_ntz|timestamp_ltz|interval|void|variant|ge\w+)\b)",
    re.S,
)


def parse_type(s):
    """'map<int,struct<a:string>>' -> ("map", ("int",), ("struct", [("a", ("string",))]))"""

    def one(i):
        for kind in ("array", "map", "struct"):
            if not s.startswith(kind + "<", i):
                continue
            i += len(kind) + 1
            inner = []
            while s[i] != ">":
                if kind == "struct":
                    m = FIELD.match(s, i)
                    t, i = one(m.end())
                    inner.append((m[2] if m[1] is None else m[1].replace("``", "`"), t))
                else:
                    t, i = one(i)
                    inner.append(t)
                while s[i] in ", ":
                    i += 1
            return ((kind, inner) if kind == "struct" else (kind, *inner)), i + 1
        m = re.compile(r"[^<>,(]*(\([^)]*\))?[^<>,]*").match(s, i)
        return (re.sub(r"\(.*", "", m[0]).split(" not null")[0].strip().lower(),), m.end()

    try:
        return one(0)[0]
    except (IndexError, AttributeError):
        return ("unknown",)


def java_number(v, kind):
    """A FLOAT or DOUBLE as Java prints it."""
    x = float(v)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    if kind == "float":
        text = next(t for t in (f"{x:.{p}g}" for p in range(1, 18)) if struct.pack("f", float(t)) == struct.pack("f", x))
    else:
        text = repr(x)
    d = decimal.Decimal(text)
    if d == 0 or decimal.Decimal("1e-3") <= abs(d) < decimal.Decimal("1e7"):
        plain = format(d, "f")
        return plain if "." in plain else plain + ".0"
    sign, digits, _ = d.as_tuple()
    digits = "".join(map(str, digits)).rstrip("0")
    return f"{'-' * sign}{digits[0]}.{digits[1:] or '0'}E{d.adjusted()}"


FIELDS = ["year", "month", "day", "hour", "minute", "second"]


def hive_interval(text):
    """INTERVAL '1-2' YEAR TO MONTH -> 1-2, INTERVAL '3' DAY -> 3 00:00:00.000000000; other text as it is."""
    m = re.fullmatch(r"(?i)interval (-?)'([+-]?)([^']*)' (\w+)(?: to \w+)?", text)
    if not m:
        return text
    sign = "-" if (m[1] == "-") != (m[2] == "-") else ""
    at, n = FIELDS.index(m[4].lower()), [decimal.Decimal(x) for x in re.split(r"[-: ]", m[3])]
    value = dict(zip(FIELDS[at:], n))

    def get(field):
        return value.get(field, 0)

    if at < 2:
        months = int(get("year") * 12 + get("month"))
        return f"{sign}{months // 12}-{months % 12}"
    nanos = int((get("day") * 86400 + get("hour") * 3600 + get("minute") * 60 + get("second")) * 10**9)
    secs, nanos = divmod(nanos, 10**9)
    return f"{sign}{secs // 86400} {secs // 3600 % 24:02}:{secs // 60 % 60:02}:{secs % 60:02}.{nanos:09}"


BINARY = {
    "UTF-8": lambda b: b.decode("utf8", "replace"),
    "HEX": lambda b: b.hex().upper(),
    "BASE64": lambda b: base64.b64encode(b).decode().rstrip("="),
    "BASIC": lambda b: str(list(b)),
    "HEX_DISCRETE": lambda b: "[" + b.hex(" ").upper() + "]",
}


def hive(v, t, style, nested=False):
    """A JSON cell as Spark's shell writes it."""
    kind = t[0]

    def sub(x, inner):
        return hive(x, inner, style, True)

    if v is None:
        return "null" if nested else "NULL"
    if isinstance(v, bool):
        return str(v).lower()
    if kind == "array":
        return "[" + ",".join(sub(x, t[1]) for x in v) + "]"
    if kind == "map":
        pairs = v.items() if isinstance(v, dict) else [(p["key"], p["value"]) if isinstance(p, dict) else p for p in v]
        return "{" + ",".join(sorted(sub(k, t[1]) + ":" + sub(x, t[2]) for k, x in pairs)) + "}"
    if kind == "struct":
        values = v if isinstance(v, list) else [v.get(n) for n, _ in t[1]]
        return "{" + ",".join(f'"{n}":{sub(x, ft)}' for x, (n, ft) in zip(values, t[1])) + "}"
    if kind in ("double", "float"):
        return java_number(v, kind)
    if kind == "binary":
        return BINARY[style](bytes.fromhex(v))
    if kind.startswith("interval"):
        return hive_interval(str(v))
    if isinstance(v, (dict, list)):
        return json.dumps(v, separators=(",", ":"))
    return f'"{v}"' if nested and re.match("string|char|varchar", kind) else str(v)


def lines_of(sql, res, style):
    """The lines that Spark's shell prints for an answer of that statement."""
    if re.match(r"(?i)show\s+(tables|views)\b", sql):
        return [str(r[1]) for r in res["rows"]]
    types = [parse_type(c["type"]) for c in res["columns"]]
    if re.match(r"(?i)desc", sql) and len(types) == 3:
        return ["\t".join(v or "" for v in r) for r in res["rows"]]
    return ["\t".join(hive(v, t, style) for v, t in zip(r, types)) for r in res["rows"]]
