package rewrite

import "slices"

// pieceShift is the size of the pieces in which long ranges of memory are filled or copied, as a
// shift: 1 MiB. The engine does not interrupt a piece.
const (
	pieceShift = 20
	piece      = 1 << pieceShift
)

// piecewise is the functions, (i32, i32, i32) -> (), that perform memory.fill and memory.copy in
// pieces, for lengths above one piece.
//
// The functions charge no fuel, because the fuel is charged before they are called. They call
// refill before every piece. If the range is not within the memory, they execute only the
// instruction itself, which traps and writes nothing.
type piecewise struct {
	ops    []opcode // operations of the functions, in order
	first  uint32   // index of the first function
	typ    uint32   // index of their type
	refill []byte   // a call of refill
}

// longer reports whether the instruction needs, or may need, more than one piece.
func (in *instr) longer() bool {
	return (in.op == opMemoryFill || in.op == opMemoryCopy) && (!in.constLength || in.length > piece)
}

// appendCall appends a call of the function that replaces op.
func (p *piecewise) appendCall(b []byte, op opcode) []byte {
	return appendU32(append(b, byte(opCall)), p.first+uint32(slices.Index(p.ops, op)))
}

// appendChoice appends code that runs op itself if the length in a local is at most one piece, and
// calls the function otherwise.
func (p *piecewise) appendChoice(b []byte, op opcode, length uint32) []byte {
	b = appendU32(append(b, byte(opLocalGet)), length)
	b = appendS64(append(b, byte(opI32Const)), piece)
	b = appendS64(append(b, byte(opI32GtU), byte(opIf)), int64(p.typ))
	b = p.appendCall(b, op)
	b = appendMemory(append(b, byte(opElse)), op)
	return append(b, byte(opEnd))
}

// appendMemory appends memory.fill or memory.copy.
func appendMemory(b []byte, op opcode) []byte {
	b = append(b, byte(op>>8), byte(op), 0)
	if op == opMemoryCopy {
		b = append(b, 0)
	}
	return b
}

// Locals of the functions.
const (
	pieceTo     = 0
	pieceFrom   = 1 // the source address, or the value to fill with
	pieceLength = 2
)

// appendBody appends the body of a function with its size.
func (p *piecewise) appendBody(b []byte, op opcode) []byte {
	b, at := openSize(b)
	b = append(b, 0) // no locals except the parameters
	b = append(b, byte(opBlock), blockNoResult)
	b = appendLeaveOutside(b, pieceTo)
	if op == opMemoryFill {
		b = p.appendUpwards(b, op, pieceTo)
	} else {
		b = appendLeaveOutside(b, pieceFrom)
		b = append(b, byte(opLocalGet), pieceTo, byte(opLocalGet), pieceFrom, byte(opI32LeU), byte(opIf), blockNoResult)
		b = p.appendUpwards(b, op, pieceTo, pieceFrom)
		b = append(b, byte(opElse))
		b = p.appendDownwards(b, op)
		b = append(b, byte(opEnd))
	}
	b = append(b, byte(opEnd), byte(opLocalGet), pieceTo, byte(opLocalGet), pieceFrom, byte(opLocalGet), pieceLength)
	b = append(appendMemory(b, op), byte(opEnd))
	closeSize(b, at)
	return b
}

// appendLeaveOutside appends code that leaves the block if the range that starts at the address in
// a local is not within the memory.
func appendLeaveOutside(b []byte, local byte) []byte {
	return append(b,
		byte(opLocalGet), local, byte(opI64ExtendI32U), byte(opLocalGet), pieceLength, byte(opI64ExtendI32U), byte(opI64Add),
		byte(opMemorySize), 0, byte(opI64ExtendI32U), byte(opI64Const), 16, byte(opI64Shl),
		byte(opI64GtU), byte(opBrIf), 0)
}

// appendUpwards appends a loop that processes pieces from the lowest address on, and increases the
// addresses in locals.
func (p *piecewise) appendUpwards(b []byte, op opcode, locals ...byte) []byte {
	b = append(append(b, byte(opLoop), blockNoResult), p.refill...)
	b = append(b, byte(opLocalGet), pieceTo, byte(opLocalGet), pieceFrom)
	b = appendMemory(appendS64(append(b, byte(opI32Const)), piece), op)
	for _, local := range locals {
		b = appendStep(b, local, opI32Add)
	}
	return appendAgain(appendStep(b, pieceLength, opI32Sub))
}

// appendDownwards appends a loop that copies pieces from the highest address on.
func (p *piecewise) appendDownwards(b []byte, op opcode) []byte {
	b = append(append(b, byte(opLoop), blockNoResult), p.refill...)
	b = appendStep(b, pieceLength, opI32Sub)
	for _, local := range []byte{pieceTo, pieceFrom} {
		b = append(b, byte(opLocalGet), local, byte(opLocalGet), pieceLength, byte(opI32Add))
	}
	return appendAgain(appendMemory(appendS64(append(b, byte(opI32Const)), piece), op))
}

// appendStep appends code that adds the size of a piece to a local, or subtracts it.
func appendStep(b []byte, local byte, op opcode) []byte {
	b = appendS64(append(b, byte(opLocalGet), local, byte(opI32Const)), piece)
	return append(b, byte(op), byte(opLocalSet), local)
}

// appendAgain appends the end of a loop that repeats while more than a piece is left.
func appendAgain(b []byte) []byte {
	b = appendS64(append(b, byte(opLocalGet), pieceLength, byte(opI32Const)), piece)
	return append(b, byte(opI32GtU), byte(opBrIf), 0, byte(opEnd))
}
