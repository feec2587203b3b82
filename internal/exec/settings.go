package exec

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func (r *run) set(n *ast.Set) (*Result, error) {
	cols := stringColumns("key", "value")
	switch {
	case n.List && n.Verbose:
		cols = stringColumns("key", "value", "meaning", "Since version")
		var rows [][]types.Value
		for _, k := range conf.Keys() {
			v, ok := r.s.Conf.Get(k.Name)
			if !ok {
				v = "<undefined>"
			}
			doc := k.Doc
			if k.Inert {
				doc = "Accepted because Spark has it; does nothing here."
			}
			rows = append(rows, []types.Value{k.Name, v, doc, ""})
		}
		return table(cols, rows), nil
	case n.List:
		var rows [][]types.Value
		for _, kv := range r.s.Conf.All() {
			rows = append(rows, []types.Value{kv[0], kv[1]})
		}
		return table(cols, rows), nil
	case !n.HasValue:
		v, ok := r.s.Conf.Get(n.Key)
		if !ok {
			v = "<undefined>"
		}
		return table(cols, [][]types.Value{{n.Key, v}}), nil
	}
	if strings.EqualFold(n.Key, "PATH") {
		return nil, sqlerr.SetPath().At(n.Span())
	}
	if v := r.variableNamed(strings.Split(n.Key, ".")); v != nil {
		return nil, sqlerr.SetVariableUsingSet(ident.Name(strings.Split(n.Key, ".")).Quoted())
	}
	if err := conf.Check(n.Key, n.Value); err != nil {
		return nil, err
	}
	if k, known := conf.Find(n.Key); !known || k.Inert {
		r.s.Warn("CONFIG_WITHOUT_EFFECT", fmt.Sprintf("%s is kept for compatibility and does nothing here.", n.Key), map[string]string{"key": n.Key})
	}
	r.s.Conf.Set(n.Key, n.Value)
	return table(cols, [][]types.Value{{n.Key, n.Value}}), nil
}

func (r *run) setTimeZone(n *ast.SetTimeZone) (*Result, error) {
	zone := n.Zone
	switch {
	case n.Local:
		zone = localZone()
	case n.Interval != nil:
		z, err := intervalZone(n.Interval)
		if err != nil {
			return nil, err
		}
		zone = z
	}
	if err := conf.Check(conf.TimeZone, zone); err != nil {
		return nil, at(err, n)
	}
	r.s.Conf.Set(conf.TimeZone, zone)
	return table(stringColumns("key", "value"), [][]types.Value{{conf.TimeZone, zone}}), nil
}

// intervalZone turns the interval of SET TIME ZONE into an offset such as +02:00.
func intervalZone(n *ast.IntervalLit) (string, error) {
	zone, err := bind.ZoneOffset(n)
	if err != nil {
		return "", at(err, n)
	}
	return zone, nil
}

func (r *run) reset(n *ast.Reset) (*Result, error) {
	if n.Key != "" {
		if err := conf.CheckReset(n.Key); err != nil {
			return nil, err
		}
	}
	r.s.Conf.Reset(n.Key)
	return none(), nil
}

// localZone is the time zone of this machine, by its name when it has one that others know.
func localZone() string {
	name := time.Local.String()
	if name == "" || name == "Local" {
		_, offset := time.Now().Zone()
		sign := "+"
		if offset < 0 {
			sign, offset = "-", -offset
		}
		return fmt.Sprintf("%s%02d:%02d", sign, offset/3600, offset/60%60)
	}
	return name
}
