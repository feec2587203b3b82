package delta

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/storage"
)

// checkpointInterval is after how many commits a checkpoint is written, by delta.checkpointInterval.
func checkpointInterval(m *protocol.Metadata) int64 {
	if n, err := strconv.ParseInt(m.Configuration["delta.checkpointInterval"], 10, 64); err == nil && n > 0 {
		return n
	}
	return 10
}

// checkpointRow is about as much as a file takes in a checkpoint, in bytes.
const checkpointRow = 96

// Checkpoint writes a checkpoint of the snapshot's version, and then the hint that says where it is. A checkpoint is read
// back before it gets its name, since one that ends early would hide files from every reader.
func (s *Snapshot) Checkpoint(ctx context.Context) error {
	l, now := s.Log, s.Log.logs.Now()
	s, removes, err := s.withTombstones(ctx, now.Add(-FileRetention(s.Metadata)))
	if err != nil {
		return err
	}
	var opt protocol.CheckpointOptions
	if d := interval(s.Metadata, "delta.setTransactionRetentionDuration", 0); d > 0 {
		opt.KeepTxnsAfter = now.Add(-d).UnixMilli()
	}
	opt.V2 = s.UsesV2Checkpoint()
	var data bytes.Buffer
	data.Grow(s.NumFiles() * checkpointRow)
	sum, err := protocol.WriteCheckpoint(&data, s.State, removes, opt)
	if err != nil {
		return err
	}
	// V2 content is at home under the classic name, too, by which clients that know no V2 find the protocol that says so.
	name := protocol.ClassicCheckpointName(s.Version)
	if err := protocol.VerifyCheckpoint(name, bytes.NewReader(data.Bytes()), int64(data.Len()), sum); err != nil {
		return fmt.Errorf("a checkpoint that was written cannot be read back: %w", err)
	}
	l.logs.point("delta-checkpoint")
	if _, err := l.bucket.Put(ctx, l.dir+name, bytes.NewReader(data.Bytes()), storage.Condition{}); err != nil {
		return failure(err)
	}
	size, adds := int64(data.Len()), sum.Adds
	hint := protocol.Hint{Version: s.Version, Size: sum.Actions, SizeInBytes: &size, NumOfAddFiles: &adds}
	l.logs.point("delta-hint")
	if old, err := l.hint(ctx); err == nil && old > s.Version {
		return nil // another writer was further
	}
	_, err = l.bucket.Put(ctx, l.dir+protocol.LastCheckpoint, bytes.NewReader(hint.JSON()), storage.Condition{})
	return failure(err)
}

