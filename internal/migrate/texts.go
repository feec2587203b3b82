package migrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func newMapping(legacy string, builtin func(string) bool) *mapping {
	return &mapping{
		legacy: ident.Fold(legacy), relations: map[string]ident.Name{}, functions: map[string]ident.Name{}, copies: map[string]bool{},
		apart: map[string]bool{}, builtin: builtin,
	}
}

// arrived maps what is in a Unity-style catalog already, whoever brought it: tables and views by their links. A clone of the image of a
// table has the same link as the image; the one that the source names is meant.
func (m *Migrator) arrived(ctx context.Context, names *mapping) error {
	return m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
		catalogs, err := tx.Catalogs()
		if err != nil {
			return err
		}
		for _, c := range catalogs {
			if c.Rules != catalog.UnityRules {
				continue
			}
			schemas, err := tx.Schemas(c.ID)
			if err != nil {
				return err
			}
			for _, s := range schemas {
				tables, err := tx.Tables(s.ID)
				if err != nil {
					return err
				}
				for _, t := range tables {
					from := splitName(t.Properties[UpgradedFrom])
					if len(from) != 3 {
						continue
					}
					source, err := sourceOf(tx, from)
					if err != nil {
						return err
					}
					to := ident.Name{c.Name, s.Name, t.Name}
					if _, known := names.relations[folded(from)]; known && (source == nil || !ident.Equal(source.Properties[UpgradedTo], to.String())) {
						continue
					}
					isCopy := t.Kind != catalog.View && (source == nil || catalog.LocationKey(source.Location) != catalog.LocationKey(t.Location))
					names.arrives(from, to, isCopy, true)
				}
			}
		}
		return nil
	})
}

// sourceOf is the table or view that a link names; nil when it is gone.
func sourceOf(tx catalog.ReadTx, name ident.Name) (*catalog.Table, error) {
	_, schema, err := namespace(tx, name)
	if errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) || errors.Is(err, sqlerr.Condition("CATALOG_NOT_FOUND")) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	t, err := tx.Table(schema.ID, name[2])
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil
	}
	return t, err
}

// texts migrates views and functions, each after those that it uses.
func (m *Migrator) texts(ctx context.Context, o Options, items []*Item, names *mapping, made map[string]bool, report func(Outcome) error) error {
	for _, it := range items {
		// What an earlier run brought counts only when this one finds it in order.
		if it.function != nil {
			names.functions[folded(it.Source)] = it.Target
		} else {
			delete(names.relations, folded(it.Source))
		}
	}
	waiting := map[string]*Item{}
	for _, it := range items {
		waiting[folded(it.Source)] = it
	}
	const (
		begun = 1
		done  = 2
	)
	state := map[string]int{}
	var visit func(it *Item) error
	visit = func(it *Item) error {
		key := folded(it.Source)
		if state[key] != 0 {
			return nil
		}
		state[key] = begun
		p, perr := parsedOf(it)
		if perr == nil {
			for _, need := range p.needs(homeOf(it), names) {
				if other := waiting[need]; other != nil && state[need] == 0 {
					if err := visit(other); err != nil {
						return err
					}
				}
			}
		}
		state[key] = done
		if perr == nil {
			names.apart[key] = slices.ContainsFunc(p.needs(homeOf(it), names), func(need string) bool { return names.apart[need] })
		}
		out := m.outcome(it, Skipped, "Views and functions are migrated with --views.")
		switch {
		case !o.Views:
		case perr != nil:
			out = m.outcome(it, Failed, sqlerr.As(perr).Error())
		default:
			out = m.step(ctx, o, it, made, func() Outcome { return m.text(ctx, o, it, p, names) })
		}
		switch {
		case out.Status == Failed || out.Status == Skipped:
			delete(names.functions, key)
		case it.function == nil:
			names.relations[key] = it.Target
		}
		return finish(ctx, out, report)
	}
	for _, it := range items {
		if err := visit(it); err != nil {
			return err
		}
	}
	return nil
}

func parsedOf(it *Item) (*parsed, error) {
	if it.function != nil {
		return parseFunction(it.function.Text)
	}
	return parseView(it.table.ViewText)
}

func homeOf(it *Item) home {
	if it.function != nil {
		return home{it.function.AtCatalog, it.function.AtSchema}
	}
	return home{it.table.ViewCatalog, it.table.ViewSchema}
}

// text migrates one view or function.
func (m *Migrator) text(ctx context.Context, o Options, it *Item, p *parsed, names *mapping) Outcome {
	out := m.outcome(it, Failed, "")
	body, err := p.rewrite(homeOf(it), names)
	if err != nil {
		out.Detail = "It cannot be rewritten: " + err.Error() + "."
		return out
	}
	if it.function != nil {
		m.function(ctx, o, &out, p, body)
	} else {
		m.view(ctx, o, &out, body, names.apart[folded(it.Source)])
	}
	return out
}

// view makes a view over the new names, or replaces the one that an earlier run made of another text.
func (m *Migrator) view(ctx context.Context, o Options, out *Outcome, body string, apart bool) {
	v := out.table
	have, err := m.find(ctx, out.Target)
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
		return
	case have != nil && (have.Kind != catalog.View || !ident.Equal(have.Properties[UpgradedFrom], out.Source.String())):
		out.Detail = sqlerr.TableAlreadyExists(out.Target.Quoted()).Error()
		return
	case have != nil && sameView(have, v, body) && (o.KeepSource || ident.Equal(v.Properties[UpgradedTo], out.Target.String())):
		out.Status, out.Detail = UpToDate, "The view is up to date."
	case o.DryRun:
		out.Status, out.Detail = Would, body
		return
	default:
		if err := m.run(ctx, settingsOf(v), viewStatement(&out.Item, body)); err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		out.made = have == nil
		m.Syncer.point("migrate.copied")
		if have, err = m.find(ctx, out.Target); err != nil || have == nil || !sameColumns(have.Columns, v.Columns) {
			m.withdraw(ctx, out, "The view has other columns than its source: what it reads has changed since the source was made. Compare DESCRIBE of both.")
			return
		}
		if err := m.linkView(ctx, o, &out.Item); err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		out.Status = Migrated
	}
	if !o.Count {
		return
	}
	if why := m.compare(ctx, out); why != "" && out.Status == Migrated && !apart {
		m.withdraw(ctx, out, why)
	}
}

