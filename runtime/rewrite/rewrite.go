// Package rewrite reads core WASM binaries and rewrites them so that a host can bound what they
// cost. It contains no engine: it turns bytes into bytes, and equal input and options always give
// equal output.
//
// The reader treats its input as hostile. It checks every count and length against the remaining
// bytes before it allocates memory. It refuses everything that it does not know, with the byte
// offset.
//
// The writer does not validate types, because the engine that compiles the output does. It does
// check every index, so that code in the input can never refer to anything that rewriting added.
package rewrite

import (
	"cmp"
	"slices"
	"strings"
)

// Revision identifies the behaviour of Rewrite. It changes whenever the output, the Report or the
// fuel of a call may change for equal input and options.
const Revision = 14

// Defaults of Options.
const (
	// DefaultMaxTableElements is 131,072 references (1 MiB). Large Go and Rust programs need fewer
	// than 100,000.
	DefaultMaxTableElements = 1 << 17
	// DefaultMaxFunctionBytes is 1 MiB. Rewriting a function of this size takes up to 200 MiB of
	// memory. The largest known function of a real program has 630 KiB. The effort estimate limits
	// the cost of compiling it.
	DefaultMaxFunctionBytes = 1 << 20
)

// Options selects what Rewrite does. The zero value limits tables and functions to the defaults,
// and does not change function bodies.
type Options struct {
	// MaxTableElements limits the size of a table in references; 0 means DefaultMaxTableElements. A
	// table that could grow larger gets the limit as its maximum, so that growth fails in the
	// guest. A table that starts larger is refused.
	MaxTableElements uint32
	// MaxFunctionBytes limits a function body in bytes, including its local declarations; 0 means
	// DefaultMaxFunctionBytes. With the code that other options add, a body may have twice that
	// size.
	MaxFunctionBytes uint32
	// Meter makes the module take fuel from the global ExportFuel as it runs, and call the imported
	// function MeterModule.MeterFunction when there is too little. Between two such checks there is
	// only a bounded amount of work, whatever the module does.
	//
	// The module also calls MeterFunction before every call of another imported function, even if
	// there is fuel left. So at most one other imported function runs between two calls of
	// MeterFunction. Functions in Quick are excluded: they must take only a few instructions of
	// compiled code.
	//
	// A reference to a function is created once, on instantiation, and not each time the module
	// uses ref.func, because engines keep every reference.
	//
	// A module with exceptions is refused as Unsupported, because they have no price.
	//
	// A function that would take seconds or much memory to compile is refused as SlowToCompile. So
	// is a module with too many such functions for its size.
	Meter bool
	// Quick names imported functions. Meter adds no check before a call of these functions.
	Quick []ImportName
	// AnyEffort disables refusals as SlowToCompile, for a compiler that can be stopped.
	AnyEffort bool
	// Checkpoint lets the host stop a WASI command right before its first read, and resume it from
	// there any number of times. It has no effect without Meter. It also has no effect on a module
	// that does not define and export _start, () -> (), or that has no plain call of fd_read
	// imported from wasi_snapshot_preview1.
	//
	// Checkpoint adds the export ExportMain, the imported functions EnterFunction and
	// CheckpointFunction, and a call of CheckpointFunction before every plain call of fd_read, on
	// any file. Tail calls and indirect calls of fd_read are treated like calls of other imported
	// functions. SnapshotBlockers also apply to checkpoints.
	Checkpoint bool
	// ExportState exports the memory as ExportMemory, and every mutable global that the module
	// defines under its GlobalExport name.
	ExportState bool
	// ExportStart exports the start function, if any, as ExportStart. The host then calls the
	// function; the engine does not call it on instantiation.
	ExportStart bool
	// SplitSelects turns selects of floats and vectors into branches, because the compiler of
	// wazero 1.12 gets some of them wrong on amd64 (wazero#2534).
	SplitSelects bool
	// Offsets makes the engine record the offsets of instructions if the module has line tables of
	// DWARF, so that a stack of the guest has places for [Originals]. It adds custom sections.
	Offsets bool
	// Part is the part of the module to write. A split needs Meter and ExportState.
	Part Part
}

// ImportName names an imported function.
type ImportName struct{ Module, Name string }

func (o Options) withDefaults() Options {
	o.MaxTableElements = cmp.Or(o.MaxTableElements, DefaultMaxTableElements)
	o.MaxFunctionBytes = cmp.Or(o.MaxFunctionBytes, DefaultMaxFunctionBytes)
	return o
}

