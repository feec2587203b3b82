"""Q6: the memory of big answers and of big work: rows stream to a file, and sorts, groups and joins that do not fit spill."""
import os
import subprocess
import time

ROWS = 100_000_000
STREAM_GOAL = 200 << 20  # bytes resident while ROWS rows go to a file
SPILL_GOAL = 1 << 30     # bytes resident under --memory 512MB: the rest is Go's and the allocator's

WORK = {
    "sort": ("SELECT count(*), max(s) FROM (SELECT concat('a long text with the number ', id * 7919 % 30000001) AS s, id FROM range(30000000) ORDER BY s, id LIMIT 20000000)", "20000000"),
    "groups": ("SELECT count(*), sum(n) FROM (SELECT concat('key ', id % 20000000) AS k, count(*) AS n FROM range(30000000) GROUP BY 1)", "20000000,30000000"),
    "join": ("SELECT count(*) FROM (SELECT concat('key ', id) AS k FROM range(15000000)) a JOIN (SELECT concat('key ', id * 2) AS k FROM range(15000000)) b USING (k)", "7500000"),
}


def compare(b):
    if not b.wants("Q6"):
        return
    out = os.path.join(b.dir, "stream.csv")
    seconds, peak = measured(b, out, "--format", "csv", "-e", f"SELECT id, id * 2 AS twice, concat('row ', id) AS s FROM range({ROWS})")
    with open(out, "rb") as f:
        lines = sum(part.count(b"\n") for part in iter(lambda: f.read(1 << 20), b""))
    os.remove(out)
    if lines != ROWS + 1:
        b.results.invalid("Q6", ROWS, f"{lines} lines, not {ROWS + 1}")
    b.results.goal("Q6", f"100 million rows to CSV, {seconds:.0f} s: 200 MB over peak", ROWS, STREAM_GOAL / peak, 1)
    for name, (text, want) in WORK.items():
        seconds, peak = measured(b, out, "--memory", "512MB", "--format", "csv", "-e", text)
        with open(out, encoding="utf8") as f:
            got = f.read().splitlines()[-1]
        if not got.startswith(want):
            b.results.invalid("Q6", 0, f"{name}: {got}, not {want}")
        b.results.goal("Q6", f"{name} with 512 MB, {seconds:.0f} s: 1 GB over peak", 0, SPILL_GOAL / peak, 1)


def measured(b, out, *args):
    """Seconds and peak resident bytes of a run of tarn."""
    with open(out, "wb") as f:
        start = time.perf_counter()
        process = subprocess.Popen([b.bin, "sql", "--home", b.home("limits"), *args], stdout=f)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"tarn ended with status {process.returncode}: {' '.join(args)[:100]}")
    return seconds, usage.ru_maxrss * 1024
