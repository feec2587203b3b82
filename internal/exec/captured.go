package exec

import (
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/session"
)

// viewSettings are those under which a view was made; none for a view of before they were kept.
func viewSettings(v *catalog.Table) map[string]string {
	out := map[string]string{}
	for name, value := range v.Options {
		if setting, ok := strings.CutPrefix(name, catalog.ViewSettingPrefix); ok {
			out[setting] = value
		}
	}
	return out
}

// madeUnder is what the text of a view or function is bound under: the settings that were captured when it was made, and
// the defaults of all others, whatever the session has. It is nil when nothing was captured.
func (r *run) madeUnder(captured map[string]string) *bind.Env {
	if len(captured) == 0 {
		return nil
	}
	made := *r
	made.s = &session.Session{Conf: conf.NewValues(captured), Catalog: r.s.Catalog, Schema: r.s.Schema, User: r.s.User}
	env := made.bindEnv(nil)
	return &env
}
