package migrate

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// measure fills in the counts of a table: the files and rows that a query of the target reads, and the rows of the source. A target that
// has other rows than its source is a failure, and one that this run has copied goes.
func (m *Migrator) measure(ctx context.Context, o Options, out *Outcome) {
	if out.Status == Failed {
		return
	}
	read := out.Target
	if out.Status == Would {
		read = out.Source
	}
	if files, bytes, err := m.Runner.Files(ctx, read); err == nil {
		out.Files, out.Bytes = files, bytes
	}
	if !o.Count {
		return
	}
	if out.Status == Would || out.Status == Stale {
		out.RowsBefore, _ = m.count(ctx, out.Source, "")
		if out.Status == Stale {
			out.RowsAfter, _ = m.count(ctx, out.Target, "")
		}
		return
	}
	why := m.compare(ctx, out)
	switch {
	case why == "" || out.Status == UpToDate && out.Way != BySync: // people may have written to a copy that an earlier run made
		return
	case out.made && m.outran(ctx, o, out):
		m.stale(out)
		return
	}
	m.withdraw(ctx, out, why)
}

// withdraw reports a failure, and takes back what this run has made.
func (m *Migrator) withdraw(ctx context.Context, out *Outcome, why string) {
	out.Status, out.Detail = Failed, why
	if !out.made {
		return
	}
	kind := "TABLE"
	if out.Category == ViewCategory {
		kind = "VIEW"
	}
	if _, err := m.Runner.Run(ctx, "DROP "+kind+" "+out.Target.String()); err != nil {
		out.Detail += " It could not be dropped: " + sqlerr.As(err).Error()
		return
	}
	out.Files, out.Bytes = -1, -1
	out.Detail += " It is dropped."
}

// compare counts the rows of both sides and says in what they differ. A source that others write to meanwhile, or whose rows are another
// number each time, is no measure.
func (m *Migrator) compare(ctx context.Context, out *Outcome) string {
	for range tries {
		var serr, terr error
		out.RowsBefore, serr = m.count(ctx, out.Source, out.at)
		out.RowsAfter, terr = m.count(ctx, out.Target, "")
		switch {
		case serr != nil || ctx.Err() != nil:
			return "" // what cannot be read stays as it is
		case terr != nil:
			return "The source can be read and the target cannot: " + sqlerr.As(terr).Error()
		case out.RowsBefore == out.RowsAfter:
			return ""
		}
		if again, err := m.count(ctx, out.Source, out.at); err != nil || again == out.RowsBefore {
			return fmt.Sprintf("The target has %d rows and the source %d: the two read other files.", out.RowsAfter, out.RowsBefore)
		}
	}
	return ""
}

// outran reports whether the catalog knows that the source has changed since it was copied.
func (m *Migrator) outran(ctx context.Context, o Options, out *Outcome) bool {
	if out.at != "" {
		return false // the version that was copied is the one that was counted
	}
	there, err := m.copied(ctx, o, out)
	return err == nil && there == stale
}

// count is the number of rows, or -1 and why they cannot be read. at is "" or an earlier version.
func (m *Migrator) count(ctx context.Context, name ident.Name, at string) (int64, error) {
	row, err := m.Runner.Run(ctx, "SELECT count(*) AS n FROM "+name.String()+at)
	if err != nil {
		return -1, err
	}
	n, ok := row["n"].(int64)
	if !ok {
		return -1, nil
	}
	return n, nil
}
