package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

func (p *Program) inspectCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "inspect DIR", Short: "Say what a directory of files is, and the CREATE TABLE to run", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usage("unknown format %q: use text or json", format)
			}
			root, err := location(args[0])
			if err != nil {
				return status{code: exitUsage, err: err}
			}
			var text string
			err, interrupted := interruptible(c.Context(), func(ctx context.Context) error {
				in, err := p.Scans.Inspect(ctx, root, plainSettings())
				if err != nil {
					return err
				}
				if format == "json" {
					text, err = inspectJSON(in)
					return err
				}
				text = inspectText(in, args[0])
				return nil
			})
			if err == nil && !interrupted {
				if _, err := io.WriteString(p.Stdout, text); err != nil {
					return status{code: exitFailed, err: outputError{err}}
				}
			}
			return p.outcome(err, interrupted)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

// outcome turns the error of a command that is no statement into its exit status.
func (p *Program) outcome(err error, interrupted bool) error {
	switch {
	case interrupted:
		return status{code: exitInterrupted, silent: true}
	case err == nil:
		return nil
	}
	writeFailure(p.Stderr, &failure{err: scan.StorageFailure(err)})
	return status{code: exitFailed, err: err, silent: true}
}

// location reads a directory argument.
func location(arg string) (storage.Location, error) {
	dir, err := os.Getwd()
	if err != nil {
		return storage.Location{}, err
	}
	return storage.ParseLocation(arg, "file:"+dir)
}

// plainSettings are those of a session in which nothing was set.
func plainSettings() scan.Settings {
	return scan.Settings{Context: &expr.Context{Zone: time.UTC, ANSI: true}, InferTypes: true, Validate: true, Warn: func(string, string, map[string]string) {}}
}

func inspectText(in *scan.Inspection, arg string) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s\n  format      %s%s\n", in.Root, in.Format, others(in.Others))
	fmt.Fprintf(w, "  files       %s, %s\n", groupDigits(int64(in.Files)), size(in.Bytes))
	if in.Rows >= 0 {
		fmt.Fprintf(w, "  rows        %s\n", groupDigits(in.Rows))
	}
	if in.Partitions > 0 {
		fmt.Fprintf(w, "  partitions  %s\n", groupDigits(int64(in.Partitions)))
	}
	if in.Empty > 0 {
		fmt.Fprintf(w, "  empty       %s of zero bytes, not read\n", count(int64(in.Empty), "file"))
	}
	if in.Ignored > 0 {
		fmt.Fprintf(w, "  ignored     %s that readers leave out (_SUCCESS, .hidden, …)\n", count(int64(in.Ignored), "name"))
	}
	if len(in.Partition) > 0 {
		fmt.Fprintln(w, "\nPartition columns")
		for i, c := range in.Partition {
			fmt.Fprintf(w, "  %-20s %-12s %s\n", c.Name, c.Type.SQL(), count(int64(in.Distinct[i]), "value"))
		}
	}
	if in.SchemaError == nil {
		fmt.Fprintln(w, "\nColumns")
		for _, f := range in.Columns[:len(in.Columns)-len(in.Partition)] {
			fmt.Fprintf(w, "  %-20s %s\n", f.Name, f.Type.SQL())
		}
	} else {
		fmt.Fprintf(w, "\nNo columns: %s\n", scan.StorageFailure(in.SchemaError).Message)
	}
	if len(in.Problems) > 0 {
		fmt.Fprintf(w, "\nProblems (%d)\n", len(in.Problems)+in.More)
		for _, x := range in.Problems {
			fmt.Fprintf(w, "  %-16s %s\n                   %s\n", x.Reason, visiblePath(cmp.Or(x.Path, ".")), x.Detail)
		}
		if in.More > 0 {
			fmt.Fprintf(w, "  … and %d more\n", in.More)
		}
	} else {
		fmt.Fprintln(w, "\nNo problems found.")
	}
	fmt.Fprintf(w, "\nTo query it, run tarn sql and type:\n\n%s\n", createStatement(in, arg))
	if len(in.Partition) > 0 && in.Format != "delta" {
		fmt.Fprint(w, "\nEach query then lists the directories. To register partitions instead, so that only those\ncount, add TBLPROPERTIES ('partitionMetadataEnabled'='true') and run MSCK REPAIR TABLE … SYNC PARTITIONS.\n")
	}
	return w.String()
}

