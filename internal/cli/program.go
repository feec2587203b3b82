// Package cli is the command line: commands and flags, the shell, and how answers are printed. It turns words of the
// user into statements for exec and calls of use cases, and holds no rule of its own.
//
// It must not import an adapter: cmd/tarn hands it what opens a catalog.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1 // a statement failed
	exitUsage       = 2
	exitCatalog     = 3 // the catalog cannot be used
	exitDrift       = 4 // tarn repair --dry-run found something to change
	exitInterrupted = 130
)

// OpenOptions say which catalog is opened, and how.
type OpenOptions struct {
	Home string
	// Memory limits the engine in bytes; 0 for its default.
	Memory   int64
	Progress func(text string, percent func() float64)
	// Mounts are the places that mount points mean, from tarn.toml.
	Mounts map[string]string
	// LeaveWork opens the catalog without finishing first what interrupted processes left behind.
	LeaveWork bool
}

// Program is the command line of tarn with what it needs from outside.
type Program struct {
	// Name is how the program was called, for commands that people copy; "" is tarn.
	Name    string
	Version string
	// Open opens the catalog below a home directory and everything that runs statements on it.
	Open func(ctx context.Context, o OpenOptions) (x *exec.Executor, closeAll func() error, err error)
	// Stores and Scans serve the commands that need no catalog.
	Stores *storage.Stores
	Scans  *scan.Scanner
	// MakeLake writes the sample lake of tarn demo; Drift then changes it behind the catalog's back.
	MakeLake func(dir string) error
	Drift    func(dir string) error

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// status is an error that carries an exit status. Its text has been printed already when silent is set.
type status struct {
	code   int
	err    error
	silent bool
}

func (s status) Error() string {
	if s.err == nil {
		return fmt.Sprintf("exit status %d", s.code)
	}
	return s.err.Error()
}

func (s status) Unwrap() error { return s.err }

// usage is an error of the command line itself.
func usage(format string, args ...any) error {
	return status{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// Run runs one command line, without the program's name, and returns the exit status.
func (p *Program) Run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var s status
	if !errors.As(err, &s) {
		s = status{code: exitUsage, err: err} // what cobra reports is misuse
	}
	if !s.silent {
		fmt.Fprintln(p.Stderr, "tarn:", s.Error())
		if s.code == exitUsage {
			fmt.Fprintln(p.Stderr, "Run tarn --help for what there is.")
		}
	}
	return s.code
}

func (p *Program) root() *cobra.Command {
	c := &cobra.Command{
		Use: "tarn", Short: "Catalog, partition repair and SQL for tables that are directories of files",
		Long: "Tarn is the catalog, the repair tool and the SQL engine for tables kept as directories of\n" +
			"Parquet, CSV and JSON files (year=2021/month=01/…).\n\n" +
			"Start with:  tarn inspect DIR   then   tarn sql",
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.sqlCommand(), p.inspectCommand(), p.repairCommand(), p.recoverCommand(), p.migrateCommand(), p.demoCommand(), p.versionCommand())
	return c
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := fmt.Fprintln(p.Stdout, "tarn", p.Version); err != nil {
				return status{code: exitFailed, err: outputError{err}}
			}
			return nil
		},
	}
}

// recoverCommand ends what interrupted processes left behind, or settles one write the way a person says.
func (p *Program) recoverCommand() *cobra.Command {
	var home string
	var dry, forward, back, accept bool
	c := &cobra.Command{
		Use: "recover [TRANSACTION]", Short: "Finish or undo what an interrupted process left behind", Args: cobra.MaximumNArgs(1),
		Long: "Without an argument, undo or finish the writes of processes that are gone, and do the work on\n" +
			"directories that they left. With a transaction of SHOW TRANSACTIONS, settle that one.",
		RunE: func(c *cobra.Command, args []string) error {
			ways := map[string]bool{"forward": forward, "back": back, "accept": accept}
			way, n := "", 0
			for name, on := range ways {
				if on {
					way, n = name, n+1
				}
			}
			switch {
			case n > 1:
				return usage("only one of --forward, --back and --accept can be given")
			case n == 1 && len(args) == 0:
				return usage("--%s needs a transaction; SHOW TRANSACTIONS lists them", way)
			case dry && len(args) > 0:
				return usage("--dry-run is for recovery of everything; leave out the transaction")
			}
			x, closeAll, err := p.open(c.Context(), OpenOptions{Home: home, LeaveWork: true})
			if err != nil {
				return err
			}
			defer closeAll()
			if len(args) == 1 {
				return p.settleWrite(c.Context(), x, args[0], way)
			}
			return p.recoverAll(c.Context(), x, dry)
		},
	}
	c.Flags().StringVar(&home, "home", "", "directory of the catalog (default $TARN_HOME, else ~/.tarn)")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and change nothing")
	c.Flags().BoolVar(&forward, "forward", false, "finish the transaction")
	c.Flags().BoolVar(&back, "back", false, "undo the transaction")
	c.Flags().BoolVar(&accept, "accept", false, "take the files as they are, and forget the transaction")
	return c
}

