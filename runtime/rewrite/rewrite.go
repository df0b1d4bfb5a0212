// Package rewrite reads core WASM binaries and rewrites them so that a host can
// bound what they cost. It has no engine in it: bytes go in, bytes come out, and
// the same input and options always give the same output.
//
// The reader treats its input as hostile. Every count and length is checked
// against the bytes that are there before anything is allocated, and whatever it
// does not know it refuses with the byte offset.
//
// The writer does not validate types: the engine that compiles the output does.
// It does check every index, so that code in the input can never name something
// that only the rewriting added.
package rewrite

import (
	"cmp"
	"strings"
)

// Revision numbers what Rewrite writes. It changes whenever the output, the Report or the
// fuel that a call takes may change for the same input and options.
const Revision = 10

// Defaults of Options.
const (
	// DefaultMaxTableElements is room for 131,072 references (1 MiB) in a table.
	// Large Go and Rust programs need fewer than 100,000.
	DefaultMaxTableElements = 1 << 17
	// DefaultMaxFunctionBytes is the largest function body by default, 1 MiB: rewriting it
	// takes up to 200 MiB of memory. The largest that real programs are known to have is 630
	// KiB. What it takes to compile is bounded by the estimate.
	DefaultMaxFunctionBytes = 1 << 20
)

// Options are what Rewrite does. The zero value caps tables and functions at the
// defaults and changes nothing in function bodies.
type Options struct {
	// MaxTableElements is the largest size of a table in references. A table that
	// may grow beyond it gets it as its maximum, so that growing it fails in the
	// guest; a table that starts above it is refused. 0 is DefaultMaxTableElements.
	MaxTableElements uint32
	// MaxFunctionBytes is the largest function body in bytes, with its local
	// declarations; with what the options below add it may have twice as many.
	// 0 is DefaultMaxFunctionBytes.
	MaxFunctionBytes uint32
	// Meter makes the module take fuel from the global ExportFuel as it runs, and
	// call the imported function MeterModule.MeterFunction when there is too little.
	// Between two such checks there is only a bounded amount of work, whatever the
	// module does. It calls that function before every call of any other imported
	// one, too, whatever fuel is left: between two of its calls no more than one
	// other imported function runs.
	//
	// The functions that Quick names are left out of that: they are taken to do no more
	// than a handful of instructions, in compiled code.
	//
	// A reference to a function is made once, when the module is instantiated, and not
	// each time that the module asks for it: engines keep what they make.
	//
	// A module that uses exceptions is refused as Unsupported: they have no price yet.
	//
	// A function that would take seconds, or much memory, to compile with its checks is
	// refused as SlowToCompile, and so is a module of too many such functions for its size.
	Meter bool
	// Quick names imported functions that Meter need not look after.
	Quick []ImportName
	// AnyEffort leaves out that refusal, for a compiler that can be stopped.
	AnyEffort bool
	// Checkpoint lets the host stop a WASI command right before it reads for the
	// first time, and go on from there as often as it likes. It does nothing without
	// Meter, nor for a module that does not export a function of its own as _start,
	// () -> (), or has no plain call of fd_read as imported from
	// wasi_snapshot_preview1: the output is then as without it.
	//
	// It adds the export ExportMain, the imported functions EnterFunction and
	// CheckpointFunction, and calls of CheckpointFunction before every plain call of
	// fd_read, of whatever file. Tail calls and indirect calls of fd_read are treated
	// like those of any other imported function.
	// What SnapshotBlockers says of a module holds for its checkpoints, too.
	Checkpoint bool
	// ExportState exports the memory as ExportMemory and every mutable global that
	// the module defines as GlobalExport says.
	ExportState bool
	// ExportStart exports the start function as ExportStart, if there is one, so
	// that the host calls it rather than the engine on instantiation.
	ExportStart bool
	// SplitSelects turns selects of floats and vectors into branches, because the
	// compiler of wazero 1.12 gets some of them wrong on amd64 (wazero#2534).
	SplitSelects bool
}

// ImportName names an imported function.
type ImportName struct{ Module, Name string }

func (o Options) withDefaults() Options {
	o.MaxTableElements = cmp.Or(o.MaxTableElements, DefaultMaxTableElements)
	o.MaxFunctionBytes = cmp.Or(o.MaxFunctionBytes, DefaultMaxFunctionBytes)
	return o
}

