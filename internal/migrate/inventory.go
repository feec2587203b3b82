package migrate

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Category is what a legacy catalog's thing is, as far as its migration goes. The first that fits counts, in this order.
type Category string

// The categories.
const (
	Dataset        Category = "DB_DATASET" // samples of a workspace
	InMount        Category = "TABLE_IN_MOUNT"
	RootDelta      Category = "DBFS_ROOT_DELTA"
	RootOther      Category = "DBFS_ROOT_NON_DELTA"
	ExternalSync   Category = "EXTERNAL_SYNC"
	ExternalSerde  Category = "EXTERNAL_HIVESERDE"
	ExternalNoSync Category = "EXTERNAL_NO_SYNC"
	ViewCategory   Category = "VIEW"
	FunctionThing  Category = "FUNCTION"
)

// Way is how a thing gets into the target catalog.
type Way string

// The ways.
const (
	BySync    Way = "SYNC"          // registered where it is
	ByShallow Way = "SHALLOW CLONE" // a new log over the old files, registered
	ByDeep    Way = "DEEP CLONE"    // a copy with its log
	ByCopy    Way = "CTAS"          // CREATE TABLE … AS SELECT
	ByView    Way = "CREATE VIEW"
	ByFunc    Way = "CREATE FUNCTION"
	NoWay     Way = "NONE"
)

// skipProperty keeps a table where it is; the migration tool of Databricks knows it, too.
const skipProperty = "databricks.labs.ucx.skip"

// datasets is where a workspace has its samples.
const datasets = "/databricks-datasets"

// Item is one thing of the inventory.
type Item struct {
	Category       Category
	Way            Way
	Source, Target ident.Name
	// Why tells why there is no way, or why it is not SYNC.
	Why string

	table    *catalog.Table
	function *catalog.Function
}

// Options say what is migrated, where to, and how.
type Options struct {
	// From is a catalog under Hive's rules, or one of its schemas; To a catalog under Unity's, or a schema of it when From is
	// one. A schema keeps its name when To has none.
	From, To ident.Name
	// CloneLocation is below which shallow clones go, each in a directory of its own; "" makes deep clones. It is an absolute path
	// or a URI.
	CloneLocation string
	// Include and Exclude are patterns of names, of tables or of schema.table; * and ? stand for any text and any character.
	Include, Exclude []string
	// Views migrates views and functions, too.
	Views bool
	// Count counts the rows of each table before and after.
	Count  bool
	DryRun bool
	// KeepSource writes nothing to what is migrated; WantLog and CaseSensitive are those of a Request.
	KeepSource, WantLog, CaseSensitive bool
	Actor                              string
}

// wanted reports whether the patterns take a name.
func (o Options) wanted(schema, name string) bool {
	hit := func(patterns []string) bool {
		for _, p := range patterns {
			p, text := ident.Fold(p), ident.Fold(name)
			if strings.Contains(p, ".") {
				text = ident.Fold(schema) + "." + text
			}
			if ok, err := path.Match(p, text); err == nil && ok {
				return true
			}
		}
		return false
	}
	return (len(o.Include) == 0 || hit(o.Include)) && !hit(o.Exclude)
}

// CheckPatterns says which pattern cannot be read, if one cannot.
func (o Options) CheckPatterns() error {
	for _, p := range append(append([]string(nil), o.Include...), o.Exclude...) {
		if _, err := path.Match(p, ""); err != nil {
			return errors.New("the pattern " + p + " cannot be read")
		}
	}
	return nil
}

// inventory lists what is to be migrated, each with its way: tables of each schema first. legacy is the name of the catalog.
func (m *Migrator) inventory(ctx context.Context, o Options) (items []*Item, legacy string, err error) {
	err = m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
		items = nil
		from, err := tx.Catalog(o.From[0])
		if errors.Is(err, catalog.ErrNotFound) {
			return sqlerr.CatalogNotFound(ident.Quote(o.From[0]))
		} else if err != nil {
			return err
		}
		legacy = from.Name
		if from.Rules != catalog.HiveRules {
			return sqlerr.RequiresHive("tarn migrate", ident.Quote(from.Name))
		}
		to, err := tx.Catalog(o.To[0])
		if errors.Is(err, catalog.ErrNotFound) {
			return sqlerr.CatalogNotFound(ident.Quote(o.To[0]))
		} else if err != nil {
			return err
		}
		if to.Rules != catalog.UnityRules {
			return sqlerr.RequiresUnity("tarn migrate", ident.Quote(to.Name))
		}
		schemas, err := tx.Schemas(from.ID)
		if len(o.From) > 1 {
			var one *catalog.Schema
			if one, err = tx.Schema(from.ID, o.From[1]); errors.Is(err, catalog.ErrNotFound) {
				return sqlerr.SchemaNotFound(ident.Name{from.Name, o.From[1]}.Quoted())
			}
			schemas = []*catalog.Schema{one}
		}
		if err != nil {
			return err
		}
		for _, s := range schemas {
			target := s.Name
			if len(o.To) > 1 {
				target = o.To[1]
			}
			more, err := m.inventorySchema(tx, o, from, s, ident.Name{to.Name, target})
			if err != nil {
				return err
			}
			items = append(items, more...)
		}
		return nil
	})
	return items, legacy, err
}

