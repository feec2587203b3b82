package session_test

import (
	"fmt"
	"testing"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/session"
)

func TestWarningsAreOnceBoundedAndForgotten(t *testing.T) {
	s := session.New(nil, "me", "/")
	for range 3 {
		s.Warn("A", "same", nil)
	}
	if got := s.Warnings(); len(got) != 1 || got[0].Parameters == nil {
		t.Errorf("%+v", got)
	}
	for i := range 200 {
		s.Warn("B", fmt.Sprint(i), nil)
	}
	got := s.Warnings()
	if last := got[len(got)-1]; len(got) != 51 || last.Class != "MORE_WARNINGS" || last.Message != "151 more warnings are not shown." {
		t.Errorf("%d warnings, last %+v", len(got), last)
	}
	s.Begin()
	if len(s.Warnings()) != 0 {
		t.Error("a new statement starts without warnings")
	}
}

func TestTemporaryViewsShadowByFoldedName(t *testing.T) {
	s := session.New(nil, "me", "/")
	s.PutView(&session.TempView{Name: "V"})
	s.PutView(&session.TempView{Name: "g", Global: true})
	for _, c := range []struct {
		name ident.Name
		want bool
	}{{ident.Name{"v"}, true}, {ident.Name{"g"}, false}, {ident.Name{"GLOBAL_temp", "G"}, true}, {ident.Name{"default", "v"}, false}, {ident.Name{"main", "default", "v"}, false}} {
		if _, ok := s.View(c.name); ok != c.want {
			t.Errorf("View(%v) = %t, want %t", c.name, ok, c.want)
		}
	}
	v, _ := s.View(ident.Name{"v"})
	s.DropView(v)
	if len(s.Views(false)) != 0 || len(s.Views(true)) != 1 {
		t.Errorf("%v %v", s.Views(false), s.Views(true))
	}
}
