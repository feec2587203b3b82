package write

import (
	"crypto/rand"
	"time"
)

// crockford are the digits of a ULID.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newTxn makes the name of a transaction: a ULID, 48 bits of milliseconds since 1970 and 80 random bits in Crockford's base
// 32. Names sort by the time they were made, to the millisecond, and never repeat.
func newTxn(now time.Time) string {
	var b [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	rand.Read(b[6:]) // never fails: crypto/rand ends the process when the system has no randomness
	// 128 bits in 26 digits of 5: the first digit holds the 3 highest bits.
	var out [26]byte
	var hi, lo uint64
	for i := range 8 {
		hi = hi<<8 | uint64(b[i])
		lo = lo<<8 | uint64(b[8+i])
	}
	for i := 25; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}
