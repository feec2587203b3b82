"""Trees of partition directories: dt=YYYY-MM-DD/h=N, one small Parquet file in each, hard-linked."""
import datetime
import os

INNER = 100       # partitions of a day
ROWS = 2000       # rows of a file
LINKS = 60_000    # ext4 allows 65,000 links of an inode


class Tree:
    """A tree of n partitions, and what is true of it."""

    def __init__(self, root, n):
        import pyarrow as pa
        import pyarrow.parquet as pq
        self.root, self.n = root, n
        self.days = [str(datetime.date(2020, 1, 1) + datetime.timedelta(i)) for i in range(max(n // INNER, 1))]
        self.inner = min(n, INNER)
        table = pa.table({"id": pa.array(range(ROWS), pa.int64()), "x": pa.array([i / 8 for i in range(ROWS)], pa.float64()),
                          "name": pa.array([f"name {i % 50}" for i in range(ROWS)], pa.string())})
        os.makedirs(root)
        source, made = None, 0
        for day in self.days:
            for h in range(self.inner):
                directory = f"{root}/dt={day}/h={h}"
                os.makedirs(directory)
                path = f"{directory}/a.parquet"
                if made % LINKS == 0:
                    pq.write_table(table, path)
                    source = path
                else:
                    os.link(source, path)
                made += 1
        self.partitions = frozenset(f"dt={d}/h={h}" for d in self.days for h in range(self.inner))
        self.file = f"{root}/dt={self.point[0]}/h={self.point[1]}/a.parquet"

    @property
    def point(self):
        """A partition in the middle."""
        return self.days[len(self.days) // 2], self.inner // 2

    def sums(self, files):
        """count(*) and sum(id) of so many files."""
        return files * ROWS, files * ROWS * (ROWS - 1) // 2
