// Package reference puts texts in the place of the references to them that arguments of a
// call hold.
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

// reference is a string that is exactly "${NAME}", in exactly this spelling.
var reference = regexp.MustCompile(`"\$\{([A-Za-z_][A-Za-z0-9_.-]{0,127})\}"`)

// MaxReferences is how many texts the arguments of one call may refer to: a lookup may take
// long.
const MaxReferences = 1000

// Lookup returns the text that a name stands for. It is false for a name that means nothing
// here: then the argument stays what it is.
type Lookup func(name string) (text string, found bool, err error)

// Expand puts texts in the place of the references to them among the arguments of a call:
// values, at any depth, that are exactly the string "${NAME}". Parts of strings and names of
// fields are left as they are, and so is what a text holds. Arguments that are no strict JSON
// come back unchanged, for who checks them to say why.
//
// The error is that of lookup, or an *Error of the code invalid_argument when the arguments
// would get longer than arguments may be, or refer to more than MaxReferences texts.
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
			return nil, Invalid(tool.ViolationLimit, fmt.Sprintf("the arguments refer to more than %d results and variables", MaxReferences))
		}
		out = append(append(out, arguments[done:begin]...), plainjson.String(text)...)
		done = end
		if len(out) > jsontree.MaxBytes {
			return nil, Invalid(tool.ViolationLimit, "the arguments would be too long with what they refer to; hand on a part of it")
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

// Invalid is the error of arguments with a reference that does not hold.
func Invalid(kind, message string) error {
	return &tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{{Kind: kind, Message: message}}},
	}
}
