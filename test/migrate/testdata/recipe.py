"""The script with which people bring Delta tables from the DBFS into a Unity-style catalog, by way of shallow clones.

It runs over the command line: tarn sql in place of a notebook's spark.sql. Arguments: the binary, its home, the schema, the catalog
that the tables go to. Prints a line for each table: its name and the status code of SYNC.
"""

import json
import re
import subprocess
import sys

binary, home, schema, catalog = sys.argv[1:5]


def sql(statement):
    run = subprocess.run([binary, "sql", "--home", home, "--format", "json", "-e", statement], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{statement}\n{run.stdout}{run.stderr}")
    answer = json.loads(run.stdout)
    names = [c["name"] for c in answer.get("columns") or []]
    return [dict(zip(names, row)) for row in answer.get("rows") or []]


def line(information, name):
    found = re.search(f"{name}: (.*)", information)
    return found.group(1) if found else ""


sql(f"CREATE DATABASE IF NOT EXISTS hive_metastore.{schema}_shallow_clone")
for row in sql(f"SHOW TABLES IN hive_metastore.{schema}"):
    table = row["tableName"]
    information = sql(f"SHOW TABLE EXTENDED IN hive_metastore.{schema} LIKE '{table}'")[0]["information"]
    full = ".".join(line(information, part) for part in ("Catalog", "Database", "Table"))
    if full != f"hive_metastore.{schema}.{table}":
        sys.exit(f"{table} is described as {information}")
    if line(information, "Provider").lower() != "delta" or line(information, "Type").lower() not in ("managed", "external"):
        continue
    if not line(information, "Location").startswith("dbfs"):
        continue
    clone = f"hive_metastore.{schema}_shallow_clone.{table}"
    sql(f"CREATE OR REPLACE TABLE {clone} SHALLOW CLONE {full} LOCATION '/mnt/lake/{schema}/clones/{table}'")
    for answer in sql(f"SYNC TABLE {catalog}.{schema}.{table} FROM {clone}"):
        print(table, answer["status_code"], answer["description"], sep="\t")
