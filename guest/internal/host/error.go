// Package host has the code that all packages of the SDK use to call the host.
package host

import "encoding/json"

// Error is the error of a request that the host refused or could not carry out.
type Error struct {
	// Kind is "denied" for a request without permission, or another one-word reason that
	// docs/abi.md of wasmtool lists.
	Kind string `json:"kind"`
	// Message says what is wrong and, if possible, what to do.
	Message string `json:"message"`
	// Sent reports whether a request may have reached a server.
	Sent bool `json:"sent"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Check converts the result of a host function. A negative result becomes an *Error with the reason
// that the host gives.
func Check(result int32) (int, error) {
	if result >= 0 {
		return int(result), nil
	}
	e := &Error{Kind: "unavailable", Message: "the host refused"}
	_ = json.Unmarshal(ReadAll(readError), e) // the host's JSON is always valid
	return 0, e
}

// ReadAll returns all the data of a host function. read copies as much as fits into the buffer and
// returns the total length.
func ReadAll(read func([]byte) int) []byte {
	buffer := make([]byte, 512)
	for {
		n := read(buffer)
		if n <= len(buffer) {
			return buffer[:max(0, n)]
		}
		buffer = make([]byte, n)
	}
}
