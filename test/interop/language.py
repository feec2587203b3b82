"""Makes SELECT statements over the whole of the language from a seed: lambdas, generators, sub-queries anywhere, windows
with frames, grouping sets, pivots, dates, decimals and casts. generator.py has the plain ones.

Every statement has one right answer, whatever order rows are read in: arrays that an aggregate collects are sorted, windows
that depend on the order have a key without ties, and a LIMIT comes with an ORDER BY over every column.
"""
import random

TABLES = {
    "events": {"int": ["hour", "small", "id"], "string": ["who", "place.city"], "decimal": ["amount"], "double": ["score", "ratio"], "date": ["dt", "day"],
               "timestamp": ["ts"], "boolean": ["flag"], "array": ["tags"], "map": ["attrs"]},
    "sales": {"int": ["sku", "qty"], "string": ["region", "note"], "decimal": ["price"], "date": ["sold"], "array": ["split(note, ' ')"],
              "double": ["CAST(price AS DOUBLE)"], "timestamp": ["CAST(sold AS TIMESTAMP)"], "boolean": ["qty > 20"], "map": ["map(coalesce(region, note, 'no'), qty)"]},
    "logs": {"int": ["code", "payload.n"], "string": ["level", "payload.op"], "double": ["took", "load"], "timestamp": ["at"], "array": ["payload.xs"],
             "decimal": ["CAST(load AS DECIMAL(20,4))"], "date": ["CAST(at AS DATE)"], "boolean": ["code = 1"], "map": ["map('n', code)"]},
}
# A key without ties for each table, for orders that must be whole.
WHOLE = {"events": "id", "sales": "sku, qty, note, sold, price, region", "logs": "at, load, level, code, took, payload.op, payload.n"}

