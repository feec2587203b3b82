package catalog

import (
	"crypto/rand"
	"encoding/hex"
)

// NewID makes the identifier of a new securable: a random (version 4) UUID as RFC 9562 writes it. It is random rather
// than ordered by time because the directory of a managed table carries its first eight digits, which have to differ
// between two tables made in the same minute.
func NewID() ID {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process when the system has no randomness
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	out[8] = '-'
	hex.Encode(out[9:13], b[4:6])
	out[13] = '-'
	hex.Encode(out[14:18], b[6:8])
	out[18] = '-'
	hex.Encode(out[19:23], b[8:10])
	out[23] = '-'
	hex.Encode(out[24:36], b[10:16])
	return ID(out[:])
}

// short is the part of an identifier that a managed directory carries.
func (id ID) short() string {
	if len(id) <= 8 {
		return string(id)
	}
	return string(id[:8])
}
