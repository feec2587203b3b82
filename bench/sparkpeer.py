"""A4, C3, D3: real Spark on two threads with a Hive metastore in Derby. It runs last: a JVM disturbs its neighbours."""
import os
import time

import programs
from measure import Sample
from repair import added


def session(b, name="spark", more=None):
    from pyspark.sql import SparkSession
    base = os.path.join(b.dir, name)
    builder = (SparkSession.builder.master("local[2]").appName("bench")
             .config("spark.sql.warehouse.dir", f"{base}/wh").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "2")
             .config("spark.hadoop.javax.jdo.option.ConnectionURL", f"jdbc:derby:;databaseName={base}/metastore;create=true")
             .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={base}")
             .enableHiveSupport())
    for key, value in (more or {}).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def compare(b, made, table):
    if not any(b.wants(x) for x in ("A4", "C3", "D3")):
        return
    spark = session(b)
    for tree in made:
        rounds = b.results.rounds + 1
        names = [f"s{tree.n}_{i}" for i in range(rounds)]
        shell = programs.Shell(b.bin, b.home(f"spark{tree.n}"))
        for x in names:
            shell.rows(f"CREATE TABLE hive_metastore.default.{x} {table} '{tree.root}'")
        ours, theirs, done = iter(names), iter(names), []

        def sync(shell=shell, ours=ours):
            return shell.query(f"MSCK REPAIR TABLE hive_metastore.default.{next(ours)} SYNC PARTITIONS", added)()

        def msck(tree=tree, theirs=theirs, done=done):
            name = next(theirs)
            spark.sql(f"CREATE TABLE {name} {table} '{tree.root}'")
            start = time.perf_counter()
            spark.sql(f"MSCK REPAIR TABLE {name} SYNC PARTITIONS")
            seconds = time.perf_counter() - start
            done.append(name)
            return Sample(seconds, frozenset(r[0] for r in spark.sql(f"SHOW PARTITIONS {name}").collect()))

        b.results.race("A4", "durable MSCK SYNC", tree.n, {"tarn": sync, "Spark local[2]": msck}, tree.partitions, slow=40)
        if not done:
            continue
        day, hour = tree.point
        where = f"WHERE dt = DATE '{day}' AND h = {hour}"
        for name, what, text, want in (
                ("C3", "max of a partition column", "SELECT max(dt) FROM {}", (tree.days[-1],)),
                ("D3", "one partition", f"SELECT count(*), sum(id) FROM {{}} {where}", tree.sums(1))):
            if not b.wants(name):
                continue

            def ask(text=text):
                start = time.perf_counter()
                row = spark.sql(text.format(done[0])).collect()[0]
                seconds = time.perf_counter() - start
                return Sample(seconds, tuple(v if isinstance(v, int) else str(v) for v in row))

            b.results.race(name, what, tree.n,
                           {"tarn": shell.query(text.format(f"hive_metastore.default.{names[0]}")), "Spark local[2]": ask}, want, slow=30)
        shell.close()
    spark.stop()
