"""Races: contenders take turns, every answer is checked, times are told beside processor time and goals."""
import math
import os
import random
import statistics
import time

# The goals: at this size, the named peer needs so many times as long as the contender under test.
GOALS = {
    ("A1", "bfs"): (100_000, 1.5), ("A1", "Go WalkDir (in process)"): (100_000, 15),
    ("A2", "bfs"): (100_000, 1), ("A2", "find"): (100_000, 2), ("A2", "Go WalkDir (in process)"): (100_000, 6),
    ("A2p", "find"): (100_000, 2), ("A4", "Spark local[2]"): (10_000, 100),
    ("C1", "DuckDB glob"): (10_000, 100), ("C1d", "DuckDB glob"): (10_000, 100), ("C3", "Spark local[2]"): (10_000, 200),
    ("D1", "DuckDB glob"): (10_000, 100), ("D1", "polars scan_parquet"): (10_000, 30), ("D1", "pyarrow dataset"): (10_000, 50),
    ("D1", "DuckDB given the file"): (10_000, 0.8), ("D3", "Spark local[2]"): (10_000, 300),
    ("D6", "DuckDB glob"): (10_000, 1), ("D7", "DuckDB glob"): (10_000, 3),
    ("W1", "Spark local[2]"): (1000, 17), ("W1", "DuckDB COPY"): (1000, 1), ("W1", "rmtree+rename loop"): (1000, 1),
    ("W2", "DuckDB COPY"): (10_000_000, 0.87),
    ("E1", "Spark local[2]"): (1000, 100), ("E3", "Spark local[2]"): (1000, 10), ("C2", "DuckDB glob"): (10_000, 100), ("C4", "DuckDB glob"): (10_000, 100),
}

# The goals in seconds: what the fastest call of the contender under test may take at this size.
LIMITS = {("W1", "tarn managed"): (1000, 1.0), ("E1", "tarn sealed"): (1000, 0.1), ("E2", "tarn sealed"): (10_000, 0.020), ("E2", "tarn catalog"): (10_000, 0.020)}


class Sample:
    """One call: seconds of wall clock and of processors, and what was found, in a form that compares."""

    def __init__(self, seconds, result, cpu=math.nan):
        self.seconds, self.result, self.cpu = seconds, result, cpu


def timed(f):
    """A contender that is a Python call."""
    def call():
        start, cpu = time.perf_counter(), time.process_time()
        result = f()
        return Sample(time.perf_counter() - start, result, time.process_time() - cpu)
    return call


class Row:
    def __init__(self, race, contender, size):
        self.race, self.contender, self.size = race, contender, size
        self.times, self.cpu = [], []

    def best(self):
        return min(self.times)

    def against(self, other):
        """How many times as long as other this took, and the low end of that ratio's bootstrap interval (5 %)."""
        r = random.Random(1)
        ratios = sorted(min(r.choices(self.times, k=len(self.times))) / min(r.choices(other.times, k=len(other.times)))
                        for _ in range(400))
        return self.best() / other.best(), ratios[20]


