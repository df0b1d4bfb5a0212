// Package host is what the packages of the SDK share of talking to the host.
package host

import "encoding/json"

// Fault is why the host did not do what it was asked for.
type Fault struct {
	// Kind is "denied" for what is not granted, and names other reasons by a word; see
	// docs/abi.md of wasmtool.
	Kind string `json:"kind"`
	// Message says what is wrong and, where there is one, the way out.
	Message string `json:"message"`
	// Sent says that a request may have reached a server.
	Sent bool `json:"sent"`
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// Check returns what a function of the host gave, or the Fault that a number below zero
// stands for.
func Check(result int32) (int, error) {
	if result >= 0 {
		return int(result), nil
	}
	f := &Fault{Kind: "unavailable", Message: "the host refused"}
	_ = json.Unmarshal(ReadAll(readFault), f) // the host writes it
	return 0, f
}

// ReadAll returns what a function of the host hands over, which tells the length of all of
// it, whatever fits into the buffer.
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
