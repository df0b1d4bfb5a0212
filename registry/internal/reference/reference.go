// Package reference replaces references in the arguments of a call with the strings that they refer
// to.
package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const pattern = `\$\{([A-Za-z_][A-Za-z0-9_.-]{0,127})\}`

var (
	whole = lazyregexp.New(`^` + pattern + `$`)
	part  = lazyregexp.New(`\$?` + pattern) // "$${NAME}" is an escaped reference
)

// MaxReferences limits the references in the arguments of one call, because a lookup may be slow.
const MaxReferences = 1000

// Lookup returns the text for a name. If it returns false for found, the reference stays
// unchanged.
type Lookup func(name string) (text string, found bool, err error)

// Rules decide which references Expand replaces.
type Rules struct {
	// Whole finds the text of a value that is exactly the string "${NAME}"; required.
	Whole Lookup
	// Part finds the text of a reference within a longer string, where "$${NAME}" stands for the
	// string "${NAME}". Nil leaves longer strings unchanged.
	Part Lookup
	// Keeps reports whether a top-level argument stays unchanged, with everything in it.
	Keeps func(name string) bool
}

// Expand replaces references in the arguments of a call with their texts, at any depth. It ignores
// references in names of fields and in the texts that it inserts. It returns arguments that are not
// strict JSON unchanged; the caller reports what is wrong with them.
//
// Expand returns errors of lookups. If there are more than MaxReferences references, or if the
// result would be too long for arguments, it fails with an *Error with the code invalid_argument.
func Expand(arguments json.RawMessage, rules Rules) (json.RawMessage, error) {
	// The $ and the { of a reference may be escaped.
	if !bytes.Contains(arguments, []byte("${")) && !bytes.Contains(arguments, []byte(`\u00`)) {
		return arguments, nil
	}
	root, err := jsontree.Parse(arguments, jsontree.Document("the arguments"))
	if err != nil {
		return arguments, nil
	}
	e := expansion{rules: rules, bytes: len(arguments)}
	for i := range root.Members {
		if m := &root.Members[i]; !rules.Keeps(m.Name) {
			if err := e.expand(&m.Value); err != nil {
				return nil, err
			}
		}
	}
	if !e.changed {
		return arguments, nil
	}
	return root.JSON(), nil
}

// expansion is the state of one Expand.
type expansion struct {
	rules    Rules
	replaced int // the number of references
	bytes    int // an upper bound for the length of the arguments
	changed  bool
}

func (e *expansion) expand(v *jsontree.Value) error {
	for i := range v.Members {
		if err := e.expand(&v.Members[i].Value); err != nil {
			return err
		}
	}
	for i := range v.Items {
		if err := e.expand(&v.Items[i]); err != nil {
			return err
		}
	}
	if v.Kind != jsontree.String {
		return nil
	}
	text := v.Text()
	expanded, err := e.text(text)
	if err != nil || expanded == text {
		return err
	}
	old := len(v.Literal)
	*v, e.changed = *jsontree.NewString(expanded), true
	if e.bytes += len(v.Literal) - old; e.bytes > jsontree.MaxBytes {
		return errTooLong()
	}
	return nil
}

// text replaces the references in a string.
func (e *expansion) text(text string) (string, error) {
	if name := whole.Regexp().FindStringSubmatch(text); name != nil {
		return e.lookUp(e.rules.Whole, name[1], text)
	}
	if e.rules.Part == nil {
		return text, nil
	}
	var out strings.Builder
	done := 0
	for _, at := range part.Regexp().FindAllStringSubmatchIndex(text, -1) {
		inserted, escaped := strings.CutPrefix(text[at[0]:at[1]], "$$")
		if escaped {
			inserted = "$" + inserted
		} else {
			var err error
			if inserted, err = e.lookUp(e.rules.Part, text[at[2]:at[3]], inserted); err != nil {
				return "", err
			}
		}
		out.WriteString(text[done:at[0]])
		out.WriteString(inserted)
		done = at[1]
		if e.bytes+out.Len()-done > jsontree.MaxBytes {
			return "", errTooLong()
		}
	}
	out.WriteString(text[done:])
	return out.String(), nil
}

// lookUp returns the text of a reference, or the reference itself if it is not found.
func (e *expansion) lookUp(lookup Lookup, name, itself string) (string, error) {
	text, found, err := lookup(name)
	if err != nil || !found {
		return itself, err
	}
	if e.replaced++; e.replaced > MaxReferences {
		return "", Invalid(tool.ViolationLimit, fmt.Sprintf("the arguments have more than %d references to results and variables", MaxReferences))
	}
	return text, nil
}

func errTooLong() error {
	return Invalid(tool.ViolationLimit, "the arguments are too long once references are replaced; pass only a part of the text")
}

// Invalid returns the error for an invalid reference in arguments.
func Invalid(kind, message string) error {
	return &tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + message, Recoverable: true,
		Details: tool.Details{Violations: []tool.Violation{{Kind: kind, Message: message}}},
	}
}
