package rewrite

// opcode is an instruction: its byte, or for a prefixed one the prefix in the
// upper half and the number after it in the lower.
type opcode uint16

// The opcodes that something in this package treats specially.
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
	opI32GtU             opcode = 0x4b
	opI32LeU             opcode = 0x4d
	opI64LtS             opcode = 0x53
	opI64GtU             opcode = 0x56
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

// immediate is what follows an opcode.
type immediate uint8

const (
	immUnknown immediate = iota // the opcode is not known
	immNone
	immBlock    // block type
	immLabel    // one label
	immLabels   // br_table's labels
	immFunc     // function
	immIndirect // type, table
	immType     // function type
	immLocal
	immGlobal
	immTable
	immMemArg // alignment and offset
	immMemory // the memory, which must be 0
	immI32
	immI64
	imm4       // four bytes
	imm8       // eight bytes
	immSelect  // the type of a select
	immHeap    // heap type
	immTag     // exception tag
	immTry     // block type, catch clauses
	immPrefix  // a prefix: the real opcode follows
	immLane    // one lane
	imm16      // sixteen bytes
	immMemLane // alignment, offset and lane
	immData    // data segment
	immDataMem // data segment, memory
	immMemMem  // two memories
	immElem    // element segment
	immElemTab // element segment, table
	immTabTab  // two tables
	immZero    // a zero byte
)

// opcodes, vectorOpcodes, miscOpcodes and atomicOpcodes say what follows each
// opcode that the engine knows.
var (
	opcodes       = opcodeTable()
	miscOpcodes   = miscTable()
	vectorOpcodes = vectorTable()
	atomicOpcodes = atomicTable()
)

func opcodeTable() (t [256]immediate) {
	fill := func(imm immediate, first, last opcode) {
		for op := first; op <= last; op++ {
			t[op] = imm
		}
	}
	fill(immNone, opUnreachable, opNop)
	fill(immBlock, opBlock, opIf)
	fill(immNone, opElse, opElse)
	fill(immTag, opThrow, opThrow)
	fill(immNone, opThrowRef, opEnd)
	fill(immLabel, opBr, opBrIf)
	fill(immLabels, opBrTable, opBrTable)
	fill(immNone, opReturn, opReturn)
	fill(immFunc, opCall, opCall)
	fill(immIndirect, opCallIndirect, opCallIndirect)
	fill(immFunc, opReturnCall, opReturnCall)
	fill(immIndirect, opReturnCallIndirect, opReturnCallIndirect)
	fill(immType, opCallRef, opReturnCallRef)
	fill(immNone, opDrop, opSelect)
	fill(immSelect, opSelectTyped, opSelectTyped)
	fill(immTry, opTryTable, opTryTable)
	fill(immLocal, opLocalGet, opLocalTee)
	fill(immGlobal, opGlobalGet, opGlobalSet)
	fill(immTable, opTableGet, opTableSet)
	fill(immMemArg, 0x28, 0x3e)
	fill(immMemory, opMemorySize, opMemoryGrow)
	fill(immI32, opI32Const, opI32Const)
	fill(immI64, opI64Const, opI64Const)
	fill(imm4, opF32Const, opF32Const)
	fill(imm8, opF64Const, opF64Const)
	fill(immNone, 0x45, opI64Extend32S)
	fill(immHeap, opRefNull, opRefNull)
	fill(immNone, opRefIsNull, opRefIsNull)
	fill(immFunc, opRefFunc, opRefFunc)
	fill(immNone, opRefAsNonNull, opRefAsNonNull)
	fill(immLabel, opBrOnNull, opBrOnNonNull)
	fill(immPrefix, opMisc, opAtomic)
	return t
}

func miscTable() (t [18]immediate) {
	for sub := range opTruncSatLast&0xff + 1 {
		t[sub] = immNone
	}
	for op, imm := range map[opcode]immediate{
		opMemoryInit: immDataMem, opDataDrop: immData, opMemoryCopy: immMemMem, opMemoryFill: immMemory,
		opTableInit: immElemTab, opElemDrop: immElem, opTableCopy: immTabTab,
		opTableGrow: immTable, opTableSize: immTable, opTableFill: immTable,
	} {
		t[op&0xff] = imm
	}
	return t
}

// vectorTable leaves out the numbers that no instruction has.
func vectorTable() (t [256]immediate) {
	for sub := range t {
		t[sub] = immNone
	}
	for _, sub := range []int{
		0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6,
		0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
	} {
		t[sub] = immUnknown
	}
	fill := func(imm immediate, first, last int) {
		for sub := first; sub <= last; sub++ {
			t[sub] = imm
		}
	}
	fill(immMemArg, 0x00, 0x0b)
	fill(imm16, 0x0c, 0x0d)
	fill(immLane, 0x15, 0x22)
	fill(immMemLane, 0x54, 0x5b)
	fill(immMemArg, 0x5c, 0x5d)
	return t
}

func atomicTable() (t [0x4f]immediate) {
	for sub := range t {
		switch {
		case sub <= 2 || sub >= 0x10:
			t[sub] = immMemArg
		case sub == 3:
			t[sub] = immZero
		}
	}
	return t
}
