package rewrite

// The prices of instructions in fuel. A unit is about the work of one simple instruction. Users see
// the prices: any change of them, or of how paths are charged, changes the fuel of a call and needs
// a new Revision.
const (
	costDivide   = 8
	costCall     = 3
	costIndirect = 6
	// costHost is for calls of imported functions, which leave compiled code. A call of refill
	// precedes each of them.
	costHost = 40
	// costQuick is for the functions in Options.Quick.
	costQuick = 12
	// costLeave is for instructions that the engine runs outside compiled code.
	costLeave  = 40
	costBulk   = 10
	costAtomic = 8

	// bytesPerUnit is the binary logarithm of the bytes of a bulk operation that one unit pays for:
	// 16.
	bytesPerUnit = 4
	// pageShift is the binary logarithm of the price of a page: 4,096 units for 64 KiB.
	pageShift = 16 - bytesPerUnit
)

// costs has the costs of opcodes without a prefix.
var costs = costTable()

func costTable() (t [256]uint8) {
	fill(t[:], 1, 0x00, 0xff)
	set := func(cost uint8, ops ...opcode) {
		for _, op := range ops {
			t[op] = cost
		}
	}
	// The engine generates little or no code for these.
	set(0, opNop, opBlock, opLoop, opElse, opEnd, opDrop, opLocalGet, opLocalSet, opLocalTee,
		opI32Const, opI64Const, opF32Const, opF64Const, opUnreachable)
	// i32.div_s to i32.rem_u, and the same for i64.
	fill(t[:], costDivide, 0x6d, 0x70, 0x7f, 0x82)
	set(costDivide, 0x91, 0x95, 0x9f, 0xa3) // f32.sqrt, f32.div, f64.sqrt, f64.div
	set(costCall, opCall, opReturnCall)
	set(costIndirect, opCallIndirect, opReturnCallIndirect, opCallRef, opReturnCallRef)
	set(costLeave, opMemoryGrow)
	return t
}

// simple marks the instructions for which only the cost matters when checks are planned. Most
// instructions of any code are simple.
var simple = simpleTable()

func simpleTable() (t [256]bool) {
	t[opNop], t[opDrop] = true, true
	fill(t[:], true, opLocalGet, opGlobalSet, 0x28, opI32Extend8S-1)
	t[opMemoryGrow] = false
	return t
}

// cost returns the cost of the instruction itself, without the function that it calls. It includes
// the length of a bulk operation only if the length is constant.
func (in *instr) cost() uint64 {
	if in.op < 0x100 && in.op != opMemoryGrow {
		return uint64(costs[in.op])
	}
	if b, ok := in.op.bulk(); ok {
		c := uint64(costBulk)
		if in.op == opMemoryGrow || in.op == opTableGrow {
			c = costLeave
		}
		if in.constLength {
			c += b.cost(in.length)
		}
		return c
	}
	if in.op>>8 == opAtomic {
		return costAtomic
	}
	return 1
}

// Prices of moving values between registers and the stack, where paths meet or a call is made:
// freeMoves values are free, and each further unit of fuel pays for movesPerUnit values.
const (
	freeMoves    = 16
	movesPerUnit = 2
)

// moveCost returns the cost of moving n values.
func moveCost(n int) uint64 { return uint64(max(0, n-freeMoves+movesPerUnit-1) / movesPerUnit) }

// cost returns the cost of an instruction including the parameters and results that it moves, but
// without the values moved where paths meet.
func (d *decoder) cost(in *instr) uint64 {
	c := in.cost()
	switch in.op {
	case opCall, opReturnCall:
		c += d.m.types[d.m.funcs[in.a]].moves()
	case opCallIndirect, opReturnCallIndirect, opCallRef, opReturnCallRef:
		c += d.m.types[in.a].moves()
	}
	return c
}

// moves returns the cost of moving the parameters and results of a call.
func (f funcType) moves() uint64 { return moveCost(len(f.params) + len(f.results)) }

// merges reports whether paths meet at the instruction, other than at a loop head.
func (in *instr) merges() bool {
	return in.op == opEnd && in.opener != opLoop && in.opener != opEnd
}

// bulk is the price of an instruction whose work grows with its last operand.
type bulk struct {
	// mask clears high bits of a length, so that a growth that cannot succeed costs less.
	mask uint32
	// shift converts a length into units of fuel: a shift to the left if positive, and to the right
	// if negative.
	shift int
}

// Values of bulk.mask. A memory never grows by 65,536 pages unless it is empty.
const (
	growPages    = 0xffff
	growElements = 0xff_ffff
	anyLength    = 0xffff_ffff
)

func (op opcode) bulk() (b bulk, ok bool) {
	switch op {
	case opMemoryFill, opMemoryCopy, opMemoryInit:
		return bulk{mask: anyLength, shift: -bytesPerUnit}, true
	case opTableFill, opTableCopy, opTableInit:
		return bulk{mask: anyLength, shift: 1}, true
	case opTableGrow:
		return bulk{mask: growElements, shift: 1}, true
	case opMemoryGrow:
		return bulk{mask: growPages, shift: pageShift}, true
	}
	return bulk{}, false
}

// measured reports whether the instruction is a bulk operation whose length is known only at run
// time.
func (in *instr) measured() bool {
	if in.op < 0x100 && in.op != opMemoryGrow {
		return false
	}
	_, ok := in.op.bulk()
	return ok && !in.constLength
}

func (b bulk) cost(length uint32) uint64 {
	n := uint64(length & b.mask)
	if b.shift < 0 {
		return n >> -b.shift
	}
	return n << b.shift
}
