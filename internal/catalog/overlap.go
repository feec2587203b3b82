package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// What a Located is.
const (
	LocatedTable    = "table"
	LocatedVolume   = "volume"
	LocatedExternal = "external location"
	LocatedManaged  = "managed storage" // of a catalog or a schema
)

// CheckOverlap says whether something may take a location: nil, or LOCATION_OVERLAP naming what is in the way. what is
// one of the Located constants; except lists ids that are not in the way: the thing's own when its location changes,
// the catalog's for the managed storage of one of its schemas.
//
// The rules are Unity's, and hold between the things of all catalogs under Unity's rules:
//
//   - A table or volume may not equal, contain or lie in another table or volume.
//   - It may not equal, contain or lie in managed storage. (Managed tables and volumes get their places from
//     ManagedLocation and are not checked.)
//   - It may equal or lie in one external location; it may not contain one, since it would then lie in two places.
//   - An external location may not equal, contain or lie in another one. It may contain tables, volumes and managed
//     storage, or equal them; it may not lie strictly inside one.
//   - Managed storage may not equal, contain or lie in other managed storage, a table or a volume.
//
// A catalog under Hive's rules is exempt in both directions: the callers check nothing for its tables, and its tables,
// schemas and warehouse are in nobody's way, because existing Hive warehouses nest and share directories, and because
// registering the same directory in a Unity-style catalog is how people move over.
func CheckOverlap(tx ReadTx, what, location string, except ...ID) error {
	hits, err := tx.Overlapping(location)
	if err != nil {
		return err
	}
	key := LocationKey(location)
next:
	for _, h := range hits {
		if h.Rules == HiveRules || h.Rules == SystemRules {
			continue
		}
		for _, id := range except {
			if h.ID == id {
				continue next
			}
		}
		if conflict(what, key, h) {
			return sqlerr.LocationOverlap(what, location, h.What, h.Name, h.Location)
		}
	}
	return nil
}

// conflict decides for one thing that equals, contains or lies below the place with the key.
func conflict(what, key string, h Located) bool {
	other := LocationKey(h.Location)
	otherIsOutside := len(other) < len(key)
	otherIsInside := len(other) > len(key)
	switch {
	case what == LocatedExternal && h.What == LocatedExternal:
		return true
	case what == LocatedExternal:
		return otherIsOutside
	case h.What == LocatedExternal:
		return otherIsInside
	}
	return true
}

// SortLocated puts what Overlapping found in its order: by location, then kind, then name.
func SortLocated(hits []Located) {
	slices.SortFunc(hits, func(a, b Located) int {
		return cmp.Or(strings.Compare(LocationKey(a.Location), LocationKey(b.Location)), strings.Compare(a.What, b.What),
			strings.Compare(a.Name, b.Name), strings.Compare(string(a.ID), string(b.ID)))
	})
}
