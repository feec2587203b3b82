"""Logs of Delta tables without their data files: n files in as many as 1,000 partitions, with statistics."""
import datetime
import os
import random
import shutil
import time

COMMITS = 10  # that a log of JSON alone has
TAIL = 1000   # commits of one file after the checkpoint of a log with a tail
DAYS = 1000
ROWS = 1000   # of each file
SCHEMA = ('{\\"type\\":\\"struct\\",\\"fields\\":[' + ",".join(
    f'{{\\"name\\":\\"{name}\\",\\"type\\":\\"{kind}\\",\\"nullable\\":true,\\"metadata\\":{{}}}}'
    for name, kind in (("id", "long"), ("x", "double"), ("name", "string"), ("dt", "date"))) + "]}")


class Log:
    """A log of JSON commits, and what is true of its table."""

    def __init__(self, root, n):
        self.root, self.n, self.version = root, n, -1
        self.now = int(time.time() * 1000)
        self.files, self.bytes = 0, 0
        self.random = random.Random(n)
        self.days = [str(datetime.date(2020, 1, 1) + datetime.timedelta(i)) for i in range(min(DAYS, max(n // 10, 1)))]
        os.makedirs(f"{root}/_delta_log")
        for _ in range(COMMITS):
            self.commit(n // COMMITS)

    @property
    def answer(self):
        """How many files the table has, and how many bytes."""
        return self.files, self.bytes

    @property
    def day(self):
        """A partition in the middle, and its files."""
        i = len(self.days) // 2
        return self.days[i], len(range(i, self.files, len(self.days)))

    def commit(self, files):
        """One more version, which adds files."""
        self.version += 1
        lines = [f'{{"commitInfo":{{"timestamp":{self.now},"operation":"WRITE","operationParameters":{{"mode":"Append"}}}}}}']
        if self.version == 0:
            lines.append('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}')
            lines.append(f'{{"metaData":{{"id":"5fba94ed-9794-4965-ba6e-6ee3c0d22af9","format":{{"provider":"parquet","options":{{}}}},'
                         f'"schemaString":"{SCHEMA}","partitionColumns":["dt"],"configuration":{{}},"createdTime":{self.now}}}}}')
        for _ in range(files):
            lines.append(self.add())
        self.write(self.version, lines)

    def add(self):
        i, size = self.files, self.random.randrange(1_000_000, 9_000_000)
        day, name = self.days[i % len(self.days)], f"{self.random.getrandbits(128):032x}"
        self.files, self.bytes = i + 1, self.bytes + size
        low = i * ROWS
        return (f'{{"add":{{"path":"dt={day}/part-{i % 200:05d}-{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}.c000.snappy.parquet",'
                f'"partitionValues":{{"dt":"{day}"}},"size":{size},"modificationTime":{self.now},"dataChange":true,'
                f'"stats":"{{\\"numRecords\\":{ROWS},\\"minValues\\":{{\\"id\\":{low},\\"x\\":{low / 8}}},'
                f'\\"maxValues\\":{{\\"id\\":{low + ROWS - 1},\\"x\\":{(low + ROWS - 1) / 8}}},\\"nullCount\\":{{\\"id\\":0,\\"x\\":0}}}}"}}}}')

    def write(self, version, lines):
        with open(f"{self.root}/_delta_log/{version:020d}.json", "w", encoding="utf8") as f:
            f.write("\n".join(lines) + "\n")

    def copy(self, root):
        """The same log elsewhere, which goes on by itself."""
        shutil.copytree(self.root, root)
        out = Log.__new__(Log)
        out.__dict__ |= self.__dict__ | {"root": root}
        return out

    @property
    def checkpoint(self):
        """The path of the newest version's checkpoint."""
        return f"{self.root}/_delta_log/{self.version:020d}.checkpoint.parquet"

    def forget(self):
        """Leaves the newest checkpoint and what comes after it, as a log has after its clean-up."""
        newest = max(x for x in os.listdir(f"{self.root}/_delta_log") if x.endswith(".checkpoint.parquet"))
        for x in os.listdir(f"{self.root}/_delta_log"):
            if x[0] != "_" and x[:20] < newest[:20]:
                os.remove(f"{self.root}/_delta_log/{x}")
