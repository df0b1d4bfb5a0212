package registry

import (
	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ValidateSpec tells whether Register would take a spec, apart from names that are taken:
// it checks names, schemas and the question, and registers nothing. The error is an
// *Error of the code invalid_manifest whose Details.Field names the field at fault.
func ValidateSpec(spec tool.Spec) error {
	_, err := definition.Compile(spec, nil)
	return err
}
