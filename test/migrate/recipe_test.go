package migrate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestRecipe runs, statement for statement, the script with which people bring Delta tables from the DBFS into a Unity-style catalog
// by way of shallow clones. It takes what it needs to know from the text of SHOW TABLE EXTENDED, as the script does.
func TestRecipe(t *testing.T) {
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
	want := map[string]int{"managed": 2, "mounted": 1, "root": 1}
	for range 2 {
		l.run("", "sql", "-e", "CREATE DATABASE IF NOT EXISTS hive_metastore.lab_shallow_clone")
		done := map[string]bool{}
		for _, row := range l.rows("SHOW TABLES IN hive_metastore.lab") {
			name := fmt.Sprint(row[1])
			info := fmt.Sprint(l.rows("SHOW TABLE EXTENDED IN hive_metastore.lab LIKE '" + name + "'")[0][3])
			of := func(what string) string {
				m := regexp.MustCompile(what + ": (.*)").FindStringSubmatch(info)
				if m == nil {
					return ""
				}
				return m[1]
			}
			if of("Catalog") != "hive_metastore" || of("Database") != "lab" || of("Table") != name {
				t.Fatalf("%s is described as %s", name, info)
			}
			if of("Provider") != "delta" || of("Type") != "MANAGED" && of("Type") != "EXTERNAL" || !strings.HasPrefix(of("Location"), "dbfs") {
				continue
			}
			done[name] = true
			if a := l.shell.SQL(fmt.Sprintf("CREATE OR REPLACE TABLE hive_metastore.lab_shallow_clone.%[1]s SHALLOW CLONE hive_metastore.lab.%[1]s LOCATION '/mnt/lake/lab/clones/%[1]s'", name)); a.Error != nil {
				t.Fatal(a.Error.Message)
			}
			row := l.rows(fmt.Sprintf("SYNC TABLE main.lab.%[1]s FROM hive_metastore.lab_shallow_clone.%[1]s", name))[0]
			if row[6] != "SUCCESS" {
				t.Errorf("%v", row)
			}
		}
		for name, n := range want {
			if !done[name] || fmt.Sprint(l.count("main.lab."+name)) != fmt.Sprint(n) {
				t.Errorf("%s: cloned %t, %v rows", name, done[name], l.count("main.lab."+name))
			}
		}
		if len(done) != len(want) {
			t.Errorf("%v were cloned", done)
		}
	}
}
