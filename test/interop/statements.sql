-- Statements that differential.py asks Spark and tarn. "-- name" names the statement that follows it; `${D}` is the
-- directory of the tables (tables.py). Every statement has one right answer.

-- eq-date
SELECT id, dt, hour FROM events WHERE dt = '2024-01-31' AND hour = 7 ORDER BY id;
-- eq-date-timestamp
SELECT count(*) FROM events WHERE dt = TIMESTAMP'2024-01-31 00:00:00';
-- ne-null
SELECT count(*) FROM events WHERE dt <> DATE'2024-01-31';
-- nullsafe
SELECT count(*), count(dt) FROM events WHERE dt <=> NULL;
-- not-eq-or-null
SELECT hour, count(*) FROM events WHERE NOT (hour = 7 OR dt IS NULL) GROUP BY hour ORDER BY hour;
-- in-with-null
SELECT count(*) FROM events WHERE hour IN (7, NULL);
-- not-in-with-null
SELECT count(*) FROM events WHERE hour NOT IN (7, NULL);
-- between-dates
SELECT dt, count(*) FROM events WHERE dt BETWEEN '2024-01-01' AND '2024-01-31' GROUP BY dt ORDER BY dt;
-- not-between
SELECT count(*) FROM events WHERE hour NOT BETWEEN 5 AND 10;
-- like-escape
SELECT id, who FROM events WHERE who LIKE '100\\%' ORDER BY id;
-- like-escape-clause
SELECT id, who FROM events WHERE who LIKE 'd/_e' ESCAPE '/' ORDER BY id;
-- like-any
SELECT DISTINCT region FROM sales WHERE region LIKE ANY ('e%', '%/%') ORDER BY region;
-- like-all
SELECT DISTINCT region FROM sales WHERE region NOT LIKE ALL ('e%', '%/%') ORDER BY region;
-- ilike
SELECT DISTINCT who FROM events WHERE who ILIKE 'B%';
-- rlike
SELECT DISTINCT region FROM sales WHERE region RLIKE '^[0-9]+$';
-- tuple-in
SELECT id FROM events WHERE (dt, hour) IN ((DATE'2024-01-31', 7), (DATE'2024-02-29', 0)) ORDER BY id;
-- tuple-in-mixed
SELECT count(*) FROM sales WHERE (price, region) IN ((1.50, 'eu'), (2, 'us'));
-- tuple-compare
SELECT count(*) FROM events WHERE (dt, hour) = (DATE'2024-01-31', 7);
-- string-as-number
SELECT region, count(*) FROM sales WHERE region = '05' GROUP BY region;
-- string-vs-int
SELECT count(*) FROM sales WHERE try_cast(region AS INT) = 5;
-- string-vs-int-ansi
SELECT count(*) FROM sales WHERE region = 5;
-- escaped-slash
SELECT region, price, sku FROM sales WHERE region = 'a/b' ORDER BY price, sku, qty, note;
-- escaped-equals
SELECT count(*), min(price) FROM sales WHERE region = 'x=y z';
-- unicode-partition
SELECT DISTINCT region, length(region), octet_length(region) FROM sales WHERE region LIKE 'Ü%';
-- decimal-literals
SELECT price, count(*) FROM sales WHERE price IN (1.5, 10.25, 2) GROUP BY price ORDER BY price;
-- decimal-double
SELECT DISTINCT price FROM sales WHERE price > 1.5D ORDER BY price;
-- timestamp-eq
SELECT count(*) FROM logs WHERE at = '2024-01-01 10:30:00';
-- timestamp-date
SELECT DISTINCT at FROM logs WHERE CAST(at AS DATE) = DATE'2024-06-30';
-- timestamp-fraction
SELECT at, second(at), date_format(at, 'ss.SSS') FROM logs WHERE at > '2024-06-01' ORDER BY 1, 2, 3;
-- double-partition
SELECT load, count(*) FROM logs WHERE load >= 1 GROUP BY load ORDER BY load DESC;
-- double-cast
SELECT DISTINCT CAST(load AS STRING) FROM logs ORDER BY 1;
-- functions-of-dt
SELECT DISTINCT year(dt), month(dt), day(dt), dayofyear(dt), weekday(dt) FROM events ORDER BY 1, 2, 3;
-- filter-year
SELECT count(*) FROM events WHERE year(dt) = 2024 AND month(dt) = 1;
-- filter-substring
SELECT count(*) FROM events WHERE substring(CAST(dt AS STRING), 1, 7) = '2024-01';
-- filter-date-add
SELECT DISTINCT dt FROM events WHERE date_add(dt, 1) = '2024-01-31';
-- filter-add-months
SELECT DISTINCT dt, add_months(dt, 1) FROM events WHERE add_months(dt, 1) = '2024-02-29' ORDER BY dt;
-- filter-coalesce
SELECT count(*) FROM events WHERE coalesce(hour, -1) = -1;
-- filter-cast-string
SELECT count(*) FROM events WHERE CAST(hour AS STRING) = '7';
-- filter-case
SELECT count(*) FROM events WHERE CASE WHEN hour > 10 THEN 'pm' WHEN hour IS NULL THEN '?' ELSE 'am' END = 'am';
-- filter-concat
SELECT count(*) FROM events WHERE concat(dt, ' ', hour) = '2024-01-31 7';
-- filter-mixed-or
SELECT count(*) FROM events WHERE dt = '2024-01-31' OR id < 5;
-- filter-impossible
SELECT count(*), max(dt), sum(id) FROM events WHERE dt > '2024-01-31' AND dt < '2024-01-01';
-- filter-interval
SELECT DISTINCT dt FROM events WHERE dt >= DATE'2024-02-01' - INTERVAL 2 DAYS ORDER BY dt;
-- max-dt
SELECT max(dt), min(dt), count(DISTINCT dt) FROM events;
-- max-hour
SELECT max(hour), min(hour), count(hour), count(*) FROM events WHERE dt >= '2024-01-01';
-- partition-distinct
SELECT DISTINCT dt, hour FROM events ORDER BY dt, hour;
-- partition-distinct-nulls-last
SELECT DISTINCT region FROM sales ORDER BY region NULLS LAST;
-- latest
SELECT id FROM events WHERE dt = (SELECT max(dt) FROM events) ORDER BY id;
-- aggregates
SELECT count(*), count(amount), sum(amount), avg(amount), min(amount), max(amount), sum(small), avg(small) FROM events;
-- aggregates-nan
SELECT max(score), min(score), count(DISTINCT score) FROM events;
-- aggregates-empty
SELECT count(*), sum(id), avg(id), min(who), collect_list(id) FROM events WHERE id < 0;
-- aggregates-strings
SELECT dt, min(who), max(who), count(DISTINCT who) FROM events GROUP BY dt ORDER BY dt;
-- collect
SELECT sort_array(collect_set(hour)) FROM events;
-- statistics
SELECT round(stddev(small), 6), round(var_pop(small), 6), round(corr(small, id), 6) FROM events;
-- percentile
SELECT percentile(small, 0.5), percentile_approx(small, 0.5), median(small) FROM events WHERE small IS NOT NULL;
-- bool-aggregates
SELECT bool_and(flag), bool_or(flag), count_if(flag) FROM events;
-- max-by
SELECT max_by(id, id), min_by(who, id) FROM events;
-- filter-clause
SELECT count(*) FILTER (WHERE hour = 7), sum(id) FILTER (WHERE dt IS NULL) FROM events;
-- group-expression
SELECT date_format(dt, 'yyyy-MM') AS m, count(*) FROM events GROUP BY m ORDER BY m;
-- group-ordinal
SELECT hour, count(*) FROM events GROUP BY 1 HAVING count(*) > 3 ORDER BY 2, 1;
-- group-all
SELECT hour, flag, count(*) FROM events GROUP BY ALL ORDER BY ALL;
-- rollup
SELECT dt, hour, count(*), grouping_id() FROM events GROUP BY ROLLUP (dt, hour) ORDER BY 4, 1, 2;
-- cube
SELECT region, price, sum(qty), grouping(region) FROM sales GROUP BY CUBE (region, price) ORDER BY 4, 1, 2, 3;
-- grouping-sets
SELECT region, price, count(*) FROM sales GROUP BY GROUPING SETS ((region), (price), ()) ORDER BY 1, 2, 3;
-- having-alias
SELECT region, sum(qty) AS total FROM sales GROUP BY region HAVING total > 10 ORDER BY total, region;
-- order-nulls
SELECT DISTINCT hour FROM events ORDER BY hour DESC NULLS FIRST;
-- order-hidden
SELECT who FROM events ORDER BY id LIMIT 5;
-- limit-offset
SELECT id FROM events ORDER BY id DESC LIMIT 3 OFFSET 2;
-- limit-zero
SELECT * FROM sales LIMIT 0;
-- select-star
SELECT * FROM events WHERE dt = '2024-01-31' AND hour = 7 ORDER BY id;
-- star-csv
SELECT * FROM sales ORDER BY region, price, sku, qty, note, sold;
-- star-json
SELECT * FROM logs ORDER BY at, load, level, code, took, payload;
-- star-except
SELECT * EXCEPT (raw, tags, attrs, place) FROM events WHERE id < 6 ORDER BY id;
-- qualified-star
SELECT e.*, 1 AS one FROM (SELECT id, dt FROM events WHERE id < 4) e ORDER BY id;
-- inner-join
SELECT a.id, b.sku FROM events a JOIN sales b ON a.hour = b.sku ORDER BY 1, 2;
-- left-join
SELECT a.hour, b.region, count(*) FROM (SELECT DISTINCT hour FROM events) a LEFT JOIN sales b ON a.hour = b.sku GROUP BY 1, 2 ORDER BY 1, 2;
-- right-join
SELECT a.dt, v.d FROM (SELECT DISTINCT dt FROM events) a RIGHT JOIN VALUES (DATE'2024-01-31'), (DATE'2020-01-01'), (NULL) AS v(d) ON a.dt = v.d ORDER BY 1, 2;
-- full-join
SELECT a.dt, v.d FROM (SELECT DISTINCT dt FROM events) a FULL OUTER JOIN VALUES (DATE'2024-01-31'), (DATE'2020-01-01'), (NULL) AS v(d) ON a.dt = v.d ORDER BY 1, 2;
-- cross-join
SELECT count(*) FROM events CROSS JOIN VALUES (1), (2) AS v(x);
-- semi-join
SELECT id FROM events a LEFT SEMI JOIN logs b ON a.hour = b.code ORDER BY id;
-- anti-join
SELECT count(*) FROM events a LEFT ANTI JOIN logs b ON a.hour = b.code;
-- using-join
SELECT k, l, r FROM VALUES (1, 'a'), (2, 'b') AS x(k, l) JOIN VALUES (2, 'c'), (3, 'd') AS y(k, r) USING (k);
-- using-full-join
SELECT k, l, r FROM VALUES (1, 'a'), (2, 'b') AS x(k, l) FULL JOIN VALUES (2, 'c'), (3, 'd') AS y(k, r) USING (k) ORDER BY k;
-- natural-join
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS x(k, l) NATURAL JOIN VALUES (2, 'c'), (3, 'd') AS y(k, r);
-- self-join
SELECT count(*) FROM events a JOIN events b ON a.dt = b.dt AND a.hour = b.hour AND a.id < b.id;
-- lateral-join
SELECT v.x, s.m FROM VALUES (0), (7) AS v(x), LATERAL (SELECT max(id) AS m FROM events WHERE hour = v.x) s ORDER BY 1;
-- scalar-subquery
SELECT (SELECT max(dt) FROM events) AS d, (SELECT count(*) FROM sales) AS n;
-- scalar-correlated
SELECT DISTINCT hour, (SELECT count(*) FROM sales s WHERE s.sku = e.hour) AS n FROM events e ORDER BY hour;
-- exists
SELECT count(*) FROM events e WHERE EXISTS (SELECT 1 FROM logs l WHERE l.code = e.hour);
-- not-exists
SELECT count(*) FROM events e WHERE NOT EXISTS (SELECT 1 FROM logs l WHERE l.code = e.hour);
-- in-subquery
SELECT count(*) FROM events WHERE hour IN (SELECT code FROM logs);
-- not-in-subquery-null
SELECT count(*) FROM events WHERE hour NOT IN (SELECT code FROM logs);
-- not-in-subquery
SELECT count(*) FROM events WHERE hour NOT IN (SELECT code FROM logs WHERE code IS NOT NULL);
-- in-tuple-subquery
SELECT count(*) FROM events WHERE (dt, hour) IN (SELECT dt, max(hour) FROM events GROUP BY dt);
-- subquery-many-rows
SELECT (SELECT hour FROM events);
-- cte
WITH a AS (SELECT dt, count(*) AS n FROM events GROUP BY dt), b AS (SELECT max(n) AS m FROM a) SELECT a.dt, a.n FROM a, b WHERE a.n = b.m ORDER BY a.dt;
-- cte-recursive
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r ORDER BY n;
-- union-types
SELECT hour AS x FROM events WHERE id < 3 UNION ALL SELECT price FROM sales WHERE region = 'eu';
-- union-distinct-null
SELECT dt FROM events UNION SELECT sold FROM sales WHERE sku < 3 ORDER BY 1;
-- intersect
SELECT hour FROM events INTERSECT SELECT code FROM logs ORDER BY 1;
-- except
SELECT hour FROM events EXCEPT SELECT code FROM logs ORDER BY 1;
-- except-all
SELECT hour FROM events EXCEPT ALL SELECT code FROM logs ORDER BY 1;
-- union-arity
SELECT 1 UNION SELECT 1, 2;
-- values
VALUES (1, 'a', NULL), (2, 'b', 1.5);
-- values-mixed
SELECT * FROM VALUES (1, 2L), (NULL, 3) AS t(a, b);
-- row-number
SELECT id, row_number() OVER (PARTITION BY dt, hour ORDER BY id) AS n FROM events ORDER BY id;
-- running-sum
SELECT id, sum(id) OVER (PARTITION BY dt ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM events ORDER BY id;
-- range-frame
SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING) AS c FROM events ORDER BY id;
-- lag-lead
SELECT id, lag(id, 1, -1) OVER w AS p, lead(who) OVER w AS n FROM events WINDOW w AS (PARTITION BY hour ORDER BY id) ORDER BY id;
-- ntile-first
SELECT id, ntile(3) OVER (ORDER BY id) AS t, first_value(dt) OVER (PARTITION BY hour ORDER BY id) AS f FROM events ORDER BY id;
-- latest-per-group
SELECT dt, id FROM (SELECT dt, id, rank() OVER (PARTITION BY dt ORDER BY id DESC) AS r FROM events) WHERE r = 1 ORDER BY dt;
-- qualify
SELECT dt, id FROM events QUALIFY row_number() OVER (PARTITION BY dt ORDER BY id) = 1 ORDER BY dt;
-- case-simple
SELECT id, CASE hour WHEN 0 THEN 'night' WHEN 7 THEN 'morning' END AS c FROM events ORDER BY id LIMIT 20;
-- case-types
SELECT CASE WHEN id > 3 THEN 1 ELSE 2.5 END AS c FROM events WHERE id < 6 ORDER BY id;
-- cast-bad-int
SELECT CAST('x' AS INT);
-- cast-bad-column
SELECT CAST(who AS INT) FROM events;
-- cast-bad-date
SELECT CAST('2024-13-01' AS DATE);
-- cast-overflow
SELECT CAST(300 AS TINYINT);
-- cast-decimal-overflow
SELECT CAST(12345.678 AS DECIMAL(5, 2));
-- try-cast
SELECT try_cast('x' AS INT), try_cast('12' AS INT), try_cast(300 AS TINYINT);
-- add-overflow
SELECT 2147483647 + 1;
-- divide-by-zero
SELECT hour / 0 FROM events;
-- bad-literal
SELECT DATE'2024-02-30';
-- array-index
SELECT array(1, 2)[5];
-- map-key
SELECT map('a', 1)['b'];
-- unknown-column
SELECT nope FROM events;
-- unknown-table
SELECT * FROM no_such_table;
-- unknown-function
SELECT no_such_function(1);
-- ambiguous
SELECT id FROM events a JOIN events b ON a.id = b.id;
-- group-missing
SELECT dt, hour, count(*) FROM events GROUP BY dt;
-- type-mismatch
SELECT * FROM events WHERE tags = 1;
-- where-not-boolean
SELECT * FROM events WHERE id;
-- aggregate-in-where
SELECT * FROM events WHERE max(id) > 1;
-- syntax
SELECT (1;
-- syntax-in
SELECT * FROM events WHERE id IN ();
-- order-ordinal
SELECT id FROM events ORDER BY 3;
-- path-parquet
SELECT dt, hour, count(*) FROM parquet.`${D}/events` GROUP BY dt, hour ORDER BY dt, hour;
-- path-partition
SELECT count(*), min(id) FROM parquet.`${D}/events/dt=2024-01-31`;
-- path-columns
SELECT * FROM parquet.`${D}/events/dt=2024-01-31/hour=7` ORDER BY id;
-- path-csv
SELECT region, price, count(_c0) FROM csv.`${D}/sales` GROUP BY region, price ORDER BY region, price;
-- path-csv-types
SELECT * FROM csv.`${D}/sales` ORDER BY region, price, _c0, _c1, _c2, _c3;
-- path-json
SELECT at, load, level FROM json.`${D}/logs` ORDER BY at, load, level;
-- path-glob
SELECT count(*) FROM parquet.`${D}/events/dt=2024-0*/hour=7`;
-- path-missing
SELECT * FROM parquet.`${D}/nothing`;
-- struct-field
SELECT id, place.city, place.zip FROM events WHERE place.city = 'Oslo' ORDER BY id;
-- struct-null
SELECT count(*), count(place), count(place.city) FROM events;
-- array-functions
SELECT id, size(tags), array_contains(tags, 'x'), tags[0] FROM events WHERE size(tags) > 0 ORDER BY id;
-- array-higher-order
SELECT id, transform(tags, t -> upper(t)), filter(tags, t -> t = 'x') FROM events ORDER BY id;
-- explode
SELECT id, t FROM events LATERAL VIEW explode(tags) x AS t ORDER BY id, t;
-- explode-outer
SELECT id, pos, t FROM events LATERAL VIEW OUTER posexplode(tags) x AS pos, t ORDER BY id, pos;
-- explode-map
SELECT id, k, v FROM events LATERAL VIEW explode(attrs) x AS k, v ORDER BY id, k;
-- map-functions
SELECT id, attrs['k'], map_contains_key(attrs, 'l'), cardinality(attrs) FROM events WHERE attrs IS NOT NULL AND map_contains_key(attrs, 'k') ORDER BY id;
-- nested-json
SELECT payload.op, payload.n, payload.xs[0] FROM logs WHERE size(payload.xs) > 0 ORDER BY 1, 2, 3;
-- named-struct
SELECT DISTINCT named_struct('d', dt, 'h', hour) AS s FROM events WHERE dt IS NOT NULL ORDER BY s;
-- binary
SELECT id, hex(raw), length(raw), CAST(raw AS STRING) FROM events WHERE raw = X'7461726E' ORDER BY id;
-- float-compare
SELECT id, ratio, ratio = 0.1, CAST(ratio AS DOUBLE) FROM events WHERE ratio IS NOT NULL ORDER BY id;
-- nan-compare
SELECT count(*) FROM events WHERE score = 'NaN';
-- nan-order
SELECT score FROM events ORDER BY score DESC, id LIMIT 12;
-- date-arithmetic
SELECT dt, dt + 1, dt - DATE'2024-01-01', dt - INTERVAL 1 MONTH FROM (SELECT DISTINCT dt FROM events) ORDER BY dt;
-- timestamp-functions
SELECT id, ts, date_trunc('HOUR', ts), unix_timestamp(ts), extract(MINUTE FROM ts) FROM events ORDER BY id;
-- string-functions
SELECT id, who, upper(who), initcap(who), length(who), trim(who), substr(who, -2), lpad(who, 6, '*') FROM events ORDER BY id;
-- csv-null-text
SELECT note, count(*) FROM sales WHERE note IS NULL OR note = 'NULL' GROUP BY note ORDER BY note;
-- csv-quotes
SELECT DISTINCT note FROM sales ORDER BY note;
-- json-missing
SELECT count(*), count(level), count(code), count(payload) FROM logs;
-- pivot
SELECT * FROM (SELECT hour, flag, id FROM events WHERE hour IS NOT NULL) PIVOT (count(id) FOR flag IN (true AS yes, false AS no)) ORDER BY hour;
-- tablesample-less
SELECT count(*) FROM (SELECT * FROM events ORDER BY id LIMIT 10) WHERE dt IS NOT NULL;
-- show-partitions
SHOW PARTITIONS events;
-- show-partitions-spec
SHOW PARTITIONS events PARTITION (dt = '2024-01-31');
-- show-partitions-csv
SHOW PARTITIONS sales;
-- show-partitions-json
SHOW PARTITIONS logs;
-- show-columns
SHOW COLUMNS IN events;
-- literals
SELECT 1Y, 2S, 3, 4L, 1.5, 1.5D, 1.5F, 1e3, 'a' 'b', X'0aFF', true, NULL, INTERVAL '1-2' YEAR TO MONTH, INTERVAL 3 DAYS;
-- decimal-types
SELECT 1.1 + 2.22, 1.1 * 2.22, 1.1 / 3, CAST(1 AS DECIMAL(38, 0)) / 3, 10.0 % 3;
-- integral-division
SELECT 7 div 2, -7 div 2, 7 % -3, pmod(-7, 3), 7 / 2;
-- null-logic
SELECT NULL AND false, NULL OR true, NOT NULL, NULL = NULL, NULL <=> NULL;
-- lateral-alias
SELECT id + 1 AS a, a * 2 AS b, b - a AS c FROM events WHERE id < 4 ORDER BY id;
-- alias-shadows-column
SELECT id + 100 AS hour, hour + 1 AS h FROM events WHERE id < 4 ORDER BY id;
-- having-without-group
SELECT count(*) FROM events HAVING count(*) > 1000;
-- group-by-nothing
SELECT count(*) FROM events WHERE id < 0 GROUP BY ();
-- group-by-alias-column
SELECT hour AS dt, count(*) FROM events GROUP BY dt ORDER BY 1, 2;
-- distinct-order-hidden
SELECT DISTINCT hour FROM events ORDER BY id;
-- nested-aggregate
SELECT sum(count(*)) FROM events;
-- window-in-where
SELECT id FROM events WHERE row_number() OVER (ORDER BY id) = 1;
-- window-over-aggregate
SELECT dt, sum(sum(id)) OVER (ORDER BY dt) AS s FROM events GROUP BY dt ORDER BY dt;
-- subquery-in-on
SELECT count(*) FROM events a JOIN sales b ON a.hour = b.sku AND b.sku IN (SELECT code FROM logs);
-- subquery-in-case
SELECT id, CASE WHEN hour IN (SELECT code FROM logs WHERE code IS NOT NULL) THEN 1 ELSE 0 END AS c FROM events WHERE id < 9 ORDER BY id;
-- correlated-max
SELECT id FROM events e WHERE id = (SELECT max(id) FROM events i WHERE i.dt = e.dt) ORDER BY id;
-- correlated-non-equal
SELECT id FROM events e WHERE 2 > (SELECT count(*) FROM events i WHERE i.dt = e.dt AND i.id > e.id) ORDER BY id;
-- exists-or
SELECT count(*) FROM events e WHERE id < 5 OR EXISTS (SELECT 1 FROM sales s WHERE s.sku = e.hour AND s.region = 'eu');
-- any-subquery-max-partition
SELECT count(*) FROM events WHERE dt > (SELECT min(dt) FROM events) AND dt < (SELECT max(dt) FROM events);
-- column-aliases
SELECT a, b FROM (SELECT id, hour FROM events WHERE id < 4) AS t(a, b) ORDER BY a;
-- cte-columns
WITH t(a, b) AS (SELECT 1, 2) SELECT * FROM t;
-- cte-nested
WITH a AS (WITH b AS (SELECT 1 AS x) SELECT x + 1 AS y FROM b) SELECT y FROM a;
-- cte-shadows-table
WITH events AS (SELECT 1 AS only) SELECT * FROM events;
-- duplicate-cte
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a;
-- from-first
FROM events SELECT count(*);
-- limit-all
SELECT id FROM events WHERE id < 4 ORDER BY id LIMIT ALL;
-- limit-expression
SELECT id FROM events ORDER BY id LIMIT 1 + 2;
-- limit-negative
SELECT id FROM events LIMIT -1;
-- where-false
SELECT 1 AS x WHERE false;
-- hint
SELECT /*+ BROADCAST(b) */ count(*) FROM events a JOIN sales b ON a.hour = b.sku;
-- comments
SELECT /* one /* nested */ */ 1 AS a;
-- range-function
SELECT id FROM range(2, 10, 3) ORDER BY id;
-- explode-in-select
SELECT id, explode(tags) AS t FROM events WHERE id < 20 ORDER BY id, t;
-- struct-star
SELECT id, place.* FROM events WHERE place IS NOT NULL ORDER BY id LIMIT 4;
-- backticks
SELECT `id` AS `a b`, events.`hour` FROM events WHERE id < 3 ORDER BY `a b`;
-- qualified-name
SELECT default.events.id FROM default.events WHERE id = 1;
-- upper-case-names
SELECT ID, Dt FROM EVENTS WHERE Id = 1;
-- string-escapes
SELECT 'it''s', 'a\tb', 'a\\b', r'a\b', "double", length('\u00e9'), '\%';
-- big-numbers
SELECT 9223372036854775807, 9223372036854775808, 1e400BD;
-- small-numbers
SELECT 1e-3, 1E-10D, .5, 5., 0.1 + 0.2, 0.1D + 0.2D;
-- numeric-names
SELECT 1 + 1, -id, NOT flag, id IS NULL, id BETWEEN 1 AND 2, who LIKE 'a%', CAST(id AS STRING), count(*) OVER () FROM events WHERE id = 1;
-- function-names
SELECT coalesce(who, 'x'), concat(who, '!'), substr(who, 1), if(flag, 1, 2), CASE WHEN flag THEN 1 END, extract(YEAR FROM dt), who || 'a', tags[0], place.city, attrs['k'] FROM events WHERE id = 1;
-- timestamp-zone
SELECT TIMESTAMP'2024-01-01 00:00:00+02:00', CAST('2024-01-01T00:00:00Z' AS TIMESTAMP), TIMESTAMP_NTZ'2024-01-01 01:02:03';
-- date-text
SELECT CAST('2024-1-5' AS DATE), CAST('2024' AS DATE), CAST('2024-02' AS DATE), try_cast('2024-02-31' AS DATE);
-- null-dates
SELECT year(CAST(NULL AS DATE)), date_add(NULL, 1), datediff(NULL, NULL);
-- is-distinct
SELECT 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL, 1 IS DISTINCT FROM 1;
-- bitwise
SELECT 6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 4, -16 >> 2, -16 >>> 60;
-- operators
SELECT 1 == 1, !true, 7 <> 8, 5 <=> NULL, 'a' 'b';
-- union-null-column
SELECT NULL AS x UNION ALL SELECT 1;
-- union-date-string
SELECT dt FROM events WHERE id = 1 UNION ALL SELECT 'x';
-- union-by-order
(SELECT id FROM events ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM events ORDER BY id DESC LIMIT 2) ORDER BY 1;
-- intersect-precedence
SELECT 1 UNION SELECT 2 INTERSECT SELECT 3;
-- coalesce-types
SELECT coalesce(NULL, 1, 2.5), nvl(NULL, 'a'), ifnull(1, 2L), greatest(1, 2.5D, NULL), least('b', 'a');
-- in-mixed
SELECT 1 IN (1.0, 2L), '1' IN ('1', '2'), NULL IN (1), 1 IN (NULL, 1);
-- case-mixed
SELECT CASE 1 WHEN 1 THEN 'a' WHEN 2 THEN NULL END, CASE WHEN false THEN 1 END;
-- sum-overflow
SELECT sum(x) FROM VALUES (9223372036854775807), (1) AS t(x);
-- avg-types
SELECT avg(x), sum(x), avg(y), sum(y), avg(z) FROM VALUES (1, 1.10, DATE'2024-01-01' - DATE'2023-12-01'), (2, 2.25, INTERVAL '3' DAY) AS t(x, y, z);
-- interval-arithmetic
SELECT DATE'2024-01-31' + INTERVAL 1 MONTH, TIMESTAMP'2024-01-31 10:00:00' - INTERVAL '1 02:03:04' DAY TO SECOND, INTERVAL 1 YEAR + INTERVAL 2 MONTHS;
-- timestamp-difference
SELECT TIMESTAMP'2024-01-02 00:00:00' - TIMESTAMP'2024-01-01 12:30:00', timestampdiff(HOUR, TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2024-01-02 03:00:00');
-- join-three
SELECT count(*), count(l.level) FROM events e JOIN sales s ON e.hour = s.sku LEFT JOIN logs l ON l.code = s.sku;
-- join-on-partitions
SELECT e.dt, count(*) FROM events e JOIN (SELECT max(dt) AS m FROM events) x ON e.dt = x.m GROUP BY e.dt;
-- join-nullsafe
SELECT count(*) FROM events a JOIN events b ON a.dt <=> b.dt AND a.hour <=> b.hour;
-- full-join-using-nulls
SELECT hour, a.n, b.n FROM (SELECT hour, count(*) AS n FROM events GROUP BY hour) a FULL JOIN (SELECT code AS hour, count(*) AS n FROM logs GROUP BY code) b USING (hour) ORDER BY 1, 2, 3;
-- using-missing
SELECT * FROM events JOIN sales USING (nope);
-- lateral-missing
SELECT * FROM VALUES (1) AS v(x), (SELECT v.x);
-- insert-columns-only
SELECT sku, qty FROM sales WHERE (region IS NULL) = (price > 5) ORDER BY sku, qty;
-- boolean-partition-expression
SELECT count(*) FROM events WHERE (dt = '2024-01-31') IS NULL;
-- not-like-null
SELECT count(*) FROM sales WHERE NOT (region LIKE 'e%');
-- tablesample
SELECT count(*) FROM events TABLESAMPLE (100 PERCENT);
-- hash-functions
SELECT md5('tarn'), sha2('tarn', 256), crc32('tarn'), hash(1, 'a'), xxhash64('a', 1L);
-- json-functions
SELECT get_json_object('{"a":{"b":[1,2]}}', '$.a.b[1]'), to_json(named_struct('a', 1, 'b', 'x')), from_json('{"a":1}', 'a INT').a;
-- url-functions
SELECT parse_url('http://u@h:1/p?q=1#f', 'HOST'), url_encode('a b/ü'), base64('tarn'), unbase64('dGFybg=='), hex(255), unhex('FF');
-- split-regexp
SELECT split('a,b,,c', ','), regexp_replace('abc', '(b)', '[$1]'), regexp_extract('x12y', '([0-9]+)', 1), split_part('a.b.c', '.', 2), translate('abc', 'ab', 'x');
-- sequence-arrays
SELECT sequence(1, 5, 2), array_sort(array(3, NULL, 1)) AS sorted, array_distinct(array(1, 1, 2)), flatten(array(array(1), array(2, 3))), slice(array(1, 2, 3), 2, 2), array_join(array('a', NULL, 'b'), '-');
-- map-building
SELECT map_keys(map('a', 1, 'b', 2)), map_values(map('a', 1)), map_from_arrays(array('x'), array(1)), str_to_map('a:1,b:2'), element_at(map('a', 1), 'z');
-- number-format
SELECT format_number(12345.678, 2), round(2.5), bround(2.5), ceil(-1.2), floor(-1.2D), round(-1.25, 1), sign(-3), pow(2, 10), sqrt(2), log10(1000);
-- date-format
SELECT date_format(TIMESTAMP'2024-03-05 07:08:09.123', 'yyyy/MM/dd HH:mm:ss.SSS EEE a'), to_date('05.03.2024', 'dd.MM.yyyy'), to_timestamp('2024-03-05 07', 'yyyy-MM-dd HH'), from_unixtime(0), next_day(DATE'2024-03-05', 'MON'), months_between('2024-03-31', '2024-02-29'), make_date(2024, 2, 29);
-- bad-date-format
SELECT to_date('x', 'yyyy-MM-dd');
-- make-date-bad
SELECT make_date(2023, 2, 29);
-- wrong-argument-count
SELECT substring('a');
-- wrong-argument-type
SELECT year(true);
-- parameter-missing
SELECT :nope;
-- keyword-alias
SELECT id AS select FROM events WHERE id = 1;
-- current-schema
SELECT current_schema(), current_database();
