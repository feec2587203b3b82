//go:build !linux

package local

import "errors"

func renameNoReplace(from, to string) error { return renameChecked(from, to) }

func exchange(string, string) error { return errors.ErrUnsupported }
