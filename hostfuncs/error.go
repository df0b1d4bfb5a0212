package hostfuncs

import "fmt"

// Error says why the host refused a request of a guest or failed to serve it. The guest may see the
// error, so it contains no secret, host path or resolved address.
type Error struct {
	// Code is the result of the host function.
	Code Code `json:"-"`
	// Kind distinguishes errors with the same code. It is a kind of package egress or kv, "denied"
	// if the access is not granted, or "handle" if the response does not exist.
	Kind string `json:"kind"`
	// Message says what is wrong and, where possible, how to fix it.
	Message string `json:"message"`
	// Sent reports that a request may have reached a server, so a retry may repeat its effect.
	Sent bool `json:"sent,omitempty"`
}

// Code is the negative result of a failed host function.
type Code int32

// The codes. They are part of the ABI; see docs/abi.md.
const (
	CodeDenied      Code = -1 // not granted
	CodeNotFound    Code = -2 // no such key or handle
	CodeInvalid     Code = -3 // invalid arguments
	CodeTooMuch     Code = -4 // a limit or quota was exceeded
	CodeUnavailable Code = -5 // the network, a server or the disk failed
	CodeTimeout     Code = -6 // the operation took too long
)

// Error returns the message.
func (f *Error) Error() string { return f.Message }

func newError(code Code, kind, format string, args ...any) *Error {
	return &Error{Code: code, Kind: kind, Message: fmt.Sprintf(format, args...)}
}
