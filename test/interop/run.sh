#!/usr/bin/env bash
# Compares tarn with real Spark: `make interop`. Arguments go to differential.py (see --help).
#
# Needs Java 17 or newer, Maven, and Python 3.10 or newer with venv; makes .venv at the root of the repository on first use.
# TARN_BIN names the binary (default bin/tarn), PYTHON the interpreter, VENV the virtual environment.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${VENV:-$root/.venv}
bin=${TARN_BIN:-$root/bin/tarn}

missing() {
	printf 'interop: MISSING: %s\n' "$1" >&2
	exit 1
}

[ -x "$bin" ] || missing "the tarn binary at $bin (run: make build, or set TARN_BIN)"
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || missing "Java 17 (Debian, Ubuntu: apt-get install openjdk-17-jre-headless)"
major=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
[ "${major:-0}" -ge 17 ] || missing "Java 17 or newer, this is ${major:-unknown}; set JAVA_HOME"

if [ ! -x "$venv/bin/python" ]; then
	python=${PYTHON:-python3}
	command -v "$python" >/dev/null || missing "Python 3 (Debian, Ubuntu: apt-get install python3 python3-venv)"
	"$python" -m venv "$venv" || missing "Python's venv (Debian, Ubuntu: apt-get install python3-venv)"
fi
if ! "$venv/bin/python" -c 'import pyarrow, pyspark; assert pyspark.__version__ == "4.3.0"' 2>/dev/null; then
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check pyspark==4.3.0 pyarrow ||
		missing "pyspark 4.3.0 and pyarrow: pip cannot install them into $venv"
fi

# Delta for Spark 4.3 is not to be had: its histories run on 4.2.
command -v mvn >/dev/null || missing "Maven, for Delta's jars (Debian, Ubuntu: apt-get install maven)"
delta=$venv/delta
if ! "$delta/bin/python" -c 'import deltalake, pyarrow, pyspark; assert pyspark.__version__ == "4.2.0"' 2>/dev/null; then
	"$venv/bin/python" -m venv "$delta"
	"$delta/bin/python" -m pip install --quiet --disable-pip-version-check pyspark==4.2.0 pyarrow deltalake==1.6.6 ||
		missing "pyspark 4.2.0, pyarrow and deltalake 1.6.6: pip cannot install them into $delta"
fi
if [ ! -e "$delta/jars/delta-spark_4.2_2.13-4.4.0.jar" ]; then
	# Maven puts what it makes beside the project's file.
	cp "$here/delta-jars.xml" "$delta/pom.xml"
	mvn --quiet --batch-mode --file "$delta/pom.xml" dependency:copy-dependencies -DincludeGroupIds=io.delta,io.unitycatalog -DoutputDirectory="$delta/jars" ||
		missing "io.delta:delta-spark_4.2_2.13:4.4.0: Maven cannot get it"
fi

# The JVM decodes the names of files with the locale.
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
timeout --foreground --kill-after=60 300 "$venv/bin/python" "$here/crash.py" --bin "$bin"
timeout --foreground --kill-after=60 900 "$delta/bin/python" "$here/delta.py" --bin "$bin" --jars "$delta/jars"
# A run is bounded: it takes a quarter of an hour or so, and a hang must not last for ever.
exec timeout --foreground --kill-after=60 "${INTEROP_TIMEOUT:-3000}" "$venv/bin/python" "$here/differential.py" --bin "$bin" "$@"