class Results:
    """All rows of a run, printed as they come."""

    def __init__(self, rounds):
        self.rounds, self.rows, self.void, self.goals = rounds, [], [], []

    def race(self, name, what, size, contenders, want, slow=12.0):
        """Runs the contenders in turns; the first of them is the one under test.

        Every result must be want, else the race is void. A contender that has used its share of seconds stops early, after
        two calls at least; the first call of each warms it up and does not count.
        """
        rows = {n: Row(name, n, size) for n in contenders}
        spent = dict.fromkeys(contenders, 0.0)
        names = list(contenders)
        for turn in range(self.rounds + 1):
            at = turn % len(names)
            for n in names[at:] + names[:at]:
                if spent[n] > slow and turn > 1:
                    continue
                try:
                    sample = contenders[n]()
                except Exception as e:  # noqa: BLE001 - a peer that fails voids its race, not the run
                    self.invalid(name, size, f"{n} failed: {type(e).__name__}: {str(e)[:300]}")
                    return None
                if sample.result != want:
                    self.invalid(name, size, f"{n} answered {short(sample.result)}, not {short(want)}")
                    return None
                spent[n] += sample.seconds
                if turn > 0:
                    rows[n].times.append(sample.seconds)
                    rows[n].cpu.append(sample.cpu)
        for n, row in rows.items():
            cpu = statistics.mean(row.cpu)
            print(f"{name:4} {what:40} {size:>8} {n:26} {ms(row.best())} {ms(statistics.median(row.times))} "
                  f"{'' if math.isnan(cpu) else ms(cpu):>12} {self.limit(row) if n == names[0] else self.verdict(row, rows[names[0]])}", flush=True)
        self.rows += rows.values()
        return rows

    def verdict(self, row, tested):
        ratio, low = row.against(tested)
        text = f"{ratio:9.2f}x ({low:.2f})"
        size, goal = GOALS.get((row.race, row.contender), (None, None))
        if size != row.size:
            return text
        return f"{text}  goal {goal:g}x {self.judge(row.race, row.contender, row.size, ratio, low, goal)}"

    def judge(self, race, contender, size, ratio, low, goal):
        met = low >= goal
        self.goals.append((race, contender, size, met, ratio, goal))
        return "met" if met else "MISSED"

    def goal(self, race, what, size, ratio, goal):
        """A goal about something else than two contenders' times."""
        print(f"{race:4} {what:40} {size:>8} {ratio:>26.4g} {'x':12} goal {goal:g}x {self.judge(race, what, size, ratio, ratio, goal)}", flush=True)

    def times(self, race, what, size, contender, seconds):
        """A row of times that another race brought along."""
        row = Row(race, contender, size)
        row.times = seconds
        self.rows.append(row)
        print(f"{race:4} {what:40} {size:>8} {contender:26} {ms(row.best())} {ms(statistics.median(seconds))} {'':>12} {self.limit(row)}", flush=True)

    def limit(self, row):
        size, most = LIMITS.get((row.race, row.contender), (None, None))
        if size != row.size:
            return ""
        ratio = most / row.best()
        return f"goal {most * 1000:g} ms {self.judge(row.race, row.contender, size, ratio, ratio, 1)}"

    def note(self, race, text):
        print(f"{race:4} {text}", flush=True)

    def invalid(self, name, size, why):
        self.void.append(f"{name} at {size}: {why}")
        print(f"{name:4} VOID at {size}: {why}", flush=True)

    def fact(self, name, what, size, value, unit, note=""):
        print(f"{name:4} {what:40} {size:>8} {value:>26.4g} {unit:12} {note}", flush=True)

    def growth(self):
        """The exponent p of every contender: its time grows with the size to the power of p."""
        series = {}
        for r in self.rows:
            series.setdefault((r.race, r.contender), {})[r.size] = r.best()
        print("\ngrowth exponents p between sizes (goals: A1, A2 at most 1.05; D1, C4 at most 0.1; E2 at most 0.6)")
        for (race, contender), points in series.items():
            sizes = sorted(points)
            if len(sizes) < 2:
                continue
            steps = [math.log(points[b] / points[a]) / math.log(b / a) for a, b in zip(sizes, sizes[1:])]
            print(f"{race:4} {contender:26} " + "  ".join(f"{a}→{b}: {p:5.2f}" for a, b, p in zip(sizes, sizes[1:], steps)))


def head():
    print(f"{'id':4} {'what':40} {'size':>8} {'who':26} {'min':>12} {'median':>12} {'mean cpu':>12}  peer/tarn (low end)")


def ms(seconds):
    return f"{seconds * 1000:9.3f} ms"


def short(v):
    text = repr(v)
    return text if len(text) < 120 else f"{text[:120]}… ({len(v) if hasattr(v, '__len__') else '?'})"


def load():
    return os.getloadavg()[0]
