#!/usr/bin/env bash
# Runs Spark's own suites and ours against bin/tarn: `make golden`, `make golden-floor`.
#
#   run.sh                 everything, against the floors and the lists of exceptions
#   run.sh floor           raises the floors of the golden files, and takes what agrees out of the lists of exceptions
#   run.sh jar             fetches Spark's SQL tests and prints where they are
#   run.sh data SF [OPTION...]   makes the data of TPC-DS and TPC-H at a scale factor and prints where it is
#   run.sh golden|expressions|columns|tpc [OPTION...]   one of them, with options for its program (see its --help)
#
# Needs Python 3.11 or newer with venv. What is fetched and made (Spark's SQL tests from Maven, the data of TPC-DS and
# TPC-H) is kept in TARN_CACHE (default ~/.cache/tarn). TARN_BIN names the binary, PYTHON the interpreter.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${TARN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tarn}
bin=${TARN_BIN:-$root/bin/tarn}
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8

missing() {
	printf 'golden: MISSING: %s\n' "$1" >&2
	exit 1
}
case ${1:-} in jar | data) ;; *) [ -x "$bin" ] || missing "the tarn binary at $bin (run: make build, or set TARN_BIN)" ;; esac
"$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
	missing "Python 3.11 or newer with venv (Debian, Ubuntu: apt-get install python3 python3-venv)"

spark=4.2.0
jar() {
	"$python" "$here/fetch.py" \
		"https://repo1.maven.org/maven2/org/apache/spark/spark-sql_2.13/$spark/spark-sql_2.13-$spark-tests.jar" \
		9b0de481dc74348936b8290ebc0f78fcdfe7d31bfd33b84399ea2755db3dc5745934ba1b23efa558100dccfaa86ef0430a311034e50b5b71bb8df051b28690da \
		"$cache"
}

# The data of TPC-DS and TPC-H at scale factor $1, made once. Other arguments go to `tpc.py make`.
data() {
	local sf=$1 dir=$cache/tpc-sf$1 maker=$cache/venv-duckdb-1.5.5
	shift
	[ $# = 0 ] || dir+=$(printf '%s' "$@")
	if [ ! -f "$dir/manifest.json" ]; then
		[ -x "$maker/bin/python" ] || "$python" -m venv "$maker"
		"$maker/bin/python" -m pip install --quiet --disable-pip-version-check \
			duckdb==1.5.5 duckdb-extension-tpcds==1.5.5 duckdb-extension-tpch==1.5.5 ||
			missing "duckdb 1.5.5 and its TPC extensions: pip cannot install them into $maker"
		mkdir -p "$dir"
		"$maker/bin/python" "$here/tpc.py" make "$dir" --sf "$sf" "$@" >&2
	fi
	echo "$dir"
}

golden() { "$python" "$here/golden.py" --jar "$(jar)" --bin "$bin" "$@"; }
expressions() { "$python" "$here/expressions.py" --bin "$bin" --least 98 --exceptions "$here/expressions-exceptions.tsv" "$@"; }
columns() { "$python" "$here/expressions.py" --bin "$bin" --columns --exceptions "$here/columns-exceptions.tsv" "$@"; }
tpc() { "$python" "$here/tpc.py" run --jar "$(jar)" --bin "$bin" "$@" "$(data 0.01)"; }

case ${1:-all} in
all)
	failed=0
	for suite in golden expressions columns tpc; do
		echo "== $suite"
		"$suite" || failed=1
	done
	exit $failed
	;;
floor)
	golden --raise
	expressions --prune
	columns --prune
	;;
jar | data | golden | expressions | columns | tpc) "$@" ;;
*) missing "the suite $1: golden, expressions, columns, tpc, floor or nothing" ;;
esac