// Rewrite makes a module safe to run under a deadline. It limits tables and functions, removes the
// module's custom sections, and does what the options select. The report describes the input. The
// error is an [*Error].
//
// Equal input and options give equal output. Rewrite does not change wasm, and the result does not
// share memory with it. It is safe for concurrent use.
func Rewrite(wasm []byte, o Options) ([]byte, *Report, error) {
	o = o.withDefaults()
	m, s, err := prepare(wasm, o)
	if err != nil {
		return nil, nil, err
	}
	rep := m.report(s)
	rep.HostBytes, rep.DataBytes = m.hostBytes(o, s), m.dataBytes()
	out, code, err := m.write(o, s, nil)
	if err != nil {
		return nil, nil, err
	}
	if o.Meter {
		counts := code.counts // a copy, so that rep does not keep the writer alive
		rep.Meter = &counts
	}
	if o.Part > Early && code.split == nil {
		return nil, nil, refuse(headerBytes, Unsupported, "it has no part %d", o.Part)
	}
	rep.Parts, rep.AddedImports = Part(code.split.count()), code.shift
	rep.HostBytes += code.split.hostBytes(len(m.globals) + len(s.refs))
	rep.Effort = code.total()
	if m.recordsOffsets(o) {
		rep.Effort.Bytes += rep.Effort.Bytes / 2
	}
	return out, rep, nil
}

// prepare reads a module and checks that rewriting can make it safe.
func prepare(wasm []byte, o Options) (*module, *scan, *Error) {
	m, err := read(wasm)
	if err != nil {
		return nil, nil, err
	}
	if err := m.checkLimits(o); err != nil {
		return nil, nil, err
	}
	m.markQuick(o.Quick)
	s, err := m.scanCode()
	if err == nil {
		err = s.checkPriced(o)
	}
	return m, s, err
}

// recordsOffsets reports whether Options.Offsets applies to the module.
func (m *module) recordsOffsets(o Options) bool {
	return o.Offsets && slices.Contains(m.custom, lineSection)
}

// checkLimits refuses modules that rewriting cannot make safe.
func (m *module) checkLimits(o Options) *Error {
	if len(m.memories) > 0 && m.memories[0].Shared {
		return refuse(headerBytes, Unsupported, "it uses shared memory: build the module without threads")
	}
	total, limit := uint64(0), uint64(o.MaxTableElements)
	for i, t := range m.tables {
		if t.Min > limit {
			return refuse(t.limits, TooLarge, "table %d starts with %d elements; at most %d are allowed", i, t.Min, limit)
		}
		if total += t.Min; total > 2*limit {
			return refuse(t.limits, TooLarge, "the tables start with %d elements together; at most %d are allowed", total, 2*limit)
		}
	}
	if f, limit := m.largest(), int(o.MaxFunctionBytes); f.Bytes > limit {
		return refuse(m.codes[int(f.Index)-m.importedFuncs].locals, TooLarge,
			"the body of function %d has %d bytes; at most %d are allowed; split the function or lower inlining", f.Index, f.Bytes, limit)
	}
	return m.checkReserved()
}

// checkPriced refuses features without a price. For every try_table that is entered, the engine
// saves the call stack, at a cost that grows with the depth of the stack.
func (s *scan) checkPriced(o Options) *Error {
	if o.Meter && s.features&featExceptions != 0 {
		return refuse(headerBytes, Unsupported,
			"it uses exceptions, which are not supported: build the module without them (C++: -fno-exceptions, Rust: panic = \"abort\")")
	}
	return nil
}

// Host memory for an item of an instance in bytes, approximately as in wazero 1.12.
const (
	hostBytesPerSlot    = 8
	hostBytesPerElement = 40
	hostBytesPerGlobal  = 100
	hostBytesPerShared  = 50
)

// hostBytes returns the approximate number of bytes that an instance takes on the host in addition
// to its memory. A table that may grow is counted at its maximum size.
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

// dataBytes returns the approximate size of the data segments that initialise an instance.
func (m *module) dataBytes() uint64 {
	n := 0
	for _, d := range m.data {
		if !d.passive {
			n += d.end - d.start
		}
	}
	return uint64(n)
}

// checkReserved refuses modules with reserved names: they have already been rewritten, or pretend
// to be.
func (m *module) checkReserved() *Error {
	for _, d := range m.imports {
		if strings.HasPrefix(d.module, ReservedPrefix) {
			return refuse(d.start, Unsupported, "it imports from %q, which is reserved: use the original module from the compiler", d.module)
		}
	}
	for _, e := range m.exports {
		if strings.HasPrefix(e.name, ReservedPrefix) {
			return refuse(headerBytes, Unsupported, "it exports %q, but names that start with %q are reserved: use the original module from the compiler", e.name, ReservedPrefix)
		}
	}
	return nil
}
