package write_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/write"
)

// TestAnOwnerThatWasTakenForDeadChangesNothing stops a process at every point, lets another one recover its transaction, and lets
// the first go on.
func TestAnOwnerThatWasTakenForDeadChangesNothing(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		for _, tr := range trials(t, sh, strategy, s) {
			at, ok := strings.CutPrefix(tr.name, "die at ")
			if !ok || !sampled("zombie"+sh.name+strategy+s.name+at) {
				continue
			}
			t.Run(at, func(t *testing.T) {
				w := newWorld(t, sh)
				w.strategy = strategy
				w.seed(seeded(sh))
				before := w.answer()
				want, _ := apply(t, sh, before, s)
				l, sleeps, wake := w.sleeper(func(name string, n int) bool { return fmt.Sprintf("%s#%d", name, n) == at })
				ended := make(chan error, 1)
				go func() {
					_, err := l.run(s)
					ended <- err
				}()
				<-sleeps
				w.procs.set(l.name, false)
				if at == "flipping#1" { // inside the transaction of the catalog: nobody else gets in
					wake()
					<-ended
					return
				}
				recovered(t, w, w.start(nil))
				end := w.answer()
				if !same(end, before) && !same(end, want) {
					t.Fatalf("after recovery the table holds\n%v", end)
				}
				disk := tree(t, w.path(w.root))
				wake()
				err := <-ended
				if got := w.answer(); !same(got, end) {
					t.Errorf("the owner woke and the table holds\n%vit was\n%v", got, end)
				}
				if err == nil && !same(end, want) {
					t.Errorf("the statement succeeded, and the table holds\n%v", end)
				}
				if err != nil && !isConflict(err) && !errors.Is(err, catalog.ErrTxnChanged) {
					t.Logf("the owner ended with %v", err)
				}
				if sh.inPlace() {
					if listed := w.listed(); !same(listed.rows(), end.rows()) {
						t.Errorf("a listing sees\n%vand the catalog\n%v", listed, end)
					}
					checkMarkerAfter(t, w, same(end, want))
				}
				if now := tree(t, w.path(w.root)); now != disk {
					t.Logf("the owner made of\n%s\n%s", disk, now)
				}
				recovered(t, w, w.start(nil))
				checkVacuumed(t, w, w.start(nil), end)
			})
		}
	})
}

// TestAFormerOwnerDoesNotExchangeBack wakes an owner whose overwrite another process has finished, when a later overwrite has
// replaced its files: an exchange that it still means to make would bring old rows back.
func TestAFormerOwnerDoesNotExchangeBack(t *testing.T) {
	w := newWorld(t, logInPlace)
	w.strategy = "exchange"
	w.seed(seeded(logInPlace))
	s := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}
	l, sleeps, wake := w.sleeper(func(name string, _ int) bool { return name == "file published" })
	ended := make(chan error, 1)
	go func() {
		_, err := l.run(s)
		ended <- err
	}()
	<-sleeps
	w.procs.set(l.name, false)
	recovered(t, w, w.start(nil))
	later := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"l1"}}}
	must(w.start(nil).run(later))(t)
	want := w.answer()
	wake()
	if err := <-ended; err != nil {
		t.Errorf("the write was finished by another process, and its owner was told %v", err)
	}
	if got := w.answer(); !same(got, want) || got["a=1/b=x"][0] != "l1" {
		t.Errorf("the owner woke and the table holds\n%v", got)
	}
}
