package storage

// Bucket is the portable face of a store: what is common to all drivers is written once here.
type Bucket struct {
	driver Driver
	root   string
}
