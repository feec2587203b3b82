package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// sqlFlags are the flags of tarn sql.
type sqlFlags struct {
	texts     []string
	file      string
	home      string
	conf      []string
	params    []string
	format    string
	keepGoing bool
	memory    string
}

func (p *Program) sqlCommand() *cobra.Command {
	var f sqlFlags
	c := &cobra.Command{
		Use: "sql", Short: "Run SQL: from -e, a file, standard input, or in a shell", Args: cobra.NoArgs,
		Long: "Runs Spark SQL statements. On a terminal, without -e and -f, it is a shell.\n" +
			"Exit status: 0 all well, 1 a statement failed, 2 wrong usage, 3 the catalog cannot be used, 130 interrupted.",
		Example: "  tarn sql\n  tarn sql -e 'SHOW TABLES'\n  tarn sql -f script.sql --format json\n  echo 'SELECT 1' | tarn sql",
		RunE:    func(c *cobra.Command, _ []string) error { return p.runSQL(c.Context(), f) },
	}
	fl := c.Flags()
	fl.StringArrayVarP(&f.texts, "execute", "e", nil, "run these statements (may be repeated)")
	fl.StringVarP(&f.file, "file", "f", "", "run the statements of a file, - for standard input")
	fl.StringVar(&f.home, "home", "", "directory of the catalog (default $TARN_HOME, else ~/.tarn)")
	fl.StringArrayVar(&f.conf, "conf", nil, "set a session default, name=value (may be repeated)")
	fl.StringArrayVar(&f.params, "param", nil, "give a parameter marker :name its value, name=value (may be repeated)")
	fl.StringVar(&f.format, "format", "", "table, csv, tsv or json (default table on a terminal, else tsv)")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "go on after a statement failed")
	fl.StringVar(&f.memory, "memory", "", "limit of the engine's memory, such as 4GB")
	return c
}

// client is one run of tarn sql.
type client struct {
	program   *Program
	exec      *exec.Executor
	session   *session.Session
	out       output
	sink      *sink // below out; nil when it may wait for its reader
	keepGoing bool
	progress  *progressLine
	failed    bool
}

func (p *Program) runSQL(ctx context.Context, f sqlFlags) error {
	home, err := homeDir(f.home)
	if err != nil {
		return status{code: exitCatalog, err: err}
	}
	config, err := readFile(home)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	base, err := config.settings(f.conf)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	params, err := parameters(f.params)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	if f.memory == "" {
		f.memory = config.SQL.Memory
	}
	limit, err := memory(f.memory)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	if len(f.texts) > 0 && f.file != "" {
		return usage("-e and -f exclude one another")
	}
	// The file is opened before the catalog, so that a misspelt name does not make one.
	var script io.ReadCloser
	if f.file != "" && f.file != "-" {
		if script, err = os.Open(f.file); err != nil {
			return status{code: exitUsage, err: err}
		}
		defer script.Close()
	}
	interactive := len(f.texts) == 0 && f.file == "" && isTerminal(p.Stdin) && isTerminal(p.Stdout)
	format := f.format
	if format == "" {
		format = config.SQL.Format
	}
	if format == "" {
		format = p.defaultFormat()
	}
	dir, err := os.Getwd()
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	s := session.New(base, userName(), dir)
	s.Params = params
	to := &sink{w: p.Stdout}
	out, err := newOutput(format, to, p.Stderr, s.Conf.Location)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	c := &client{program: p, session: s, out: out, sink: to, keepGoing: f.keepGoing}
	if isTerminal(p.Stderr) {
		c.progress = newProgressLine(p.Stderr)
	}
	x, closeAll, err := p.open(ctx, OpenOptions{Home: home, Memory: limit, Mounts: config.Mounts, Progress: c.progress.note})
	if err != nil {
		return err
	}
	defer closeAll()
	c.exec = x
	switch {
	case interactive:
		return c.shell(ctx, home)
	case len(f.texts) > 0:
		for _, text := range f.texts {
			if err := c.stream(ctx, strings.NewReader(text)); err != nil {
				return err
			}
		}
		return c.end()
	case script != nil:
		if err := c.stream(ctx, script); err != nil {
			return err
		}
		return c.end()
	}
	if err := c.stream(ctx, p.Stdin); err != nil {
		return err
	}
	return c.end()
}

