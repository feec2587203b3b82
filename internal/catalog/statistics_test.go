package catalog_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
)

func TestStatisticsHoldForOneVersion(t *testing.T) {
	tb := &catalog.Table{Properties: map[string]string{"k": "v"}}
	tb.Version = 7
	if _, ok := tb.Statistics(); ok {
		t.Fatal("a table that was not analyzed has statistics")
	}
	tb.SetStatistics(catalog.Statistics{Bytes: 10, Rows: 2})
	tb.SetColumnStatistics("a b", catalog.ColumnStatistics{Min: "1", Nulls: 1, Distinct: 3, AvgLength: 4, MaxLength: 5})
	tb.SetPartitionStatistics("p=1", 3, catalog.Statistics{Bytes: 5, Rows: -1})
	if _, ok := tb.Statistics(); ok {
		t.Error("statistics hold before the update that they are made for")
	}
	tb.Version = 8
	if s, ok := tb.Statistics(); !ok || s != (catalog.Statistics{Bytes: 10, Rows: 2}) {
		t.Errorf("statistics are %v, %v", s, ok)
	}
	want := catalog.ColumnStatistics{Min: "1", Nulls: 1, Distinct: 3, AvgLength: 4, MaxLength: 5}
	if s, ok := tb.ColumnStatistics("a b"); !ok || s != want {
		t.Errorf("statistics of the column are %v, %v", s, ok)
	}
	if own := tb.OwnProperties(); len(own) != 1 || own["k"] != "v" {
		t.Errorf("statistics are shown among the properties: %v", own)
	}
	tb.KeepStatistics()
	tb.Version = 9
	if _, ok := tb.ColumnStatistics("a b"); !ok {
		t.Error("statistics that were kept do not hold")
	}
	tb.Version = 10 // a commit of data
	if _, ok := tb.Statistics(); ok {
		t.Error("statistics hold after a commit of data")
	}
	tb.SetStatistics(catalog.Statistics{Bytes: 11, Rows: 3})
	tb.Version = 11
	if _, ok := tb.ColumnStatistics("a b"); ok {
		t.Error("statistics of a column outlive those of their table")
	}
	if s, ok := tb.PartitionStatistics("p=1", 3); !ok || s.Rows != -1 {
		t.Errorf("statistics of the partition are %v, %v", s, ok)
	}
	if _, ok := tb.PartitionStatistics("p=1", 4); ok {
		t.Error("statistics of a partition hold after it changed")
	}
}
