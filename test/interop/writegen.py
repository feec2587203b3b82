"""Makes scripts of writes from a seed: a table, then INSERTs of all forms with values that hurt.

Every script has one right end: which rows an INSERT reads never depends on their order, and nothing asks for the time.
"""
import random

# Of each type: literals that a column of it takes, with what does not belong into a directory's name as it is.
VALUES = {
    "INT": ["0", "-1", "7", "2147483647", "-2147483648", "3Y", "NULL"],
    "BIGINT": ["0L", "9223372036854775807", "-5", "42", "NULL"],
    "SMALLINT": ["0S", "-32768", "12", "NULL"],
    "STRING": ["''", "'a'", "'A'", "'a/b'", "'x=y z'", "'50%'", "'05'", "'Üï'", "'日本'", "' pad '", "'q\"q'", "'it''s'", "'back\\\\slash'", "'a,b'",
               "'NULL'", "'{}'", "'a:b'", "'#1'", "'1.0'", "NULL", "'😀'", "'tab\\tx'"],
    "DATE": ["DATE'2024-02-29'", "DATE'0999-01-01'", "DATE'9999-12-31'", "DATE'1582-10-15'", "'2024-03-01'", "NULL"],
    "TIMESTAMP": ["TIMESTAMP'2024-01-01 00:00:00'", "TIMESTAMP'2024-06-30 23:59:59.5'", "TIMESTAMP'1900-01-01 01:02:03.000001'", "NULL"],
    "TIMESTAMP_NTZ": ["TIMESTAMP_NTZ'2024-01-01 00:00:00'", "TIMESTAMP_NTZ'2024-06-30 23:59:59.25'", "NULL"],
    "DECIMAL(9,3)": ["0BD", "1.5BD", "-0.001BD", "999999.999BD", "7", "NULL"],
    "DOUBLE": ["0.5D", "1", "-2.25D", "1E20D", "1E-7D", "123456.789D", "NULL"],
    "FLOAT": ["0.5F", "1.1F", "-3", "NULL"],
    "BOOLEAN": ["true", "false", "NULL"],
    "VARCHAR(6)": ["'a'", "'sixsix'", "''", "NULL"],
    "CHAR(4)": ["'a'", "'four'", "'ü'", "NULL"],
}
# What a column of each type does not take, each under ANSI store assignment.
BAD = {
    "INT": ["'x'", "3000000000L", "DATE'2024-01-01'", "array(1)"], "BIGINT": ["'7'", "1E30D", "true"], "SMALLINT": ["40000", "'a'"],
    "STRING": ["array('a')", "named_struct('a', 1)"], "DATE": ["5", "'no date'", "true"], "TIMESTAMP": ["1", "'never'"],
    "TIMESTAMP_NTZ": ["1.5", "'never'"], "DECIMAL(9,3)": ["1234567", "'x'", "1E10D"], "DOUBLE": ["'x'", "DATE'2024-01-01'"],
    "FLOAT": ["true", "'x'"], "BOOLEAN": ["1", "'x'"], "VARCHAR(6)": ["'seven77'"], "CHAR(4)": ["'five5'"],
}
FORMATS = ["parquet", "parquet", "csv", "json"]


class Generator:
    """The scripts of a seed and a number: each the same whatever others are made."""

    def __init__(self, seed, number):
        self.r = random.Random(f"{seed} {number}")

    def script(self):
        r = self.r
        form = r.choice(FORMATS)
        # A CSV row of one NULL is a ruling of its own.
        self.data = [(f"c{i}", r.choice(sorted(VALUES))) for i in range(r.randrange(1 + (form == "csv"), 4))]
        self.keys = [(f"k{i}", r.choice(sorted(VALUES))) for i in range(r.choice([0, 1, 1, 2, 2, 3]))]
        columns = ", ".join(f"{n} {t}" for n, t in self.data + self.keys)
        by = f" PARTITIONED BY ({', '.join(n for n, _ in self.keys)})" if self.keys else ""
        where = " LOCATION '${D}/t'" if r.randrange(2) else ""
        out = [f"CREATE TABLE t ({columns}) USING {form}{by}{where}", self.insert("INTO", rows=4)]
        for _ in range(r.randrange(3, 6)):
            if self.keys and r.randrange(4) == 0:
                out.append(f"SET spark.sql.sources.partitionOverwriteMode = {r.choice(['dynamic', 'STATIC'])}")
            out.append(self.insert(r.choice(["INTO", "INTO", "OVERWRITE"])))
        return out

    def value(self, kind):
        return self.r.choice(VALUES[kind])

    def insert(self, how, rows=None):
        r = self.r
        static, clause = self.clause()
        columns = self.data + [k for k in self.keys if k[0] not in static]
        listed, form = "", r.randrange(10)
        if form == 0:
            kept = [c for c in columns if c[0][0] == "k" or r.randrange(3)]
            columns = kept if len(kept) > 1 else columns
            r.shuffle(columns)
            listed = f" ({', '.join(n for n, _ in columns)})"
        by_name = form == 1
        if by_name:
            r.shuffle(columns)
            listed = " BY NAME"
        # A row that does not fit fails the statement: one of ten has one.
        # What no rows into one partition leave behind is in writes.sql, with its rulings.
        count = rows or max(r.choice([0, 1, 1, 2, 3, 5]), int(0 < len(self.keys) == len(static)))
        lines = [[self.value(t) for _, t in columns] for _ in range(count)]
        if lines and r.randrange(10) == 0:
            i = r.randrange(len(columns))
            r.choice(lines)[i] = r.choice(BAD[columns[i][1]])
        return f"INSERT {how} t{clause}{listed} {self.query(columns, lines, by_name)}"

    def clause(self):
        r = self.r
        if not self.keys or r.randrange(3) == 0:
            return {}, ""
        static = {n for n, _ in self.keys[:r.randrange(len(self.keys) + 1)]}
        # The empty text is no value of a key, and a key's value is cast, not assigned.
        texts = {n: self.r.choice([v for v in VALUES[t] if v != "''"]) for n, t in self.keys}
        items = [f"{n} = {texts[n]}" if n in static else n for n, _ in self.keys]
        return static, f" PARTITION ({', '.join(items)})"

    def query(self, columns, lines, by_name):
        names = ", ".join(n for n, _ in columns)
        typed = ", ".join(f"CAST(NULL AS {t}) AS {n}" for n, t in columns)
        if not lines:
            return f"SELECT {typed} WHERE false"
        values = ", ".join("(" + ", ".join(row) + ")" for row in lines)
        if not by_name and self.r.randrange(2):
            return f"VALUES {values}"
        if len(lines) == 1:
            return "SELECT " + ", ".join(f"{v} AS {n}" for v, (n, _) in zip(lines[0], columns))
        # Rows of one type each: a union of rows would find a common type of its own.
        return f"SELECT {names} FROM VALUES {values} AS v({names})"
