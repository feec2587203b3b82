package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/vector"
)

// output writes the answers of statements in one format. For each statement that ran: begin (since is when it
// started), any number of batches, end; for one that failed before it had an answer: fail alone.
type output interface {
	begin(cols []plan.Column, since time.Time) error
	batch(b *vector.Batch) error
	// end closes an answer; failure is not nil when the statement failed after begin.
	end(warnings []session.Warning, failure *failure) error
	// fail reports a statement that gave no answer.
	fail(f *failure, warnings []session.Warning) error
}

// failure is a statement's error and the text it points into.
type failure struct {
	err  *sqlerr.Error
	text string
	// origin is where the statement starts in its file, for messages.
	origin origin
}

// newOutput returns the writer for a --format value, or an error that lists them.
func newOutput(format string, w, errw io.Writer, zone func() *time.Location) (output, error) {
	bw := bufio.NewWriterSize(w, 64<<10)
	switch format {
	case "json":
		return &jsonOutput{w: bw, zone: zone}, nil
	case "tsv":
		return &textOutput{w: bw, errw: errw, zone: zone, quote: quoteTSV, sep: '\t', null: "NULL"}, nil
	case "csv":
		return &textOutput{w: bw, errw: errw, zone: zone, quote: quoteCSV, sep: ','}, nil
	case "table":
		return &boxOutput{w: bw, errw: errw, zone: zone}, nil
	}
	return nil, fmt.Errorf("unknown format %q: use table, csv, tsv or json", format)
}

// source is what copyRows reads: the answer of a statement.
type source interface {
	Next(ctx context.Context) (*vector.Batch, error)
}

// copyRows writes all rows of an answer.
func copyRows(ctx context.Context, from source, to output) error {
	for {
		b, err := from.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return nil
		}
		if err := to.batch(b); err != nil {
			return outputError{err}
		}
	}
}

// outputError marks a failure to write the answer (a closed pipe, a full disk), as opposed to one of the statement.
type outputError struct{ err error }

func (e outputError) Error() string { return "write the answer: " + e.err.Error() }
func (e outputError) Unwrap() error { return e.err }
