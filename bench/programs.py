"""The programs that a run talks to: tarn as a process and as a shell, the in-process measurements, and listers."""
import fcntl
import json
import os
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
                return time.perf_counter() - start, b"".join(parts)

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
            return Sample(seconds, shape(rows))
        return call

    def peak(self):
        """Peak resident bytes so far."""
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))

    def close(self):
        self.process.stdin.close()
        if self.process.wait(60) != 0:
            raise RuntimeError("tarn failed at its end")


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

    def walk(self, command):
        def call():
            a = self.ask(command)
            return Sample(a["seconds"], (a["count"], a["sum"]))
        return call

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


def run(argv, scratch):
    """A whole process: seconds from start to end, and what it printed. Output goes to a file, which is as quick for each."""
    with open(scratch, "wb") as out:
        start = time.perf_counter()
        code = subprocess.call(argv, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, close_fds=False)
        seconds = time.perf_counter() - start
    if code != 0:
        raise RuntimeError(f"{argv[0]} ended with status {code}")
    with open(scratch, "rb") as f:
        return seconds, f.read().decode()


def lister(argv, root, scratch):
    """A contender that prints directories below root."""
    def call():
        seconds, text = run(argv, scratch)
        return Sample(seconds, frozenset(line[len(root) + 1:] for line in text.splitlines()))
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
