package rewrite

import (
	"fmt"
	"slices"
	"strconv"
)

// ExternKind is the kind of an import or export.
type ExternKind uint8

// The kinds of imports and exports.
const (
	ExternFunc ExternKind = iota
	ExternTable
	ExternMemory
	ExternGlobal
	ExternTag
)

// String returns the kind as the text format names it.
func (k ExternKind) String() string {
	if names := [...]string{"func", "table", "memory", "global", "tag"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Import is what a module needs from its host. The names come from the module and may be any UTF-8
// string.
type Import struct {
	Module, Name string
	Kind         ExternKind
	// Signature is "(i32, i32) -> i32" for a function, "i64" or "mut i64" for a global, and empty
	// otherwise.
	Signature string
}

// Export is what a module offers. The name comes from the module and may be any UTF-8 string.
type Export struct {
	Name string
	Kind ExternKind
	// Signature has the same form as in Import.
	Signature string
	// Imported reports whether the export is an imported function.
	Imported bool
}

// Limits is the size of a memory in pages of 64 KiB, or of a table in references.
type Limits struct {
	Min uint64
	// Max is 0 unless HasMax.
	Max      uint64
	HasMax   bool
	Shared   bool
	Imported bool
}

// FunctionSize is a function and the length of its body in bytes, including its local declarations.
// Index counts imported functions first.
type FunctionSize struct {
	Index uint32
	Bytes int
}

// Producer is one entry of a module's producers section, for example {"language", "Go", "go1.26"}.
// The module itself states it, so it may be false.
type Producer struct{ Field, Name, Version string }

// Report describes a module before rewriting.
type Report struct {
	Imports []Import
	Exports []Export
	// Memory is nil if the module has none.
	Memory *Limits
	// Tables lists imported tables first.
	Tables []Limits
	// HasStart reports whether a start function runs on instantiation.
	HasStart bool
	// Functions is the number of functions that the module defines.
	Functions int
	// LargestFunction is zero if the module defines no function.
	LargestFunction FunctionSize
	// CustomSections are the names of the custom sections in order.
	CustomSections []string
	Producers      []Producer
	// Features are the proposals beyond WASM 1.0 that the module needs, by the names that engines
	// use, for example "simd" or "tail-call".
	Features []string
	// SnapshotBlockers are the reasons why an instance has state outside its memory and globals. If
	// there are none, restoring its memory and globals resets an instance.
	SnapshotBlockers []string
	// HostBytes is the approximate number of bytes that an instance takes on the host in addition
	// to its memory: for globals, and for tables at their maximum size. Inspect leaves it 0.
	HostBytes uint64
	// DataBytes is the approximate number of bytes of data that initialise an instance. It is 0
	// after Inspect.
	DataBytes uint64
	// Effort is the estimate for compiling the rewritten module. It is zero without metering and
	// after Inspect.
	Effort Effort
	// MutableGlobals are the indices of the mutable globals that the module defines.
	MutableGlobals []uint32
	// AddedImports is the number of imported functions that were added after the module's own.
	AddedImports uint32
	// Parts is the number of parts of a module that is split, including the early one; 0 means that
	// the output is the whole module.
	Parts Part
	// Meter describes what metering added. It is nil without metering and after Inspect.
	Meter *MeterReport
}

// ImportsFrom reports whether the module imports something from a module.
func (r *Report) ImportsFrom(module string) bool {
	return slices.ContainsFunc(r.Imports, func(i Import) bool { return i.Module == module })
}

// Original returns the index in the input of a defined function of the output, which is not a late
// part. ok is false for a function that was added.
func (r *Report) Original(index uint32) (original uint32, ok bool) {
	imported := uint32(0)
	for _, i := range r.Imports {
		if i.Kind == ExternFunc {
			imported++
		}
	}
	original = index - r.AddedImports
	return original, index >= imported+r.AddedImports && original < imported+uint32(r.Functions)
}

// MeterReport counts the places where a metered module checks its fuel.
type MeterReport struct {
	// The fields count loop heads (Loops), starts of functions (Entries), places in long code
	// without loops (Paths), operations that are charged by length (Bulks), and calls that may
	// reach imported functions (Hosts).
	Loops, Entries, Paths, Bulks, Hosts int
	// Checkpoints counts the Hosts that Options.Checkpoint changed. If it is 0, there is no
	// ExportMain.
	Checkpoints int
}

// GlobalExport returns the name under which ExportState exports the global with the index.
func GlobalExport(index uint32) string { return exportGlobal + strconv.FormatUint(uint64(index), 10) }

// Inspect reads a module without changing or running it. It decodes function bodies, but does not
// validate their types. The error is an [*Error]. Inspect keeps no reference to wasm and is safe
// for concurrent use.
func Inspect(wasm []byte) (*Report, error) {
	m, err := read(wasm)
	if err != nil {
		return nil, err
	}
	s, err := m.scanCode()
	if err != nil {
		return nil, err
	}
	return m.report(s), nil
}

func (m *module) report(s *scan) *Report {
	rep := &Report{
		HasStart:         m.start >= 0,
		Functions:        len(m.codes),
		LargestFunction:  m.largest(),
		CustomSections:   m.custom,
		Producers:        m.producers,
		Features:         s.features.names(),
		SnapshotBlockers: s.blockers.texts(),
		MutableGlobals:   m.mutableGlobals(),
	}
	for _, d := range m.imports {
		rep.Imports = append(rep.Imports, Import{
			Module: d.module, Name: d.name, Kind: d.kind, Signature: m.signature(d.kind, d.index),
		})
	}
	for _, e := range m.exports {
		rep.Exports = append(rep.Exports, Export{
			Name: e.name, Kind: e.kind, Signature: m.signature(e.kind, e.index),
			Imported: e.kind == ExternFunc && int(e.index) < m.importedFuncs,
		})
	}
	if len(m.memories) > 0 {
		rep.Memory = new(m.memories[0])
	}
	for _, t := range m.tables {
		rep.Tables = append(rep.Tables, t.Limits)
	}
	return rep
}

// mutableGlobals returns the indices of the mutable globals that the module defines.
func (m *module) mutableGlobals() []uint32 {
	var list []uint32
	for i, g := range m.globals {
		if i >= m.importedGlobals && g.mutable {
			list = append(list, uint32(i))
		}
	}
	return list
}

func (m *module) signature(kind ExternKind, index uint32) string {
	switch kind {
	case ExternFunc:
		return m.types[m.funcs[index]].String()
	case ExternGlobal:
		if g := m.globals[index]; g.mutable {
			return "mut " + g.typ.String()
		}
		return m.globals[index].typ.String()
	}
	return ""
}