// settleWrite ends one write the way a person says.
func (p *Program) settleWrite(ctx context.Context, x *exec.Executor, id, way string) error {
	o, err := x.SettleWrite(ctx, id, way)
	if err != nil {
		return status{code: exitFailed, err: err}
	}
	_, err = fmt.Fprintf(p.Stdout, "%s on %s: %s\n", o.Txn.ID, o.Txn.TableName, o.Did)
	return err
}

// recoverAll ends everything that processes which are gone left behind.
func (p *Program) recoverAll(ctx context.Context, x *exec.Executor, dry bool) error {
	done, err := x.Recover(ctx, dry)
	if err != nil {
		return status{code: exitFailed, err: err}
	}
	left := len(done.Left)
	for _, o := range done.Writes {
		line := fmt.Sprintf("write %s on %s (%s): %s", o.Txn.ID, o.Txn.TableName, o.Txn.State, o.Did)
		if o.Err != nil {
			line += ": " + o.Err.Error()
		}
		if o.Did == "left" || o.Did == "stuck" {
			left++
		}
		if _, err := fmt.Fprintln(p.Stdout, line); err != nil {
			return err
		}
	}
	for _, text := range done.Left {
		fmt.Fprintln(p.Stderr, "left:", text)
	}
	verb := "done"
	if dry {
		verb = "to do"
	}
	_, err = fmt.Fprintf(p.Stdout, "%s, %s of work on directories %s, %d left\n", count(int64(len(done.Writes)), "unfinished write"), count(int64(done.Directories), "piece"), verb, left)
	if err == nil && left > 0 && !dry {
		err = status{code: exitFailed, silent: true} // a script has to see that somebody must look
	}
	return err
}

// open opens the catalog of a home directory; failures exit with the status for an unusable catalog.
func (p *Program) open(ctx context.Context, o OpenOptions) (*exec.Executor, func() error, error) {
	home, err := homeDir(o.Home)
	if err != nil {
		return nil, nil, status{code: exitCatalog, err: err}
	}
	o.Home = home
	x, closeAll, err := p.Open(ctx, o)
	if err != nil {
		return nil, nil, status{code: exitCatalog, err: catalog.Translate(err)}
	}
	return x, closeAll, nil
}

// homeDir is --home, $TARN_HOME, or ~/.tarn, as an absolute path.
func homeDir(flag string) (string, error) {
	dir := flag
	if dir == "" {
		dir = os.Getenv("TARN_HOME")
	}
	if dir == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w; use --home DIR", err)
		}
		dir = filepath.Join(user, ".tarn")
	}
	return filepath.Abs(dir)
}

// interruptible runs work with a context that Ctrl-C cancels; a second Ctrl-C ends the process at once. A signal that comes
// when the work has just ended counts too: the statements after it must not run.
func interruptible(ctx context.Context, work func(ctx context.Context) error) (err error, interrupted bool) { //nolint:revive // the flag explains the error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	signaled := make(chan bool, 1)
	go func() {
		select {
		case <-done:
			signaled <- false
		case <-signals:
			signal.Stop(signals) // from here on the signal has its usual effect
			cancel()
			signaled <- true
		}
	}()
	err = work(ctx)
	signal.Stop(signals) // returns when whatever has arrived is in the channel
	close(done)
	if interrupted = <-signaled; !interrupted {
		select {
		case <-signals:
			interrupted = true
		default:
		}
	}
	return err, interrupted
}
