"""Races: contenders take turns, every answer is checked, minima and medians are told."""
import math
import os
import statistics
import time


class Sample:
    """One call: seconds of wall clock, and what was found, in a form that compares."""

    def __init__(self, seconds, result):
        self.seconds, self.result = seconds, result


def timed(f):
    """A contender that is a Python call; its result is made comparable by itself."""
    def call():
        start = time.perf_counter()
        result = f()
        return Sample(time.perf_counter() - start, result)
    return call


class Row:
    def __init__(self, race, contender, size):
        self.race, self.contender, self.size = race, contender, size
        self.times = []

    def best(self):
        return min(self.times)

    def median(self):
        return statistics.median(self.times)


class Results:
    """All rows of a run, printed as they come."""

    def __init__(self, rounds):
        self.rounds, self.rows, self.void, self.facts = rounds, [], [], []

    def race(self, name, what, size, contenders, want, slow=12.0):
        """Runs the contenders in turns, the first of them is the one under test.

        Every result must be want, else the race is void. A contender that has used its share of seconds stops early, after
        two calls at least; the first call of each warms it up and does not count.
        """
        rows = {n: Row(name, n, size) for n in contenders}
        spent = dict.fromkeys(contenders, 0.0)
        names = list(contenders)
        for turn in range(self.rounds + 1):
            for n in names[turn % len(names):] + names[:turn % len(names)]:
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
        first = rows[names[0]].best()
        for n, r in rows.items():
            ratio = "" if n == names[0] else f"{r.best() / first:9.2f}x"
            print(f"{name:4} {what:44} {size:>8} {n:28} {ms(r.best())} {ms(r.median())} {ratio}", flush=True)
        self.rows += rows.values()
        return rows

    def invalid(self, name, size, why):
        self.void.append(f"{name} at {size}: {why}")
        print(f"{name:4} VOID at {size}: {why}", flush=True)

    def fact(self, name, what, size, value, unit, note=""):
        print(f"{name:4} {what:44} {size:>8} {value:>28.4g} {unit:10} {note}", flush=True)
        self.facts.append((name, what, size, value))

    def growth(self):
        """The exponent p of every contender: its time grows with size to the power of p."""
        series = {}
        for r in self.rows:
            series.setdefault((r.race, r.contender), {})[r.size] = r.best()
        print("\ngrowth exponents between sizes")
        for (race, contender), points in series.items():
            sizes = sorted(points)
            if len(sizes) < 2:
                continue
            steps = [math.log(points[b] / points[a]) / math.log(b / a) for a, b in zip(sizes, sizes[1:])]
            print(f"{race:4} {contender:28} " + "  ".join(f"{a}→{b}: p={p:5.2f}" for a, b, p in zip(sizes, sizes[1:], steps)))


def head():
    print(f"{'id':4} {'what':44} {'size':>8} {'who':28} {'min':>12} {'median':>12} peer/tarn")


def ms(seconds):
    return f"{seconds * 1000:9.3f} ms"


def short(v):
    text = repr(v)
    return text if len(text) < 120 else f"{text[:120]}… ({len(v) if hasattr(v, '__len__') else '?'})"


def load():
    return os.getloadavg()[0]
