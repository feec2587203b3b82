"""Random histories of a Delta table, with a model of what the table holds after each step.

Values are Python values of the column's type; TIMESTAMP values know their zone. The model is what both engines have to read:
neither engine is asked to judge the other.
"""
import datetime
import decimal
import struct

UTC = datetime.timezone.utc

# The types of data columns and of partition columns, with their values. An empty string as a partition value is NULL: a
# log cannot tell the two apart.
_DAYS = [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31), datetime.date(1600, 3, 1)]
_INSTANTS = [datetime.datetime(2024, 3, 10, 7, 30, tzinfo=UTC), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
             datetime.datetime(2024, 11, 3, 5, 30, 0, 120000, UTC), datetime.datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC)]
_TEXTS = ["a", "b c", "é=ß", "a/b", "100%", "a'b", "x:y?#&", "  pad ", "emoji 😀", "__HIVE_DEFAULT_PARTITION", "null", "a%2Fb", "[x]{y}", "tab\there", "quote\"s", "back\\slash"]
TYPES = {
    "TINYINT": [-128, 0, 127],
    "SMALLINT": [-32768, 7, 32767],
    "INT": [-2147483648, 0, 42, 2147483647],
    "BIGINT": [-9223372036854775808, 1, 9007199254740993, 9223372036854775807],
    "FLOAT": [0.5, -2.25, 3.0e20],
    "DOUBLE": [0.1, -1e300, 2.5],
    "BOOLEAN": [True, False],
    "DECIMAL(9,2)": [decimal.Decimal("-1.50"), decimal.Decimal("1234567.89"), decimal.Decimal("0.00")],
    "DECIMAL(38,10)": [decimal.Decimal("1234567890123456789012345678.0123456789"), decimal.Decimal("-0.0000000001")],
    "STRING": _TEXTS,
    "BINARY": [b"", b"\x00\xff", b"abc"],
    "DATE": _DAYS,
    "TIMESTAMP": _INSTANTS,
    "TIMESTAMP_NTZ": [v.replace(tzinfo=None) for v in _INSTANTS],
    "ARRAY<INT>": [[], [1, None, 3]],
    "STRUCT<a: INT, b: STRING>": [{"a": 1, "b": "x"}, {"a": None, "b": ""}],
    "MAP<STRING, INT>": [{}, {"k": 1, "l": None}],
}
KEYS = ["TINYINT", "SMALLINT", "INT", "BIGINT", "BOOLEAN", "DECIMAL(9,2)", "STRING", "STRING", "STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"]
WIDER = {"TINYINT": "SMALLINT", "SMALLINT": "INT", "INT": "BIGINT"}
ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia"]


class Column:
    def __init__(self, name, kind, key=False):
        self.name, self.kind, self.key = name, kind, key

    def pick(self, r):
        return None if r.randrange(6) == 0 else r.choice(TYPES[self.kind])


