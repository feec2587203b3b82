package catalog

import (
	"strconv"
	"strings"
)

// Statistics are what ANALYZE TABLE found out about a table or a partition.
type Statistics struct {
	Bytes int64
	Rows  int64 // -1 when the rows were not counted
}

// ColumnStatistics are what ANALYZE TABLE … FOR COLUMNS found out about a column. Min and Max are text, "" for none. Lengths are those
// of values, in characters or bytes.
type ColumnStatistics struct {
	Min, Max                              string
	Nulls, Distinct, AvgLength, MaxLength int64
}

// Statistics are kept in properties of the table that nobody sees. Those of the table and its columns hold for one version: a
// commit that changes data leaves them behind, one that does not calls KeepStatistics. Those of a partition hold for one
// version of its entry.
const (
	statisticsPrefix   = "tarn.statistics."
	statisticsTable    = statisticsPrefix + "table"
	statisticsColumns  = statisticsPrefix + "column."
	statisticsOfPieces = statisticsPrefix + "partition."
	statisticsUnit     = "\x1f" // between the fields of a value
)

// Statistics are the table's, and whether there are any that still hold.
func (t *Table) Statistics() (Statistics, bool) {
	f := strings.Split(t.Properties[statisticsTable], statisticsUnit)
	if len(f) != 3 || f[0] != strconv.FormatInt(t.Version, 10) {
		return Statistics{}, false
	}
	return readStatistics(f[1:])
}

// SetStatistics notes the statistics of the table, for the version that the next update makes. Those of columns are
// forgotten unless they hold still.
func (t *Table) SetStatistics(s Statistics) {
	if _, ok := t.Statistics(); !ok {
		for k := range t.Properties {
			if strings.HasPrefix(k, statisticsColumns) {
				delete(t.Properties, k)
			}
		}
	}
	t.putStatistics(statisticsTable, strconv.FormatInt(t.Version+1, 10), s)
}

// KeepStatistics lets the statistics hold for the version that the next update makes.
func (t *Table) KeepStatistics() {
	if s, ok := t.Statistics(); ok {
		t.SetStatistics(s)
	}
}

// PartitionStatistics are those of a partition, named by its spec, whose entry changed last in version gen.
func (t *Table) PartitionStatistics(spec string, gen int64) (Statistics, bool) {
	f := strings.Split(t.Properties[statisticsOfPieces+spec], statisticsUnit)
	if len(f) != 3 || f[0] != strconv.FormatInt(gen, 10) {
		return Statistics{}, false
	}
	return readStatistics(f[1:])
}

// SetPartitionStatistics notes the statistics of a partition whose entry changed last in version gen.
func (t *Table) SetPartitionStatistics(spec string, gen int64, s Statistics) {
	t.putStatistics(statisticsOfPieces+spec, strconv.FormatInt(gen, 10), s)
}

// ColumnStatistics are those of a column, and whether there are any that still hold.
func (t *Table) ColumnStatistics(column string) (s ColumnStatistics, ok bool) {
	if _, ok := t.Statistics(); !ok {
		return s, false
	}
	f := strings.Split(t.Properties[statisticsColumns+column], statisticsUnit)
	if len(f) != 6 {
		return s, false
	}
	s.Min, s.Max = f[0], f[1]
	for i, to := range []*int64{&s.Nulls, &s.Distinct, &s.AvgLength, &s.MaxLength} {
		n, err := strconv.ParseInt(f[2+i], 10, 64)
		if err != nil {
			return s, false
		}
		*to = n
	}
	return s, true
}

// SetColumnStatistics notes the statistics of a column. They hold as long as those of the table, which must have been set.
func (t *Table) SetColumnStatistics(column string, s ColumnStatistics) {
	fields := []string{s.Min, s.Max}
	for _, n := range []int64{s.Nulls, s.Distinct, s.AvgLength, s.MaxLength} {
		fields = append(fields, strconv.FormatInt(n, 10))
	}
	t.Properties[statisticsColumns+column] = strings.Join(fields, statisticsUnit)
}

func (t *Table) putStatistics(key, version string, s Statistics) {
	if t.Properties == nil {
		t.Properties = map[string]string{}
	}
	t.Properties[key] = version + statisticsUnit + strconv.FormatInt(s.Bytes, 10) + statisticsUnit + strconv.FormatInt(s.Rows, 10)
}

func readStatistics(fields []string) (Statistics, bool) {
	bytes, err := strconv.ParseInt(fields[0], 10, 64)
	rows, err2 := strconv.ParseInt(fields[1], 10, 64)
	return Statistics{Bytes: bytes, Rows: rows}, err == nil && err2 == nil
}
