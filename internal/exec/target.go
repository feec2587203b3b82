package exec

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/write"
)

// The table properties that say how a table is written.
const (
	readersProperty   = "tarn.readers"          // listing, location or catalog: who reads the table, and so how it is laid out
	strategyProperty  = "tarn.inplace.strategy" // auto, union or exchange
	stagingProperty   = "tarn.staging.root"     // where files are staged instead of below the table
	retentionProperty = "tarn.retention.hours"  // how long replaced files are kept
	markerProperty    = "tarn.success.marker"   // false: no _SUCCESS
	compressionOption = "compression"           // of a table's options: the codec of its files
	parquetCodecKey   = "spark.sql.parquet.compression.codec"
)

// How long replaced files are kept when the table does not say: files that an entry has moved away from may be read by
// engines that looked the location up long ago; files that were in place are gone from readers' sight at once.
const (
	sealedGrace  = 7 * 24 * time.Hour
	inPlaceGrace = 24 * time.Hour
)

// property looks a table property up without regard to case.
func property(t *catalog.Table, name string) (string, bool) {
	for k, v := range t.Properties {
		if strings.EqualFold(k, name) {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}

// layoutOf says how a table's files are laid out: as its property says, else by who is likely to read it.
func layoutOf(p place, t *catalog.Table) (write.Layout, error) {
	text, ok := property(t, readersProperty)
	if !ok {
		if t.Kind == catalog.Managed && p.catalog.Rules == catalog.UnityRules {
			return write.Sealed, nil
		}
		return write.InPlace, nil
	}
	layout := write.Layout(strings.ToLower(text))
	switch layout {
	case write.InPlace:
		return layout, nil
	case write.Sealed, write.Filesets:
		switch {
		case p.catalog.Rules == catalog.HiveRules && t.Kind == catalog.Managed:
			return "", sqlerr.InvalidTableProperty(readersProperty, text, "listing for a managed table of hive_metastore, whose directories are part of its contract")
		case t.Mode == catalog.Log, t.Mode == catalog.Unpartitioned && t.Kind == catalog.Managed:
			return layout, nil
		}
		return "", sqlerr.InvalidTableProperty(readersProperty, text, "listing for a table whose partitions are not registered. Keep a partition log ('"+logProperty+"'='true')")
	}
	return "", sqlerr.InvalidTableProperty(readersProperty, text, "listing, location or catalog")
}

// checkWriteProperties refuses values of the write properties that mean nothing, when they are set.
func checkWriteProperties(p place, t *catalog.Table) error {
	if t.Kind == catalog.View {
		return nil
	}
	if _, err := layoutOf(p, t); err != nil {
		return err
	}
	if text, ok := property(t, strategyProperty); ok {
		switch strings.ToLower(text) {
		case "auto", "union", "exchange":
		default:
			return sqlerr.InvalidTableProperty(strategyProperty, text, "auto, union or exchange")
		}
	}
	if text, ok := property(t, retentionProperty); ok {
		if n, err := strconv.ParseFloat(text, 64); err != nil || !(n >= 0 && n <= maxRetention) {
			return sqlerr.InvalidTableProperty(retentionProperty, text, "a number of hours from 0 to 87600")
		}
	}
	if text, ok := property(t, markerProperty); ok && !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
		return sqlerr.InvalidTableProperty(markerProperty, text, "true or false")
	}
	return nil
}

// mayRelayout checks the write properties of a changed table. Files that the catalog names lie where readers that list
// directories, or follow locations, would not find them all, so a table with such files cannot be given to these readers.
func mayRelayout(tx catalog.ReadTx, rel relation, now *catalog.Table) error {
	if err := checkWriteProperties(rel.place, now); err != nil {
		return err
	}
	if rel.table.Kind == catalog.View {
		return nil
	}
	before, err := layoutOf(rel.place, rel.table)
	if err != nil {
		return err
	}
	after, err := layoutOf(rel.place, now)
	if err != nil || before == after || before == write.Sealed && after == write.Filesets {
		return err
	}
	set, err := tx.Partitions(rel.table.ID, 0)
	if err != nil || !set.Recorded() {
		return err
	}
	text, _ := property(now, readersProperty)
	return sqlerr.InvalidTableProperty(readersProperty, text, string(before)+" while the table holds files that were written so. Make a new table with the property by CREATE TABLE … AS SELECT")
}

// maxRetention is ten years, in hours.
const maxRetention = 87_600

// writeTarget is what a statement writes to, as the catalog has it now.
func (r *run) writeTarget(ctx context.Context, rel relation) (write.Target, error) {
	t := rel.table
	_, bucketed := t.Buckets()
	switch {
	case bucketed:
		return write.Target{}, refuseBuckets()
	case t.Format == "orc":
		return write.Target{}, sqlerr.Unsupported("TABLE_FORMAT", "writing files of format orc")
	case t.InferPartitions:
		if err := r.hasNoKeys(ctx, rel); err != nil {
			return write.Target{}, err
		}
	}
	var set *partition.Set
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		now, err := tx.TableByID(t.ID)
		if err != nil {
			return err
		}
		if now.Version != t.Version {
			return catalog.ErrVersionChanged
		}
		set, err = tx.Partitions(t.ID, t.Version)
		return err
	})
	if errors.Is(err, catalog.ErrVersionChanged) || errors.Is(err, catalog.ErrNotFound) {
		return write.Target{}, sqlerr.ConcurrentWriteConflict(rel.quoted(), "the table was changed by another statement", nil)
	}
	if err != nil {
		return write.Target{}, err
	}
	target, err := r.targetOf(rel.place, t, set)
	if err != nil {
		return target, err
	}
	if target.Layout != write.InPlace && len(t.Partition) == 0 && set.Len() == 0 {
		// Files that somebody put into the directory by hand count until the first overwrite: an append must not hide them.
		holds, err := r.holdsFiles(ctx, target.Root)
		if err != nil {
			return target, err
		}
		if holds {
			target.Layout, target.Registered, target.Set = write.InPlace, false, nil
		}
	}
	return target, nil
}

