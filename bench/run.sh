#!/usr/bin/env bash
# Compares tarn with find, bfs, Spark, DuckDB, pyarrow and polars in one run on one machine: `make bench`.
#
#   SIZES   partitions of the trees, a decade apart (default "1000 10000 100000")
#   WRITE_SIZES  partitions that the comparisons of writes overwrite (default "100 1000 10000"); Spark up to 1000
#   WRITE_ROWS   rows of the comparison of throughput (default 10000000); the one of memory has 3/10 of them
#   ROUNDS  rounds of each comparison (default 7)
#   ONLY    regular expression over the ids of the comparisons, such as 'A|D1' (default all)
#   PEERS   which peers to ask (default "bfs find duckdb pyarrow polars spark")
#   SPARK_SIZES  sizes that Spark is asked for (default: those of SIZES up to 10000; it needs 2 ms a partition)
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

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
(cd "$root" && go build -trimpath -o "$tools/inprocess" ./bench/inprocess)
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
"$venv/bin/python" "$here/bench.py" --bin "$bin" --inprocess "$tools/inprocess"
