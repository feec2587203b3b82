"""Records what real Spark writes as CSV and JSON, for internal/format/text/testdata/written.jsonl.

    python written.py > internal/format/text/testdata/written.jsonl

Each line is one file: its format, options, time zone, columns (name, type), rows (each value as CAST AS STRING shows it) and
the bytes, one character a byte.
"""
import datetime
import glob
import json
import os
import random
import shutil
import tempfile

from pyspark.sql import SparkSession

spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
         .config("spark.sql.warehouse.dir", tempfile.mkdtemp()).getOrCreate())
spark.sparkContext.setLogLevel("ERROR")


def record(fmt, columns, rows, zone="UTC", **options):
    spark.conf.set("spark.sql.session.timeZone", zone)
    names = [f"c{i}" for i in range(len(columns))]
    df = spark.createDataFrame(rows, ", ".join(f"{n} string" for n in names)).coalesce(1)
    df = df.selectExpr(*[f"CAST({n} AS {t}) AS `{c}`" for n, (c, t) in zip(names, columns)])
    out = tempfile.mkdtemp()
    shutil.rmtree(out)
    df.write.format(fmt).options(**options).save(out)
    parts = sorted(glob.glob(out + "/part-*"))
    content = b"".join(open(p, "rb").read() for p in parts)
    shutil.rmtree(out)
    print(json.dumps({"format": fmt, "opts": options, "zone": zone, "columns": columns, "rows": rows,
                      "content": content.decode("latin-1")}, ensure_ascii=True))


random.seed(7)
odd = ["", " ", "  a  ", "\t", "a", "a,b", '"', '""', 'a"b', '"a', 'a"', '"a"', "\\", "\\\\", 'a\\"b', "\\,", "a\\,b\\", "#", "#a",
       "a#", "a\nb", "a\r\nb", "\n", "\ra", "a;b", "a;;b", ";", "\u00e9", "\u20ac", "\U0001f600", "NULL", "null", "nan", "'", "|", "a|b",
       "\u00a0x\u00a0", "\u0001", "a\u0001", "\u007f", " \"a\" ", " , ", "a ", " a", "a\n ", "\ta\t", "\u2028", "a\\", "x" * 300]
alphabet = ['"', "\\", ",", "\n", "\r", " ", "a", "b", "#", ";", "\u00e9", "!"]
odd += ["".join(random.choice(alphabet) for _ in range(random.randint(1, 7))) for _ in range(150)]
texts = [[None, None]] + [[s, t] for s, t in zip(odd, odd[1:] + odd[:1])] + [["x", None], [None, "x"]]
two = [["a", "string"], [" b,c", "string"]]
for options in [{}, {"header": "true"}, {"sep": ";"}, {"sep": ";;"}, {"sep": "\t"}, {"quote": "'"}, {"quote": ""}, {"escape": '"'},
                {"escape": "!"}, {"escape": ""}, {"quoteAll": "true", "header": "true"}, {"escapeQuotes": "false"}, {"nullValue": "NULL"},
                {"nullValue": "NULL", "quoteAll": "true"}, {"emptyValue": ""}, {"emptyValue": "E,"}, {"emptyValue": "x", "nullValue": " n "},
                {"comment": "#"}, {"charToEscapeQuoteEscaping": "!"}, {"charToEscapeQuoteEscaping": "!", "escape": '"'},
                {"lineSep": "\r\n"}, {"lineSep": "|"}, {"lineSep": "\r"}, {"encoding": "UTF-16LE"}, {"encoding": "UTF-16", "header": "true"},
                {"encoding": "ISO-8859-1"}, {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"},
                {"ignoreTrailingWhiteSpace": "false"}]:
    # Left out: ignoreLeadingWhiteSpace=false alone, where Spark writes a stray backslash for a value of blanks.
    record("csv", two, texts, **options)
record("csv", [["a", "string"]], [["x"], [""], ["y"]])
for options in [{}, {"ignoreNullFields": "false"}, {"lineSep": "||"}, {"encoding": "UTF-16"}, {"encoding": "UTF-32"}]:
    record("json", two, texts, **options)

dates = ["2024-02-29", "0001-01-01", "-0005-02-03", "1582-10-10", "9999-12-31", "+12020-01-01", "1970-01-01"]
times = ["2024-05-01 12:30:00.123456", "0001-01-01 00:00:00", "1850-06-01 01:02:03.999999", "2024-11-03 05:30:00", "9999-12-31 23:59:59.999",
         "+12020-01-01 00:00:00", "1969-12-31 23:59:59.000001", "1582-10-10 00:00:00"]
typed = [
    ["b", "boolean", ["true", "false"]],
    ["t", "tinyint", ["-128", "127"]],
    ["i", "int", ["-2147483648", "0"]],
    ["l", "bigint", ["-9223372036854775808", "9223372036854775807"]],
    ["f", "float", ["1.5", "-0.0", "NaN", "Infinity", "-Infinity", "3.4028235E38", "1.4E-45", "0.1", "1.0E10", "1.0E7", "9999999", "0.001", "9.99E-4"]],
    ["d", "double", ["1.5", "-0.0", "NaN", "Infinity", "-Infinity", "1.7976931348623157E308", "4.9E-324", "0.1", "123456789012", "1.0E7"]],
    ["p", "decimal(18,9)", ["0", "0.00000001", "-0.000000001", "123456789.123456789", "-1.5", "0.0000012", "0.00000123"]],
    ["q", "decimal(38,10)", ["0", "1234567890123456789012345678.0123456789", "-1", "0.0000000001"]],
    ["n", "decimal(10,0)", ["0", "-12345", "9999999999"]],
    ["x", "binary", ["", "abc", "\u00e9", "a,b"]],
    ["y", "date", dates],
    ["z", "timestamp", times],
    ["w", "timestamp_ntz", times],
    ["m", "interval year to month", ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-100-11' YEAR TO MONTH"]],
    ["o", "interval day to second", ["INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-1 02:03:04.000001' DAY TO SECOND"]],
    ["h", "interval hour", ["INTERVAL '3' HOUR"]],
]
height = max(len(v) for _, _, v in typed)
rows = [[v[i] if i < len(v) else None for _, _, v in typed] for i in range(height)]
columns = [[n, t] for n, t, _ in typed]
patterns = {"dateFormat": "dd.MM.yyyy, EEE", "timestampFormat": "yyyy/MM/dd HH:mm:ss.SSSSSS XXX", "timestampNTZFormat": "MMM d, yyyy 'at' h \"a\""}
for fmt in ["csv", "json"]:
    for zone in ["UTC", "America/New_York", "Asia/Kolkata"]:
        record(fmt, columns, rows, zone)
    record(fmt, columns, rows, "UTC", timeZone="Europe/Paris")
    record(fmt, columns, rows, "America/New_York", **patterns)
record("csv", columns, rows, "UTC", quoteAll="true", nullValue="-")
record("csv", columns, rows, "UTC", sep="-")