// Rewrite makes a module safe to run under a deadline: it caps tables and
// functions, leaves out custom sections, and does what the options ask for. The
// report is of the input. The error is an *Error.
//
// The result is equal for equal input and options. Rewrite does not change wasm,
// and the result does not share memory with it. It is safe for concurrent use.
func Rewrite(wasm []byte, o Options) ([]byte, *Report, error) {
	o = o.withDefaults()
	m, err := read(wasm)
	if err != nil {
		return nil, nil, err
	}
	if err := m.checkLimits(o); err != nil {
		return nil, nil, err
	}
	m.markQuick(o.Quick)
	s, err := m.scanCode()
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkPriced(o); err != nil {
		return nil, nil, err
	}
	rep := m.report(s)
	rep.HostBytes, rep.DataBytes = m.hostBytes(o, s), m.dataBytes()
	out, code, err := m.write(o, s)
	if err != nil {
		return nil, nil, err
	}
	if o.Meter {
		counts := code.counts // a copy, which does not keep the writer
		rep.Meter = &counts
	}
	rep.Effort = code.total()
	return out, rep, nil
}

// checkLimits refuses what no rewriting makes safe.
func (m *module) checkLimits(o Options) *Error {
	if len(m.memories) > 0 && m.memories[0].Shared {
		return refuse(headerBytes, Unsupported, "it uses shared memory: build it without threads")
	}
	total, limit := uint64(0), uint64(o.MaxTableElements)
	for i, t := range m.tables {
		if t.Min > limit {
			return refuse(t.limits, TooLarge, "table %d starts with %d elements, at most %d are allowed", i, t.Min, limit)
		}
		if total += t.Min; total > 2*limit {
			return refuse(t.limits, TooLarge, "the tables start with %d elements together, at most %d are allowed", total, 2*limit)
		}
	}
	if f, limit := m.largest(), int(o.MaxFunctionBytes); f.Bytes > limit {
		return refuse(m.codes[int(f.Index)-m.importedFuncs].locals, TooLarge,
			"the body of function %d has %d bytes, at most %d are allowed: split the function or lower inlining", f.Index, f.Bytes, limit)
	}
	return m.checkReserved()
}

// checkPriced refuses features that metering has no price for. The engine saves the call
// stack for every try_table that is entered, which costs as much as the stack is deep.
func (s *scan) checkPriced(o Options) *Error {
	if o.Meter && s.features&featExceptions != 0 {
		return refuse(headerBytes, Unsupported,
			"it uses exceptions, which are not supported: build it without them (C++: -fno-exceptions, Rust: panic = \"abort\")")
	}
	return nil
}

// Costs of an instance on the host, in bytes, of an item each: about what wazero 1.12 takes.
const (
	hostBytesPerSlot    = 8
	hostBytesPerElement = 40
	hostBytesPerGlobal  = 100
)

// hostBytes is about what an instance takes on the host besides its memory: of a table
// that may grow, what it may grow to.
func (m *module) hostBytes(o Options, s *scan) uint64 {
	n := uint64(m.elementCount+len(s.refs))*hostBytesPerElement + uint64(len(m.globals))*hostBytesPerGlobal
	for _, t := range m.tables {
		slots := t.Min
		if s.blockers&blockTables != 0 {
			slots = uint64(o.MaxTableElements)
			if t.HasMax {
				slots = min(slots, t.Max)
			}
		}
		n += slots * hostBytesPerSlot
	}
	return n
}

// dataBytes is about the size of the data segments that an instance begins with.
func (m *module) dataBytes() uint64 {
	n := 0
	for _, d := range m.data {
		if !d.passive {
			n += d.end - d.start
		}
	}
	return uint64(n)
}

// checkReserved refuses modules that have names of ours already: they were
// rewritten before, or pretend to be.
func (m *module) checkReserved() *Error {
	for _, d := range m.imports {
		if d.module == MeterModule {
			return refuse(d.start, Unsupported, "it imports from %q, which is reserved: use the module as its compiler made it", d.module)
		}
	}
	for _, e := range m.exports {
		if strings.HasPrefix(e.name, ReservedPrefix) {
			return refuse(headerBytes, Unsupported, "it exports %q, and names with %q are reserved: use the module as its compiler made it", e.name, ReservedPrefix)
		}
	}
	return nil
}
