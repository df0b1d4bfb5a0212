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

// decode reads validated arguments into a Go value. A value that the schema allows but the Go type
// cannot represent is an invalid argument; for example, an integer of more than 64 bits.
func decode(arguments json.RawMessage, into any) error {
	err := decodeExactly(arguments, into)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		// JSON Schema accepts 80.0 and 8e1 as integers; encoding/json does not.
		if v, invalid := jsontree.Parse(arguments, jsontree.Document("the arguments")); invalid == nil {
			plainIntegers(&v)
			err = decodeExactly(v.JSON(), into)
		}
	}
	if err == nil {
		return nil
	}
	violation := tool.Violation{Kind: tool.ViolationConstraint, Message: "the arguments do not have the form that the tool expects"}
	if errors.As(err, &misfit) {
		violation.Pointer = "/" + strings.ReplaceAll(misfit.Field, ".", "/")
		violation.Message = misfit.Field + ": a " + misfit.Value + " does not fit here; give a smaller or simpler value"
	}
	return (&tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + violation.Message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{violation}},
	}).WithCause(err)
}

// decodeExactly keeps the digits of numbers: where the type is any, it decodes to json.Number.
func decodeExactly(raw json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// plainIntegers changes the notation of integers in a value: 8e1 and 80.0 become 80. It does not
// change integers that are too large for any integer type of Go.
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

// resultOf converts the return value of a function into a Result.
func resultOf(out any) (tool.Result, error) {
	switch out := out.(type) {
	case tool.Result:
		return out, nil
	case string:
		return tool.TextResult(out, nil)
	}
	result, err := tool.JSONResult(out)
	if err != nil {
		return result, tool.Errorf(tool.CodeInvalidOutput, "the return value of the function cannot be encoded as JSON").WithCause(err)
	}
	return result, nil
}
