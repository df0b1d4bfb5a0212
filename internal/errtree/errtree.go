// Package errtree looks through the errors that an error wraps, for tests.
package errtree

import (
	"reflect"
	"strings"
)

// Engine is the path of the WASM engine's packages.
const Engine = "github.com/tetratelabs/wazero"

// From returns the types of the errors in err's tree that packages below a path have, each
// with its text.
func From(err error, path string) []string {
	if err == nil {
		return nil
	}
	var found []string
	kind := reflect.TypeOf(err)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if pkg := kind.PkgPath(); pkg == path || strings.HasPrefix(pkg, path+"/") {
		found = append(found, kind.String()+": "+err.Error())
	}
	switch wraps := err.(type) {
	case interface{ Unwrap() error }:
		found = append(found, From(wraps.Unwrap(), path)...)
	case interface{ Unwrap() []error }:
		for _, err := range wraps.Unwrap() {
			found = append(found, From(err, path)...)
		}
	}
	return found
}
