package abi

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// The modules from which Extism plug-ins import. Every host provides ExtismHost. The functions of
// extismUser differ for each host; this host provides none.
const (
	ExtismHost = "extism:host/env"
	extismUser = "extism:host/user"
)

// The reasons why the host ends a call because of its plug-in, as Call.Stopped returns them.
var (
	ErrKernelFull    = errors.New("the plug-in's blocks exceed the memory limit")
	ErrAllMemoryFull = errors.New("the memory limit of all guests together is reached")
	ErrVarsFull      = errors.New("the plug-in's variables exceed their limit")
)

// ImportsExtism reports whether a module is an Extism plug-in.
func ImportsExtism(report *rewrite.Report) bool {
	return slices.ContainsFunc(report.Imports, func(imp rewrite.Import) bool { return imp.Module == ExtismHost })
}

// extismBuilder returns the functions of ExtismHost that the host implements.
func (e *Engine) extismBuilder() wazero.HostModuleBuilder {
	x := extismExporter{e.exporter(ExtismHost)}
	x.memory()
	x.output()
	x.logging()
	x.vars()
	x.web()
	return x.b
}

type extismExporter struct{ exporter }

// add exports f, which reads its parameters from the stack and leaves its result there.
func (x extismExporter) add(name string, f func(k *kernel, stack []uint64), results []api.ValueType, params ...api.ValueType) {
	x.export(name, params, results, func(a args) {
		a.taint()
		f(a.call.kernel, a.stack)
	})
}

var (
	noResult = []api.ValueType(nil)
	gives32  = []api.ValueType{i32}
	gives64  = []api.ValueType{i64}
)

func (x extismExporter) memory() {
	length := func(k *kernel, stack []uint64) { stack[0] = k.length(stack[0]) }
	x.add("alloc", func(k *kernel, stack []uint64) { stack[0] = k.alloc(stack[0]) }, gives64, i64)
	x.add("free", func(k *kernel, stack []uint64) { k.release(stack[0]) }, noResult, i64)
	x.add("length", length, gives64, i64)
	x.add("length_unsafe", length, gives64, i64)
	// These are imports of the kernel module, not of plug-ins.
	x.add(hostRefused, func(k *kernel, _ []uint64) { k.end(ErrBadRange) }, noResult)
	x.add(hostTouched, func(k *kernel, _ []uint64) { k.shared.watch(false) }, noResult)
}

func (x extismExporter) output() {
	x.add("output_set", func(k *kernel, stack []uint64) { k.setOutput(stack[0], stack[1]) }, noResult, i64, i64)
	x.add("error_set", func(k *kernel, stack []uint64) {
		k.call.Failure = ErrorText{}
		k.call.Failure.Write(k.block(stack[0]))
	}, noResult, i64)
}

func (x extismExporter) logging() {
	for name, level := range map[string]slog.Level{
		"log_trace": slog.LevelDebug, "log_debug": slog.LevelDebug, "log_info": slog.LevelInfo,
		"log_warn": slog.LevelWarn, "log_error": slog.LevelError,
	} {
		x.add(name, func(k *kernel, stack []uint64) {
			k.call.Bindings.Messages.Log(level, k.block(stack[0]))
			k.release(stack[0]) // plug-ins expect the host to free the block
		}, noResult, i64)
	}
	// 0 asks for all messages; the listener filters them.
	x.add("get_log_level", func(_ *kernel, stack []uint64) { stack[0] = 0 }, gives32)
}

func (x extismExporter) vars() {
	x.add("config_get", func(k *kernel, stack []uint64) {
		stack[0] = k.put([]byte(k.call.Config[string(k.block(stack[0]))]))
	}, gives64, i64)
	// Plug-ins expect the host to free the blocks that they pass here. Blocks are freed only after
	// the result has its own block, so a plug-in that also frees them does no harm.
	x.add("var_get", func(k *kernel, stack []uint64) {
		name := stack[0]
		stack[0] = k.put(k.vars[string(k.block(name))])
		k.release(name)
	}, gives64, i64)
	x.add("var_set", func(k *kernel, stack []uint64) {
		name, at := stack[0], stack[1]
		var value []byte
		if at != 0 {
			value = k.block(at)
		}
		k.setVar(string(k.block(name)), value)
		k.release(name)
		k.release(at)
	}, noResult, i64, i64)
}
