#!/usr/bin/env bash
# Fuzzes every Fuzz function of the module for a while each (default 30s), one after the other, and stops at the first crash.
# Then it asks a running tarn random statements (test/randomsql; SEED repeats a run).
# usage: test/fuzz.sh [TIME] [NAME]    NAME: a regular expression of the functions to fuzz
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
only=${2:-.}
found=0
while IFS=: read -r file line; do
	name=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/' <<<"$line")
	[[ $name =~ $only ]] || continue
	found=$((found + 1))
	package=./$(dirname "$file")
	echo "== $package $name ($time)"
	go test -run '^$' -fuzz "^${name}\$" -fuzztime "$time" -fuzzminimizetime 10x "$package"
done < <(grep -rHE '^func Fuzz[A-Za-z0-9_]*\(' --include='*_test.go' cmd internal test | sort)
if [[ TestStatements =~ $only ]]; then
	found=$((found + 1))
	echo "== ./test/randomsql TestStatements ($time)"
	go test ./test/randomsql -run '^TestStatements$' -count=1 -timeout 0 -v -random.time="$time" -random.seed="${SEED:-$RANDOM}"
fi
if [ "$found" -eq 0 ]; then
	echo "no fuzz function is called like $only" >&2
	exit 1
fi
echo "$found functions fuzzed, none crashed"
