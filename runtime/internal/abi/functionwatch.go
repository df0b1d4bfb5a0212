package abi

import (
	"context"
	"sync/atomic"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// functionWatch reports the functions of a module that run.
type functionWatch struct {
	report *rewrite.Report
	found  func(index uint32)
}

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (w *functionWatch) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	index, ok := w.report.Original(f.Index())
	if !ok || f.GoFunction() != nil {
		return nil
	}
	return &watchedFunction{index: index, found: w.found}
}

// watchedFunction reports the first call of a function.
type watchedFunction struct {
	index  uint32
	found  func(index uint32)
	called atomic.Bool
}

// Before implements experimental.FunctionListener.
func (f *watchedFunction) Before(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
	if !f.called.Swap(true) {
		f.found(f.index)
	}
}

// After implements experimental.FunctionListener.
func (*watchedFunction) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

// Abort implements experimental.FunctionListener.
func (*watchedFunction) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}
