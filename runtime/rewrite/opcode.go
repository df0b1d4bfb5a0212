package rewrite

import "slices"

// opcode is an instruction. For a prefixed one, the upper byte is the prefix and the lower byte the
// number after it.
type opcode uint16

// The opcodes that this package treats specially.
const (
	opUnreachable        opcode = 0x00
	opNop                opcode = 0x01
	opBlock              opcode = 0x02
	opLoop               opcode = 0x03
	opIf                 opcode = 0x04
	opElse               opcode = 0x05
	opThrow              opcode = 0x08
	opThrowRef           opcode = 0x0a
	opEnd                opcode = 0x0b
	opBr                 opcode = 0x0c
	opBrIf               opcode = 0x0d
	opBrTable            opcode = 0x0e
	opReturn             opcode = 0x0f
	opCall               opcode = 0x10
	opCallIndirect       opcode = 0x11
	opReturnCall         opcode = 0x12
	opReturnCallIndirect opcode = 0x13
	opCallRef            opcode = 0x14
	opReturnCallRef      opcode = 0x15
	opDrop               opcode = 0x1a
	opSelect             opcode = 0x1b
	opSelectTyped        opcode = 0x1c
	opTryTable           opcode = 0x1f
	opLocalGet           opcode = 0x20
	opLocalSet           opcode = 0x21
	opLocalTee           opcode = 0x22
	opGlobalGet          opcode = 0x23
	opGlobalSet          opcode = 0x24
	opTableGet           opcode = 0x25
	opTableSet           opcode = 0x26
	opMemorySize         opcode = 0x3f
	opMemoryGrow         opcode = 0x40
	opI32Const           opcode = 0x41
	opI64Const           opcode = 0x42
	opF32Const           opcode = 0x43
	opF64Const           opcode = 0x44
	opI32Eqz             opcode = 0x45
	opI32GtU             opcode = 0x4b
	opI32LeU             opcode = 0x4d
	opI64GtU             opcode = 0x56
	opI64GeS             opcode = 0x59
	opI32Add             opcode = 0x6a
	opI32Sub             opcode = 0x6b
	opI32Mul             opcode = 0x6c
	opI32And             opcode = 0x71
	opI64Add             opcode = 0x7c
	opI64Sub             opcode = 0x7d
	opI64Mul             opcode = 0x7e
	opI64Shl             opcode = 0x86
	opI64ShrU            opcode = 0x88
	opI64ExtendI32U      opcode = 0xad
	opI32Extend8S        opcode = 0xc0
	opI64Extend32S       opcode = 0xc4
	opRefNull            opcode = 0xd0
	opRefIsNull          opcode = 0xd1
	opRefFunc            opcode = 0xd2
	opRefAsNonNull       opcode = 0xd4
	opBrOnNull           opcode = 0xd5
	opBrOnNonNull        opcode = 0xd6

	opMisc   opcode = 0xfc
	opVector opcode = 0xfd
	opAtomic opcode = 0xfe

	opTruncSatLast opcode = opMisc<<8 | 7
	opMemoryInit   opcode = opMisc<<8 | 8
	opDataDrop     opcode = opMisc<<8 | 9
	opMemoryCopy   opcode = opMisc<<8 | 10
	opMemoryFill   opcode = opMisc<<8 | 11
	opTableInit    opcode = opMisc<<8 | 12
	opElemDrop     opcode = opMisc<<8 | 13
	opTableCopy    opcode = opMisc<<8 | 14
	opTableGrow    opcode = opMisc<<8 | 15
	opTableSize    opcode = opMisc<<8 | 16
	opTableFill    opcode = opMisc<<8 | 17

	opVecConst    opcode = opVector<<8 | 12
	opAtomicFence opcode = opAtomic<<8 | 3
)

// immediate describes the operands of an opcode: the first in the lower byte, a second one in the
// upper byte.
type immediate uint16

const (
	immUnknown immediate = iota // unknown opcode
	immNone
	immEnd    // none; the opcode ends a block or the first half of an if
	immBlock  // block type
	immLabel  // one label
	immLabels // the labels of br_table
	immFunc   // function
	immType   // function type
	immLocal
	immGlobal
	immTable
	immMemArg // alignment and offset
	immMemory // the memory, which must be 0
	immI32
	immI64
	imm1 // one byte
	imm4
	imm8
	imm16
	immSelect // the type of a select
	immHeap   // heap type
	immTag    // exception tag
	immTry    // block type, catch clauses
	immPrefix // a prefix, after which the opcode follows
	immData   // data segment
	immElem   // element segment
)

// and returns the immediate with a second operand added.
func (i immediate) and(second immediate) immediate { return i | second<<8 }

