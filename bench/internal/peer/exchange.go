package peer

import "bytes"

// exchange is the input and output of one call, for engines that bring no host
// functions for them. Nothing about it isolates calls or bounds what they write: it is
// the least that the ABI needs.
type exchange struct {
	input   *bytes.Reader
	output  []byte
	failure []byte
}

func newExchange(input []byte) *exchange { return &exchange{input: bytes.NewReader(input)} }

// begin makes the exchange ready for another call.
func (x *exchange) begin(input []byte) {
	x.input.Reset(input)
	x.output, x.failure = nil, nil
}

// memory is that of a guest, in any engine with wazero's interface.
type memory interface {
	Read(offset, length uint32) ([]byte, bool)
}

// hostFunction is a function of wasmtool_v1: i32 in and out. It answers in stack[0].
type hostFunction struct {
	name       string
	parameters int
	call       func(x *exchange, m memory, stack []uint64)
}

// reactorModule is where reactors import from.
const reactorModule = "wasmtool_v1"

// hostFunctions are the same as docs/abi.md lists.
func hostFunctions() []hostFunction {
	return []hostFunction{
		{"input_len", 0, func(x *exchange, _ memory, stack []uint64) {
			stack[0] = uint64(x.input.Size())
		}},
		{"input_read", 2, func(x *exchange, m memory, stack []uint64) {
			n, _ := x.input.Read(guestRange(m, stack)) // the end reads nothing
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

// guestRange is the memory that a pointer and a length on the stack name; empty when
// there is no such range, which no guest of the bench asks for.
func guestRange(m memory, stack []uint64) []byte {
	b, _ := m.Read(uint32(stack[0]), uint32(stack[1]))
	return b
}