// cleanUp removes the files of versions that a kept checkpoint stands for and whose time is over: what is older than the
// newest checkpoint that is itself past the retention. Without such a checkpoint nothing goes.
func (s *Snapshot) cleanUp(ctx context.Context) error {
	if strings.EqualFold(s.Metadata.Configuration["delta.enableExpiredLogCleanup"], "false") || s.Protocol.Supports(protocol.FeatureCheckpointProtect) {
		return nil
	}
	l := s.Log
	cutoff := l.logs.Now().Add(-LogRetention(s.Metadata)).UTC().Truncate(day).UnixMilli()
	all, err := l.list(ctx, 0)
	if err != nil {
		return err
	}
	last := all.expired(cutoff)
	if last < 0 {
		return nil
	}
	segments, err := protocol.Segments(l.where(""), all.files, last)
	if err != nil || segments[0].Checkpoint < 0 {
		return nil // no checkpoint stands for what would go
	}
	kept := segments[0].Checkpoint
	var gone []string
	for _, f := range all.files {
		n := protocol.ParseLogName(f.Name)
		if n.Kind != protocol.UnknownLogFile && n.Version < kept && (n.Kind == protocol.CommitFile || f.Modified <= cutoff) {
			gone = append(gone, l.dir+f.Name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	l.logs.point("delta-cleanup")
	if err := l.bucket.Delete(ctx, gone...); err != nil {
		return failure(err)
	}
	return l.cleanSidecars(ctx)
}

// sidecarGrace is the least age of a sidecar that no checkpoint names: younger ones may belong to a checkpoint that is being written.
const sidecarGrace = day

// cleanSidecars removes the sidecars that no checkpoint of the log names any more. A checkpoint that cannot be read may name any of
// them: then all stay.
func (l *Log) cleanSidecars(ctx context.Context) error {
	before := l.logs.Now().Add(-sidecarGrace)
	old := map[string]bool{}
	dir := l.dir + protocol.SidecarDir + "/"
	for o, err := range l.bucket.List(ctx, dir, "", false) {
		if err != nil {
			if absent(err) {
				return nil
			}
			return failure(err)
		}
		if !o.IsPrefix && o.ModTime.Before(before) {
			old[o.Key] = true
		}
	}
	if len(old) == 0 {
		return nil
	}
	all, err := l.list(ctx, 0)
	if err != nil {
		return err
	}
	for _, f := range all.files {
		if kind := protocol.ParseLogName(f.Name); !kind.IsCheckpoint() || kind.Kind == protocol.MultiPartCheckpoint {
			continue
		}
		c, err := l.checkpointFile(ctx, l.bucket, l.dir+f.Name, protocol.AddedFiles)
		if err != nil {
			return err
		}
		for _, s := range c.Sidecars {
			key := dir + protocol.DecodePath(s.Path)
			if protocol.IsAbsolutePath(s.Path) {
				loc, err := storage.ParseLocation(protocol.ResolvePath(l.root.String(), s.Path), "")
				if err != nil {
					return failure(err)
				}
				key = loc.Key()
			}
			delete(old, key)
		}
	}
	if len(old) == 0 {
		return nil
	}
	return failure(l.bucket.Delete(ctx, slices.Sorted(maps.Keys(old))...))
}

// expired is the last of the commits from the beginning on that are not younger than a time in milliseconds, -1 for none. A commit
// counts as no older than those before it, as in time travel: what is left of the log has no gap then, whatever a copy of the
// table or a clock did to the times of its files.
func (all *listing) expired(cutoff int64) int64 {
	last, at := int64(-1), int64(math.MinInt64)
	for _, v := range slices.Sorted(maps.Keys(all.commits)) {
		if at = max(at, all.commits[v].Modified); at > cutoff {
			break
		}
		last = v
	}
	return last
}

// interval is a property that is a length of time, written INTERVAL 30 DAYS or 30 days as Spark's calendar intervals are.
func interval(m *protocol.Metadata, name string, otherwise time.Duration) time.Duration {
	fields := strings.Fields(strings.ToLower(m.Configuration[name]))
	if len(fields) > 0 && fields[0] == "interval" {
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields)%2 != 0 {
		return otherwise
	}
	var total time.Duration
	for i := 0; i < len(fields); i += 2 {
		n, err := strconv.ParseInt(strings.Trim(fields[i], "'"), 10, 32)
		unit, ok := units[strings.TrimSuffix(strings.Trim(fields[i+1], "'"), "s")]
		if err != nil || !ok {
			return otherwise
		}
		if n < 0 {
			return otherwise // files of the future are nobody's wish
		}
		if time.Duration(n) > (longest-total)/unit {
			return longest
		}
		total += time.Duration(n) * unit
	}
	return total
}

// longest is as much time as can be counted in nanoseconds and taken from any moment that the log knows: some people keep things for
// "3650000 days".
const longest = 200 * 365 * day

// units of the intervals that properties hold; months and years have no fixed length, and Delta does not take them.
var units = map[string]time.Duration{
	"week": 7 * day, "day": day, "hour": time.Hour, "minute": time.Minute, "second": time.Second,
	"millisecond": time.Millisecond, "microsecond": time.Microsecond,
}
