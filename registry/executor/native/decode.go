package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// decode reads checked arguments into a Go value. What the schema lets pass and the type
// does not hold is a fault of the arguments: an integer of more than 64 bits, say.
func decode(arguments json.RawMessage, into any) error {
	err := decodeExactly(arguments, into)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		// To a schema 80.0 and 8e1 are integers, to Go they are not.
		err = decodeExactly(plainIntegers(arguments), into)
	}
	if err == nil {
		return nil
	}
	fault := tool.Fault{Kind: tool.FaultConstraint, Message: "the arguments do not have the form that the tool takes"}
	if errors.As(err, &misfit) {
		fault.Pointer = "/" + strings.ReplaceAll(misfit.Field, ".", "/")
		fault.Message = misfit.Field + ": a " + misfit.Value + " does not fit here; give a smaller or simpler value"
	}
	return (&tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + fault.Message, Recoverable: true,
		Details: tool.Details{Faults: []tool.Fault{fault}},
	}).WithCause(err)
}

// decodeExactly keeps the digits of numbers where the type does not say how to hold them.
func decodeExactly(raw json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// plainIntegers writes the integers among the numbers of a JSON text as digits alone. The
// text is valid, and its exponents are bounded.
func plainIntegers(raw json.RawMessage) json.RawMessage {
	var out []byte
	for i := 0; i < len(raw); {
		end := i + 1
		switch c := raw[i]; {
		case c == '"':
			for raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			end++
		case c == '-' || c >= '0' && c <= '9':
			for end < len(raw) && strings.IndexByte("+-.0123456789eE", raw[end]) >= 0 {
				end++
			}
			if digits := plainInteger(string(raw[i:end])); digits != "" {
				out = append(out, digits...)
				i = end
				continue
			}
		}
		out = append(out, raw[i:end]...)
		i = end
	}
	return out
}

// plainInteger returns the digits of a number that is an integer of a size that some type
// holds, or "".
func plainInteger(literal string) string {
	// Exact arithmetic is for few numbers only: large exponents make it slow.
	size, err := strconv.ParseFloat(literal, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	switch {
	case strings.Trim(mantissa, "-0.") == "":
		return "0"
	case err != nil || math.Abs(size) < 1 || math.Abs(size) > math.MaxUint64:
		return ""
	}
	number, ok := new(big.Rat).SetString(literal)
	if !ok || !number.IsInt() {
		return ""
	}
	return number.Num().String()
}

// resultOf turns what a function gave into a Result.
func resultOf(out any) (tool.Result, error) {
	var result tool.Result
	var err error
	switch out := out.(type) {
	case tool.Result:
		return out, nil
	case string:
		return tool.TextResult(out, nil)
	default:
		result, err = tool.JSONResult(out)
	}
	if err != nil {
		return result, (&tool.Error{Code: tool.CodeInvalidOutput, Message: "what the function gave cannot be written as JSON"}).WithCause(err)
	}
	return result, nil
}
