package hostfuncs

import "fmt"

// Fault is why the host did not do what a guest asked for, in a form that the guest may
// see: it holds no secret, no host path and no resolved address.
type Fault struct {
	// Code is what the host function returns.
	Code FaultCode `json:"-"`
	// Kind tells faults of one code apart: the kinds of packages egress and kv, "denied"
	// for what is not granted, and "handle" for a response that is not there.
	Kind string `json:"kind"`
	// Message says what is wrong and, where there is one, the way out.
	Message string `json:"message"`
	// Sent says that a request may have reached a server, so that sending it again may do
	// its work twice.
	Sent bool `json:"sent,omitempty"`
}

// FaultCode is the number of a Fault, below zero.
type FaultCode int32

// The codes. They are part of the ABI: docs/abi.md.
const (
	FaultDenied      FaultCode = -1 // it is not granted
	FaultNotFound    FaultCode = -2 // there is no such key or handle
	FaultInvalid     FaultCode = -3 // what was asked for makes no sense
	FaultTooMuch     FaultCode = -4 // a limit or a quota
	FaultUnavailable FaultCode = -5 // the network, a server or the disk
	FaultTimeout     FaultCode = -6 // it took too long
)

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

func newFault(code FaultCode, kind, format string, args ...any) *Fault {
	return &Fault{Code: code, Kind: kind, Message: fmt.Sprintf(format, args...)}
}
