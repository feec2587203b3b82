"""Three small partitioned tables, one a format, that both engines read from the same directory.

events  Parquet  dt DATE, hour INT           both with a NULL partition; nested columns
sales   CSV      region STRING, price DECIMAL(6,2)   values that need escaping, digits that look like a number
logs    JSON     at TIMESTAMP, load DOUBLE   wall-clock text with escaped colons; -0.0 and exponents
"""
import datetime
import decimal
import json
import os
import random
import urllib.parse

NULL = "__HIVE_DEFAULT_PARTITION__"

EVENTS = ("CREATE TABLE events (id BIGINT, who STRING, amount DECIMAL(10,2), score DOUBLE, ts TIMESTAMP, flag BOOLEAN, small SMALLINT, "
          "ratio FLOAT, raw BINARY, day DATE, tags ARRAY<STRING>, attrs MAP<STRING, INT>, place STRUCT<city: STRING, zip: INT>, dt DATE, hour INT) "
          "USING parquet PARTITIONED BY (dt, hour) LOCATION '{0}/events'")
SALES = ("CREATE TABLE sales (sku INT, qty INT, note STRING, sold DATE, region STRING, price DECIMAL(6,2)) "
         "USING csv PARTITIONED BY (region, price) LOCATION '{0}/sales'")
LOGS = ("CREATE TABLE logs (level STRING, code INT, took DOUBLE, payload STRUCT<op: STRING, n: BIGINT, xs: ARRAY<INT>>, at TIMESTAMP, load DOUBLE) "
        "USING json PARTITIONED BY (at, load) LOCATION '{0}/logs'")
NAMES = ("events", "sales", "logs")


def declare(root, registered):
    """The statements that make the tables; registered ones need a repair."""
    out = [t.format(root) for t in (EVENTS, SALES, LOGS)]
    if registered:
        out += [f"MSCK REPAIR TABLE {n}" for n in NAMES]
    return out


def write(root, seed):
    r = random.Random(seed)
    events(os.path.join(root, "events"), r)
    sales(os.path.join(root, "sales"), r)
    logs(os.path.join(root, "logs"), r)


def directory(root, **values):
    path = root
    for k, v in values.items():
        path = os.path.join(path, f"{k}={NULL if v is None else escaped(v)}")
    os.makedirs(path)
    return path


def escaped(v):
    """Spark's escaping of a directory's value; what is beyond ASCII stays as it is."""
    return "".join(c if ord(c) > 127 else urllib.parse.quote(c, safe=" .+-_") for c in v)


def maybe(r, v, one_in=6):
    return None if r.randrange(one_in) == 0 else v


def events(root, r):
    import pyarrow as pa
    import pyarrow.parquet as pq
    utc = datetime.timezone.utc
    schema = pa.schema([
        ("id", pa.int64()), ("who", pa.string()), ("amount", pa.decimal128(10, 2)), ("score", pa.float64()),
        ("ts", pa.timestamp("us", tz="UTC")), ("flag", pa.bool_()), ("small", pa.int16()), ("ratio", pa.float32()),
        ("raw", pa.binary()), ("day", pa.date32()), ("tags", pa.list_(pa.string())), ("attrs", pa.map_(pa.string(), pa.int32())),
        ("place", pa.struct([("city", pa.string()), ("zip", pa.int32())]))])
    n = 0
    for dt in ("2023-12-31", "2024-01-30", "2024-01-31", "2024-02-29", None):
        for hour in ("0", "7", "23", None):
            if (dt, hour) in (("2024-01-30", "0"), (None, None)):
                continue
            rows = []
            for _ in range(r.randrange(3, 8)):
                n += 1
                rows.append({
                    "id": n, "who": maybe(r, r.choice(["ann", "Bob", "çelik", "d_e", "100%", "", "eve "])),
                    "amount": maybe(r, decimal.Decimal(r.randrange(-99999, 99999)) / 100),
                    "score": maybe(r, r.choice([0.0, -0.0, 1.5, -2.25, 1e10, float("nan"), float("inf"), r.uniform(-5, 5)])),
                    "ts": maybe(r, datetime.datetime(2024, r.randrange(1, 13), r.randrange(1, 28), r.randrange(24), r.randrange(60), 5,
                                                     r.choice([0, 123000, 7]), utc)),
                    "flag": maybe(r, r.randrange(2) == 0), "small": maybe(r, r.randrange(-300, 300)),
                    "ratio": maybe(r, r.choice([0.1, 0.5, -3.25])), "raw": maybe(r, r.choice([b"", b"\x00\xff", b"tarn"])),
                    "day": maybe(r, datetime.date(2024, 1, 1) + datetime.timedelta(r.randrange(-60, 400))),
                    "tags": maybe(r, [r.choice(["x", "y", "z", None]) for _ in range(r.randrange(4))]),
                    "attrs": maybe(r, [(k, maybe(r, r.randrange(9))) for k in r.sample(["k", "l", "m"], r.randrange(3))]),
                    "place": maybe(r, {"city": maybe(r, r.choice(["Oslo", "Köln"])), "zip": maybe(r, r.randrange(1000, 9999))}),
                })
            parts = {"dt": dt, "hour": hour}
            pq.write_table(pa.Table.from_pylist(rows, schema), os.path.join(directory(root, **parts), "a.parquet"))


def sales(root, r):
    for region in ("eu", "us", "a/b", "Üï", "05", "x=y z", None):
        for price in ("1.50", "2.00", "10.25", "-3.00"):
            if r.randrange(4) == 0:
                continue
            with open(os.path.join(directory(root, region=region, price=price), "a.csv"), "w", encoding="utf8") as f:
                for _ in range(r.randrange(1, 6)):
                    note = r.choice(["plain", '"a, b"', '"say \\"hi\\""', "", '" kept "', "Straße", "NULL"])
                    qty = maybe(r, r.randrange(100))
                    sold = maybe(r, str(datetime.date(2024, 1, 1) + datetime.timedelta(r.randrange(90))))
                    f.write(f"{r.randrange(50)},{'' if qty is None else qty},{note},{sold or ''}\n")


def logs(root, r):
    for at in ("2024-01-01 00:00:00", "2024-01-01 10:30:00", "2024-06-30 23:59:59.5", None):
        for load in ("0.5", "-1.25", "1.0E10", "3.0"):
            if r.randrange(4) == 0:
                continue
            with open(os.path.join(directory(root, at=at, load=load), "a.json"), "w", encoding="utf8") as f:
                for _ in range(r.randrange(2, 6)):
                    row = {"level": r.choice(["info", "warn", "ERROR", None]), "code": maybe(r, r.randrange(5)),
                           "took": maybe(r, r.choice([0.25, 1e-3, 7, -2.5])),
                           "payload": maybe(r, {"op": r.choice(["get", "put"]), "n": maybe(r, r.randrange(1 << 40)),
                                                "xs": [r.randrange(9) for _ in range(r.randrange(3))]})}
                    f.write(json.dumps({k: v for k, v in row.items() if v is not None or r.randrange(2)}, ensure_ascii=False) + "\n")
