#!/usr/bin/env bash
# Compares tarn with find, bfs, Spark, DuckDB, pyarrow, polars and delta-rs in one run on one machine: `make bench`.
#
#   SIZES   partitions of the trees, a decade apart (default "1000 10000 100000")
#   WRITE_SIZES  partitions that the comparisons of writes overwrite (default "100 1000 10000"); Spark up to 1000
#   WRITE_ROWS   rows of the comparison of throughput (default 10000000); the one of memory has 3/10 of them
#   ROUNDS  rounds of each comparison (default 7)
#   ONLY    regular expression over the ids of the comparisons, such as 'A|D1' (default all)
#   PEERS   which peers to ask (default "bfs find duckdb pyarrow polars spark delta-rs delta-spark")
#   SPARK_SIZES  sizes that Spark is asked for (default: those of SIZES up to 10000; it needs 2 ms a partition)
#   DELTA_SIZES  files of the Delta tables (default "10000 100000 1000000"; the last takes 6 GB below BENCH_DIR)
#   DELTA_SPARK_SIZES  those that Spark with Delta is asked for (default: up to 100000); SPARK_MEMORY is its heap (default 4g)
#   MIGRATE_SIZES  tables that tarn migrate moves (default "100 1000")
#   TPC_SF  scale factor of TPC-H and TPC-DS (default 1; the data is kept in TARN_CACHE, see test/golden/run.sh)
#   BENCH_DIR    where the trees are made (default a temporary directory); TARN_BIN, PYTHON, VENV as for interop
#
# Peers that are missing are installed into .venv, bfs with apt-get; what cannot be had is named and left out.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
venv=${VENV:-$root/.venv}
bin=${TARN_BIN:-$root/bin/tarn}

[ -x "$bin" ] || { echo "bench: MISSING: the tarn binary at $bin (run: make build, or set TARN_BIN)" >&2; exit 1; }
if [ ! -x "$venv/bin/python" ]; then
	"${PYTHON:-python3}" -m venv "$venv" || { echo "bench: MISSING: Python 3 with venv" >&2; exit 1; }
fi
for peer in duckdb==1.5.6 pyarrow polars pyspark==4.3.0 sqlglot; do
	"$venv/bin/python" -c "import ${peer%%=*}" 2>/dev/null ||
		"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$peer" ||
		echo "bench: $peer cannot be installed" >&2
done
if ! command -v bfs >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	apt-get install -y -qq bfs >/dev/null 2>&1 || echo "bench: bfs cannot be installed" >&2
fi

# Delta for Spark 4.3 is not to be had: delta-rs and Spark 4.2 have an environment of their own, the one of interop.
delta=$venv/delta
if ! "$delta/bin/python" -c 'import deltalake, pyarrow, pyspark; assert pyspark.__version__ == "4.2.0"' 2>/dev/null; then
	"$venv/bin/python" -m venv "$delta" &&
		"$delta/bin/python" -m pip install --quiet --disable-pip-version-check pyspark==4.2.0 pyarrow deltalake==1.6.6 ||
		echo "bench: deltalake and pyspark 4.2.0 cannot be installed" >&2
fi
if [ ! -e "$delta/jars/delta-spark_4.2_2.13-4.4.0.jar" ] && command -v mvn >/dev/null; then
	cp "$root/test/interop/delta-jars.xml" "$delta/pom.xml"
	mvn --quiet --batch-mode --file "$delta/pom.xml" dependency:copy-dependencies -DincludeGroupIds=io.delta,io.unitycatalog -DoutputDirectory="$delta/jars" ||
		echo "bench: the jars of Delta for Spark cannot be had" >&2
fi
if "$delta/bin/python" -c 'import deltalake, pyarrow' 2>/dev/null; then
	export DELTA_PYTHON=$delta/bin/python
	[ -e "$delta/jars/delta-spark_4.2_2.13-4.4.0.jar" ] && export DELTA_JARS=$delta/jars
fi

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
(cd "$root" && go build -trimpath -o "$tools/inprocess" ./bench/inprocess)
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
"$venv/bin/python" "$here/bench.py" --bin "$bin" --inprocess "$tools/inprocess"
