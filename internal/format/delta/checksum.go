package delta

// Checksum is a version's .crc file: what its state adds up to. Readers work without it.
type Checksum struct {
	TxnID             string
	TableSizeBytes    int64
	NumFiles          int64
	InCommitTimestamp *int64 // milliseconds since the epoch
	Txns              []*Txn
	Domains           []*Domain // live ones
	// HasTxns and HasDomains tell an empty list from none.
	HasTxns, HasDomains bool
	Metadata            *Metadata
	Protocol            *Protocol
	// NumDeletedRecords and NumDeletionVectors are nil when the writer did not count.
	NumDeletedRecords, NumDeletionVectors *int64
}

// ParseChecksum reads a .crc file. The error is a plain one: callers go on without it.
func ParseChecksum(data []byte) (Checksum, error) {
	c := Checksum{TableSizeBytes: -1, NumFiles: -1}
	r := &jsonReader{text: string(data)}
	r.object(func(key string) {
		switch key {
		case "txnId":
			c.TxnID = r.strOr()
		case "tableSizeBytes":
			c.TableSizeBytes = r.long()
		case "numFiles":
			c.NumFiles = r.long()
		case "inCommitTimestampOpt":
			c.InCommitTimestamp = r.longOrNil()
		case "numDeletedRecordsOpt":
			c.NumDeletedRecords = r.longOrNil()
		case "numDeletionVectorsOpt":
			c.NumDeletionVectors = r.longOrNil()
		case "setTransactions":
			c.HasTxns = !r.null()
			r.array(func() { c.Txns = append(c.Txns, readTxn(r)) })
		case "domainMetadata":
			c.HasDomains = !r.null()
			r.array(func() { c.Domains = append(c.Domains, readDomain(r)) })
		case "metadata":
			if !r.null() {
				c.Metadata = readMetadata(r)
			}
		case "protocol":
			if !r.null() {
				c.Protocol = readProtocol(r)
			}
		default:
			r.skip()
		}
	})
	r.end()
	switch {
	case !r.ok():
		return Checksum{}, malformed(r.fault)
	case c.TableSizeBytes < 0 || c.NumFiles < 0:
		return Checksum{}, malformed("the number of files and their size are missing")
	}
	return c, nil
}

// ChecksumOf sums up a state; txnID is that of the commit that made it, "" when it has none.
func ChecksumOf(s *State, txnID string) Checksum {
	var deleted, vectors int64
	for v := range s.vectors() {
		vectors++
		deleted += v.Cardinality
	}
	return Checksum{
		TxnID: txnID, TableSizeBytes: s.SizeInBytes(), NumFiles: int64(s.NumFiles()), InCommitTimestamp: s.InCommitTimestamp,
		Txns: s.Txns(), HasTxns: true, Domains: s.Domains(), HasDomains: true, Metadata: s.Metadata, Protocol: s.Protocol,
		NumDeletedRecords: &deleted, NumDeletionVectors: &vectors,
	}
}

// JSON is the text of the .crc file.
func (c Checksum) JSON() []byte {
	w := &jsonWriter{}
	w.open('{')
	w.optional("txnId", c.TxnID)
	w.long("tableSizeBytes", c.TableSizeBytes)
	w.long("numFiles", c.NumFiles)
	w.optionalLong("numDeletedRecordsOpt", c.NumDeletedRecords)
	w.optionalLong("numDeletionVectorsOpt", c.NumDeletionVectors)
	w.long("numMetadata", 1)
	w.long("numProtocol", 1)
	w.optionalLong("inCommitTimestampOpt", c.InCommitTimestamp)
	if c.HasTxns {
		w.key("setTransactions")
		w.open('[')
		for _, t := range c.Txns {
			t.write(w)
		}
		w.close(']')
	}
	if c.HasDomains {
		w.key("domainMetadata")
		w.open('[')
		for _, d := range c.Domains {
			d.write(w)
		}
		w.close(']')
	}
	w.key("metadata")
	c.Metadata.write(w)
	w.key("protocol")
	c.Protocol.write(w)
	w.close('}')
	return w.buf
}
