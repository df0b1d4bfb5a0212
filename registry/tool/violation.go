package tool

// Kinds of faults, as in Fault.Kind.
const (
	// ViolationMissing: a required value was not given.
	ViolationMissing = "missing"
	// ViolationType: a value has another JSON type than the schema admits.
	ViolationType = "type"
	// ViolationFormat: a string does not have the format asked for.
	ViolationFormat = "format"
	// ViolationConstraint: any other rule of the schema is broken.
	ViolationConstraint = "constraint"
	// ViolationSyntax: the arguments are not strict JSON.
	ViolationSyntax = "syntax"
	// ViolationUndeclared: the schema forbids fields that it does not declare.
	ViolationUndeclared = "undeclared"
	// ViolationLimit: a ceiling was reached.
	ViolationLimit = "limit"
)

// Fault is one fault of a call's arguments.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) of the value; empty for the whole.
	Pointer string `json:"pointer"`
	// Kind is one of the kinds of faults.
	Kind string `json:"kind"`
	// Message says what is wrong and names the parameter.
	Message string `json:"message"`
}