func visiblePath(s string) string { return strings.Map(visible, s) }

func others(m map[string]int) string {
	if len(m) == 0 {
		return ""
	}
	var out []string
	for k, n := range m {
		out = append(out, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(out)
	return " (also " + strings.Join(out, ", ") + ")"
}

func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}
	f, u := float64(n), 0
	for f >= 1024 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

// createStatement is the CREATE TABLE that makes a table of what was inspected.
func createStatement(in *scan.Inspection, arg string) string {
	name := tableName(in.Root)
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s", ident.QuoteIfNeeded(name))
	if in.SchemaError == nil && len(in.Columns) > 0 && in.Format != "delta" { // whose log has them
		b.WriteString(" (\n")
		for i, f := range in.Columns {
			fmt.Fprintf(&b, "  %s %s", ident.QuoteIfNeeded(f.Name), f.Type.SQL())
			if i < len(in.Columns)-1 {
				b.WriteString(",\n")
			}
		}
		b.WriteString("\n)")
	}
	fmt.Fprintf(&b, "\nUSING %s", in.Format)
	if len(in.Options) > 0 {
		keys := make([]string, 0, len(in.Options))
		for k := range in.Options {
			// The columns are given, so nothing is left to infer.
			if k != "inferSchema" {
				keys = append(keys, k)
			}
		}
		sort.Strings(keys)
		var opts []string
		for _, k := range keys {
			opts = append(opts, fmt.Sprintf("'%s' '%s'", k, strings.ReplaceAll(in.Options[k], "\t", `\t`)))
		}
		fmt.Fprintf(&b, "\nOPTIONS (%s)", strings.Join(opts, ", "))
	}
	if len(in.Partition) > 0 && in.Format != "delta" {
		var names []string
		for _, c := range in.Partition {
			names = append(names, ident.QuoteIfNeeded(c.Name))
		}
		fmt.Fprintf(&b, "\nPARTITIONED BY (%s)", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, "\nLOCATION '%s';", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(arg))
	return b.String()
}

// tableName makes a table's name of the name of a directory.
func tableName(root storage.Location) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, root.Name())
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "t_" + name
	}
	return strings.ToLower(name)
}

func inspectJSON(in *scan.Inspection) (string, error) {
	type column struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Distinct *int   `json:"distinct,omitempty"`
	}
	type problem struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
		Detail string `json:"detail"`
	}
	out := struct {
		Location   string            `json:"location"`
		Format     string            `json:"format"`
		Options    map[string]string `json:"options"`
		Files      int               `json:"files"`
		Bytes      int64             `json:"bytes"`
		Rows       *int64            `json:"rows"`
		Partitions int               `json:"partitions"`
		Empty      int               `json:"emptyFiles"`
		Ignored    int               `json:"ignoredNames"`
		Columns    []column          `json:"columns"`
		Partition  []column          `json:"partitionColumns"`
		Problems   []problem         `json:"problems"`
		More       int               `json:"moreProblems"`
		Create     string            `json:"createTable"`
	}{
		Location: in.Root.String(), Format: in.Format, Options: in.Options, Files: in.Files, Bytes: in.Bytes, Partitions: in.Partitions, Empty: in.Empty, Ignored: in.Ignored,
		Columns: []column{}, Partition: []column{}, Problems: []problem{}, More: in.More, Create: createStatement(in, in.Root.String()),
	}
	if in.Rows >= 0 {
		out.Rows = &in.Rows
	}
	for _, f := range in.Columns {
		out.Columns = append(out.Columns, column{Name: f.Name, Type: f.Type.String()})
	}
	for i, c := range in.Partition {
		out.Partition = append(out.Partition, column{c.Name, c.Type.String(), &in.Distinct[i]})
	}
	for _, x := range in.Problems {
		out.Problems = append(out.Problems, problem{x.Path, string(x.Reason), x.Detail})
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(out)
	return text.String(), err
}
