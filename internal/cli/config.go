package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/storage"
)

// file is <home>/tarn.toml.
type file struct {
	// Conf are session defaults by their full names: [conf] "spark.sql.session.timeZone" = "Europe/Paris".
	Conf map[string]any `toml:"conf"`
	// Mounts are places by their names in DBFS: [mounts] "/mnt/lake" = "file:/data/lake". The point "/" is the root of dbfs:.
	Mounts map[string]string `toml:"mounts"`
	SQL    struct {
		Format string `toml:"format"`
		Memory string `toml:"memory"`
	} `toml:"sql"`
}

// readFile reads the settings of a home directory; a missing file is none. What it does not know is an error, since it is most
// likely misspelt.
func readFile(home string) (file, error) {
	var f file
	path := filepath.Join(home, "tarn.toml")
	meta, err := toml.DecodeFile(path, &f)
	// A home that is no directory has no settings either; opening its catalog will say what is wrong.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrPermission) && !exists(path) {
		return file{}, nil
	}
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := storage.NewMounts(f.Mounts, storage.Location{}, storage.Location{}); err != nil {
		return file{}, fmt.Errorf("%s: [mounts]: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return file{}, fmt.Errorf("%s: unknown key %s", path, unknown[0])
	}
	return f, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// settings joins the settings of the file with those of --conf, which win, and checks them.
func (f file) settings(flags []string) (map[string]string, error) {
	base := map[string]string{}
	keys := make([]string, 0, len(f.Conf))
	for k := range f.Conf {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		v := fmt.Sprint(f.Conf[k])
		if err := conf.Check(k, v); err != nil {
			return nil, fmt.Errorf("tarn.toml: %w", err)
		}
		base[k] = v
	}
	for _, kv := range flags {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, fmt.Errorf("--conf %s: write it as name=value", kv)
		}
		k, v = strings.TrimSpace(k), strings.TrimSpace(v)
		if err := conf.Check(k, v); err != nil {
			return nil, fmt.Errorf("--conf %s: %w", kv, err)
		}
		base[k] = v
	}
	return base, nil
}

// parameters reads name=value pairs of --param.
func parameters(flags []string) (map[string]string, error) {
	out := map[string]string{}
	for _, kv := range flags {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--param %s: write it as name=value", kv)
		}
		out[k] = v
	}
	return out, nil
}

// memory reads a size such as 4GB, 512MiB or 2000000; "" is 0.
func memory(s string) (int64, error) {
	t := strings.ToUpper(strings.TrimSpace(s))
	if t == "" {
		return 0, nil
	}
	unit := int64(1)
	for _, u := range []struct {
		suffix string
		size   int64
	}{{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(t, u.suffix); ok {
			t, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || !(f > 0) || f*float64(unit) > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is no size; write it as 4GB or 512MiB", s)
	}
	return int64(f * float64(unit)), nil
}

// userName is the operating system's user: owner and actor until principals exist.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	if s := os.Getenv("USER"); s != "" {
		return s
	}
	return "unknown"
}

// begin finds the home directory of a command that runs statements of its own, what its file says, and a session with the
// file's settings in the working directory.
func (p *Program) begin(flag, actor string) (home string, config file, s *session.Session, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", config, nil, status{code: exitUsage, err: err}
	}
	if home, err = homeDir(flag); err != nil {
		return "", config, nil, status{code: exitCatalog, err: err}
	}
	if config, err = readFile(home); err != nil {
		return "", config, nil, status{code: exitUsage, err: err}
	}
	base, err := config.settings(nil)
	if err != nil {
		return "", config, nil, status{code: exitUsage, err: err}
	}
	return home, config, session.New(base, actor, dir), nil
}

// defaultFormat is how answers are printed when nobody says how.
func (p *Program) defaultFormat() string {
	if isTerminal(p.Stdout) {
		return "table"
	}
	return "tsv"
}
