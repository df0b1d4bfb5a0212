//go:build !linux

package child

import "errors"

func mapMemory() error { return errors.New("not supported here") }