// opcodes has the immediates of each opcode that the engine knows. prefixedOpcodes has the
// immediates for the numbers after the prefixes opMisc, opVector and opAtomic.
var (
	opcodes         = opcodeTable()
	prefixedOpcodes = [3][256]immediate{miscTable(), vectorTable(), atomicTable()}
)

func opcodeTable() (t [256]immediate) {
	fill(t[:], immNone, opUnreachable, opNop, opThrowRef, opThrowRef, opReturn, opReturn, opDrop, opSelect,
		0x45, opI64Extend32S, opRefIsNull, opRefIsNull, opRefAsNonNull, opRefAsNonNull)
	fill(t[:], immBlock, opBlock, opIf)
	fill(t[:], immEnd, opElse, opElse, opEnd, opEnd)
	fill(t[:], immTag, opThrow, opThrow)
	fill(t[:], immLabel, opBr, opBrIf, opBrOnNull, opBrOnNonNull)
	fill(t[:], immLabels, opBrTable, opBrTable)
	fill(t[:], immFunc, opCall, opCall, opReturnCall, opReturnCall, opRefFunc, opRefFunc)
	fill(t[:], immType.and(immTable), opCallIndirect, opCallIndirect, opReturnCallIndirect, opReturnCallIndirect)
	fill(t[:], immType, opCallRef, opReturnCallRef)
	fill(t[:], immSelect, opSelectTyped, opSelectTyped)
	fill(t[:], immTry, opTryTable, opTryTable)
	fill(t[:], immLocal, opLocalGet, opLocalTee)
	fill(t[:], immGlobal, opGlobalGet, opGlobalSet)
	fill(t[:], immTable, opTableGet, opTableSet)
	fill(t[:], immMemArg, 0x28, 0x3e)
	fill(t[:], immMemory, opMemorySize, opMemoryGrow)
	fill(t[:], immI32, opI32Const, opI32Const)
	fill(t[:], immI64, opI64Const, opI64Const)
	fill(t[:], imm4, opF32Const, opF32Const)
	fill(t[:], imm8, opF64Const, opF64Const)
	fill(t[:], immHeap, opRefNull, opRefNull)
	fill(t[:], immPrefix, opMisc, opAtomic)
	return t
}

func miscTable() (t [256]immediate) {
	fill(t[:], immNone, 0, opTruncSatLast&0xff)
	for op, imm := range map[opcode]immediate{
		opMemoryInit: immData.and(immMemory), opDataDrop: immData, opMemoryCopy: immMemory.and(immMemory), opMemoryFill: immMemory,
		opTableInit: immElem.and(immTable), opElemDrop: immElem, opTableCopy: immTable.and(immTable),
		opTableGrow: immTable, opTableSize: immTable, opTableFill: immTable,
	} {
		t[op&0xff] = imm
	}
	return t
}

// vectorTable omits numbers that are not instructions.
func vectorTable() (t [256]immediate) {
	fill(t[:], immNone, 0x00, 0xff)
	for _, sub := range []int{
		0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6,
		0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
	} {
		t[sub] = immUnknown
	}
	fill(t[:], immMemArg, 0x00, 0x0b, 0x5c, 0x5d)
	fill(t[:], imm16, 0x0c, 0x0d)
	fill(t[:], imm1, 0x15, 0x22) // the lane
	fill(t[:], immMemArg.and(imm1), 0x54, 0x5b)
	return t
}

func atomicTable() (t [256]immediate) {
	fill(t[:], immMemArg, 0x00, 0x02, 0x10, 0x4e)
	t[opAtomicFence&0xff] = immMemory // a reserved byte, which must be 0
	return t
}

// fill sets rows of a table, each given by its first and last opcode.
func fill[T any](table []T, value T, rows ...opcode) {
	for row := range slices.Chunk(rows, 2) {
		for op := row[0]; op <= row[1]; op++ {
			table[op] = value
		}
	}
}

// effect is what an instruction without labels, variables or calls does to the value stack. pops is
// the number of values that it pops. push is the type of the value that it pushes, or 0 for none.
type effect struct {
	pops uint8
	push valueType
}

// effects has the effects of opcodes without a prefix. prefixedEffects has the effects for the
// numbers after the prefixes opMisc, opVector and opAtomic.
var (
	effects         = effectTable()
	prefixedEffects = [3][256]effect{miscEffectTable(), vectorEffectTable(), atomicEffectTable()}
)

func effectOf(op opcode) effect {
	if op < 0x100 {
		return effects[op]
	}
	return prefixedEffects[op>>8-opMisc][op&0xff]
}

