package rewrite

// features is a set of proposals that extend WASM 1.0.
type features uint16

const (
	featMutableGlobal features = 1 << iota
	featSignExtension
	featMultiValue
	featSaturating
	featBulkMemory
	featReferences
	featVector
	featThreads
	featTailCall
	featExtendedConst
	featExceptions
	featTypedRefs
)

// featureNames are the names that engines use, in the order of the bits.
var featureNames = [...]string{
	"mutable-global", "sign-extension-ops", "multi-value", "nontrapping-float-to-int-conversion", "bulk-memory-operations",
	"reference-types", "simd", "threads", "tail-call", "extended-const", "exception-handling", "typed-function-references",
}

func (f features) names() []string { return named(f, featureNames[:]) }

// named returns the names of the bits that are set, in the order of the bits.
func named[T ~uint16](bits T, names []string) (set []string) {
	for i, name := range names {
		if bits&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return set
}

// opFeatures are the features that opcodes without a prefix need.
var opFeatures = featureTable()

func featureTable() (t [256]features) {
	fill(t[:], featExceptions, opThrow, opThrow, opThrowRef, opThrowRef, opTryTable, opTryTable)
	fill(t[:], featTailCall, opReturnCall, opReturnCallIndirect)
	fill(t[:], featTypedRefs, opCallRef, opCallRef, opRefAsNonNull, opBrOnNonNull)
	fill(t[:], featTailCall|featTypedRefs, opReturnCallRef, opReturnCallRef)
	fill(t[:], featReferences, opSelectTyped, opSelectTyped, opTableGet, opTableSet, opRefNull, opRefFunc)
	fill(t[:], featSignExtension, opI32Extend8S, opI64Extend32S)
	return t
}

// featureOf returns the feature that an instruction needs.
func featureOf(in *instr) features {
	switch {
	case in.op >= opBlock && in.op <= opIf && in.a > 0:
		return featMultiValue
	case in.op < 0x100:
		return opFeatures[in.op]
	case in.op <= opTruncSatLast:
		return featSaturating
	case in.op < opTableGrow:
		return featBulkMemory
	case in.op <= opTableFill:
		return featReferences
	case in.op>>8 == opVector:
		return featVector
	}
	return featThreads
}

// blockers are reasons why saving the memory and globals of an instance does not save its complete
// state.
type blockers uint16

const (
	blockTables blockers = 1 << iota
	blockSegments
	blockExceptions
	blockImportedMemory
	blockSharedMemory
	blockImportedTable
	blockImportedGlobal
	blockGlobalType
	blockNoMemory
)

// blockerTexts explain the reasons, in the order of the bits.
var blockerTexts = [...]string{
	"it changes tables while it runs",
	"it uses memory.init or data.drop",
	"it uses exceptions",
	"it imports its memory",
	"its memory is shared",
	"it imports a table",
	"it imports a mutable global",
	"it has a mutable global that is a vector or a reference",
	"it has no memory",
}

func (b blockers) texts() []string { return named(b, blockerTexts[:]) }

// declaredBlockers returns the reasons that follow from the module's declarations.
func (m *module) declaredBlockers() blockers {
	var b blockers
	switch {
	case len(m.memories) == 0:
		b |= blockNoMemory
	case m.memories[0].Shared:
		b |= blockSharedMemory
	}
	if len(m.memories) > 0 && m.memories[0].Imported {
		b |= blockImportedMemory
	}
	if m.importedTables > 0 {
		b |= blockImportedTable
	}
	if len(m.tags) > 0 {
		b |= blockExceptions
	}
	for i, g := range m.globals {
		switch {
		case !g.mutable:
		case i < m.importedGlobals:
			b |= blockImportedGlobal
		case g.typ == typeV128 || g.typ.isRef():
			b |= blockGlobalType
		}
	}
	return b
}
