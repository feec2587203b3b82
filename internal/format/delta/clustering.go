package delta

import (
	"slices"

	"github.com/tarnlake/tarn/internal/types"
)

// clusteringDomain keeps the columns that a table is clustered by, as physical names.
const clusteringDomain = "delta.clustering"

// ClusteringColumns are the logical paths of the columns that the table is clustered by; nil when it is not. A column that is
// no longer in the schema keeps its physical name.
func (s *State) ClusteringColumns() [][]string {
	d := s.Domain(clusteringDomain)
	if d == nil {
		return nil
	}
	var out [][]string
	r := &jsonReader{text: d.Configuration}
	r.object(func(key string) {
		if key != "clusteringColumns" {
			r.skip()
			return
		}
		r.array(func() {
			// The protocol says a list of names, Spark writes a list of paths.
			if r.peek() == '[' {
				out = append(out, s.Schema.logical(r.list(), MappingModeOf(s.Metadata)))
				return
			}
			out = append(out, s.Schema.logical([]string{r.strOr()}, MappingModeOf(s.Metadata)))
		})
	})
	if !r.ok() {
		return nil
	}
	return out
}

// logical is the path of a field by its physical one.
func (s Schema) logical(physical []string, mode MappingMode) []string {
	out := slices.Clone(physical)
	fields := s.Fields
	for i, name := range physical {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.PhysicalName(mode) == name })
		if at < 0 {
			return out
		}
		out[i] = fields[at].Name
		if fields[at].Type.Kind != types.Struct {
			return out
		}
		fields = fields[at].Type.Fields
	}
	return out
}

// ClusterBy is the domain that clusters a table by columns, given by logical path; no columns is a table that is no longer
// clustered, which the domain says too. ok is false when the schema lacks one of them.
func ClusterBy(s Schema, m *Metadata, columns [][]string) (d *Domain, ok bool) {
	w := &jsonWriter{}
	w.open('{')
	w.key("clusteringColumns")
	w.open('[')
	for _, path := range columns {
		c, ok := s.leaf(path, MappingModeOf(m))
		if !ok {
			return nil, false
		}
		w.open('[')
		for _, name := range c.physical {
			w.str(name)
		}
		w.close(']')
	}
	w.close(']')
	w.member("domainName", clusteringDomain)
	w.close('}')
	return &Domain{Domain: clusteringDomain, Configuration: string(w.buf)}, true
}
