package standard_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/wasmtool/wasmtool/internal/errtree"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The engine ends a module with certain exit codes if its context has ended. If a tool itself exits
// with one of these codes, the call has only failed: the result must not be a timeout or an error
// of the engine.
func TestExitCodesPassForNothingElse(t *testing.T) {
	w := newWatching(t, "")
	for _, status := range []int32{1, 124, 130, -1, -0x10000001, -2} {
		w.write("one/m.wasm", exits(status))
		w.look()
		w.look()
		_, err := w.tools.Execute(t.Context(), tool.Call{Tool: "one", Arguments: []byte("{}")})
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.CodeExecution || e.Details.ExitCode == nil || *e.Details.ExitCode != uint32(status) {
			t.Errorf("%d: got %v", status, err)
		}
		for _, sentinel := range []error{context.Canceled, context.DeadlineExceeded, io.EOF, fs.ErrNotExist, tool.ErrNoApprover} {
			if errors.Is(err, sentinel) {
				t.Errorf("%d: errors.Is(%v, %v)", status, err, sentinel)
			}
		}
		if found := errtree.From(err, errtree.Engine); found != nil {
			t.Errorf("%d: has errors of the engine: %q", status, found)
		}
	}
}
