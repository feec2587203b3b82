package delta

import (
	"bytes"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// ParseAction reads one line of a commit. Unknown actions and unknown fields are ignored: ok is false when the line holds
// nothing that is known. The error is a plain one that says what is wrong: the caller knows which file it was.
func ParseAction(line string) (a Action, ok bool, err error) {
	return parseAction(&jsonReader{text: line})
}

func parseAction(r *jsonReader) (a Action, ok bool, err error) {
	if r.peek() != '{' {
		r.fail("an object is wanted")
	}
	r.object(func(key string) {
		if r.null() {
			return
		}
		switch key {
		case "add":
			a.Add = readAdd(r)
		case "remove":
			a.Remove = readRemove(r)
		case "commitInfo":
			a.CommitInfo = readCommitInfo(r)
		case "metaData":
			a.Metadata = readMetadata(r)
		case "protocol":
			a.Protocol = readProtocol(r)
		case "txn":
			a.Txn = readTxn(r)
		case "domainMetadata":
			a.Domain = readDomain(r)
		case "cdc":
			a.CDC = readCDC(r)
		case "checkpointMetadata":
			a.CheckpointMetadata = readCheckpointMetadata(r)
		case "sidecar":
			a.Sidecar = readSidecar(r)
		default:
			r.skip()
			return
		}
		ok = true
	})
	r.end()
	if !r.ok() {
		return Action{}, false, malformed(r.fault)
	}
	return a, ok, nil
}

// malformed is a fault of a text, as its readers report it to the function that knows the file.
type malformed string

func (m malformed) Error() string { return string(m) }

// minAction is the least length of a line that holds an action, or nearly so.
const minAction = 32

// ParseActions reads a file of actions, one a line; blank lines are ignored. version and name are for the error, which is
// DELTA_LOG_FILE_MALFORMED.
func ParseActions(name string, data []byte) ([]Action, error) {
	out := make([]Action, 0, min(bytes.Count(data, []byte("\n"))+1, len(data)/minAction+1))
	err := EachAction(name, data, func(a Action) error {
		out = append(out, a)
		return nil
	})
	return out, err
}

// EachAction calls fn for each known action of a file, in its order.
func EachAction(name string, data []byte, fn func(Action) error) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	text := string(data)
	r := &jsonReader{shelf: newShelf(len(data))}
	for number := 1; text != ""; number++ {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		r.reset(line)
		a, ok, err := parseAction(r)
		if err != nil {
			return errLogFile(name, number, err)
		}
		if !ok {
			continue
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

func readAdd(r *jsonReader) *Add {
	a := &Add{}
	r.object(func(key string) {
		switch key {
		case "path":
			a.Path = r.strOr()
		case "partitionValues":
			a.PartitionValues = readPartitionTexts(r)
		case "size":
			a.Size = r.long()
		case "modificationTime":
			a.ModificationTime = r.long()
		case "dataChange":
			a.DataChange = r.truth()
		case "stats":
			a.Stats = r.strOr()
		case "tags":
			a.Tags = r.texts()
		case "deletionVector":
			a.DeletionVector = readDeletionVector(r)
		case "baseRowId":
			a.BaseRowID = r.longOrNil()
		case "defaultRowCommitVersion":
			a.DefaultRowCommitVersion = r.longOrNil()
		case "clusteringProvider":
			a.ClusteringProvider = r.strOr()
		default:
			r.skip()
		}
	})
	if a.Path == "" {
		r.fail("an add has no path")
	}
	return a
}

func readRemove(r *jsonReader) *Remove {
	a := &Remove{}
	r.object(func(key string) {
		switch key {
		case "path":
			a.Path = r.strOr()
		case "deletionTimestamp":
			a.DeletionTimestamp = r.longOrNil()
		case "dataChange":
			a.DataChange = r.truth()
		case "extendedFileMetadata":
			a.ExtendedFileMetadata = r.truth()
		case "partitionValues":
			a.PartitionValues = readPartitionTexts(r)
		case "size":
			a.Size = r.longOrNil()
		case "stats":
			a.Stats = r.strOr()
		case "tags":
			a.Tags = r.texts()
		case "deletionVector":
			a.DeletionVector = readDeletionVector(r)
		case "baseRowId":
			a.BaseRowID = r.longOrNil()
		case "defaultRowCommitVersion":
			a.DefaultRowCommitVersion = r.longOrNil()
		default:
			r.skip()
		}
	})
	if a.Path == "" {
		r.fail("a remove has no path")
	}
	return a
}

func readCDC(r *jsonReader) *CDC {
	a := &CDC{}
	r.object(func(key string) {
		switch key {
		case "path":
			a.Path = r.strOr()
		case "partitionValues":
			a.PartitionValues = readPartitionTexts(r)
		case "size":
			a.Size = r.long()
		case "tags":
			a.Tags = r.texts()
		default:
			r.skip()
		}
	})
	if a.Path == "" {
		r.fail("a cdc has no path")
	}
	return a
}

// readPartitionTexts reads an object of texts; null is "", as in PartitionText. Of a key that comes twice the last counts.
func readPartitionTexts(r *jsonReader) PartitionTexts {
	var p PartitionTexts
	r.object(func(key string) {
		text := ""
		switch {
		case r.null():
		case r.peek() == '"':
			text = r.shelf.name(r.token())
		default:
			text = r.shelf.name(r.raw())
		}
		for i := range p {
			if p[i].Column == key {
				p[i].Text = text
				return
			}
		}
		p = append(p, PartitionText{r.shelf.name(key), text})
	})
	if len(p) > 1 {
		p.sort()
	}
	return p
}

func readDeletionVector(r *jsonReader) *DeletionVector {
	if r.null() {
		return nil
	}
	d := &DeletionVector{}
	r.object(func(key string) {
		switch key {
		case "storageType":
			d.StorageType = r.strOr()
		case "pathOrInlineDv":
			d.PathOrInline = r.strOr()
		case "offset":
			if !r.null() {
				n := int32(r.integer())
				d.Offset = &n
			}
		case "sizeInBytes":
			d.SizeInBytes = int32(r.integer())
		case "cardinality":
			d.Cardinality = r.long()
		case "maxRowIndex":
			d.MaxRowIndex = r.longOrNil()
		default:
			r.skip()
		}
	})
	if d.StorageType == "" && d.PathOrInline == "" {
		return nil
	}
	return d
}

func readMetadata(r *jsonReader) *Metadata {
	m := &Metadata{}
	r.object(func(key string) {
		switch key {
		case "id":
			m.ID = r.strOr()
		case "name":
			m.Name = r.strOr()
		case "description":
			m.Description = r.strOr()
		case "format":
			r.object(func(key string) {
				switch key {
				case "provider":
					m.Provider = r.strOr()
				case "options":
					m.FormatOptions = r.texts()
				default:
					r.skip()
				}
			})
		case "schemaString":
			m.SchemaString = r.strOr()
		case "partitionColumns":
			m.PartitionColumns = r.list()
		case "createdTime":
			m.CreatedTime = r.longOrNil()
		case "configuration":
			m.Configuration = r.texts()
		default:
			r.skip()
		}
	})
	return m
}

func readProtocol(r *jsonReader) *Protocol {
	p := &Protocol{}
	r.object(func(key string) {
		switch key {
		case "minReaderVersion":
			p.MinReader = r.integer()
		case "minWriterVersion":
			p.MinWriter = r.integer()
		case "readerFeatures":
			p.ReaderFeatures = r.list()
		case "writerFeatures":
			p.WriterFeatures = r.list()
		default:
			r.skip()
		}
	})
	return p
}

func readTxn(r *jsonReader) *Txn {
	t := &Txn{}
	r.object(func(key string) {
		switch key {
		case "appId":
			t.AppID = r.strOr()
		case "version":
			t.Version = r.long()
		case "lastUpdated":
			t.LastUpdated = r.longOrNil()
		default:
			r.skip()
		}
	})
	return t
}

func readDomain(r *jsonReader) *Domain {
	d := &Domain{}
	r.object(func(key string) {
		switch key {
		case "domain":
			d.Domain = r.strOr()
		case "configuration":
			d.Configuration = r.strOr()
		case "removed":
			d.Removed = r.truth()
		default:
			r.skip()
		}
	})
	return d
}

func readCheckpointMetadata(r *jsonReader) *CheckpointMetadata {
	c := &CheckpointMetadata{}
	r.object(func(key string) {
		switch key {
		case "version":
			c.Version = r.long()
		case "tags":
			c.Tags = r.texts()
		default:
			r.skip()
		}
	})
	return c
}

func readSidecar(r *jsonReader) *Sidecar {
	s := &Sidecar{}
	r.object(func(key string) {
		switch key {
		case "path":
			s.Path = r.strOr()
		case "sizeInBytes":
			s.SizeInBytes = r.long()
		case "modificationTime":
			s.ModificationTime = r.long()
		case "tags":
			s.Tags = r.texts()
		default:
			r.skip()
		}
	})
	if s.Path == "" {
		r.fail("a sidecar has no path")
	}
	return s
}

// readCommitInfo never fails for a member of an unexpected kind: the protocol lets a commitInfo be any object.
func readCommitInfo(r *jsonReader) *CommitInfo {
	c := &CommitInfo{}
	r.object(func(key string) {
		m := &jsonReader{text: r.raw(), shelf: r.shelf}
		switch key {
		case "timestamp":
			c.Timestamp = m.long()
		case "inCommitTimestamp":
			c.InCommitTimestamp = m.longOrNil()
		case "operation":
			c.Operation = m.strOr()
		case "operationParameters":
			m.object(func(name string) {
				c.OperationParameters = append(c.OperationParameters, Parameter{r.shelf.keep(name), r.shelf.keep(m.raw())})
			})
		case "operationMetrics":
			c.OperationMetrics = m.texts()
		case "readVersion":
			c.ReadVersion = m.longOrNil()
		case "isolationLevel":
			c.IsolationLevel = m.strOr()
		case "isBlindAppend":
			if !m.null() {
				v := m.truth()
				if m.ok() {
					c.IsBlindAppend = &v
				}
			}
		case "engineInfo":
			c.EngineInfo = m.strOr()
		case "txnId":
			c.TxnID = m.strOr()
		case "userId":
			c.UserID = m.strOr()
		case "userName":
			c.UserName = m.strOr()
		case "userMetadata":
			if !m.null() {
				v := m.str()
				if m.ok() {
					c.UserMetadata = &v
				}
			}
		case "clusterId":
			c.ClusterID = m.strOr()
		case "tags":
			c.Tags = m.texts()
		}
	})
	return c
}
