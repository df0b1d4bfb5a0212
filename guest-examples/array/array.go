// Package array is the built-in tool array: it sorts, cuts, combines, groups and
// sums up the items of a JSON array.
package array

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
	Start guest.Int  `json:"start"`
	End   *guest.Int `json:"end"`
	// Step is that of range; nil means 1.
	Step *guest.Int `json:"step"`
	// Count is how many items first and last give, as an array; nil means one,
	// alone. For chunk it is how many items a chunk has.
	Count *guest.Int `json:"count"`
	// Depth is how many levels flatten takes away; nil means one.
	Depth *guest.Int `json:"depth"`
}

// call is a call with its arguments read.
type call struct {
	Args
	items []jsonvalue.Value
	other []jsonvalue.Value // nil if not given
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
	c := call{Args: args, items: args.Items.Items(), other: args.Other.Items()}
	if args.Items.Kind() != jsonvalue.Array && args.Operation != "range" {
		return "", notAnArray("items", args.Items)
	}
	if kind := args.Other.Kind(); kind != jsonvalue.Array && kind != jsonvalue.Absent {
		return "", notAnArray("other", args.Other)
	}
	var err error
	if c.path, err = jsonvalue.ParsePath(args.Path); err != nil {
		return "", fmt.Errorf("path: %w", err)
	}
	result, err := operation(c)
	if err != nil {
		return "", err
	}
	text := result.String()
	if len(text) > MaxOutput {
		return "", fmt.Errorf("the result has %d bytes, and at most %d are allowed; do it in parts", len(text), MaxOutput)
	}
	return text, nil
}

func notAnArray(parameter string, v jsonvalue.Value) error {
	if v.Kind() == jsonvalue.Absent {
		return fmt.Errorf("%s is missing; give an array", parameter)
	}
	return fmt.Errorf("%s is of type %v; it must be an array", parameter, v.Kind())
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
	if c.other == nil {
		return nil, notAnArray("other", c.Other)
	}
	return c.other, nil
}

// wanted returns value.
func (c call) wanted() (jsonvalue.Value, error) {
	if c.Value.Kind() == jsonvalue.Absent {
		return jsonvalue.Value{}, errors.New("value is missing; it is what to compare with")
	}
	return c.Value, nil
}
