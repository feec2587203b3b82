// Package session holds the state of one client: its settings, current catalog and schema, temporary views, variables and functions, and the
// warnings of the statement that runs. It runs nothing: exec does, and changes this state as statements say.
//
// It imports vocabulary only.
package session

import (
	"sort"
	"strconv"
	"sync"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/types"
)

// Session is the state of one client. One statement runs at a time; Warn may be called from any goroutine.
type Session struct {
	Conf *conf.Values
	// Catalog and Schema are the current names.
	Catalog, Schema string
	// User is the principal: owner and actor of what the session does.
	User string
	// WorkDir is what relative paths start from.
	WorkDir string
	// Params are the values of parameter markers as SQL text: by name, and by "_N" for the N-th ? counted from 0.
	Params map[string]string

	views     map[string]*TempView
	variables map[string]*Variable
	functions map[string]*Function
	cache     map[string]*Cached

	mu       sync.Mutex
	warnings []Warning
	dropped  int
}

// TempView is a temporary view: a name for a query within one session.
type TempView struct {
	Name    string
	Text    string // of the query
	Catalog string // names current when it was made
	Schema  string
	Columns []types.Field // declared names and comments; nil for the query's own
	Comment string
	// Global views live in the schema global_temp.
	Global bool
	// Format and Options define a view over files: CREATE TEMPORARY VIEW … USING.
	Format  string
	Options map[string]string
	// Settings are those under which it was made, which its query keeps.
	Settings map[string]string
}

// Warning is something the user should know although the statement succeeded.
type Warning struct {
	Class      string            `json:"class"`
	Message    string            `json:"message"`
	Parameters map[string]string `json:"parameters"`
}

// maxWarnings bounds the warnings of one statement: the first ones, and how many more there were.
const maxWarnings = 50

// New starts a session in main.default.
func New(base map[string]string, user, workDir string) *Session {
	return &Session{
		Conf: conf.NewValues(base), Catalog: "main", Schema: "default", User: user, WorkDir: workDir,
		views: map[string]*TempView{}, variables: map[string]*Variable{}, functions: map[string]*Function{}, cache: map[string]*Cached{},
	}
}

// Begin forgets the warnings of the statement before.
func (s *Session) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings, s.dropped = nil, 0
}

// Warn records a warning of the running statement. Equal warnings are kept once.
func (s *Session) Warn(class, message string, params map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.warnings {
		if w.Class == class && w.Message == message {
			return
		}
	}
	if len(s.warnings) >= maxWarnings {
		s.dropped++
		return
	}
	if params == nil {
		params = map[string]string{}
	}
	s.warnings = append(s.warnings, Warning{Class: class, Message: message, Parameters: params})
}

// Warnings are the warnings of the running statement so far.
func (s *Session) Warnings() []Warning {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := append([]Warning{}, s.warnings...)
	if s.dropped > 0 {
		out = append(out, Warning{Class: "MORE_WARNINGS", Message: plural(s.dropped) + " not shown.", Parameters: map[string]string{}})
	}
	return out
}

func plural(n int) string {
	if n == 1 {
		return "1 more warning is"
	}
	return strconv.Itoa(n) + " more warnings are"
}

// View returns the temporary view that name means: one part, or global_temp and one part.
func (s *Session) View(name ident.Name) (*TempView, bool) {
	switch {
	case len(name) == 1:
		v, ok := s.views[ident.Fold(name[0])]
		return v, ok
	case len(name) == 2 && ident.Equal(name[0], GlobalTemp):
		v, ok := s.views[GlobalTemp+"."+ident.Fold(name[1])]
		return v, ok
	}
	return nil, false
}

// GlobalTemp is the schema of global temporary views.
const GlobalTemp = "global_temp"

func key(v *TempView) string {
	if v.Global {
		return GlobalTemp + "." + ident.Fold(v.Name)
	}
	return ident.Fold(v.Name)
}

// PutView adds or replaces a temporary view.
func (s *Session) PutView(v *TempView) { s.views[key(v)] = v }

// DropView removes a temporary view.
func (s *Session) DropView(v *TempView) { delete(s.views, key(v)) }

// Views lists the temporary views that are not global (or those that are), by name.
func (s *Session) Views(global bool) []*TempView {
	var out []*TempView
	for _, v := range s.views {
		if v.Global == global {
			out = append(out, v)
		}
	}
	sort.Slice(out, func(i, j int) bool { return ident.Fold(out[i].Name) < ident.Fold(out[j].Name) })
	return out
}
