package tool

// Kinds of faults, as in Fault.Kind.
const (
	// FaultMissing: a required value was not given.
	FaultMissing = "missing"
	// FaultType: a value has another JSON type than the schema admits.
	FaultType = "type"
	// FaultFormat: a string does not have the format asked for.
	FaultFormat = "format"
	// FaultConstraint: any other rule of the schema is broken.
	FaultConstraint = "constraint"
	// FaultSyntax: the arguments are not strict JSON.
	FaultSyntax = "syntax"
	// FaultUndeclared: the schema forbids fields that it does not declare.
	FaultUndeclared = "undeclared"
	// FaultLimit: a ceiling was reached.
	FaultLimit = "limit"
)

// Fault is one fault of a call's arguments.
type Fault struct {
	// Pointer is the JSON pointer (RFC 6901) of the value; empty for the whole.
	Pointer string `json:"pointer"`
	// Kind is one of the kinds of faults.
	Kind string `json:"kind"`
	// Message says what is wrong and names the parameter.
	Message string `json:"message"`
}
