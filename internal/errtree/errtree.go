// Package errtree inspects the tree of errors that an error wraps. It is for tests.
package errtree

import (
	"reflect"
	"strings"
)

// Engine is the import path of the WASM engine's module.
const Engine = "github.com/tetratelabs/wazero"

// From searches err's tree for errors whose type is declared in the package path or a package below
// it. It returns the type and the message of each such error.
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
