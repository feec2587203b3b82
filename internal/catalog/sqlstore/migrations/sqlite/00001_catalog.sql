-- +goose Up
-- docs/format/catalog.md says what every column holds.

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('min_reader', '1'), ('min_writer', '1');

CREATE TABLE catalogs (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    fold       TEXT    NOT NULL UNIQUE,
    owner      TEXT    NOT NULL,
    comment    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT    NOT NULL,
    rules      TEXT    NOT NULL,
    location   TEXT    NOT NULL,
    loc_key    TEXT
) STRICT;

CREATE INDEX catalogs_loc ON catalogs (loc_key);

CREATE TABLE schemas (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    fold       TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    comment    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT    NOT NULL,
    catalog_id TEXT    NOT NULL REFERENCES catalogs (id),
    location   TEXT    NOT NULL,
    loc_key    TEXT,
    properties TEXT    NOT NULL,
    UNIQUE (catalog_id, fold)
) STRICT;

CREATE INDEX schemas_loc ON schemas (loc_key);

CREATE TABLE tables (
    id               TEXT    NOT NULL PRIMARY KEY,
    name             TEXT    NOT NULL,
    fold             TEXT    NOT NULL,
    owner            TEXT    NOT NULL,
    comment          TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    created_by       TEXT    NOT NULL,
    updated_at       INTEGER NOT NULL,
    updated_by       TEXT    NOT NULL,
    schema_id        TEXT    NOT NULL REFERENCES schemas (id),
    kind             TEXT    NOT NULL,
    format           TEXT    NOT NULL,
    location         TEXT    NOT NULL,
    loc_key          TEXT,
    columns          TEXT    NOT NULL,
    partition        TEXT    NOT NULL,
    mode             TEXT    NOT NULL,
    options          TEXT    NOT NULL,
    properties       TEXT    NOT NULL,
    version          INTEGER NOT NULL,
    view_text        TEXT    NOT NULL,
    view_catalog     TEXT    NOT NULL,
    view_schema      TEXT    NOT NULL,
    infer_partitions INTEGER NOT NULL,
    UNIQUE (schema_id, fold)
) STRICT;

CREATE INDEX tables_loc ON tables (loc_key);

CREATE TABLE volumes (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    fold       TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    comment    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT    NOT NULL,
    schema_id  TEXT    NOT NULL REFERENCES schemas (id),
    kind       TEXT    NOT NULL,
    location   TEXT    NOT NULL,
    loc_key    TEXT,
    UNIQUE (schema_id, fold)
) STRICT;

CREATE INDEX volumes_loc ON volumes (loc_key);

CREATE TABLE external_locations (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    fold       TEXT    NOT NULL UNIQUE,
    owner      TEXT    NOT NULL,
    comment    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT    NOT NULL,
    location   TEXT    NOT NULL,
    loc_key    TEXT
) STRICT;

CREATE INDEX external_locations_loc ON external_locations (loc_key);

CREATE TABLE snapshots (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id TEXT    NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    columns  TEXT    NOT NULL,
    rows     INTEGER NOT NULL,
    UNIQUE (table_id, version)
) STRICT;

CREATE TABLE segments (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id     TEXT    NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    from_version INTEGER NOT NULL,
    to_version   INTEGER NOT NULL,
    delta        INTEGER NOT NULL,
    written      INTEGER NOT NULL,
    rows         INTEGER NOT NULL,
    first        BLOB    NOT NULL,
    zones        BLOB    NOT NULL
) STRICT;

CREATE INDEX segments_live ON segments (table_id, to_version, from_version);

-- The bytes are apart so that ending a segment's validity does not rewrite them.
CREATE TABLE segment_data (
    id    INTEGER PRIMARY KEY REFERENCES segments (id) ON DELETE CASCADE,
    bytes BLOB    NOT NULL
) STRICT;

CREATE TABLE history (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id   TEXT    NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor      TEXT    NOT NULL,
    operation  TEXT    NOT NULL,
    statement  TEXT    NOT NULL,
    added      INTEGER NOT NULL,
    dropped    INTEGER NOT NULL,
    changed    INTEGER NOT NULL,
    parameters TEXT    NOT NULL
) STRICT;

CREATE INDEX history_table ON history (table_id, id);

CREATE TABLE pendings (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT    NOT NULL UNIQUE,
    kind     TEXT    NOT NULL,
    from_loc TEXT    NOT NULL,
    to_loc   TEXT    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;

PRAGMA application_id = 1415672430;
PRAGMA user_version = 1;