class Table:
    """What one history's table holds: the rows are lists of values, the first is the number of the row.

    rust says that delta-rs takes part. It writes the partition values of a TIMESTAMP in UTC without saying so, which Spark and
    Tarn read in the zone of the session: such tables stay in UTC. Its paths of negative DECIMAL values are wrong.

    generated says that the table has one more column, which engines compute: the number of the row, twice.
    """

    def __init__(self, r, path, rust):
        self.path, self.rows, self.next = path, [], 1
        self.columns = [Column("id", "BIGINT")]
        kinds = sorted(TYPES)
        for i in range(r.randrange(1, 5)):
            self.columns.append(Column(["v", "Camel", "s3", "last_"][i], r.choice(kinds)))
        for i in range(r.choice([0, 1, 1, 2])):
            self.columns.append(Column(["p", "Q"][i], r.choice(KEYS), True))
        self.properties = {}
        if r.randrange(2):
            self.properties["delta.checkpointInterval"] = str(r.choice([1, 2, 3]))
        self.zone = r.choice(ZONES)
        self.rust, self.generated = rust, False
        if rust and any(c.kind == "TIMESTAMP" for c in self.keys):
            self.zone = "UTC"

    @property
    def read(self):
        """The columns that a reader gives."""
        return self.columns + [Column("gen", "BIGINT")] * self.generated

    @property
    def keys(self):
        return [c for c in self.columns if c.key]

    def value(self, r, column):
        v = column.pick(r)
        return abs(v) if self.rust and column.key and isinstance(v, decimal.Decimal) else v

    def some_rows(self, r):
        out = []
        for _ in range(r.choice([0, 1, 3, 3, 8])):
            out.append([self.next] + [self.value(r, c) for c in self.columns[1:]])
            self.next += 1
        return out

    def condition(self, r):
        """A condition on rows: the column, the operator and the value."""
        if self.keys and r.randrange(2):
            c = r.choice(self.keys)
            held = [row[self.columns.index(c)] for row in self.rows]
            v = r.choice(held) if held else None
            return (c, "is null", None) if v is None or v == "" else (c, "=", v)
        return (self.columns[0], r.choice(["<", ">=", "="]), r.randrange(1, self.next + 1))

    def holds(self, condition, row):
        c, op, v = condition
        x = row[self.columns.index(c)]
        if c.key and x == "":
            x = None
        if op == "is null":
            return x is None
        return x is not None and {"<": x < v, ">=": x >= v, "=": x == v}[op]

    # The steps. Each has the name that engines know, its arguments, and changes the model.
    def step(self, r, kinds):
        kind = r.choice(kinds)
        if kind == "append":
            rows = self.some_rows(r)
            self.rows += rows
            return kind, (rows,)
        if kind == "overwrite":
            self.rows = self.some_rows(r)
            return kind, (list(self.rows),)
        if kind == "dynamic":
            rows = self.some_rows(r)
            at = [self.columns.index(c) for c in self.keys]
            spec = lambda row: tuple(row[i] or None if row[i] == "" else row[i] for i in at)  # noqa: E731
            if at:
                gone = {spec(row) for row in rows}
                self.rows = [row for row in self.rows if spec(row) not in gone] + rows
            else:
                self.rows = list(rows)
            return kind, (rows,)
        if kind == "delete":
            c = self.condition(r)
            self.rows = [row for row in self.rows if not self.holds(c, row)]
            return kind, (c,)
        if kind == "update":
            c, to = self.condition(r), r.choice(self.columns[1:])
            v, at = self.value(r, to), self.columns.index(to)
            self.rows = [row[:at] + [v] + row[at + 1:] if self.holds(c, row) else row for row in self.rows]
            return kind, (c, to, v)
        if kind == "merge":
            known = [row[0] for row in self.rows]
            source = self.some_rows(r)
            for row in source:
                if known and r.randrange(2):
                    row[0] = known.pop(r.randrange(len(known)))
            by = {row[0]: row for row in source}
            self.rows = [by.pop(row[0], row) for row in self.rows] + list(by.values())
            return kind, (source,)
        if kind == "clone":
            source, self.path = self.path, self.path + "c"
            return kind, (source,)
        if kind == "widen":
            narrow = [c for c in self.columns if not c.key and c.kind in WIDER] if "delta.enableTypeWidening" in self.properties else []
            for c in narrow[:1]:
                c.kind = WIDER[c.kind]
            return kind, narrow[:1]
        return kind, ()

    def features(self, r):
        """Asks for features that Spark writes."""
        for name, setting in [("delta.enableDeletionVectors", "true"), ("delta.columnMapping.mode", r.choice(["name", "id"])), ("delta.checkpointPolicy", "v2"),
                              ("delta.enableTypeWidening", "true"), ("delta.enableInCommitTimestamps", "true")]:
            if r.randrange(3) == 0:
                self.properties[name] = setting

    def expected(self):
        return sorted(repr([text(v, c, self.zone) for v, c in zip(row + [row[0] * 2], self.read)]) for row in self.rows)


def text(v, column, zone):
    """A value as `tarn sql --format json` prints it."""
    import zoneinfo
    kind = column.kind
    if v is None or column.key and v == "":
        return None
    if kind.startswith("MAP"):
        return dict(sorted(v.items() if isinstance(v, dict) else v))
    if isinstance(v, decimal.Decimal):
        scale = int(kind.rstrip(")").partition(",")[2])
        return format(v.quantize(decimal.Decimal(1).scaleb(-scale), context=decimal.Context(prec=40)), "f")
    if isinstance(v, datetime.datetime):
        if kind == "TIMESTAMP":
            v = v.astimezone(zoneinfo.ZoneInfo(zone))
        out = f"{v.year:04d}-{v.month:02d}-{v.day:02d} {v:%H:%M:%S}"
        return out + (f".{v.microsecond:06d}".rstrip("0") if v.microsecond else "")
    if isinstance(v, datetime.date):
        return f"{v.year:04d}-{v.month:02d}-{v.day:02d}"
    if isinstance(v, (bytes, bytearray)):
        return bytes(v).hex()
    if kind in ("FLOAT", "DOUBLE"):
        return number(v, kind)
    return v


def number(v, kind):
    """A FLOAT or DOUBLE as Python has it: readers print a FLOAT with the digits it needs, or with those of a double."""
    return struct.unpack("f", struct.pack("f", v))[0] if kind == "FLOAT" else float(v)


