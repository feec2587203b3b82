package migrate

import (
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// synced are the formats that SYNC takes.
var synced = map[string]bool{"delta": true, "parquet": true, "csv": true, "json": true, "orc": true, "text": true, "avro": true}

// serdes are the formats of tables that Hive's own readers define.
var serdes = map[string]bool{"hive": true, "textfile": true, "sequencefile": true, "rcfile": true}

// schemes are the stores in which a Unity-style catalog registers tables, after Location.Modern. file counts: it is where a catalog
// of this machine lives.
var schemes = map[string]bool{"file": true, "s3": true, "gs": true, "abfss": true}

// eligible says why a table cannot be registered where it is, or nil. The first reason that holds counts: the type, the format, the
// kind, the buckets, the location.
func (s *Syncer) eligible(t *catalog.Table, name string, asExternal bool) *sqlerr.Error {
	format := strings.ToLower(t.Format)
	_, bucketed := t.Buckets()
	switch {
	case t.Kind == catalog.View:
		return sqlerr.UpgradeTableType(name, string(t.Kind))
	case serdes[format]:
		return sqlerr.UpgradeHiveSerde(name)
	case !synced[format]:
		return sqlerr.UpgradeProvider(name, strings.ToUpper(format))
	case t.Kind == catalog.Managed && !asExternal:
		return sqlerr.UpgradeNotExternal(name)
	case bucketed:
		return sqlerr.UpgradeBucketed(name)
	}
	return s.placeEligible(t, name)
}

// placeEligible says why files cannot be registered where they are.
func (s *Syncer) placeEligible(t *catalog.Table, name string) *sqlerr.Error {
	if !strings.Contains(t.Location, ":") {
		return sqlerr.UpgradeNoScheme(name, t.Location)
	}
	loc, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return sqlerr.UpgradeNoScheme(name, t.Location)
	}
	scheme := loc.Modern().Scheme()
	if scheme == "dbfs" { // of a catalog that keeps names instead of places
		return sqlerr.UpgradeUnmounted(name, t.Location)
	}
	if path, mount, ok := s.Mounts.Find(loc); ok && mount.Root {
		switch {
		case mount.Warehouse():
			// The warehouse is this catalog's own directory. A managed table of it was asked for AS EXTERNAL, and DROP TABLE keeps
			// a directory that another table uses; an external table there stands for one that somebody put into the DBFS root.
			if t.Kind == catalog.External {
				return sqlerr.UpgradeDBFSRoot(name, "dbfs:"+path)
			}
		case storage.Unmounted(path):
			return sqlerr.UpgradeUnmounted(name, "dbfs:"+path)
		default:
			return sqlerr.UpgradeDBFSRoot(name, "dbfs:"+path)
		}
	}
	if !schemes[scheme] {
		return sqlerr.UpgradeFileScheme(name, scheme)
	}
	return nil
}

// entriesEligible says why the partitions of a table cannot be registered where they are, or nil.
func entriesEligible(t *catalog.Table, set *partition.Set, name string) *sqlerr.Error {
	if set.Recorded() {
		return sqlerr.UpgradeRecorded(name)
	}
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return sqlerr.UpgradeNoScheme(name, t.Location)
	}
	outside, first := 0, ""
	for i := range set.Len() {
		_, abs := set.Path(i)
		if abs == "" {
			continue
		}
		if loc, err := storage.ParseLocation(abs, ""); err == nil && root.Contains(loc) {
			continue
		}
		if outside++; outside == 1 {
			first = abs
		}
	}
	if outside > 0 {
		return sqlerr.UpgradePartitionOutside(name, outside, first, t.Location)
	}
	return nil
}

// tableExists is the code of a target that is something else than the image of the source.
const tableExists = "TABLE_ALREADY_EXISTS"

// status is the code of a failure: the bare name of the reason, or that of the condition.
func status(e *sqlerr.Error) string {
	name := string(e.Condition)
	if reason, ok := strings.CutPrefix(name, "UPGRADE_NOT_SUPPORTED."); ok {
		return reason
	}
	if name == "TABLE_OR_VIEW_ALREADY_EXISTS" {
		return tableExists
	}
	return name
}
