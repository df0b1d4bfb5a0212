package tool

// Kinds of violations, as in Violation.Kind.
const (
	// ViolationMissing means that a required value is missing.
	ViolationMissing = "missing"
	// ViolationType means that a value has a JSON type that the schema does not allow.
	ViolationType = "type"
	// ViolationFormat means that a string does not have the required format.
	ViolationFormat = "format"
	// ViolationConstraint means that a value violates another rule of the schema.
	ViolationConstraint = "constraint"
	// ViolationSyntax means that the arguments are not strict JSON.
	ViolationSyntax = "syntax"
	// ViolationUndeclared means that the schema does not allow an undeclared field.
	ViolationUndeclared = "undeclared"
	// ViolationLimit means that the arguments exceed a limit.
	ViolationLimit = "limit"
)

// Violation is one violation of a tool's schema by the arguments of a call.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) of the value; empty means the whole arguments.
	Pointer string `json:"pointer"`
	// Kind is one of the kinds of violations.
	Kind string `json:"kind"`
	// Message describes the violation and names the parameter.
	Message string `json:"message"`
}
