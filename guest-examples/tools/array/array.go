// Package array is the built-in tool array: it sorts, cuts, combines, groups and
// sums up the items of a JSON array.
package array

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

// Args are the arguments of array. Which of them count depends on Operation.
type Args struct {
	Operation Operation `json:"operation"`
	// Items is the array; only range does without it.
	Items jsonvalue.Value `json:"items"`
	// Other is the second array of what takes two.
	Other jsonvalue.Value `json:"other"`
	// Path is where in each item the value lies that counts; "" is the item.
	Path string `json:"path"`
	// Value is what contains, index_of and filter compare with.
	Value jsonvalue.Value `json:"value"`
	// Compare is how filter compares; "" means Equal.
	Compare Comparison `json:"compare"`
	// Descending sorts from the greatest to the smallest.
	Descending bool `json:"descending"`
	// Start and End cut out a part, from 0, End being the first that is left
	// out. Negative ones count from the end, but not for range.
	Start toolabi.Int  `json:"start"`
	End   *toolabi.Int `json:"end"`
	// Step is that of range; nil means 1.
	Step *toolabi.Int `json:"step"`
	// Count is how many items first and last give, as an array; nil means one,
	// alone. For chunk it is how many items a chunk has.
	Count *toolabi.Int `json:"count"`
	// Depth is how many levels flatten takes away; nil means one.
	Depth *toolabi.Int `json:"depth"`
}

// call is a call with its arguments read.
type call struct {
	Args
	items []jsonvalue.Value
	other []jsonvalue.Value
	path  jsonvalue.Path
}

// operations are all there are.
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

// Operations returns the names of all operations in their order.
func Operations() []string { return toolabi.Operations(operations) }

// Run writes the result to out as JSON on one line. The text of an error is
// written for a model.
func Run(args Args, out io.Writer) error {
	return valuetool.Run(operations, args.Operation, args.read, out)
}

// read returns the call of the arguments.
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

var errNoItems = errors.New("items is empty, so there is none")

// at returns the value of an item that counts, which is null where there is
// nothing at the path.
func (c call) at(item jsonvalue.Value) jsonvalue.Value {
	v, ok := item.Get(c.path)
	if !ok {
		return jsonvalue.NewNull()
	}
	return v
}

// second returns the items of other.
func (c call) second() ([]jsonvalue.Value, error) {
	return c.other, valuetool.Expect("other", c.Other, jsonvalue.Array)
}

// wanted returns value.
func (c call) wanted() (jsonvalue.Value, error) {
	if c.Value.Kind() == jsonvalue.Absent {
		return jsonvalue.Value{}, errors.New("value is missing; it is what to compare with")
	}
	return c.Value, nil
}
