// Package delta reads the Delta tables of testdata/delta, which Spark made (make.py there says how).
package delta

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
)

// TestTablesOfSpark compares what is read with what make.py wrote.
func TestTablesOfSpark(t *testing.T) {
	t.Parallel()
	s := binary.Start(t, filepath.Join(t.TempDir(), "home"))
	if a := s.SQL("SET spark.sql.session.timeZone = UTC"); a.Error != nil {
		t.Fatal(a.Error)
	}
	root := filepath.Join(binary.Root(), "testdata", "delta")
	for _, test := range []struct{ sql, want string }{
		{"SELECT count(*), sum(id), sum(CAST(s AS INT)) FROM {vectors}", `[[2699,4044901,4044901]]`},
		{"SELECT count(*) FROM {vectors}", `[[2699]]`},
		{"SELECT count(*) FROM {vectors} VERSION AS OF 1", `[[3000]]`},
		{"SELECT id FROM {vectors} WHERE id IN (6, 7, 8, 2998, 2999) ORDER BY id", `[[6],[8],[2998]]`},
		{"SELECT * FROM {mapped} ORDER BY b", `[[1,{"z":10,"y":"one","w":null},"k",[{"v":100}],null],[2,{"z":20,"y":"two","w":22},null,null,"new"]]`},
		{"SELECT b FROM {mapped} WHERE s.z = 20", `[[2]]`},
		{"SELECT b FROM {mapped} WHERE q = 'k'", `[[1]]`},
		{"SELECT * FROM {mapped} VERSION AS OF 1", `[[1,{"x":10,"y":"one"},"k",[{"v":100}]]]`},
		{"SELECT * FROM {mapped_by_id} ORDER BY b", `[[{"k":{"x":5}},null],[null,"b"]]`},
		{"SELECT * FROM {widened} ORDER BY i", `[[1,1.5,"1.2500","2024-01-01 00:00:00"],[3000000000,2.5,"12345678.1234","2024-06-01 10:20:30.5"]]`},
		{"SELECT * FROM {partitioned} ORDER BY id", `[[1,"2024-01-01","2024-01-01 10:20:30.5","1.50","a b",true],[2,null,null,null,null,null],[3,"1969-12-31","1969-12-31 23:59:59.999999","-1.00","c%d/e=f",false]]`},
		{"SELECT id FROM {partitioned} WHERE ts < '1970-01-01' AND s = 'c%d/e=f'", `[[3]]`},
		{"SELECT * FROM {checkpointed} ORDER BY id", `[[0,0],[1,1],[2,0],[3,1],[4,0]]`},
		{"SELECT p, count(*) FROM {checkpointed} GROUP BY p ORDER BY p", `[[0,3],[1,2]]`},
		{"SELECT id FROM {checkpointed} WHERE id > 3", `[[4]]`},
		{"SELECT count(*) FROM {checkpointed} VERSION AS OF 2", `[[2]]`},
		{"SELECT count(*) FROM {checkpointed} TIMESTAMP AS OF '2026-11-30 20:33:59.5'", `[[4]]`},
		{"SHOW PARTITIONS {checkpointed}", `[[0],[1]]`},
	} {
		sql := test.sql
		from, to := strings.IndexByte(sql, '{'), strings.IndexByte(sql, '}')
		sql = sql[:from] + "delta.`" + filepath.Join(root, sql[from+1:to]) + "`" + sql[to+1:]
		a := s.SQL(sql)
		if a.Error != nil {
			t.Errorf("%s\n[%s] %s", test.sql, a.Error.Class, a.Error.Message)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(a.Rows)
		if err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(sorted) {
			t.Errorf("%s\n got %s\nwant %s", test.sql, got, sorted)
		}
	}
}
