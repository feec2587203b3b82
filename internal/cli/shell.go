package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reeflective/readline"

	"github.com/tarnlake/tarn/internal/sql/parser"
)

// shell is the interactive client: statements end with a semicolon and may take several lines; Ctrl-C drops the line, or
// cancels the statement that runs; Ctrl-D leaves.
func (c *client) shell(ctx context.Context, home string) error {
	fmt.Fprintf(c.program.Stdout, "Tarn %s. Statements end with a semicolon; help shows examples, quit leaves.\n", c.program.Version)
	rl := readline.NewShell()
	rl.Prompt.Primary(func() string { return "tarn> " })
	rl.Prompt.Secondary(func() string { return "   -> " })
	rl.AcceptMultiline = func(line []rune) bool { return complete(string(line)) }
	rl.Completer = func(line []rune, cursor int) readline.Completions { return c.completions(ctx, string(line[:cursor])) }
	if history, err := openHistory(filepath.Join(home, "history")); err == nil {
		rl.History.Delete()
		rl.History.Add("statements", history)
	}
	for {
		line, err := rl.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(c.program.Stdout)
			return nil
		case err != nil:
			return status{code: exitFailed, err: err}
		}
		if c.word(line) {
			return nil
		}
		for _, piece := range parser.Split(line) {
			if piece.Empty {
				continue
			}
			err, interrupted := interruptible(ctx, func(ctx context.Context) error { return c.statement(ctx, piece.Text, origin{}) })
			var lost outputError
			if errors.As(err, &lost) {
				return status{code: exitFailed, err: err}
			}
			if err != nil || interrupted {
				break
			}
		}
	}
}

// openHistory opens the file of earlier statements, and makes it at first: the library reads only a file that is there. It is
// the user's alone, since statements may hold secrets.
func openHistory(path string) (readline.History, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return readline.NewHistoryFromFile(path)
}

// complete reports whether a line is to be run: it ends with a semicolon, holds nothing, or is a word of the shell.
func complete(line string) bool {
	switch shellWord(line) {
	case "", "quit", "exit", "help":
		return true
	}
	var s parser.Splitter
	s.Feed([]byte(line))
	for {
		if _, ok := s.Next(); !ok {
			break
		}
	}
	rest, ok := s.Rest()
	return !ok || rest.Empty
}

func shellWord(line string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(line), "; "))
}

// word runs the words of the shell; true leaves it.
func (c *client) word(line string) (leave bool) {
	switch shellWord(line) {
	case "quit", "exit":
		return true
	case "help":
		fmt.Fprint(c.program.Stdout, shellHelp)
	}
	return false
}

const shellHelp = `Some statements to start with:
  CREATE TABLE events USING parquet PARTITIONED BY (year, month) LOCATION './events';
  SHOW PARTITIONS events;
  SELECT max(month), count(*) FROM events WHERE year = 2021;
  SET spark.databricks.nonDelta.partitionLog.enabled = true;   -- new tables keep a partition log
  MSCK REPAIR TABLE events SYNC PARTITIONS DRY RUN;
  SHOW DRIFT events;
  EXPLAIN PATH './events/year=2021';
quit, exit or Ctrl-D leave; Tab completes names.
`

// words are completed besides names.
var words = []string{
	"ADD", "ALTER TABLE", "CREATE TABLE", "CREATE OR REPLACE TABLE", "CREATE SCHEMA", "CREATE VIEW", "DESCRIBE", "DESCRIBE HISTORY", "DROP TABLE", "DRY RUN", "EXPLAIN",
	"EXPLAIN PATH", "FROM", "GROUP BY", "LIMIT", "LOCATION", "MSCK REPAIR TABLE", "ORDER BY", "PARTITION", "PARTITIONED BY", "PARTITIONS", "RECOVER PARTITIONS", "SELECT",
	"SET", "SHOW CREATE TABLE", "SHOW DRIFT", "SHOW PARTITIONS", "SHOW SCHEMAS", "SHOW TABLES", "SYNC PARTITIONS", "TBLPROPERTIES", "USE", "USING", "WHERE",
}

// completions offers the names of tables of the current schema, of schemas and catalogs, and keywords.
func (c *client) completions(ctx context.Context, before string) readline.Completions {
	start := strings.LastIndexAny(before, " \t\n(,") + 1
	prefix := strings.ToLower(before[start:])
	var out []string
	for _, name := range c.exec.NamesFor(ctx, c.session) {
		if len(prefix) <= len(name) && strings.EqualFold(name[:len(prefix)], prefix) {
			out = append(out, before[start:]+name[len(prefix):])
		}
	}
	return readline.CompleteValues(append(out, keywords(before, start)...)...)
}

// keywords are the ends of those words that the text goes on to, when the part from start on is replaced: behind SHOW TAB
// that is TABLES.
func keywords(before string, start int) []string {
	var out []string
	for _, w := range words {
		for at := start; ; {
			if typed := before[at:]; typed != "" && len(typed) <= len(w) && strings.EqualFold(w[:len(typed)], typed) {
				rest := w[start-at:]
				if typed != strings.ToUpper(typed) {
					rest = strings.ToLower(rest) // the library offers only what goes on as it was typed
				}
				out = append(out, rest)
				break
			}
			if at < 2 || before[at-1] != ' ' {
				break
			}
			at = strings.LastIndexAny(before[:at-1], " \t\n(,;") + 1
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
