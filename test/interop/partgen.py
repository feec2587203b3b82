"""Makes scripts of partition statements from a seed: directories on storage, a table over them, then what changes its partitions
and what shows them.

What rulings decide otherwise than Spark is not made: it stands in writes.sql and the cases, with its reason.
"""
import random

# Of each type: literals of a partition specification, and what directories of such values are called.
KEYS = {
    "INT": (["1", "-1", "007", "'5'", "2147483647", "NULL", "3L", "'1'", "1 ", "2Y"], ["1", "-1", "5", "2147483647"]),
    "BIGINT": (["1", "9223372036854775807", "'08'", "NULL", "-5L"], ["1", "-5"]),
    "STRING": (["'a'", "'A'", "'a/b'", "'x=y z'", "'50%'", "'05'", "1", "1.50", "true", "DATE'2024-01-01'", "'Üï'", "' pad '", "'a:b'",
                "'q''q'", "NULL", "'__HIVE_DEFAULT_PARTITION__'", "'null'", "'NULL'", "'a\\nb'", "'{}'", "'[x]'", "'a^b'", "'a+b'",
                "'a#b'", "'~'", "'a*b'"],
               ["a", "A", "a%2Fb", "x%3Dy z", "50%25", "05", "1", "Üï", "a%3Ab", "NULL", "b+c", "%41", "b c", "a,b"]),
    "DATE": (["DATE'2024-01-01'", "'2024-01-01'", "'2024-1-2'", "'2024-02'", "NULL", "DATE'0999-12-31'", "'2024'"],
             ["2024-01-01", "2024-01-02", "2024-02-29"]),
    "DOUBLE": (["1.5", "1", "'1e3'", "NULL", "-0.0", "2.0D"], ["1.5", "1.0", "1000.0"]),
    "DECIMAL(6,2)": (["1.5", "1", "'2.50'", "NULL", "1.50BD"], ["1.50", "1.00", "2.50"]),
    "BOOLEAN": (["true", "FALSE", "'true'", "NULL"], ["true", "false"]),
    "TIMESTAMP": (["TIMESTAMP'2024-01-01 00:00:00'", "'2024-01-01 10:11:12.5'", "NULL", "'2024-01-01'"],
                  ["2024-01-01 00%3A00%3A00", "2024-01-01 10%3A11%3A12.5"]),
}
NULL = "__HIVE_DEFAULT_PARTITION__"
# Literals that no value of a type comes from.
BAD = {"INT": ["'x'", "1.5", "3000000000", "''"], "BIGINT": ["'x'", "''"], "STRING": ["''"], "DATE": ["'no'", "5", "'2024-02-30'"],
       "DOUBLE": ["'x'"], "DECIMAL(6,2)": ["'x'", "12345678"], "BOOLEAN": ["'maybe'", "1"], "TIMESTAMP": ["'no'", "1"]}
COMPARISONS = ["=", "=", "=", "<", ">", "<=", ">=", "!=", "<>"]
PLACES = ["${D}/elsewhere", "${D}/t/odd", "${D}/e2/deep"]
REPAIRS = ["MSCK REPAIR TABLE t", "MSCK REPAIR TABLE t ADD PARTITIONS", "MSCK REPAIR TABLE t DROP PARTITIONS",
           "MSCK REPAIR TABLE t SYNC PARTITIONS", "ALTER TABLE t RECOVER PARTITIONS"]


