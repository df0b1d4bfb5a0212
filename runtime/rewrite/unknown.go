package rewrite

import "fmt"

// unknownOpcode explains an opcode that the engine does not have.
func unknownOpcode(op opcode) string {
	switch {
	case op == 0x06 || op == 0x07 || op == 0x09 || op == 0x18 || op == 0x19:
		return fmt.Sprintf("opcode 0x%02x: exceptions are not supported: build it without them", byte(op))
	case op >= 0x100:
		return unknownPrefixed(op>>8, uint32(op&0xff))
	case op == 0xfb:
		return "opcode 0xfb: garbage-collected types are not supported"
	}
	return fmt.Sprintf("opcode 0x%02x is not known", byte(op))
}

// unknownPrefixed explains a prefixed opcode that the engine does not have, or
// that is not written in the shortest way.
func unknownPrefixed(prefix opcode, sub uint32) string {
	if prefix == opVector && sub >= 0x100 {
		return fmt.Sprintf("opcode 0xfd 0x%x: relaxed SIMD is not supported", sub)
	}
	return fmt.Sprintf("opcode 0x%02x 0x%x is not known, or not written in the shortest way", byte(prefix), sub)
}
