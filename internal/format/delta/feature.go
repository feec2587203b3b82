package delta

import (
	"slices"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Versions of the protocol from which on features are listed by name.
const (
	readerWithFeatures = 3
	writerWithFeatures = 7
)

// Names of features that code asks for.
const (
	FeatureAppendOnly         = "appendOnly"
	FeatureInvariants         = "invariants"
	FeatureCheckConstraints   = "checkConstraints"
	FeatureChangeDataFeed     = "changeDataFeed"
	FeatureGeneratedColumns   = "generatedColumns"
	FeatureColumnMapping      = "columnMapping"
	FeatureIdentityColumns    = "identityColumns"
	FeatureColumnDefaults     = "allowColumnDefaults"
	FeatureDeletionVectors    = "deletionVectors"
	FeatureTimestampNTZ       = "timestampNtz"
	FeatureV2Checkpoint       = "v2Checkpoint"
	FeatureTypeWidening       = "typeWidening"
	FeatureRowTracking        = "rowTracking"
	FeatureDomainMetadata     = "domainMetadata"
	FeatureClustering         = "clustering"
	FeatureInCommitTimestamp  = "inCommitTimestamp"
	FeatureVacuumProtocol     = "vacuumProtocolCheck"
	FeatureVariant            = "variantType"
	FeatureIcebergCompatV1    = "icebergCompatV1"
	FeatureIcebergCompatV2    = "icebergCompatV2"
	FeatureCheckpointProtect  = "checkpointProtection"
	FeatureMaterializeColumns = "materializePartitionColumns"
)

// respect is what Tarn's writers do about a feature.
type respect uint8

const (
	never    respect = iota // the table is not written
	inactive                // the table is written as long as nothing in its metadata uses the feature
	always                  // the feature's rules are kept
)

// feature is one row of the table of features: all that the protocol gate knows.
type feature struct {
	name string
	// forReaders marks a feature that stands in both lists; others concern writers alone.
	forReaders bool
	// reader and writer are the lowest versions that imply the feature without a list; 0 when none does.
	reader, writer int
	// read reports whether Tarn reads tables that have the feature.
	read  bool
	write respect
	// inFiles marks a feature that is inactive, and of which files that another writer made hold all there is to know.
	inFiles bool
	// needs are features that come with it.
	needs []string
	// active reports whether a table uses the feature; nil counts every table that supports it as using it.
	active func(m *Metadata, s Schema) bool
}

func property(name string) func(*Metadata, Schema) bool {
	return func(m *Metadata, _ Schema) bool { return strings.EqualFold(m.Configuration[name], "true") }
}

func fieldKey(prefix string) func(*Metadata, Schema) bool {
	return func(_ *Metadata, s Schema) bool {
		return s.any(func(f Field) bool {
			found := false
			f.Metadata.each(func(k, _ string, _, _ int) { found = found || strings.HasPrefix(k, prefix) })
			return found
		})
	}
}

func usesKind(kinds ...types.Kind) func(*Metadata, Schema) bool {
	return func(_ *Metadata, s Schema) bool {
		return s.any(func(f Field) bool { return f.Type.holds(kinds) })
	}
}

func hasConstraint(m *Metadata, _ Schema) bool {
	for k := range m.Configuration {
		if strings.HasPrefix(strings.ToLower(k), "delta.constraints.") {
			return true
		}
	}
	return false
}

func mapped(m *Metadata, _ Schema) bool { return MappingModeOf(m) != MappingNone }

// features is the one place that says what Tarn can do with a Delta table.
var features = []feature{
	{name: FeatureAppendOnly, writer: 2, read: true, write: always, active: property("delta.appendOnly")},
	{name: FeatureInvariants, writer: 2, read: true, write: always, active: fieldKey(KeyInvariants)},
	{name: FeatureCheckConstraints, writer: 3, read: true, write: always, active: hasConstraint},
	{name: FeatureChangeDataFeed, writer: 4, read: true, write: inactive, inFiles: true, active: property("delta.enableChangeDataFeed")},
	{name: FeatureGeneratedColumns, writer: 4, read: true, write: always, active: fieldKey(KeyGeneration)},
	{name: FeatureColumnMapping, forReaders: true, reader: 2, writer: 5, read: true, write: always, active: mapped},
	{name: FeatureIdentityColumns, writer: 6, read: true, write: inactive, inFiles: true, active: fieldKey("delta.identity.")},
	{name: FeatureColumnDefaults, read: true, write: always, active: fieldKey(KeyCurrentDefault)},
	{name: FeatureDeletionVectors, forReaders: true, read: true, write: always, active: property("delta.enableDeletionVectors")},
	{name: FeatureTimestampNTZ, forReaders: true, read: true, write: always, active: usesKind(types.TimestampNTZ)},
	{name: FeatureV2Checkpoint, forReaders: true, read: true, write: always, active: checkpointPolicyV2},
	{name: FeatureVacuumProtocol, forReaders: true, read: true, write: always},
	{name: FeatureTypeWidening, forReaders: true, read: true, write: always, active: property("delta.enableTypeWidening")},
	{name: FeatureTypeWidening + "-preview", forReaders: true, read: true, write: always, active: property("delta.enableTypeWidening")},
	{name: FeatureVariant, forReaders: true, read: true, write: inactive, active: usesKind(types.Variant)},
	{name: FeatureVariant + "-preview", forReaders: true, read: true, write: inactive, active: usesKind(types.Variant)},
	{name: "variantShredding", forReaders: true, read: true, write: inactive, active: usesKind(types.Variant)},
	{name: "variantShredding-preview", forReaders: true, read: true, write: inactive, active: usesKind(types.Variant)},
	{name: "catalogManaged", forReaders: true},
	{name: "catalogOwned-preview", forReaders: true},
	{name: FeatureRowTracking, read: true, write: always, needs: []string{FeatureDomainMetadata}, active: property("delta.enableRowTracking")},
	{name: FeatureDomainMetadata, read: true, write: always},
	{name: FeatureClustering, read: true, write: always, needs: []string{FeatureDomainMetadata}},
	{name: FeatureInCommitTimestamp, read: true, write: always, active: property("delta.enableInCommitTimestamps")},
	{name: FeatureIcebergCompatV1, read: true, write: inactive, needs: []string{FeatureColumnMapping}, active: property("delta.enableIcebergCompatV1")},
	{name: FeatureIcebergCompatV2, read: true, write: inactive, needs: []string{FeatureColumnMapping}, active: property("delta.enableIcebergCompatV2")},
	{name: "icebergCompatV3", read: true, write: inactive, needs: []string{FeatureColumnMapping, FeatureRowTracking}, active: property("delta.enableIcebergCompatV3")},
	{name: FeatureMaterializeColumns, read: true, write: never},
	{name: FeatureCheckpointProtect, read: true, write: never},
	{name: "coordinatedCommits-preview", read: true, write: never},
	{name: "redirectWriterOnly-preview", read: true, write: never},
	{name: "redirectReaderWriter-preview", forReaders: true},
	{name: "geospatial", forReaders: true},
	{name: "geospatial-dev", forReaders: true},
	{name: "adaptiveMetadata-preview", forReaders: true},
}

func checkpointPolicyV2(m *Metadata, _ Schema) bool {
	return strings.EqualFold(m.Configuration["delta.checkpointPolicy"], "v2")
}

func findFeature(name string) *feature {
	for i := range features {
		if features[i].name == name {
			return &features[i]
		}
	}
	return nil
}

// any reports whether a field at any depth satisfies fn.
func (s Schema) any(fn func(Field) bool) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return fn(f) || f.Type.anyField(fn) })
}

