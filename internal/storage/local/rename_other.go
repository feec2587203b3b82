//go:build !linux

package local

func renameNoReplace(from, to string) error { return renameChecked(from, to) }
