package migrate

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

// TestRecipe runs, statement for statement, the script with which people bring Delta tables from the DBFS into a Unity-style catalog
// by way of shallow clones. It takes what it needs to know from the text of SHOW TABLE EXTENDED.
func TestRecipe(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatalf("the script of the field needs Python 3, as this suite does: %v", err)
	}
	l := newLake(t)
	l.sql(`CREATE SCHEMA hive_metastore.lab;
CREATE SCHEMA main.lab;
CREATE TABLE hive_metastore.lab.managed (a INT, p INT) USING delta PARTITIONED BY (p);
INSERT INTO hive_metastore.lab.managed VALUES (1, 1), (2, 2);
CREATE TABLE hive_metastore.lab.mounted (a INT) USING delta LOCATION '/mnt/lake/lab/mounted';
INSERT INTO hive_metastore.lab.mounted VALUES (5);
CREATE TABLE hive_metastore.lab.root (a INT) USING delta LOCATION 'dbfs:/root';
INSERT INTO hive_metastore.lab.root VALUES (6);
CREATE TABLE hive_metastore.lab.outside (a INT) USING delta LOCATION '` + l.home + `/outside';
CREATE TABLE hive_metastore.lab.parquet (a INT) USING parquet;
CREATE VIEW hive_metastore.lab.v AS SELECT 1 AS a;
`)
	script := filepath.Join(binary.Root(), "test", "migrate", "testdata", "recipe.py")
	want := map[string]int{"managed": 2, "mounted": 1, "root": 1}
	for run := range 3 {
		if run == 2 { // what has changed since goes over, too
			l.sql("INSERT INTO hive_metastore.lab.root VALUES (7); ALTER TABLE hive_metastore.lab.managed ADD COLUMNS (more STRING);")
			want["root"] = 2
		}
		out, err := exec.Command("python3", script, binary.Path(t), l.home, "lab", "main").CombinedOutput()
		if err != nil {
			t.Fatalf("run %d: %v\n%s", run, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(want) {
			t.Errorf("run %d: %s", run, out)
		}
		for _, text := range lines {
			cells := strings.Split(text, "\t")
			if n, ok := want[cells[0]]; !ok || cells[1] != "SUCCESS" || fmt.Sprint(l.count("main.lab."+cells[0])) != fmt.Sprint(n) {
				t.Errorf("run %d: %s; %v rows", run, text, l.count("main.lab."+cells[0]))
			}
		}
	}
	if got := fmt.Sprint(l.rows("SHOW COLUMNS IN main.lab.managed")); got != "[[a] [p] [more]]" {
		t.Errorf("the columns are %s", got)
	}
	if got := fmt.Sprint(l.rows("SHOW TBLPROPERTIES main.lab.managed ('upgraded_from')")); got != "[[upgraded_from hive_metastore.lab_shallow_clone.managed]]" {
		t.Errorf("the table is linked to %s", got)
	}
}
