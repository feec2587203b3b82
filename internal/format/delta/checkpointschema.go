package delta

import "github.com/parquet-go/parquet-go"

// sidecarSchema is the schema of a file of file actions.
func sidecarSchema() *outSchema {
	s := &outSchema{root: parquet.Group{}}
	s.adds()
	s.removes()
	return s
}

// checkpointSchema is the schema of a checkpoint, as Spark writes it.
func checkpointSchema(v2 bool) *outSchema {
	s := sidecarSchema()
	txn := s.group("txn", func(a *Action) bool { return a.Txn != nil })
	txn.always("appId", func(a *Action) string { return a.Txn.AppID })
	txn.long("version", func(a *Action) int64 { return a.Txn.Version })
	txn.optionalLong("lastUpdated", func(a *Action) *int64 { return a.Txn.LastUpdated })

	m := s.group("metaData", func(a *Action) bool { return a.Metadata != nil })
	m.always("id", func(a *Action) string { return a.Metadata.ID })
	m.text("name", func(a *Action) string { return a.Metadata.Name })
	m.text("description", func(a *Action) string { return a.Metadata.Description })
	format := m.group("format", func(*Action) bool { return true })
	format.always("provider", func(a *Action) string { return a.Metadata.Provider })
	format.entries("options", true, func(a *Action) map[string]string { return a.Metadata.FormatOptions })
	m.text("schemaString", func(a *Action) string { return a.Metadata.SchemaString })
	m.list("partitionColumns", func(a *Action) []string { return append([]string{}, a.Metadata.PartitionColumns...) })
	m.entries("configuration", true, func(a *Action) map[string]string { return a.Metadata.Configuration })
	m.optionalLong("createdTime", func(a *Action) *int64 { return a.Metadata.CreatedTime })

	p := s.group("protocol", func(a *Action) bool { return a.Protocol != nil })
	p.integer("minReaderVersion", func(a *Action) *int32 { n := int32(a.Protocol.MinReader); return &n })
	p.integer("minWriterVersion", func(a *Action) *int32 { n := int32(a.Protocol.MinWriter); return &n })
	p.list("readerFeatures", func(a *Action) []string {
		if a.Protocol.MinReader < readerWithFeatures {
			return nil
		}
		return append([]string{}, a.Protocol.ReaderFeatures...)
	})
	p.list("writerFeatures", func(a *Action) []string {
		if a.Protocol.MinWriter < writerWithFeatures {
			return nil
		}
		return append([]string{}, a.Protocol.WriterFeatures...)
	})

	d := s.group("domainMetadata", func(a *Action) bool { return a.Domain != nil })
	d.always("domain", func(a *Action) string { return a.Domain.Domain })
	d.always("configuration", func(a *Action) string { return a.Domain.Configuration })
	d.truth("removed", func(a *Action) bool { return a.Domain.Removed })
	if !v2 {
		return s
	}
	c := s.group("checkpointMetadata", func(a *Action) bool { return a.CheckpointMetadata != nil })
	c.long("version", func(a *Action) int64 { return a.CheckpointMetadata.Version })
	c.entries("tags", false, func(a *Action) map[string]string { return a.CheckpointMetadata.Tags })
	f := s.group("sidecar", func(a *Action) bool { return a.Sidecar != nil })
	f.always("path", func(a *Action) string { return a.Sidecar.Path })
	f.long("sizeInBytes", func(a *Action) int64 { return a.Sidecar.SizeInBytes })
	f.long("modificationTime", func(a *Action) int64 { return a.Sidecar.ModificationTime })
	f.entries("tags", false, func(a *Action) map[string]string { return a.Sidecar.Tags })
	return s
}

func (s *outSchema) adds() {
	g := s.group("add", func(a *Action) bool { return a.Add != nil })
	g.always("path", func(a *Action) string { return a.Add.Path })
	g.values("partitionValues", func(a *Action) (PartitionTexts, bool) { return a.Add.PartitionValues, true })
	g.long("size", func(a *Action) int64 { return a.Add.Size })
	g.long("modificationTime", func(a *Action) int64 { return a.Add.ModificationTime })
	// A checkpoint changes no data.
	g.truth("dataChange", func(*Action) bool { return false })
	g.entries("tags", false, func(a *Action) map[string]string { return a.Add.Tags })
	g.vector(func(a *Action) *DeletionVector { return a.Add.DeletionVector })
	g.optionalLong("baseRowId", func(a *Action) *int64 { return a.Add.BaseRowID })
	g.optionalLong("defaultRowCommitVersion", func(a *Action) *int64 { return a.Add.DefaultRowCommitVersion })
	g.text("clusteringProvider", func(a *Action) string { return a.Add.ClusteringProvider })
	g.text("stats", func(a *Action) string { return a.Add.Stats })
}

// removes have neither statistics nor tags in a checkpoint.
func (s *outSchema) removes() {
	g := s.group("remove", func(a *Action) bool { return a.Remove != nil })
	g.always("path", func(a *Action) string { return a.Remove.Path })
	g.optionalLong("deletionTimestamp", func(a *Action) *int64 { return a.Remove.DeletionTimestamp })
	g.truth("dataChange", func(*Action) bool { return false })
	g.truth("extendedFileMetadata", func(a *Action) bool { return a.Remove.ExtendedFileMetadata })
	g.values("partitionValues", func(a *Action) (PartitionTexts, bool) {
		return a.Remove.PartitionValues, a.Remove.ExtendedFileMetadata
	})
	g.optionalLong("size", func(a *Action) *int64 { return a.Remove.Size })
	g.vector(func(a *Action) *DeletionVector { return a.Remove.DeletionVector })
	g.optionalLong("baseRowId", func(a *Action) *int64 { return a.Remove.BaseRowID })
	g.optionalLong("defaultRowCommitVersion", func(a *Action) *int64 { return a.Remove.DefaultRowCommitVersion })
}

func (g *outGroup) vector(of func(a *Action) *DeletionVector) {
	v := g.group("deletionVector", func(a *Action) bool { return of(a) != nil })
	v.always("storageType", func(a *Action) string { return of(a).StorageType })
	v.always("pathOrInlineDv", func(a *Action) string { return of(a).PathOrInline })
	v.integer("offset", func(a *Action) *int32 { return of(a).Offset })
	v.integer("sizeInBytes", func(a *Action) *int32 { return &of(a).SizeInBytes })
	v.long("cardinality", func(a *Action) int64 { return of(a).Cardinality })
	v.optionalLong("maxRowIndex", func(a *Action) *int64 { return of(a).MaxRowIndex })
}
