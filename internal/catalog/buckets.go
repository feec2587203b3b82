package catalog

import (
	"fmt"
	"strconv"
	"strings"
)

// Buckets is how another engine divides the rows of each partition into files: by a hash of Columns into Count files, each
// sorted by Sorted. Tarn reads such tables and does not write them.
type Buckets struct {
	Columns []string
	Sorted  []string
	Count   int
}

// Hive metastores keep buckets in these table properties, as Spark names them, and so does Tarn.
const (
	bucketPrefix     = "spark.sql.sources.schema."
	numBuckets       = bucketPrefix + "numBuckets"
	numBucketColumns = bucketPrefix + "numBucketCols"
	numSortColumns   = bucketPrefix + "numSortCols"
)

// SetBuckets says that the files of the table are buckets.
func (t *Table) SetBuckets(b Buckets) {
	if t.Properties == nil {
		t.Properties = map[string]string{}
	}
	put := func(count, column string, names []string) {
		if len(names) == 0 {
			return
		}
		t.Properties[count] = strconv.Itoa(len(names))
		for i, n := range names {
			t.Properties[fmt.Sprintf("%s%s.%d", bucketPrefix, column, i)] = n
		}
	}
	t.Properties[numBuckets] = strconv.Itoa(b.Count)
	put(numBucketColumns, "bucketCol", b.Columns)
	put(numSortColumns, "sortCol", b.Sorted)
}

// Buckets are the buckets of the table's files; ok is false when it has none.
func (t *Table) Buckets() (b Buckets, ok bool) {
	n, err := strconv.Atoi(t.Properties[numBuckets])
	if err != nil || n <= 0 {
		return b, false
	}
	names := func(count, column string) (out []string) {
		n, err := strconv.Atoi(t.Properties[count])
		for i := 0; err == nil && i < n; i++ {
			name, ok := t.Properties[fmt.Sprintf("%s%s.%d", bucketPrefix, column, i)]
			if !ok {
				break
			}
			out = append(out, name)
		}
		return out
	}
	return Buckets{Columns: names(numBucketColumns, "bucketCol"), Sorted: names(numSortColumns, "sortCol"), Count: n}, true
}

// OwnProperties are the properties that people gave the table: those without what catalogs keep there for themselves.
func (t *Table) OwnProperties() map[string]string {
	out := make(map[string]string, len(t.Properties))
	for k, v := range t.Properties {
		if !strings.HasPrefix(k, bucketPrefix) && !strings.HasPrefix(k, statisticsPrefix) {
			out[k] = v
		}
	}
	return out
}
