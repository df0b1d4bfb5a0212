package jsonschema

import (
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Kind says what sort of fault a [Fault] is.
type Kind string

// The kinds of faults.
const (
	// KindSyntax: the text is not strict JSON.
	KindSyntax Kind = "syntax"
	// KindMissing: a required value was not given.
	KindMissing Kind = "missing"
	// KindType: a value has another JSON type than the schema admits.
	KindType Kind = "type"
	// KindFormat: a string does not have the format asked for.
	KindFormat Kind = "format"
	// KindConstraint: any other rule of the schema is broken.
	KindConstraint Kind = "constraint"
	// KindUndeclared: the schema forbids fields that it does not declare.
	KindUndeclared Kind = "undeclared"
	// KindLimit: a ceiling of this package was reached. It also marks the last
	// entry of a list that was cut.
	KindLimit Kind = "limit"
)

// Fault is one thing that is wrong with a document.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) to the value, or to where a
	// missing value belongs. "" is the whole document.
	Pointer string
	// Kind classifies the fault.
	Kind Kind
	// Message names the parameter, what was expected and what was received.
	Message string
}

// Faults is everything that is wrong with a document, ordered by pointer and
// bounded: when there are more faults than fit, the last entry says how many.
// Faults implements error.
type Violations []Violation

// Error joins the messages with "; ".
func (f Violations) Error() string {
	return strings.Join(each.Of(f, func(one Violation) string { return one.Message }), "; ")
}

// SchemaError is one thing that is wrong with a schema.
type SchemaError struct {
	// Pointer is the JSON pointer into the schema; "" is its root.
	Pointer string
	// Message names the property or keyword and the fix.
	Message string
}

// SchemaErrors is everything that could be told about a bad schema at once,
// bounded like [Faults]. SchemaErrors implements error.
type SchemaErrors []SchemaError

// Error joins the messages with "; ".
func (f SchemaErrors) Error() string {
	return strings.Join(each.Of(f, func(one SchemaError) string { return one.Message }), "; ")
}

// asFaults returns the fault of a text that cannot be parsed; nil for no error.
func asFaults(err error) error {
	var invalid *jsontree.Error
	if !errors.As(err, &invalid) {
		return err
	}
	kind := KindSyntax
	if invalid.Limit {
		kind = KindLimit
	}
	return Violations{{Kind: kind, Message: invalid.Message}}
}
