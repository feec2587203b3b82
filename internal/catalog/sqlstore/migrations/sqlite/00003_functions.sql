-- +goose Up
-- docs/format/catalog.md says what every column holds.

CREATE TABLE functions (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    fold        TEXT    NOT NULL,
    owner       TEXT    NOT NULL,
    comment     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    updated_at  INTEGER NOT NULL,
    updated_by  TEXT    NOT NULL,
    schema_id   TEXT    NOT NULL REFERENCES schemas (id),
    text        TEXT    NOT NULL,
    at_catalog  TEXT    NOT NULL,
    at_schema   TEXT    NOT NULL,
    returns     TEXT    NOT NULL,
    is_table    INTEGER NOT NULL,
    ansi        INTEGER NOT NULL,
    UNIQUE (schema_id, fold)
) STRICT;

-- A Tarn of format 2 may read and write the file: it knows nothing of functions, and cannot delete a schema that has some.

PRAGMA user_version = 3;
