"""Makes SELECT statements from a seed: the same seed, the same statements.

Every statement has one right answer: a LIMIT comes only with an ORDER BY over all its columns, and sums are over exact
types.
"""
import random

PARTITION = {
    "events": {"dt": "date", "hour": "int"},
    "sales": {"region": "string", "price": "decimal"},
    "logs": {"at": "timestamp", "load": "double"},
}
DATA = {
    "events": {"id": "int", "who": "string", "amount": "decimal", "flag": "boolean", "small": "int", "day": "date", "ts": "timestamp"},
    "sales": {"sku": "int", "qty": "int", "note": "string", "sold": "date"},
    "logs": {"level": "string", "code": "int", "took": "double"},
}
LITERALS = {
    "date": ["DATE'2024-01-31'", "DATE'2023-12-31'", "'2024-01-30'", "DATE'2024-02-29'", "DATE'1999-01-01'", "TIMESTAMP'2024-01-31 00:00:00'"],
    "int": ["0", "7", "23", "-1", "7.0", "7.5D", "100L", "'7'", "3"],
    "string": ["'eu'", "'us'", "'a/b'", "'05'", "'Üï'", "'info'", "'plain'", "'ann'", "''", "'x=y z'"],
    "decimal": ["1.50", "2", "10.25BD", "-3.00", "1.5D", "'2.00'", "2.001"],
    "timestamp": ["TIMESTAMP'2024-01-01 10:30:00'", "TIMESTAMP'2024-01-01 00:00:00'", "DATE'2024-06-30'", "'2024-06-30 23:59:59.5'"],
    "double": ["0.5D", "3", "-1.25", "1.0E10", "'0.5'", "0.25"],
    "boolean": ["true", "false"],
}
TUPLES = {
    "events": {"dt": ["DATE'2024-01-31'", "DATE'2023-12-31'"], "hour": ["7", "0"]},
    "sales": {"region": ["'eu'", "'a/b'"], "price": ["CAST(2 AS DECIMAL(6,2))", "CAST(1.5 AS DECIMAL(6,2))"]},
    "logs": {"at": ["TIMESTAMP'2024-01-01 10:30:00'", "TIMESTAMP'2024-01-01 00:00:00'"], "load": ["0.5D", "3D"]},
}
FUNCTIONS = {
    "date": [("year({})", "int"), ("month({})", "int"), ("dayofmonth({})", "int"), ("date_add({}, 1)", "date"), ("CAST({} AS STRING)", "string"),
             ("trunc({}, 'MM')", "date"), ("date_format({}, 'yyyy-MM')", "string"), ("last_day({})", "date"), ("coalesce({}, DATE'2000-01-01')", "date"),
             ("datediff({}, DATE'2024-01-01')", "int"), ("dayofweek({})", "int"), ("quarter({})", "int"), ("weekofyear({})", "int"),
             ("CAST({} AS TIMESTAMP)", "timestamp")],
    "int": [("{} + 1", "int"), ("{} * 2 - 3", "int"), ("abs({})", "int"), ("coalesce({}, -1)", "int"), ("{} % 5", "int"), ("CAST({} AS STRING)", "string"),
            ("nullif({}, 7)", "int"), ("-{}", "int"), ("greatest({}, 5)", "int"), ("lpad({}, 2, '0')", "string"), ("{} / 2", "double"),
            ("CASE WHEN {0} > 5 THEN 'hi' WHEN {0} IS NULL THEN 'none' ELSE 'lo' END", "string"), ("{} div 3", "int"), ("if({} = 7, 1, 0)", "int")],
    "string": [("upper({})", "string"), ("length({})", "int"), ("substring({}, 1, 2)", "string"), ("concat({}, '!')", "string"), ("{} || 'z'", "string"),
               ("coalesce({}, '-')", "string"), ("lower({})", "string"), ("trim({})", "string"), ("replace({}, 'e', 'EE')", "string"), ("reverse({})", "string"),
               ("initcap({})", "string"), ("instr({}, 'a')", "int"), ("try_cast({} AS INT)", "int"), ("nvl({}, 'n')", "string"), ("left({}, 1)", "string")],
    "decimal": [("{} + 1", "decimal"), ("{} * 1.1", "decimal"), ("round({}, 1)", "decimal"), ("CAST({} AS INT)", "int"), ("abs({})", "decimal"),
                ("CAST({} AS STRING)", "string"), ("coalesce({}, 0)", "decimal"), ("floor({})", "decimal"), ("-{}", "decimal"), ("CAST({} AS DECIMAL(8,1))", "decimal")],
    "timestamp": [("CAST({} AS DATE)", "date"), ("hour({})", "int"), ("year({})", "int"), ("date_trunc('DAY', {})", "timestamp"), ("minute({})", "int"),
                  ("CAST({} AS STRING)", "string"), ("date_format({}, 'HH:mm')", "string"), ("coalesce({}, TIMESTAMP'2000-01-01 00:00:00')", "timestamp"),
                  ("{} + INTERVAL 1 DAY", "timestamp"), ("second({})", "int")],
    "double": [("{} + 1", "double"), ("abs({})", "double"), ("CAST({} AS BIGINT)", "int"), ("round({}, 1)", "double"), ("coalesce({}, 0)", "double"), ("{} * 2", "double")],
    "boolean": [("NOT {}", "boolean"), ("CAST({} AS INT)", "int"), ("coalesce({}, false)", "boolean")],
}
PATTERNS = ["'%a%'", "'e_'", "'0_'", "'%'", "''", "'%/%'", "'A%'", "'1%'", "'___'"]


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def statement(self):
        kind = self.r.choices([self.plain, self.grouped, self.joined, self.nested, self.sets, self.window], [5, 4, 2, 2, 1, 1])[0]
        return kind()

    def table(self):
        t = self.r.choice(sorted(PARTITION))
        return t, {**PARTITION[t], **DATA[t]}

    def column(self, t, prefix=""):
        """A column, a partition column two times of three."""
        pool = PARTITION[t] if self.r.randrange(3) else DATA[t]
        name = self.r.choice(sorted(pool))
        return prefix + name, pool[name]

    def value(self, t, prefix="", depth=1):
        text, kind = self.column(t, prefix)
        for _ in range(depth):
            if self.r.randrange(2):
                form, kind = self.r.choice(FUNCTIONS[kind])
                text = form.format(text)
                if form[0] in "{-N" and depth > 1:
                    text = f"({text})"
        return text, kind

    def literal(self, kind):
        return "NULL" if self.r.randrange(12) == 0 else self.r.choice(LITERALS[kind])

    def atom(self, t, prefix=""):
        r = self.r
        v, kind = self.value(t, prefix)
        form = r.randrange(10)
        if form < 4:
            return f"{v} {r.choice(['=', '<', '<=', '>', '>=', '<>', '<=>', '!='])} {self.literal(kind)}"
        if form == 4:
            return f"{v} {r.choice(['', 'NOT '])}IN ({', '.join(self.literal(kind) for _ in range(r.randrange(1, 4)))})"
        if form == 5:
            return f"{v} {r.choice(['', 'NOT '])}BETWEEN {self.literal(kind)} AND {self.literal(kind)}"
        if form == 6:
            return f"{v} IS {r.choice(['', 'NOT '])}NULL"
        if form == 7:
            name, k = self.column(t, prefix)
            if k == "string":
                return f"{name} {r.choice(['', 'NOT '])}LIKE {r.choice(PATTERNS)}"
            return f"CAST({name} AS STRING) LIKE {r.choice(PATTERNS)}"
        if form == 8:
            # Spark does not coerce the fields of a tuple: their types are the columns' own.
            (a, x), (b, y) = sorted(TUPLES[t].items())
            return f"({prefix}{a}, {prefix}{b}) {r.choice(['', 'NOT '])}IN (({x[0]}, {y[0]}), ({x[1]}, {y[1]}))"
        return f"{v} = {v}"

    def predicate(self, t, prefix="", depth=2):
        r = self.r
        if depth == 0 or r.randrange(3) == 0:
            return self.atom(t, prefix)
        op = r.choice(["AND", "OR", "AND", "OR", "NOT"])
        if op == "NOT":
            return f"NOT ({self.predicate(t, prefix, depth - 1)})"
        return f"({self.predicate(t, prefix, depth - 1)} {op} {self.predicate(t, prefix, depth - 1)})"

    def where(self, t, prefix=""):
        return f" WHERE {self.predicate(t, prefix)}" if self.r.randrange(6) else ""

    def tail(self, n, limit=True):
        r = self.r
        if r.randrange(2):
            return ""
        keys = [f"{i + 1}{r.choice(['', ' DESC', ' ASC NULLS LAST', ' DESC NULLS FIRST'])}" for i in range(n)]
        text = " ORDER BY " + ", ".join(keys)
        if limit and r.randrange(2):
            text += f" LIMIT {r.randrange(1, 12)}" + (f" OFFSET {r.randrange(4)}" if r.randrange(3) == 0 else "")
        return text

    def plain(self):
        t, _ = self.table()
        n = self.r.randrange(1, 5)
        items = [self.value(t, depth=2)[0] + self.r.choice(["", f" AS c{i}"]) for i in range(n)]
        return f"SELECT {self.r.choice(['', '', 'DISTINCT '])}{', '.join(items)} FROM {t}{self.where(t)}{self.tail(n)}"

    def aggregate(self, t):
        r = self.r
        v, kind = self.value(t)
        forms = ["count({})", "count(DISTINCT {})", "min({})", "max({})"]
        if kind in ("int", "decimal"):
            forms += ["sum({})", "avg({})"]
        text = r.choice(forms).format(v)
        if r.randrange(5) == 0:
            text += f" FILTER (WHERE {self.atom(t)})"
        return r.choice([text, text, "count(*)"])

    def grouped(self):
        r = self.r
        t, _ = self.table()
        keys = [self.value(t)[0] for _ in range(r.randrange(3))]
        aggs = [self.aggregate(t) for _ in range(r.randrange(1, 4))]
        text = f"SELECT {', '.join(keys + aggs)} FROM {t}{self.where(t)}"
        if keys:
            numbers = ", ".join(str(i + 1) for i in range(len(keys)))
            text += " GROUP BY " + r.choice([", ".join(keys), numbers, f"ROLLUP ({', '.join(keys)})", f"CUBE ({', '.join(keys)})"])
            if r.randrange(3) == 0:
                text += r.choice([" HAVING count(*) > 2", f" HAVING {self.aggregate(t)} IS NOT NULL", " HAVING count(*) BETWEEN 1 AND 9"])
        return text + self.tail(len(keys) + len(aggs))

    def joined(self):
        r = self.r
        on = r.choice(["a.hour = b.code", "a.hour = b.sku % 8", "year(a.dt) = 2000 + b.qty", "a.hour <=> b.qty", "CAST(a.hour AS STRING) = b.region"])
        other = "logs" if "code" in on else "sales"
        kind = r.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
        one = kind in ("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        items = [self.value("events", "a.")[0], self.value("events" if one else other, "a." if one else "b.")[0]]
        extra = f" AND {self.atom(other, 'b.')}" if r.randrange(2) else ""
        return f"SELECT {', '.join(items)} FROM events a {kind} {other} b ON {on}{extra}{self.where('events', 'a.')}{self.tail(2)}"

    def nested(self):
        r = self.r
        t, _ = self.table()
        key, kind = r.choice(sorted(PARTITION[t].items()))
        same = [(u, k) for u in PARTITION for k, x in {**PARTITION[u], **DATA[u]}.items() if x == kind]
        u, k = r.choice(sorted(same))
        form = r.randrange(4)
        v = self.value(t)[0]
        if form == 0:
            return f"SELECT {key}, {v} FROM {t} WHERE {key} {r.choice(['IN', 'IN', 'NOT IN'])} (SELECT {k} FROM {u}{self.where(u)})"
        if form == 1:
            return f"SELECT {key}, {v} FROM {t} o WHERE {r.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {u} i WHERE i.{k} = o.{key} AND {self.atom(u, 'i.')})"
        if form == 2:
            return f"SELECT {key}, {v} FROM {t} WHERE {key} {r.choice(['=', '<', '>='])} (SELECT {r.choice(['max', 'min'])}({k}) FROM {u}{self.where(u)})"
        return f"WITH q AS (SELECT {key} AS k, count(*) AS n FROM {t}{self.where(t)} GROUP BY {key}) SELECT k, n, n * 2 FROM q WHERE n > 1{self.tail(3)}"

    def sets(self):
        r = self.r
        t, _ = self.table()
        key = r.choice(sorted(PARTITION[t]))
        op = r.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"])
        return f"SELECT {key} FROM {t}{self.where(t)} {op} SELECT {key} FROM {t}{self.where(t)}{self.tail(1, limit=False)}"

    def window(self):
        r = self.r
        t, _ = self.table()
        a, b = sorted(PARTITION[t])
        key = {"events": "id", "sales": "sku, qty, note, sold, price, region", "logs": "at, load, level, code, took"}[t]
        f = r.choice(["rank()", "dense_rank()", f"count({b}) ", f"max({a})", f"min({b})", "percent_rank()", "cume_dist()"])
        order = r.choice([key, f"{b} DESC", f"{a}, {b}"])
        return f"SELECT {a}, {b}, {f} OVER (PARTITION BY {r.choice([a, b])} ORDER BY {order}) AS w FROM {t}{self.where(t)}"
