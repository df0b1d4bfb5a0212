package jsonschema

import (
	"errors"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Kind is the kind of a [Violation].
type Kind string

// The kinds of violations.
const (
	// KindSyntax means that the document is not strict JSON.
	KindSyntax Kind = "syntax"
	// KindMissing means that a required value is missing.
	KindMissing Kind = "missing"
	// KindType means that the schema does not admit the JSON type of a value.
	KindType Kind = "type"
	// KindFormat means that a string does not have the required format.
	KindFormat Kind = "format"
	// KindConstraint means that a value violates any other rule of the schema.
	KindConstraint Kind = "constraint"
	// KindUndeclared means that a field is not declared and the schema allows only declared fields.
	KindUndeclared Kind = "undeclared"
	// KindLimit means that the document exceeds a limit of this package. It is also the kind of the
	// last entry of a list that was cut.
	KindLimit Kind = "limit"
)

// Violation is one violation of a schema by a document.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) to the value, or to the place of a missing value. ""
	// is the whole document.
	Pointer string
	// Kind classifies the violation.
	Kind Kind
	// Message names the parameter, what was expected and what was received.
	Message string
}

// Violations lists the violations of a document, ordered by pointer. The list is limited: if there
// are more violations, the last entry gives their number. Violations implements error.
type Violations []Violation

// Error joins the messages with "; ".
func (f Violations) Error() string {
	return strings.Join(each.Of(f, func(one Violation) string { return one.Message }), "; ")
}

// SchemaError is one error in a schema.
type SchemaError struct {
	// Pointer is the JSON pointer to the place in the schema; "" is its root.
	Pointer string
	// Message names the property or keyword, and the fix.
	Message string
}

// SchemaErrors lists all errors of a schema that can be found at once. The list is limited like
// [Violations]. SchemaErrors implements error.
type SchemaErrors []SchemaError

// Error joins the messages with "; ".
func (f SchemaErrors) Error() string {
	return strings.Join(each.Of(f, func(one SchemaError) string { return one.Message }), "; ")
}

// asViolations turns a parse error into a violation. It returns any other error, or nil, unchanged.
func asViolations(err error) error {
	invalid, ok := errors.AsType[*jsontree.Error](err)
	if !ok {
		return err
	}
	kind := KindSyntax
	if invalid.Limit {
		kind = KindLimit
	}
	return Violations{{Kind: kind, Message: invalid.Message}}
}
