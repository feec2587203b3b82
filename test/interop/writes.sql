-- Scripts that writes.py runs on Spark and tarn. "-- == name [formats]" begins a script, which runs once for each format as
-- ${FMT}. A statement ends in `;` at the end of a line. ${D} is a directory of the script's own, ${WH} the warehouse. Lines that
-- begin with MKDIR, WRITE, RM … are steps on files (cases.py).

-- == plain-types parquet json
CREATE TABLE t (b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(20,6), x STRING, y BINARY, z DATE, w TIMESTAMP, n TIMESTAMP_NTZ) USING ${FMT};
INSERT INTO t VALUES (true, 1Y, 2S, 3, 4L, 1.5F, 2.5D, 12345678901234.567890BD, 'text', X'00FF', DATE'2024-02-29', TIMESTAMP'2024-01-01 12:34:56.789012', TIMESTAMP_NTZ'2024-01-01 00:00:00'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO t VALUES (false, -128Y, -32768S, -2147483648, -9223372036854775808L, 3.4028234E38F, 1.7976931348623157E308D, -0.000001BD, '', X'', DATE'0001-01-01', TIMESTAMP'1969-12-31 23:59:59.999999', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999');
INSERT INTO t VALUES (false, 127Y, 32767S, 2147483647, 9223372036854775807L, 1.4E-45F, 4.9E-324D, 99999999999999.999999BD, 'Straße "q" \\ , ; \n\t', X'DEADBEEF', DATE'9999-12-31', TIMESTAMP'1582-10-15 00:00:00', TIMESTAMP_NTZ'1900-01-01 00:00:00');
INSERT INTO t (i, f, d) VALUES (1, float('NaN'), double('NaN')), (2, float('Infinity'), double('-Infinity')), (3, -0.0F, -0.0D);
SELECT i, CAST(f AS STRING), CAST(d AS STRING), CAST(p AS STRING), length(x), hex(y) FROM t ORDER BY i, x;

-- == plain-types-csv
CREATE TABLE t (b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(20,6), x STRING, z DATE, w TIMESTAMP, n TIMESTAMP_NTZ) USING csv;
INSERT INTO t VALUES (true, 1Y, 2S, 3, 4L, 1.5F, 2.5D, 12345678901234.567890BD, 'text', DATE'2024-02-29', TIMESTAMP'2024-01-01 12:34:56.789012', TIMESTAMP_NTZ'2024-01-01 00:00:00');
INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO t VALUES (false, -128Y, -32768S, -2147483648, -9223372036854775808L, 3.4028234E38F, 1.7976931348623157E308D, -0.000001BD, '', DATE'0001-01-01', TIMESTAMP'1969-12-31 23:59:59.999999', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999');
INSERT INTO t VALUES (false, 127Y, 32767S, 2147483647, 9223372036854775807L, 1.4E-45F, 4.9E-324D, 99999999999999.999999BD, 'Straße "q" \\ , ; \t', DATE'9999-12-31', TIMESTAMP'1582-10-15 00:00:00', TIMESTAMP_NTZ'1900-01-01 00:00:00');
INSERT INTO t (i, f, d) VALUES (1, float('NaN'), double('NaN')), (2, float('Infinity'), double('-Infinity')), (3, -0.0F, -0.0D);
CREATE TABLE bin (a INT, y BINARY) USING csv;
INSERT INTO bin VALUES (1, X'616263'), (2, X''), (3, NULL);

-- == nested parquet json
CREATE TABLE t (id INT, a ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRING>, d ARRAY<STRUCT<k: STRING, v: ARRAY<DOUBLE>>>) USING ${FMT};
INSERT INTO t VALUES (1, array(1, NULL, 3), map('k', 1, 'l', NULL), named_struct('x', 1, 'y', 'z'), array(named_struct('k', 'a', 'v', array(1.5D))));
INSERT INTO t VALUES (2, array(), map(), named_struct('x', NULL, 'y', NULL), array()), (3, NULL, NULL, NULL, NULL);
INSERT INTO t SELECT 4, array(CAST(NULL AS INT)), map('', 0), named_struct('x', 7, 'y', ''), array(NULL, named_struct('k', NULL, 'v', NULL));
INSERT INTO t BY NAME SELECT named_struct('y', 'swapped', 'x', 5) AS s, 5 AS id;
INSERT INTO t BY NAME SELECT 6 AS id, named_struct('x', 1) AS s;
INSERT INTO t SELECT 7, array('1'), NULL, NULL, NULL;
INSERT INTO t SELECT 8, NULL, map(1, 2), NULL, NULL;
INSERT INTO t SELECT 9, NULL, NULL, named_struct('q', 1, 'r', 'two'), NULL;
INSERT INTO t SELECT 10, NULL, NULL, named_struct('x', 'no number', 'y', 'z'), NULL;

-- == one-column-csv
CREATE TABLE s (x STRING) USING csv;
INSERT INTO s VALUES ('a'), (NULL), (''), (' ');
CREATE TABLE i (x INT) USING csv;
INSERT INTO i VALUES (1), (NULL);
CREATE TABLE h (x INT) USING csv OPTIONS (header 'true');
INSERT INTO h VALUES (1), (NULL);
CREATE TABLE k (x STRING, p INT) USING csv PARTITIONED BY (p);
INSERT INTO k VALUES ('a', 1), (NULL, 1), (NULL, 2);

-- == nested-csv
CREATE TABLE t (id INT, a ARRAY<INT>) USING csv;
INSERT INTO t VALUES (1, array(1));

-- == static-and-dynamic parquet csv
CREATE TABLE t (a INT, b STRING, dt DATE, k STRING) USING ${FMT} PARTITIONED BY (dt, k);
INSERT INTO t VALUES (1, 'x', DATE'2024-01-01', 'k1');
INSERT INTO t VALUES (2, 'y', DATE'2024-01-01', 'k1'), (3, 'z', DATE'2024-01-02', 'k2'), (4, '', NULL, NULL);
INSERT INTO t PARTITION (dt = '2024-01-03', k = 'k3') VALUES (5, 'five');
INSERT INTO t PARTITION (dt = DATE'2024-01-03', k) SELECT 6, 'six', 'k3';
INSERT INTO t PARTITION (dt = DATE'2024-01-03', k) VALUES (7, 'seven', 'k4'), (8, 'eight', NULL);
INSERT INTO t PARTITION (dt, k) VALUES (9, 'nine', DATE'2024-01-04', 'k1');
INSERT INTO t PARTITION (k, dt) VALUES (10, 'ten', DATE'2024-01-05', 'k5');
INSERT INTO TABLE t PARTITION (dt = NULL, k = 'n') VALUES (11, 'null date');
INSERT INTO t PARTITION (dt = '2024-1-6', k = '05') VALUES (12, 'quoted');
INSERT INTO t PARTITION (DT = '2024-01-07', K = 'K7') VALUES (13, 'upper');
INSERT INTO t PARTITION (k = 'k1', dt) VALUES (14, 'no', DATE'2024-01-01');
INSERT INTO t PARTITION (dt = '2024-01-01') VALUES (15, 'no', 'k1');
INSERT INTO t PARTITION (dt = '2024-01-01', k = 'a', k = 'b') VALUES (16, 'no');
INSERT INTO t PARTITION (dt = '2024-01-01', nope = 1) VALUES (17, 'no');
INSERT INTO t PARTITION (dt = '2024-01-01', a = 1) VALUES ('no', 'no');
INSERT INTO t PARTITION (dt = 'no date', k = 'a') VALUES (18, 'no');
INSERT INTO t PARTITION (dt = '2024-01-01', k = '') VALUES (19, 'no');
INSERT INTO t PARTITION (dt = '2024-01-01', k = DEFAULT) VALUES (20, 'no');
INSERT INTO t PARTITION (dt = '2024-02-30', k = 'a') VALUES (21, 'no');
INSERT INTO t VALUES (22, 'no', DATE'2024-01-01');
INSERT INTO t VALUES (23, 'no', DATE'2024-01-01', 'k', 'more');
INSERT INTO t PARTITION (dt = '2024-01-01', k) VALUES (24, 'no');
INSERT INTO t PARTITION (dt = '2024-01-01', k = 'k1') VALUES (25);
INSERT INTO t PARTITION (dt = '2024-01-01', k = 'k1') VALUES (26, 'no', 'more');
SELECT dt, k, count(*), sum(a) FROM t GROUP BY dt, k ORDER BY dt, k;

-- == unquoted-text-key
CREATE TABLE t (a INT, k STRING) USING parquet PARTITIONED BY (k);
INSERT INTO t PARTITION (k = 05) VALUES (1);
INSERT OVERWRITE t PARTITION (k = 05) VALUES (2);

-- == column-lists parquet
CREATE TABLE t (a INT, b STRING, c DOUBLE, p INT, q STRING) USING ${FMT} PARTITIONED BY (p, q);
INSERT INTO t (a, p, q) VALUES (1, 1, 'x');
INSERT INTO t (q, p, c, b, a) VALUES ('y', 2, 2.5, 'b', 2);
INSERT INTO t (p, q, a) SELECT 3, 'z', 3;
INSERT INTO t PARTITION (p = 4, q) (a, q) VALUES (4, 'w');
INSERT INTO t PARTITION (p = 5, q = 'v') (c, a) VALUES (5.5, 5);
INSERT INTO t (a, b) VALUES (6, 'no keys');
INSERT INTO t (A, P, Q) VALUES (7, 7, 'upper');
INSERT INTO t (a, a, p) VALUES (8, 8, 8);
INSERT INTO t (a, nope) VALUES (9, 9);
INSERT INTO t (a, p, q) VALUES (10, 10);
INSERT INTO t (a, p) VALUES (11, 11, 'more');
INSERT INTO t BY NAME SELECT 'q13' AS q, 13 AS p, 13 AS a;
INSERT INTO t BY NAME SELECT 14 AS A, 14 AS P, 'q14' AS Q, 'b' AS B;
INSERT INTO t BY NAME SELECT 15 AS a, 15 AS nope;
INSERT INTO t BY NAME SELECT 16 AS a, 16 AS a;
INSERT INTO t BY NAME SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS p, 5 AS q, 6 AS r;
INSERT INTO t PARTITION (p = 17, q) BY NAME SELECT 'q17' AS q, 17 AS a;
INSERT INTO t PARTITION (p = 18, q = 's') BY NAME SELECT 'b18' AS b;
INSERT OVERWRITE t PARTITION (p = 1, q) BY NAME SELECT 'over' AS q, 19 AS a;
INSERT OVERWRITE t PARTITION (p = 2, q = 'y') (b) VALUES ('only b');
INSERT OVERWRITE t (p, q, a) VALUES (20, 'whole', 20);
INSERT INTO t VALUES (DEFAULT, 'b', DEFAULT, 21, 'default');
INSERT INTO t (p, q, a) SELECT 22, 'd', DEFAULT;
INSERT INTO t (p, q, a) SELECT 23, 'd', DEFAULT + 1;

-- == static-key-listed
CREATE TABLE t (a INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q);
INSERT INTO t PARTITION (p = 1, q) (a, p, q) VALUES (1, 1, 'x');
INSERT INTO t PARTITION (p = 1, q = 'x') (a, p) VALUES (1, 1);

-- == overwrite-static parquet
CREATE TABLE t (a INT, p INT, q INT) USING ${FMT} PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2), (5, 3, NULL);
INSERT OVERWRITE t PARTITION (p = 1, q = 1) VALUES (11);
INSERT OVERWRITE TABLE t PARTITION (p = 1, q) VALUES (12, 3);
INSERT OVERWRITE t PARTITION (p = 2, q) SELECT a + 100, q FROM VALUES (13, 1), (14, 9) AS v(a, q);
INSERT OVERWRITE t PARTITION (p = 7, q = 7) VALUES (15);
INSERT OVERWRITE t PARTITION (p = 7, q = 7) SELECT 16 WHERE false;
INSERT OVERWRITE t PARTITION (p = 8, q = 8) SELECT 17 WHERE false;
INSERT OVERWRITE t PARTITION (p = 2, q) SELECT 18, 18 WHERE false;
INSERT OVERWRITE t PARTITION (p = 3, q = NULL) VALUES (19);
INSERT OVERWRITE t PARTITION (p = 1, q = 3) IF NOT EXISTS VALUES (20);
INSERT OVERWRITE t PARTITION (p = 1, q = 4) IF NOT EXISTS VALUES (21);
INSERT OVERWRITE t PARTITION (p = 1, q) IF NOT EXISTS VALUES (22, 1);
INSERT INTO t PARTITION (p = 1, q = 1) IF NOT EXISTS VALUES (23);
INSERT OVERWRITE t PARTITION (p, q) VALUES (24, 5, 5);
INSERT INTO t VALUES (25, 6, 6);
INSERT OVERWRITE t VALUES (26, 7, 7);
INSERT OVERWRITE t SELECT 27, 1, 1 WHERE false;
INSERT INTO t SELECT 28, 1, 1 WHERE false;
INSERT INTO t PARTITION (p = 9, q = 9) SELECT 29 WHERE false;
INSERT INTO t PARTITION (p = 9, q) SELECT 30, 30 WHERE false;

-- == overwrite-dynamic parquet json
SET spark.sql.sources.partitionOverwriteMode = dynamic;
CREATE TABLE t (a INT, p INT, q STRING) USING ${FMT} PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'), (4, 2, NULL);
INSERT OVERWRITE t VALUES (11, 1, 'a'), (12, 5, 'n');
INSERT OVERWRITE t PARTITION (p = 1, q) VALUES (13, 'b'), (14, 'c');
INSERT OVERWRITE t PARTITION (p, q) VALUES (15, 2, NULL);
INSERT OVERWRITE t PARTITION (p = 2, q = 'a') VALUES (16);
INSERT OVERWRITE t SELECT 17, 1, 'a' WHERE false;
INSERT OVERWRITE t PARTITION (p = 1, q) SELECT 18, 'a' WHERE false;
INSERT OVERWRITE t PARTITION (p = 1, q = 'b') SELECT 19 WHERE false;
INSERT OVERWRITE t SELECT a + 1000, p, q FROM t WHERE p = 2;
INSERT OVERWRITE t PARTITION (p = 5, q) SELECT a, q FROM t WHERE p = 5;
SET spark.sql.sources.partitionOverwriteMode = STATIC;
INSERT OVERWRITE t PARTITION (p = 1, q) VALUES (20, 'z');
INSERT OVERWRITE t VALUES (21, 9, 'last');

-- == overwrite-reads-itself
CREATE TABLE t (a INT, p INT) USING parquet PARTITIONED BY (p);
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT OVERWRITE t SELECT a + 10, p FROM t;
INSERT INTO t SELECT a + 100, p FROM t;
INSERT INTO t PARTITION (p = 1) SELECT a + 1000 FROM t WHERE p = 2;

-- == unpartitioned parquet csv json
CREATE TABLE t (a INT, b STRING) USING ${FMT};
INSERT INTO t VALUES (1, 'one'), (2, 'two');
INSERT INTO t SELECT id, CAST(id AS STRING) FROM range(3);
INSERT INTO t TABLE t;
INSERT OVERWRITE t VALUES (9, 'nine');
INSERT OVERWRITE t SELECT 1, 'x' WHERE false;
INSERT INTO t SELECT 1, 'x' WHERE false;
INSERT INTO TABLE t SELECT 3, 'three' UNION ALL SELECT 4, 'four';
INSERT INTO t (SELECT 5, 'five');
WITH c AS (SELECT 6 AS a, 'six' AS b) INSERT INTO t SELECT * FROM c;
INSERT INTO t WITH c AS (SELECT 7 AS a, 'seven' AS b) SELECT * FROM c;
FROM VALUES (8, 'eight') AS v(a, b) INSERT INTO t SELECT a, b;
WITH c AS (SELECT 1 AS a) FROM c INSERT INTO TABLE t (a) SELECT a + 8 WHERE a > 0;
FROM t INSERT OVERWRITE TABLE t PARTITION (a = 1) SELECT b;
INSERT INTO t PARTITION (a = 1) VALUES ('no');
INSERT INTO nope VALUES (1);
INSERT OVERWRITE TABLE t SELECT a, b FROM VALUES (1, 'a'), (NULL, NULL), (2, '') AS v(a, b);
TRUNCATE TABLE t;
INSERT INTO t VALUES (1, 'after');
SELECT count(*), sum(a) FROM t;

-- == external csv
CREATE TABLE t (a INT, b STRING, p STRING) USING ${FMT} PARTITIONED BY (p) LOCATION '${D}/t';
INSERT INTO t VALUES (1, 'x', 'one'), (2, 'y', 'two');
MKDIR ${D}/t/p=three;
INSERT OVERWRITE t PARTITION (p = 'one') VALUES (3, 'z');
INSERT INTO t PARTITION (p = 'three') VALUES (4, 'w');
TRUNCATE TABLE t;
INSERT OVERWRITE t VALUES (5, 'whole', 'four');
ALTER TABLE t DROP PARTITION (p = 'four');
INSERT INTO t VALUES (6, 'again', 'four');
INSERT OVERWRITE t PARTITION (p) SELECT 7, 'x', 'p' WHERE false;

-- == unregistered-directories
CREATE TABLE w (a INT, p INT) USING csv PARTITIONED BY (p) LOCATION '${D}/t';
WRITE ${D}/t/p=1/old.csv <<100;
WRITE ${D}/t/p=2/old.csv <<200;
WRITE ${D}/t/p=3/old.csv <<300;
INSERT INTO w VALUES (1, 1);
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE w VALUES (2, 2);
MSCK REPAIR TABLE w;
INSERT OVERWRITE w PARTITION (p = 3) VALUES (3);
WRITE ${D}/t/p=4/old.csv <<400;
WRITE ${D}/t/other/old.csv <<500;
SET spark.sql.sources.partitionOverwriteMode = static;
INSERT OVERWRITE w PARTITION (p) VALUES (5, 5);
MSCK REPAIR TABLE w;

-- == custom-locations json
CREATE TABLE t (a INT, p INT, q INT) USING ${FMT} PARTITIONED BY (p, q);
ALTER TABLE t ADD PARTITION (p = 1, q = 1) LOCATION '${D}/elsewhere';
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2);
INSERT INTO t PARTITION (p = 1, q = 1) VALUES (3);
INSERT OVERWRITE t PARTITION (p = 1, q = 1) VALUES (4);
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE t VALUES (5, 1, 1), (6, 3, 3);
SET spark.sql.sources.partitionOverwriteMode = static;
INSERT OVERWRITE t PARTITION (p = 1, q) VALUES (7, 5);
ALTER TABLE t ADD PARTITION (p = 8, q = 8) LOCATION '${D}/eight';
INSERT INTO t PARTITION (p = 8, q = 8) VALUES (8);
TRUNCATE TABLE t PARTITION (p = 8);
INSERT INTO t PARTITION (p = 8, q = 8) VALUES (9);
INSERT OVERWRITE t VALUES (10, 10, 10);

-- == key-types parquet csv
CREATE TABLE d (a INT, k DATE) USING ${FMT} PARTITIONED BY (k);
INSERT INTO d VALUES (1, DATE'2024-02-29'), (2, DATE'0001-01-01'), (3, DATE'9999-12-31'), (4, NULL), (5, '2024-03-01');
CREATE TABLE ts (a INT, k TIMESTAMP) USING ${FMT} PARTITIONED BY (k);
INSERT INTO ts VALUES (1, TIMESTAMP'2024-01-01 12:30:00'), (2, TIMESTAMP'2024-01-01 00:00:00.5'), (3, TIMESTAMP'1969-12-31 23:59:59.999999'), (4, NULL);
INSERT INTO ts PARTITION (k = '2024-01-01 12:30') VALUES (5);
INSERT INTO ts PARTITION (k = DATE'2024-05-05') VALUES (6);
CREATE TABLE nt (a INT, k TIMESTAMP_NTZ) USING ${FMT} PARTITIONED BY (k);
INSERT INTO nt VALUES (1, TIMESTAMP_NTZ'2024-01-01 12:30:00'), (2, TIMESTAMP_NTZ'2024-01-01 00:00:00.25'), (3, NULL);
CREATE TABLE dc (a INT, k DECIMAL(10,2)) USING ${FMT} PARTITIONED BY (k);
INSERT INTO dc VALUES (1, 1.5BD), (2, 1.50BD), (3, -0.01BD), (4, 0), (5, 99999999.99BD), (6, NULL);
INSERT INTO dc PARTITION (k = 7) VALUES (7);
INSERT INTO dc PARTITION (k = 1.505) VALUES (8);
INSERT INTO dc PARTITION (k = 123456789) VALUES (9);
CREATE TABLE db (a INT, k DOUBLE) USING ${FMT} PARTITIONED BY (k);
INSERT INTO db VALUES (1, 1.5D), (2, 1), (3, -2.25D), (4, 1E10D), (5, 1E-5D), (6, NULL), (7, double('Infinity')), (8, double('NaN')), (9, 0.1D), (10, 12345678.9D);
INSERT INTO db PARTITION (k = 3) VALUES (11);
INSERT INTO db PARTITION (k = 1.50) VALUES (12);
CREATE TABLE fl (a INT, k FLOAT) USING ${FMT} PARTITIONED BY (k);
INSERT INTO fl VALUES (1, 1.5F), (2, 0.1F), (3, 3.4028234E38F), (4, NULL);
CREATE TABLE bo (a INT, k BOOLEAN) USING ${FMT} PARTITIONED BY (k);
INSERT INTO bo VALUES (1, true), (2, false), (3, NULL);
INSERT INTO bo PARTITION (k = 'T') VALUES (4);
INSERT INTO bo PARTITION (k = false) VALUES (5);
INSERT INTO bo PARTITION (k = 'perhaps') VALUES (6);
CREATE TABLE ints (a INT, t TINYINT, s SMALLINT, i INT, l BIGINT) USING ${FMT} PARTITIONED BY (t, s, i, l);
INSERT INTO ints VALUES (1, 127, 32767, 2147483647, 9223372036854775807), (2, -128, -32768, -2147483648, -9223372036854775808), (3, NULL, 0, NULL, 0);
INSERT INTO ints PARTITION (t = 01, s = '007', i = +5, l = -0) VALUES (4);
INSERT INTO ints PARTITION (t = 128, s = 1, i = 1, l = 1) VALUES (5);
CREATE TABLE bi (a INT, k BINARY) USING ${FMT} PARTITIONED BY (k);
INSERT INTO bi VALUES (1, X'616263'), (2, NULL);

-- == zero-signs
CREATE TABLE t (a INT, k DOUBLE) USING parquet PARTITIONED BY (k);
INSERT INTO t VALUES (1, 0.0D), (2, -0.0D);
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE t VALUES (3, 0.0D);

-- == char-varchar parquet csv
CREATE TABLE t (a INT, c CHAR(4), v VARCHAR(4)) USING ${FMT};
INSERT INTO t VALUES (1, 'ab', 'ab'), (2, 'abcd', 'abcd'), (3, '', 'x'), (4, NULL, NULL);
INSERT INTO t VALUES (5, 'abcde', 'x');
INSERT INTO t VALUES (6, 'x', 'abcde');
INSERT INTO t VALUES (7, 'abcd   ', 'ab    ');
INSERT INTO t SELECT 8, 12, 1234;
INSERT INTO t SELECT 9, 'é€', 'üüüü';
SELECT a, concat('[', c, ']'), concat('[', v, ']'), c = 'ab', v = 'ab' FROM t ORDER BY a;
CREATE TABLE k (a INT, c CHAR(3), v VARCHAR(3)) USING ${FMT} PARTITIONED BY (c, v);
INSERT INTO k VALUES (1, 'a', 'a'), (2, 'abc', 'abc'), (3, 'a ', 'b '), (4, NULL, NULL);
INSERT INTO k PARTITION (c = 'x', v = 'y') VALUES (5);
INSERT INTO k PARTITION (c = 'x  ', v) VALUES (6, 'y');
INSERT INTO k PARTITION (c = 'long!', v = 'y') VALUES (7);
INSERT INTO k PARTITION (c = 'c', v = 'long!') VALUES (8);
INSERT INTO k VALUES (9, 'long!', 'y');
INSERT OVERWRITE k PARTITION (c = 'a', v = 'a') VALUES (10);
SELECT a, concat('[', c, ']'), concat('[', v, ']') FROM k WHERE c = 'a' ORDER BY a;

-- == odd-keys parquet
CREATE TABLE t (a INT, k STRING) USING ${FMT} PARTITIONED BY (k);
INSERT INTO t VALUES (1, 'a/b'), (2, 'a=b'), (3, 'a%b'), (4, 'a:b'), (5, 'a b'), (6, 'a+b'), (7, 'a?b'), (8, 'a#b'), (9, 'a*b'), (10, 'a\\b');
INSERT INTO t VALUES (11, '{x}'), (12, '[x]'), (13, '^x'), (14, '"x"'), (15, '<x>'), (16, 'x|y'), (17, 'x&y'), (18, '~x'), (19, '`x`'), (20, '@!$(),;');
INSERT INTO t VALUES (21, 'Üï'), (22, '日本'), (23, '😀'), (24, 'é'), (25, '%20'), (26, '%'), (27, '%2F'), (28, '%zz'), (29, '05'), (30, '1e3');
INSERT INTO t VALUES (31, ''), (32, NULL), (33, ' '), (34, 'trailing '), (35, ' leading'), (36, 'tab\tx'), (37, 'line\nbreak'), (38, 'it''s'), (39, 'NULL'), (40, 'null');
INSERT INTO t VALUES (41, '.'), (42, '..'), (43, '.hidden'), (44, '_under'), (45, '-'), (46, 'true'), (47, '2024-01-01'), (48, 'A'), (49, 'a');
INSERT INTO t VALUES (50, '__HIVE_DEFAULT_PARTITION__');
INSERT INTO t PARTITION (k = 'x/y=z%') VALUES (51);
INSERT INTO t PARTITION (k = '__HIVE_DEFAULT_PARTITION__') VALUES (52);
INSERT INTO t PARTITION (k = NULL) VALUES (53);
INSERT INTO t PARTITION (k = 1.50) VALUES (54);
INSERT INTO t PARTITION (k = TRUE) VALUES (55);
INSERT INTO t PARTITION (k = 1e3) VALUES (56);
INSERT INTO t PARTITION (k = DATE'2024-01-01') VALUES (57);
INSERT INTO t PARTITION (k = X'41') VALUES (58);
INSERT INTO t PARTITION (k = INTERVAL '1' DAY) VALUES (59);
INSERT INTO t PARTITION (k = -3) VALUES (60);
SELECT k, length(k), count(*), sum(a) FROM t GROUP BY k ORDER BY k;
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE t SELECT a + 1000, k FROM VALUES (1, 'a/b'), (27, '%2F'), (31, ''), (22, '日本'), (34, 'trailing ') AS v(a, k);

-- == odd-columns parquet json
CREATE TABLE t (`a b` INT, `Ünï` STRING, `K.x` STRING) USING ${FMT} PARTITIONED BY (`K.x`);
INSERT INTO t VALUES (1, 'x', 'one');
INSERT INTO t PARTITION (`K.x` = 'two') VALUES (2, 'y');
INSERT OVERWRITE t PARTITION (`k.X` = 'two') (`a b`) VALUES (3);
CREATE TABLE c (A INT, `Mixed` STRING, `KeyCase` INT) USING ${FMT} PARTITIONED BY (keycase);
INSERT INTO c VALUES (1, 'x', 5);
INSERT INTO c PARTITION (KEYCASE = 6) VALUES (2, 'y');
CREATE TABLE o (a INT, `k=x` STRING, `p%q` STRING) USING ${FMT} PARTITIONED BY (`k=x`, `p%q`);
INSERT INTO o VALUES (1, 'v=1', 'w%');

-- == odd-strings parquet csv json
CREATE TABLE t (a INT, s STRING, u STRING) USING ${FMT};
INSERT INTO t VALUES (1, '', NULL), (2, NULL, ''), (3, ' ', '  x  '), (4, '"', '""'), (5, 'a"b', '"a"'), (6, ',', 'a,b'), (7, '\\', 'a\\"b'), (8, 'NULL', 'null'), (9, '#x', '-- y');
INSERT INTO t VALUES (10, 'tab\there', 'x'), (11, '日本語', '😀'), (12, 'it''s', '{"a": 1}'), (13, '%s', '[1]'), (14, 'x\u0001y', 'x\u007Fy'), (15, ';', '|');
INSERT INTO t VALUES (16, 'e\u0301', 'é'), (17, repeat('long', 300), 'x'), (18, '\u00a0x', '\u2028');
SELECT a, length(s), length(u) FROM t ORDER BY a;

-- == odd-strings-lines parquet json
CREATE TABLE t (a INT, s STRING) USING ${FMT};
INSERT INTO t VALUES (1, 'line\nbreak'), (2, 'cr\rhere'), (3, 'crlf\r\n'), (4, '\n'), (5, 'nul\u0000x');

-- == csv-options
CREATE TABLE h (a INT, b STRING, k INT) USING csv OPTIONS (header 'true') PARTITIONED BY (k);
INSERT INTO h VALUES (1, 'x', 1), (2, NULL, 2);
INSERT INTO h SELECT 3, 'y', 3 WHERE false;
INSERT INTO h PARTITION (k = 4) SELECT 3, 'y' WHERE false;
CREATE TABLE s (a INT, b STRING) USING csv OPTIONS (sep ';', quote "'", escape '!', nullValue 'NIL', emptyValue 'EMPTY');
INSERT INTO s VALUES (1, 'a;b'), (2, 'it''s'), (3, NULL), (4, ''), (5, 'NIL'), (6, 'EMPTY'), (7, 'a!b'), (8, 'a,b');
CREATE TABLE d (d DATE, t TIMESTAMP) USING csv OPTIONS (dateFormat 'dd.MM.yyyy', timestampFormat 'dd.MM.yyyy HH:mm');
INSERT INTO d VALUES (DATE'2024-02-29', TIMESTAMP'2024-02-29 13:14:15'), (NULL, NULL);
CREATE TABLE g (a INT, b STRING) USING csv OPTIONS (compression 'gzip', sep '\t');
INSERT INTO g VALUES (1, 'x'), (2, 'tab\tx');
CREATE TABLE m (a INT, b STRING) USING csv OPTIONS (multiLine 'true');
INSERT INTO m VALUES (1, 'line\nbreak'), (2, '\r\n');
CREATE TABLE qa (a INT, b STRING) USING csv OPTIONS (quoteAll 'true');
INSERT INTO qa VALUES (1, 'x'), (NULL, NULL), (2, '');

-- == json-options
CREATE TABLE n (a INT, b STRING) USING json OPTIONS (ignoreNullFields 'false');
INSERT INTO n VALUES (1, NULL), (NULL, 'x');
CREATE TABLE d (d DATE, t TIMESTAMP) USING json OPTIONS (dateFormat 'dd.MM.yyyy', timestampFormat 'dd.MM.yyyy HH:mm:ss');
INSERT INTO d VALUES (DATE'2024-02-29', TIMESTAMP'2024-02-29 13:14:15');
CREATE TABLE z (a INT, b STRING) USING json OPTIONS (compression 'gzip');
INSERT INTO z VALUES (1, 'x');
CREATE TABLE e (a INT) USING json;
INSERT INTO e VALUES (NULL), (1);

-- == parquet-options
CREATE TABLE s (a INT, b STRING) USING parquet OPTIONS (compression 'snappy');
INSERT INTO s VALUES (1, 'x');
CREATE TABLE g (a INT, b STRING) USING parquet TBLPROPERTIES ('parquet.compression' = 'gzip');
INSERT INTO g VALUES (1, 'x');
CREATE TABLE u (a INT, b STRING) USING parquet OPTIONS ('compression' = 'none');
INSERT INTO u VALUES (1, 'x');
SET spark.sql.parquet.compression.codec = zstd;
CREATE TABLE z (a INT, b STRING) USING parquet;
INSERT INTO z VALUES (1, 'x');

-- == store-assignment parquet
CREATE TABLE t (i INT, s STRING, d DATE, p DECIMAL(5,2), b BOOLEAN, y TINYINT, f FLOAT, w TIMESTAMP) USING ${FMT};
INSERT INTO t (i) VALUES (1L);
INSERT INTO t (i) VALUES (2.7D);
INSERT INTO t (i) VALUES (2.5BD);
INSERT INTO t (i) VALUES (3000000000L);
INSERT INTO t (i) VALUES (1E12D);
INSERT INTO t (i) VALUES (double('NaN'));
INSERT INTO t (i) VALUES ('4');
INSERT INTO t (i) SELECT '4';
INSERT INTO t (i) VALUES (true);
INSERT INTO t (i) VALUES (DATE'2024-01-01');
INSERT INTO t (i) VALUES (TIMESTAMP'2024-01-01 00:00:00');
INSERT INTO t (i) VALUES (CAST(NULL AS STRING));
INSERT INTO t (i) VALUES (NULL);
INSERT INTO t (s) VALUES (5), (6);
INSERT INTO t (s) VALUES (1.50);
INSERT INTO t (s) VALUES (true);
INSERT INTO t (s) VALUES (DATE'2024-01-01');
INSERT INTO t (s) VALUES (TIMESTAMP'2024-01-01 01:02:03');
INSERT INTO t (s) VALUES (X'414243');
INSERT INTO t (s) VALUES (array(1));
INSERT INTO t (s) VALUES (INTERVAL '1' DAY);
INSERT INTO t (d) VALUES ('2024-01-01');
INSERT INTO t (d) VALUES (TIMESTAMP'2024-01-01 23:00:00');
INSERT INTO t (d) VALUES (20240101);
INSERT INTO t (p) VALUES (1), (1.5), (999.99BD);
INSERT INTO t (p) VALUES (1.005BD);
INSERT INTO t (p) VALUES (1000BD);
INSERT INTO t (p) VALUES (1E5D);
INSERT INTO t (p) VALUES ('1.5');
INSERT INTO t (b) VALUES (1);
INSERT INTO t (b) VALUES ('true');
INSERT INTO t (y) VALUES (127);
INSERT INTO t (y) VALUES (128);
INSERT INTO t (y) VALUES (-129L);
INSERT INTO t (f) VALUES (1);
INSERT INTO t (f) VALUES (1E300D);
INSERT INTO t (w) VALUES (DATE'2024-01-01');
INSERT INTO t (w) VALUES ('2024-01-01 00:00:00');
INSERT INTO t (w) VALUES (1);
INSERT INTO t (i) SELECT id FROM range(3000000000, 3000000001);
INSERT INTO t (y) SELECT id FROM range(126, 130);
INSERT INTO t (p) SELECT id * 400 FROM range(4);
SET spark.sql.storeAssignmentPolicy = LEGACY;
INSERT INTO t (i) VALUES ('4');
INSERT INTO t (i) VALUES ('four');
INSERT INTO t (i) VALUES (3000000000L);
INSERT INTO t (b) VALUES (1);
SET spark.sql.storeAssignmentPolicy = STRICT;
INSERT INTO t (i) VALUES (1L);
INSERT INTO t (i) VALUES (2Y);
INSERT INTO t (d) VALUES ('2024-01-01');
INSERT INTO t (s) VALUES ('strict');

-- == store-assignment-keys
CREATE TABLE t (a INT, i INT, d DATE) USING parquet PARTITIONED BY (i, d);
INSERT INTO t VALUES (1, 1L, DATE'2024-01-01');
INSERT INTO t VALUES (2, '2', DATE'2024-01-01');
INSERT INTO t SELECT 3, '3', DATE'2024-01-01';
INSERT INTO t VALUES (4, 3000000000L, DATE'2024-01-01');
INSERT INTO t SELECT 5, id, DATE'2024-01-01' FROM range(3000000000, 3000000001);
INSERT INTO t VALUES (6, 6, '2024-06-06');
INSERT INTO t VALUES (7, 7, TIMESTAMP'2024-06-06 10:00:00');
INSERT INTO t PARTITION (i = 1.7, d = '2024-01-01') VALUES (8);
INSERT INTO t PARTITION (i = 'x', d = '2024-01-01') VALUES (9);
INSERT INTO t PARTITION (i = 10, d = TIMESTAMP'2024-01-01 10:00:00') VALUES (10);
INSERT INTO t PARTITION (i = 99999999999, d = '2024-01-01') VALUES (11);
INSERT INTO t PARTITION (i = NULL, d = NULL) VALUES (12);
SET spark.sql.storeAssignmentPolicy = LEGACY;
INSERT INTO t PARTITION (i = 'x', d = '2024-01-01') VALUES (13);
INSERT INTO t VALUES (14, 'x', 'y');

-- == ctas parquet csv
CREATE TABLE a USING ${FMT} AS SELECT 1 AS x, 'y' AS y;
CREATE TABLE b USING ${FMT} PARTITIONED BY (k) AS SELECT id, CAST(id % 3 AS STRING) AS k FROM range(7);
CREATE TABLE c USING ${FMT} LOCATION '${D}/c' AS SELECT * FROM b;
CREATE TABLE d USING ${FMT} PARTITIONED BY (k, x) LOCATION '${D}/d' AS SELECT k, id, id % 2 AS x FROM b;
CREATE TABLE e USING ${FMT} AS SELECT 1 AS x WHERE false;
CREATE TABLE f USING ${FMT} PARTITIONED BY (x) AS SELECT 1 AS y, 1 AS x WHERE false;
CREATE TABLE a USING ${FMT} AS SELECT 2 AS x;
CREATE TABLE IF NOT EXISTS a USING ${FMT} AS SELECT 3 AS x;
CREATE TABLE g (x INT) USING ${FMT} AS SELECT 1 AS x;
CREATE TABLE g USING ${FMT} PARTITIONED BY (nope) AS SELECT 1 AS x;
CREATE TABLE g USING ${FMT} PARTITIONED BY (x) AS SELECT 1 AS x;
CREATE TABLE g USING ${FMT} AS SELECT 1 AS x, 2 AS x;
CREATE TABLE h USING ${FMT} AS SELECT 1.5 AS d, DATE'2024-01-01' AS t, CAST('c' AS CHAR(3)) AS c, CAST('v' AS VARCHAR(3)) AS v;
CREATE TABLE i USING ${FMT} AS TABLE b;
CREATE TABLE j USING ${FMT} AS VALUES (1, 'a'), (2, 'b');
CREATE TABLE l USING ${FMT} AS SELECT 1 / 0 AS x;
CREATE TABLE l USING ${FMT} LOCATION '${D}/d' AS SELECT 1 AS x;
CREATE TABLE n USING ${FMT} AS SELECT id + 1, count(*) FROM b GROUP BY id;
INSERT INTO b SELECT 100, '1';
INSERT INTO b PARTITION (k = 'new') VALUES (101);

-- == ctas-void parquet csv json
CREATE TABLE g USING ${FMT} AS SELECT NULL AS x;

-- == ctas-no-format
CREATE TABLE a AS SELECT 1 AS x;
CREATE TABLE b PARTITIONED BY (y) AS SELECT 1 AS x, 2 AS y;
INSERT INTO b VALUES (3, 4);

-- == truncate parquet
CREATE TABLE t (a INT, p INT, q STRING) USING ${FMT} PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a');
TRUNCATE TABLE t PARTITION (p = 1, q = 'a');
TRUNCATE TABLE t PARTITION (q = 'a');
TRUNCATE TABLE t PARTITION (p = 9);
TRUNCATE TABLE t PARTITION (p = 9, q = 'a');
TRUNCATE TABLE t PARTITION (nope = 9);
TRUNCATE TABLE t PARTITION (p);
INSERT INTO t PARTITION (p = 1, q = 'a') VALUES (4);
TRUNCATE TABLE t;
INSERT INTO t VALUES (5, 5, 'e');
TRUNCATE TABLE nope;
CREATE TABLE u (a INT) USING ${FMT};
TRUNCATE TABLE u;
TRUNCATE TABLE u PARTITION (a = 1);
CREATE VIEW v AS SELECT 1 AS a;
TRUNCATE TABLE v;
INSERT INTO v VALUES (1);

-- == directory parquet csv json
INSERT OVERWRITE DIRECTORY '${D}/out' USING ${FMT} SELECT 1 AS a, 'x' AS b;
SELECT * FROM ${FMT}.`${D}/out`;
INSERT OVERWRITE DIRECTORY '${D}/out' USING ${FMT} SELECT 2 AS a, 'y' AS b UNION ALL SELECT 3, 'z';
SELECT * FROM ${FMT}.`${D}/out`;
INSERT OVERWRITE LOCAL DIRECTORY '${D}/local' USING ${FMT} SELECT 4 AS a, 'w' AS b;
INSERT OVERWRITE DIRECTORY USING ${FMT} OPTIONS (path '${D}/opt') SELECT 5 AS a, 'v' AS b;
INSERT OVERWRITE DIRECTORY USING ${FMT} SELECT 1 AS a;
CREATE TABLE t (a INT, b STRING) USING ${FMT} LOCATION '${D}/out';
SELECT * FROM t;

-- == directory-same-names parquet csv json
INSERT OVERWRITE DIRECTORY '${D}/dup' USING ${FMT} SELECT 1 AS a, 2 AS a;

-- == time-zones parquet csv
SET spark.sql.session.timeZone = America/New_York;
CREATE TABLE t (a INT, w TIMESTAMP, k TIMESTAMP) USING ${FMT} PARTITIONED BY (k);
INSERT INTO t VALUES (1, TIMESTAMP'2024-07-01 12:00:00', TIMESTAMP'2024-07-01 12:00:00'), (2, TIMESTAMP'2024-01-01 00:00:00Z', TIMESTAMP'2024-01-01 00:00:00Z');
SELECT a, CAST(w AS STRING), CAST(k AS STRING) FROM t ORDER BY a;
SET spark.sql.session.timeZone = Asia/Kolkata;
SELECT a, CAST(w AS STRING), CAST(k AS STRING) FROM t ORDER BY a;
INSERT INTO t VALUES (3, TIMESTAMP'2024-07-01 12:00:00', TIMESTAMP'2024-07-01 12:00:00');
SET spark.sql.session.timeZone = UTC;
SELECT a, CAST(w AS STRING), CAST(k AS STRING) FROM t ORDER BY a;

-- == evolution parquet json
CREATE TABLE t (a INT, k INT) USING ${FMT} PARTITIONED BY (k);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMNS (b STRING);
INSERT INTO t VALUES (2, 'two', 2);
INSERT INTO t (a, k) VALUES (3, 1);
INSERT OVERWRITE t PARTITION (k = 1) VALUES (4, 'four');

-- == partition-statements
CREATE TABLE t (a INT, p INT, q INT) USING parquet PARTITIONED BY (p, q);
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1);
ALTER TABLE t DROP PARTITION (p = 1);
INSERT INTO t PARTITION (p = 1, q = 1) VALUES (4);
ALTER TABLE t PARTITION (p = 1, q = 1) RENAME TO PARTITION (p = 5, q = 5);
INSERT INTO t PARTITION (p = 5, q = 5) VALUES (5);
INSERT INTO t PARTITION (p = 1, q = 1) VALUES (6);
ALTER TABLE t ADD PARTITION (p = 7, q = 7);
INSERT OVERWRITE t PARTITION (p = 7, q = 7) IF NOT EXISTS VALUES (7);
INSERT OVERWRITE t PARTITION (p = 7, q = 7) VALUES (8);
ALTER TABLE t DROP IF EXISTS PARTITION (p = 9, q = 9);
INSERT OVERWRITE t PARTITION (p = 7, q) VALUES (9, 8);