func (m *Migrator) inventorySchema(tx catalog.ReadTx, o Options, from *catalog.Catalog, s *catalog.Schema, to ident.Name) ([]*Item, error) {
	tables, err := tx.Tables(s.ID)
	if err != nil {
		return nil, err
	}
	var items, views []*Item
	for _, t := range tables {
		if !o.wanted(s.Name, t.Name) {
			continue
		}
		it := &Item{Source: ident.Name{from.Name, s.Name, t.Name}, Target: ident.Name{to[0], to[1], t.Name}, table: t}
		m.classify(it, o, s.Name)
		if it.Way == BySync && !hasLog(t.Format) {
			set, err := tx.Partitions(t.ID, 0)
			if err != nil {
				return nil, err
			}
			if refusal := entriesEligible(t, set, it.Source.Quoted()); refusal != nil {
				it.Way, it.Why = ByCopy, reason(refusal.Message)
			}
		}
		if it.Category == ViewCategory {
			views = append(views, it)
		} else {
			items = append(items, it)
		}
	}
	functions, err := tx.Functions(s.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range functions {
		if o.wanted(s.Name, f.Name) {
			views = append(views, &Item{Category: FunctionThing, Way: ByFunc, Source: ident.Name{from.Name, s.Name, f.Name}, Target: ident.Name{to[0], to[1], f.Name}, function: f})
		}
	}
	return append(items, views...), nil
}

// classify finds the category of a table or view, and its way.
func (m *Migrator) classify(it *Item, o Options, schema string) {
	t := it.table
	delta := hasLog(t.Format)
	it.Category = m.category(t, schema, delta)
	refusal := m.Syncer.eligible(t, it.Source.Quoted(), false)
	switch {
	case it.Category == ViewCategory:
		it.Way = ByView
	case it.Category == Dataset:
		it.Way, it.Why = NoWay, "samples of the workspace are not migrated"
	case strings.EqualFold(t.Properties[skipProperty], "true"):
		it.Way, it.Why = NoWay, "the property "+skipProperty+" keeps it where it is"
	case refusal == nil:
		it.Way = BySync
	default:
		it.Why = reason(refusal.Message)
		switch status(refusal) {
		case "UNSUPPORTED_DBFS_LOC", "UNSUPPORTED_FILE_SCHEME", "MISSING_FILE_SCHEME":
			it.Way = NoWay // its files cannot be read either
		default:
			it.Way = ByCopy
			if delta && o.CloneLocation != "" {
				it.Way = ByShallow
			} else if delta {
				it.Way = ByDeep
			}
		}
	}
}

// reason is why a table cannot be registered: of the message, the sentence that tells.
func reason(message string) string {
	if _, why, ok := strings.Cut(message, "Reason: "); ok {
		message = why
	}
	if first, _, more := strings.Cut(message, ". "); more {
		message = first + "."
	}
	return message
}

func (m *Migrator) category(t *catalog.Table, schema string, delta bool) Category {
	if t.Kind == catalog.View {
		return ViewCategory
	}
	where, root := "", false
	if loc, err := storage.ParseLocation(t.Location, ""); err == nil {
		if p, mount, ok := m.Syncer.Mounts.Find(loc); ok {
			where, root = p, mount.Root
		}
	}
	format := strings.ToLower(t.Format)
	switch {
	case where == datasets || strings.HasPrefix(where, datasets+"/"):
		return Dataset
	case strings.HasPrefix(ident.Fold(schema), "mounted_") && delta:
		return InMount
	case root && delta:
		return RootDelta
	case root && !storage.Unmounted(where):
		return RootOther
	case synced[format]:
		return ExternalSync
	case serdes[format]:
		return ExternalSerde
	}
	return ExternalNoSync
}
