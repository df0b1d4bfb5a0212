// Package object is the built-in tool object: it reads, changes, merges and
// compares JSON objects.
package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// MaxOutput is the greatest length of a result, in bytes.
const MaxOutput = 1 << 20

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
func Operations() []string { return guest.Operations(operations) }

// Run writes the result to out as JSON on one line. The text of an error is
// written for a model.
func Run(args Args, out io.Writer) error {
	operation, err := guest.Operation(operations, args.Operation)
	if err != nil {
		return err
	}
	result, err := run(operation, args)
	if err != nil {
		return fmt.Errorf("%s: %w", args.Operation, err)
	}
	_, err = io.WriteString(out, result)
	return err
}

func run(operation func(call) (jsonvalue.Value, error), args Args) (string, error) {
	if args.Operation != "from_entries" {
		if err := expect("object", args.Object, jsonvalue.Object); err != nil {
			return "", err
		}
	}
	path, err := jsonvalue.ParsePath(args.Path)
	if err != nil {
		return "", fmt.Errorf("path: %w", err)
	}
	result, err := operation(call{args, args.Object, path})
	if err != nil {
		return "", err
	}
	text := result.String()
	if len(text) > MaxOutput {
		return "", fmt.Errorf("the result has %d bytes, and at most %d are allowed; do it in parts", len(text), MaxOutput)
	}
	return text, nil
}

// expect returns an error unless a parameter has a value of the kind.
func expect(parameter string, v jsonvalue.Value, kind jsonvalue.Kind) error {
	switch v.Kind() {
	case kind:
		return nil
	case jsonvalue.Absent:
		return fmt.Errorf("%s is missing; give an %v", parameter, kind)
	default:
		return fmt.Errorf("%s is of type %v; it must be an %v", parameter, v.Kind(), kind)
	}
}

var errNoPath = errors.New("path is missing; it says where, as in user.name, tags[0] or a JSON pointer (/user/name)")