-- == queries-into-tables
CREATE TABLE s (id INT, name STRING, dt DATE) USING parquet;
INSERT INTO s SELECT id, concat('n', id), date_add(DATE'2024-01-01', CAST(id % 3 AS INT)) FROM range(12);
CREATE TABLE t (id INT, name STRING, dt DATE) USING parquet PARTITIONED BY (dt);
INSERT INTO t SELECT * FROM s;
INSERT INTO t TABLE s;
INSERT INTO t SELECT id, name, dt FROM s ORDER BY id DESC LIMIT 2;
INSERT INTO t SELECT max(id), min(name), dt FROM s GROUP BY dt;
INSERT INTO t SELECT s.id, x.name, x.dt FROM s JOIN s x ON s.id = x.id + 1 WHERE s.id < 3;
INSERT INTO t (dt, id) SELECT DISTINCT dt, 0 FROM s;
INSERT INTO t PARTITION (dt = '2025-01-01') SELECT row_number() OVER (ORDER BY id), name FROM s WHERE id > 9;
INSERT OVERWRITE t PARTITION (dt) SELECT id, upper(name), dt FROM s WHERE dt = '2024-01-02';
INSERT INTO t SELECT /*+ REPARTITION(3) */ id, name, dt FROM s DISTRIBUTE BY dt SORT BY id;
INSERT INTO t SELECT id, name, dt FROM s CLUSTER BY dt;
INSERT INTO t SELECT id, name FROM s;
INSERT INTO t SELECT nope, name, dt FROM s;
INSERT INTO t VALUES (1, 'a', DATE'2024-01-01'), (2, 'b');
INSERT INTO t VALUES (1 + 1, concat('a', 'b'), date_add(DATE'2024-01-01', 1));
SELECT dt, count(*), sum(id) FROM t GROUP BY dt ORDER BY dt;

