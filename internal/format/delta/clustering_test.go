package delta

import (
	"fmt"
	"testing"
)

func TestClustering(t *testing.T) {
	c := newChange()
	if err := c.MapColumns(MappingName, true); err != nil {
		t.Fatal(err)
	}
	d, ok := ClusterBy(c.Schema, c.Metadata, [][]string{{"A"}, {"s", "x"}})
	if !ok || d.Configuration != `{"clusteringColumns":[["col-u1"],["col-u2","col-u3"]],"domainName":"delta.clustering"}` {
		t.Fatalf("%+v", d)
	}
	if _, ok := ClusterBy(c.Schema, c.Metadata, [][]string{{"l"}}); ok {
		t.Error("an array")
	}
	s := &State{Metadata: c.Metadata, Schema: c.Schema, domains: map[string]*Domain{d.Domain: d}}
	if got := fmt.Sprint(s.ClusteringColumns()); got != "[[a] [s x]]" {
		t.Error(got)
	}
	for text, want := range map[string]string{`{"clusteringColumns":["col-u1","gone"]}`: "[[a] [gone]]", `{"clusteringColumns":[]}`: "[]", `{`: "[]"} {
		s.domains[d.Domain] = &Domain{Domain: d.Domain, Configuration: text}
		if got := fmt.Sprint(s.ClusteringColumns()); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
