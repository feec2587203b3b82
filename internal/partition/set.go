package partition

// Set is all partitions of one table at one version. It is immutable.
type Set struct{}

// Changes is what a commit does to a Set.
type Changes struct{}
