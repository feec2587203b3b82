package scan

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Inspection is what a directory of files turns out to be.
type Inspection struct {
	Root   storage.Location
	Format string
	// Others counts files of further formats, by format.
	Others  map[string]int
	Options map[string]string
	Columns []types.Field
	// Partition are the partition columns, outermost first; Distinct counts the values of each.
	Partition  []partition.Column
	Distinct   []int
	Partitions int
	Files      int
	Bytes      int64
	// Rows is the number of rows, -1 when the files do not tell it.
	Rows int64
	// Empty counts files of zero bytes, Ignored names that readers leave out.
	Empty, Ignored int
	// Problems are what is wrong, by directory; More counts those beyond the first MaxProblems.
	Problems []Problem
	More     int
	// SchemaError says why no columns could be found.
	SchemaError error
}

// Problem is something wrong with one directory or file.
type Problem struct {
	Path   string // relative to the root
	Reason partition.Reason
	Detail string
}

// MaxProblems bounds the problems that an Inspection lists.
const MaxProblems = 100

// Inspect looks at a directory as a newcomer would want it looked at: what the files are, how they are partitioned, and
// what will get in the way.
func (sc *Scanner) Inspect(ctx context.Context, root storage.Location, s Settings) (*Inspection, error) {
	if in, err := sc.inspectDelta(ctx, root, s); in != nil || err != nil {
		return in, err
	}
	tree, err := ReadTree(ctx, sc.stores, []storage.Location{root}, TreeOptions{IgnoreInvalid: true, Lenient: true, Infer: partition.InferOptions{Disabled: !s.InferTypes}, CaseSensitive: s.CaseSensitive})
	if err != nil {
		return nil, err
	}
	if len(tree.Files) == 0 {
		return nil, sqlerr.UnableToInferSchema("any format", root.String())
	}
	in := &Inspection{Root: root, Partition: tree.Found.Columns, Files: len(tree.Files), Rows: -1, Options: map[string]string{}}
	for _, f := range tree.Files {
		in.Bytes += f.Size
	}
	if len(in.Partition) > 0 {
		in.Partitions = tree.Len()
	}
	for level := range tree.Found.Levels {
		in.Distinct = append(in.Distinct, distinctValues(tree.Found.Columns[level].Type, tree.Found.Levels[level]))
	}
	for _, skip := range tree.Found.Skipped {
		in.problem(skip.Path, skip.Reason, skip.Detail)
	}
	files := in.chooseFormat(ctx, tree.Files)
	if in.Format == "csv" {
		in.guessCSV(ctx, files)
	}
	sc.columns(ctx, in, files, s)
	if len(in.Partition) > 0 {
		if err := sc.duplicates(ctx, in, s); err != nil {
			return nil, err
		}
	}
	return in, sc.counts(ctx, in, tree, files)
}

func (in *Inspection) problem(where string, reason partition.Reason, detail string) {
	if len(in.Problems) == MaxProblems {
		in.More++
		return
	}
	in.Problems = append(in.Problems, Problem{where, reason, detail})
}

func distinctValues(t types.Type, spellings []partition.Spelling) int {
	values := make([]types.Value, 0, len(spellings))
	null := 0
	for _, sp := range spellings {
		if sp.Value == nil {
			null = 1
			continue
		}
		values = append(values, sp.Value)
	}
	slices.SortFunc(values, func(a, b types.Value) int { return types.Compare(t, a, b) })
	values = slices.CompactFunc(values, func(a, b types.Value) bool { return types.Compare(t, a, b) == 0 })
	return len(values) + null
}

// suffixes tell the format of a file by its name; compression suffixes come off first.
var suffixes = map[string]string{".parquet": "parquet", ".parq": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".orc": "orc", ".avro": "avro"}

// formatOfName is the format that a file's name suggests, "" for none.
func formatOfName(name string) string {
	name = strings.ToLower(name)
	for _, c := range []string{".gz", ".zst", ".bz2", ".snappy", ".lz4", ".deflate"} {
		name = strings.TrimSuffix(name, c)
	}
	return suffixes[path.Ext(name)]
}

// chooseFormat takes the format that most files have, by name or, where names tell nothing, by their first bytes.
func (in *Inspection) chooseFormat(ctx context.Context, files []storage.File) []storage.File {
	byFormat := map[string][]storage.File{}
	for _, f := range files {
		kind := formatOfName(f.Name())
		if kind == "" {
			kind = sniff(ctx, f)
		}
		byFormat[kind] = append(byFormat[kind], f)
	}
	names := make([]string, 0, len(byFormat))
	for k := range byFormat {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := len(byFormat[names[i]]), len(byFormat[names[j]])
		return a > b || a == b && names[i] < names[j]
	})
	in.Format = names[0]
	in.Others = map[string]int{}
	for _, k := range names[1:] {
		in.Others[k] = len(byFormat[k])
		for _, f := range byFormat[k] {
			rel, _ := in.Root.Rel(f.Location())
			in.problem(rel, partition.BadName, fmt.Sprintf("the file looks like %s, most others are %s", k, in.Format))
		}
	}
	return byFormat[in.Format]
}

