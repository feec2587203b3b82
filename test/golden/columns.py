"""Moves the literals of a SELECT without FROM into the columns of a one-row table.

What holds for literals must hold for columns, or only constant folding was tested. SELECT f('a', 1 + 2) becomes
SELECT f(c1, c2 + c3) FROM VALUES ('a', 1, 2) AS moved(c1, c2, c3).
"""
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<string>(?:[rRxX])?'(?:[^'\\]|\\.|'')*'|[rRxX]?"(?:[^"\\]|\\.)*")
  | (?P<name>`(?:[^`]|``)*`|[^\W\d]\w*)
  | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:BD|[YSLFD])?)
  | (?P<other>->|=>|\|\||<=>|<>|!=|<=|>=|==|::|>>>|>>|<<|.)
""", re.X | re.S | re.I)
TYPED = {"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME"}
SIZED = {"DECIMAL", "DEC", "NUMERIC", "CHAR", "CHARACTER", "VARCHAR", "TIME"}
UNIT = re.compile(r"(?i)(year|quarter|month|week|day|hour|minute|second|millisecond|microsecond|nanosecond)s?")
HAS_FROM = {"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION"}
# Words that end the SELECT list, or bring a sub-query or a row of their own.
CLAUSES = {"SELECT", "WHERE", "ORDER", "GROUP", "HAVING", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "LATERAL", "WINDOW", "OVER", "VALUES", "QUALIFY", "TABLE"}
# Names that come from the expression itself (struct(1) has a field col1), so that a column changes the type.
NAMES = {"STRUCT"}
CONSTANT_AFTER = {"ESCAPE", "COLLATE", "TABLESAMPLE"}
# Arguments that Spark takes as constants only, by position.
CONSTANT = {
    "FROM_JSON": {1, 2}, "FROM_CSV": {1, 2}, "SCHEMA_OF_JSON": {0, 1}, "SCHEMA_OF_CSV": {0, 1}, "TO_JSON": {1}, "TO_CSV": {1},
    "TO_NUMBER": {1}, "TRY_TO_NUMBER": {1}, "TO_CHAR": {1}, "TO_VARCHAR": {1}, "TO_BINARY": {1}, "TRY_TO_BINARY": {1},
    "ROUND": {1}, "BROUND": {1}, "CEIL": {1}, "CEILING": {1}, "FLOOR": {1}, "DATE_PART": {0}, "DATEPART": {0}, "COLLATE": {1},
    "PERCENTILE": {1, 2}, "PERCENTILE_APPROX": {1, 2}, "APPROX_PERCENTILE": {1, 2}, "PERCENTILE_CONT": {0}, "PERCENTILE_DISC": {0},
    "MASK": {1, 2, 3, 4}, "NAMED_STRUCT": set(range(0, 40, 2)), "APPROX_COUNT_DISTINCT": {1}, "FIRST": {1}, "LAST": {1}, "ANY_VALUE": {1},
    "FIRST_VALUE": {1}, "LAST_VALUE": {1}, "STR_TO_MAP": {1, 2}, "STRING_AGG": {1}, "LISTAGG": {1}, "WINDOW": {1, 2, 3}, "SENTENCES": {1, 2},
    "RAND": {0}, "RANDN": {0}, "RANDSTR": {0, 1}, "UNIFORM": {0, 1, 2}, "MAX_BY": {2}, "MIN_BY": {2}, "HISTOGRAM_NUMERIC": {1},
}
TYPE_BEFORE = {"AS", "<", ":"}


def moved(sql):
    """The statement with its literals in columns, or None where it is not of that form or has none."""
    sql = sql.strip().rstrip(";")
    tokens = [(m.lastgroup, m.group()) for m in TOKEN.finditer(sql)]
    solid = [i for i, (kind, _) in enumerate(tokens) if kind != "space"]
    words = [tokens[i][1].upper() for i in solid]
    if not words or words[0] != "SELECT" or CLAUSES & set(words[1:]) or NAMES & set(words):
        return None
    values, out, opened, k = [], {}, [], 0
    while k < len(solid):
        kind, text = tokens[solid[k]]
        word = text.upper()
        if word in ("(", "["):
            opened.append([words[k - 1], 0, words[k - 2]])
        elif word == "," and opened:
            opened[-1][1] += 1
        elif word in (")", "]"):
            if not opened:
                return None
            opened.pop()
        elif word == "FROM" and (not opened or opened[-1][0] not in HAS_FROM):
            return None
        n = literal(tokens, solid, words, k)
        if n and not (opened and constant(*opened[-1])) and words[k - 1] not in CONSTANT_AFTER:
            first, last = solid[k], solid[k + n - 1]
            values.append("".join(t for _, t in tokens[first:last + 1]))
            out[first] = f"c{len(values)}"
            out.update(dict.fromkeys(range(first + 1, last + 1), ""))
            k += n
            continue
        k += max(n, 1)
    if not values or opened:
        return None
    text = "".join(out.get(i, t) for i, (_, t) in enumerate(tokens))
    return f"{text} FROM VALUES ({', '.join(values)}) AS moved({', '.join(f'c{i + 1}' for i in range(len(values)))})"


def constant(name, argument, before):
    """Whether what stands in these parentheses is no value: a type's size, or an argument that must be constant."""
    return argument in CONSTANT.get(name, ()) or name in SIZED and before in TYPE_BEFORE


def literal(tokens, solid, words, k):
    """How many tokens from the k-th on are one literal."""
    kind, _ = tokens[solid[k]]

    def at(i):
        return tokens[solid[k + i]][0] if k + i < len(solid) else None

    if kind == "string":
        n = 1
        while at(n) == "string":
            n += 1
        return n
    if kind == "number":
        return 1
    if words[k] in ("TRUE", "FALSE") and words[k - 1] not in ("IS", "NOT"):
        return 1
    if words[k] in ("-", "+") and at(1) == "number" and unary(tokens, solid, words, k):
        return 2
    if words[k] in TYPED and at(1) == "string":
        return 2
    if words[k] == "INTERVAL":
        return interval(solid, words, k, at)
    return 0


def interval(solid, words, k, at):
    n = 1
    if k + n < len(solid) and words[k + n] in ("-", "+"):
        n += 1
    if at(n) not in ("string", "number"):
        return 0
    n += 1
    while k + n < len(solid) and UNIT.fullmatch(words[k + n]):
        n += 1
        if k + n + 1 < len(solid) and words[k + n] == "TO":
            n += 2
        if at(n) == "number" or at(n) == "string":
            n += 1
    return n


def unary(tokens, solid, words, k):
    """Whether the sign at k begins an operand."""
    kind, before = tokens[solid[k - 1]][0], words[k - 1]
    if kind == "name":
        return before in ("SELECT", "THEN", "ELSE", "WHEN", "AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "CASE", "DIV", "FROM", "FOR")
    return kind == "other" and before not in (")", "]")
