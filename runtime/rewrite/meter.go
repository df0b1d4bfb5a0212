package rewrite

import "slices"

// The names that rewriting adds to a module. A module that has one of them, or
// an export that starts with ReservedPrefix, is refused.
const (
	// ReservedPrefix begins the names of all exports that rewriting adds.
	ReservedPrefix = "wasmtool:"
	// MeterModule and MeterFunction name the imported function, () -> (), that is
	// called when fuel is below zero, and before every call of another imported
	// function. It brings ExportFuel to zero or more and returns; or it ends the
	// call. It may forgive what is owed: that is never more than one operation of
	// measured length and a bounded amount of work.
	MeterModule   = ReservedPrefix + "meter"
	MeterFunction = "refill"
	// EnterFunction and CheckpointFunction are imported from MeterModule besides, if
	// there are checkpoints (see Options.Checkpoint). EnterFunction, () -> (), is the
	// first thing that ExportMain calls. It returns, so that the command starts; or
	// it restores a snapshot that was taken in CheckpointFunction, with the result
	// that CheckpointFunction is to return.
	//
	// CheckpointFunction, () -> i32, is called before fd_read in place of
	// MeterFunction, and does what that does. It is called again for as long as it
	// does not return 0. A snapshot can be restored only once: restored with 1, it is
	// followed by a call that can take a new one of the same place. It has to do so
	// before anything that may end the call, as a run that ends without a new one is
	// the last one of the instance.
	EnterFunction      = "enter"
	CheckpointFunction = "checkpoint"
	// ExportMain is the function, () -> (), that calls EnterFunction and then _start.
	// It takes no fuel itself.
	ExportMain = ReservedPrefix + "main"
	// ExportFuel is the global, mut i64, that holds the fuel that is left. It
	// starts at 0.
	ExportFuel = ReservedPrefix + "fuel"
	// ExportMemory is the memory under a name of ours.
	ExportMemory = ReservedPrefix + "memory"
	// ExportStart is the start function, () -> ().
	ExportStart = ReservedPrefix + "start"
	// exportGlobal begins the names of exported globals.
	exportGlobal = ReservedPrefix + "global:"
)

// blockNoResult is the block type of a block without a result.
const blockNoResult = 0x40

// meter writes the code that takes fuel. A charge is
//
//	global.get fuel  i64.const charge  i64.sub  global.set fuel
//	global.get fuel  i64.const 0  i64.lt_s  if  call refill  end
//
// In a loop in which nothing else takes fuel there is a copy in a local, so that one
// round need not wait for what the round before wrote to memory:
//
//	local.get copy  i64.const charge  i64.sub  local.tee copy  global.set fuel
//	local.get copy  i64.const 0  i64.lt_s  if  call refill  global.get fuel  local.set copy  end
type meter struct {
	before, after []byte // of the charge
	get, set      []byte
	call          []byte // of refill
}

// typesOfMeter is how many types metering adds: that of refill, and that of
// piecewise.
const typesOfMeter = 2

// newMeter returns a meter for the global fuel and the function refill.
func newMeter(fuel, refill uint32) *meter {
	get := appendU32([]byte{byte(opGlobalGet)}, fuel)
	set := appendU32([]byte{byte(opGlobalSet)}, fuel)
	call := appendU32([]byte{byte(opCall)}, refill)
	after := slices.Concat([]byte{byte(opI64Sub)}, set, get, []byte{byte(opI64Const), 0, byte(opI64LtS), byte(opIf), blockNoResult}, call)
	return &meter{
		before: append(slices.Clone(get), byte(opI64Const)),
		after:  append(after, byte(opEnd)),
		get:    get,
		set:    set,
		call:   call,
	}
}

// appendCharge appends code that takes charge units.
func (t *meter) appendCharge(b []byte, charge uint64) []byte {
	b = append(b, t.before...)
	b = appendS64(b, int64(charge))
	return append(b, t.after...)
}

// appendCopy appends code that makes the copy of the fuel for a tight loop.
func (t *meter) appendCopy(b []byte, copied uint32) []byte {
	b = append(b, t.get...)
	return appendU32(append(b, byte(opLocalSet)), copied)
}

// appendTightCharge appends code that takes charge units in a tight loop.
func (t *meter) appendTightCharge(b []byte, charge uint64, copied uint32) []byte {
	b = appendU32(append(b, byte(opLocalGet)), copied)
	b = appendS64(append(b, byte(opI64Const)), int64(charge))
	b = appendU32(append(b, byte(opI64Sub), byte(opLocalTee)), copied)
	b = append(b, t.set...)
	b = appendU32(append(b, byte(opLocalGet)), copied)
	b = append(b, byte(opI64Const), 0, byte(opI64LtS), byte(opIf), blockNoResult)
	b = t.appendCopy(append(b, t.call...), copied)
	return append(b, byte(opEnd))
}

// appendTake appends code that takes charge units, without a look at what is left.
func (t *meter) appendTake(b []byte, charge uint64) []byte {
	b = append(b, t.before...)
	b = appendS64(b, int64(charge))
	return append(append(b, byte(opI64Sub)), t.set...)
}

// appendMeasured appends code that takes charge units and what op costs for the
// length on top of the stack, which it leaves there. scratch is a local of type
// i32.
func (t *meter) appendMeasured(b []byte, op bulk, charge uint64, scratch uint32) []byte {
	b = appendU32(append(b, byte(opLocalTee)), scratch)
	b = append(b, t.get...)
	b = appendU32(append(b, byte(opLocalGet)), scratch)
	if op.mask != anyLength {
		b = appendS64(append(b, byte(opI32Const)), int64(int32(op.mask)))
		b = append(b, byte(opI32And))
	}
	b = append(b, byte(opI64ExtendI32U), byte(opI64Const))
	if op.shift < 0 {
		b = append(appendS64(b, int64(-op.shift)), byte(opI64ShrU))
	} else {
		b = append(appendS64(b, int64(op.shift)), byte(opI64Shl))
	}
	b = append(b, byte(opI64Sub), byte(opI64Const))
	b = appendS64(b, int64(charge))
	return append(b, t.after...)
}

// markQuick notes which imported functions are quick.
func (m *module) markQuick(names []ImportName) {
	m.quick = make([]bool, m.importedFuncs)
	for _, d := range m.imports {
		if d.kind == ExternFunc {
			m.quick[d.index] = slices.Contains(names, ImportName{d.module, d.name})
		}
	}
}

// leaves reports whether a call of function f leaves for the host, which is asked before:
// it is imported, and not quick.
func (m *module) leaves(f uint32) bool {
	return int(f) < m.importedFuncs && (m.quick == nil || !m.quick[f])
}
