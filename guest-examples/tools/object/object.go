// Package object implements the built-in tool object, which reads, changes, merges and compares
// JSON objects.
package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// Operation is the operation of a call.
type Operation string

// Args are the arguments of object. Operation decides which of them are used.
type Args struct {
	Operation Operation `json:"operation"`
	// Object is the object to use. Only the operation from_entries does not use it: it takes
	// Entries.
	Object jsonvalue.Value `json:"object"`
	// Path is a path in the object, in the syntax of jsonvalue.ParsePath; "" means the whole
	// object.
	Path string `json:"path"`
	// Value is the new value for the operation set.
	Value jsonvalue.Value `json:"value"`
	// Other is the second object of merge, deep_merge and diff.
	Other jsonvalue.Value `json:"other"`
	// Keys are the paths that pick keeps and omit removes.
	Keys []string `json:"keys"`
	// Names maps the old names of members to new ones, for rename.
	Names jsonvalue.Value `json:"names"`
	// Entries are the pairs for from_entries.
	Entries jsonvalue.Value `json:"entries"`
	// Separator joins the names for flatten and splits them for unflatten; nil means ".".
	Separator *string `json:"separator"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Object: " + string(a.Operation), nil
}

// call is a call whose arguments have been decoded.
type call struct {
	Args
	object jsonvalue.Value
	path   jsonvalue.Path
}

// operations are all supported operations.
var operations = map[Operation]func(call) (jsonvalue.Value, error){
	"get":          get,
	"set":          set,
	"delete":       remove,
	"has":          has,
	"keys":         keys,
	"values":       values,
	"entries":      entries,
	"from_entries": fromEntries,
	"merge":        merge,
	"deep_merge":   deepMerge,
	"diff":         diff,
	"pick":         pick,
	"omit":         omit,
	"rename":       rename,
	"flatten":      flatten,
	"unflatten":    unflatten,
}

// Operations returns the names of all operations in alphabetical order.
func Operations() []string { return toolabi.Operations(operations) }

// Run writes the result to out as JSON on one line. The message of an error is written for a model.
func Run(args Args, out io.Writer) error {
	return valuetool.Run(operations, args.Operation, args.read, out)
}

// read decodes the arguments.
func (a Args) read() (call, error) {
	if a.Operation != "from_entries" {
		if err := valuetool.Expect("object", a.Object, jsonvalue.Object); err != nil {
			return call{}, err
		}
	}
	path, err := jsonvalue.ParsePath(a.Path)
	if err != nil {
		return call{}, fmt.Errorf("path: %w", err)
	}
	return call{a, a.Object, path}, nil
}

var errNoPath = errors.New(`the argument "path" is missing; give a path such as user.name, tags[0] or a JSON pointer (/user/name)`)