def literal(v, kind):
    """A value as a literal of Spark's SQL, whatever the session's time zone is."""
    if v is None:
        return f"CAST(NULL AS {kind})"
    if isinstance(v, str):
        return "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(v, bool):
        return str(v).upper()
    if isinstance(v, bytes):
        return f"X'{v.hex()}'"
    if isinstance(v, datetime.datetime):
        wall = v.strftime("%H:%M:%S.%f")
        return f"{kind}'{v.year:04d}-{v.month:02d}-{v.day:02d} {wall}{'Z' if kind == 'TIMESTAMP' else ''}'"
    if isinstance(v, datetime.date):
        return f"DATE'{v.year:04d}-{v.month:02d}-{v.day:02d}'"
    if isinstance(v, list):
        return f"CAST(array({', '.join(literal(x, 'INT') for x in v)}) AS {kind})"
    if isinstance(v, dict) and kind.startswith("MAP"):
        inner = ", ".join(f"{literal(k, 'STRING')}, {literal(x, 'INT')}" for k, x in v.items())
        return f"CAST(map({inner}) AS {kind})"
    if isinstance(v, dict):
        return f"named_struct('a', {literal(v['a'], 'INT')}, 'b', {literal(v['b'], 'STRING')})"
    return f"CAST('{v:f}' AS {kind})" if isinstance(v, decimal.Decimal) else f"CAST('{v}' AS {kind})"


def sql_rows(table, rows):
    names = ", ".join(f"`{c.name}`" for c in table.columns)
    if not rows:
        return "SELECT " + ", ".join(f"CAST(NULL AS {c.kind}) AS `{c.name}`" for c in table.columns) + " WHERE false"
    tuples = ", ".join("(" + ", ".join(literal(v, c.kind) for v, c in zip(row, table.columns)) + ")" for row in rows)
    return f"SELECT * FROM VALUES {tuples} AS t({names})"


def sql_condition(condition):
    c, op, v = condition
    return f"`{c.name}` IS NULL" if op == "is null" else f"`{c.name}` {op} {literal(v, c.kind)}"


def sql_step(table, kind, args, name):
    """The statements of a step, for Tarn and for Spark alike."""
    names = [f"`{c.name}`" for c in table.columns]
    into = f"{name} ({', '.join(names)})" if table.generated else name
    if kind == "create":
        columns = ", ".join(f"`{c.name}` {c.kind}" for c in table.columns) + ", gen BIGINT GENERATED ALWAYS AS (id * 2)" * table.generated
        keys = f" PARTITIONED BY ({', '.join(f'`{c.name}`' for c in table.keys)})" if table.keys else ""
        props = ", ".join(f"'{k}' = '{v}'" for k, v in table.properties.items())
        return [f"CREATE TABLE {name} ({columns}) USING delta{keys} LOCATION '{table.path}'" + (f" TBLPROPERTIES ({props})" if props else "")]
    if kind == "append":
        return [f"INSERT INTO {into} {sql_rows(table, args[0])}"]
    if kind == "overwrite":
        return [f"INSERT OVERWRITE {into} {sql_rows(table, args[0])}"]
    if kind == "dynamic":
        return ["SET spark.sql.sources.partitionOverwriteMode = dynamic", f"INSERT OVERWRITE {into} {sql_rows(table, args[0])}",
                "SET spark.sql.sources.partitionOverwriteMode = static"]
    if kind == "delete":
        return [f"DELETE FROM {name} WHERE {sql_condition(args[0])}"]
    if kind == "update":
        return [f"UPDATE {name} SET `{args[1].name}` = {literal(args[2], args[1].kind)} WHERE {sql_condition(args[0])}"]
    if kind == "merge":
        update, insert = "*", "*"
        if table.generated:
            update = ", ".join(f"{n} = s.{n}" for n in names)
            insert = f"({', '.join(names)}) VALUES ({', '.join('s.' + n for n in names)})"
        return [f"MERGE INTO {name} AS t USING ({sql_rows(table, args[0])}) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET {update} WHEN NOT MATCHED THEN INSERT {insert}"]
    if kind == "optimize":
        return [f"OPTIMIZE {name}"]
    if kind == "clone":
        return [f"CREATE TABLE cloned SHALLOW CLONE delta.`{args[0]}` LOCATION '{table.path}'", "DROP TABLE cloned"]
    if kind == "widen":
        return [f"ALTER TABLE {name} CHANGE COLUMN `{c.name}` TYPE {c.kind}" for c in args]
    raise ValueError(kind)