func effectTable() (t [256]effect) {
	fill(t[:], effect{0, typeI32}, opMemorySize, opMemorySize, opI32Const, opI32Const)
	fill(t[:], effect{0, typeI64}, opI64Const, opI64Const)
	fill(t[:], effect{0, typeF32}, opF32Const, opF32Const)
	fill(t[:], effect{0, typeF64}, opF64Const, opF64Const)
	// Loads, tests, arithmetic with one operand, and conversions.
	fill(t[:], effect{1, typeI32}, 0x28, 0x28, 0x2c, 0x2f, opMemoryGrow, opMemoryGrow, 0x45, 0x45, 0x50, 0x50, 0x67, 0x69,
		0xa7, 0xab, 0xbc, 0xbc, 0xc0, 0xc1, opRefIsNull, opRefIsNull)
	fill(t[:], effect{1, typeI64}, 0x29, 0x29, 0x30, 0x35, 0x79, 0x7b, 0xac, 0xb1, 0xbd, 0xbd, 0xc2, 0xc4)
	fill(t[:], effect{1, typeF32}, 0x2a, 0x2a, 0x8b, 0x91, 0xb2, 0xb6, 0xbe, 0xbe)
	fill(t[:], effect{1, typeF64}, 0x2b, 0x2b, 0x99, 0x9f, 0xb7, 0xbb, 0xbf, 0xbf)
	fill(t[:], effect{2, 0}, opTableSet, opTableSet, 0x36, 0x3e) // stores
	// Comparisons, and arithmetic with two operands.
	fill(t[:], effect{2, typeI32}, 0x46, 0x4f, 0x51, 0x66, 0x6a, 0x78)
	fill(t[:], effect{2, typeI64}, 0x7c, 0x8a)
	fill(t[:], effect{2, typeF32}, 0x92, 0x98)
	fill(t[:], effect{2, typeF64}, 0xa0, 0xa6)
	return t
}

func miscEffectTable() (t [256]effect) {
	fill(t[:], effect{1, typeI32}, 0, 3) // conversions
	fill(t[:], effect{1, typeI64}, 4, opTruncSatLast&0xff)
	for _, op := range []opcode{opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill} {
		t[op&0xff] = effect{3, 0}
	}
	t[opTableGrow&0xff], t[opTableSize&0xff] = effect{2, typeI32}, effect{0, typeI32}
	return t
}

func vectorEffectTable() (t [256]effect) {
	set := func(pops uint8, push valueType, subs ...int) {
		for _, sub := range subs {
			t[sub] = effect{pops, push}
		}
	}
	fill(t[:], effect{2, typeV128}, 0x00, 0xff)   // most take two vectors
	fill(t[:], effect{1, typeV128}, 0x00, 0x0a)   // loads
	set(2, 0, 0x0b)                               // store
	set(0, typeV128, 0x0c)                        // constant
	fill(t[:], effect{1, typeV128}, 0x0f, 0x14)   // splats
	set(1, typeI32, 0x15, 0x16, 0x18, 0x19, 0x1b) // extracted lanes
	set(1, typeI64, 0x1d)
	set(1, typeF32, 0x1f)
	set(1, typeF64, 0x21)
	set(1, typeV128, 0x4d)                                                // not
	set(3, typeV128, 0x52)                                                // bitselect
	set(1, typeI32, 0x53, 0x63, 0x64, 0x83, 0x84, 0xa3, 0xa4, 0xc3, 0xc4) // tests and bit masks
	set(2, 0, 0x58, 0x59, 0x5a, 0x5b)                                     // stored lanes
	set(1, typeV128, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x62)            // loads, i8x16 and others
	set(1, typeV128, 0x67, 0x68, 0x69, 0x6a, 0x74, 0x75, 0x7a, 0x94)      // rounding
	set(1, typeV128, 0x7c, 0x7d, 0x7e, 0x7f)                              // pairwise sums
	set(1, typeV128, 0x80, 0x81, 0x87, 0x88, 0x89, 0x8a)                  // i16x8
	set(1, typeV128, 0xa0, 0xa1, 0xa7, 0xa8, 0xa9, 0xaa)                  // i32x4
	set(1, typeV128, 0xc0, 0xc1, 0xc7, 0xc8, 0xc9, 0xca)                  // i64x2
	set(1, typeV128, 0xe0, 0xe1, 0xe3, 0xec, 0xed, 0xef)                  // f32x4, f64x2
	set(1, typeV128, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff)      // conversions
	return t
}

// atomicEffectTable has, from the loads on, rows of seven widths: i32, i64, the narrow widths of
// i32, and the narrow widths of i64.
func atomicEffectTable() (t [256]effect) {
	t[0] = effect{2, typeI32}            // notify
	fill(t[:], effect{3, typeI32}, 1, 2) // wait
	for width, push := range []valueType{typeI32, typeI64, typeI32, typeI32, typeI64, typeI64, typeI64} {
		row := t[0x10+width:]
		row[0], row[7] = effect{1, push}, effect{2, 0} // load and store
		for at := 14; at < 56; at += 7 {
			row[at] = effect{2, push} // read-modify-write
		}
		row[56] = effect{3, push} // compare and exchange
	}
	return t
}
