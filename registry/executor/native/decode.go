package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// decode reads checked arguments into a Go value. What the schema lets pass and the type
// does not hold is a fault of the arguments: an integer of more than 64 bits, say.
func decode(arguments json.RawMessage, into any) error {
	err := decodeExactly(arguments, into)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		// To a schema 80.0 and 8e1 are integers, to Go they are not.
		if v, invalid := jsontree.Parse(arguments, jsontree.Document("the arguments")); invalid == nil {
			plainIntegers(&v)
			err = decodeExactly(v.JSON(), into)
		}
	}
	if err == nil {
		return nil
	}
	fault := tool.Violation{Kind: tool.ViolationConstraint, Message: "the arguments do not have the form that the tool takes"}
	if errors.As(err, &misfit) {
		fault.Pointer = "/" + strings.ReplaceAll(misfit.Field, ".", "/")
		fault.Message = misfit.Field + ": a " + misfit.Value + " does not fit here; give a smaller or simpler value"
	}
	return (&tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + fault.Message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{fault}},
	}).WithCause(err)
}

// decodeExactly keeps the digits of numbers where the type does not say how to hold them.
func decodeExactly(raw json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// plainIntegers writes the integers among the numbers of a value as digits alone, but for those
// that no type of Go holds.
func plainIntegers(v *jsontree.Value) {
	if v.Types() == jsontype.Integer {
		if plain := jsontree.PlainNumber(v.Literal); !strings.Contains(plain, "e") {
			v.Literal = plain
		}
	}
	for i := range v.Members {
		plainIntegers(&v.Members[i].Value)
	}
	for i := range v.Items {
		plainIntegers(&v.Items[i])
	}
}

// resultOf turns what a function gave into a Result.
func resultOf(out any) (tool.Result, error) {
	switch out := out.(type) {
	case tool.Result:
		return out, nil
	case string:
		return tool.TextResult(out, nil)
	}
	result, err := tool.JSONResult(out)
	if err != nil {
		return result, tool.Errorf(tool.CodeInvalidOutput, "what the function gave cannot be written as JSON").WithCause(err)
	}
	return result, nil
}
