package storage

import (
	"crypto/rand"
	"strings"
)

// Names of what Tarn makes for a moment, which a crash may leave. The leading dot hides them from every reader, and no other
// program gives such names: VACUUM may remove what bears one and is old.
const (
	unfinishedPrefix, unfinishedSuffix = ".tarn-", ".tmp"
	probePrefix                        = ".tarn-probe-"
)

// UnfinishedName is a new name, without a directory, for a file that gets its own name when it is whole.
func UnfinishedName() string { return unfinishedPrefix + rand.Text() + unfinishedSuffix }

// IsUnfinished reports whether a file's name, without its directory, is one that UnfinishedName gives.
func IsUnfinished(name string) bool {
	return strings.HasPrefix(name, unfinishedPrefix) && strings.HasSuffix(name, unfinishedSuffix)
}

// IsProbe reports whether a directory's name is that of one with which CanExchange tries whether directories can be exchanged.
func IsProbe(name string) bool { return strings.HasPrefix(name, probePrefix) }
