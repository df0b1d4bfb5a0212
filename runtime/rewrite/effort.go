package rewrite

// effort is what makes a function slow to compile, beyond its length. The time
// that the engine's compiler takes grows with the square of the branches, with the
// branches times the variables, and where there are thousands of variables even
// with their square.
type effort struct {
	// branches counts what ends a basic block of machine code.
	branches uint64
	// variables counts the parameters and locals.
	variables uint64
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
// are rounded up from measurements with wazero 1.12 on amd64.
func (e effort) nanoseconds() uint64 {
	return e.branches * (20*e.branches + e.variables*(1_000+e.variables))
}

// Limits of the estimate, in nanoseconds. Those of a module grow with the size of
// its code, so that a small file can't take long: large programs that compilers
// emit need less than half of what they may.
const (
	maxFunctionEffort   = 2e9
	maxModuleEffort     = 5e9
	moduleEffortPerByte = 2_000
)

// checkEffort refuses function i, which was written to body, if it or the module up
// to it takes too long to compile.
func (w *codeWriter) checkEffort(i int, body int) *Error {
	e := w.plan.effort
	e.branches += branchesPerSplit * uint64(len(w.splits))
	at, index := w.m.codes[i].locals, w.m.importedFuncs+i
	if limit := 2 * w.o.maxFunctionBytes(); body > limit {
		return refuse(at, TooLarge,
			"the body of function %d has %d bytes with its checks, at most %d are allowed: split the function", index, body, limit)
	}
	if !w.o.AnyEffort && e.nanoseconds() > maxFunctionEffort {
		return refuse(at, SlowToCompile,
			"function %d has too many branches (%d, where a loop counts as %d) for its %d variables: split the function, or build it with optimisation and less inlining",
			index, e.branches, branchesPerLoop+1, e.variables)
	}
	w.effort += e.nanoseconds()
	w.codeBytes += uint64(w.m.codes[i].end - at)
	return nil
}

// checkModuleEffort refuses a module whose functions together take too long to
// compile.
func (w *codeWriter) checkModuleEffort() *Error {
	if limit := maxModuleEffort + moduleEffortPerByte*w.codeBytes; !w.o.AnyEffort && w.effort > limit {
		return refuse(headerBytes, SlowToCompile,
			"its functions have too many branches: compiling it would take about %d s, at most %d s are allowed for code of %d bytes: split large functions or lower inlining",
			w.effort/1e9, limit/1e9, w.codeBytes)
	}
	return nil
}