// sniff looks at the first bytes of a file.
func sniff(ctx context.Context, f storage.File) string {
	head := firstBytes(ctx, f, 512)
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("PARE")):
		return "parquet"
	case bytes.HasPrefix(head, []byte("ORC")):
		return "orc"
	case bytes.HasPrefix(head, []byte("Obj\x01")):
		return "avro"
	}
	text := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return "json"
	}
	return "csv"
}

func firstBytes(ctx context.Context, f storage.File, n int64) []byte {
	r, _, err := f.Bucket.Read(ctx, f.Key, 0, n)
	if err != nil {
		return nil
	}
	defer r.Close()
	head, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return head
}

// guessCSV finds the separator and whether the first line names the columns: it does when none of its fields is a number
// and they differ, while the second line has the same number of fields.
func (in *Inspection) guessCSV(ctx context.Context, files []storage.File) {
	if strings.HasSuffix(strings.ToLower(files[0].Name()), "gz") || strings.HasSuffix(strings.ToLower(files[0].Name()), "zst") {
		in.Options["header"] = "true"
		return
	}
	lines := strings.Split(string(firstBytes(ctx, files[0], 64<<10)), "\n")
	first := strings.TrimRight(lines[0], "\r")
	sep := ","
	for _, c := range []string{"\t", ";", "|"} {
		if strings.Count(first, c) > strings.Count(first, sep) {
			sep = c
		}
	}
	if sep != "," {
		in.Options["sep"] = sep
	}
	fields := strings.Split(first, sep)
	seen := map[string]bool{}
	for _, f := range fields {
		f = strings.Trim(strings.TrimSpace(f), `"`)
		if f == "" || seen[f] || !unicode.IsLetter([]rune(f)[0]) && f[0] != '_' {
			return
		}
		if _, ok := types.ParseDouble(f); ok {
			return
		}
		seen[f] = true
	}
	if len(lines) < 2 || strings.TrimSpace(lines[1]) == "" || strings.Count(lines[1], sep)+1 == len(fields) {
		in.Options["header"] = "true"
		in.Options["inferSchema"] = "true"
	}
}

// columns finds the data columns and puts the partition columns behind them.
func (sc *Scanner) columns(ctx context.Context, in *Inspection, files []storage.File, s Settings) {
	if in.SchemaError = sc.readable(in.Format); in.SchemaError != nil {
		return
	}
	sample := files
	if len(sample) > maxSample {
		sample = sample[:maxSample]
	}
	data, err := sc.dataSchema(ctx, InferRequest{Paths: []storage.Location{in.Root}, Format: in.Format, Options: in.Options, Settings: s}, sample)
	if err != nil {
		in.SchemaError = err
		return
	}
	var all Inferred
	all.arrange(data, in.Partition, s.CaseSensitive, false)
	in.Columns = all.Columns
}

// maxSample is how many text files an inspection reads to infer columns: enough for a first look at any size.
const maxSample = 200

// duplicates reports directories that stand for the value of another one.
func (sc *Scanner) duplicates(ctx context.Context, in *Inspection, s Settings) error {
	found, err := Discover(ctx, sc.stores, in.Root, in.Partition, DiscoverOptions{CaseSensitive: s.CaseSensitive})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, p := range in.Problems {
		seen[p.Path] = true
	}
	known := partition.NewSet(in.Partition)
	for a := range partition.Diff(known, found, partition.DiffOptions{Mode: partition.SyncMode, Root: in.Root.String()}).Actions() {
		if a.Kind == partition.ActionSkip && !seen[a.Rel] {
			in.problem(a.Rel, a.Reason, a.Detail)
		}
	}
	return nil
}

// counts adds up rows where footers tell them, and names that readers leave out.
func (sc *Scanner) counts(ctx context.Context, in *Inspection, tree *Tree, files []storage.File) error {
	var dirs []storage.Location
	if len(in.Partition) == 0 {
		dirs = append(dirs, in.Root)
	} else {
		for r := range tree.Len() {
			loc := in.Root
			for level, codes := range tree.Found.Codes {
				loc = loc.Join(tree.Found.Levels[level][codes[r]].Dir)
			}
			dirs = append(dirs, loc)
		}
	}
	list, err := Files(ctx, sc.stores, dirs, FileOptions{Direct: len(in.Partition) == 0})
	if err != nil {
		return err
	}
	in.Empty, in.Ignored = list.Empty, list.Ignored
	if in.Format != "parquet" {
		return nil
	}
	var rows int64
	broken := false
	results := make([]error, len(files))
	counts := make([]int64, len(files))
	err = parallel.Each(ctx, threadCount(0), len(files), func(i int) error {
		foot, _, err := sc.footerOf(ctx, files[i], Settings{})
		counts[i], results[i] = foot.rows, err
		return nil
	})
	for i, ferr := range results {
		rows += counts[i]
		if ferr != nil {
			broken = true
			rel, _ := in.Root.Rel(files[i].Location())
			in.problem(rel, partition.BadName, sqlerr.As(ferr).Message)
		}
	}
	if !broken {
		in.Rows = rows
	}
	return err
}