-- == division-by-zero
CREATE TABLE t (id INT, d DOUBLE) USING parquet;
INSERT INTO t SELECT id / 0, 1 FROM range(3);
INSERT INTO t SELECT 1, id / 0 FROM range(3);
INSERT INTO t SELECT 1 / 0, 1;

-- == values-that-fail
CREATE TABLE t (id INT, b BOOLEAN) USING parquet;
INSERT INTO t VALUES (1, boolean('XXX'));
INSERT INTO t VALUES (CAST('x' AS INT), true);
INSERT INTO t VALUES (1 / 0, true);
INSERT INTO t VALUES (1, true), (2147483647 + 1, true);
SELECT * FROM VALUES (1, boolean('XXX'));

-- == subquery-in-values
CREATE TABLE t (id INT) USING parquet;
INSERT INTO t VALUES ((SELECT 1));

-- == multi-insert
CREATE TABLE a (x INT) USING parquet;
CREATE TABLE b (x INT) USING parquet;
FROM VALUES (1), (2), (3) AS v(x) INSERT INTO a SELECT x WHERE x < 3 INSERT INTO b SELECT x WHERE x > 1;
SELECT * FROM a;
SELECT * FROM b;

-- == case-sensitive
SET spark.sql.caseSensitive = true;
CREATE TABLE t (a INT, p INT) USING parquet PARTITIONED BY (p);
INSERT INTO t (A, p) VALUES (1, 1);
INSERT INTO t PARTITION (P = 1) VALUES (1);
INSERT INTO t BY NAME SELECT 1 AS A, 1 AS p;
INSERT INTO t BY NAME SELECT 2 AS a, 1 AS p;

-- == schemas
CREATE SCHEMA s1 LOCATION '${D}/s1';
CREATE TABLE s1.t (a INT, k INT) USING parquet PARTITIONED BY (k);
INSERT INTO s1.t VALUES (1, 1);
INSERT OVERWRITE TABLE s1.t PARTITION (k = 1) VALUES (2);
SELECT * FROM s1.t;
USE s1;
INSERT INTO t VALUES (3, 3);
SELECT * FROM t ORDER BY a;

-- == dropped-and-made-again
CREATE TABLE t (a INT) USING parquet;
INSERT INTO t VALUES (1);
DROP TABLE t;
CREATE TABLE t (b STRING, k INT) USING parquet PARTITIONED BY (k);
INSERT INTO t VALUES ('x', 1);
ALTER TABLE t RENAME TO u;
INSERT INTO u VALUES ('y', 2);
