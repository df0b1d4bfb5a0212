package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	if !hasExport(report, export) {
		return noExtismExport(report, export)
	}
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

// noExtismExport names the functions that the plug-in could be called by: there is no name
// that most have.
func noExtismExport(report *rewrite.Report, export string) error {
	const most = 5
	var names []string
	for _, e := range report.Exports {
		if e.Kind == rewrite.ExternFunc && e.Signature == "() -> i32" && len(names) < most {
			names = append(names, quoteName(e.Name))
		}
	}
	if len(names) == 0 {
		return invalid(nil, "the module exports no %s, nor any other function () -> i32", quoteName(export))
	}
	return invalid(nil, "the module exports no %s; name the function to call in module.entry: %s", quoteName(export), strings.Join(names, ", "))
}

// startExtism prepares a plug-in, unless that is what the call itself does.
func (i *instance) startExtism(s *callState) error {
	if err := s.stopped(); err != nil || s.call.Entry.Export == commandExport {
		return err
	}
	ctx := context.Background()
	at := slices.IndexFunc(extismInitializers, func(name string) bool { return i.mod.ExportedFunction(name) != nil })
	if at >= 0 && s.call.Entry.Export != extismInitializers[at] {
		if _, err := i.mod.ExportedFunction(extismInitializers[at]).Call(ctx); err != nil {
			return err
		}
	}
	if checkExport(i.c.report, haskellExport, haskellSignature) == nil {
		if _, err := i.mod.ExportedFunction(haskellExport).Call(ctx, 0, 0); err != nil {
			return err
		}
	}
	return nil
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
		return &Error{Reason: Failed, Message: web.Error(), cause: cause}
	}
	return nil
}
