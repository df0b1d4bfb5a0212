package rewrite

// blockers are reasons why the state of an instance can't be saved and restored
// by way of its memory and its global variables.
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

func (b blockers) texts() []string {
	var texts []string
	for i, text := range blockerTexts {
		if b&(1<<i) != 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

// declaredBlockers are the reasons that a module's declarations give.
func (m *module) declaredBlockers() blockers {
	var b blockers
	switch {
	case len(m.memories) == 0:
		b |= blockNoMemory
	case m.memories[0].Shared:
		b |= blockSharedMemory
	}
	if m.importedMemories > 0 {
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
