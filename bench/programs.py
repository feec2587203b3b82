"""The programs that a run talks to: tarn as a process and as a shell, the in-process measurements, and listers."""
import fcntl
import json
import os
import resource
import subprocess
import time

from measure import Sample


class Shell:
    """A running `tarn sql`. Time is taken from the statement's last byte written to the answer's last byte read."""

    def __init__(self, binary, home):
        self.process = subprocess.Popen([binary, "sql", "--home", home, "--format", "json", "--keep-going"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # A small pipe would make large answers wait for the reader again and again.
        try:
            fcntl.fcntl(self.process.stdout.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)
        except OSError:
            pass

    def ask(self, text):
        """Seconds, and the answer as its JSON text."""
        out = self.process.stdout.fileno()
        before = ticks(self.process.pid)
        start = time.perf_counter()
        self.process.stdin.write(text.encode() + b";\n")
        self.process.stdin.flush()
        parts = []
        while True:
            part = os.read(out, 1 << 20)
            if not part:
                raise RuntimeError(f"tarn ended at: {text}")
            parts.append(part)
            if part.endswith(b"\n"):
                seconds = time.perf_counter() - start
                self.cpu = ticks(self.process.pid) - before
                return seconds, b"".join(parts)

    def rows(self, text):
        seconds, line = self.ask(text)
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{answer['error']['class']}: {answer['error']['message']}: {text}")
        return seconds, answer["rows"]

    def query(self, text, shape=lambda rows: tuple(rows[0])):
        """A contender: the statement's first row, or what shape makes of its rows."""
        def call():
            seconds, rows = self.rows(text)
            return Sample(seconds, shape(rows), self.cpu)
        return call

    def peak(self):
        """Peak resident bytes so far."""
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))

    def close(self):
        self.process.stdin.close()
        if self.process.wait(60) != 0:
            raise RuntimeError("tarn failed at its end")


def ticks(pid):
    """Processor seconds of a process so far, by the clock's ticks: true on average over some calls."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class InProcess:
    """The Go program of inprocess/, alive so that calls alternate with other programs."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        return answer

    def walk(self, command, paths):
        """A contender whose checksum must be that of the paths; then these are its result."""
        want = (len(paths), checksum(paths))

        def call():
            a = self.ask(command)
            got = (a["count"], a["sum"])
            return Sample(a["seconds"], paths if got == want else got, a["cpu"])
        return call

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


def run(argv, scratch, read=True):
    """A whole process: its seconds from start to end and on processors, and what it printed.

    Output goes to a file, which is as quick for each.
    """
    with open(scratch, "wb") as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        code = subprocess.call(argv, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, close_fds=False)
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code != 0:
        raise RuntimeError(f"{argv[0]} ended with status {code}")
    with open(scratch, "rb") as f:
        return Sample(seconds, f.read().decode() if read else "", after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def lister(argv, root, scratch):
    """A contender that prints directories below root."""
    def call():
        s = run(argv, scratch)
        return Sample(s.seconds, frozenset(line[len(root) + 1:] for line in s.result.splitlines()), s.cpu)
    return call


def checksum(paths):
    """What inprocess/ calls the sum of paths: their FNV-1a hashes added up."""
    total = 0
    for p in paths:
        h = 0xcbf29ce484222325
        for b in p.encode():
            h = (h ^ b) * 0x100000001b3 & 0xffffffffffffffff
        total += h
    return format(total & 0xffffffffffffffff, "x")
