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
	fill(t[:], immNone, opUnreachable, opNop)
	fill(t[:], immBlock, opBlock, opIf)
	fill(t[:], immNone, opElse, opElse)
	fill(t[:], immTag, opThrow, opThrow)
	fill(t[:], immNone, opThrowRef, opEnd)
	fill(t[:], immLabel, opBr, opBrIf)
	fill(t[:], immLabels, opBrTable, opBrTable)
	fill(t[:], immNone, opReturn, opReturn)
	fill(t[:], immFunc, opCall, opCall)
	fill(t[:], immIndirect, opCallIndirect, opCallIndirect)
	fill(t[:], immFunc, opReturnCall, opReturnCall)
	fill(t[:], immIndirect, opReturnCallIndirect, opReturnCallIndirect)
	fill(t[:], immType, opCallRef, opReturnCallRef)
	fill(t[:], immNone, opDrop, opSelect)
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
	fill(t[:], immNone, 0x45, opI64Extend32S)
	fill(t[:], immHeap, opRefNull, opRefNull)
	fill(t[:], immNone, opRefIsNull, opRefIsNull)
	fill(t[:], immFunc, opRefFunc, opRefFunc)
	fill(t[:], immNone, opRefAsNonNull, opRefAsNonNull)
	fill(t[:], immLabel, opBrOnNull, opBrOnNonNull)
	fill(t[:], immPrefix, opMisc, opAtomic)
	return t
}

func miscTable() (t [18]immediate) {
	fill(t[:], immNone, 0, opTruncSatLast&0xff)
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
	fill(t[:], immNone, 0x00, 0xff)
	for _, sub := range []int{
		0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6,
		0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
	} {
		t[sub] = immUnknown
	}
	fill(t[:], immMemArg, 0x00, 0x0b)
	fill(t[:], imm16, 0x0c, 0x0d)
	fill(t[:], immLane, 0x15, 0x22)
	fill(t[:], immMemLane, 0x54, 0x5b)
	fill(t[:], immMemArg, 0x5c, 0x5d)
	return t
}

func atomicTable() (t [0x4f]immediate) {
	fill(t[:], immMemArg, 0, 2)
	t[3] = immZero
	fill(t[:], immMemArg, 0x10, 0x4e)
	return t
}

// fill sets a row of a table.
func fill[T any](table []T, value T, first, last opcode) {
	for op := first; op <= last; op++ {
		table[op] = value
	}
}

// effect is what an instruction without labels, variables or calls does to the
// value stack: it pops so many values and pushes one of a type, or none for 0.
type effect struct {
	pops uint8
	push valueType
}

// effects are those of opcodes without a prefix; vectorEffects of vector opcodes.
var (
	effects       = effectTable()
	vectorEffects = vectorEffectTable()
)

func effectOf(op opcode) effect {
	switch {
	case op < 0x100:
		return effects[op]
	case op>>8 == opVector:
		return vectorEffects[op&0xff]
	case op>>8 == opAtomic:
		return atomicEffect(int(op & 0xff))
	case op <= opMisc<<8|3:
		return effect{1, typeI32}
	case op <= opTruncSatLast:
		return effect{1, typeI64}
	}
	switch op {
	case opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill:
		return effect{3, 0}
	case opTableGrow:
		return effect{2, typeI32}
	case opTableSize:
		return effect{0, typeI32}
	}
	return effect{} // data.drop and elem.drop
}

