package results

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// handlePrefix begins each handle.
const handlePrefix = "result_"

// reference is an argument that stands for a kept text: a string that is exactly
// "${result_...}", in exactly this spelling.
var reference = regexp.MustCompile(`"\$\{(result_[A-Z2-7]{26})\}"`)

// Expand puts kept texts in the place of the references to them among the arguments of a
// call: values, at any depth, that are exactly the string "${HANDLE}". Parts of strings and
// names of fields are left as they are, and so is what a text holds. Arguments that are no
// strict JSON come back unchanged, for who checks them to say why.
//
// The error is an *Error of the code invalid_argument: for a handle that the owner does not
// have, or when the arguments would get longer than arguments may be.
func (s *Store) Expand(owner Owner, arguments json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(arguments, []byte("${"+handlePrefix)) || jsonschema.ParseStrict(arguments) != nil {
		return arguments, nil
	}
	var out []byte
	done := 0
	for _, at := range reference.FindAllSubmatchIndex(arguments, -1) {
		begin, end := at[0], at[1]
		if !isValue(arguments, begin, end) {
			continue
		}
		text, err := s.Text(owner, string(arguments[at[2]:at[3]]))
		if err != nil {
			return nil, invalid(tool.FaultConstraint, err.Error())
		}
		quoted, err := tool.TextResult("", text) // its details are the text as JSON
		if err != nil {
			return nil, err
		}
		out = append(append(out, arguments[done:begin]...), quoted.Structured...)
		done = end
		if len(out) > jsonschema.MaxDocumentBytes {
			return nil, invalid(tool.FaultLimit, "the arguments would be too long with the results that they refer to; hand on a part of them")
		}
	}
	return append(out, arguments[done:]...), nil
}

// isValue reports whether a match in strict JSON is a value: its first quote does not stand
// within a string, where it would be escaped, and it is not the name of a field.
func isValue(text []byte, begin, end int) bool {
	if begin > 0 && text[begin-1] == '\\' {
		return false
	}
	after := bytes.TrimLeft(text[end:], " \t\r\n")
	return len(after) == 0 || after[0] != ':'
}

func invalid(kind, message string) error {
	return &tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + message, Recoverable: true,
		Details: tool.Details{Faults: []tool.Fault{{Kind: kind, Message: message}}},
	}
}
