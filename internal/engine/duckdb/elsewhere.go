package duckdb

import (
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// elsewhere is the zone of an expression that is computed in another than the connection's.
func (s *query) elsewhere(zone *time.Location) (expr.Elsewhere, bool) {
	own := s.q.Zone
	if own == nil {
		own = time.UTC
	}
	return expr.Elsewhere{Zone: zone, Now: s.q.Now}, zone != nil && zone.String() != own.String()
}

// elsewhereUnsaid refuses what can be said of the connection's zone alone.
func elsewhereUnsaid(what string) error { return sqlerr.ViewTimeZone(what) }