func effectTable() (t [256]effect) {
	fill(t[:], effect{2, 0}, opTableSet, opTableSet)
	fill(t[:], effect{1, typeI32}, 0x28, 0x28) // loads
	fill(t[:], effect{1, typeI64}, 0x29, 0x29)
	fill(t[:], effect{1, typeF32}, 0x2a, 0x2a)
	fill(t[:], effect{1, typeF64}, 0x2b, 0x2b)
	fill(t[:], effect{1, typeI32}, 0x2c, 0x2f)
	fill(t[:], effect{1, typeI64}, 0x30, 0x35)
	fill(t[:], effect{2, 0}, 0x36, 0x3e) // stores
	fill(t[:], effect{0, typeI32}, opMemorySize, opMemorySize)
	fill(t[:], effect{1, typeI32}, opMemoryGrow, opMemoryGrow)
	fill(t[:], effect{0, typeI32}, opI32Const, opI32Const)
	fill(t[:], effect{0, typeI64}, opI64Const, opI64Const)
	fill(t[:], effect{0, typeF32}, opF32Const, opF32Const)
	fill(t[:], effect{0, typeF64}, opF64Const, opF64Const)
	fill(t[:], effect{1, typeI32}, 0x45, 0x45) // tests and comparisons
	fill(t[:], effect{2, typeI32}, 0x46, 0x4f)
	fill(t[:], effect{1, typeI32}, 0x50, 0x50)
	fill(t[:], effect{2, typeI32}, 0x51, 0x66)
	fill(t[:], effect{1, typeI32}, 0x67, 0x69) // arithmetic
	fill(t[:], effect{2, typeI32}, 0x6a, 0x78)
	fill(t[:], effect{1, typeI64}, 0x79, 0x7b)
	fill(t[:], effect{2, typeI64}, 0x7c, 0x8a)
	fill(t[:], effect{1, typeF32}, 0x8b, 0x91)
	fill(t[:], effect{2, typeF32}, 0x92, 0x98)
	fill(t[:], effect{1, typeF64}, 0x99, 0x9f)
	fill(t[:], effect{2, typeF64}, 0xa0, 0xa6)
	fill(t[:], effect{1, typeI32}, 0xa7, 0xab) // conversions
	fill(t[:], effect{1, typeI64}, 0xac, 0xb1)
	fill(t[:], effect{1, typeF32}, 0xb2, 0xb6)
	fill(t[:], effect{1, typeF64}, 0xb7, 0xbb)
	fill(t[:], effect{1, typeI32}, 0xbc, 0xbc)
	fill(t[:], effect{1, typeI64}, 0xbd, 0xbd)
	fill(t[:], effect{1, typeF32}, 0xbe, 0xbe)
	fill(t[:], effect{1, typeF64}, 0xbf, 0xbf)
	fill(t[:], effect{1, typeI32}, 0xc0, 0xc1)
	fill(t[:], effect{1, typeI64}, 0xc2, 0xc4)
	fill(t[:], effect{1, typeI32}, opRefIsNull, opRefIsNull)
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
	set(1, typeV128, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0x62)            // loads, conversions, i8x16
	set(1, typeV128, 0x67, 0x68, 0x69, 0x6a, 0x74, 0x75, 0x7a, 0x94)      // rounding
	set(1, typeV128, 0x7c, 0x7d, 0x7e, 0x7f)                              // pairwise sums
	set(1, typeV128, 0x80, 0x81, 0x87, 0x88, 0x89, 0x8a)                  // i16x8
	set(1, typeV128, 0xa0, 0xa1, 0xa7, 0xa8, 0xa9, 0xaa)                  // i32x4
	set(1, typeV128, 0xc0, 0xc1, 0xc7, 0xc8, 0xc9, 0xca)                  // i64x2
	set(1, typeV128, 0xe0, 0xe1, 0xe3, 0xec, 0xed, 0xef)                  // f32x4, f64x2
	set(1, typeV128, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff)      // conversions
	return t
}

// atomicEffect is the effect of an atomic opcode. From the loads on they come in
// rows of seven widths: i32, i64, and narrow ones of i32 and of i64.
func atomicEffect(sub int) effect {
	switch {
	case sub == 0: // notify
		return effect{2, typeI32}
	case sub <= 2: // wait
		return effect{3, typeI32}
	case sub == 3: // fence
		return effect{}
	}
	row, width := (sub-0x10)/7, (sub-0x10)%7
	push := typeI64
	if width == 0 || width == 2 || width == 3 {
		push = typeI32
	}
	switch {
	case row == 0: // loads
		return effect{1, push}
	case row == 1: // stores
		return effect{2, 0}
	case row < 8: // read-modify-write
		return effect{2, push}
	}
	return effect{3, push} // compare and exchange
}
