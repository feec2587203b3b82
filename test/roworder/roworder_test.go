package roworder

import "testing"

func TestFree(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT a FROM t":               true,
		"select a from t order by":      false,
		"SELECT a FROM t -- ORDER BY a": true,
		"SELECT 'it''s', \"ORDER BY\", `order by` FROM t /* ORDER BY 1 */":  true,
		`SELECT 'a\' ORDER BY ' FROM t`:                                     true,
		"SELECT sum(a) OVER (PARTITION BY b ORDER BY c) FROM t":             true,
		"SELECT sum(a) OVER (PARTITION BY b ORDER BY c) FROM t ORDER  BY 1": false,
		"WITH x AS (SELECT 1 ORDER BY 1) SELECT * FROM x":                   true,
		"FROM t |> ORDER BY a":                                              false,
		"SELECT a FROM t SORT BY a":                                         false,
		"(SELECT 1) UNION (SELECT 2)":                                       true,
		"(SELECT 1)":                                                        true,
		"(SELECT 1) UNION (SELECT 2) ORDER BY 1":                            false,
		"VALUES (1), (2)":                                                   true,
		"SHOW PARTITIONS t":                                                 false,
		"":                                                                  false,
	} {
		if got := Free(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