// hasNoKeys refuses a table without declared partition columns whose directories spell some: files beside them could not be
// read any more.
func (r *run) hasNoKeys(ctx context.Context, rel relation) error {
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return err
	}
	in, err := r.x.Scans.Infer(ctx, scan.InferRequest{Paths: []storage.Location{root}, Format: rel.table.Format, Options: rel.table.Options, Columns: rel.table.Columns, Settings: r.scanSettings()})
	if err != nil {
		return err
	}
	if len(in.Partition) > 0 {
		return sqlerr.Unsupported("WRITE_INFERRED_PARTITIONS", "writing to "+rel.quoted()+", whose partition columns ("+strings.Join(in.Partition, ", ")+") are inferred from its directories. Create it with PARTITIONED BY")
	}
	return nil
}

// targetOf is what a definition of a table says about writing it.
func (r *run) targetOf(p place, t *catalog.Table, set *partition.Set) (write.Target, error) {
	if t.Format == deltaFormat {
		return write.Target{}, sqlerr.Unsupported("TABLE_FORMAT", "writing a Delta table")
	}
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return write.Target{}, err
	}
	layout, err := layoutOf(p, t)
	if err != nil {
		return write.Target{}, err
	}
	target := write.Target{
		Table: t, Name: relation{p, t}.quoted(), Root: root, Layout: layout, Columns: partitionColumns(t), Registered: t.Mode == catalog.Log || layout != write.InPlace,
		CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive), Grace: sealedGrace, Marker: layout == write.InPlace, Strategy: "auto", Rate: r.s.Conf.Bytes(conf.PublishRate),
	}
	if target.Registered {
		target.Set = set
	}
	if layout == write.InPlace {
		target.Grace = inPlaceGrace
	}
	if text, ok := property(t, retentionProperty); ok {
		hours, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return target, sqlerr.InvalidTableProperty(retentionProperty, text, "a number of hours")
		}
		target.Grace = time.Duration(hours * float64(time.Hour))
	}
	if text, ok := property(t, strategyProperty); ok {
		target.Strategy = strings.ToLower(text)
	}
	if text, ok := property(t, markerProperty); ok && strings.EqualFold(text, "false") {
		target.Marker = false
	}
	staging, ok := property(t, stagingProperty)
	if !ok {
		staging = r.s.Conf.Text(conf.StagingRoot)
	}
	if staging != "" {
		if target.Staging, err = r.location(staging); err != nil {
			return target, err
		}
		if root.Contains(target.Staging) {
			return target, sqlerr.InvalidLocation(target.Staging.String(), "tarn.staging.root lies inside the table at "+root.String()+", where readers would find what is staged")
		}
	}
	return target, nil
}

// holdsFiles reports whether files lie right in a directory that readers would read.
func (r *run) holdsFiles(ctx context.Context, root storage.Location) (bool, error) {
	bucket, _, err := r.x.Stores.Open(root)
	if err != nil {
		return false, err
	}
	found := errors.New("found")
	err = bucket.ReadDir(ctx, root.DirKey(), true, func(e *storage.Entry) error {
		if e.Type == storage.FileEntry && e.Size > 0 && !partition.Ignored(string(e.Name)) {
			return found
		}
		return nil
	})
	switch {
	case errors.Is(err, found):
		return true, nil
	case storage.KindOf(err) == storage.NotFound:
		return false, nil
	}
	return false, err
}

// option looks an option up without regard to case.
func option(options []ast.Property, name string) (string, bool) {
	return optionIn(properties(options), name)
}

func optionIn(options map[string]string, name string) (string, bool) {
	for k, v := range options {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// dynamic reports whether an overwrite replaces what it writes only: the option of the statement beats the session.
func (r *run) dynamic(options []ast.Property) (bool, error) {
	mode := r.s.Conf.Text(conf.OverwriteMode)
	if text, ok := option(options, "partitionOverwriteMode"); ok {
		mode = text
	}
	switch strings.ToUpper(mode) {
	case "DYNAMIC":
		return true, nil
	case "STATIC":
		return false, nil
	}
	return false, sqlerr.InvalidConfigValue("partitionOverwriteMode", mode, "STATIC or DYNAMIC")
}

// writerOptions are the options that shape files: the session's codec, the table's options, the statement's.
func (r *run) writerOptions(format string, layers ...map[string]string) map[string]string {
	out := map[string]string{}
	set := func(k, v string) {
		for old := range out {
			if strings.EqualFold(old, k) {
				delete(out, old)
			}
		}
		out[k] = v
	}
	if format == "parquet" {
		if codec := r.s.Conf.Text(conf.ParquetCodec); codec != "" {
			set(compressionOption, codec)
		}
	}
	for _, layer := range layers {
		names := make([]string, 0, len(layer))
		for k := range layer {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			switch {
			case strings.EqualFold(k, "partitionOverwriteMode"), strings.EqualFold(k, "path"):
			case format == "parquet" && strings.EqualFold(k, "parquet.compression"): // beats the session, not the option
				if _, ok := optionIn(layer, compressionOption); !ok {
					set(compressionOption, layer[k])
				}
			default:
				set(k, layer[k])
			}
		}
	}
	return out
}
