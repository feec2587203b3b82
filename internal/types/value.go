package types

import "math/big"

// Value is one SQL value. nil is NULL; otherwise the Go type follows from the SQL type:
//
//	BOOLEAN                        bool
//	TINYINT … BIGINT               int64
//	FLOAT, DOUBLE                  float64 (a FLOAT holds a value that a float32 can hold exactly)
//	DECIMAL                        Dec
//	STRING, CHAR, VARCHAR          string
//	BINARY                         Bytes
//	DATE                           int64, days since 1970-01-01 (proleptic Gregorian)
//	TIMESTAMP                      int64, microseconds since 1970-01-01 00:00:00 UTC
//	TIMESTAMP_NTZ                  int64, microseconds since 1970-01-01 00:00:00 of the wall clock
//	TIME                           int64, microseconds since midnight
//	INTERVAL YEAR … MONTH          int64, months
//	INTERVAL DAY … SECOND          int64, microseconds
//	INTERVAL (calendar)            Interval
//	ARRAY                          []Value
//	MAP                            []MapEntry, in insertion order
//	STRUCT                         []Value, in field order
//
// A Value does not know its type: the two always travel together.
type Value any

// Bytes is a BINARY value. It is a string so that values are comparable and immutable.
type Bytes string

// Dec is a DECIMAL value: Unscaled × 10^-Scale.
type Dec struct {
	Unscaled *big.Int
	Scale    int
}

// MapEntry is one entry of a MAP value.
type MapEntry struct{ Key, Value Value }
