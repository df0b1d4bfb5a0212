package compilechild

import "fmt"

// Kind says why a module was not compiled.
type Kind string

// The kinds. They are decided by the parent.
const (
	// Refused: the compiler says that the module is invalid, or broke down on it.
	Refused Kind = "refused"
	// TooSlow: compiling takes longer than Options.Timeout.
	TooSlow Kind = "too slow"
	// TooBig: compiling takes more memory than Options.MaxMemory or than there is, or
	// the code has more than Options.MaxOutput bytes.
	TooBig Kind = "too big"
	// Cancelled: the context was done first.
	Cancelled Kind = "cancelled"
	// Unavailable: nothing is known of the module, because no child could be started,
	// the folder cannot be used, or the program does not do what Serve does.
	Unavailable Kind = "unavailable"
)

// Error is what Compile returns. Act on Kind, never on the text. The text is one line
// without control characters; it may quote names from the module, but no host path.
type Error struct {
	Kind    Kind
	Message string
	// Detail is the beginning of what the child wrote to its standard error, at most 4
	// KiB, when it did not end in order. It is for the host's own log: it may hold
	// anything, paths and stacks too.
	Detail string
	cause  error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error of the context for Cancelled, and nil for others.
func (e *Error) Unwrap() error { return e.cause }

func cancelled(cause error) *Error {
	return &Error{Kind: Cancelled, Message: "the module was still being compiled", cause: cause}
}

func unavailable(format string, args ...any) *Error {
	return &Error{Kind: Unavailable, Message: fmt.Sprintf(format, args...)}
}

// brokeDown is the message for a module on which the compiler panics or crashes.
const brokeDown = "the engine failed to compile the module"
