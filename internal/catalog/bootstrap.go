package catalog

import (
	"context"
	"errors"
)

// Bootstrap makes what every store holds from its first start: the catalogs main (Unity's rules), hive_metastore
// (Hive's rules) and system (information_schema only), with a schema default in the first two. warehouse is the
// absolute URI below which managed storage goes, as <warehouse>/<catalog>/<schema>; it matters at the first start only.
// What is there stays as it is, so that a user who dropped main.default does not find it again at the next start:
// the catalog system, made last in the same transaction, tells that all this has been done.
func Bootstrap(ctx context.Context, store Store, warehouse string) error {
	done := false
	err := store.Read(ctx, func(tx ReadTx) error {
		_, err := tx.Catalog(SystemCatalog)
		done = err == nil
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	if err != nil || done {
		return err
	}
	return store.Write(ctx, func(tx WriteTx) error {
		// Another process may have been faster.
		if _, err := tx.Catalog(SystemCatalog); !errors.Is(err, ErrNotFound) {
			return err
		}
		return bootstrap(tx, warehouse)
	})
}

func bootstrap(tx WriteTx, warehouse string) error {
	for _, c := range []struct {
		name, comment string
		rules         Rules
	}{
		{MainCatalog, "Tables of this Tarn", UnityRules},
		{HiveCatalog, "Tables under Hive's rules; also called spark_catalog", HiveRules},
	} {
		cat := &Catalog{Rules: c.rules, Location: CatalogLocation(warehouse, c.name, "")}
		cat.Name, cat.Comment = c.name, c.comment
		if err := tx.CreateCatalog(cat); err != nil {
			return err
		}
		s := &Schema{CatalogID: cat.ID}
		s.Name = DefaultSchema
		s.Location = SchemaLocation(cat, s.Name, "")
		if err := tx.CreateSchema(s); err != nil {
			return err
		}
	}
	system := &Catalog{Rules: SystemRules}
	system.Name, system.Comment = SystemCatalog, "The catalog as tables"
	return tx.CreateCatalog(system)
}
