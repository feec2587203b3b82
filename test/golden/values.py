"""When two cells of JSON answers are the same value, whichever way an engine spells it."""
import json
import math
import re
import struct
from decimal import Decimal, InvalidOperation

TS = re.compile(r"^([+-]?\d{1,6}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|UTC|\+00:?00|\+00)?$")


def text(v):
    """One spelling for one value, whichever engine wrote it."""
    if v is None:
        return "null"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        if not math.isfinite(v):
            return "NaN" if v != v else "Infinity" if v > 0 else "-Infinity"
        if v == int(v) and abs(v) < 1e15:
            return str(int(v))
        return "%.6g" % (struct.unpack("f", struct.pack("f", v))[0] if 1e-37 < abs(v) < 3e38 else v)  # a FLOAT reads the same widened or not
    if isinstance(v, list):
        return "[" + ",".join(map(text, v)) + "]"
    if isinstance(v, dict):
        return "{" + ",".join(f"{k}:{text(x)}" for k, x in sorted((str(text(k)), x) for k, x in v.items())) + "}"
    v = str(v)
    m = TS.match(v)
    if re.fullmatch(r"\+\d{5,}-\d\d-\d\d", v):
        return v[1:]
    if m:
        hms = m[2] if len(m[2]) == 8 else m[2] + ":00"
        return f"{m[1].lstrip('+')} {hms}{(m[3] or '').rstrip('0').rstrip('.')}"
    return v


def number(v):
    """A finite number as Decimal, else None."""
    if isinstance(v, bool) or v is None:
        return None
    try:
        d = Decimal(repr(v) if isinstance(v, float) else str(v).strip())
        return d if d.is_finite() else None
    except (InvalidOperation, ValueError):
        return None


def nested(v, typ):
    """JSON text of an array, map or struct becomes the value itself; map entries become an object."""
    if isinstance(v, str) and re.match(r"array|map|struct|variant", typ):
        try:
            v = json.loads(v)
        except ValueError:
            return v
    if typ.startswith("map") and isinstance(v, list) and all(isinstance(e, (list, dict)) and len(e) == 2 for e in v):
        v = {str(text(e[0] if isinstance(e, list) else e.get("key"))): (e[1] if isinstance(e, list) else e.get("value")) for e in v}
    return v


NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "infinity": "Infinity", "+inf": "Infinity", "-inf": "-Infinity", "-infinity": "-Infinity"}


def same(want, got, digits, decimal=False):
    """Whether two values agree to so many digits; numbers in JSON text and out of it are the same numbers."""
    if want is None or got is None:
        return want is None and got is None
    if isinstance(want, str) and want in NOT_FINITE.values():
        return NOT_FINITE.get(str(got).lower(), str(got)) == want
    if isinstance(want, bool) or isinstance(got, bool):
        return text(want).lower() == text(got).lower()
    if isinstance(want, (int, float)) or decimal:
        a, b = number(want), number(got)
        if a is None or b is None:
            return text(want) == text(got)
        if isinstance(want, float):
            return abs(a - b) <= max(Decimal(10) ** -digits * max(abs(a), abs(b)), Decimal("1e-44") if digits == 6 else 0)
        return a == b
    if isinstance(want, list):
        if isinstance(got, str):
            try:
                got = json.loads(got)
            except ValueError:
                return False
        return isinstance(got, list) and len(want) == len(got) and all(same(a, b, digits) for a, b in zip(want, got))
    if isinstance(want, dict):
        if isinstance(got, str):
            try:
                got = json.loads(got)
            except ValueError:
                return False
        if isinstance(got, list):
            got = nested(got, "map")
        if not isinstance(got, dict) or len(got) != len(want):
            return False
        g = {str(text(k)): v for k, v in got.items()}
        return all(str(text(k)) in g and same(v, g[str(text(k))], digits) for k, v in want.items())
    return text(want) == text(got) or (re.fullmatch(r"-?\d+(\.\d+)?", want) is not None and not isinstance(got, str) and number(want) == number(got))


def cell_ok(want, got, typ):
    """Whether two cells of a column of that type agree: FLOAT to 6 digits, DOUBLE to 12."""
    return same(nested(want, typ), nested(got, typ), 6 if "float" in typ else 12, typ.startswith("decimal"))
