// Package delta holds the Delta protocol as pure functions of names and bytes: the actions of a log, the names of its
// files, which of them make up a version, the state that they add up to, checkpoints, statistics, deletion vectors,
// schemas with their metadata, and whether two commits can live together.
//
// It does no I/O, knows no clock and takes no context: callers hand it bytes or an io.ReaderAt and say what time it is. It
// imports the vocabulary, a Parquet library and a library of bitmaps; never storage, catalog or engine. internal/delta
// keeps the log of one table with it.
//
// Rules are those of the Delta protocol's text; where the text leaves room, what Spark writes.
package delta
