-- +goose Up
-- docs/format/catalog.md says what every column holds.

-- Transactions outlive their table: what they left on storage has to be found. So table_id is no reference.
CREATE TABLE txns (
    id           TEXT    NOT NULL PRIMARY KEY,
    table_id     TEXT    NOT NULL,
    table_name   TEXT    NOT NULL,
    location     TEXT    NOT NULL,
    operation    TEXT    NOT NULL,
    statement    TEXT    NOT NULL,
    actor        TEXT    NOT NULL,
    process      TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    epoch        INTEGER NOT NULL,
    base_version INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    strategy     TEXT    NOT NULL,
    touched      BLOB    NOT NULL,
    reason       TEXT    NOT NULL,
    began        INTEGER NOT NULL,
    changed      INTEGER NOT NULL
) STRICT;

CREATE INDEX txns_table ON txns (table_id, id);

-- Every start and every write looks for these few among the many that are finished.
CREATE INDEX txns_unfinished ON txns (id) WHERE state NOT IN ('DONE', 'ABORTED');

-- Plans are apart so that a list of transactions does not read them.
CREATE TABLE txn_plans (
    id    TEXT NOT NULL PRIMARY KEY REFERENCES txns (id) ON DELETE CASCADE,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE filesets (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id TEXT    NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    txn      TEXT    NOT NULL,
    bytes    BLOB    NOT NULL
) STRICT;

CREATE INDEX filesets_table ON filesets (table_id);

CREATE TABLE retired (
    txn      TEXT    NOT NULL PRIMARY KEY,
    table_id TEXT    NOT NULL,
    location TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    after    INTEGER NOT NULL,
    files    BLOB    NOT NULL
) STRICT;

CREATE INDEX retired_table ON retired (table_id, txn);

CREATE TABLE loads (
    table_id TEXT    NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    path     TEXT    NOT NULL,
    size     INTEGER NOT NULL,
    mod_time INTEGER,
    txn      TEXT    NOT NULL,
    PRIMARY KEY (table_id, path)
) STRICT, WITHOUT ROWID;

-- A Tarn of format 1 knows neither segments with recorded content nor what a write has left to do.
UPDATE meta SET value = '2' WHERE key IN ('min_reader', 'min_writer');

PRAGMA user_version = 2;
