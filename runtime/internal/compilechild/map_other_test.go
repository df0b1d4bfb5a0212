//go:build !linux

package compilechild

import "errors"

func mapMemory() error { return errors.New("not here") }
