package rewrite

import (
	"math"
	"time"
)

// Effort is what it takes the engine to compile a module as it is rewritten.
type Effort struct {
	// Time is on one core of a common machine, Bytes the memory that is needed at once, if
	// one function is compiled after the other. Largest is what of it is needed while the
	// largest function is: with several at once, it is needed as often.
	Time           time.Duration
	Bytes, Largest uint64
}

// effort counts what makes a function slow to compile. The time that the engine's
// compiler takes grows with its instructions, with the square of the branches, with the
// branches times the values that live across them, and, for each way to a place where paths
// meet, with the square of the values that may differ there, once for each level of loops.
type effort struct {
	// instructions counts those of the engine's own representation.
	instructions uint64
	// branches counts what ends a basic block of machine code.
	branches uint64
	// variables counts the parameters and locals.
	variables uint64
	// live adds up, over the branches, the values on the stack there, and variables, which
	// count as liveVariable values each.
	live uint64
	// merged adds up, over the ways to places where paths meet, the square of the values
	// that may differ there. For loop heads that comes with each level of loops, in loops.
	// Hostile code takes them beyond 64 bits.
	merged, loops float64
	// depth is how deep loops lie in each other.
	depth uint64
}

const (
	// branchesPerLoop is how many branches cost as much as a loop without its check.
	branchesPerLoop = 3
	// labelsPerBranch is how many labels of br_table cost as much as a branch.
	labelsPerBranch = 4
	// branchesPerSplit is what splitting a select adds.
	branchesPerSplit = 2
	// branchesPerCheckpoint is what the loop of a checkpoint adds.
	branchesPerCheckpoint = branchesPerLoop + 1
)

// branches is what an instruction adds to an effort.
func (in *instr) branches() uint64 {
	switch in.op {
	case opLoop:
		return branchesPerLoop
	case opBlock, opIf, opElse, opBrIf, opBrOnNull, opBrOnNonNull:
		return 1
	case opMemoryFill, opMemoryCopy:
		return 3 // the choice of how to do it
	case opBrTable:
		return 1 + uint64(in.a)/labelsPerBranch
	}
	return 0
}

// nanoseconds estimates the time to compile a function on one core. The factors
// are from measurements with wazero 1.12 on amd64: the result is at least half of the time
// that the worst code of each kind takes, and twice or three times that of common code.
func (e effort) nanoseconds() uint64 {
	branches, depth := float64(e.branches), float64(e.depth)
	ns := nsPerFunction + nsPerInstruction*float64(e.instructions) + nsPerLive*float64(e.live) +
		nsPerMerged*((1+depth)*e.merged+e.loops) + nsPerBranches*branches*branches
	return uint64(min(ns, mostPerFunction))
}

// bytes estimates the memory that is needed while a function is compiled.
func (e effort) bytes() uint64 { return bytesPerInstruction*e.instructions + bytesPerLive*e.live }

// kept estimates the memory that is needed until all functions are compiled.
func (e effort) kept() uint64 {
	return keptPerFunction + keptPerInstruction*e.instructions + keptPerVariable*e.variables
}

const (
	nsPerFunction    = 2_500
	nsPerInstruction = 250
	nsPerLive        = 100
	nsPerMerged      = 1
	nsPerBranches    = 10 // for each two
	// mostPerFunction is far beyond all limits, and the sum over all functions has 64 bits.
	mostPerFunction = 1 << 40

	bytesPerInstruction = 400
	bytesPerLive        = 40
	// What is left of a function when the next is compiled.
	keptPerFunction    = 500
	keptPerInstruction = 8
	keptPerVariable    = 8

	// liveVariable is how many values on the stack cost as much as a variable.
	liveVariable = 4
	// weightTyped is how many instructions there are for a value of a declared type.
	weightTyped = 5
	// nsPerDeclared is what a type, an import or a global costs in each function.
	nsPerDeclared = 10
)

// Limits of the estimate, in nanoseconds and, for memory, bytes. Those of a module grow with
// the size of its code, so that a small file can't take long: large programs that compilers
// emit need less than half of what they may.
const (
	maxFunctionEffort   = 1.5e9
	maxModuleEffort     = 5e9
	moduleEffortPerByte = 2_000
	maxFunctionMemory   = 768 << 20
)

// checkEffort refuses function i, which was written to body, if it or the module up
// to it takes too long to compile.
func (w *codeWriter) checkEffort(i int, body int) *Error {
	e := w.plan.gauge.effort
	splits := branchesPerSplit * uint64(len(w.splits))
	e.branches += splits
	e.live += splits * w.plan.gauge.most
	e.instructions += 2 * splits
	at, index := w.m.codes[i].locals, w.m.importedFuncs+i
	if limit := 2 * int(w.o.MaxFunctionBytes); body > limit {
		return refuse(at, TooLarge,
			"the body of function %d has %d bytes with its checks, at most %d are allowed: split the function", index, body, limit)
	}
	if ns, bytes := e.nanoseconds(), e.bytes(); !w.o.AnyEffort && (ns > maxFunctionEffort || bytes > maxFunctionMemory) {
		return refuse(at, SlowToCompile,
			"function %d takes too long to compile, about %d ms and %d MiB of memory, at most %d and %d are allowed: it has too many branches (%d) for its %d variables and what its blocks and calls carry; split it, or build it with optimisation and less inlining",
			index, ns/1e6, bytes>>20, uint64(maxFunctionEffort/1e6), uint64(maxFunctionMemory>>20), e.branches, e.variables)
	}
	w.effort += e.nanoseconds()
	w.effortBytes += e.kept()
	w.mostBytes = max(w.mostBytes, e.bytes())
	w.codeBytes += uint64(w.m.codes[i].end - at)
	return nil
}

// checkModuleEffort refuses a module whose functions together take too long to
// compile.
func (w *codeWriter) checkModuleEffort() *Error {
	if w.meter == nil {
		return nil
	}
	ns, bytes := w.m.declarations(len(w.s.refs))
	w.effort, w.effortBytes = w.effort+ns, w.effortBytes+bytes
	if limit := maxModuleEffort + moduleEffortPerByte*w.codeBytes; !w.o.AnyEffort && w.effort > limit {
		return refuse(headerBytes, SlowToCompile,
			"its functions have too many branches: compiling it would take about %d s, at most %d s are allowed for code of %d bytes: split large functions or lower inlining",
			w.effort/1e9, limit/1e9, w.codeBytes)
	}
	return nil
}

// total is the effort of all functions that were written.
func (w *codeWriter) total() Effort {
	return Effort{Time: time.Duration(min(w.effort, math.MaxInt64)), Bytes: w.effortBytes + w.mostBytes, Largest: w.mostBytes}
}

// declarations estimates the time and memory that the engine's compiler takes for what is
// declared once and looked at with each function, and for the ways into functions of each
// type. refs is how many globals are added.
func (m *module) declarations(refs int) (ns, bytes uint64) {
	each := uint64(len(m.types) + len(m.imports) + len(m.globals) + refs)
	values := weightTyped * uint64(m.typeValues+len(m.types))
	return nsPerInstruction*values + nsPerDeclared*each*uint64(len(m.codes)), bytesPerInstruction * values
}
