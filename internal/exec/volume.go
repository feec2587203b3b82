package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func (r *run) createVolume(ctx context.Context, n *ast.CreateVolume) (*Result, error) {
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	var made *catalog.Volume
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		made = nil
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return err
		}
		if err := writable(p); err != nil {
			return err
		}
		if p.catalog.Rules == catalog.HiveRules {
			return sqlerr.Unsupported("STATEMENT", "volumes in hive_metastore")
		}
		if err := catalog.ValidateName(p.catalog.Rules, "volume", full[2]); err != nil {
			return err
		}
		if _, err := tx.Volume(p.schema.ID, full[2]); err == nil {
			if n.IfNotExists {
				return nil
			}
			return sqlerr.VolumeAlreadyExists(p.name(full[2]).Quoted())
		}
		v := &catalog.Volume{Securable: r.securable(full[2], n.Comment), SchemaID: p.schema.ID, Kind: catalog.Managed}
		switch {
		case n.Location != nil:
			loc, err := r.location(*n.Location)
			if err != nil {
				return err
			}
			v.Kind, v.Location = catalog.External, loc.String()
			if err := catalog.CheckOverlap(tx, catalog.LocatedVolume, v.Location, v.ID); err != nil {
				return err
			}
		case n.External:
			return sqlerr.ExternalVolumeWithoutLocation()
		default:
			v.Location = catalog.ManagedLocation(p.catalog.Rules, p.schema, v.Name, v.ID)
		}
		made = v
		return tx.CreateVolume(v)
	})
	if err != nil {
		return nil, at(err, n.Name)
	}
	if made != nil && made.Kind == catalog.Managed {
		return none(), r.makeDir(ctx, made.Location)
	}
	return none(), nil
}

// volume finds a volume by name.
func (r *run) volume(tx catalog.ReadTx, n ast.Name) (place, *catalog.Volume, error) {
	full, err := r.qualify(n)
	if err != nil {
		return place{}, nil, err
	}
	p, err := findSchema(tx, full[0], full[1])
	if err != nil {
		return p, nil, at(err, n)
	}
	v, err := tx.Volume(p.schema.ID, full[2])
	if errors.Is(err, catalog.ErrNotFound) {
		return p, nil, sqlerr.VolumeNotFound(n.Ident().Quoted()).At(n.Span())
	}
	return p, v, err
}

func (r *run) dropVolume(ctx context.Context, n *ast.DropVolume) (*Result, error) {
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		_, v, err := r.volume(tx, n.Name)
		if err != nil {
			if n.IfExists && errors.Is(err, sqlerr.Condition("VOLUME_NOT_FOUND")) {
				return nil
			}
			return err
		}
		if v.Kind == catalog.Managed {
			if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingVacuum, From: v.Location, At: r.now}); err != nil {
				return err
			}
		}
		return tx.DeleteVolume(v.ID)
	})
	return none(), err
}

func (r *run) describeVolume(ctx context.Context, n *ast.DescribeVolume) (*Result, error) {
	var row []types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, v, err := r.volume(tx, n.Name)
		if err == nil {
			row = []types.Value{v.Name, p.catalog.Name, p.schema.Name, v.Owner, v.Comment, string(v.Kind), v.Location}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return table(stringColumns("name", "catalog", "database", "owner", "comment", "volumeType", "storageLocation"), [][]types.Value{row}), nil
}

func (r *run) showVolumes(ctx context.Context, n *ast.ShowVolumes) (*Result, error) {
	catalogName, schemaName, err := r.schemaOrCurrent(n.In)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, catalogName, schemaName)
		if err != nil {
			return at(err, n.In)
		}
		vs, err := tx.Volumes(p.schema.ID)
		for _, v := range vs {
			if like(n.Like, v.Name) {
				rows = append(rows, []types.Value{p.schema.Name, v.Name})
			}
		}
		return err
	})
	return table(stringColumns("database", "volume_name"), rows), err
}

func (r *run) createExternalLocation(ctx context.Context, n *ast.CreateExternalLocation) (*Result, error) {
	loc, err := r.location(n.URL)
	if err != nil {
		return nil, at(err, n)
	}
	if loc.Scheme() != "file" {
		return nil, sqlerr.Unsupported("STORAGE", "external locations on "+loc.Scheme()).At(n.Span())
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		if err := catalog.ValidateName(catalog.UnityRules, "external location", n.Name.Name); err != nil {
			return err
		}
		if _, err := tx.ExternalLocation(n.Name.Name); err == nil {
			if n.IfNotExists {
				return nil
			}
			return sqlerr.ExternalLocationAlreadyExists(quoteIdent(n.Name))
		}
		e := &catalog.ExternalLocation{Securable: r.securable(n.Name.Name, n.Comment), URL: loc.String()}
		if err := catalog.CheckOverlap(tx, catalog.LocatedExternal, e.URL, e.ID); err != nil {
			return err
		}
		return tx.CreateExternalLocation(e)
	})
	return none(), at(err, n.Name)
}

func (r *run) dropExternalLocation(ctx context.Context, n *ast.DropExternalLocation) (*Result, error) {
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		e, err := tx.ExternalLocation(n.Name.Name)
		if errors.Is(err, catalog.ErrNotFound) {
			if n.IfExists {
				return nil
			}
			return sqlerr.ExternalLocationNotFound(quoteIdent(n.Name))
		} else if err != nil {
			return err
		}
		if !n.Force {
			inside, err := tx.Overlapping(e.URL)
			if err != nil {
				return err
			}
			for _, l := range inside {
				if l.What == catalog.LocatedTable || l.What == catalog.LocatedVolume {
					if catalog.Contains(e.URL, l.Location) && l.Rules == catalog.UnityRules {
						return sqlerr.ExternalLocationInUse(quoteIdent(n.Name), l.What+" "+l.Name)
					}
				}
			}
		}
		return tx.DeleteExternalLocation(e.ID)
	})
	return none(), at(err, n.Name)
}

func (r *run) describeExternalLocation(ctx context.Context, n *ast.DescribeExternalLocation) (*Result, error) {
	var rows [][]types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		e, err := tx.ExternalLocation(n.Name.Name)
		if errors.Is(err, catalog.ErrNotFound) {
			return sqlerr.ExternalLocationNotFound(quoteIdent(n.Name)).At(n.Name.Span())
		} else if err != nil {
			return err
		}
		rows = append(rows, []types.Value{e.Name, e.URL, "", e.Owner, e.Comment})
		return nil
	})
	return table(stringColumns("name", "url", "credential_name", "owner", "comment"), rows), err
}

func (r *run) showExternalLocations(ctx context.Context, n *ast.ShowExternalLocations) (*Result, error) {
	var rows [][]types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		es, err := tx.ExternalLocations()
		for _, e := range es {
			if like(n.Like, e.Name) {
				rows = append(rows, []types.Value{e.Name, e.URL, e.Comment})
			}
		}
		return err
	})
	return table(stringColumns("name", "url", "comment"), rows), err
}
