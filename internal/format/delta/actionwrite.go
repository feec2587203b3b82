package delta

// AppendJSON appends the action as one line of a commit, the line's end included. An action without a kind appends nothing.
func (a Action) AppendJSON(dst []byte) []byte {
	w := &jsonWriter{buf: dst}
	start := len(dst)
	w.open('{')
	switch {
	case a.CommitInfo != nil:
		w.key("commitInfo")
		a.CommitInfo.write(w)
	case a.Protocol != nil:
		w.key("protocol")
		a.Protocol.write(w)
	case a.Metadata != nil:
		w.key("metaData")
		a.Metadata.write(w)
	case a.Add != nil:
		w.key("add")
		a.Add.write(w)
	case a.Remove != nil:
		w.key("remove")
		a.Remove.write(w)
	case a.CDC != nil:
		w.key("cdc")
		a.CDC.write(w)
	case a.Txn != nil:
		w.key("txn")
		a.Txn.write(w)
	case a.Domain != nil:
		w.key("domainMetadata")
		a.Domain.write(w)
	case a.CheckpointMetadata != nil:
		w.key("checkpointMetadata")
		a.CheckpointMetadata.write(w)
	case a.Sidecar != nil:
		w.key("sidecar")
		a.Sidecar.write(w)
	default:
		return dst[:start]
	}
	w.close('}')
	return append(w.buf, '\n')
}

func (a *Add) write(w *jsonWriter) {
	w.open('{')
	w.member("path", a.Path)
	a.PartitionValues.write(w)
	w.long("size", a.Size)
	w.long("modificationTime", a.ModificationTime)
	w.truth("dataChange", a.DataChange)
	w.optional("stats", a.Stats)
	if a.Tags != nil {
		w.texts("tags", a.Tags)
	}
	a.DeletionVector.write(w)
	w.optionalLong("baseRowId", a.BaseRowID)
	w.optionalLong("defaultRowCommitVersion", a.DefaultRowCommitVersion)
	w.optional("clusteringProvider", a.ClusteringProvider)
	w.close('}')
}

func (r *Remove) write(w *jsonWriter) {
	w.open('{')
	w.member("path", r.Path)
	w.optionalLong("deletionTimestamp", r.DeletionTimestamp)
	w.truth("dataChange", r.DataChange)
	if r.ExtendedFileMetadata {
		w.truth("extendedFileMetadata", true)
		r.PartitionValues.write(w)
		w.optionalLong("size", r.Size)
		if r.Tags != nil {
			w.texts("tags", r.Tags)
		}
	}
	w.optional("stats", r.Stats)
	r.DeletionVector.write(w)
	w.optionalLong("baseRowId", r.BaseRowID)
	w.optionalLong("defaultRowCommitVersion", r.DefaultRowCommitVersion)
	w.close('}')
}

func (c *CDC) write(w *jsonWriter) {
	w.open('{')
	w.member("path", c.Path)
	c.PartitionValues.write(w)
	w.long("size", c.Size)
	w.truth("dataChange", false)
	if c.Tags != nil {
		w.texts("tags", c.Tags)
	}
	w.close('}')
}

func (p PartitionTexts) write(w *jsonWriter) {
	w.key("partitionValues")
	w.open('{')
	for _, v := range p {
		w.key(v.Column)
		if v.Text == "" {
			w.raw("null")
		} else {
			w.str(v.Text)
		}
	}
	w.close('}')
}

func (d *DeletionVector) write(w *jsonWriter) {
	if d == nil {
		return
	}
	w.key("deletionVector")
	w.open('{')
	w.member("storageType", d.StorageType)
	w.member("pathOrInlineDv", d.PathOrInline)
	if d.Offset != nil {
		w.long("offset", int64(*d.Offset))
	}
	w.long("sizeInBytes", int64(d.SizeInBytes))
	w.long("cardinality", d.Cardinality)
	w.optionalLong("maxRowIndex", d.MaxRowIndex)
	w.close('}')
}

