package hostfuncs

import "fmt"

// Fault is why the host did not do what a guest asked for, in a form that the guest may
// see: it holds no secret, no host path and no resolved address.
type Error struct {
	// Code is what the host function returns.
	Code Code `json:"-"`
	// Kind tells faults of one code apart: the kinds of packages egress and kv, "denied"
	// for what is not granted, and "handle" for a response that is not there.
	Kind string `json:"kind"`
	// Message says what is wrong and, where there is one, the way out.
	Message string `json:"message"`
	// Sent says that a request may have reached a server, so that sending it again may do
	// its work twice.
	Sent bool `json:"sent,omitempty"`
}

// Code is the number of a Fault, below zero.
type Code int32

// The codes. They are part of the ABI: docs/abi.md.
const (
	CodeDenied      Code = -1 // it is not granted
	CodeNotFound    Code = -2 // there is no such key or handle
	CodeInvalid     Code = -3 // what was asked for makes no sense
	CodeTooMuch     Code = -4 // a limit or a quota
	CodeUnavailable Code = -5 // the network, a server or the disk
	CodeTimeout     Code = -6 // it took too long
)

// Error returns the message.
func (f *Error) Error() string { return f.Message }

func newFault(code Code, kind, format string, args ...any) *Error {
	return &Error{Code: code, Kind: kind, Message: fmt.Sprintf(format, args...)}
}
