// Package realfiles reads files that others wrote. They lie outside the repository, in the folder realfiles of TARN_SHARED
// (default: shared, beside the repository), with a runner of their own.
package realfiles

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

func TestRealFiles(t *testing.T) {
	shared := os.Getenv("TARN_SHARED")
	if shared == "" {
		shared = filepath.Join(filepath.Dir(binary.Root()), "shared")
	}
	runner := filepath.Join(shared, "realfiles", "run.py")
	if _, err := os.Stat(runner); err != nil {
		t.Skipf("THE REAL FILES ARE MISSING, so nobody checks that Tarn reads them: no %s. Set TARN_SHARED to the folder that holds realfiles.", runner)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("PYTHON 3 IS MISSING, so nobody checks that Tarn reads real files: their runner needs it.")
	}
	bin := binary.Path(t)
	for _, format := range []string{"csv", "json", "parquet"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(python, runner, "--bin", bin, "--format", format)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			if err == nil {
				return
			}
			var bad []string
			for line := range strings.Lines(string(out)) {
				if !strings.HasPrefix(line, "ok") && !strings.HasPrefix(line, "pass") {
					bad = append(bad, strings.TrimRight(line, "\n"))
				}
			}
			t.Errorf("%v: not read as they should be:\n%s", err, strings.Join(bad, "\n"))
		})
	}
}