func (t *Type) anyField(fn func(Field) bool) bool {
	if t == nil {
		return false
	}
	return Schema{Fields: t.Fields}.any(fn) || t.Key.anyField(fn) || t.Elem.anyField(fn)
}

// holds reports whether a type, outside of its struct fields, is or has a part of one of the kinds.
func (t *Type) holds(kinds []types.Kind) bool {
	return t != nil && (slices.Contains(kinds, t.Kind) || t.Key.holds(kinds) || t.Elem.holds(kinds))
}

// Features are the names of all features that the protocol supports, those implied by its versions included, sorted.
func (p *Protocol) Features() []string {
	set := map[string]bool{}
	for _, name := range p.ReaderFeatures {
		if p.MinReader >= readerWithFeatures {
			set[name] = true
		}
	}
	for _, name := range p.WriterFeatures {
		if p.MinWriter >= writerWithFeatures {
			set[name] = true
		}
	}
	for _, f := range features {
		if f.implied(p) {
			set[f.name] = true
		}
	}
	out := make([]string, 0, len(set))
	for name := range set {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// implied reports whether versions without lists bring the feature.
func (f *feature) implied(p *Protocol) bool {
	if f.writer == 0 || p.MinWriter >= writerWithFeatures || p.MinWriter < f.writer {
		return false
	}
	return !f.forReaders || p.MinReader >= f.reader
}

// Supports reports whether the protocol has the feature.
func (p *Protocol) Supports(name string) bool { return slices.Contains(p.Features(), name) }

// Active reports whether the table supports a feature and its metadata turn it on, or use it.
func Active(p *Protocol, m *Metadata, s Schema, name string) bool {
	f := findFeature(name)
	return f != nil && p.Supports(name) && (f.active == nil || f.active(m, s))
}

// CheckRead refuses a table that demands more of its readers than Tarn can do. table is its name or location. The errors
// are DELTA_INVALID_PROTOCOL_VERSION, DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE and DELTA_UNSUPPORTED_FEATURES_FOR_READ,
// which names the features.
func CheckRead(table string, p *Protocol) error {
	if err := checkVersions(table, p); err != nil {
		return err
	}
	if p.MinReader < readerWithFeatures {
		return nil
	}
	var bad []string
	for _, name := range p.ReaderFeatures {
		if f := findFeature(name); f == nil || !f.read {
			bad = append(bad, name)
		}
	}
	if len(bad) > 0 {
		sort.Strings(bad)
		return sqlerr.DeltaUnsupportedRead(table, bad)
	}
	return nil
}

func checkVersions(table string, p *Protocol) error {
	if p.MinReader < 1 || p.MinReader > readerWithFeatures || p.MinWriter < 1 || p.MinWriter > writerWithFeatures {
		return sqlerr.DeltaProtocolVersion(table, p.MinReader, p.MinWriter, readerWithFeatures, writerWithFeatures)
	}
	if p.MinReader == readerWithFeatures && p.MinWriter != writerWithFeatures {
		return sqlerr.DeltaReaderNeedsWriter(table, p.MinWriter)
	}
	return nil
}

// CheckWrite refuses a table that demands more of its writers than Tarn does: an unknown feature, or one that the table
// uses and Tarn does not keep. The error is DELTA_UNSUPPORTED_FEATURES_FOR_WRITE, besides those of CheckRead; and
// DELTA_UNSUPPORTED_DATA_TYPES for a schema that could not be read from a log again.
func CheckWrite(table string, p *Protocol, m *Metadata, s Schema) error {
	if odd := s.unknownTypes(); len(odd) > 0 {
		return sqlerr.DeltaDataTypes(table, odd)
	}
	return checkWrite(table, p, func(f *feature) bool { return f.active == nil || f.active(m, s) })
}

// CheckClone is CheckWrite for a commit that takes files over as they are: the rows of a change data feed follow from whole files that come
// and go, and values that a writer would have to make are in them.
func CheckClone(table string, p *Protocol, m *Metadata, s Schema) error {
	return checkWrite(table, p, func(f *feature) bool { return !f.inFiles && (f.active == nil || f.active(m, s)) })
}

// CheckAnnotate is CheckWrite for a commit that sets properties which mean nothing to the protocol. It changes no row, so that only a
// feature that is about commits themselves stands against it, or one that nobody knows.
func CheckAnnotate(table string, p *Protocol) error {
	return checkWrite(table, p, func(*feature) bool { return false })
}

func checkWrite(table string, p *Protocol, active func(*feature) bool) error {
	if err := CheckRead(table, p); err != nil {
		return err
	}
	var bad []string
	for _, name := range p.Features() {
		f := findFeature(name)
		switch {
		case f == nil, f.write == never:
			bad = append(bad, name)
		case f.write == inactive && active(f):
			bad = append(bad, name)
		}
	}
	if len(bad) > 0 {
		return sqlerr.DeltaUnsupportedWrite(table, bad)
	}
	return nil
}

// KnownFeature reports whether the protocol's text has a feature of that name, and whether Tarn's writers can take it on.
func KnownFeature(name string) (known, writable bool) {
	f := findFeature(name)
	return f != nil, f != nil && f.write != never
}