# {0} an expression of the kind, {i} an INT, {d} a DATE, {t} a TIMESTAMP, {s} a STRING; then the kind of the result.
FORMS = {
    "int": [("{0} + 1", "int"), ("{0} div 3", "int"), ("abs({0})", "int"), ("CAST({0} AS DECIMAL(12,3))", "decimal"), ("CAST({0} AS STRING)", "string"),
            ("{0} % 4", "int"), ("pmod({0}, 7)", "int"), ("nullif({0}, 7)", "int"), ("bin({0})", "string"), ("hex({0})", "string"), ("{0} / 4", "double"),
            ("CASE {0} WHEN 7 THEN 'seven' WHEN 23 THEN 'late' ELSE 'other' END", "string"), ("sequence(0, pmod({0}, 4))", "array"), ("{0} & 6", "int"),
            ("shiftleft({0}, 2)", "int"), ("sign({0})", "double"), ("greatest({0}, 3, NULL)", "int"), ("try_divide({0}, pmod({0}, 3))", "double"),
            ("chr(65 + pmod({0}, 26))", "string"), ("make_date(2024, 1 + pmod({0}, 12), 1)", "date"), ("conv({0}, 10, 16)", "string"), ("CAST({0} AS DOUBLE)", "double"),
            ("try_cast({0} AS TINYINT)", "int"), ("CAST({0} AS BOOLEAN)", "boolean"), ("factorial(pmod({0}, 9))", "int"), ("bit_count({0})", "int")],
    "string": [("upper({0})", "string"), ("length({0})", "int"), ("substring({0}, 2, 3)", "string"), ("concat_ws('-', {0}, 'x')", "string"), ("split({0}, ' ')", "array"),
               ("regexp_replace({0}, '[aeiou]', '_')", "string"), ("translate({0}, 'ae', '41')", "string"), ("lpad({0}, 6, '*')", "string"), ("md5({0})", "string"),
               ("{0} LIKE '%e%'", "boolean"), ("{0} RLIKE '^[a-z]+$'", "boolean"), ("try_cast({0} AS INT)", "int"), ("base64({0})", "string"), ("soundex({0})", "string"),
               ("coalesce({0}, 'none')", "string"), ("ascii({0})", "int"), ("locate('a', {0})", "int"), ("repeat({0}, 2)", "string"), ("initcap({0})", "string"),
               ("crc32({0})", "int"), ("levenshtein({0}, 'eu')", "int"), ("substring_index({0}, '/', 1)", "string"), ("regexp_extract({0}, '([a-z])(.)', 2)", "string"),
               ("hash({0})", "int"), ("xxhash64({0})", "int"), ("overlay({0} PLACING '__' FROM 2)", "string"), ("trim(BOTH 'e' FROM {0})", "string"), ("find_in_set({0}, 'eu,us,')", "int"),
               ("{0} IN ('eu', 'ann', NULL)", "boolean"), ("startswith({0}, 'e')", "boolean"), ("luhn_check({0})", "boolean"), ("octet_length({0})", "int"), ("left({0}, 2)", "string"),
               ("to_json(named_struct('k', {0}))", "string"), ("get_json_object(concat('{{\"a\":\"', {0}, '\"}}'), '$.a')", "string"), ("{0} ILIKE ANY ('%A%', 'E_')", "boolean")],
    "decimal": [("{0} + 1", "decimal"), ("{0} * 1.25", "decimal"), ("{0} / 3", "decimal"), ("round({0}, 1)", "decimal"), ("bround({0})", "decimal"), ("CAST({0} AS INT)", "int"),
                ("floor({0})", "decimal"), ("ceil({0})", "decimal"), ("CAST({0} AS STRING)", "string"), ("-{0}", "decimal"), ("{0} % 0.7", "decimal"), ("CAST({0} AS DECIMAL(20,5))", "decimal"),
                ("{0} > 1.5", "boolean"), ("CAST({0} AS DOUBLE)", "double"), ("try_cast({0} AS DECIMAL(3,1))", "decimal"), ("abs({0}) + {0}", "decimal"), ("{0} - {i}", "decimal"),
                ("{0} * {0}", "decimal"), ("format_number({0}, 1)", "string"), ("width_bucket({0}, -10, 10, 4)", "int")],
    "double": [("{0} * 2", "double"), ("round({0}, 2)", "double"), ("coalesce({0}, 0D)", "double"), ("nanvl({0}, 1D)", "double"), ("isnan({0})", "boolean"), ("{0} > 0", "boolean"),
               ("CAST({0} AS STRING)", "string"), ("try_cast({0} AS INT)", "int"), ("floor({0} % 100)", "double"), ("sqrt(abs({0}))", "double"), ("signum({0})", "double"), ("-{0}", "double"),
               ("CAST({0} AS FLOAT)", "double")],
    "date": [("date_add({0}, 30)", "date"), ("add_months({0}, 1)", "date"), ("last_day({0})", "date"), ("next_day({0}, 'MON')", "date"), ("datediff({0}, DATE'2024-01-01')", "int"),
             ("date_format({0}, 'EEE d MMM yyyy')", "string"), ("extract(WEEK FROM {0})", "int"), ("weekday({0})", "int"), ("dayofyear({0})", "int"), ("trunc({0}, 'QUARTER')", "date"),
             ("{0} + INTERVAL '1' MONTH", "date"), ("{0} - DATE'2023-12-25' > INTERVAL '10' DAY", "boolean"), ("months_between({0}, DATE'2023-11-30')", "double"), ("CAST({0} AS TIMESTAMP)", "timestamp"),
             ("CAST({0} AS STRING)", "string"), ("unix_date({0})", "int"), ("date_part('quarter', {0})", "int"), ("{0} BETWEEN '2024-01-01' AND '2024-12-31'", "boolean"), ("dayname({0})", "string")],
    "timestamp": [("date_trunc('HOUR', {0})", "timestamp"), ("{0} + INTERVAL '1 02:03' DAY TO MINUTE", "timestamp"), ("date_format({0}, 'yyyy-MM-dd HH:mm:ss.SSS')", "string"), ("unix_timestamp({0})", "int"),
                  ("CAST({0} AS DATE)", "date"), ("from_utc_timestamp({0}, 'Europe/Oslo')", "timestamp"), ("extract(SECOND FROM {0})", "decimal"), ("timestampadd(MONTH, 1, {0})", "timestamp"),
                  ("timestampdiff(DAY, TIMESTAMP'2024-01-01 00:00:00', {0})", "int"), ("hour({0})", "int"), ("CAST({0} AS BIGINT)", "int"), ("to_date({0})", "date"), ("{0} > DATE'2024-06-01'", "boolean"),
                  ("unix_micros({0})", "int"), ("to_char({0}, 'yyyy')", "string")],
    "boolean": [("NOT {0}", "boolean"), ("if({0}, 1, 0)", "int"), ("CAST({0} AS STRING)", "string"), ("{0} IS NOT TRUE", "boolean"), ("coalesce({0}, false) OR {i} > 3", "boolean")],
    "array": [("size({0})", "int"), ("transform({0}, x -> concat(x, '!'))", "array"), ("filter({0}, x -> x IS NOT NULL)", "array"), ("exists({0}, x -> x IS NULL)", "boolean"),
              ("aggregate({0}, '', (acc, x) -> concat(acc, coalesce(CAST(x AS STRING), '.')))", "string"), ("array_sort({0})", "array"), ("array_distinct({0})", "array"), ("array_join({0}, ',', '?')", "string"),
              ("element_at({0}, 1)", "any"), ("try_element_at({0}, 3)", "any"), ("reverse({0})", "array"), ("array_position({0}, {0}[0])", "int"), ("slice({0}, 1, 2)", "array"), ("forall({0}, x -> x > 'a')", "boolean"),
              ("transform({0}, (x, i) -> i)", "array"), ("zip_with({0}, reverse({0}), (a, b) -> coalesce(a, b))", "array"), ("arrays_zip({0}, {0})", "any"), ("array_max({0})", "any"), ("to_json({0})", "string"),
              ("array_union({0}, array_compact({0}))", "array"), ("sort_array({0}, false)", "array"), ("array_contains({0}, 'x')", "boolean"), ("cardinality({0})", "int"), ("array_repeat({0}[0], 2)", "array")],
    "map": [("size({0})", "int"), ("map_keys({0})", "array"), ("map_values({0})", "any"), ("{0}['k']", "int"), ("map_filter({0}, (k, v) -> v > 2)", "map"), ("transform_values({0}, (k, v) -> coalesce(v, 0) + 1)", "map"),
            ("transform_keys({0}, (k, v) -> upper(k))", "map"), ("map_contains_key({0}, 'l')", "boolean"), ("element_at({0}, 'm')", "int"), ("array_sort(map_keys({0}))", "array")],
    "any": [("{0} IS NULL", "boolean")],
}
AGGREGATES = {
    "int": ["sum({})", "avg({})", "min({})", "max({})", "count(DISTINCT {})", "bit_or({})", "median({})", "percentile({}, 0.25)", "mode({}, true)", "sum(DISTINCT {})", "array_sort(collect_set({}))"],
    "string": ["min({})", "max({})", "count({})", "count(DISTINCT {})", "array_sort(collect_list({}))", "array_join(array_sort(collect_set({})), '|')", "approx_count_distinct({})"],
    "decimal": ["sum({})", "avg({})", "max({})", "min({})", "try_sum({})"],
    "double": ["count({})", "max({})", "min({})"],
    "date": ["min({})", "max({})", "count(DISTINCT {})", "array_sort(collect_set({}))"],
    "timestamp": ["min({})", "max({})", "count({})"],
    "boolean": ["bool_and({})", "bool_or({})", "count_if({})", "every({})", "some({})"],
}
PLAIN = ("int", "string", "decimal", "double", "date", "timestamp", "boolean")


