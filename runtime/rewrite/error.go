package rewrite

import "fmt"

// Kind is what is wrong with a module.
type Kind uint8

// The kinds of Error.
const (
	// Empty is a file with no bytes in it.
	Empty Kind = iota + 1
	// Text is a module in the text format (WAT).
	Text
	// NotWasm is anything else that does not start with the WASM magic number.
	NotWasm
	// Component is a binary of the component model.
	Component
	// Version is a core module of a binary version other than 1.
	Version
	// Truncated is a file that ends before it should.
	Truncated
	// Malformed is a module that breaks the rules of the binary format.
	Malformed
	// TooLarge is a module that exceeds a limit of Options or of this package.
	TooLarge
	// SlowToCompile is a module for which the engine's compiler may need too much time or memory.
	SlowToCompile
	// Unsupported is a module with a feature that this package does not handle.
	Unsupported
)

// String returns the kind in lower case, such as "too large".
func (k Kind) String() string {
	names := [...]string{
		Empty: "empty file", Text: "text format", NotWasm: "not WASM", Component: "component", Version: "unknown version",
		Truncated: "truncated", Malformed: "malformed", TooLarge: "too large", SlowToCompile: "slow to compile", Unsupported: "unsupported",
	}
	if k > 0 && int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is why a module was refused. Every error of this package is an *Error.
type Error struct {
	// Offset is where in the input the problem was found, in bytes from 0.
	Offset int
	// Kind is the class of the problem.
	Kind Kind
	// Message is one line with the problem and, where possible, how to fix it.
	Message string
}

// Error returns the message. It includes the offset unless the problem concerns the file as a
// whole.
func (e *Error) Error() string {
	switch e.Kind {
	case Truncated, Malformed, TooLarge, Unsupported:
		return fmt.Sprintf("%s module: %s (byte %d)", e.Kind, e.Message, e.Offset)
	}
	return e.Message
}

func refuse(offset int, kind Kind, format string, args ...any) *Error {
	return &Error{Offset: offset, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// unknownOpcode explains an opcode that the engine does not have.
func unknownOpcode(op opcode) string {
	switch {
	case op == 0x06 || op == 0x07 || op == 0x09 || op == 0x18 || op == 0x19:
		return fmt.Sprintf("opcode 0x%02x: exceptions are not supported: build the module without them", byte(op))
	case op >= 0x100:
		return unknownPrefixed(op>>8, uint32(op&0xff))
	case op == 0xfb:
		return "opcode 0xfb: garbage-collected types are not supported"
	}
	return fmt.Sprintf("unknown opcode 0x%02x", byte(op))
}

// unknownPrefixed explains a prefixed opcode that the engine does not have, or that is not in its
// shortest encoding.
func unknownPrefixed(prefix opcode, sub uint32) string {
	if prefix == opVector && sub >= 0x100 {
		return fmt.Sprintf("opcode 0xfd 0x%x: relaxed SIMD is not supported", sub)
	}
	return fmt.Sprintf("opcode 0x%02x 0x%x is unknown, or not in its shortest encoding", byte(prefix), sub)
}
