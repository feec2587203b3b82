//go:build !linux

package local

import "errors"

func manySmall(int) bool { return false }

func wholeSystem([]string) ([]string, bool) { return nil, false }

func syncSystems([]string) error { return errors.ErrUnsupported }
