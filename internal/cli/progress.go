package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/vector"
)

// progressDelay is how long a statement runs before a progress line appears: what is over sooner needs none.
const progressDelay = 700 * time.Millisecond

// progressLine is one line on a terminal that tells how a long statement is getting on. Its methods may be called on nil,
// where they do nothing.
type progressLine struct {
	w       io.Writer
	mu      sync.Mutex
	text    string
	percent func() float64
	shown   bool
	quit    chan struct{}
	ended   chan struct{}
}

func newProgressLine(w io.Writer) *progressLine { return &progressLine{w: w} }

// start begins the line of a statement.
func (p *progressLine) start() {
	if p == nil {
		return
	}
	p.stop()
	p.mu.Lock()
	p.text, p.percent = "", nil
	p.mu.Unlock()
	p.quit, p.ended = make(chan struct{}), make(chan struct{})
	go p.run(time.Now(), p.quit, p.ended)
}

func (p *progressLine) run(since time.Time, quit, ended chan struct{}) {
	defer close(ended)
	tick := time.NewTicker(150 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			p.mu.Lock()
			if p.shown {
				fmt.Fprint(p.w, "\r\x1b[K")
				p.shown = false
			}
			p.mu.Unlock()
			return
		case <-tick.C:
			if took := time.Since(since); took >= progressDelay {
				p.draw(took)
			}
		}
	}
}

func (p *progressLine) draw(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.text
	if text == "" {
		text = "running"
	}
	if p.percent != nil {
		if share := p.percent(); share >= 0 {
			text += fmt.Sprintf(" %.0f%%", share)
		}
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s, %.1fs", text, took.Seconds())
	p.shown = true
}

// note says in words what the statement is doing now, and what tells the share of it that is done in percent; nil for nothing.
func (p *progressLine) note(text string, percent func() float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.percent = text, percent
}

// stop removes the line.
func (p *progressLine) stop() {
	if p == nil || p.quit == nil {
		return
	}
	close(p.quit)
	<-p.ended
	p.quit, p.ended = nil, nil
}

// quiet is an answer whose first batch ends the progress line, so that rows and line do not mix on one terminal.
type quiet struct {
	source
	progress *progressLine
}

// Next implements source.
func (q quiet) Next(ctx context.Context) (*vector.Batch, error) {
	b, err := q.source.Next(ctx)
	q.progress.stop()
	return b, err
}
