"""Makes calls of Spark's functions with values that hurt: the examples of Spark's own descriptions, with one argument of one
replaced by a value of any type, as a constant or as a column of one row.
"""
import random
import re

import answers

VALUES = {
    "float": ["float('0.15')", "float('-214.65')", "float('NaN')", "float('-Infinity')", "float('16777217')", "float('1e-7')"],
    "double": ["4.35D", "-214.65D", "1e22D", "1e-7D", "double('NaN')", "double('-Infinity')", "-0.5D", "2.5D"],
    "decimal": ["519.85", "-214.65", "0.05", "12345678901234567890.125", "0BD", "2.50"],
    "int": ["0", "-1", "2147483647", "7", "12S"],
    "bigint": ["9223372036854775807L", "1704067200L"],
    "string": ["''", "' '", "'ÄÖ ß'", "'日本語'", "'a\\nb'", "'😀x'", "'0'", "'-1.5e3'", "'2024-02-29 12:34:56.789'", "'%_'", "'a,b'", "'{\"a\":[1,{\"b\":null}]}'"],
    "binary": ["X''", "X'00FF80'", "X'616263'"],
    "date": ["DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'1582-10-10'", "DATE'2024-02-29'"],
    "timestamp": ["TIMESTAMP'1969-12-31 23:59:59.999999'", "TIMESTAMP'0001-01-01 00:00:00'", "TIMESTAMP'2024-02-29 23:59:59.5'",
                  "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'", "TIMESTAMP_NTZ'2024-02-29 23:59:59.5'"],
    "interval": ["INTERVAL '-1-11' YEAR TO MONTH", "INTERVAL 5 YEAR", "INTERVAL '-1 02:03:04.5' DAY TO SECOND", "INTERVAL 25 HOUR"],
    "array": ["array()", "array(CAST(NULL AS INT))", "array(2, 1, NULL, 2)", "array(1.5D, double('NaN'), -0.0D)", "array('b', NULL, 'a', '')", "array(array(1), NULL)"],
    "map": ["map()", "map('a', CAST(NULL AS INT), 'b', 2)", "map(1, 'x')"],
    "struct": ["named_struct('a', 1, 'b', CAST(NULL AS STRING))"],
    "boolean": ["true", "false"],
    "null": ["NULL", "CAST(NULL AS INT)", "CAST(NULL AS STRING)"],
}
# What asks for the time, for chance or for the session, calls Java, or makes values without end.
LEFT = re.compile(r"rand.*|uuid.*|uniform|shuffle|now|current_.*|curdate|localtimestamp|user|session_user|version|sleep|input_file_.*|monotonically_.*"
                  r"|spark_partition_id|(try_)?reflect|java_method|unix_timestamp|repeat|[lr]pad|space|sequence|range|cast")
# What Spark's Python cannot give back, Java fails at without a condition of Spark's, or Spark has switched off.
UNTOLD = {"ValueError", "OverflowError", "NOT_IMPLEMENTED", "Py4JJavaError", "ArithmeticException", "IllegalArgumentException", "TypeError",
          "UNSUPPORTED_TIME_TYPE"}


def examples(spark, known):
    """The calls in the descriptions of the functions that both engines have: (function, before, arguments, after)."""
    out = []
    for name, in spark.sql("SHOW FUNCTIONS")["rows"]:
        if not re.fullmatch("[a-z_0-9]+", name) or LEFT.fullmatch(name) or name not in known:
            continue
        text = "\n".join(r[0] for r in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}")["rows"])
        counts = set()
        for m in re.finditer(r"> (SELECT.*?);\s*$", text, re.M | re.S):
            call = split(re.sub(r"\s+", " ", m[1]), name)
            if call and call[1] and len(call[1]) not in counts:
                counts.add(len(call[1]))
                out.append((name, *call))
    return out


def split(statement, name):
    """A statement around the arguments of the first call of a function, or None."""
    m = re.search(rf"\b{name}\(", statement)
    if not m:
        return None
    arguments, start, depth, quote = [], m.end(), 1, ""
    for i in range(m.end(), len(statement)):
        c = statement[i]
        if quote:
            quote = "" if c == quote and statement[i - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        if quote or depth > 1 or depth == 1 and c != ",":
            continue
        arguments.append(statement[start:i].strip())
        start = i + 1
        if depth == 0:
            return statement[:m.end()], [a for a in arguments if a], statement[i:]
    return None


def statements(seed, calls, each):
    """So many of every call, named after the function and its number of arguments: the same whatever other functions there are."""
    for function, before, arguments, after in calls:
        for k in range(each):
            name = f"{function}.{len(arguments)}.{k}"
            r, changed = random.Random(f"sweep {seed} {name}"), list(arguments)
            i, value = r.randrange(len(changed)), r.choice(VALUES[r.choice(sorted(VALUES))])
            column = r.randrange(2) and " FROM " not in after
            changed[i] = "c__" if column else value
            yield name, before + ", ".join(changed) + after + (f" FROM VALUES ({value}) AS t__(c__)" if column else "")


def differs(spark, tarn):
    """What differs. Arguments of types that do not fit are refused by both, for whichever of several reasons comes first."""
    e, f = (x.get("error", {}).get("class", "") for x in (spark, tarn))
    if e.startswith("DATATYPE_MISMATCH.") and f.startswith("DATATYPE_MISMATCH."):
        return None
    return answers.differs(spark, tarn, False)