class Generator:
    """The scripts of a seed and a number: each the same whatever others are made."""

    def __init__(self, seed, number):
        self.r = random.Random(f"{seed} {number}")

    def script(self):
        r = self.r
        self.form = r.choice(["csv", "json", "csv", "parquet"])
        self.keys = [(f"k{i}", r.choice(sorted(KEYS))) for i in range(r.choice([1, 1, 2, 2, 3]))]
        if r.randrange(4) == 0:
            self.keys = [(n.upper() if r.randrange(2) else n, t) for n, t in self.keys]
        self.names = ", ".join(n for n, _ in self.keys)
        self.place = "${D}/t" if r.randrange(4) else None
        self.specs, self.made = [], 0
        # What lies at the usual place of a partition that lies elsewhere: Spark's overwrite deletes it, tarn's leaves it alone.
        self.inserts = ["INTO", "INTO", "OVERWRITE"]
        # Files of text are written as they stand: of Parquet there are only those of INSERT.
        foreign = self.place and self.form != "parquet"
        out = [f"MKDIR {self.place}"] if self.place else []
        out += [self.file() for _ in range(r.randrange(5) if foreign else 0)] + [self.create()]
        steps = [self.add, self.drop, self.rename, self.repair, self.show, self.insert] * 2 + [self.add, self.truncate, self.move, self.other]
        steps += [self.ask] * 3 + [self.change] * (2 if foreign else 0)
        for _ in range(r.randrange(6, 12)):
            out += r.choice(steps)()
        return out

    def create(self):
        columns = ", ".join(f"{n} {t}" for n, t in [("v", "INT")] + self.keys)
        where = f" LOCATION '{self.place}'" if self.place else ""
        return f"CREATE TABLE t ({columns}) USING {self.form} PARTITIONED BY ({self.names}){where}"

    def literal(self, kind):
        return self.r.choice(BAD[kind] if self.r.randrange(25) == 0 else KEYS[kind][0])

    def spec(self, whole=True):
        """A specification, more often than not of values that one before it named. Some are not valid."""
        r = self.r
        if self.specs and r.randrange(5) < 3:
            values = r.choice(self.specs)
        else:
            values = {n: self.literal(t) for n, t in self.keys}
            if whole:
                self.specs.append(values)
        names = list(values)
        if not whole and r.randrange(2):
            names = r.sample(names, r.randrange(1, len(names) + 1))
        elif r.randrange(30) == 0:
            names = names[:-1] or names
        if r.randrange(8) == 0:
            r.shuffle(names)
        items = [f"{n if r.randrange(6) else n.swapcase()} = {values[n]}" for n in names]
        if r.randrange(60) == 0:
            items.append("nope = 1")
        if r.randrange(60) == 0:
            items.append(items[0])
        return f"PARTITION ({', '.join(items)})"

    def directory(self):
        r = self.r
        levels = len(self.keys) if r.randrange(5) else r.randrange(1, len(self.keys) + 1)
        return "/".join(f"{n}={r.choice(KEYS[t][1] + [NULL])}" for n, t in self.keys[:levels])

    def file(self, remove=False):
        r = self.r
        d, form = self.directory(), r.randrange(10)
        if form < 2:
            return f"MKDIR {self.place}/{d}"
        if form == 2 and remove:
            return f"RM {self.place}/{d}"
        if form == 3:
            d = r.choice([d + "/_tmp", d + "/.hidden", d.replace("=", ""), "_" + d, "junk", d.upper(), "nope=1", d + "/nope=1"])
        self.made += 1
        text = f"{self.made}\n" if self.form == "csv" else '{"v":%d}\n' % self.made
        return f"WRITE {self.place}/{d}/f{self.made}.{self.form} <<{text}"

    def change(self):
        return [self.file(True) for _ in range(self.r.randrange(1, 3))] + ["REFRESH TABLE t"]

    def add(self):
        r = self.r
        exists = " IF NOT EXISTS" if r.randrange(3) == 0 else ""
        place = self.elsewhere() if r.randrange(5) == 0 else ""
        return [f"ALTER TABLE t ADD{exists} {self.spec()}{place}"]

    def drop(self):
        r = self.r
        exists = " IF EXISTS" if r.randrange(3) == 0 else ""
        specs = ", ".join(self.spec(False) for _ in range(r.choice([1, 1, 1, 2])))
        return [f"ALTER TABLE t DROP{exists} {specs}{' PURGE' if r.randrange(6) == 0 else ''}"]

    def rename(self):
        return [f"ALTER TABLE t {self.spec()} RENAME TO {self.spec()}"]

    def move(self):
        return [f"ALTER TABLE t {self.spec()} SET{self.elsewhere()}"]

    def elsewhere(self):
        self.inserts = ["INTO"]
        return f" LOCATION '{self.r.choice(PLACES)}'"

    def repair(self):
        return [self.r.choice(REPAIRS)]

    def truncate(self):
        return ["TRUNCATE TABLE t" if self.r.randrange(3) == 0 else f"TRUNCATE TABLE t {self.spec(False)}"]

    def show(self):
        return ["SHOW PARTITIONS t" if self.r.randrange(3) == 0 else f"SHOW PARTITIONS t {self.spec(False)}"]

    def insert(self):
        r = self.r
        self.made += 1
        if r.randrange(3) == 0:
            row = ", ".join(r.choice(["NULL", f"CAST({r.choice(KEYS[t][0])} AS {t})"]) for _, t in self.keys)
            return [f"INSERT INTO t VALUES ({self.made}, {row})"]
        mode = [f"SET spark.sql.sources.partitionOverwriteMode = {r.choice(['dynamic', 'STATIC'])}"] if r.randrange(6) == 0 else []
        return mode + [f"INSERT {r.choice(self.inserts)} t {self.spec()} VALUES ({self.made})"]

    def predicate(self):
        r = self.r
        n, t = r.choice(self.keys)
        a, b = r.choice(KEYS[t][0]), r.choice(KEYS[t][0])
        return r.choice([
            f"{n} IS NULL", f"{n} IN ({a}, {b})", f"{n} <=> {a}", f"NOT ({n} = {a})", f"{n} BETWEEN {a} AND {b}",
            f"CAST({n} AS STRING) LIKE '%{r.choice('a10-')}%'", f"({n} = {a} OR v > {r.randrange(9)})",
            f"{n} {r.choice(COMPARISONS)} {a}", f"{n} {r.choice(COMPARISONS)} {b}",
        ])

    def ask(self):
        r = self.r
        n, _ = r.choice(self.keys)
        where = "WHERE " + " AND ".join(self.predicate() for _ in range(r.choice([1, 1, 2])))
        return [r.choice([
            f"SELECT {self.names}, count(*), sum(v) FROM t GROUP BY {self.names}", f"SELECT DISTINCT {self.names} FROM t",
            f"SELECT min({n}), max({n}), count({n}), count(*) FROM t", f"SELECT count(DISTINCT {n}) FROM t",
            f"SELECT v, {self.names} FROM t {where}", f"SELECT v, {self.names} FROM t {where}", f"SELECT count(*), max({n}) FROM t {where}",
            f"SELECT {n}, count(*) FROM t {where} GROUP BY {n}",
        ])]

    def other(self):
        n, _ = self.r.choice(self.keys)
        return self.r.choice([
            ["DROP TABLE t", self.create()], ["SHOW TABLES", "DESCRIBE t"], [f"DESCRIBE t {n}"], ["ALTER TABLE t ADD COLUMNS (w INT)", "SELECT * FROM t"],
            ["ALTER TABLE t RENAME TO u", "SELECT * FROM u", "SHOW PARTITIONS u", "ALTER TABLE u RENAME TO t"], ["REFRESH TABLE t"],
            [f"ALTER TABLE t RENAME COLUMN {n} TO z"], ["ANALYZE TABLE t COMPUTE STATISTICS"], ["SHOW COLUMNS IN t"],
            ["CREATE TABLE c AS SELECT * FROM t", "SELECT * FROM c", "SHOW PARTITIONS c"],
        ])