func (m *Metadata) write(w *jsonWriter) {
	w.open('{')
	w.member("id", m.ID)
	w.optional("name", m.Name)
	w.optional("description", m.Description)
	w.key("format")
	w.open('{')
	w.member("provider", m.Provider)
	w.texts("options", m.FormatOptions)
	w.close('}')
	// A table that never had a schema has null here: the empty text is none.
	w.optional("schemaString", m.SchemaString)
	w.list("partitionColumns", m.PartitionColumns)
	w.texts("configuration", m.Configuration)
	w.optionalLong("createdTime", m.CreatedTime)
	w.close('}')
}

func (p *Protocol) write(w *jsonWriter) {
	w.open('{')
	w.long("minReaderVersion", int64(p.MinReader))
	w.long("minWriterVersion", int64(p.MinWriter))
	if p.MinReader >= readerWithFeatures {
		w.list("readerFeatures", p.ReaderFeatures)
	}
	if p.MinWriter >= writerWithFeatures {
		w.list("writerFeatures", p.WriterFeatures)
	}
	w.close('}')
}

func (t *Txn) write(w *jsonWriter) {
	w.open('{')
	w.member("appId", t.AppID)
	w.long("version", t.Version)
	w.optionalLong("lastUpdated", t.LastUpdated)
	w.close('}')
}

func (d *Domain) write(w *jsonWriter) {
	w.open('{')
	w.member("domain", d.Domain)
	w.member("configuration", d.Configuration)
	w.truth("removed", d.Removed)
	w.close('}')
}

func (c *CheckpointMetadata) write(w *jsonWriter) {
	w.open('{')
	w.long("version", c.Version)
	if c.Tags != nil {
		w.texts("tags", c.Tags)
	}
	w.close('}')
}

func (s *Sidecar) write(w *jsonWriter) {
	w.open('{')
	w.member("path", s.Path)
	w.long("sizeInBytes", s.SizeInBytes)
	w.long("modificationTime", s.ModificationTime)
	if s.Tags != nil {
		w.texts("tags", s.Tags)
	}
	w.close('}')
}

func (c *CommitInfo) write(w *jsonWriter) {
	w.open('{')
	w.optionalLong("inCommitTimestamp", c.InCommitTimestamp)
	w.long("timestamp", c.Timestamp)
	w.optional("userId", c.UserID)
	w.optional("userName", c.UserName)
	w.optional("operation", c.Operation)
	w.key("operationParameters")
	w.open('{')
	for _, p := range c.OperationParameters {
		w.key(p.Name)
		w.raw(p.JSON)
	}
	w.close('}')
	w.optional("clusterId", c.ClusterID)
	w.optionalLong("readVersion", c.ReadVersion)
	w.optional("isolationLevel", c.IsolationLevel)
	if c.IsBlindAppend != nil {
		w.truth("isBlindAppend", *c.IsBlindAppend)
	}
	if c.OperationMetrics != nil {
		w.texts("operationMetrics", c.OperationMetrics)
	}
	if c.UserMetadata != nil {
		w.member("userMetadata", *c.UserMetadata)
	}
	if c.Tags != nil {
		w.texts("tags", c.Tags)
	}
	w.optional("engineInfo", c.EngineInfo)
	w.optional("txnId", c.TxnID)
	w.close('}')
}

// TextParameter is a parameter whose value is a text.
func TextParameter(name, value string) Parameter {
	return Parameter{name, string(appendJSONString(nil, value))}
}

// NullParameter is a parameter without a value.
func NullParameter(name string) Parameter { return Parameter{name, "null"} }

// LongParameter is a parameter whose value is a number.
func LongParameter(name string, n int64) Parameter { return Parameter{name, itoa(n)} }

// BoolParameter is a parameter whose value is true or false.
func BoolParameter(name string, v bool) Parameter {
	if v {
		return Parameter{name, "true"}
	}
	return Parameter{name, "false"}
}

// ListParameter is a parameter that is a list of texts, which Spark writes as a text that holds JSON.
func ListParameter(name string, values []string) Parameter {
	w := &jsonWriter{}
	w.open('[')
	for _, v := range values {
		w.str(v)
	}
	w.close(']')
	return TextParameter(name, string(w.buf))
}
