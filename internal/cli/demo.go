package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/session"
)

func (p *Program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo DIR", Short: "Make a sample lake in a new directory, let it drift, repair it, query it", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.runDemo(c.Context(), args[0]) },
	}
}

// step is one part of the demo: what is said, what happens outside the catalog, and the statements that run.
type step struct {
	say  string
	act  func() error
	sqls []string
}

// runDemo tells the story of a table: made, drifted, repaired, queried.
func (p *Program) runDemo(ctx context.Context, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	home := filepath.Join(abs, ".tarn")
	events := filepath.Join(abs, "events")
	var c *client
	steps := []step{
		{say: "A lake: two years of events, one directory a month, in " + events, act: func() error { return p.MakeLake(abs) }},
		{say: "A table over it that keeps a partition log: only registered partitions count.", sqls: []string{
			"CREATE TABLE events USING parquet PARTITIONED BY (year, month) LOCATION '" + quotePath(events) + "' TBLPROPERTIES ('partitionMetadataEnabled'='true')",
			"SELECT count(*) FROM events",
		}},
		{say: "MSCK REPAIR registers what is on storage: one row a change, in one commit.", sqls: []string{
			"MSCK REPAIR TABLE events PARTITION (year = 2020) SYNC PARTITIONS",
			"MSCK REPAIR TABLE events PARTITION (year = 2021) SYNC PARTITIONS",
			"SELECT max(month), count(*) FROM events WHERE year = 2021",
		}},
		{say: "Then other jobs come by: a month arrives, one is deleted, some directories are no partitions.", act: func() error { return p.Drift(abs) }},
		{say: "Queries go on and say what they miss; a dry run shows the drift.", sqls: []string{
			"SELECT year, count(*) FROM events GROUP BY year ORDER BY year",
			"MSCK REPAIR TABLE events SYNC PARTITIONS DRY RUN",
		}},
		{say: "SYNC makes the catalog agree. The empty month is registered, and max(month) is still right.", sqls: []string{
			"MSCK REPAIR TABLE events SYNC PARTITIONS",
			"SHOW PARTITIONS events PARTITION (year = 2022)",
			"SELECT max(month) FROM events WHERE year = 2022",
			"EXPLAIN SELECT max(month) FROM events WHERE year = 2022",
			"SELECT kind, count(*), round(sum(amount), 2) AS amount FROM events WHERE year = 2021 AND month BETWEEN 6 AND 8 GROUP BY kind ORDER BY kind",
			"DESCRIBE HISTORY events",
		}},
	}
	for i, s := range steps {
		fmt.Fprintf(p.Stdout, "\n== %d. %s\n", i+1, s.say)
		if s.act != nil {
			if err := s.act(); err != nil {
				return status{code: exitFailed, err: err}
			}
		}
		if c == nil && len(s.sqls) > 0 {
			made, closeAll, err := p.demoClient(ctx, home)
			if err != nil {
				return err
			}
			defer closeAll()
			c = made
		}
		for _, text := range s.sqls {
			fmt.Fprintf(p.Stdout, "\ntarn> %s;\n", text)
			if err := c.statement(ctx, text, origin{}); err != nil {
				return status{code: exitFailed, silent: true}
			}
		}
	}
	fmt.Fprintf(p.Stdout, `
What next:
  %[1]s sql --home %[2]s
      the shell, on this catalog
  %[1]s inspect DIR
      what your own directory is, and the CREATE TABLE to run
  hive -e 'SHOW PARTITIONS t' | %[1]s repair DIR --known - --emit hive
      cure drift in the catalog that you have
`, cmp.Or(p.Name, "tarn"), dir+"/.tarn")
	return nil
}

func (p *Program) demoClient(ctx context.Context, home string) (*client, func() error, error) {
	s := session.New(nil, userName(), "/")
	out, err := newOutput("table", p.Stdout, p.Stdout, s.Conf.Location)
	if err != nil {
		return nil, nil, err
	}
	x, closeAll, err := p.open(ctx, OpenOptions{Home: home})
	if err != nil {
		return nil, nil, err
	}
	return &client{program: p, session: s, out: out, exec: x}, closeAll, nil
}

func quotePath(s string) string { return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) }
