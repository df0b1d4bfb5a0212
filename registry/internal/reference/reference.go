// Package reference replaces references in the arguments of a call with the strings that they refer
// to.
package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// reference matches a JSON string that is exactly "${NAME}", without escapes.
var reference = regexp.MustCompile(`"\$\{([A-Za-z_][A-Za-z0-9_.-]{0,127})\}"`)

// MaxReferences limits the references in the arguments of one call, because a lookup may be slow.
const MaxReferences = 1000

// Lookup returns the text for a name. If it returns false for found, the argument stays
// unchanged.
type Lookup func(name string) (text string, found bool, err error)

// Expand replaces references in the arguments of a call with their texts. A reference is a value,
// at any depth, that is exactly the string "${NAME}". Expand ignores references within longer
// strings, in names of fields, and in the texts that it inserts. It returns arguments that are not
// strict JSON unchanged; the caller reports what is wrong with them.
//
// Expand returns errors of lookup. If there are more than MaxReferences references, or if the
// result would be too long for arguments, it fails with an *Error with the code invalid_argument.
func Expand(arguments json.RawMessage, lookup Lookup) (json.RawMessage, error) {
	if !bytes.Contains(arguments, []byte(`"${`)) {
		return arguments, nil
	}
	if _, err := jsontree.Parse(arguments, jsontree.Document("the arguments")); err != nil {
		return arguments, nil
	}
	var out []byte
	done, replaced := 0, 0
	for _, at := range reference.FindAllSubmatchIndex(arguments, -1) {
		begin, end := at[0], at[1]
		if !isValue(arguments, begin, end) {
			continue
		}
		text, found, err := lookup(string(arguments[at[2]:at[3]]))
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if replaced++; replaced > MaxReferences {
			return nil, Invalid(tool.ViolationLimit, fmt.Sprintf("the arguments have more than %d references to results and variables", MaxReferences))
		}
		out = append(append(out, arguments[done:begin]...), plainjson.String(text)...)
		done = end
		if len(out) > jsontree.MaxBytes {
			return nil, Invalid(tool.ViolationLimit, "the arguments are too long once references are replaced; pass only a part of the text")
		}
	}
	return append(out, arguments[done:]...), nil
}

// isValue reports whether a match in strict JSON is a value. If a backslash precedes the match, it
// is inside a string. If a colon follows, the match is the name of a field.
func isValue(text []byte, begin, end int) bool {
	if begin > 0 && text[begin-1] == '\\' {
		return false
	}
	after := bytes.TrimLeft(text[end:], " \t\r\n")
	return len(after) == 0 || after[0] != ':'
}

// Invalid returns the error for an invalid reference in arguments.
func Invalid(kind, message string) error {
	return &tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{{Kind: kind, Message: message}}},
	}
}
