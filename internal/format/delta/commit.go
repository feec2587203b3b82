package delta

import (
	"errors"
	"maps"
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Commit is what one version changes, before it has a number.
type Commit struct {
	Info     CommitInfo
	Protocol *Protocol // nil keeps the table's
	Metadata *Metadata // nil keeps the table's
	Txns     []*Txn
	Domains  []*Domain
	Removes  []*Remove
	Adds     []*Add
	CDC      []*CDC
}

// ChangesData reports whether the commit changes the table's rows, as opposed to their arrangement or its metadata.
func (c *Commit) ChangesData() bool {
	return slices.ContainsFunc(c.Adds, func(a *Add) bool { return a.DataChange }) || slices.ContainsFunc(c.Removes, func(r *Remove) bool { return r.DataChange })
}

// Encode writes the commit as the version after base, which is nil for the first one; now is in milliseconds since the
// epoch. It is called anew for each attempt: in-commit timestamps and row ids follow from the base. c stays as it is, and
// the actions are those that the bytes hold. Errors are DELTA_DUPLICATE_ACTIONS_FOUND and others for commits that the
// protocol forbids.
func (c *Commit) Encode(base *State, now int64) (actions []Action, data []byte, err error) {
	actions, err = c.Actions(base, now)
	if err != nil {
		return nil, nil, err
	}
	// One guess at the size spares a large commit many copies of itself.
	size := 4096
	for _, a := range c.Adds {
		size += len(a.Path) + len(a.Stats)*5/4 + 256
	}
	data = make([]byte, 0, size)
	for i := range actions {
		data = actions[i].AppendJSON(data)
	}
	return actions, data, nil
}

// Actions are the lines of the commit as the version after base, in their order: commitInfo first, as in-commit
// timestamps demand.
func (c *Commit) Actions(base *State, now int64) ([]Action, error) {
	if err := c.check(base); err != nil {
		return nil, err
	}
	protocol, metadata, version := c.Protocol, c.Metadata, int64(0)
	if base != nil {
		version = base.Version + 1
		if protocol == nil {
			protocol = base.Protocol
		}
		if metadata == nil {
			metadata = base.Metadata
		}
	}
	info := c.Info
	info.Timestamp = now
	domains := slices.Clone(c.Domains)
	written := metadata
	if property("delta.enableInCommitTimestamps")(metadata, Schema{}) && protocol.Supports(FeatureInCommitTimestamp) {
		at := now
		if base != nil && base.InCommitTimestamp != nil {
			at = max(at, *base.InCommitTimestamp+1)
		}
		info.InCommitTimestamp, info.Timestamp = &at, at
		written = enablement(base, metadata, version, at)
	}
	adds := c.Adds
	if protocol.Supports(FeatureRowTracking) && !property("delta.rowTrackingSuspended")(metadata, Schema{}) {
		var mark *Domain
		var err error
		if adds, mark, err = assignRowIDs(base, c, version); err != nil {
			return nil, err
		}
		if mark != nil {
			domains = append(slices.DeleteFunc(domains, func(d *Domain) bool { return d.Domain == rowTrackingDomain }), mark)
		}
		if _, said := info.Tags[rowsPreserved]; !said && len(c.Removes) > 0 {
			// Rows that were rewritten got new ids, which readers of changes must be told.
			info.Tags = maps.Clone(info.Tags)
			if info.Tags == nil {
				info.Tags = map[string]string{}
			}
			info.Tags[rowsPreserved] = "false"
		}
	}
	actions := make([]Action, 1, 3+len(c.Txns)+len(domains)+len(c.Removes)+len(adds)+len(c.CDC))
	actions[0].CommitInfo = &info
	if c.Protocol != nil {
		actions = append(actions, Action{Protocol: c.Protocol})
	}
	if c.Metadata != nil || written != metadata {
		actions = append(actions, Action{Metadata: written})
	}
	for _, t := range c.Txns {
		actions = append(actions, Action{Txn: t})
	}
	for _, d := range domains {
		actions = append(actions, Action{Domain: d})
	}
	for _, r := range c.Removes {
		actions = append(actions, Action{Remove: r})
	}
	for _, a := range adds {
		actions = append(actions, Action{Add: a})
	}
	for _, f := range c.CDC {
		actions = append(actions, Action{CDC: f})
	}
	return actions, nil
}

// enablement notes the version from which on commits have a timestamp of their own, when this is the one and not the first. What the
// metadata of a clone, a restored version or a statement says of it is about other commits than those of this table.
func enablement(base *State, m *Metadata, version, at int64) *Metadata {
	const atVersion, atTime = "delta.inCommitTimestampEnablementVersion", "delta.inCommitTimestampEnablementTimestamp"
	want := map[string]string{}
	switch {
	case base == nil:
	case property("delta.enableInCommitTimestamps")(base.Metadata, Schema{}):
		for _, k := range []string{atVersion, atTime} {
			if v, ok := base.Metadata.Configuration[k]; ok {
				want[k] = v
			}
		}
	default:
		want[atVersion], want[atTime] = itoa(version), itoa(at)
	}
	same := true
	for _, k := range []string{atVersion, atTime} {
		has, ok := m.Configuration[k]
		wanted, is := want[k]
		same = same && ok == is && has == wanted
	}
	if same {
		return m
	}
	return m.Without(atVersion, atTime).With(want)
}

// check refuses what the protocol forbids in one commit.
func (c *Commit) check(base *State) error {
	if base == nil && (c.Protocol == nil || c.Metadata == nil) {
		return errors.New("the first commit of a Delta table must have a protocol and metadata")
	}
	keys := map[FileKey]bool{}
	paths := make(map[string]bool, len(c.Adds))
	for _, a := range c.Adds {
		k := a.Key()
		if paths[k.Path] {
			return sqlerr.DeltaDuplicateActions("add", a.Path, "an add")
		}
		paths[k.Path] = true
		if len(c.Removes) > 0 {
			keys[k] = true
		}
	}
	clear(paths)
	for _, r := range c.Removes {
		k := r.Key()
		if paths[k.Path] {
			return sqlerr.DeltaDuplicateActions("remove", r.Path, "a remove")
		}
		if keys[k] {
			return sqlerr.DeltaDuplicateActions("remove", r.Path, "an add")
		}
		paths[k.Path] = true
	}
	apps := map[string]bool{}
	for _, t := range c.Txns {
		if apps[t.AppID] {
			return sqlerr.DeltaDuplicateActions("txn", t.AppID, "a txn")
		}
		apps[t.AppID] = true
	}
	clear(apps)
	for _, d := range c.Domains {
		if apps[d.Domain] {
			return sqlerr.DeltaDuplicateDomain(d.Domain)
		}
		apps[d.Domain] = true
	}
	metadata := c.Metadata
	if metadata == nil && base != nil {
		metadata = base.Metadata
	}
	if property("delta.appendOnly")(metadata, Schema{}) && slices.ContainsFunc(c.Removes, func(r *Remove) bool { return r.DataChange }) {
		return sqlerr.DeltaAppendOnly()
	}
	return nil
}

// rowTrackingDomain keeps the highest row id that was given; rowsPreserved is the tag of commits that says whether rewritten rows
// kept theirs.
const (
	rowTrackingDomain = "delta.rowTracking"
	rowsPreserved     = "delta.rowTracking.preserved"
)

// assignRowIDs gives the new files of a commit their row ids above the table's mark, and the new mark. Files that have ids
// keep them.
func assignRowIDs(base *State, c *Commit, version int64) ([]*Add, *Domain, error) {
	mark := int64(-1)
	if base != nil {
		if d := base.Domain(rowTrackingDomain); d != nil {
			r := &jsonReader{text: d.Configuration}
			r.object(func(key string) {
				if key == "rowIdHighWaterMark" {
					mark = r.long()
					return
				}
				r.skip()
			})
		}
	}
	before := mark
	out := make([]*Add, len(c.Adds))
	for i, a := range c.Adds {
		b := *a
		if b.BaseRowID == nil {
			s, ok := ParseStats(a.Stats)
			if !ok || s.NumRecords < 0 {
				return nil, nil, sqlerr.DeltaRowIDsWithoutStats()
			}
			first := mark + 1
			b.BaseRowID = &first
			mark += s.NumRecords
		}
		if b.DefaultRowCommitVersion == nil {
			b.DefaultRowCommitVersion = &version
		}
		out[i] = &b
	}
	if mark == before {
		return out, nil, nil
	}
	return out, &Domain{Domain: rowTrackingDomain, Configuration: `{"rowIdHighWaterMark":` + itoa(mark) + `}`}, nil
}