// end is the exit status when all statements have run.
func (c *client) end() error {
	if c.failed {
		return status{code: exitFailed, silent: true}
	}
	return nil
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// maxStatement is the longest statement that is taken, in bytes: text that never comes to a semicolon must not fill the
// memory.
const maxStatement = 64 << 20

// stream runs the statements of a text as they arrive.
func (c *client) stream(ctx context.Context, in io.Reader) error {
	var split parser.Splitter
	var lines lineCounter
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			split.Feed(buf[:n])
			lines.feed(buf[:n])
			for {
				piece, ok := split.Next()
				if !ok {
					break
				}
				if err := c.piece(ctx, piece, lines.before(piece.Offset)); err != nil {
					return err
				}
			}
			if split.Buffered() > maxStatement {
				// Where the next statement begins is unknown, so --keep-going does not help.
				f := &failure{err: sqlerr.TooComplex("its length in bytes", maxStatement)}
				if err := c.out.fail(f, nil); err != nil {
					return status{code: exitFailed, err: outputError{err}}
				}
				return status{code: exitFailed, silent: true}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return status{code: exitFailed, err: err}
		}
	}
	if piece, ok := split.Rest(); ok {
		return c.piece(ctx, piece, lines.before(piece.Offset))
	}
	return nil
}

// piece runs one statement of a stream and decides whether the stream goes on.
func (c *client) piece(ctx context.Context, piece parser.Piece, at origin) error {
	if piece.Empty {
		return nil
	}
	err, interrupted := interruptible(ctx, func(ctx context.Context) error { return c.statement(ctx, piece.Text, at) })
	switch {
	case interrupted:
		return status{code: exitInterrupted, silent: true}
	case err == nil:
		return nil
	}
	var lost outputError
	if errors.As(err, &lost) {
		return status{code: exitFailed, err: err}
	}
	c.failed = true
	if unusable(err) {
		return status{code: exitCatalog, silent: true}
	}
	if c.keepGoing {
		return nil
	}
	return status{code: exitFailed, silent: true}
}

// statement runs one statement and prints its answer or its error. The error is also returned.
func (c *client) statement(ctx context.Context, text string, at origin) error {
	if c.progress != nil {
		defer c.progress.stop()
	}
	c.sink.until(ctx)
	fail := func(err error) *failure { return &failure{err: sqlerr.As(err), text: text, origin: at} }
	c.progress.start()
	since := time.Now()
	res, err := c.exec.Execute(ctx, c.session, text)
	if err != nil {
		c.progress.stop()
		if werr := c.out.fail(fail(err), c.session.Warnings()); werr != nil {
			return outputError{werr}
		}
		return err
	}
	if err := c.out.begin(res.Columns, since); err != nil {
		return errors.Join(outputError{err}, res.Close())
	}
	err = copyRows(ctx, quiet{res, c.progress}, c.out)
	if cerr := res.Close(); err == nil {
		err = cerr
	}
	c.progress.stop()
	var lost outputError
	if errors.As(err, &lost) {
		return err
	}
	var f *failure
	if err != nil {
		f = fail(err)
	}
	if werr := c.out.end(c.session.Warnings(), f); werr != nil {
		return outputError{werr}
	}
	return err
}

// origin is where a statement starts in its file: the lines before it, and the characters before it on its line.
type origin struct{ line, column int }

// lineCounter finds the origin of statements in a stream that arrives in pieces.
type lineCounter struct {
	offset  int // everything before it has been counted
	at      origin
	pending []byte
}

func (l *lineCounter) feed(b []byte) { l.pending = append(l.pending, b...) }

// before is the origin of what starts at offset; offsets must not decrease.
func (l *lineCounter) before(offset int) origin {
	n := min(max(offset-l.offset, 0), len(l.pending))
	passed := l.pending[:n]
	if end := bytes.LastIndexByte(passed, '\n'); end >= 0 {
		l.at.line += bytes.Count(passed, []byte{'\n'})
		l.at.column = 0
		passed = passed[end+1:]
	}
	l.at.column += utf8.RuneCount(passed)
	l.pending = l.pending[n:]
	l.offset += n
	return l.at
}

// unusable reports whether a statement failed because the catalog cannot be used: no other statement would do better.
func unusable(err error) bool {
	return errors.Is(err, sqlerr.Condition("CATALOG_UNUSABLE")) && !errors.Is(err, sqlerr.Condition("CATALOG_UNUSABLE.LOCKED")) || errors.Is(err, sqlerr.Condition("CATALOG_VERSION_UNSUPPORTED"))
}
