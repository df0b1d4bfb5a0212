// Package object is the built-in tool object: it reads, changes, merges and
// compares JSON objects.
package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// Operation is what a call does.
type Operation string

// Args are the arguments of object. Which of them count depends on Operation.
type Args struct {
	Operation Operation `json:"operation"`
	// Object is the object; entries are made into one by from_entries.
	Object jsonvalue.Value `json:"object"`
	// Path is a place in the object, as jsonvalue.ParsePath reads it; "" is all
	// of it.
	Path string `json:"path"`
	// Value is what set puts there.
	Value jsonvalue.Value `json:"value"`
	// Other is the second object of merge, deep_merge and diff.
	Other jsonvalue.Value `json:"other"`
	// Keys are the paths that pick keeps and omit leaves out.
	Keys []string `json:"keys"`
	// Names maps the old names of members to new ones, for rename.
	Names jsonvalue.Value `json:"names"`
	// Entries are the pairs that from_entries makes an object of.
	Entries jsonvalue.Value `json:"entries"`
	// Separator joins the names of flatten and parts those of unflatten; nil
	// means ".".
	Separator *string `json:"separator"`
}

// call is a call with its arguments read.
type call struct {
	Args
	object jsonvalue.Value
	path   jsonvalue.Path
}

// operations are all there are.
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

// Operations returns the names of all operations in their order.
func Operations() []string { return toolabi.Operations(operations) }

// Run writes the result to out as JSON on one line. The text of an error is
// written for a model.
func Run(args Args, out io.Writer) error {
	return valuetool.Run(operations, args.Operation, args.read, out)
}

// read returns the call of the arguments.
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

var errNoPath = errors.New("path is missing; it says where, as in user.name, tags[0] or a JSON pointer (/user/name)")