// run runs a statement under settings; under the session's when there are none.
func (m *Migrator) run(ctx context.Context, settings map[string]string, statement string) error {
	if len(settings) == 0 {
		_, err := m.Runner.Run(ctx, statement)
		return err
	}
	return m.Runner.RunUnder(ctx, settings, statement)
}

// settingsOf are the settings under which a view was made, which give its text its meaning.
func settingsOf(v *catalog.Table) map[string]string {
	out := map[string]string{}
	for k, value := range v.Options {
		if name, ok := strings.CutPrefix(k, catalog.ViewSettingPrefix); ok {
			out[name] = value
		}
	}
	return out
}

// sameView reports whether the image of a view says what the view says now. What somebody has added to its properties stays.
func sameView(have, v *catalog.Table, body string) bool {
	for k, value := range ownProperties(v.OwnProperties()) {
		if have.Properties[k] != value {
			return false
		}
	}
	settings := settingsOf(v)
	return have.ViewText == body && have.Comment == v.Comment && sameColumns(have.Columns, v.Columns) &&
		have.Options[catalog.ViewModeOption] == v.Options[catalog.ViewModeOption] && (len(settings) == 0 || maps.Equal(settingsOf(have), settings))
}

func sameColumns(a, b []types.Field) bool {
	return slices.EqualFunc(a, b, func(x, y types.Field) bool {
		return x.Name == y.Name && types.Equal(x.Type, y.Type) && x.Comment == y.Comment
	})
}

// find is the target, nil when there is none.
func (m *Migrator) find(ctx context.Context, name ident.Name) (t *catalog.Table, err error) {
	err = m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
		t = nil
		_, schema, err := namespace(tx, name)
		if errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
			return nil
		} else if err != nil {
			return err
		}
		t, err = tx.Table(schema.ID, name[2])
		if errors.Is(err, catalog.ErrNotFound) {
			t, err = nil, nil
		}
		return err
	})
	return t, err
}

// viewStatement makes a view with the columns, comments and mode of its source.
func viewStatement(it *Item, body string) string {
	v := it.table
	b := &strings.Builder{}
	fmt.Fprintf(b, "CREATE OR REPLACE VIEW %s", it.Target)
	mode := v.Options[catalog.ViewModeOption]
	if mode != "EVOLUTION" || v.Options[catalog.ViewNamedOption] != "" {
		var cols []string
		for _, f := range v.Columns {
			c := ident.Quote(f.Name)
			if f.HasComment {
				c += " COMMENT " + literal(f.Comment)
			}
			cols = append(cols, c)
		}
		fmt.Fprintf(b, " (%s)", strings.Join(cols, ", "))
	}
	b.WriteString(" COMMENT " + literal(v.Comment))
	properties := ownProperties(v.OwnProperties())
	properties[UpgradedFrom] = it.Source.String()
	b.WriteString(" TBLPROPERTIES " + propertyList(properties))
	if mode != "" {
		b.WriteString(" WITH SCHEMA " + mode)
	}
	b.WriteString(" AS " + body)
	return b.String()
}

// linkView tells the source where its image is.
func (m *Migrator) linkView(ctx context.Context, o Options, it *Item) error {
	if o.KeepSource {
		return nil
	}
	m.Syncer.point("migrate.link")
	return m.Syncer.Store.Write(ctx, func(tx catalog.WriteTx) error {
		v, err := tx.TableByID(it.table.ID)
		if err != nil {
			return err
		}
		return m.linkSource(tx, o, v, it)
	})
}

// function makes a function over the new names. A function has no properties: one that is there and has the same text is its image.
func (m *Migrator) function(ctx context.Context, o Options, out *Outcome, p *parsed, body string) {
	text := functionStatement(p, body, out.Target)
	var have *catalog.Function
	err := m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
		have = nil
		_, schema, err := namespace(tx, out.Target)
		if errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
			return nil
		} else if err != nil {
			return err
		}
		have, err = tx.Function(schema.ID, out.Target[2])
		if errors.Is(err, catalog.ErrNotFound) {
			have, err = nil, nil
		}
		return err
	})
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
	case have != nil && strings.TrimSpace(have.Text) == text:
		out.Status, out.Detail = UpToDate, "The function is up to date."
	case have != nil:
		out.Detail = "A function with this name and another text is there. Drop it to have it made again."
	case o.DryRun:
		out.Status, out.Detail = Would, text
	default:
		if err := m.Runner.RunUnder(ctx, map[string]string{conf.ANSI: strconv.FormatBool(out.function.ANSI)}, text); err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		out.Status = Migrated
	}
}

// functionStatement is the function's own statement under its new name. Nothing before that name is rewritten, so that its place in
// the old text holds in the new one.
func functionStatement(p *parsed, body string, target ident.Name) string {
	return "CREATE FUNCTION " + target.String() + strings.TrimRight(body[p.own.Span().End:], " ;\n")
}

// splitName reads a name as a property holds it; nil when it is none.
func splitName(text string) ident.Name {
	n, err := parser.ParseName(text)
	if err != nil {
		return nil
	}
	return n.Ident()
}
