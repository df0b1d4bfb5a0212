package peer

import "bytes"

// exchange is the input and output of one call, for engines that have no host functions for input
// and output. It neither isolates calls nor limits what they write: it is the minimum that the ABI
// needs.
type exchange struct {
	input   *bytes.Reader
	output  []byte
	failure []byte
}

func newExchange(input []byte) *exchange { return &exchange{input: bytes.NewReader(input)} }

// begin prepares the exchange for another call.
func (x *exchange) begin(input []byte) {
	x.input.Reset(input)
	x.output, x.failure = nil, nil
}

// memory is a guest's memory, in any engine with wazero's interface.
type memory interface {
	Read(offset, length uint32) ([]byte, bool)
}

// hostFunction is a function of wasmtool_v1. Parameters and result are i32; the result is stored in
// stack[0].
type hostFunction struct {
	name       string
	parameters int
	call       func(x *exchange, m memory, stack []uint64)
}

// reactorModule is the module from which reactors import.
const reactorModule = "wasmtool_v1"

// hostFunctions returns the functions as in docs/abi.md.
func hostFunctions() []hostFunction {
	return []hostFunction{
		{"input_len", 0, func(x *exchange, _ memory, stack []uint64) {
			stack[0] = uint64(x.input.Size())
		}},
		{"input_read", 2, func(x *exchange, m memory, stack []uint64) {
			n, _ := x.input.Read(guestRange(m, stack)) // n is 0 at the end of the input
			stack[0] = uint64(n)
		}},
		{"output_write", 2, func(x *exchange, m memory, stack []uint64) {
			x.output = append(x.output, guestRange(m, stack)...)
			stack[0] = 0
		}},
		{"error_write", 2, func(x *exchange, m memory, stack []uint64) {
			x.failure = append(x.failure, guestRange(m, stack)...)
			stack[0] = 0
		}},
	}
}

// guestRange returns the memory range of a pointer and a length on the stack. It returns nil for an
// invalid range, which no guest of the benchmark passes.
func guestRange(m memory, stack []uint64) []byte {
	b, _ := m.Read(uint32(stack[0]), uint32(stack[1]))
	return b
}
