// Package demo makes the sample lake of tarn demo: a small table of events as a tree of Parquet files, and the drift that
// such trees suffer. It writes files only and must not import a catalog.
package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/parquet-go/parquet-go"
)

// event is one row of the sample.
type event struct {
	ID     int64     `parquet:"id"`
	At     time.Time `parquet:"at,timestamp(microsecond)"`
	Kind   string    `parquet:"kind,dict"`
	City   *string   `parquet:"city,optional,dict"`
	Amount float64   `parquet:"amount"`
}

// months of the sample: 2020-01 to 2021-12.
const (
	firstYear = 2020
	lastYear  = 2021
	perMonth  = 500
)

// MakeLake writes the table events below dir, in year=…/month=… directories. It refuses a directory that is there, so that
// it never writes into somebody's data.
func MakeLake(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s exists already; name a directory that does not, or remove it", dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for year := firstYear; year <= lastYear; year++ {
		for month := 1; month <= 12; month++ {
			if err := writeMonth(filepath.Join(dir, "events"), year, month); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeMonth(table string, year, month int) error {
	part := filepath.Join(table, fmt.Sprintf("year=%d", year), fmt.Sprintf("month=%02d", month))
	if err := os.MkdirAll(part, 0o755); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(year), uint64(month)))
	kinds := []string{"view", "click", "buy", "return"}
	cities := []string{"Oslo", "San José", "München", "Kraków", "Lagos"}
	rows := make([]event, perMonth)
	for i := range rows {
		rows[i] = event{
			ID: int64(year*100+month)*1000 + int64(i), At: time.Date(year, time.Month(month), 1+random.IntN(28), random.IntN(24), random.IntN(60), random.IntN(60), 0, time.UTC),
			Kind: kinds[random.IntN(len(kinds))], Amount: float64(random.IntN(20000)) / 100,
		}
		if k := random.IntN(len(cities) + 1); k < len(cities) {
			rows[i].City = &cities[k]
		}
	}
	return parquet.WriteFile(filepath.Join(part, "part-00000.parquet"), rows, parquet.Compression(&parquet.Zstd))
}

// Drift changes the tree as other jobs would: a month arrives, one is deleted, one arrives empty, and some directories are no
// partitions at all.
func Drift(dir string) error {
	table := filepath.Join(dir, "events")
	if err := writeMonth(table, lastYear+1, 1); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(table, fmt.Sprintf("year=%d", firstYear), "month=03")); err != nil {
		return err
	}
	for _, d := range []string{"year=2022/month=02", "year=2022/mnth=03", "year=2022/month=soon", "backup"} {
		if err := os.MkdirAll(filepath.Join(table, filepath.FromSlash(d)), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(table, "year=2022", "month=02", "_SUCCESS"), nil, 0o644)
}