class Language:
    def __init__(self, seed):
        self.r = random.Random(seed * 31 + 7)

    def statement(self):
        return self.r.choice([self.computed, self.computed, self.collections, self.collections, self.windows, self.subqueries, self.subqueries, self.generators, self.pivots,
                              self.sets, self.grouping, self.ctes])()

    def table(self):
        return self.r.choice(sorted(TABLES))

    def column(self, t, kind, prefix=""):
        name = self.r.choice(TABLES[t][kind])
        return prefix + name if prefix and name.replace(".", "").isidentifier() else name

    def value(self, t, kind, depth=2):
        """An expression that starts from a column of the kind, and the kind that it has in the end."""
        text = self.column(t, kind)
        for _ in range(depth):
            form, after = self.r.choice(FORMS[kind])
            text = form.format(f"({text})" if " " in text and form[0] in "{-N" else text, i=self.column(t, "int"))
            kind = after
            if kind == "any":
                break
        return text, kind

    def of(self, t, kinds, depth=2):
        """An expression whose kind is one of these."""
        for _ in range(50):
            text, kind = self.value(t, self.r.choice(sorted(TABLES[t])), self.r.randrange(depth + 1))
            if kind in kinds:
                return text, kind
        return self.column(t, kinds[0]), kinds[0]

    def condition(self, t):
        r = self.r
        text, kind = self.of(t, ("int", "string", "date", "boolean", "decimal"), 1)
        if kind == "boolean":
            return text
        literal = {"int": ["3", "7", "0"], "string": ["'eu'", "'info'", "'ann'"], "date": ["DATE'2024-01-31'", "'2024-02-01'"], "decimal": ["1.5", "-2"]}[kind]
        return r.choice([f"{text} {r.choice(['>', '<=', '<>', '<=>'])} {r.choice(literal)}", f"{text} IS NOT NULL", f"{text} IN ({', '.join(literal[:2])})"])

    def where(self, t):
        return f" WHERE {self.condition(t)}" if self.r.randrange(2) else ""

    def computed(self):
        t = self.table()
        items = [f"{self.value(t, self.r.choice(PLAIN), 3)[0]} AS c{i}" for i in range(self.r.randrange(1, 4))]
        return f"SELECT {', '.join(items)} FROM {t}{self.where(t)}"

    def collections(self):
        t = self.table()
        items = [f"{self.value(t, self.r.choice(['array', 'map', 'array']), 2)[0]} AS c{i}" for i in range(self.r.randrange(1, 3))]
        return f"SELECT {', '.join(items)} FROM {t}{self.where(t)}"

    def aggregate(self, t):
        text, kind = self.of(t, PLAIN, 1)
        out = self.r.choice(AGGREGATES[kind]).format(text)
        if self.r.randrange(4) == 0 and "array" not in out:
            out += f" FILTER (WHERE {self.condition(t)})"
        return out

    def windows(self):
        r, t = self.r, self.table()
        part = self.of(t, ("int", "string", "date"), 1)[0]
        whole = WHOLE[t]
        text, kind = self.of(t, ("int", "decimal", "string", "date"), 1)
        frame = r.choice(["", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"])
        free = ["row_number()", "rank()", "dense_rank()", "ntile(3)", f"lag({text})", f"lead({text}, 2)", f"lag({text}) IGNORE NULLS", "percent_rank()", "cume_dist()"]
        framed = [f"max({text})", f"count({text})", f"first_value({text})", f"last_value({text}) IGNORE NULLS", f"nth_value({text}, 2)", f"min({text})"]
        if kind in ("int", "decimal"):
            framed += [f"sum({text})", f"avg({text})"]
        calls = [f"{r.choice(free)} OVER (PARTITION BY {part} ORDER BY {whole})", f"{r.choice(framed)} OVER (PARTITION BY {part} ORDER BY {whole}{frame})"]
        if r.randrange(3) == 0:
            return f"SELECT {part} AS k, {text} AS v FROM {t} QUALIFY row_number() OVER (PARTITION BY {part} ORDER BY {whole}) <= 2"
        if r.randrange(3) == 0:
            return f"SELECT {part} AS k, {r.choice(framed)} OVER w AS a, {r.choice(free)} OVER w AS b FROM {t} WINDOW w AS (PARTITION BY {part} ORDER BY {whole})"
        return f"SELECT {part} AS k, {', '.join(calls)} FROM {t}{self.where(t)}"

    def subqueries(self):
        r, t, u = self.r, self.table(), self.table()
        kind = r.choice([k for k in ("int", "string", "date", "decimal") if k in TABLES[t] and k in TABLES[u]])
        a, b, n = self.column(t, kind, "o."), self.column(u, kind, "i."), self.column(u, "int", "i.")
        v, kind_of = self.of(t, ("int", "string", "date"), 1)
        return r.choice([
            f"SELECT {v} AS v, (SELECT count(*) FROM {u} i WHERE {b} = {a}) AS n FROM {t} o",
            f"SELECT {v} AS v, (SELECT max({n}) FROM {u} i WHERE {b} = {a} AND {n} < 20) AS m FROM {t} o{self.where(t)}",
            f"SELECT {v} AS v FROM {t} o WHERE EXISTS (SELECT 1 FROM {u} i WHERE {b} = {a} AND {n} > 1)",
            f"SELECT {v} AS v FROM {t} o WHERE NOT EXISTS (SELECT {b} FROM {u} i WHERE {b} = {a}) OR {a} IS NULL",
            f"SELECT count(*) FROM {t} o WHERE {a} {r.choice(['IN', 'NOT IN'])} (SELECT {b} FROM {u} i WHERE {b} IS NOT NULL)",
            f"SELECT {v} AS v, q.n FROM {t} o, LATERAL (SELECT count(*) AS n FROM {u} i WHERE {b} = {a}) q",
            f"SELECT {v} AS v, q.m FROM {t} o LEFT JOIN LATERAL (SELECT max({n}) AS m FROM {u} i WHERE {b} = {a}) q",
            f"SELECT k, sum(c) AS s FROM (SELECT {a} AS k, count(*) AS c FROM {t} o GROUP BY {a}) GROUP BY k HAVING sum(c) >= (SELECT min({n}) FROM {u} i)",
            f"SELECT {v} AS v, {a} = ANY_VALUE_OF.k AS same FROM {t} o CROSS JOIN (SELECT max({b}) AS k FROM {u} i) ANY_VALUE_OF",
        ])

    def generators(self):
        r, t = self.r, self.table()
        a, _ = self.of(t, ("array",), 1)
        m = self.column(t, "map")
        v, _ = self.of(t, ("int", "string"), 1)
        return r.choice([
            f"SELECT {v} AS v, explode({a}) AS e FROM {t}", f"SELECT {v} AS v, posexplode_outer({a}) FROM {t}", f"SELECT e, count(*) FROM {t} LATERAL VIEW explode({a}) x AS e GROUP BY e",
            f"SELECT {v} AS v, p, e FROM {t} LATERAL VIEW OUTER posexplode({a}) x AS p, e", f"SELECT {v} AS v, k, w FROM {t} LATERAL VIEW explode({m}) x AS k, w WHERE w IS NOT NULL",
            f"SELECT {v} AS v, explode({m}) AS (k, w) FROM {t}{self.where(t)}", f"SELECT stack(2, {v}, 'a', {v}, 'b') AS (x, y) FROM {t}", f"SELECT inline(array(struct({v} AS a, 1 AS b), struct({v}, 2))) FROM {t}",
            f"SELECT {v} AS v, e FROM {t}, LATERAL explode({a}) AS q(e)", f"SELECT x.id, {v} AS v FROM {t} JOIN range(3) x ON x.id = pmod({self.column(t, 'int')}, 5)",
        ])

    def pivots(self):
        r = self.r
        return r.choice([
            f"SELECT * FROM (SELECT hour, flag, {r.choice(['amount', 'small', 'id'])} AS v FROM events) PIVOT ({r.choice(['sum', 'max', 'count'])}(v) FOR hour IN (0, 7, 23 AS late))",
            f"SELECT * FROM (SELECT region, sku % 3 AS k, qty FROM sales) PIVOT (count(qty) AS n, max(qty) AS m FOR region IN ('eu', 'us', 'a/b' AS ab))",
            "SELECT * FROM (SELECT level, code, took FROM logs) PIVOT (max(took) FOR (level, code) IN (('info', 1) AS i1, ('warn', 2) AS w2))",
            f"SELECT * FROM (SELECT id, small, hour FROM events) UNPIVOT {r.choice(['', 'INCLUDE NULLS '])}(v FOR k IN (small, hour AS h))",
            "SELECT * FROM (SELECT sku, qty, CAST(price AS INT) AS p FROM sales) UNPIVOT ((v, w) FOR k IN ((sku, qty) AS a, (p, qty) AS b))",
        ])

    def sets(self):
        r, t, u = self.r, self.table(), self.table()
        kind = r.choice([k for k in ("int", "string", "date", "decimal") if k in TABLES[t] and k in TABLES[u]])
        other = r.choice([kind, kind, "decimal" if kind == "int" else kind])
        sides = [f"SELECT {self.column(x, k)} AS k, {self.condition(x)} AS b FROM {x}{self.where(x)}" for x, k in ((t, kind), (u, other), (t, kind))]
        ops = [r.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "MINUS", "EXCEPT ALL", "INTERSECT ALL", "UNION DISTINCT"]) for _ in range(2)]
        if r.randrange(2):
            return f"{sides[0]} {ops[0]} {sides[1]}"
        return f"({sides[0]} {ops[0]} {sides[1]}) {ops[1]} {sides[2]} ORDER BY 1 DESC NULLS LAST, 2"

    def grouping(self):
        r, t = self.r, self.table()
        a, b = self.of(t, ("int", "string", "date"), 1)[0], self.of(t, ("int", "string", "boolean"), 1)[0]
        agg = f"{self.aggregate(t)} AS x, {self.aggregate(t)} AS y"
        return r.choice([
            f"SELECT {a} AS a, {b} AS b, grouping_id() AS g, {agg} FROM {t} GROUP BY ROLLUP ({a}, {b})",
            f"SELECT {a} AS a, {b} AS b, grouping({a}) AS g, {agg} FROM {t} GROUP BY GROUPING SETS (({a}, {b}), ({b}), ())",
            f"SELECT {a} AS a, {agg} FROM {t}{self.where(t)} GROUP BY ALL", f"SELECT {a} AS a, {b} AS b, {agg} FROM {t} GROUP BY a, b HAVING x IS NOT NULL",
            f"SELECT {a} AS a, {agg} FROM {t} GROUP BY CUBE ({a}) ORDER BY 1 NULLS LAST, 2, 3", f"SELECT {agg} FROM {t}{self.where(t)}",
            f"SELECT max(x) AS m, count(*) AS n FROM (SELECT {b} AS b, {self.aggregate(t)} AS x FROM {t} GROUP BY 1)",
        ])

    def ctes(self):
        r, t, u = self.r, self.table(), self.table()
        a, x = self.of(t, ("int", "string"), 1)
        b = self.column(u, x)
        return r.choice([
            f"WITH q AS (SELECT {a} AS k, count(*) AS n FROM {t} GROUP BY 1), w AS (SELECT k, n, rank() OVER (ORDER BY n DESC, k) AS p FROM q) SELECT * FROM w WHERE p <= 3 ORDER BY p, k",
            f"WITH q(k) AS (SELECT DISTINCT {a} FROM {t}) SELECT q.k, count({b}) AS n FROM q LEFT JOIN {u} ON q.k = {b} GROUP BY q.k",
            f"WITH q AS (SELECT {a} AS k FROM {t}) SELECT l.k, count(*) AS n FROM q l JOIN q r USING (k) GROUP BY l.k ORDER BY ALL",
            f"WITH q AS (SELECT {a} AS k FROM {t}) SELECT * EXCEPT (n) FROM (SELECT k, count(*) AS n FROM q GROUP BY k HAVING n > 1)",
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, count({b}) AS c FROM n LEFT JOIN {u} ON i = pmod(length(CAST({b} AS STRING)), 5) GROUP BY i",
        ])
