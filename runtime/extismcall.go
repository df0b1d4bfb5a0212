package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// extismInitializers are the exports that prepare a plug-in; the first that is there runs.
var extismInitializers = []string{initializeExport, "__wasm_call_ctors"}

// haskellExport is the start of Haskell's run-time system, which takes no arguments here.
const (
	haskellExport    = "hs_init"
	haskellSignature = "(i32, i32) -> ()"
)

// checkExtism looks at what a plug-in is called by.
func checkExtism(report *rewrite.Report, export string) error {
	if err := checkExport(report, export, "() -> i32"); err != nil && checkExport(report, export, noSignature) != nil {
		return err
	}
	for _, name := range extismInitializers {
		if hasExport(report, name) {
			if err := checkExport(report, name, noSignature); err != nil {
				return err
			}
		}
	}
	return nil
}

// startExtism gives a plug-in its input and prepares it.
func (i *instance) startExtism(s *callState) error {
	if err := s.kernel.takeInput(s.call.Input); err != nil {
		return err
	}
	if s.call.Entry.Export == commandExport {
		return nil // prepares itself
	}
	at := slices.IndexFunc(extismInitializers, func(name string) bool { return i.mod.ExportedFunction(name) != nil })
	if at >= 0 && s.call.Entry.Export != extismInitializers[at] {
		if _, err := i.mod.ExportedFunction(extismInitializers[at]).Call(context.Background()); err != nil {
			return err
		}
	}
	if checkExport(i.c.report, haskellExport, haskellSignature) == nil {
		_, err := i.mod.ExportedFunction(haskellExport).Call(context.Background(), 0, 0)
		return err
	}
	return nil
}

// callExtism makes the call. The output is what lies there when it ends.
func (i *instance) callExtism(s *callState) error {
	result, err := i.mod.ExportedFunction(s.call.Entry.Export).Call(i.c.engine.snapshots)
	if len(result) > 0 {
		s.code = api.DecodeU32(result[0])
	}
	k := s.kernel
	if s.stopped() == nil {
		// The range was looked at when it was set, and the memory does not shrink. Output
		// that is too much, with what wasmtool_v1 was given, stops the call.
		_, _ = s.write(k.data[k.output : k.output+k.outputLen])
	}
	return err
}

// endOfKernel says how a call ended that its kernel stopped; nil when that was not why.
func endOfKernel(cause error) *Error {
	var web *webFailure
	switch {
	case errors.Is(cause, errKernelFull):
		return &Error{Reason: ResourceExhausted, Limit: LimitMemory, Message: errKernelFull.Error() + "; raise limits.memory", cause: cause}
	case errors.Is(cause, errAllMemoryFull):
		return &Error{Reason: ResourceExhausted, Limit: LimitTotalMemory, Message: errAllMemoryFull.Error() + "; try again when some have ended", cause: cause}
	case errors.Is(cause, errVarsFull):
		return &Error{Reason: ResourceExhausted, Limit: LimitMemory, Message: errVarsFull.Error() + " of 1 MiB", cause: cause}
	case errors.As(cause, &web):
		return &Error{Reason: Failed, ExitCode: stopped, Message: web.Error(), cause: cause}
	}
	return nil
}
