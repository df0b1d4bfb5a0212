// Package array implements the built-in tool array, which sorts, slices, combines, groups and
// aggregates the items of a JSON array.
package array

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

// Args are the arguments of array. Operation decides which of them are used.
type Args struct {
	Operation Operation `json:"operation"`
	// Items is the array; every operation except range needs it.
	Items jsonvalue.Value `json:"items"`
	// Other is the second array, for operations that take two.
	Other jsonvalue.Value `json:"other"`
	// Path is the path of the value in each item; "" means the item itself.
	Path string `json:"path"`
	// Value is the value that the operations contains, index_of and filter compare with.
	Value jsonvalue.Value `json:"value"`
	// Compare is the comparison of filter; "" means Equal.
	Compare Comparison `json:"compare"`
	// Descending sorts in descending order, with the largest item first.
	Descending bool `json:"descending"`
	// Start and End select the items from index Start up to, but not including, index End. Indices
	// begin at 0; negative indices are relative to the end. The operation range returns the numbers
	// from Start up to, but not including, End.
	Start toolabi.Int  `json:"start"`
	End   *toolabi.Int `json:"end"`
	// Step is the step of range; nil means 1.
	Step *toolabi.Int `json:"step"`
	// Count is the number of items that first and last return as an array; nil means the single
	// item. For chunk it is the number of items in a chunk.
	Count *toolabi.Int `json:"count"`
	// Depth is the number of levels that flatten removes; nil means 1.
	Depth *toolabi.Int `json:"depth"`
}

// Announce returns what to show while the call runs.
func (a Args) Announce() (title string, metadata map[string]any) {
	return "Array: " + string(a.Operation), nil
}

// call is a call whose arguments have been decoded.
type call struct {
	Args
	items []jsonvalue.Value
	other []jsonvalue.Value
	path  jsonvalue.Path
}

// operations are all supported operations.
var operations = map[Operation]func(call) (jsonvalue.Value, error){
	"sort":       sorted,
	"reverse":    reverse,
	"unique":     unique,
	"slice":      slice,
	"first":      first,
	"last":       last,
	"chunk":      chunk,
	"flatten":    flatten,
	"range":      numbers,
	"concat":     concat,
	"zip":        zip,
	"union":      union,
	"intersect":  intersect,
	"difference": difference,
	"pluck":      pluck,
	"filter":     filter,
	"group_by":   groupBy,
	"count_by":   countBy,
	"length":     length,
	"contains":   contains,
	"index_of":   indexOf,
	"min":        least,
	"max":        greatest,
	"sum":        sum,
	"avg":        average,
}

// Operations returns the names of all operations in alphabetical order.
func Operations() []string { return toolabi.Operations(operations) }

// Run writes the result to out as JSON on one line. The message of an error is written for a model.
func Run(args Args, out io.Writer) error {
	return valuetool.Run(operations, args.Operation, args.read, out)
}

// read decodes the arguments.
func (a Args) read() (call, error) {
	c := call{Args: a, items: a.Items.Items(), other: a.Other.Items()}
	if a.Operation != "range" {
		if err := valuetool.Expect("items", a.Items, jsonvalue.Array); err != nil {
			return call{}, err
		}
	}
	if a.Other.Kind() != jsonvalue.Absent {
		if err := valuetool.Expect("other", a.Other, jsonvalue.Array); err != nil {
			return call{}, err
		}
	}
	var err error
	if c.path, err = jsonvalue.ParsePath(a.Path); err != nil {
		return call{}, fmt.Errorf("path: %w", err)
	}
	return c, nil
}

var errNoItems = errors.New(`the argument "items" is empty, so it has no first, last, smallest or largest item`)

// at returns the value at Path in the item, or null if the item has no such value.
func (c call) at(item jsonvalue.Value) jsonvalue.Value {
	v, ok := item.Get(c.path)
	if !ok {
		return jsonvalue.NewNull()
	}
	return v
}

// second returns the items of the array Other.
func (c call) second() ([]jsonvalue.Value, error) {
	return c.other, valuetool.Expect("other", c.Other, jsonvalue.Array)
}

// wanted returns the argument Value.
func (c call) wanted() (jsonvalue.Value, error) {
	if c.Value.Kind() == jsonvalue.Absent {
		return jsonvalue.Value{}, errors.New(`the argument "value" is missing; give the value to compare with`)
	}
	return c.Value, nil
}
