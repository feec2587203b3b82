package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/catalogtest"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/partition"
)

func manyAdds(n int) *partition.Changes {
	ch := &partition.Changes{}
	for i := range n {
		ch.Add(partition.AddEntry{Values: partition.Values{fmt.Sprintf("d%05d", i/24), int64(i % 24)}})
	}
	return ch
}

// found is what discovery makes of n directories.
func found(table *catalog.Table, n int) *partition.Found {
	f := &partition.Found{Columns: table.PartitionLayout(), Levels: make([][]partition.Spelling, 2), Codes: make([][]uint32, 2)}
	for h := range 24 {
		f.Levels[1] = append(f.Levels[1], partition.Spelling{Dir: fmt.Sprint("hh=", h), Value: int64(h)})
	}
	for i := range n {
		if i%24 == 0 {
			dt := fmt.Sprintf("d%05d", i/24)
			f.Levels[0] = append(f.Levels[0], partition.Spelling{Dir: "dt=" + dt, Value: dt})
		}
		f.Codes[0], f.Codes[1] = append(f.Codes[0], uint32(i/24)), append(f.Codes[1], uint32(i%24))
	}
	return f
}

// BenchmarkApply100k adds 100,000 partitions that a repair found to an empty table, durably: applying the changes, encoding
// the segments, and writing them. The metrics tell these apart.
func BenchmarkApply100k(b *testing.B) {
	s := open(b, file(b), sqlstore.Options{})
	table := catalogtest.NewTable(b, s)
	empty := partition.NewSet(table.PartitionLayout())
	ch := partition.Diff(empty, found(table, 100_000), partition.DiffOptions{}).Changes
	var pure time.Duration
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Write(ctx, func(tx catalog.WriteTx) error {
			return tx.ApplyPartitions(table, ch, catalog.Commit{Operation: "MSCK REPAIR TABLE"})
		}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		start := time.Now()
		set, err := empty.Apply(ch, 2)
		if err != nil {
			b.Fatal(err)
		}
		partition.Rewrite(nil, empty, set, ch, 2)
		pure += time.Since(start)
		if err := s.Write(ctx, func(tx catalog.WriteTx) error {
			return tx.ReplacePartitions(table, empty, catalog.Commit{})
		}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(pure.Nanoseconds())/float64(b.N), "ns-in-partition/op")
}

// BenchmarkPut10k commits what one write recorded of 10,000 partitions, durably: its file set, to an empty table, and again in
// place of what is there.
func BenchmarkPut10k(b *testing.B) {
	for _, name := range []string{"New", "Again"} {
		b.Run(name, func(b *testing.B) {
			s := open(b, file(b), sqlstore.Options{})
			table := catalogtest.NewTable(b, s)
			cols := table.PartitionLayout()
			empty := partition.NewSet(cols)
			entries := make([]partition.AddEntry, 10_000)
			parts := make([]partition.PartitionFiles, len(entries))
			for i := range entries {
				v := partition.Values{fmt.Sprintf("d%05d", i/24), int64(i % 24)}
				dirs := []string{"_tarn", "data", "01K6Z3V5H8QJ2M4N6P8R0S2T4V", partition.Segment(cols[0], v[0]), partition.Segment(cols[1], v[1])}
				entries[i] = partition.AddEntry{
					Values: v, Place: partition.Place{Dirs: dirs},
					Content: partition.Content{Recorded: true, Files: 1, Bytes: int64(1000 + i), Rows: int64(i)},
				}
				parts[i] = partition.PartitionFiles{Values: v, Dir: strings.Join(dirs, "/"), Files: []partition.FileEntry{{
					Name: fmt.Sprintf("part-01K6Z3V5H8QJ2M4N6P8R0S2T4V-%05d-00-000.zstd.parquet", i%8), Size: int64(1000 + i), Rows: int64(i),
					ModTime: 1_760_000_000_000_000_000 + int64(i)*100_000,
				}}}
			}
			commit := func() {
				if err := s.Write(ctx, func(tx catalog.WriteTx) error {
					id, err := tx.AddFileset(table.ID, "01K6Z3V5H8QJ2M4N6P8R0S2T4V", partition.EncodeFileset(cols, parts))
					if err != nil {
						return err
					}
					ids := []int64{id}
					for i := range entries {
						entries[i].Content.Filesets = ids
					}
					ch := &partition.Changes{}
					ch.Put(entries...)
					return tx.ApplyPartitions(table, ch, catalog.Commit{Operation: "INSERT"})
				}); err != nil {
					b.Fatal(err)
				}
			}
			commit()
			b.ReportAllocs()
			for b.Loop() {
				if name == "New" {
					b.StopTimer()
					if err := s.Write(ctx, func(tx catalog.WriteTx) error {
						return tx.ReplacePartitions(table, empty, catalog.Commit{})
					}); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				commit()
			}
		})
	}
}

// BenchmarkCommitSmall adds one partition to a table of 100,000, durably.
func BenchmarkCommitSmall(b *testing.B) {
	s := open(b, file(b), sqlstore.Options{})
	table := catalogtest.NewTable(b, s)
	if err := s.Write(ctx, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(table, manyAdds(100_000), catalog.Commit{})
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := int64(1000)
	for b.Loop() {
		ch := &partition.Changes{}
		ch.Add(partition.AddEntry{Values: partition.Values{"d00000", i}})
		i++
		if err := s.Write(ctx, func(tx catalog.WriteTx) error {
			return tx.ApplyPartitions(table, ch, catalog.Commit{Operation: "ALTER TABLE ADD PARTITION"})
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a file of the current format, reads a catalog, and closes it: what every start of the program does.
func BenchmarkOpen(b *testing.B) {
	path := file(b)
	warm := open(b, path, sqlstore.Options{})
	if err := catalog.Bootstrap(ctx, warm, "file:/wh"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := sqlstore.Open(ctx, path, sqlstore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := catalog.Bootstrap(ctx, s, "file:/wh"); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreate makes a new file.
func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		path := file(b)
		b.StartTimer()
		s, err := sqlstore.Open(ctx, path, sqlstore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad100k reads the partitions of a table with 100,000 past the cache.
func BenchmarkLoad100k(b *testing.B) {
	s := open(b, file(b), sqlstore.Options{CacheBytes: -1})
	table := catalogtest.NewTable(b, s)
	if err := s.Write(ctx, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(table, manyAdds(100_000), catalog.Commit{})
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Read(ctx, func(tx catalog.ReadTx) error {
			_, err := tx.Partitions(table.ID, 0)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadTable looks a table up by name, as every statement does.
func BenchmarkReadTable(b *testing.B) {
	s := open(b, file(b), sqlstore.Options{})
	table := catalogtest.NewTable(b, s)
	for b.Loop() {
		if err := s.Read(ctx, func(tx catalog.ReadTx) error {
			_, err := tx.Table(table.SchemaID, "t")
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}
