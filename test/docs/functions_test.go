package docs

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/test/binary"
)

// TestExamplesOfFunctionsRun runs every example that DESCRIBE FUNCTION EXTENDED shows.
func TestExamplesOfFunctionsRun(t *testing.T) {
	var statements []string
	for _, name := range expr.Functions() {
		d, ok := expr.DocOf(name)
		if !ok || d.Usage == "" {
			t.Errorf("%s has no text", name)
		}
		for _, e := range d.Examples {
			statements = append(statements, "SELECT "+e)
		}
	}
	if len(statements) < 250 {
		t.Errorf("only %d functions have an example", len(statements))
	}
	cmd := exec.Command(binary.Path(t), "sql", "--home", t.TempDir(), "--format", "json", "--keep-going")
	cmd.Stdin = strings.NewReader(strings.Join(statements, ";\n") + ";\n")
	out, _ := cmd.Output() // what fails is told by the answers
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != len(statements) {
		t.Fatalf("%d answers to %d examples", len(answers), len(statements))
	}
	for i, a := range answers {
		var answer struct {
			Error *struct{ Class, Message string }
		}
		if err := json.Unmarshal([]byte(a), &answer); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		if answer.Error != nil {
			t.Errorf("%s: %s: %s", statements[i], answer.Error.Class, answer.Error.Message)
		}
	}
}
