package rewrite

import "slices"

// Names that rewriting adds to a module. A module that imports from MeterModule, or has an export
// that starts with ReservedPrefix, is refused.
const (
	// ReservedPrefix begins the names of all exports that rewriting adds.
	ReservedPrefix = "wasmtool:"
	// MeterModule and MeterFunction name an imported function, () -> (). It is called when the fuel
	// is below zero, and before every call of another imported function. It either raises
	// ExportFuel to zero or more and returns, or ends the call. It may ignore the fuel that the
	// guest owes. The guest owes at most the price of one operation of measured length and of a
	// bounded amount of other work.
	MeterModule   = ReservedPrefix + "meter"
	MeterFunction = "refill"
	// EnterFunction and CheckpointFunction are also imported from MeterModule, if there are
	// checkpoints (see Options.Checkpoint).
	//
	// ExportMain calls EnterFunction, () -> (), first. If EnterFunction returns, the command
	// starts. Instead of returning, EnterFunction may restore a snapshot that was taken in
	// CheckpointFunction. CheckpointFunction then returns the result with which the snapshot was
	// restored.
	//
	// CheckpointFunction, () -> i32, replaces MeterFunction before calls of fd_read, and also does
	// what MeterFunction does. It is called again until it returns 0. A snapshot can be restored
	// only once. After a restore with the result 1, CheckpointFunction is called again, and can
	// take a new snapshot of the same place. It must do so before anything that may end the call,
	// because after a run that ends without a new snapshot the instance cannot be resumed.
	EnterFunction      = "enter"
	CheckpointFunction = "checkpoint"
	// ExportMain is the function, () -> (), that calls EnterFunction and then _start. It uses no
	// fuel itself.
	ExportMain = ReservedPrefix + "main"
	// ExportFuel is the mutable i64 global that holds the remaining fuel. It starts at 0.
	ExportFuel = ReservedPrefix + "fuel"
	// ExportMemory is the memory under a reserved name.
	ExportMemory = ReservedPrefix + "memory"
	// ExportStart is the start function, () -> ().
	ExportStart = ReservedPrefix + "start"
	// exportGlobal begins the names of exported globals.
	exportGlobal = ReservedPrefix + "global:"
)

// blockNoResult is the block type of a block without a result.
const blockNoResult = 0x40

// meter writes the code that charges and checks fuel. A charge is
//
//	global.get fuel  i64.const charge  i64.sub  global.set fuel
//
// and a check, which usually follows, is
//
//	global.get fuel  i64.const 0  i64.ge_s  if  else  call refill  end
//
// The call is in the second half of the if. Where paths meet, the engine keeps values where they
// are at the end of the path that comes first in the code (wazero 1.12). With the call in the first
// half, every value would be on the stack after each check, because calls do not preserve
// registers.
//
// A tight loop is a loop in which only the check at its head charges fuel. It has a copy of the
// fuel in a local, so that an iteration does not wait for the memory write of the previous one:
//
//	local.get copy  i64.const charge  i64.sub  local.tee copy  global.set fuel
//	local.get copy  i64.const 0  i64.ge_s  if  else  call refill
//	global.get fuel  local.set copy  end
type meter struct {
	get, set []byte
	call     []byte // a call of refill
	check    []byte
}

// typesOfMeter is the number of types that metering adds: for refill and for piecewise.
const typesOfMeter = 2

// newMeter returns a meter. fuel is the index of the global with the remaining fuel, and refill is
// the index of the function that refills it.
func newMeter(fuel, refill uint32) *meter {
	get := appendU32([]byte{byte(opGlobalGet)}, fuel)
	set := appendU32([]byte{byte(opGlobalSet)}, fuel)
	call := appendU32([]byte{byte(opCall)}, refill)
	isLeft := []byte{byte(opI64Const), 0, byte(opI64GeS)}
	return &meter{
		get: get, set: set, call: call,
		check: slices.Concat(get, isLeft, []byte{byte(opIf), blockNoResult, byte(opElse)}, call, []byte{byte(opEnd)}),
	}
}

// appendCharge appends code that charges fuel and checks how much is left.
func (t *meter) appendCharge(b []byte, charge uint64) []byte {
	return append(t.appendTake(b, charge), t.check...)
}

// appendTake appends code that charges fuel.
func (t *meter) appendTake(b []byte, charge uint64) []byte {
	b = append(append(b, t.get...), byte(opI64Const))
	b = append(appendS64(b, int64(charge)), byte(opI64Sub))
	return append(b, t.set...)
}

// appendCopy appends code that copies the fuel into a local for a tight loop.
func (t *meter) appendCopy(b []byte, copied uint32) []byte {
	b = append(b, t.get...)
	return appendU32(append(b, byte(opLocalSet)), copied)
}

// appendTightTake appends code that charges fuel in a tight loop.
func (t *meter) appendTightTake(b []byte, charge uint64, copied uint32) []byte {
	b = appendU32(append(b, byte(opLocalGet)), copied)
	b = appendS64(append(b, byte(opI64Const)), int64(charge))
	b = appendU32(append(b, byte(opI64Sub), byte(opLocalTee)), copied)
	return append(b, t.set...)
}

// appendTightCheck appends code that checks how much fuel is left in a tight loop.
func (t *meter) appendTightCheck(b []byte, copied uint32) []byte {
	b = appendU32(append(b, byte(opLocalGet)), copied)
	b = append(b, byte(opI64Const), 0, byte(opI64GeS), byte(opIf), blockNoResult, byte(opElse))
	b = t.appendCopy(append(b, t.call...), copied)
	return append(b, byte(opEnd))
}

// appendMeasured appends code that charges fuel: charge, and the price of op for the length on top
// of the stack. The length stays on the stack. scratch is a local of type i32.
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
	b = append(appendS64(b, int64(charge)), byte(opI64Sub))
	return append(append(b, t.set...), t.check...)
}

// markQuick records which imported functions are quick.
func (m *module) markQuick(names []ImportName) {
	m.quick = make([]bool, m.importedFuncs)
	for _, d := range m.imports {
		if d.kind == ExternFunc {
			m.quick[d.index] = slices.Contains(names, ImportName{d.module, d.name})
		}
	}
}

// leaves reports whether a call of function f leaves compiled code: f is imported and not quick.
// The fuel is checked before such a call.
func (m *module) leaves(f uint32) bool {
	return int(f) < m.importedFuncs && (m.quick == nil || !m.quick[f])
}
